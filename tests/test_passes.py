"""Passes for fewer steps: they must not change what a property can tell, and store no more states than SPIN does.

The naive twin is by definition: the graphs of all states of the model and of what a pass makes of it, each state
labelled with all that is visible, must be bisimilar.  Branching bisimulation that respects divergence for passes that
join steps, strong bisimulation for the others; the coarsest one is found by refining a partition by signatures (Blom and
Orzan, Distributed branching bisimulation reduction of state spaces, PDMC 2003).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import coset
from coset.model import expression as e
from coset.model import model as m
from coset.model.checker import check
from coset.model.evaluate import Evaluator, Fault
from coset.model.interpreter import Interpreter, is_fault
from coset.model.passes import (
    LAST,
    PASSES,
    Needs,
    Pass,
    draft,
    merge,
    merged,
    plain,
    settle,
    visible_locations,
    visible_variables,
)
from coset.model.passes.facts import Facts, gather, property_expressions
from coset.model.passes.liveness import liveness
from coset.model.printer import show_kind
from coset.model.state import State, offsets
from coset.properties.formula import Atom
from tests.expectations import MODELS, Expectation, all_expectations
from tests.promela_random import generate
from tests.test_spin_examples import EXAMPLES

# --- the naive twin ------------------------------------------------------------------------------


@dataclass
class Graph:
    """All states by number: what is visible in each, where its steps lead, how it ends if it has none, and all errors."""

    labels: list[Hashable]
    successors: list[set[int]]
    ends: list[str]
    errors: set[tuple[str, str]]

    def __len__(self) -> int:
        return len(self.labels)


def graph(model: m.Model, kept: set[str], limit: int) -> Graph | None:
    """The states of a model, None if there are too many.  `kept` are the names of the global variables to look at."""
    interpreter = Interpreter(model)
    show = observer(interpreter, kept)
    states = [interpreter.initial()]
    numbers = {states[0]: 0}
    result = Graph([], [], [], set())
    for state in states:
        steps = list(interpreter.steps(state))
        after = set()
        for step in steps:
            for move in step.moves[step.shared :]:
                result.errors.update(move.errors)
            if not is_fault(step.moves[-1]):
                if step.state not in numbers:
                    numbers[step.state] = len(states)
                    states.append(step.state)
                after.add(numbers[step.state])
        ended = "valid" if not state.processes or interpreter.valid_end(state) else "invalid"
        result.labels.append(show(state))
        result.successors.append(after)
        result.ends.append("" if steps else ended)
        if len(states) > limit:
            return None
    return result


def observer(interpreter: Interpreter, kept: set[str]) -> Callable[[State], Hashable]:
    """Everything that somebody could look at: globals, channels, who is there, marks, and the atoms of properties."""
    model = interpreter.model
    places = offsets(model.variables)
    cells = [places[v] + k for v in model.variables if v.name in kept for k in range(v.size)]
    atoms = [atom for p in model.properties if isinstance(p, m.Temporal) for atom in p.formula.atoms()]
    functions = [interpreter.evaluation.expression(x) for x in (e.Accepting(), e.NonProgress(), *atoms)]

    def value(function: Evaluator, state: State) -> int:
        now = interpreter.moment(state, 0)
        now.own = ()
        try:
            return int(function(now))
        except Fault:
            return -1

    def show(state: State) -> Hashable:
        values = tuple(state.values[cell] for cell in cells)
        who = tuple(model.kinds[process.kind].name for process in state.processes)
        told = tuple(value(function, state) for function in functions)
        return values, tuple(c.messages for c in state.channels), who, state.watch, told

    return show


def bisimilar(one: Graph, other: Graph, stuttering: bool) -> bool:
    """Whether the first states of two graphs are bisimilar; with `stuttering`, steps that show nothing do not count."""
    shift = len(one)
    successors = one.successors + [{number + shift for number in after} for after in other.successors]
    ends = one.ends + other.ends
    block = numbered(one.labels + other.labels)
    while True:
        signatures = weak_signatures if stuttering else strong_signatures
        finer = numbered(list(zip(block, signatures(block, successors, ends), strict=True)))
        if max(finer) == max(block):
            return finer[0] == finer[shift]
        block = finer


def numbered(things: Sequence[Hashable]) -> list[int]:
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(thing, len(numbers)) for thing in things]


def strong_signatures(block: list[int], successors: list[set[int]], ends: list[str]) -> list[Hashable]:
    return [(end, frozenset(block[t] for t in after)) for end, after in zip(ends, successors, strict=True)]


def weak_signatures(block: list[int], successors: list[set[int]], ends: list[str]) -> list[Hashable]:
    """What can be reached in one step after any number of steps inside of the block; staying inside for ever counts."""
    inert = [[t for t in after if block[t] == block[s]] for s, after in enumerate(successors)]
    component, order = components(inert)
    found: list[frozenset[object]] = [frozenset()] * len(order)
    for number, members in enumerate(order):
        reached: set[object] = set()
        for s in members:
            reached |= {ends[s]} - {""}
            for t in successors[s]:
                if block[t] != block[s]:
                    reached.add(block[t])
                elif component[t] == number:
                    reached.add("for ever")
                else:
                    reached |= found[component[t]]
        found[number] = frozenset(reached)
    return [found[component[s]] for s in range(len(block))]


def components(successors: list[list[int]]) -> tuple[list[int], list[list[int]]]:
    """Strongly connected components, those that can be reached from another one before it (Tarjan 1972)."""
    count = len(successors)
    index, low, component = [-1] * count, [0] * count, [-1] * count
    open_: list[int] = []
    order: list[list[int]] = []
    clock = 0
    for root in range(count):
        work: list[tuple[int, Iterator[int]]] = []
        enter = [root] if index[root] < 0 else []
        while enter or work:
            if enter:
                node = enter.pop()
                index[node] = low[node] = clock
                clock += 1
                open_.append(node)
                work.append((node, iter(successors[node])))
            node, rest = work[-1]
            for following in rest:
                if index[following] < 0:
                    enter.append(following)
                    break
                if component[following] < 0:
                    low[node] = min(low[node], index[following])
            if enter:
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                members = open_[open_.index(node) :]
                del open_[-len(members) :]
                for member in members:
                    component[member] = len(order)
                order.append(members)
    return component, order


def differences(model: m.Model, changed: m.Model, stuttering: bool = True, limit: int = 3000) -> list[str] | None:
    """What is wrong with a changed model, None if the model is too large to tell."""
    if problems := check(changed):
        return problems
    kept = {variable.name for variable in changed.variables}
    before = graph(model, kept, limit)
    if before is None:
        return None
    after = graph(changed, kept, limit)
    if after is None or len(after) > len(before):
        return ["there are more states"]
    found = [] if bisimilar(before, after, stuttering) else ["not bisimilar"]
    return found + ([f"errors: {before.errors} became {after.errors}"] if before.errors != after.errors else [])


def run_pass(pass_: Pass, model: m.Model, visible: Collection[m.Variable] = ()) -> m.Model:
    return pass_.run(model, gather(model, {*visible_variables(model), *visible}))


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


# --- shipped models and SPIN's examples ----------------------------------------------------------

MEASURED = """
Book_1991/p101.pml                     4       4       4  end
Book_1991/p102.pml                    19      19      19
Book_1991/p104.1.pml                   2       2       2  end
Book_1991/p104.2.pml                1594    1594     803
Book_1991/p105.1.pml                  33      33      33  end
Book_1991/p105.2.pml                  94      94      86
Book_1991/p107.pml                     3       3       3  end
Book_1991/p116.pml                    29      29      29  assertion end
Book_1991/p117.pml                   354     354     134  end
Book_1991/p123.pml                   132      24      23
Book_1991/p248.pml                   219     219     206
Book_1991/p312.pml                   160     171      81  assertion
Book_1991/p319.pml                  2066    2066    1448  end
Book_1991/p320.pml                    81      81      81
Book_1991/p329.pml                 90840   71099   49756
Book_1991/p330.pml                 90840   71099   49756
Book_1991/p337.pftp.ses.pml       287366   73330   30924
Book_1991/p347.pftp.ses5.pml      258051   78737   45109
Book_1991/p94.pml                     11      11      11
Book_1991/p95.1.pml                    3       3       2
Book_1991/p95.2.pml                    6       5       5
Book_1991/p96.1.pml                   20      20      20  end
Book_1991/p96.2.pml                   48      48      48
Book_1991/p97.1.pml                    9       9       9  end
Book_1991/p97.2.pml                   41      41      11
Book_1991/p99.pml                     11      11      10
Exercises/ex_1a.pml                  256     256       1
Exercises/ex_1f.pml                    7       7       7  end
Exercises/ex_2.pml                     2       2       2
Exercises/ex_3a.pml                   48      48      31
Exercises/ex_3b.pml                   43      43      34
Exercises/ex_3c.pml                  429     429     429  assertion
Exercises/ex_4.pml                    26      26      26  end
Exercises/ex_5.pml                   137     137     137
LTL/bakery.pml                      6196    6196    6196
LTL/diskhead.pml                     217     217     101
LTL/ltl_always_eventually.pml          3       3       2
LTL/ltl_example.pml                    3       3       2
LTL/mobile1.pml                    32668   30652    3064
LTL/mobile2.pml                    10865   10865    1081
LTL/salesman1.pml                   2015    2015    1952  end
LTL/salesman2.pml                    798     798     755  end
LTL/train.pml                      57482   57482   15152
LTL/zune.pml                         743     529     401
abp.pml                               12      12      10
calculator.pml                       572     568     245
eratosthenes.pml                   47669   25295    7260
for_example.pml                       32      24      19
for_select_example.pml               410     180      95  assertion
hajek.pml                         116087   45857    4871  assertion
hello.pml                              3       3       2
leader0.pml                        41692   15779     882
leader_trace.pml                   41692   15779     882
loops.pml                             17      15       4
manna_pnueli.pml                     117     117     117
pathfinder.pml                        12      12      12  end
peterson.pml                          55      55      55
priorities.pml                         ?       3       2
rtos1.pml                             12      11       9
sat.pml                               24      16       9  assertion
snoopy.pml                         91920   61619   50119  end
sort.pml                          659683  107713   44738
test_mtype.pml                        21       9       3  assertion end
welfare.pml                           53      53      33
werkplaats.pml                      1600    1600    1065  end
models/alternating_bit.pml            90      90      90
models/bakery.pml                   5865    5126    1111
models/barrier.pml                   860     496     252
models/cache_coherence.pml          2047    2047    2047
models/dekker.pml                    167     167     133
models/dynamic_workers.pml         18715   18715   10910
models/email_featured.pml          23256   23256   23256
models/email_small.pml              6491    6491    5131
models/email_symmetric_small.pml   28811    7691    6401
models/futex_mutex.pml             19639   17892     833
models/hypercube.pml                 962     962     906
models/leader_election.pml           428     428     428
models/load_balancer.pml           44363   44363   44363
models/mutex_ticket.pml             1284    1284    1284
models/peterson.pml                 3521    2068    1003
models/philosophers.pml             1297    1297     728  end
models/philosophers_fixed.pml       2040    2040    2040
models/producer_consumer.pml         540     540     540
models/raft_election.pml            1764    1764    1764
models/readers_writers.pml           829     829     685
models/resource_allocator.pml       6401    6401    6401
models/three_tiered.pml             3421    3421     554
models/token_ring.pml              21505   21505   21505
models/two_phase_commit.pml         1055    1001     557
"""
"""States: plain, as SPIN stores them by default without partial order reduction, and with `merged`; and what is wrong with
the model.  SPIN's figures are those of 6.5.2 with `spin -a`, `-DSAFETY -DNOREDUCE -DNOCLAIM`, `pan -c0`; `?` is too many.
All models within 110,000 states of SPIN's default are here."""


