"""Passes for fewer steps: they must not change what a property can tell.  `bisimulation` is their naive twin."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

import coset
from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis import CONFLICTS, Accesses, Aspect
from coset.model.analysis.facts import Facts, gather
from coset.model.analysis.occurrences import property_expressions
from coset.model.passes import (
    LAST,
    PASSES,
    Needs,
    Pass,
    draft,
    merge,
    merged,
    plain,
    transient_choices,
    visible_locations,
    visible_variables,
)
from coset.properties.formula import Atom
from tests.support.bisimulation import differences, run_pass
from tests.support.paths import MODELS
from tests.support.promela_random import generate

# --- the twin against the passes -----------------------------------------------------------------


def with_atoms(model: m.Model, seed: int) -> m.Model:
    """The model with properties about some locations and variables of its processes."""
    dice = random.Random(seed)
    atoms: list[e.Expr] = []
    for kind in model.kinds:
        places = [number for number, location in enumerate(kind.locations) if not location.transient]
        for _ in range(2):
            chosen = dice.sample(places, min(len(places), dice.randint(1, 2)))
            atoms.append(e.AtLocation(kind.name, None, "here", frozenset(chosen)))
        scalars = [variable for variable in kind.variables if not variable.shape]
        if scalars:
            atoms.append(e.Remote(kind.name, None, dice.choice(scalars)))
    dice.shuffle(atoms)
    chosen_atoms = atoms[: dice.randint(0, 4)]
    return replace(model, properties=tuple(m.Temporal(f"p{k}", Atom(atom)) for k, atom in enumerate(chosen_atoms)))


def random_models(seeds: range) -> Iterator[tuple[int, m.Model]]:
    for seed in seeds:
        try:
            yield seed, with_atoms(coset.parse_text(generate(seed)), seed)
        except coset.InputError:
            continue


CHUNKS, PER_CHUNK = 10, 12


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_programs_merged(chunk: int) -> None:
    compared = 0
    for seed, model in random_models(range(chunk * PER_CHUNK, (chunk + 1) * PER_CHUNK)):
        found = differences(model, merged(model, visible=model.variables if seed % 2 else None))
        assert not found, f"seed {seed}: {found}"
        compared += found is not None
    assert compared >= PER_CHUNK // 2


@pytest.mark.parametrize("pass_", [*PASSES, LAST], ids=lambda p: p.name)
def test_random_programs_by_each_pass(pass_: Pass) -> None:
    """By itself, twice in a row, and with the bisimulation that it promises."""
    for seed, model in random_models(range(500, 520)):
        once = run_pass(pass_, model)
        for changed in (once, run_pass(pass_, once)):
            found = differences(model, changed, stuttering=pass_.needs is Needs.NO_NEXT, limit=500)
            assert not found, f"seed {seed}: {found}"


def test_random_programs_step_by_step() -> None:
    """With a property that counts steps nothing is joined."""
    for seed, model in random_models(range(600, 630)):
        found = differences(model, merged(model, next_free=False), stuttering=False, limit=1200)
        assert not found, f"seed {seed}: {found}"


def test_nothing_is_left_to_do() -> None:
    for seed, model in random_models(range(700, 720)):
        smaller = merged(model)
        again = merged(smaller)
        assert [len(k.locations) for k in again.kinds] == [len(k.locations) for k in smaller.kinds], seed


def test_plain_is_the_model_itself() -> None:
    model = coset.load(MODELS / "peterson.pml")
    assert plain(model) is model


# --- why each condition is there -----------------------------------------------------------------

Mutation = Callable[[pytest.MonkeyPatch], None]


def careless(owner: object, name: str, answer: object) -> Mutation:
    """A pass that does not ask: the question always has the same answer."""
    return lambda patch: patch.setattr(owner, name, lambda *_: answer)


def ignoring_provided(patch: pytest.MonkeyPatch) -> None:
    careful = merge.merged_kind

    def joined(kind: m.Kind, facts: Facts) -> m.Kind:
        return replace(careful(replace(kind, provided=e.TRUE), facts), provided=kind.provided)

    patch.setattr(merge, "merged_kind", joined)


def ignoring_priority(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("coset.model.passes.gather", lambda *x: replace(gather(*x), prioritised=False))


def ignoring_reads(patch: pytest.MonkeyPatch) -> None:
    patch.delitem(CONFLICTS, (Aspect.WRITE, Aspect.READ))


def ignoring_locations(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Accesses, "entering", lambda *_: ())


def ignoring_earlier_control(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(merge, "can_wait", lambda draft, source, edge: draft.is_private_step(source, edge))


TRAPS: dict[str, tuple[str, Mutation | None]] = {
    "a variable that another process reads": (
        """byte g, h
        active proctype P() { byte x; x = 1; g = 1; x = 2; g = 2; x = 0 }
        active proctype Q() { (g == 1 && P:x == 1) -> h = 1; (P:x == 2) -> h = 2 }""",
        lambda patch: patch.setattr(Facts, "private", lambda facts, variable: variable.owner is not None),
    ),
    "a label that another process asks for": (
        """byte g, h
        active proctype P() { byte x; g = 1; x = 1; cs: g = x + 1 }
        active proctype Q() { (g == 1 && !P@cs) -> h = 1 }""",
        ignoring_locations,
    ),
    "a location marked as progress": (
        """byte g
        active proctype P() { byte x; g = 1; x = 1; progress: g == 0 -> g = x }
        active proctype Q() { do :: g == 1 od }""",
        ignoring_locations,
    ),
    "a value that another process changes": (
        """byte g, h
        active proctype P() { byte x; h = 1; x = g; h = x + 5 }
        active proctype Q() { h == 1 -> g = 1 }""",
        ignoring_reads,
    ),
    "a choice that is one": (
        "byte g; active proctype P() { byte x; g = 1; if :: x < 2 -> x = 3 :: x == 0 -> x = 4 fi; g = x }",
        careless(draft, "exactly_one", True),
    ),
    "a process that may be stopped": (
        """bit stop; byte g
        active proctype P() provided (!stop) { byte x; g = 1; x = 1; end: g = x + 1 }
        active proctype Q() { g == 1 -> stop = 1 }""",
        ignoring_provided,
    ),
    "a deterministic step while control is held": (
        """bit f; byte g, h
        active proctype P() { byte x; atomic { d_step { g = 1; if :: f -> h = 1 :: else -> h = 2 fi }; x = 1 }; g = x + 2 }
        active proctype Q() { g == 1 -> h = 7 }""",
        careless(draft.Draft, "holds_into", frozenset()),
    ),
    "a delay while control is held": (
        """bit f; byte g, h
        active proctype P() { byte x; atomic { d_step { g = 1; if :: f -> h = 1 :: else -> h = 2 fi }; x = 1 }; g = x + 2 }
        active proctype Q() { g == 1 -> h = 7 }""",
        ignoring_earlier_control,
    ),
    "a process of higher priority": (
        "byte g, h; init { atomic { run Q() priority 9; g = 1; h = g } } proctype Q() { g == 0 -> h = 5 }",
        ignoring_priority,
    ),
    "a sender that loses control": (
        """chan c = [0] of { byte }; byte g, h
        active proctype P() { atomic { c!1; g = 1; h = 1 } }
        active proctype Q() { c?_; g == 0 -> h = 7 }""",
        careless(draft.Draft, "may_hand_over", False),
    ),
    "a sender with a choice": (
        """chan c = [0] of { byte }; byte g
        active proctype P() { byte x; do :: c!1; if :: x == 0 -> x = 1 :: else -> x = 0 fi; g = x od }
        active proctype Q() { do :: c?_ od }""",
        careless(draft.Draft, "may_hand_over", False),
    ),
    "a deterministic step that is more than its beginning": (
        """byte g, h
        active proctype P() { byte x; g = 1; d_step { x = 1; if :: g == 1 -> h = x :: else -> h = 2 fi } }
        active proctype Q() { g = 5 }""",
        careless(draft.Draft, "is_quiet", True),
    ),
    "a report before a fault": (
        "active proctype P() { byte a[2]; byte i = 2; atomic { assert(i == 0); a[i] = 1; i = a[0] } }",
        None,
    ),
    "a process that runs in circles": (
        "byte g; active proctype P() { byte x; g = 1; do :: x = 1 - x; if :: x == 0 -> skip :: else -> x = x fi od }",
        None,
    ),
    "a field that is the index of the next one": (
        """chan c = [1] of { byte, byte }; byte g
        active proctype P() { byte i, a[2]; c!1,5; c?i,a[i & 1]; g = a[1] }""",
        None,
    ),
    "a variable that only an escape reads": (
        "byte g, h; active proctype P() { byte x; { x = 3; g = 1; x = 4; g = 2 } unless { h == 1 -> g = x } } init { h = 1 }",
        None,
    ),
    "a variable that only a provided clause reads": (
        "byte g; active proctype P() provided (x < 2) { byte x; g = 1; x = 2; g = 2 }", None,
    ),
    "a timeout": (
        "byte g; active proctype P() { byte x; g = 1; x = 1; g == 0 } active proctype Q() { timeout -> g = 7 }", None,
    ),
    "a trace": (
        """chan c = [1] of { byte }; byte g
        active proctype P() { byte x; c!1; x = 1; c?x; x = 0; c!2 }
        trace { c!1; c?_; c!3 }""",
        None,
    ),
    "a print that may fault": ("active proctype P() { byte a[2], i = 3; printf(\"%d\", a[i]) }", None),
}  # fmt: skip


@pytest.mark.parametrize("name", TRAPS)
def test_traps(name: str) -> None:
    model = coset.parse_text(TRAPS[name][0])
    for pass_ in (*PASSES, LAST):
        changed = run_pass(pass_, model, model.variables)
        assert differences(model, changed, pass_.needs is Needs.NO_NEXT) == [], pass_.name
    assert differences(model, merged(model, visible=model.variables)) == []


@pytest.mark.parametrize("name", [name for name, (_, mutation) in TRAPS.items() if mutation])
def test_each_condition_is_needed_and_the_twin_sees_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, mutation = TRAPS[name]
    model = coset.parse_text(text)
    assert mutation is not None
    mutation(monkeypatch)
    assert differences(model, merged(model, visible=model.variables))


def test_nothing_is_joined_where_steps_can_be_told_apart() -> None:
    text = "byte g; active proctype P() { byte x; g = 1; x = 1; g = x }\nnever { do :: _last == 0 od }"
    model = coset.parse_text(text)
    facts = gather(model)
    assert facts.steps_matter
    assert merge.merge_steps(model, facts) is model and transient_choices.make_choices_transient(model, facts) is model


def test_what_the_caller_wants_to_see_stays() -> None:
    model = coset.parse_text("byte g; active proctype P() { byte x; g = 1; x = 1; g = 2; x = 2; g = 3 }")
    (kind,) = model.kinds

    def shape(changed: m.Model) -> tuple[int, int, int]:
        return len(changed.variables), len(changed.kinds[0].variables), len(changed.kinds[0].locations)

    assert shape(model) == (1, 1, 6)
    assert shape(merged(model)) == (0, 0, 1), "nobody reads anything"
    assert shape(merged(model, visible=model.variables)) == (1, 0, 4)
    assert shape(merged(model, visible=(*model.variables, *kind.variables))) == (1, 1, 6)
    assert shape(merged(model, model.variables, keep_locations=[("P", 1)])) == (1, 0, 5)


def test_marks_can_be_left_out() -> None:
    model = coset.parse_text("byte g; active proctype P() { byte x; g = 1; accept: x = 1; g = x }")
    assert len(merged(model, marks=False).kinds[0].locations) < len(merged(model).kinds[0].locations)


def test_visible_things_are_found() -> None:
    model = coset.parse_text(
        """byte g, h; active proctype P() { byte x, y; x = y; cs: g = x; h = g }
        ltl p { [] (g == 0 || P:x == 1 || P@cs) }"""
    )
    assert {v.name for v in visible_variables(model)} == {"g", "x"}
    assert len(visible_locations(model)) == 1
    assert list(property_expressions(model))
