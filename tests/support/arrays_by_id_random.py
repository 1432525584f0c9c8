"""Random Promela programs with ids at every level: arrays by id inside processes, matrices, arrays of records, arrays of
ids by id, ids in messages and in channels of channels, a second family of values, and processes that stay where they are.

    python -m tests.support.arrays_by_id_random SEED         print a program
    python -m tests.support.arrays_by_id_random FROM TO      compare every strategy on the programs of these seeds

Every statement treats all ids alike, so that the group is large; what tells processes apart is added now and then.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Sequence

import coset
from coset.model.model import Model
from coset.symmetry.canonical.representative import orbit
from tests.support.quotient import MOST_TRIED, Canonicaliser, explored, plans
from tests.support.seeds import compare_seeds

SMALL = 4_000
"""States that are visited one by one."""

DECLARATIONS = """
typedef row { bit c[N] }
typedef strip { bit d[M] }
typedef record { bit f; byte who = N; bit g[N] }
"""

GLOBALS = {
    "mat": "row mat[N];",
    "wide": "strip wide[N];",
    "rec": "record rec[N];",
    "next": "byte next[N] = N;",
    "data": "bit data[M];",
    "turn": "byte turn = N;",
    "c": "bit c;",
    "q": "chan q[N] = [1] of { byte, byte };",
    "post": "chan post = [1] of { byte, chan };",
    "meet": "chan meet = [0] of { byte, byte };",
    "by_pid": "row by_pid[N + FIRST]; byte last[N + FIRST] = 9;",
}
LOCALS = {
    "seen": "bit seen[N];",
    "friend": "byte friend[N] = N;",
    "mine": "record mine;",
    "known": "bit known[M];",
    "grid": "row grid[N];",
    "h": "chan h;",
}

STATEMENTS = (
    "atomic { PICK; seen[x] = 1 - seen[x]; CLEAR }",
    "atomic { PICK; x != ID -> seen[x] = 1; CLEAR }",
    "atomic { PICK; mat[ID].c[x] = 1 - mat[ID].c[x]; CLEAR }",
    "atomic { PICK; mat[x].c[ID] = 1; CLEAR }",
    "atomic { PICK; grid[ID].c[x] = 1 - grid[ID].c[x]; CLEAR }",
    "atomic { PICK; grid[x].c[x] = 1; CLEAR }",
    "atomic { PICK; next[ID] = x; CLEAR }",
    "atomic { PICK; next[x] = ID; CLEAR }",
    "atomic { PICK; friend[x] = ID; CLEAR }",
    "atomic { PICK; friend[ID] = x; CLEAR }",
    "atomic { friend[ID] != N -> friend[friend[ID]] = next[ID] }",
    "atomic { next[ID] != N -> turn = next[next[ID]] }",
    "atomic { PICK; rec[x].who = ID; rec[x].f = 1 - rec[x].f; CLEAR }",
    "atomic { PICK; rec[ID].g[x] = 1; CLEAR }",
    "atomic { rec[ID].who != N -> rec[rec[ID].who].g[ID] = 1 }",
    "atomic { PICK; mine.who = x; CLEAR }",
    "atomic { mine.who != N -> mine.g[mine.who] = 1 - mine.g[mine.who] }",
    "atomic { CHOOSE; known[y] = 1 - known[y]; y = 0 }",
    "atomic { CHOOSE; wide[ID].d[y] = 1 - wide[ID].d[y]; y = 0 }",
    "atomic { CHOOSE; data[y] = 1; y = 0 }",
    "atomic { CHOOSE; data[y] -> known[y] = 1; y = 0 }",
    "turn = ID",
    "atomic { turn == ID -> c = 1 - c; turn = N }",
    "atomic { turn != N && turn != ID -> x = turn }",
    "x = N",
    "nfull(q[ID]) -> q[ID]!ID,x",
    "atomic { PICK; nfull(q[x]) -> q[x]!ID,x; CLEAR }",
    "q[ID]?x,_",
    "q[ID]??x,eval(ID)",
    "nfull(post) -> post!ID,q[ID]",
    "atomic { PICK; nfull(post) -> post!x,q[ID]; CLEAR }",
    "atomic { empty(q[ID]) -> post?x,h }",
    "atomic { h != 0 && nfull(h) -> h!ID,ID }",
    "meet!ID,x",
    "meet?x,_",
    "meet?_,eval(ID)",
    "by_pid[_pid].c[ID] = 1",
    "atomic { PICK; by_pid[_pid].c[x] = 1 - by_pid[_pid].c[x]; CLEAR }",
    "last[_pid] = _pid",
    "atomic { PICK; nempty(q[x]) -> c = 1; CLEAR }",
)
"""What one of the processes may do."""

SERVED = (
    "atomic { PICK; has[x] = 1 - has[x]; CLEAR }",
    "atomic { PICK; mat[x].c[x] = 1; CLEAR }",
    "atomic { PICK; has[x] -> turn = x; has[x] = 0; CLEAR }",
    "atomic { PICK; nempty(q[x]) -> q[x]?to[x],_; CLEAR }",
    "atomic { meet?x,_; has[x] = 1; CLEAR }",
)
"""What somebody else may do with their ids."""

ODD = ("atomic { ID == 0 -> c = 1 }", "turn == 1 -> c = 0", "assert(turn != 0)", "seen[0] = 1", "next[1] = 1")
"""What singles one of them out."""


RELATED = (
    "atomic { seen[(ID + 1) % N] = 1 - seen[(ID + 1) % N] }",
    "atomic { next[ID] = (ID + 1) % N }",
    "atomic { mat[ID].c[(ID + N - 1) % N] = 1 - mat[ID].c[(ID + N - 1) % N] }",
    "turn = (ID + 1) % N",
    "turn = ID ^ 1",
    "atomic { mat[ID].c[ID ^ 1] = 1 - mat[ID].c[ID ^ 1] }",
    "atomic { rec[ID ^ 1].who = ID; rec[ID].f = 1 }",
)
"""What makes a ring of them, or pairs."""


def choices(name: str, count: int) -> str:
    return "if " + " ".join(f":: {name} = {k}" for k in range(count)) + " fi"


def declared(table: dict[str, str], text: str) -> str:
    """The variables that are used."""
    words = set(text.replace("[", " ").replace(".", " ").replace("(", " ").replace(")", " ").replace("]", " ")
                .replace(",", " ").replace("!", " ").replace("?", " ").replace(";", " ").split())  # fmt: skip
    return " ".join(line for name, line in table.items() if name in words or (name == "by_pid" and "last" in words))


def generate(seed: int) -> str:
    """A random program; the same seed always gives the same text."""
    rng = random.Random(seed)
    n, m = rng.choice([2, 3, 3]), rng.choice([2, 3])
    started, served = rng.random() < 0.4, rng.random() < 0.35
    chosen = rng.sample(STATEMENTS, rng.randint(2, 3))
    if rng.random() < 0.25:
        n = rng.choice([3, 4])
        related = [each for each in RELATED if n == 4 or "^" not in each]
        chosen = [*chosen[:1], *rng.sample(related, rng.randint(1, 2))]
    if rng.random() < 0.15:
        chosen.append(rng.choice(ODD))
    body = "\n  ".join(f":: {each}" for each in chosen)
    other = "\n  ".join(f":: {each}" for each in rng.sample(SERVED, rng.randint(1, 2))) if served else ""
    count = rng.choice([1, 2])
    told = ":: _pid == LAST -> c = 0" if rng.random() < 0.7 else ""
    head = f"proctype node({'byte me' if started else ''})"
    first = int(started)
    server = f"""active [{count}] proctype server() {{
  byte x = N; bit has[N]; byte to[N] = N;
  do
  {other}
  {told}
  od
}}
""" if served else ""  # fmt: skip
    starts = "; ".join(f"run node({k})" for k in range(n))
    init = f"init {{ atomic {{ {starts} }} }}" if started else ""
    if started:
        server, first = server.replace(f"active [{count}] ", ""), 1
        init = init.replace(" } }", "; run server()" * count * served + " } }")
    y = "byte y;" if "CHOOSE" in body else ""
    text = f"""#define N {n}
