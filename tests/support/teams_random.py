"""Random programs of teams: their groups are wreath products, or nearly so.

    python -m tests.support.teams_random FROM TO      programs with seeds from FROM to below TO

Members of a team share a channel, with or without a leader; teams may belong to companies.  Members name one another in arrays,
in messages and in variables of all.  Representatives of packed states are compared with those of whole ones: states, orbits,
transitions and errors, with a search of all states for the sum.  Every tenth seed is compared as in `quotient_random`.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Sequence

import coset
from coset.engines.explicit.compile import arrangement_by, numbering_of
from coset.engines.explicit.emit.columns import ColumnNumbering
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.footprints import Footprints
from coset.engines.settings import Settings
from coset.model.model import Model
from coset.results.exploration import Exploration
from coset.symmetry.canonical.plan import plan
from coset.symmetry.methods.program.detect import detect
from tests.support.quotient import explored
from tests.support.quotient_random import differences, kinds, optimised
from tests.support.seeds import compare_seeds

NOBODY = 99
MEMBER = (
    "mark[_pid] < 2 -> mark[_pid]++",
    "mark[_pid] == 1 -> mark[_pid] = 0",
    "hall == 99 -> hall = _pid",
    "hall == _pid -> hall = 99",
    "hall != _pid && hall != 99 -> friend[_pid] = hall",
    "atomic { nfull(tool) -> tool!_pid }",
    "atomic { tool?w -> friend[_pid] = w; w = 99 }",
    "atomic { tool?w; w != _pid -> mark[_pid] = 2; friend[_pid] = w; w = 99 }",
    "friend[_pid] != 99 -> friend[_pid] = 99",
    "atomic { friend[_pid] != 99 -> hall = friend[_pid] }",
    "atomic { nempty(desk) && mark[_pid] == 0 -> mark[_pid] = 1 }",
    "done < 2 -> done++",
)
"""What a member does: one of these lines, at random, as long as there is work left."""
LEADER = (
    "atomic { tool?who -> boss = _pid }",
    "who != 99 -> who = 99",
    "atomic { boss == _pid -> boss = 99; who = 99 }",
    "atomic { hall != 99 -> who = hall; hall = 99 }",
    "atomic { nfull(desk) -> desk!_pid }",
    "atomic { desk?who -> assert(who != boss); who = 99 }",
)


def program(seed: int) -> str:
    """A program whose state space is small, as it has only so much work."""
    rng = random.Random(seed)
    sizes = rng.choice([(2, 2), (2, 2), (2, 3), (3, 2), (2, 2, 2)])
    *companies, teams, members = sizes
    every = teams * (companies[0] if companies else 1)
    has_leaders = rng.random() < 0.7
    capacity, work = rng.choice([0, 1, 1, 2]), rng.choice([2, 3, 3, 4])
    members_do = rng.sample(MEMBER, rng.randint(3, 5))
    leaders_do = rng.sample(LEADER, rng.randint(1, 3))
    if capacity == 0:
        members_do = [
            each.replace("nfull(tool) ->", "").replace("atomic { tool?w;", "atomic { tool?w ->") for each in members_do
        ]
    odd = rng.randint(1, every * members) if rng.random() < 0.15 else 0
    if odd:
        members_do.append(f"_pid == {odd} && mark[_pid] == 0 -> done = 1")
    count = every * (members + has_leaders) + 1
    runs = []
    for team in range(every):
        desk = f"desk{team // teams if companies else 0}"
        runs += [f"run member(tool{team}, {desk});" for _ in range(members)]
    if has_leaders:
        runs += [f"run leader(tool{team}, desk{team // teams if companies else 0});" for team in range(every)]
    desks = "".join(f"chan desk{k} = [1] of {{ pid }};\n" for k in range(companies[0] if companies else 1))
    tools = "".join(f"chan tool{k} = [{capacity}] of {{ pid }};\n" for k in range(every))
    spend = "work > 0 -> work--;"
    return f"""/* seed {seed}: {sizes} */
{tools}{desks}byte mark[{count}], done, work = {work};
byte friend[{count}] = {NOBODY};
pid hall = {NOBODY}, boss = {NOBODY};
proctype member(chan tool, desk) {{
  pid w = {NOBODY};
  do {" ".join(f":: atomic {{ {spend} {inside(each)} }}" for each in members_do)} od }}
proctype leader(chan tool, desk) {{
  pid who = {NOBODY};
  do {" ".join(f":: atomic {{ {spend} {inside(each)} }}" for each in leaders_do)} od }}
init {{ atomic {{ {" ".join(runs)} }} }}
"""


def inside(line: str) -> str:
    return line.removeprefix("atomic { ").removesuffix(" }") if line.startswith("atomic") else line


def numbered_as(model: Model) -> str:
    """How representatives are found: among nested columns, or in another way."""
    found = plan(detect(model))
    if found is None:
        return "no symmetry"
    engine = Engine(model, symmetry=found)
    coding = engine.estimate.coding(Footprints(engine.layout()), arrangement_by(found, Settings()))
    numbering = numbering_of(coding, found, Settings())
    if isinstance(numbering, ColumnNumbering):
        return "nested" if numbering.is_nested else "columns"
    return type(numbering).__name__


def quick_differences(model: Model, seed: int) -> list[str]:
    """What differs between representatives of packed and of whole states."""
    whole, orbits = explored(model, symmetry="off"), explored(model, representative="chain")
    with optimised(1):
        packed = explored(model, threads=seed % 2 + 1)
    problems = []
    if packed.represents not in (whole.states, None):
        problems.append(f"{packed.states} for {packed.represents}, but there are {whole.states}")
    if counts(packed) != counts(orbits):
        problems.append(f"{counts(packed)}, but {counts(orbits)}")
    if kinds(packed) != kinds(whole):
        problems.append(f"{packed.errors}, but {whole.errors}")
    return problems


def counts(found: Exploration) -> tuple[object, ...]:
    return found.states, found.represents, found.transitions, found.errors


def compare_seed(seed: int) -> tuple[Counter[str], list[str]]:
    """What became of one seed, and what went wrong."""
    try:
        model = coset.parse_text(program(seed))
        with optimised(1):
            what = numbered_as(model)
        if seed % 10:
            problems = quick_differences(model, seed) if what != "no symmetry" else []
        else:
            _, problems = differences(model, seed)
    except Exception as error:
        return Counter(["FAILED"]), [f"seed {seed}: {type(error).__name__}: {str(error)[:2000]}"]
    return Counter([what] + ["DIFFERENT"] * bool(problems)), [f"seed {seed}: {problem}" for problem in problems]


def main(arguments: Sequence[str]) -> int:
    return compare_seeds(compare_seed, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
