"""A plan for representatives of states whose processes may be arranged in any order (`canonical/anonymous`): they are sorted."""

from __future__ import annotations

from coset.model.state import State
from coset.source.records import dataclass
from coset.symmetry.canonical.anonymous import AnonymousProcesses, Exchange
from coset.symmetry.canonical.plan import GroupPlan
from coset.symmetry.canonical.representative import Representatives
from coset.symmetry.startup import StartedStates


@dataclass(frozen=True, slots=True)
class AnonymousPlan(GroupPlan):
    """The processes of each state are sorted.  There is no group of fixed points, so the other fields are empty."""

    processes: AnonymousProcesses

    @property
    def counts(self) -> bool:
        """Arrangements of reachable states need not be reachable, so their number is not known."""
        return False

    @property
    def has_runs(self) -> bool:
        """Processes that are over may end in a representative where others still follow them in the states that it stands for."""
        return not any(self.processes.over)

    def exact(self) -> AnonymousPlan:
        """The same plan, which has one representative for each orbit."""
        return self

    @property
    def started(self) -> StartedStates:
        """Nothing is known of the processes beforehand."""
        return StartedStates((), ())

    def show(self, number: int) -> str:
        """An exchange of neighbours."""
        return str(Exchange(number, self.processes))


def anonymous_plan(processes: AnonymousProcesses) -> AnonymousPlan:
    return AnonymousPlan("sort", 1, (), (), (), (), processes)


class SortedStates(Representatives):
    """The same for the reference engine."""

    def __init__(self, processes: AnonymousProcesses, most: int = 16) -> None:
        super().__init__([Exchange(number, processes) for number in range(most)], counts=False)
        self.processes = self.modulo = processes

    def __call__(self, state: State) -> State:
        return self.processes(state)

    def size(self, representative: State) -> int:
        """Unknown."""
        return 1
