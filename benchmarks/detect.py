"""How long it takes to find the symmetry of a model, with both methods, next to what was published.

    python benchmarks/detect.py [--quick] [--tries N] [--json FILE]

Each row is a row of a table in a paper (Donaldson and Miller, FM 2005, Table 1; Zhang et al., ASE 2013, Table I), or one of
the same family that is much larger.  The order of the group must be what is written here: a row that differs is marked,
and the run fails.  The published seconds are those of machines of their time, start of GAP and of saucy included.  Ours
are of wall time in one process and include parsing and the trial of all generators on reachable states, which goes on for half
a second; `bare` is `program` with a trial on one state only.  `channels` gives up after --tries elements, which is shown as `>`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import factorial
from pathlib import Path

from constraints import table_one

import coset
from coset.model.model import Model
from coset.symmetry.methods.channels import detect_channels
from coset.symmetry.methods.program.detect import detect
from coset.symmetry.symmetry import Symmetry

ROOT = Path(__file__).resolve().parent.parent


# --- models of any size ----------------------------------------------------------------------------


def shipped(name: str, **defines: object) -> Callable[[], Model]:
    return lambda: coset.load(ROOT / "models" / f"{name}.pml", {key: str(value) for key, value in defines.items()})


def written(text: str) -> Callable[[], Model]:
    return lambda: coset.parse_text(text)


def email(clients: int) -> str:
    """The running example of the FM 2005 paper, without the blocked client and the claim."""
    ids = range(1, clients + 1)
    boxes = "\n".join(f"chan box_{k} = [1] of {{ pid, pid }};" for k in ids)
    route = "\n".join(f"    :: dest == {k} -> out = box_{k}" for k in ids)
    choose = "\n".join(f"    :: dest = {k}" for k in ids)
    starts = "\n".join(f"  run client(box_{k});" for k in ids)
    return f"""{boxes}
chan network = [5] of {{ pid, pid }};
pid received_from;
proctype mailer(chan in) {{
  pid source, dest; chan out;
  do :: in?source,dest; if
{route}
    fi; out!source,dest od }}
proctype client(chan in) {{
  pid source, dest;
  do :: in?source,dest; assert(dest == _pid); received_from = source
     :: atomic {{ source = _pid; if
{choose}
    fi; network!source,dest }} od }}
init {{ atomic {{
{starts}
  run mailer(network) }} }}
"""


def three_tiered(*clients: int) -> str:
    """Servers with so many clients each, and one database."""
    servers = range(1, len(clients) + 1)
    links = "\n".join(f"chan request{k} = [0] of {{ pid }}; chan reply{k} = [0] of {{ pid }};" for k in servers)
    starts = [
        f"run client(request{k}, reply{k});" for k, count in zip(servers, clients, strict=True) for _ in range(count)
    ]
    starts += [f"run server(request{k}, reply{k});" for k in servers]
    return f"""{links}
chan query = [0] of {{ pid }}; chan data = [0] of {{ pid }};
proctype client(chan out, in) {{ do :: out!_pid; in?eval(_pid) od }}
proctype server(chan in, out) {{ pid from; do :: in?from; query!_pid; data?eval(_pid); out!from; from = 0 od }}
proctype database() {{ pid from; do :: query?from; data!from; from = 0 od }}
init {{ atomic {{ {" ".join(starts)} run database() }} }}
"""


def peterson(n: int) -> str:
    """The filter lock, as in models/peterson.pml."""
    alone = " && ".join(f"(_pid == {k} || rung[{k}] < r)" for k in range(1, n + 1))
    return f"""byte rung[{n + 1}]; pid last[{n}]; byte inside;
proctype competitor() {{
  byte r;
  do :: r < {n - 1} -> r++; rung[_pid] = r; last[r] = _pid; last[r] != _pid || ({alone})
     :: else -> inside++; assert(inside == 1); inside--; rung[_pid] = 0; r = 0 od }}
init {{ atomic {{ {" ".join(["run competitor();"] * n)} }} }}
"""


def hypercube(d: int) -> str:
    """Nodes that hand packets on along the edges of a cube of so many dimensions, as in models/hypercube.pml."""
    nodes = range(1, 2**d + 1)
    links = "\n".join(f"chan link{k} = [1] of {{ pid, pid }};" for k in nodes)
    hand_on = "\n".join(
        f"    :: _pid == {k} -> if {' '.join(f':: link{((k - 1) ^ (1 << i)) + 1}!source,dest' for i in range(d))} fi"
        for k in nodes
    )
    choose = " ".join(f":: dest = {k}" for k in nodes)
    return f"""{links}
byte flying;
proctype node(chan in) {{
  pid source, dest;
  do :: atomic {{ flying < 1 -> flying++; source = _pid; if {choose} fi }};
        atomic {{ if :: dest == _pid -> flying-- :: else -> if
{hand_on}
        fi fi; source = 0; dest = 0 }}
     :: in?source,dest;
        atomic {{ if :: dest == _pid -> flying-- :: else -> if
{hand_on}
        fi fi; source = 0; dest = 0 }}
  od }}
