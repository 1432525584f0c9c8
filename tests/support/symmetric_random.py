"""Random Promela programs that are nearly symmetric: clients with boxes of their own and a server, or a ring of nodes, with
now and then a line that tells one of them from the others.  Every line can be reached and matters, so that the symmetry
of the text and that of the behaviour are the same, and state spaces are small.

    python -m tests.support.symmetric_random SEED         print a program
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable


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


# --- programs of many kinds ------------------------------------------------------------------------------------------


def varied(seed: int) -> str:
    """A random program of many constructs whose processes do the same, now and then but for one line.  Other than those of
    `generate` they may hold lines that make no difference."""
    return f"/* seed {seed} */\n" + Varied(random.Random(seed)).program()


class Varied:
    """Processes `P` that hold ids in variables, arrays, messages and parameters, perhaps with a server."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.n = rng.choice([2, 2, 3])
        self.start = rng.choice(["active", "active", "run", "loop", "parameter", "channels"])
        self.first = 0 if self.start == "active" else 1
        self.me = "me" if self.start == "parameter" else "_pid"
        self.ids = range(self.first, self.first + self.n)
        self.nobody = self.first + self.n if rng.random() < 0.7 or self.first == 0 else 0
        self.served = rng.random() < 0.3
        self.capacity = rng.choice([0, 1, 1, 2])
        self.kept = rng.random() < 0.25

    def program(self) -> str:
        size = self.first + self.n
        remembers = self.rng.random() < 0.1
        parts = [
            "mtype = { ask, tell };",
            "bit x; bit gone;",
            f"byte owner = {self.nobody};",
            f"bit flag[{size}]; byte seen[{size}] = {self.nobody};",
            f"chan net = [{self.capacity}] of {{ mtype, byte }};",
            f"chan box[{size}] = [1] of {{ byte }};",
            *([f"chan line{k} = [1] of {{ byte, bit }};" for k in self.ids] if self.start == "channels" else []),
            *(["chan desk = [1] of { byte, chan };"] if self.served else []),
            self.process(),
            *([self.server()] if self.served else []),
            *([self.keeper()] if self.kept else []),
            self.starts(),
            *(["ltl moved { [] (_last != 1) }"] if remembers else []),
        ]
        return "\n".join(part for part in parts if part) + "\n"

    def process(self) -> str:
        head = {
            "active": f"active [{self.n}] proctype P()",
            "run": "proctype P()",
            "loop": "proctype P()",
            "parameter": "proctype P(byte me)",
            "channels": "proctype P(chan mine)",
        }[self.start]
        if self.start == "active" and self.rng.random() < 0.1:
            head += " priority 2"
        own = "chan back = [1] of { bit }; " if self.served else ""
        shape = self.rng.choice(["loop", "loop", "line", "rounds"])
        label = self.rng.choice(["", "", "progress: ", "accept: ", "end: "])
        body = self.body(self.rng.randint(2, 4))
        if shape == "loop":
            options = " ".join(f":: {self.step()}" for _ in range(self.rng.randint(1, 2)))
            body = f"{label}do :: {body} {options} od"
        elif shape == "rounds":
            body = f"do :: k < 1 -> k++; {body} :: else -> break od; gone = 1"
        return f"{head} {{ byte j = {self.nobody}; bit k; {own}\n  {body}\n}}"

    def body(self, length: int) -> str:
        steps = [self.step() for _ in range(length)]
        if self.rng.random() < 0.15:
            odd = self.rng.choice(self.ids)
            steps.insert(self.rng.randint(0, length), f"if :: {self.me} == {odd} -> x = 1 - x :: else fi")
        return "; ".join(steps)

    def step(self) -> str:
        steps: list[Callable[[], str]] = [
            self.flags, self.ownership, self.choice, self.messages, self.boxes, self.blocks, self.looks,
        ]  # fmt: skip
        if self.served:
            steps.append(lambda: f"desk!{self.me},back; back?k; k = 0")
        if self.start == "channels":
            steps.append(self.lines)
        return self.rng.choice(steps)()

    def flags(self) -> str:
        me = self.me
        return self.rng.choice(
            [
                f"flag[{me}] = 1",
                f"flag[{me}] = 1 - flag[{me}]",
                f"seen[{me}] = owner",
                f"flag[{me}] == 0 -> flag[{me}] = 1; flag[{me}] = 0",
                "x = 1 - x",
            ]
        )

    def ownership(self) -> str:
        me, nobody = self.me, self.nobody
        return self.rng.choice(
            [
                f"owner = {me}",
                f"owner == {me} -> owner = {nobody}",
                f"owner != {me}",
                f"if :: owner == {nobody} -> owner = {me} :: else -> x = 0 fi",
                f"atomic {{ owner == {nobody} -> owner = {me} }}; assert(owner == {me}); owner = {nobody}",
                f"assert(owner != {me} || flag[{me}] == 0)",
            ]
        )

    def choice(self) -> str:
        every = " ".join(f":: j = {k}" for k in self.ids)
        use = self.rng.choice(
            [
                "flag[j] = 0",
                f"seen[j] = {self.me}",
                f"if :: j != {self.me} -> owner = j :: else -> skip fi",
                f"flag[j] = flag[{self.me}]",
            ]
        )
        return f"if {every} fi; {use}; j = {self.nobody}"

    def messages(self) -> str:
        me, nobody = self.me, self.nobody
        return self.rng.choice(
            [
                f"net!ask({me})",
                f"net?ask(j); seen[{me}] = j; j = {nobody}",
                f"if :: net!tell({me}) :: net?tell(j); owner = j; j = {nobody} fi",
                f"net?_,j; j = {nobody}",
                f"if :: net??[ask(eval({me}))] -> x = 1 :: else -> net!ask({me}) fi"
                if self.capacity
                else f"net!tell({me})",
                "if :: nempty(net) -> net?_,_ :: empty(net) -> skip fi" if self.capacity else "net?_,_",
            ]
        )

    def boxes(self) -> str:
        me, nobody = self.me, self.nobody
        return self.rng.choice(
            [
                f"if :: owner != {nobody} && nfull(box[owner]) -> box[owner]!{me} :: else fi"
                if self.nobody
                else f"if :: owner -> box[owner]!{me} :: else fi",
                f"box[{me}]?j; flag[j] = 1; j = {nobody}",
                f"if :: len(box[{me}]) == 0 -> box[{me}]!{me} :: else -> box[{me}]?_ fi",
            ]
        )

    def lines(self) -> str:
        return self.rng.choice(
            [f"mine!{self.me},x", f"mine?j,k; owner = j; j = {self.nobody}; k = 0", "if :: mine?_,_ :: empty(mine) fi"]
        )

    def blocks(self) -> str:
        return self.rng.choice(
            [
                f"d_step {{ x = 1; flag[{self.me}] = 0 }}",
                f"atomic {{ x == 0 -> x = 1; owner = {self.me} }}",
                f"atomic {{ {self.flags()}; {self.messages()} }}",
            ]
        )

    def looks(self) -> str:
        return self.rng.choice(
            ["timeout -> x = 0", "x == 0", f"(owner == {self.nobody} || timeout)", "gone == 0", "skip", "_nr_pr > 1"]
        )

    def server(self) -> str:
        deed = self.rng.choice(["", f"owner = {self.nobody};", "owner = who;", "flag[who] = 0;"])
        return f"""proctype S() {{ byte who; chan to;
  end: do :: desk?who,to; {deed} to!1; who = 0 od
}}"""

    def keeper(self) -> str:
        """A process that holds an id and may end: what is left of it holds none."""
        every = " ".join(f":: who = {k}" for k in self.ids)
        deed = self.rng.choice(["owner = who", "flag[who] = 1 - flag[who]", "seen[who] = who", "skip"])
        leave = self.rng.choice(["x == 0", "true", "owner == " + str(self.nobody)])
        active = "active " if self.start == "active" else ""
        return f"{active}proctype K() {{ byte who; do :: if {every} fi; {deed} :: {leave} -> break od }}"

    def starts(self) -> str:
        server = (" run S();" if self.served else "") + (" run K();" if self.kept and self.start != "active" else "")
        if self.start == "active":
            return "init { run S() }" if self.served else ""
        run = {"run": "run P();", "loop": "run P();", "parameter": "run P({k});", "channels": "run P(line{k});"}[
            self.start
        ]
        if self.start == "loop":
            return f"init {{ byte i; atomic {{ i = 0; do :: i < {self.n} -> run P(); i++ :: else -> break od;{server} i = 0 }} }}"
        every = " ".join(run.format(k=k) for k in self.ids)
        if self.rng.random() < 0.2:
            return f"init {{ {every}{server} }}"
        return f"init {{ atomic {{ {every}{server} }} }}"


