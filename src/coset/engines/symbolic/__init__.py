"""The symbolic engine: sets of states and steps as binary decision diagrams.

J. R. Burch, E. M. Clarke, K. L. McMillan, D. L. Dill, L. J. Hwang, "Symbolic model checking: 10^20 states and beyond",
Information and Computation 98 (1992).

    diagrams     the library, and what is asked of it
    order        which element comes where
    encoding     elements of a state as boolean variables
    evaluation   expressions: for each value the states in which they have it
    steps        programs executed on all states at once
    relation     the steps in parts, each with what it writes; images
    orbits       with symmetry: sets of whole orbits, and one process that moves for all
    quotient     with symmetry: representatives in the place of states (representatives, staging, orbit_relation)
    folding      which of these ways
    fixpoints    reachable states, and the operators of computation tree logic
    space        all of it for a sequential model: `space(model)`
    runs         from the concurrent model and back: what leads to the started states, and runs as evidence
    engine       explore and check
"""
