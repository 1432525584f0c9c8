"""Random programs with random formulas and random fairness: verdicts by components must be those of the definition.

    python -m tests.support.fair_random FROM TO      programs with seeds from FROM to below TO

The naive twin says what a fair run is without removing anything step by step: it guesses.  A run is fair to a constraint or
to a process in one of two ways: what the pair begins with happens only finitely often, or what follows happens infinitely
often.  For every guess, what shall not happen is cut out of the graph of all states, and what shall happen must happen in one
component of the rest.  Compared with it are the reference engine on all states and on the annotated quotient, and the
compiled engine, with and without symmetry, by one and two threads.  Every run is executed, and checked to be fair.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import coset
from coset.engines.claim import claim_of
from coset.engines.connected import components
from coset.engines.contract import Unsupported
from coset.engines.explicit import cycles
from coset.engines.explicit.engine import Engine
from coset.engines.fair_runs import unfairness
from coset.engines.reduction import reduction
from coset.engines.reference import cycles as reference
from coset.engines.reference.annotated import AnnotatedOrbits
from coset.engines.settings import Settings
from coset.model.fairness import Fairness, ProcessFairness, constraints_of
from coset.model.interpreter import Interpreter
from coset.model.model import LtlProperty, Model
from coset.results.trace import Trace, replay
from coset.results.verdict import Verdict
from coset.source.budget import Limits
from coset.symmetry.symmetry import Symmetry
from tests.support import promela_random
from tests.support.quotient_random import SINGLE, SYMMETRIC
from tests.support.random_formulas import conditions, formula
from tests.support.seeds import compare_seeds
from tests.support.spin_claims import plain
from tests.support.symmetric_random import varied

STRATEGIES = ("auto", "chain", "local", "enumerate")
SMALL, PAIRS = 1_500, 7
"""States that the interpreter explores quickly, and the most pairs that are guessed."""
LOCKS = """/* seed {seed} */
{declarations}
active [{n}] proctype P() {{
  byte mine;
  do {branches} od
}}
"""


def locks(chance: random.Random) -> str:
    """Processes that compete for something: what is enabled again and again need not be enabled always."""
    n = chance.choice([2, 3, 3])
    choices = [
        ":: atomic { lock == 0 -> lock = 1; mine = 1 }",
        ":: mine == 1 -> mine = 2; lock = 0",
        ":: mine == 2 -> mine = 0",
        ":: skip",
        ":: a[_pid] = !a[_pid]",
        ":: atomic { lock == 0 && !a[_pid] -> a[_pid] = true }",
        ":: c!_pid",
        ":: c?_",
        ":: c?eval(_pid)",
        ":: last != _pid -> last = _pid",
    ]
    branches = " ".join(chance.sample(choices, chance.randint(2, 5)))
    channel = f"chan c = [{chance.choice([0, 1])}] of {{ pid }};"
    extra = (
        "active proctype Q() { do :: lock == 1 -> last = 0 :: lock == 0 -> skip od }\n" if chance.random() < 0.3 else ""
    )
    declarations = f"bit lock; pid last; bool a[{n + 1}]; {channel}"
    return LOCKS.format(seed=0, declarations=declarations, n=n, branches=branches) + extra


LOCK_ATOMS = ["(lock == 1)", "(last == 0)", "(last == 1)", "(a[0])", "(a[0] + a[1] >= 1)", "(a[0] + a[1] + a[2] == 0)",
              "(len(c) == 0)"]  # fmt: skip


@dataclass(frozen=True)
class Case:
    model: Model
    properties: tuple[LtlProperty, ...]
    fairness: Fairness
    stated: tuple[LtlProperty, ...]


def case(seed: int, folder: Path) -> Case | None:
    """A program with formulas and a kind of fairness; None if it is too large or has no variable to speak of."""
    chance = random.Random(seed)
    match seed % 4:
        case 0:
            text = plain(promela_random.generate(seed))
            atoms = conditions(coset.parse_text(text))
        case 1:
            text, atoms = varied(seed), [*SYMMETRIC, *(SINGLE if seed % 8 == 1 else ())]
        case _:
            text, atoms = locks(chance), LOCK_ATOMS
    bare = coset.parse_text(text)
    if not atoms or not coset.explore(bare, engine="reference", symmetry="off", max_states=SMALL).complete:
        return None
    chosen = chance.sample(atoms, min(len(atoms), 3))
    formulas = [formula(chance, chosen, chance.randint(1, 4)) for _ in range(2)]
    kind = chance.choice(list(ProcessFairness))
    count = chance.choice([0, 0, 1, 2]) if kind is not ProcessFairness.NONE else chance.choice([1, 2, 3])
    stated = [constraint(chance, chosen) for _ in range(count)]
    blocks = [f"ltl f{k} {{ {each} }}\n" for k, each in enumerate(formulas)]
    blocks += [f"ltl c{k} {{ {each} }}\n" for k, each in enumerate(stated)]
    path = folder / f"seed-{seed}.pml"
    path.write_text(text + "".join(blocks))
    model = coset.load(path)
    linear = {each.name: each for each in model.properties if isinstance(each, LtlProperty)}
    asked, named = ([linear[f"{stem}{k}"] for k in range(n)] for stem, n in (("f", len(formulas)), ("c", count)))
    fairness = Fairness(kind, tuple(pair for each in named for pair in constraints_of(each.formula)))
    return Case(model, tuple(asked), fairness, tuple(named))


def constraint(chance: random.Random, atoms: Sequence[str]) -> str:
    p, q = chance.choice(atoms), chance.choice(atoms)
    return chance.choice([f"[]<> {p}", f"[]<> {p} -> []<> {q}", f"<>[] {p} -> []<> {q}", f"[]<> {p} -> []<> !{q}"])


# --- the definition --------------------------------------------------------------------------------


def has_fair_run(search: reference.Search, fairness: Fairness) -> bool:
    """Whether the product has a fair run that is accepted."""
    strong = fairness.processes is ProcessFairness.STRONG
    everyone = range(search.processes if fairness.processes is not ProcessFairness.NONE else 0)
    constraints = range(len(fairness.constraints))

    def may_stay(node: reference.Product, forbidden: int, barred: int) -> bool:
        return not search.able(node) & forbidden and not search.holds(node) & barred

    for guess in product((False, True), repeat=len(everyone) * strong + len(constraints)):
        forbidden = sum(1 << p for p in everyone if strong and guess[p])
        barred = sum(1 << 2 * k for k in constraints if guess[len(everyone) * strong + k])
        nodes = {node for node in search.arrows if may_stay(node, forbidden, barred)}

        def inner(node: reference.Product, nodes: set[reference.Product] = nodes) -> Iterator[reference.Product]:
            return (arrow.target for arrow in search.arrows[node] if arrow.target in nodes)

        for part in components(nodes, inner):
            inside = [(node, arrow) for node in part for arrow in search.arrows[node] if arrow.target in part]
            marks = moved = unable = holds = 0
            for node, arrow in inside:
                marks, moved, holds = marks | arrow.marks, moved | arrow.movers, holds | search.holds(node)
                unable |= ~search.able(node)
            if not inside or search.claim.required & ~marks:
                continue
            served = all((moved >> p & 1) or (forbidden >> p & 1 if strong else unable >> p & 1) for p in everyone)
            if served and all(barred >> 2 * k & 1 or holds >> 2 * k + 1 & 1 for k in constraints):
                return True
    return False


# --- comparison ------------------------------------------------------------------------------------


def symmetry_of(found: Case, property_: LtlProperty) -> Symmetry | None:
    kept = reduction(found.model, (property_, *found.stated), Settings(symmetry="program")).symmetry
    return kept if isinstance(kept, Symmetry) and kept.order > 1 else None


def checked(found: Case, trace: Trace | None) -> bool:
    """Whether there is a run; it is executed, and must be fair."""
    if trace is not None:
        assert replay(found.model, trace).message.endswith("is violated")
        reason = unfairness(found.model, trace, found.fairness)
        assert reason is None, reason
    return trace is not None


def verdicts(
    found: Case, property_: LtlProperty, threads: Sequence[int], strategy: str = "auto"
) -> Iterator[tuple[str, bool]]:
    """The verdict of each engine in each way: whether the property is violated.  With one thread, the compiled engine begins in
    the quick tier."""
    search = reference.Search(Interpreter(found.model), claim_of(property_), Limits(), found.fairness, True)
    search.build()
    if len(found.fairness.constraints) + search.processes <= PAIRS:
        yield "definition", has_fair_run(search, found.fairness)
    _, trace = reference.check_property(found.model, property_, fair=found.fairness)
    yield "reference", checked(found, trace)
    symmetry = symmetry_of(found, property_)
    if symmetry is not None:
        _, trace = reference.check_property(
            found.model, property_, fair=found.fairness, orbits=AnnotatedOrbits(symmetry)
        )
        yield "reference, quotient", checked(found, trace)
    for way in ("off", "program"):
        settings = Settings(symmetry=way, representative=strategy)
        plan = reduction(found.model, (property_, *found.stated), settings).plan
        for count in threads:
            engine = Engine(
                found.model, settings=replace(settings, threads=count), symmetry=plan, begin_quick=count == 1
            )
            result, trace = cycles.check_property(engine, property_, fair=found.fairness)
            assert checked(found, trace) == cycles.violated(result)
            yield f"explicit, symmetry {way}, {count} threads", trace is not None


def compare_seed(seed: int, threads: Sequence[int] | None = None) -> tuple[Counter[str], list[str]]:
    """What became of one seed, and what went wrong.  Every fifth is compiled by the optimising compiler, too, for two threads."""
    threads = ((1, 2) if seed % 5 == 0 else (1,)) if threads is None else threads
    counts, problems = Counter[str](), list[str]()
    with tempfile.TemporaryDirectory(prefix="coset-fair-") as folder:
        try:
            found = case(seed, Path(folder))
            if found is None:
                return Counter(["left out"]), []
            for each in found.properties:
                alone = replace(found, model=replace(found.model, properties=(each, *found.stated)))
                known = dict(verdicts(alone, each, threads, STRATEGIES[seed // 4 % len(STRATEGIES)]))
                if len(set(known.values())) > 1:
                    problems.append(f"seed {seed}: {each.text}, fair: {found.fairness}: {known}")
                kind = found.fairness.processes.value
                counts["violated" if known["reference"] else "holds"] += 1
                counts[kind] += 1
                counts["with symmetry"] += "reference, quotient" in known
        except Unsupported:
            counts["not supported"] += 1
        except Exception as error:
            return Counter(["FAILED"]), [f"seed {seed}: {type(error).__name__}: {str(error)[:2000]}"]
    if problems:
        counts["DIFFERENT"] += 1
    return counts, problems


# --- branching time --------------------------------------------------------------------------------

PAIRS_OF_LOGICS = (
    ("AG {p}", "[] {p}", False),
    ("AF {p}", "<> {p}", False),
    ("AG AF {p}", "[] <> {p}", False),
    ("A[{p} U {q}]", "{p} U {q}", False),
    ("AG ({p} -> AF {q})", "[] ({p} -> <> {q})", False),
    ("EG {p}", "<> !{p}", True),
    ("EF {p}", "[] !{p}", True),
    ("E[{p} U {q}]", "!({p} U {q})", True),
    ("EG EF {p}", None, False),
)
"""Formulas of branching time, and of linear time that say the same, or the opposite."""


MORE_FORMULAS = (
    "AG EF {p}", "AX AF {p}", "A[AG {p} R {q}]", "AG ({p} || AX {q})", "EG EF {p}", "AF AG {p}", "EF AG {p}",
    "!A[{p} W {q}]", "EX EX {p}",
    "A[{q} R AF {p}]", "EF EG {p}", "AG ({p} -> A[{p} U {q}])", "E[{p} R {q}]", "AX ({p} -> EF {q}) && AG AF {q}",
)  # fmt: skip
"""Formulas that the compiled engine decides, or leaves open, in one of three ways (engines/fair_formulas.py)."""


def compiled_differences(seed: int, folder: Path, symmetry: str) -> tuple[int, list[str]]:
    """How many formulas about fair runs the compiled engine decides, and those of which the interpreter says something else."""
    chance = random.Random(seed)
    path = folder / f"compiled-{seed}.pml"
    path.write_text(locks(chance))
    kind = chance.choice([ProcessFairness.WEAK, ProcessFairness.STRONG])
    texts = [constraint(chance, LOCK_ATOMS) for _ in range(chance.choice([0, 0, 1]))]
    p, q = chance.sample(LOCK_ATOMS, 2)
    everything = (*(first for first, _, _ in PAIRS_OF_LOGICS), *MORE_FORMULAS)
    formulas = [each.format(p=p, q=q) for each in chance.sample(everything, 6)]
    found, wanted = (
        coset.check(
            path, ctl=formulas, fair=[kind.value, *texts], engine=engine, symmetry=how, keep_going=True
        ).properties
        for engine, how in (("explicit", symmetry), ("reference", "off"))
    )
    known = {each.name: each.verdict for each in wanted}
    decided = [each for each in found if each.verdict is not Verdict.UNKNOWN]
    wrong = [each for each in decided if each.verdict is not known[each.name]]
    return len(decided), [
        f"seed {seed}: {formulas[int(each.name[4:]) - 1]}, fair: {kind.value} {texts}: {each.verdict}" for each in wrong
    ]


def branching_differences(seed: int, folder: Path) -> Iterator[str]:
    """Formulas of both logics that must have the same verdict."""
    chance = random.Random(seed)
    path = folder / f"branching-{seed}.pml"
    path.write_text(locks(chance))
    kind = chance.choice(list(ProcessFairness))
    texts = [constraint(chance, LOCK_ATOMS) for _ in range(chance.choice([0, 1, 2]))]
    p, q = chance.sample(LOCK_ATOMS, 2)
    branching = [each[0].format(p=p, q=q) for each in PAIRS_OF_LOGICS]
    linear = [each[1].format(p=p, q=q) for each in PAIRS_OF_LOGICS if each[1] is not None]
    found = coset.check(
        path, ctl=branching, ltl=linear, fair=[kind.value, *texts] if kind is not ProcessFairness.NONE else texts,
        engine="reference", symmetry="off",
    )  # fmt: skip
    known = {each.name: each.verdict for each in found.properties}
    for number, (ctl, ltl, is_opposite) in enumerate(PAIRS_OF_LOGICS, 1):
        if ltl is not None and (known[f"ctl_{number}"] == known[f"command_line_{number}"]) == is_opposite:
            yield f"seed {seed}: {ctl.format(p=p, q=q)}, fair: {kind.value} {texts}: {known[f'ctl_{number}']}"


def main(arguments: Sequence[str]) -> int:
    return compare_seeds(compare_seed, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