# --- processes that name one another ----------------------------------------------------------------------------------


def crowd(seed: int) -> str:
    """A random program whose four or five processes name one another, in boxes, in a shared channel and in arrays: chains, pairs
    and cycles of names, which only refinement or trying tells apart."""
    rng = random.Random(seed)
    n = rng.choice([4, 4, 5])
    pairs = rng.random() < 0.4
    fields, mine, any_ = ("{ byte, byte }", "_pid,j", "j,k") if pairs else ("{ byte }", "_pid", "j")
    where = rng.choice(["box[j]", "box[j]", "net"])
    deeds = [f"{where}!{mine}"]
    takes = [f"box[_pid]?{any_}", f"net?{any_}"] if where == "net" else [f"box[_pid]?{any_}"]
    uses = ["skip", "owner = j", "to[_pid] = j", "to[j] = _pid", "owner = to[j]"]
    if rng.random() < 0.5:
        deeds.append(rng.choice(["to[_pid] = j", "to[j] = _pid", "owner = j"]))
    every = " ".join(f":: j = {k}" for k in range(n))
    leave = rng.choice(["", "", f":: owner == _pid -> owner = {n}; to[_pid] = {n}"])
    sends = rng.choice([1, 2]) if n == 4 else 1
    forget = f"j = {n}" + (f"; k = {n}" if pairs else "")
    return f"""/* seed {seed} */
chan box[{n}] = [1] of {fields}; chan net = [{rng.choice([1, 2])}] of {fields};
byte sent, owner = {n}; byte to[{n + 1}] = {n};
active [{n}] proctype P() {{ byte j = {n}{f", k = {n}" if pairs else ""};
  do :: atomic {{ sent < {sends} -> sent++; if {every} fi; {"; ".join(deeds)}; {forget} }}
     :: atomic {{ {rng.choice(takes)}; {rng.choice(uses)}; {forget} }} {leave}
  od }}
"""


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
