"""Symmetry in the symbolic engine: representatives against orbits that are computed state by state, and the same verdicts
with and without."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import coset
from coset.engines.settings import Settings
from coset.engines.symbolic.diagrams import Diagram
from coset.engines.symbolic.encoding import Encoding
from coset.engines.symbolic.engine import Refused, SymbolicEngine, explore
from coset.engines.symbolic.fixpoints import reachable
from coset.engines.symbolic.folding import Folding
from coset.engines.symbolic.orbit_relation import OrbitRelation, TooLarge
from coset.engines.symbolic.orbits import Orbits, moves_for_all
from coset.engines.symbolic.permuting import Permuting, Unclosed, unfolded
from coset.engines.symbolic.quotient import Quotient
from coset.engines.symbolic.relation import Relation, merged, repeated
from coset.engines.symbolic.representatives import Chosen, NotRepresentatives, Staged
from coset.engines.symbolic.runs import ConcurrentSpace
from coset.engines.symbolic.space import Space, space
from coset.engines.symbolic.staging import Acting, acting, column_order, stages
from coset.engines.symbolic.steps import symbolic_steps
from coset.languages.sequential.parse import parse_text
from coset.model.domain import Domain
from coset.model.model import CtlProperty, Model, Variable
from coset.model.sequential import SequentialModel
from coset.model.sequential.homes import flattened
from coset.properties.kinds import BUILTIN
from coset.results.trace import replay
from coset.source.budget import Limits
from coset.symmetry.certify import sample
from coset.symmetry.elements import ElementAction, on_elements
from coset.symmetry.methods.constraints.carried import detect_literals
from coset.symmetry.methods.constraints.form import Form, sequential_form
from coset.symmetry.methods.hypergraph import detect_hypergraph
from coset.symmetry.methods.program.detect import detect
from coset.symmetry.symmetry import Symmetry
from tests.support import ids_random, symmetric_random
from tests.support.ctl_random import formula, load
from tests.support.paths import MODELS
from tests.support.random_formulas import conditions
from tests.support.sequential_random import random_model
from tests.support.symbolic_cases import encoded

SMALL = ("email_small.pml", "peterson.pml", "philosophers.pml", "producer_consumer.pml", "readers_writers.pml",
         "three_tiered_connect.pml", "two_phase_commit.pml")  # fmt: skip
WAYS = ("sort", "local", "order")
SEED = 7


def arbiter(*sets: int) -> str:
    """The bus arbiter of `cases.md`, for sets of modules of equal priority, the last set the highest."""
    count = sum(sets)
    priority = [k for k, size in enumerate(sets) for _ in range(size)]

    def some(text: str, among: Iterator[int] | range = range(count)) -> str:
        return "(" + (" || ".join(text.format(i) for i in among) or "false") + ")"

    def lines(*wanted: int) -> str:
        names = [some(f"{name}[{{}}]") for name in ("ap", "aq", "ar")]
        return " && ".join(name if value else f"!{name}" for name, value in zip(names, wanted, strict=True))

    text = f"byte st[{count}]; bool ap[{count}]; bool aq[{count}]; bool ar[{count}] = 1;\n"
    for k, size in enumerate(sets):
        higher = some("st[{}] == 1", (i for i in range(count) if priority[i] > k))
        lower = some("st[{}] == 3", (i for i in range(count) if priority[i] < k))
        elect, master = some("st[{}] == 3"), some("st[{}] == 4")
        rules = [
            (f"{lines(0, 0, 1)} && S == 0", "S = 1; P = 1"),
            (f"{lines(1, 0, 1)} && !P", "P = 1"),
            (f"{lines(1, 0, 1)} && !P && S == 0", "S = 1; P = 1"),
            (f"{lines(1, 0, 1)} && P && R", "R = 0"),
            (f"{lines(1, 0, 0)} && S == 1 && {higher}", "S = 2"),
            (f"{lines(1, 0, 0)} && S == 1 && !{higher} && !{elect}", "S = 3; Q = 1"),
            (f"{lines(1, 1, 0)} && !Q && S == 1", "Q = 1; S = 2"),
            (f"{lines(1, 1, 0)} && !Q && S != 1", "Q = 1"),
            (f"{lines(1, 1, 0)} && Q && P", "P = 0"),
            (f"{lines(1, 1, 0)} && Q && P && (S == 0 || S == 2) && {lower}", "S = 1; R = 1"),
            (f"{lines(1, 1, 1)} && Q && (S == 3 || S == 2)", "Q = 0; P = 1; R = 1; S = 1"),
            (f"{lines(1, 1, 1)} && Q && S != 3 && S != 2", "Q = 0; P = 1; R = 1"),
            (f"{lines(0, 1, 0)} && S == 4", "S = 0; R = 1"),
            (f"{lines(0, 1, 0)} && S == 3 && !{master}", "R = 1"),
            (f"{lines(0, 1, 1)} && !R", "R = 1"),
            (f"{lines(0, 1, 1)} && R && Q && S == 3", "Q = 0; S = 4"),
            (f"{lines(0, 1, 1)} && R && Q && S == 2", "Q = 0; S = 0"),
            (f"{lines(0, 1, 1)} && R && Q && S != 3 && S != 2", "Q = 0"),
        ]
        body = "\n".join(f":: d_step {{ {guard} -> {effect} }}" for guard, effect in rules)
        for short, name in (("S", "st"), ("P", "ap"), ("Q", "aq"), ("R", "ar")):
            body = re.sub(rf"\b{short}\b", f"{name}[_pid]", body)
        text += f"active [{size}] proctype set{k}() {{ end: do\n{body}\nod }}\n"
    return text


def form_of(model: Model) -> Form:
    form = sequential_form(model)
    assert isinstance(form, Form)
    return form


def prepared(model: Model) -> tuple[SequentialModel, Acting]:
    flat = form_of(model).flat
    return flat, acting(flat, detect(model, (), moves=0))


def whole_of(model: Model) -> Space:
    return ConcurrentSpace(model).space


# --- what symmetries do with elements ----------------------------------------------------------------


@pytest.mark.parametrize("name", SMALL)
def test_the_action_on_elements_is_that_on_states(name: str) -> None:
    model = coset.load(MODELS / name)
    form, symmetry = form_of(model), detect(model, (), moves=0)
    compared = 0
    for state, holder in sample(form.interpreter, form.started.states):
        for action in symmetry.actions if holder is None else ():
            on = on_elements(form.flat, form.started.state, action)
            row = flattened(form.flat, state)
            assert on(row) == flattened(form.flat, action(state))
            assert on.inverse()(on(row)) == row
            compared += 1
    assert compared > 10


PLAIN = parse_text("process p(0..2 x, 0..2 y, 0..4 z, 0..4 u) = [x < y] up { x = y; } init p(0, 0, 0, 0);")
VALUES = [(0, 1, 2), (0, 1, 2), (0, 1, 2, 3, 4), (0, 1, 2, 3, 4)]
ACTIONS = {
    "swap": ElementAction((1, 0, 2, 3), ({}, {}, {}, {})),
    "swap with values": ElementAction((1, 0, 3, 2), ({0: 1, 1: 0}, {0: 1, 1: 0}, {}, {})),
    "values": ElementAction((0, 1, 2, 3), ({0: 2, 2: 1, 1: 0}, {}, {}, {4: 0, 0: 4})),
}


def everything() -> Iterator[tuple[int, ...]]:
    return product(*VALUES)


@pytest.mark.parametrize("name", ACTIONS)
def test_images_of_sets(name: str) -> None:
    """Also of elements whose values are not all that their bits can say."""
    encoding, action, rng = Encoding(PLAIN, VALUES, [0, 1, 2, 3]), ACTIONS[name], random.Random(SEED)
    permuting = Permuting(encoding, action)
    for size in (1, 5, 60):
        rows = rng.sample(list(everything()), size)
        image = permuting(encoding.diagrams.union(map(encoding.states, rows)))
        assert encoding.count(image) == size and all(encoding.contains(image, action(row)) for row in rows)


def test_values_that_an_encoding_does_not_know() -> None:
    encoding = Encoding(PLAIN, [(0, 1), (0, 1, 2), *VALUES[2:]], [0, 1, 2, 3])
    with pytest.raises(Unclosed) as error:
        Permuting(encoding, ACTIONS["swap"])
    assert error.value.found == [(0, 2)]


# --- representatives ---------------------------------------------------------------------------------


def orbit(row: tuple[int, ...], generators: list[ElementAction]) -> set[tuple[int, ...]]:
    found, todo = {row}, [row]
    for each in todo:
        for action in generators:
            if (image := action(each)) not in found:
                found.add(image)
                todo.append(image)
    return found


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("depth", [1, None], ids=["local", "sort"])
def test_representatives_are_in_the_orbit(name: str, depth: int | None) -> None:
    model = coset.load(MODELS / name)
    _, group = prepared(model)
    whole = whole_of(model)
    encoding = whole.encoding
    found = Staged(list(stages(encoding, group, depth)))
    assert found.stages
    rng, states = random.Random(SEED), whole.states
    rest = states
    for _ in range(15):
        row = tuple(encoding.some(rest))
        members = orbit(row, group.generators)
        if len(members) > 1000:
            continue
        for member in rng.sample(sorted(members), min(4, len(members))):
            image = found.of(encoding.states(member))
            assert encoding.count(image) == 1 and tuple(encoding.some(image)) in members
            assert encoding.contains(found.back(image), member)
        rest = rest & ~encoding.diagrams.union(map(encoding.states, members))
        if not rest.satisfiable():
            break


def test_the_orbit_relation() -> None:
    model = coset.load(MODELS / "dekker.pml")
    _, group = prepared(model)
    whole = whole_of(model)
    encoding = whole.encoding
    relation = OrbitRelation(encoding, group.generators)
    rest, orbits = whole.states, 0
    while rest.satisfiable():
        members = orbit(tuple(encoding.some(rest)), group.generators)
        together = encoding.diagrams.union(map(encoding.states, members))
        least = relation.of(together)
        assert encoding.count(least) == 1 and all(relation.of(encoding.states(each)) == least for each in members)
        assert relation.back(least) == together
        rest, orbits = rest & ~together, orbits + 1
    assert encoding.count(whole.states & relation.least) == orbits > 10
    with pytest.raises(TooLarge, match="more than 3 nodes"):
        OrbitRelation(encoding, group.generators, most=3)


# --- spaces ------------------------------------------------------------------------------------------


def compare(model: Model, way: str) -> tuple[Space, Space] | None:
    """What representatives stand for is what can be reached."""
    symmetry = detect(model, (), moves=0)
    if symmetry.order == 1:
        return None
    whole, folded = whole_of(model), ConcurrentSpace(model, symmetry=symmetry, way=way).space
    if folded.folded is None:
        assert way == "order" and folded.size == whole.size
    else:
        full = folded.folded.unfolded(folded.states)
        assert folded.encoding.count(full) == whole.size >= folded.size
        again = whole.states
        for _ in range(5):
            assert folded.encoding.contains(full, whole.encoding.some(again))
            again = again & ~whole.encoding.states(whole.encoding.some(again))
            if not again.satisfiable():
                break
    return whole, folded


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("way", WAYS)
def test_spaces_of_models(name: str, way: str) -> None:
    assert compare(coset.load(MODELS / name), way) is not None


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 120), marks=pytest.mark.long)], ids=["few", "many"])
def test_spaces_of_random_models(seeds: range) -> None:
    compared = 0
    for seed in seeds:
        for generate in (ids_random.generate, symmetric_random.generate):
            model = replace(coset.parse_text(generate(seed)), properties=())
            try:
                expected = explore(model, Limits(seconds=20))
                if not expected.complete or expected.states > 20_000:
                    continue
            except Refused:
                continue
            compared += compare(model, WAYS[seed % 2]) is not None
    assert compared > 1


ARBITERS = [((3,), 873, 170), ((4,), 7433, 464), ((2, 2), 8056, 2269)]


@pytest.mark.parametrize("way", ["sort", "orbits"])
@pytest.mark.parametrize(("sets", "states", "orbits"), ARBITERS)
def test_the_arbiter(sets: tuple[int, ...], states: int, orbits: int, way: str) -> None:
    found = compare(coset.parse_text(arbiter(*sets)), way)
    assert found is not None and (found[0].size, found[1].size) == (states, orbits)
    assert found[1].folded is not None


@pytest.mark.long
@pytest.mark.parametrize(("sets", "states", "orbits"), [((8,), 24_219_473, 6643), ((4, 4), 38_013_488, 172_669)])
def test_larger_arbiters(sets: tuple[int, ...], states: int, orbits: int) -> None:
    flat, group = prepared(coset.parse_text(arbiter(*sets)))
    found = space(flat, folding=Folding(group))
    assert found.folded is not None
    assert (found.size, found.encoding.count(found.folded.unfolded(found.states))) == (orbits, states)


# --- one process moves for all -----------------------------------------------------------------------

EXCHANGED = ("readers_writers.pml", "two_phase_commit.pml", "peterson.pml", "producer_consumer.pml",
             pytest.param("email_small.pml", marks=pytest.mark.long))  # fmt: skip


def moved_for(model: Model) -> ConcurrentSpace | None:
    symmetry = detect(model, (), moves=0)
    return ConcurrentSpace(model, symmetry=symmetry, way="orbits") if moves_for_all(symmetry) else None


def compare_orbits(model: Model) -> bool:
    """The same states, transitions, errors and orbits as state by state, with and without symmetry."""
    symmetry = detect(model, (), moves=0)
    if not moves_for_all(symmetry):
        return False
    engine = SymbolicEngine(model, Limits(), symmetry=symmetry, way="orbits")
    found, folded = engine.exploration, engine.found.space.folded
    whole = coset.explore(model, engine="reference", symmetry="off")
    quotient = coset.explore(model, engine="reference", symmetry="program")
    assert found.represents == whole.states
    assert isinstance(folded, Orbits)
    if folded.is_exact and quotient.represents is not None:
        assert (found.states, found.transitions) == (quotient.states, quotient.transitions)
        assert found.errors.invalid_end_states == quotient.errors.invalid_end_states
    assert quotient.states <= found.states <= whole.states
    assert bool(found.errors.assertions) == bool(whole.errors.assertions)
    assert bool(found.errors.faults) == bool(whole.errors.faults)
    return True


@pytest.mark.parametrize("name", EXCHANGED)
def test_one_process_moves_for_all(name: str) -> None:
    assert compare_orbits(coset.load(MODELS / name))


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 200), marks=pytest.mark.long)], ids=["few", "many"])
def test_one_process_moves_for_all_in_random_models(seeds: range) -> None:
    compared = 0
    for seed in seeds:
        for generate in (ids_random.generate, symmetric_random.generate):
            model = replace(coset.parse_text(generate(seed)), properties=())
            if coset.explore(model, engine="reference", symmetry="off", max_states=1000).complete:
                try:
                    compared += compare_orbits(model)
                except Refused:
                    continue
    assert compared > 2


@pytest.mark.parametrize("name", ["readers_writers.pml", "two_phase_commit.pml"])
def test_levels_are_those_without_symmetry(name: str) -> None:
    """Forwards from the start and backwards from the last states, step by step."""
    model = coset.load(MODELS / name)
    found, whole = moved_for(model), ConcurrentSpace(model)
    assert found is not None

    def levels(space: Space, start: Diagram) -> Iterator[tuple[int, int]]:
        seen = ring = start
        while ring.satisfiable():
            yield space.encoding.count(ring), space.encoding.count(space.relation.preceding(ring) & space.states)
            ring = space.relation.following(ring) & ~seen
            seen = seen | ring

    starts = [space.space.diagrams.union(space.begins or [space.set_of(space.initial)]) for space in (found, whole)]
    assert list(levels(found.space, starts[0])) == list(levels(whole.space, starts[1]))


def test_steps_as_one_part_and_repeated() -> None:
    """Against the parts one by one, again and again."""
    closures = 0
    for seed in range(12):
        model = parse_text(random_model(random.Random(seed)))
        spare = [Variable(f"spare_{k}", Domain("spare", 0, 63)) for k in range(8)]
        wider = replace(model, variables=(*model.variables, *spare))
        values = encoded(model).values
        encoding = Encoding(wider, [*values, *[tuple(range(64))] * 8], range(len(wider.elements)))
        steps = symbolic_steps(encoding).taken
        relation, part = Relation(encoding, steps), merged(encoding, steps)
        run = repeated(encoding, part)
        closures += run is not part
        for row in random.Random(seed).sample(list(product(*values)), 10):
            start = encoding.states((*row, *[0] * 8))
            once = relation.following(start)
            assert relation.image(part, start) == once
            assert relation.preimage(part, start) == relation.preceding(start)
            assert relation.image(run, start) == (once if run is part else reachable(relation, once))
    assert closures > 3


@pytest.mark.parametrize(
    ("m", "sets", "states", "orbits"),
    [(10, 1, 1_234_653_317, 16_732), (12, 1, 60_347_071_865, 36_362), (4, 2, 38_013_488, 172_669)],
)
def test_arbiters_that_are_too_large_to_be_visited(m: int, sets: int, states: int, orbits: int) -> None:
    model = coset.load(MODELS / "arbiter.spl", {"m": str(m), "sets": str(sets)})
    found = coset.explore(model, engine="symbolic", symmetry="program")
    assert (found.states, found.represents, found.symmetry.representative) == (orbits, states, "orbits")


def test_where_one_process_moves_for_all() -> None:
    """Where processes can be exchanged at will; not where they stand in a ring, or where something refers to them."""
    ways = {
        "arbiter.spl": "orbits",
        "readers_writers.pml": "orbits",
        "philosophers.pml": "sort",
        "peterson.pml": "sort",
    }
    for name, way in ways.items():
        model = coset.load(MODELS / name)
        used = coset.explore(model, engine="symbolic", symmetry="program").symmetry
        assert used.representative == way and used.group is not None and used.group.order > 1
        assert coset.explore(model, engine="symbolic").symmetry.representative is None


def test_columns_are_together() -> None:
    flat, group = prepared(coset.parse_text(arbiter(3)))
    order = column_order(group, range(len(flat.elements)))
    assert sorted(order) == list(range(len(flat.elements)))
    owners = [flat.elements[k][1] if flat.elements[k][0].shape else flat.homes[k].owner for k in order]
    moving = [owner for owner, k in zip(owners, order, strict=True) if flat.homes[k].what != "control"]
    assert moving == sorted(moving)


# --- the paper's own representatives -----------------------------------------------------------------


def papers(sets: tuple[int, ...]) -> tuple[SequentialModel, Space, list[ElementAction], list[list[int]]]:
    """The space of an arbiter, the products of transpositions with the first module of each set, and the sets."""
    flat, group = prepared(coset.parse_text(arbiter(*sets)))
    whole = space(flat)
    rows = [[group.swap(family[0], other) for other in family[1:]] for family in group.families]
    identity = ElementAction(tuple(range(len(flat.elements))), ({},) * len(flat.elements))
    choices = [[identity, *row] for row in rows]
    actions = []
    for chosen in product(*choices):
        targets = list(identity.targets)
        for action in chosen:
            targets = [action.targets[target] for target in targets]
        values = tuple({k: v for action in chosen for k, v in action.values[x].items()} for x in range(len(targets)))
        actions.append(ElementAction(tuple(targets), values))
    first = flat.elements.index((next(v for v in flat.variables if v.name == "st"), 0))
    starts = [sum(sets[:k]) for k in range(len(sets))]
    members = [[first + start + i for i in range(size)] for start, size in zip(starts, sets, strict=True)]
    return flat, whole, actions, members


@pytest.mark.parametrize("sets", [(3,), (2, 2)])
def test_if_any_module_is_elect_then_the_first_is(sets: tuple[int, ...]) -> None:
    _, whole, actions, members = papers(sets)
    encoding = whole.encoding
    among = encoding.valid
    for modules in members:
        elect = [encoding.literal(module, 3) for module in modules]
        among = among & (elect[0] | ~encoding.diagrams.union(elect))
    chosen = Chosen(encoding, actions, among)
    quotient = Quotient(whole.relation, chosen)
    start = encoding.diagrams.union(map(encoding.states, encoding.model.starts))
    found = quotient.reachable(chosen.of(start), lambda states: None)
    assert encoding.count(found) < whole.size
    generators = [Permuting(encoding, action) for action in actions]
    assert unfolded(found, generators) == whole.states


def test_representatives_that_hide_violations_are_refused() -> None:
    """That no other module is elect leaves states with two of them without a representative."""
    _, whole, actions, members = papers((3,))
    encoding = whole.encoding
    others = encoding.diagrams.union(encoding.literal(module, 3) for module in members[0][1:])
    with pytest.raises(NotRepresentatives, match="no symmetry takes"):
        Chosen(encoding, actions, encoding.valid & ~others)
    with pytest.raises(NotRepresentatives, match="no identity"):
        Chosen(encoding, actions[1:], encoding.valid)
    rotation = ElementAction((1, 2, 0), ({}, {}, {}))
    three = parse_text("process p(bit x, bit y, bit z) = [x < y] up { x = y; } init p(0, 0, 0);")
    with pytest.raises(NotRepresentatives, match="inverses"):
        Chosen(Encoding(three, [(0, 1)] * 3, [0, 1, 2]), [rotation], whole.diagrams.true)


# --- verdicts ----------------------------------------------------------------------------------------


def verdicts(model: Model, settings: Settings) -> dict[str, str]:
    return {
        each.name: each.verdict.value for each in coset.check(model, engine="symbolic", settings=settings).properties
    }


@pytest.mark.parametrize("name", ["peterson.pml", "philosophers.pml", "readers_writers.pml", "two_phase_commit.pml"])
@pytest.mark.parametrize("representative", ["auto", "sort", "local"])
def test_verdicts_of_models(name: str, representative: str) -> None:
    model = coset.load(MODELS / name)
    plain = verdicts(model, Settings(symmetry="off"))
    for method in ("program", "hypergraph"):
        assert verdicts(model, Settings(symmetry=method, representative=representative)) == plain


@pytest.mark.parametrize(
    "seeds", [range(12), pytest.param(range(12, 200), marks=pytest.mark.long)], ids=["few", "many"]
)
def test_verdicts_on_random_formulas(seeds: range, tmp_path: Path) -> None:
    """Traces are runs of the model: `check` replays them."""
    found, reduced, moved = set(), 0, 0
    for seed in seeds:
        text, chance = (ids_random.generate, symmetric_random.varied)[seed % 2](seed), random.Random(seed)
        bare = replace(coset.parse_text(text), properties=())
        atoms = conditions(bare)
        if not atoms or not coset.explore(bare, engine="reference", symmetry="off", max_states=1500).complete:
            continue
        model = load(text, [formula(chance, atoms, chance.randint(1, 5)) for _ in range(3)], tmp_path)
        model = replace(model, properties=tuple(each for each in model.properties if isinstance(each, CtlProperty)))
        try:
            plain = verdicts(model, Settings(symmetry="off"))
        except Refused:
            continue
        reduced += detect(model).order > 1
        for representative in ("auto", "sort", "local"):
            assert verdicts(model, Settings(symmetry="program", representative=representative)) == plain, seed
        by_orbits = verdicts_by_orbits(model)
        assert by_orbits is None or by_orbits.items() <= plain.items(), seed
        moved += by_orbits is not None
        found |= set(plain.values())
    assert found >= {"holds", "violated"} and reduced and moved


def verdicts_by_orbits(model: Model) -> dict[str, str] | None:
    """Also where it does not pay."""
    symmetry = detect(model)
    if not moves_for_all(symmetry):
        return None
    engine = SymbolicEngine(model, Limits(), symmetry=symmetry, way="orbits")
    found = {name: engine.error(kind.errors[0]) for name, kind in BUILTIN.items()}
    found |= {each.name: engine.decision(each) for each in model.properties}
    for decision in found.values():
        if decision.trace is not None:
            replay(model, decision.trace)
    return {name: {True: "holds", False: "violated", None: "unknown"}[each.holds] for name, each in found.items()}


ELECTED, MASTERED = (" || ".join(f"st[{k}] == {value}" for k in range(3)) for value in (3, 4))
ABOUT_ARBITERS = [
    f"AG EF ({ELECTED})",
    f"AF ({ELECTED})",
    f"AG (({ELECTED}) -> AF ({MASTERED}))",
    f"AG (({ELECTED}) -> EF ({MASTERED}))",
    f"EG !({MASTERED})",
    f"AG !({MASTERED})",
    f"AF (({MASTERED}) && AX ({ELECTED}))",
    f"E [!({MASTERED}) U ({ELECTED})]",
]


def test_formulas_on_the_arbiter(tmp_path: Path) -> None:
    """With runs and lassos as evidence, which `check` replays; the verdicts are those of the reference engine."""
    model = load(arbiter(3), ABOUT_ARBITERS, tmp_path)
    reference = coset.check(model, engine="reference", symmetry="off")
    expected = [each.verdict.value for each in reference.properties if each.kind == "ctl"]
    assert len(expected) == len(ABOUT_ARBITERS) and set(expected) == {"holds", "violated"}
    for settings in (Settings(symmetry="off"), Settings(symmetry="program"), Settings(symmetry="hypergraph")):
        result = coset.check(model, engine="symbolic", settings=settings)
        assert [each.verdict.value for each in result.properties if each.kind == "ctl"] == expected, settings
        assert result.exploration.symmetry.representative == ("orbits" if settings.symmetry != "off" else None)


def test_a_sequential_model_with_symmetries_by_constraints() -> None:
    model = coset.load(MODELS / "philosophers.seq")
    plain = explore(model)
    reduced = explore(model, symmetry=detect_literals(model, (), moves=4000))
    assert reduced.represents == plain.states > reduced.states


def test_hypergraph_symmetries_serve_too() -> None:
    model = coset.load(MODELS / "philosophers.pml")
    found: Symmetry = detect_hypergraph(model, ())
    assert explore(model, symmetry=found).represents == explore(model).states