@dataclass(frozen=True)
class Measured:
    """One line of the table."""

    name: str
    plain: int | None
    spin: int
    ours: int
    wrong: frozenset[str]

    def __str__(self) -> str:
        return self.name

    @property
    def path(self) -> Path:
        return MODELS.parent / self.name if self.name.startswith("models/") else EXAMPLES / self.name


def measured() -> list[Measured]:
    rows = [line.split() for line in MEASURED.strip().splitlines()]
    return [Measured(r[0], None if r[1] == "?" else int(r[1]), int(r[2]), int(r[3]), frozenset(r[4:])) for r in rows]


@pytest.mark.parametrize("row", measured(), ids=str)
def test_no_more_states_than_spin_and_the_same_verdict(row: Measured) -> None:
    assert row.ours <= row.spin
    smaller = merged(coset.load(row.path))
    assert check(smaller) == []
    result = coset.explore(smaller)
    wrong = {"assertion"} if result.errors.assertions else set()
    wrong |= {"end"} if result.errors.invalid_end_states else set()
    assert result.complete and not result.errors.faults and not result.errors.trace
    assert result.states == row.ours and wrong == row.wrong


@pytest.mark.parametrize("row", [r for r in measured() if r.plain is not None and r.plain <= 2100], ids=str)
def test_bisimilar(row: Measured) -> None:
    model = coset.load(row.path)
    assert differences(model, merged(model)) == []


