"""Initial values that are ids, and need not be kept.

Dekker's algorithm reads `turn` before any process has written it, so that its initial value 0 favours process 0: the exchange of
the processes does not map the initial state to itself.  Yet it maps steps to steps, and that is all a verdict needs.

Theorem (E. A. Emerson, A. P. Sistla, "Symmetry and model checking", Formal Methods in System Design 9, 1996).  Let G be a
group of automorphisms of the relation between states that preserve the conditions of a property.  Then every state s and
every g(s) satisfy the same formulas, and s satisfies a formula just if its orbit does in the quotient.

Proof.  {(s, g(s))} is a bisimulation.  Nothing is said of the initial state: a search begins with its representative, and
each path of the quotient from there is the image of a path from the initial state itself.

*The relation.*  The program graph shows the automorphisms of the text on states whose variables hold values of their sorts.
These include the images of started states, as a symmetry maps each sort to itself.  But what else is known of values must hold
for these images, too: constants, so that only variables that are assigned are free; ranges (`dead_starts.keeps_ranges`).
Channels keep their contents.

*Sums.*  An orbit may have states that cannot be reached.  As with dead values, sums are claimed, and `explore` uses the group, if
the images of the started states are found to be reachable (`dead_starts.is_closed`): in Dekker's algorithm, after one round.

*Properties by orbit* need more: there g must map the started states to each other (`property_orbits`).
"""

from __future__ import annotations

from coset.model import model as m
from coset.model.analysis.occurrences import assigned
from coset.model.state import offsets
from coset.symmetry.action import Points
from coset.symmetry.dead_starts import is_candidate
from coset.symmetry.sorts import Sort


def id_variables(points: Points) -> frozenset[m.Variable]:
    """The variables that hold ids and change; none if no id is among their values in the started states."""
    model, started, sorts = points.interpreter.model, points.started, points.sorts
    changing = assigned(model)
    found: set[m.Variable] = set()
    names_one = False
    for state in started.states:
        rows = [(model.variables, state.values)]
        rows += [(model.kinds[process.kind].variables, process.values) for process in state.processes]
        for variables, values in rows:
            for variable, start in offsets(variables).items():
                sort = sorts.of_variable[variable].leader
                if variable in changing and is_candidate(variable) and is_of_ids(sort):
                    found.add(variable)
                    held = values[start : start + variable.size]
                    names_one = names_one or any(names(sort, value, sorts.processes) for value in held)
    return frozenset(found) if names_one else frozenset()


def is_of_ids(sort: Sort) -> bool:
    """Whether values of a sort name processes, or elements of arrays."""
    return sort.mobile and (sort.objects == "process" or bool(sort.dimensions))


def names(sort: Sort, value: int, processes: int) -> bool:
    """Whether a value is the number of a process or of an element."""
    if sort.objects == "process" and 0 <= value < processes:
        return True
    return any(0 <= value < variable.shape[dimension] for variable, dimension in sort.dimensions)
