"""For every number of processes: states from which a violation can be reached, computed backwards.

S. Ghilardi, S. Ranise, "Backward reachability of array-based systems by SMT solving" (LMCS 6, 2010).
S. Conchon, A. Goel, S. Krstic, A. Mebsout, F. Zaidi, "Cubicle: a parallel SMT-based model checker for parameterized systems"
(CAV 2012).

A *cube* is a set of states, of all sizes: there are some processes at such locations with such data, whatever all others
do.  The states before a step into a cube are a few cubes again, of the same processes or of one more.  If all cubes
that are found so are covered by earlier ones, and none has an initial state, no violation can be reached; that there is no
state in any of them is then an inductive invariant, which proves it.  If one has an initial state, the steps
lead from there to a violation.

Where all data are finite, cubes are upward-closed sets of a well-quasi-ordered system, and the search always ends: P. A.
Abdulla, K. Cerans, B. Jonsson, Y.-K. Tsay, "General decidability theorems for infinite-state systems" (LICS 1996).

    literals  conditions as alternatives of literals, and their values
    cube      sets of states: how they are narrowed down and compared
    preimage  what leads into a cube in one step
    search    the fixpoint, or the steps to a violation
    recheck   a fixpoint checked again, by other means
"""
