"""Partial order reduction: to which models it applies, and why it is sound.

In each state the search lets a *stubborn set* of processes move instead of all of them (A. Valmari, "Stubborn sets for reduced
state space generation", APN 1990; in the form of persistent sets, P. Godefroid, LNCS 1032, 1996).  Start with one process.
Add every process whose *future* conflicts with what a process of the set touches at its current location (`visibility`).
Then the steps of the set stay enabled and have the same effect, whatever other steps come first.
`emit/stubborn.py` writes both as masks in C, `runtime/search/stubborn.h` closes the set.

* This alone preserves deadlocks, and every step that some process can take, as long as no process is ignored forever.
  For errors in single states: a state that is not expanded completely must have a successor that is expanded later than itself
  (D. Bosnacki, G. Holzmann, SPIN 2005).  So from every state a completely expanded one is reached by steps of stubborn sets.
* LTL formulas without next: a set that may change what the formula observes is not used (the formula counts as
  one more process that never moves), and a state with a successor in an unfinished component is expanded completely, so
  that every cycle has a completely expanded state (D. Peled, "All from one, one for all", CAV 1993).
* Symmetry: both conditions are about states and their successors, which symmetries preserve, and are checked on the
  representatives (E. A. Emerson, S. Jha, D. Peled, "Combining partial order and symmetry reductions", TACAS 1997).
* A step that fails has no successor, so a set whose steps all fail does not suffice.
* `timeout` needs no condition: while the steps of a stubborn set are enabled, no process sees a timeout.
"""

from __future__ import annotations

from coset.model import model as m
from coset.model.analysis.facts import Facts, gather
from coset.model.analysis.occurrences import visible_variables


def reducible(model: m.Model) -> Facts | None:
    """The facts about a model's visibility for its properties, which must be without next.  None if the order of any two
    steps may matter: steps or positions are observed, processes have priorities, or there is a monitor."""
    facts = gather(model, visible_variables(model), marks=False)
    if (
        facts.steps_matter
        or facts.positions_matter
        or model.prioritised
        or model.monitor is not None
        or model.stuttering
    ):
        return None
    return facts
