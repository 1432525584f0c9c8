"""Random Promela programs that are nearly symmetric: clients with boxes of their own and a server, or a ring of nodes, with
now and then a line that tells one of them from the others.  Every line can be reached and matters, so that the symmetry
of the text and that of the behaviour are the same, and state spaces are small.

    python -m tests.symmetric_random SEED         print a program
"""

from __future__ import annotations

import random
import sys


def generate(seed: int) -> str:
    """A random program; the same seed always gives the same text."""
    rng = random.Random(seed)
    return f"/* seed {seed} */\n" + (ring(rng) if rng.random() < 0.3 else star(rng))


def star(rng: random.Random) -> str:
    """Clients write to each other by way of a server."""
    n = rng.choice([2, 3, 3, 4])
    clients = range(1, n + 1)
    capacity = rng.choice([0, 1])
    asymmetric = rng.random() < 0.6
    odd = rng.randint(1, n) if asymmetric else 0
    how = rng.choice(["blocked", "property", "missing", "priority", "once", "swapped"]) if asymmetric else ""
    boxes = "".join(f"chan box{k} = [{capacity}] of {{ pid }};\n" for k in clients)
    targets = [k for k in clients if not (how == "missing" and k == odd)]
    route = list(clients)
    if how == "swapped":
        rng.shuffle(route)
    choose = " ".join(f":: dest = {k}" for k in targets)
    order = rng.sample(range(n), n)
    forward = " ".join(f":: dest == {i + 1} -> box{route[i]}!source" for i in order)
    guard = f":: source == {odd} -> dropped++ " if how in ("blocked", "once") else ""
    if how == "once":
        guard = f":: source == {odd} && last == 0 -> dropped++ "
    serve = f"if {guard}:: else -> if {forward} fi fi" if guard else f"if {forward} fi"
    favour = f"if :: dest == {odd} -> skip :: else -> seen = true fi;" if how == "priority" else ""
    busy = rng.random() < 0.5
    claim = f"ltl p {{ [] (last != {odd}) }}" if how == "property" else ""
    return f"""{boxes}chan net = [1] of {{ pid, pid }};
pid last; byte sent, dropped; bool seen;{f" bool busy[{n + 1}];" if busy else ""}
proctype client(chan in) {{
  pid source, dest;
  do :: in?source -> {"busy[_pid] = true;" if busy else ""} last = source; source = 0
     :: atomic {{ sent < {2 if n == 2 else 1} -> sent++; if {choose} fi; net!_pid,dest; {favour} dest = 0 }}
  od }}
proctype server() {{
  pid source, dest;
  do :: net?source,dest; {serve}; source = 0; dest = 0 od }}
init {{ atomic {{ {" ".join(f"run client(box{k});" for k in clients)} run server() }} }}
{claim}
"""


def ring(rng: random.Random) -> str:
    """Nodes that pass a token on; the ring may have a node that behaves differently."""
    n = rng.choice([3, 4])
    nodes = range(1, n + 1)
    links = "".join(f"chan link{k} = [1] of {{ pid }};\n" for k in nodes)
    odd = rng.choice([0, 0, rng.randint(1, n)])
    order = [*nodes]
    if rng.random() < 0.3:
        rng.shuffle(order)  # another ring, or rather the same one
    starts = " ".join(f"run node(link{order[i]}, link{order[(i + 1) % n]});" for i in range(n))
    special = f"if :: _pid == {odd} -> count = 1 - count :: else fi;" if odd else ""
    return f"""{links}bool made; byte count; pid holder;
proctype node(chan in, out) {{
  pid from;
  do :: atomic {{ !made -> made = true; out!_pid }}
     :: in?from; atomic {{ holder = from; {special} from = 0; out!_pid }}
  od }}
init {{ atomic {{ {starts} }} }}
"""


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