#define M {m}
{DECLARATIONS}
{declared(GLOBALS, body + other + told)}
{"" if started else f"active [{n}] "}{head} {{
  byte x = N; {y} {declared(LOCALS, body)}
  do
  {body}
  od
}}
{server}{init}
"""
    replaced = {
        "PICK": choices("x", n), "CHOOSE": choices("y", m), "CLEAR": "x = N", "ID": "me" if started else "_pid",
        "LAST": str(first + n), "FIRST": str(first),
    }  # fmt: skip
    for old, new in replaced.items():
        text = text.replace(old, new)
    return text


def problems_of(model: Model, rng: random.Random, count: int = 25) -> tuple[str, list[str]]:
    """The order of the group, and what any strategy gets wrong."""
    whole = coset.explore(model, engine="explicit", symmetry="off", max_states=SMALL)
    if not whole.complete:
        return "large", []
    naive = explored(model, engine="reference")
    found = []
    if naive.represents != whole.states:
        found.append(f"reference: {naive.states} for {naive.represents}, but there are {whole.states}")
    if naive.symmetry.group is None or naive.symmetry.group.order == 1:
        return "order 1", found
    local = explored(model, representative="local")
    if local.represents is not None or not naive.states <= local.states <= whole.states:
        found.append(f"local: {local.states} for {local.represents}, but there are {naive.states} orbits")
    for plan in plans(model):
        fast = explored(model, representative=plan.strategy)
        if (fast.states, fast.represents) != (naive.states, whole.states):
            found.append(f"{plan.strategy}: {fast.states} for {fast.represents}, but {naive.states} for {whole.states}")
        found += unlike(Canonicaliser(plan), rng, count)
    return f"order {naive.symmetry.group.order}", found


def unlike(canonicaliser: Canonicaliser, rng: random.Random, count: int) -> list[str]:
    """States whose images have other representatives, or orbits of another size."""
    found, plan = [], canonicaliser.plan
    for state in canonicaliser.states(rng, count):
        chosen, size = canonicaliser.representative(state), canonicaliser.size(state)
        for _ in range(3):
            g = plan.symmetry.group.random(rng)
            image = canonicaliser.action(g)(state)
            if canonicaliser.permuted(state, g) != image:
                found.append(f"{plan.strategy}: the compiled action of {plan.symmetry.show(g)} on {state}")
            elif canonicaliser.representative(image) != chosen or canonicaliser.size(image) != size:
                found.append(f"{plan.strategy}: {plan.symmetry.show(g)} on {state}")
        if plan.order <= MOST_TRIED:
            members = orbit(state, plan.symmetry.actions)
            if chosen not in members or size != len(members):
                found.append(f"{plan.strategy}: {state} has an orbit of {len(members)} and not of {size}")
    return found


def compare_seed(seed: int) -> tuple[Counter[str], list[str]]:
    """What became of one seed, and what went wrong."""
    try:
        what, problems = problems_of(coset.parse_text(generate(seed)), random.Random(seed))
    except Exception as error:
        return Counter(["FAILED"]), [f"seed {seed}: {type(error).__name__}: {str(error)[:2000]}"]
    return Counter([what] + ["DIFFERENT"] * bool(problems)), [f"seed {seed}: {problem}" for problem in problems]


def main(arguments: Sequence[str]) -> int:
    if len(arguments) == 1:
        print(generate(int(arguments[0])))
        return 0
    return compare_seeds(compare_seed, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
