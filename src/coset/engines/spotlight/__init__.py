"""For every number of processes: three-valued checking of a few processes in the spotlight, all others in the shade.

N. Timm and H. Wehrheim, "On Symmetries and Spotlights - Verifying Parameterised Systems" (ICFEM 2010).

A *spotlight* has some processes of each class of a `Family`, whose locations are known exactly; of data, predicates are
known; of all other processes, the *shade*, what invariants say about them.  The abstraction is a Kripke structure over three
truth values, of which "true" and "false" hold in every member of the family that is large enough.

    kleene       three-valued logic
    structure    Kripke structures with may and must
    ctl          computation tree logic on them, also for fair runs only
    evidence     why a formula is true, false or unknown
    expressions  what a program is made of; linear: sums of multiples, a normal form
    program      a family as guarded updates, or what stands in the way
    lift         a model as a member of a family
    solver       entailment
    context      what is known of some listed processes and of all the rest
    candidates   what may be an invariant; invariants: what is one, for all sizes
    abstraction  the three-valued structure of a spotlight; shade: the steps of all others
    refine       more predicates, more processes
    members      a family with fixed sizes, and single models; sizes: the same in words
"""