init {{ atomic {{ {" ".join(f"run node(link{k});" for k in nodes)} }} }}
"""


def allocator(*levels: int) -> str:
    """Clients in levels of priority: a request is granted while none of a higher level is pending."""
    count = sum(levels)
    links = "\n".join(f"chan link{k} = [1] of {{ mtype }};" for k in range(1, count + 1))
    options: list[str] = []
    above: list[int] = []
    first = 1
    for level in levels:
        for k in range(first, first + level):
            calm = " && ".join([*(f"empty(link{j})" for j in above), f"link{k}?[request]"])
            options.append(f"  :: atomic {{ {calm} -> link{k}?request }}; link{k}!grant; link{k}?release")
        above += range(first, first + level)
        first += level
    starts = " ".join(f"run client(link{k});" for k in range(1, count + 1))
    text = "\n".join(options)
    return f"""mtype = {{ request, grant, release }};
{links}
proctype client(chan link) {{ do :: link!request; link?grant; link!release od }}
proctype allocator() {{ do
{text}
od }}
init {{ atomic {{ {starts} run allocator() }} }}
"""


# --- rows ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A model, the order of its group, and the seconds that a paper has for it."""

    name: str
    model: Callable[[], Model]
    order: int
    published: str = ""
    quick: bool = True


ROWS = (
    Row("email, Fig. 1", shipped("email"), 24),
    Row("email, symmetric", shipped("email_symmetric"), 120),
    Row("token ring 10", shipped("token_ring"), 10, "2.52"),
    Row("load balancer", shipped("load_balancer"), 432, "2.70"),
    Row("three-tiered 3-3-2", shipped("three_tiered"), 144, "3.56"),
    Row("resource allocator 4-4", shipped("resource_allocator"), 576, "7.44"),
    Row("three-tiered 3-3-3", shipped("three_tiered", C=3), 1296, "<1.7"),
    Row("three-tiered 4-4-3", shipped("three_tiered", A=4, B=4, C=3), 6912, "<1.7"),
    Row("three-tiered 4-4-4", shipped("three_tiered", A=4, B=4, C=4), 82944),
    Row("three-tiered 5-5-5-5", written(three_tiered(5, 5, 5, 5)), 4_976_640_000),
    Row("allocator 2-2-3", written(allocator(2, 2, 3)), 24, "<1.7"),
    Row("allocator 3-3-4", written(allocator(3, 3, 4)), 864, "<1.7"),
    Row("Peterson 9", written(peterson(9)), factorial(9), "<1.7"),
    Row("Peterson 12", written(peterson(12)), factorial(12), "1.07"),
    Row("philosophers 10", shipped("philosophers", N=10), 10, "<1.7"),
    Row("philosophers 20", shipped("philosophers", N=20), 20, "<1.7"),
    Row("hypercube 3", shipped("hypercube"), 48),
    Row("hypercube 5", written(hypercube(5)), 3840, "<1.7"),
    Row("hypercube 6", written(hypercube(6)), 46080, "3.38", quick=False),
    Row("email, 100 clients", written(email(100)), factorial(100), quick=False),
    Row("email, 240 clients", written(email(240)), factorial(240), quick=False),
)


@dataclass(frozen=True)
class Timed:
    seconds: float
    order: int
    complete: bool


def timed(row: Row, method: Callable[[Model], Symmetry]) -> Timed:
    began = time.perf_counter()
    found = method(row.model())
    order = found.order
    return Timed(time.perf_counter() - began, order, bool(found.extra.get("complete", True)))


def shown(result: Timed, row: Row) -> str:
    if result.order == row.order:
        return f"{'' if result.complete else '>'}{result.seconds:.2f}"
    return f"{'>' if not result.complete else 'WRONG '}{result.seconds:.2f} ({short(result.order)})"


def short(order: int) -> str:
    return (
        f"{order:,}"
        if order < 10**12
        else f"{order:.3e}"
        if order < 10**300
        else f"a number of {len(str(order))} digits"
    )


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="without the largest models")
    parser.add_argument("--tries", type=int, default=100_000, help="elements that the search of `channels` tries")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    options = parser.parse_args(arguments)
    sys.set_int_max_str_digits(0)
    detect(coset.load(ROOT / "models" / "email.pml"))  # imports are not what is measured
    print(f"{'model':26} {'order':>22} {'published s':>11} {'bare s':>8} {'program s':>12} {'channels s':>20}")
    figures: list[dict[str, object]] = []
    failed = False
    for row in ROWS:
        if (options.quick and not row.quick) or options.only not in row.name:
            continue
        bare = timed(row, lambda model: detect(model, moves=0))
        program = timed(row, detect)
        channels = timed(row, lambda model: detect_channels(model, tries=options.tries))
        wrong = program.order != row.order or (channels.complete and channels.order != row.order)
        failed = failed or wrong
        cells = (f"{shown(bare, row):>8}", f"{shown(program, row):>12}", f"{shown(channels, row):>20}")
        print(f"{row.name:26} {short(row.order):>22} {row.published:>11}", *cells, flush=True)
        figures.append(
            {
                "model": row.name, "order": row.order, "published": row.published,
                "bare": bare.seconds, "program": program.seconds,
                "channels": channels.seconds, "channels_complete": channels.complete,
            }
        )  # fmt: skip
    print("\nTable I of Zhang et al. (ASE 2013), by constraints:")
    by_constraints, right = table_one(options.only)
    failed = failed or not right
    figures += by_constraints
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    if failed:
        print("some orders are not what they should be", file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