def test_every_shipped_model_was_measured() -> None:
    expected = {f"models/{x.path.name}" for x in all_expectations() if not x.defines}
    assert expected <= {row.name for row in measured()}


@pytest.mark.parametrize("expected", [x for x in all_expectations() if x.defines], ids=str)
def test_other_configurations(expected: Expectation) -> None:
    """The counts of the plain model are in its head comment; only the merged one is explored."""
    result = coset.explore(merged(coset.load(expected.path, dict(expected.defines))))
    counts = dict(expected.counts)
    assert result.complete and result.states <= counts["states"]
    assert bool(result.errors.assertions) == bool(counts["assertions"])
    assert bool(result.errors.invalid_end_states) == bool(counts["invalid_end_states"])


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.pml")), ids=lambda path: path.name)
def test_shipped_models_are_well_formed(path: Path) -> None:
    model = coset.load(path)
    for pass_ in (*PASSES, LAST):
        model = run_pass(pass_, model)
        assert check(model) == [], pass_.name


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
        careless(draft.Draft, "same_region", True),
    ),
    "a location marked as progress": (
        """byte g
        active proctype P() { byte x; g = 1; x = 1; progress: g == 0 -> g = x }
        active proctype Q() { do :: g == 1 od }""",
        careless(draft.Draft, "same_region", True),
    ),
    "a value that another process changes": (
        """byte g, h
        active proctype P() { byte x; h = 1; x = g; h = x + 5 }
        active proctype Q() { h == 1 -> g = 1 }""",
        careless(Facts, "local", True),
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
        careless(draft.Draft, "may_fault", False),
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
    assert merge.merge_steps(model, facts) is model and settle.settle_choices(model, facts) is model


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


# --- golden cases --------------------------------------------------------------------------------

GOLDEN = """
=== unused: a counter that only counts
byte n; chan c = [1] of { byte, byte }; active proctype P() { byte x, y; do :: c?x,y; n = n + 1; printf("%d", n); c!x,1 od }
---
process P() {
    byte x;
    0
        -> 1
    1
        -> 2
    2
        -> 3  do c ! x, 1
    3 [start]
        -> 0  do c ? x, _
}
=== unused: an argument
active proctype P() { byte i; run Q(i, i + 1) } proctype Q(byte a; byte b) { b = a; assert(a < 9) }
---
process P() {
    byte i;
    0 [start]
        -> 1  do run Q(i)
    1 [end]
        -> gone  when youngest  do exit
}
process Q(byte a) {
    0 [start]
        -> 1
    1
        -> 2  do assert(a < 9)
    2 [end]
        -> gone  when youngest  do exit
}
=== unused: what may fault stays
active proctype P() { byte a[3], i; a[i] = 1; i = i + 1 }
---
process P() {
    byte a[3];
    byte i;
    0 [start]
        -> 1  do a[i] = 1
    1
        -> 2  do i = i + 1
    2 [end]
        -> gone  when youngest  do exit
}
=== merge: private
byte g; active proctype P() { byte x, y; do :: g == 0; x = 1; y = x; g = y od }
---
process P() {
    byte x;
    byte y;
    0
        -> 1  do g = y
    1 [start]
        -> 0  when g == 0  do x = 1; y = x
}
=== merge: delayed
byte g; active proctype P() { byte x = 1; x = 2; g = x; g = 0 }
---
process P() {
    byte x = 1;
    0 [start]
        -> 1  do x = 2; g = x
    1
        -> 2  do g = 0
    2 [end]
        -> gone  when youngest  do exit
}
=== merge: held
byte g; active proctype P() { atomic { g == 0; g = 1; g = 2 }; g = 3 }
---
process P() {
    0 [start]
        -> 1  when g == 0  do g = 1; g = 2
    1
        -> 2  do g = 3
    2 [end]
        -> gone  when youngest  do exit
}
=== merge: inside
byte g; active proctype P() { d_step { g = 1; g = 2; if :: g == 2 -> g = 3 :: else -> skip fi; g = 4 } }
---
process P() {
    0 [transient]
        -> 2  when g == 2  do g = 3; g = 4
        -> 2  when else  do g = 4
    1 [start]
        -> 0  do g = 1; g = 2
    2 [end]
        -> gone  when youngest  do exit
}
=== merge: a cycle
active proctype P() { byte x, y; do :: x = 1; y = x; x = y od }
---
process P() {
    byte x;
    byte y;
    0
        -> 0  do x = 1; y = x; x = y
    1 [start]
        -> 0  do x = 1; y = x; x = y
}
=== settle: a loop
byte g; active proctype P() { byte i; do :: i < 3 -> g = i; i++ :: else -> g = 0; i = 0 od }
---
process P() {
    byte i;
    0
        -> 1  do g = i
    1
        -> 4  do i = i + 1
    2
        -> 3  do g = 0
    3
        -> 4  do i = 0
    4 [transient]
        -> 0  when i < 3
        -> 2  when else
    5 [start]
        -> 0  when i < 3
        -> 2  when else
}
=== reset: dead after its last use
chan c = [1] of { byte }; byte g; active proctype P() { byte x; byte y = 7; do :: c?x; g = x; c?y; g = y od }
---
process P() {
    byte x;
    byte y = 7;
    0
        -> 1  do g = x; x = 0
    1
        -> 2  do c ? y
    2
        -> 3  do g = y; y = 7
    3 [start]
        -> 0  do c ? x
}
=== reset: dead stores
chan c = [1] of { byte }; byte g; active proctype P() { byte x; x = g; c?x; c?x; g = x; x = 5 }
---
process P() {
    byte x;
    0 [start]
        -> 1
    1
        -> 2  do c ? _
    2
        -> 3  do c ? x
    3
        -> 4  do g = x; x = 0
    4
        -> 5
    5 [end]
        -> gone  when youngest  do exit
}
=== unify: equal tails
byte g; active proctype P() { if :: g == 0 -> g = 1; g = 2 :: g == 1 -> g = 3; g = 2 fi }
---
process P() {
    0
        -> 1  do g = 1
    1
        -> 4  do g = 2
    2
        -> 1  do g = 3
    3 [start]
        -> 0  when g == 0
        -> 2  when g == 1
    4 [end]
        -> gone  when youngest  do exit
}
"""
"""A pass and what for; a model; the kinds that the pass makes of it.  Global variables are visible, but not to `unused`."""


def golden_cases() -> list[tuple[str, str, str]]:
    cases = [case.split("\n", 1) for case in GOLDEN.split("=== ")[1:]]
    return [(head, *rest.split("\n---\n")) for head, rest in cases]  # type: ignore[misc]


@pytest.mark.parametrize(("head", "text", "expected"), golden_cases(), ids=[head for head, _, _ in golden_cases()])
def test_golden(head: str, text: str, expected: str) -> None:
    pass_ = next(p for p in PASSES if head.startswith(f"{p.name}:"))
    model = coset.parse_text(text)
    changed = run_pass(pass_, model, () if pass_.name == "unused" else model.variables)
    compacted = LAST.run(changed, gather(changed))
    assert "\n".join(map(show_kind, compacted.kinds)) == expected.rstrip("\n")


def test_joined_edges_tell_what_they_are() -> None:
    model = coset.parse_text("byte g; active proctype P() { byte x; do :: g == 0; x = 1; g = x od }")
    texts = [edge.text for _, edge in merged(model, model.variables).kinds[0].edges()]
    assert "g == 0; x = 1" in texts


def test_liveness() -> None:
    model = coset.parse_text(
        """chan c = [1] of { byte }; byte g
        active proctype P() { byte x, y, a[2]; x = 1; y = x; a[0] = y; g = a[0]; y = g + y; x = y }"""
    )
    (kind,) = model.kinds
    live = [sorted(v.name for v in names) for names in liveness(kind, gather(model)).at]
    assert live == [["a"], ["a", "x"], ["a", "y"], ["a"], [], [], []], "the last two values are computed for nobody"
