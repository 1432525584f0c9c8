"""The theory of visibility: every clause of it is needed, and a model shows why.

`CLAUSES` has for each clause a way to weaken it and a small model.  With the clause, the reduced model has the errors of the
model itself; without it, the reduction that relies on it loses one.  docs/soundness.md has the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

import coset
from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis import CONFLICTS, Accesses, Aspect
from coset.model.analysis import accesses as accesses_module
from coset.model.interpreter import Interpreter, is_fault
from coset.model.passes import merged
from tests.support.paths import DOCS
from tests.support.stubborn_naive import Reduced

Errors = set[tuple[str, str]]
Weaken = Callable[[pytest.MonkeyPatch], None]
SOUNDNESS = DOCS / "soundness.md"


def all_errors(model: m.Model) -> Errors:
    """The errors in all states of a model, by the interpreter."""
    interpreter = Interpreter(model)
    states, errors = [interpreter.initial()], set()
    known = set(states)
    for state in states:
        steps = list(interpreter.steps(state))
        if not steps and not interpreter.valid_end(state):
            errors.add(("end", "invalid end state"))
        for step in steps:
            errors.update(error for move in step.moves for error in move.errors)
            if not is_fault(step.moves[-1]) and step.state not in known:
                known.add(step.state)
                states.append(step.state)
    return errors


def by_merging(model: m.Model) -> Errors:
    return all_errors(merged(model, marks=False))


def by_stubborn_sets(model: m.Model) -> Errors:
    return Reduced(model).run()


REDUCTIONS: dict[str, Callable[[m.Model], Errors]] = {"merge": by_merging, "por": by_stubborn_sets}


@dataclass(frozen=True)
class Clause:
    """A clause, which reduction needs it, a model that shows it, and how to do without it."""

    reduction: str
    text: str
    weaken: Weaken


def without(one: Aspect, other: Aspect) -> Weaken:
    return lambda patch: patch.delitem(CONFLICTS, (one, other))


def noticing(
    change: Callable[[m.Model, m.Kind, int, m.Edge, bool], tuple[m.Model, m.Kind, int, m.Edge, bool]],
) -> Weaken:
    """Ask whether a message is noticed as if something were not there."""
    original = Accesses.is_noticed

    def weakened(self: Accesses, kind: m.Kind, number: int, edge: m.Edge, arrives: bool) -> bool:
        model, kind, number, edge, arrives = change(self.model, kind, number, edge, arrives)
        other = Accesses(model, self.facts)
        other.__dict__["held"] = self.held
        return original(other, kind, number, edge, arrives)

    return lambda patch: patch.setattr(Accesses, "is_noticed", weakened)


def edges_changed(change: Callable[[m.Edge], m.Edge]) -> Weaken:
    def changed(
        model: m.Model, kind: m.Kind, number: int, edge: m.Edge, arrives: bool
    ) -> tuple[m.Model, m.Kind, int, m.Edge, bool]:
        places = tuple(replace(p, edges=tuple(map(change, p.edges))) for p in kind.locations)
        return model, replace(kind, locations=places), number, change(edge), arrives

    return noticing(changed)


def location_changed(**changes: bool) -> Weaken:
    def changed(
        model: m.Model, kind: m.Kind, number: int, edge: m.Edge, arrives: bool
    ) -> tuple[m.Model, m.Kind, int, m.Edge, bool]:
        places = tuple(replace(place, **changes) for place in kind.locations)  # type: ignore[arg-type]
        return model, replace(kind, locations=places), number, edge, arrives

    return noticing(changed)


def without_else(edge: m.Edge) -> m.Edge:
    return replace(edge, guard=e.TRUE) if edge.guard == e.Otherwise() else edge


def dropping(method: str, aspect: Aspect) -> Weaken:
    """A method of `Accesses` that leaves out an aspect."""
    original = getattr(Accesses, method)

    def weakened(*arguments: object, **named: object) -> object:
        return [access for access in original(*arguments, **named) if access.aspect is not aspect]

    return lambda patch: patch.setattr(Accesses, method, weakened)


def always(when: accesses_module.When) -> Weaken:
    """An access that counts while a process waits never counts."""
    original = Accesses.edge

    def weakened(*arguments: object, **named: object) -> object:
        return [access for access in original(*arguments, **named) if access.when is not when]  # type: ignore[arg-type]

    return lambda patch: patch.setattr(Accesses, "edge", weakened)


A = Aspect
CLAUSES: dict[str, Clause] = {
    # --- pairs of aspects ------------------------------------------------------------------------
    "WRITE, READ": Clause("por", """byte g
        active proctype P() { g = 1 }
        active proctype Q() { assert(g == 0) }""", without(A.WRITE, A.READ)),
    "WRITE, WRITE": Clause("por", """byte g
        active proctype P() { g = 1; end: false }
        active proctype Q() { g = 2; end: false }
        active proctype T() { timeout -> assert(g == 1) }""", without(A.WRITE, A.WRITE)),
    "SEND, SEND": Clause("por", """chan q = [2] of { byte }
        active proctype P() { q!1; end: false }
        active proctype Q() { q!2; end: false }
        active proctype T() { timeout -> q?2 }""", without(A.SEND, A.SEND)),
    "RECEIVE, RECEIVE": Clause("por", """chan q = [1] of { byte }; byte n
        active proctype P() { byte x; q!1; end: q?x; n = 1 }
        active proctype Q() { byte x; end: q?x; x = 0 }
        active proctype T() { timeout -> assert(n == 0) }""", without(A.RECEIVE, A.RECEIVE)),
    "INSERT, RECEIVE": Clause("por", """chan q = [2] of { byte }
        active proctype P() { q!!2; q!!1; end: false }
        active proctype Q() { byte x; q?x; assert(x == 2) }""", without(A.INSERT, A.RECEIVE)),
    "INSERT, REMOVAL": Clause("por", """chan q = [2] of { byte }
        active proctype P() { q!!2; q!!1; end: false }
        active proctype Q() { byte x; q?<x>; assert(x == 2) }""", without(A.INSERT, A.REMOVAL)),
    "SEND, ARRIVAL": Clause("por", """chan q = [1] of { byte }
        active proctype Q() { byte x; if :: q?x :: else -> assert(false) fi; end: false }
        active proctype P() { q!1; end: false }""", without(A.SEND, A.ARRIVAL)),
    "RECEIVE, REMOVAL": Clause("por", """chan q = [1] of { byte }
        active proctype P() { byte x; q!1; q!2; end: q?x }
        active proctype Q() { byte x; q?x; end: false }
        active proctype R() { full(q); if :: full(q) -> skip :: else -> assert(false) fi; end: false }""",
        without(A.RECEIVE, A.REMOVAL)),
    "SYNC, SYNC": Clause("por", """chan c = [0] of { byte }
        active proctype P() { end: c?_; end1: false }
        active proctype Q() { skip; end: c?_; assert(false) }
        active proctype R() { c!1; end: false }""", without(A.SYNC, A.SYNC)),
    "READY, NOTICE (merge)": Clause("merge", """chan c = [0] of { byte }
        active proctype P() { skip; end: c?_ }
        active proctype Q() { if :: c!1 :: else -> assert(false) fi }""", without(A.READY, A.NOTICE)),
    "READY, NOTICE": Clause("por", """chan c = [0] of { byte }
        active proctype Q() { if :: c!1 :: else -> assert(false) fi; end: false }
        active proctype P() { skip; end: c?_ }""", without(A.READY, A.NOTICE)),
    "CREATE, CREATE": Clause("por", """proctype W() { end: false }
        active proctype P() { byte k; k = run W(); assert(k == 3); end: false }
        active proctype Q() { byte k; k = run W(); end: false }""", without(A.CREATE, A.CREATE)),
    "CREATE, EXIT": Clause("por", """proctype W() { end: false }
        active proctype P() { byte k; k = run W(); assert(k == 1); end: false }
        active proctype Q() { skip }""", without(A.CREATE, A.EXIT)),
    "CREATE, COUNT": Clause("por", """proctype W() { end: false }
        active proctype P() { run W(); end: false }
        active proctype Q() { assert(_nr_pr == 2); end: false }""", without(A.CREATE, A.COUNT)),
    "EXIT, COUNT": Clause("por", """active proctype Q() { assert(_nr_pr == 1); end: false }
        active proctype P() { skip }""", without(A.EXIT, A.COUNT)),
    # --- when a message is noticed ---------------------------------------------------------------
    "noticed beside else": Clause("merge", """chan c = [0] of { byte }
        active proctype P() { skip; end: c?_ }
        active proctype Q() { if :: c!1 :: else -> assert(false) fi }""", edges_changed(without_else)),
    "noticed before an escape": Clause("merge", """chan c = [0] of { byte }; byte g
        active proctype P() { byte y; g = 1; y = 1; end: c?_; y = 0 }
        active proctype Q() { g == 1; { assert(false) } unless { c!1 } }""",
        edges_changed(lambda edge: replace(edge, tier=0))),
    "noticed in an atomic sequence": Clause("merge", """chan c = [0] of { byte }; byte g, h, k
        active proctype P() { byte y; g = 1; y = 1; c?k }
        active proctype Q() { g == 1; atomic { h = 1; c!1 } }
        active proctype T() { assert(!(h == 1 && k == 0)) }""",
        noticing(lambda model, kind, number, edge, _: (model, kind, number, edge, False))),
    "noticed in a deterministic step": Clause("por", """chan q = [1] of { byte }
        active proctype Q() { byte x; d_step { skip; q?x }; end: false }
        active proctype P() { q!1; end: false }""",
        location_changed(transient=False)),
    "noticed by priorities": Clause("merge", """chan c = [0] of { byte }; byte h
        active proctype S() priority 5 { h == 1; c!1; end: false }
        active proctype P() priority 5 { byte y; h = 1; y = 1; end: c?_; end1: false }
        active proctype R() priority 2 { end: c?_; assert(false) }""",
        noticing(lambda model, kind, number, edge, arrives: (
            replace(model, prioritised=False), kind, number, edge, arrives))),
    # --- what steps touch ------------------------------------------------------------------------
    "a created process may be ready": Clause("por", """chan c = [0] of { byte }
        proctype W() { end: c?_ }
        active proctype Q() { if :: c!1 :: else -> assert(false) fi; end: false }
        active proctype P() { run W(); end: false }""", dropping("creation", A.READY)),
    "locations that are asked about": Clause("por", """active proctype P() { skip; here: skip; skip; end: false }
        active proctype Q() { if :: P@here -> assert(false) :: else fi; end: false }""", dropping("entering", A.WRITE)),
    "waiting for a message": Clause("por", """chan q = [1] of { byte }; byte g
        active proctype P() { q!1; end: false }
        active proctype Q() { byte x; if :: q?x -> assert(false) :: g == 0 -> g = 1 fi; end: false }""",
        always(accesses_module.When.EMPTY)),
    "waiting for a message that matches": Clause("por", """chan q = [2] of { byte }; byte g, h
        active proctype P() { q!1; h == 1; q!2; end: false }
        active proctype Q() { q?[1]; h = 1; if :: q??2 -> assert(false) :: g == 0 -> g = 1 fi; end: false }""",
        always(accesses_module.When.WAITING)),
    "waiting for room": Clause("por", """chan q = [1] of { byte }; byte g
        active proctype P() { byte x; end: q?x; end1: false }
        active proctype Q() { q!1; if :: q!2 -> assert(false) :: g == 0 -> g = 1 fi; end: false }""",
        always(accesses_module.When.FULL)),
}  # fmt: skip


@pytest.mark.parametrize("name", CLAUSES)
def test_nothing_is_lost(name: str) -> None:
    model = coset.parse_text(CLAUSES[name].text)
    expected = all_errors(model)
    for reduce in REDUCTIONS.values():
        assert reduce(model) == expected


@pytest.mark.parametrize("name", CLAUSES)
def test_every_clause_is_needed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clause = CLAUSES[name]
    model = coset.parse_text(clause.text)
    expected = all_errors(model)
    clause.weaken(monkeypatch)
    assert REDUCTIONS[clause.reduction](model) < expected


def test_every_conflict_has_a_model() -> None:
    assert {f"{one.name}, {other.name}" for one, other in CONFLICTS} <= set(CLAUSES)


def test_every_clause_is_documented() -> None:
    text = SOUNDNESS.read_text()
    assert [name for name in CLAUSES if f"| {name} |" not in text] == []
