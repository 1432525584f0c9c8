"""Tiny programs in which everything is contended: two to four processes, one or two channels, a few globals.

A large random program hides a lost interleaving behind a hundred others.  Here a process has a handful of statements, most of
them noticed by somebody: handshakes and sends beside `else`, `unless`, blocks that can stall in the middle, the length of a
channel in messages, patterns, indices and assertions, remote references that miss, processes that are started one by one,
die and are started again.  Between them are private steps, so that there is something to merge.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
THEMES = {"notice": 9.0, "duel": 1.5, "crowd": 1.5, "births": 1.5, "strangers": 2.0, "late": 2.0, "orders": 0.7}
"""One process notices in one way what another does; single processes; symmetric ones with ids; processes that start, die and
start again; symmetric ones that look for each other and find somebody else, or nobody; symmetric ones that come one by one;
priorities and `enabled`."""


@dataclass(frozen=True)
class Channel:
    name: str  # with an index that never changes, if it is one of an array
    capacity: int

    @property
    def buffered(self) -> bool:
        return self.capacity > 0


class Contention:
    """One program in the making.  With `strays`, remote references may find a process of another kind: they read 0 here, and
    in SPIN what happens to be in memory."""

    def __init__(self, seed: int, strays: bool = True) -> None:
        self.strays = strays
        self.random = random.Random(seed)
        self.theme = self.weighted(THEMES)
        self.ordered = self.theme == "orders"
        self.crowd = self.random.choice([2, 2, 3]) if self.theme in ("crowd", "strangers") else 0
        self.first = 0
        self.channels: list[Channel] = []
        self.own: Channel | None = None  # the channel of an array that belongs to the current process
        self.declarations: list[str] = []
        self.globals = ["g", "h", "k"][: self.random.choice([1, 2, 2, 3])]
        self.cells: list[str] = []
        self.loops = False  # whether the current process repeats itself, so that nothing may grow
        self.members = False  # whether the current process is one of the crowd
        self.seen: list[str] = []  # proctypes that the current process may look into: those before it
        self.complete: list[str] = []  # those whose labels are known, too
        self.blind = False  # where SPIN lets nobody look into another process
        self.local_array = ""
        self.deep = 0
        self.declare()

    # -- dice --------------------------------------------------------------------------------------------------------

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, items: Sequence[T]) -> T:
        return items[self.random.randrange(len(items))]

    def weighted(self, table: dict[str, float]) -> str:
        return self.random.choices(list(table), list(table.values()))[0]

    # -- the program -------------------------------------------------------------------------------------------------

    def declare(self) -> None:
        capacities = {"orders": (1, 1, 2), "late": (0, 0, 0, 1)}.get(self.theme, (0, 0, 1, 1, 2))
        for name in ("a", "b")[: self.random.choice([1, 2, 2])]:
            self.channels.append(Channel(name, self.pick(capacities)))
            self.declarations.append(f"chan {name} = [{self.channels[-1].capacity}] of {{ byte }};")
        size = max(3, self.crowd + 1)
        if self.chance(0.25):
            self.own = Channel("box[_pid % 3]" if size == 3 else "box[_pid % 4]", self.pick(capacities))
            self.declarations.append(f"chan box[{size}] = [{self.own.capacity}] of {{ byte }};")
        self.declarations.append(f"byte {', '.join(self.globals)};")
        if self.chance(0.5):
            self.declarations.append(f"byte t[{size}];")
            self.cells.append("t")
        if self.chance(0.15):
            self.declarations += ["typedef Pair { byte n; bit s[3] };", f"Pair r[{size}];"]
            self.cells.append("r")
        if self.crowd:
            self.declarations.append(f"pid owner = {self.crowd + 2}; byte ticks;")

    def program(self) -> str:
        rules = {"births": self.births, "notice": self.notice, "strangers": self.strangers, "late": self.late}
        parts = rules.get(self.theme, self.active)()
        return "\n".join([*self.declarations, *parts]) + "\n"

    def active(self) -> list[str]:
        parts = []
        if self.crowd:
            parts.append(self.proctype("P", f"active [{self.crowd}] ", members=True))
        for number in range(self.random.choice([1, 1, 2]) if self.crowd else self.random.choice([2, 2, 3, 3, 4])):
            parts.append(self.proctype("QRST"[number] if self.crowd else "PQRST"[number], "active "))
        return parts

    def births(self) -> list[str]:
        """Processes that `init` starts one by one, or again when they have died."""
        names = "PQR"[: self.random.choice([1, 2, 2, 2, 3])]
        parts = [self.proctype(name, self.pick(("", "", "", "active ")), "byte x" * self.chance(0.3)) for name in names]
        text = {part.split("(")[0].split()[-1]: part for part in parts}
        starts = []
        for name in [*names, *(self.pick(names) for _ in range(self.random.choice([0, 1, 1])))]:
            value = self.pick(("1", "2")) if "(byte x)" in text[name] else ""
            starts.append(f"run {name}({value})")
        self.random.shuffle(starts)
        actives = sum(part.startswith("active") for part in parts)
        self.local_array = ""
        lines = []
        for start in starts:
            lines.append(start)
            if self.chance(0.2):
                lines.append(f"_nr_pr == {self.random.randint(1, 2) + actives}")
            elif self.chance(0.25):
                lines.append(self.deed())
        if self.chance(0.25):
            lines = [f"atomic {{ {'; '.join(lines)} }}"]
        lines += self.pick(([], [], ["end: false"], ["do :: false od"], [self.claim()], [self.hesitation()]))
        return [*parts, f"init {{\n  byte x, y;\n  {'; '.join(lines)}\n}}"]

    def proctype(self, name: str, active: str, parameter: str = "", members: bool = False) -> str:
        self.loops, self.members = self.chance(0.7 if members else 0.15), members
        if members or self.chance(0.2):
            self.seen = [*self.seen, name]  # SPIN lets a process look at its own kind
        variables = (["byte y"] if parameter else ["byte x, y"]) + self.pick(([], ["byte m[3]"], ["bit m[3]"]))
        if members:
            variables = ["pid x = _pid", *variables[0].replace("x, ", "").split("; "), *variables[1:]]
        self.local_array = "m" if any(" m[" in text for text in variables) else ""
        lines = [self.private()] if self.chance(0.6) else []
        lines += self.round() if not self.loops else self.rounds()
        clauses = f" priority {self.random.randint(1, 3)}" if self.ordered and self.chance(0.6) else ""
        condition = self.without_looking(lambda: self.look(polls=False))
        clauses += f" provided ({condition})" if self.chance(0.07) else ""
        body = ";\n  ".join([*variables, *lines])
        self.complete.append(name)
        self.seen = list(self.complete)
        return f"{active}proctype {name}({parameter}){clauses} {{\n  {body}\n}}"

    def round(self) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            lines.append(self.deal())
            if lines[-1].startswith("d_step") and len(lines) > 1:
                lines.insert(-1, self.private())  # SPIN rejects a jump to a d_step, and the end of a choice is one
            if self.chance(0.4):
                lines.append(self.private())
            if self.chance(0.3):
                lines.append(self.claim())
        lines.insert(self.random.randint(0, len(lines) - 1), "spot: skip")
        if self.chance(0.1):
            lines.append(self.pick(("end: false", "end: " + self.exchange())))
        return lines

    def rounds(self) -> list[str]:
        """A loop; in a crowd now and then one that waits long enough for nearby states not to show what it does."""
        options = [f":: {self.deal()}" + (f"; {self.private()}" if self.chance(0.4) else "")]
        options += [f":: {self.deal()}" for _ in range(self.random.choice([0, 1]))]
        if self.members and self.chance(0.5):
            long = self.pick((3, 20, 30))
            options = [f":: ticks < {long} -> ticks++"] + [
                f":: atomic {{ ticks == {long} -> {option[3:]} }}" for option in options
            ]
        if self.chance(0.2):
            options.append(f":: {self.look()} -> break")
        elif self.chance(0.2) and not any("else" in option for option in options):
            options.append(f":: else -> {self.deed()}")
        return ["\n  ".join(["spot: do", *options, "od"])]

    def without_looking(self, rule: Callable[[], T]) -> T:
        before, self.blind = self.blind, True
        result = rule()
        self.blind = before
        return result

    # -- one way to notice ------------------------------------------------------------------------------------------

    def notice(self) -> list[str]:
        """One channel between somebody who acts on it and somebody who notices that he can, could, or did: in one way only,
        for what is noticed in several is soon taken to be visible.  A third one may compete or look on."""
        sends = self.chance(0.5)
        roles = [(self.acting, sends), (self.noticing, not sends)]
        if self.chance(0.2):
            roles.append((self.pick((self.acting, self.noticing, self.acting)), self.chance(0.5)))
        self.random.shuffle(roles)
        self.declarations.append("chan c = [1] of { byte };")
        if "t" not in self.cells:
            self.declarations.append("byte t[3];")
        parts = []
        for name, (role, sends) in zip("PQR", roles):
            lines = [self.pick((self.private, self.mark))() for _ in range(self.random.choice([0, 0, 0, 1, 2]))]
            lines += role(sends)
            lines += [self.pick((self.mark, self.mark, self.private))() for _ in range(self.random.choice([0, 1, 1]))]
            if self.chance(0.1):
                lines = [f"do :: {'; '.join(lines)} od"]
            clause = f" provided ({self.pick(self.globals)} != 2)" if self.chance(0.02) else ""
            body = ";\n  ".join(["byte x, y", *lines])
            parts.append(f"active proctype {name}(){clause} {{\n  {body}\n}}")
        if self.chance(0.15):
            parts.append(f"active proctype T() {{ {self.claim_about_marks()} }}")
        return parts

    def strangers(self) -> list[str]:
        """A crowd whose members hold ids and look into processes that are there, of another kind, or not there at all: soon, or
        when nearby states have long been tried."""
        n, nobody = self.crowd, self.crowd + 2
        far = f"ticks == {(ticks := self.pick((0, 2, 20, 25)))}"
        self.declarations.append(f"pid turn = {nobody};")
        # A stray one is the other kind behind the crowd; a process that is not there reads 0 in SPIN, too.
        who = self.pick((str(n), str(n), "turn", "9") if self.strays else ("9", "9", "_pid"))
        kin = self.pick((f"P[{who}]:x", f"P[{who}]:x", f"P[{who}]:y", f"(P[{who}]@spot -> _pid : owner)"))
        claim = self.pick(
            ("assert(turn == owner)", "assert(turn != owner)", self.mark(), "skip", "assert(turn != _pid)")
        )
        options = [
            f"atomic {{ {far} && owner == {nobody} -> owner = _pid }}",
            f"atomic {{ {far} && owner == _pid && turn == {nobody} -> turn = {kin}; {claim} }}",
        ]
        more = [
            f"atomic {{ {far} && turn == _pid -> {self.mark()} }}",
            f"atomic {{ {far} && turn == _pid -> turn = {nobody} }}",
            f"atomic {{ {far} && owner == _pid -> owner = {nobody} }}",
            f"atomic {{ {far} && {kin} == _pid -> {self.mark()} }}",
            f"atomic {{ {far} && y == 0 -> y = 1 }}",
            f"atomic {{ {far} && turn < {n} -> m[turn] = 1 }}",
            f"atomic {{ {far} && !m[{self.random.randrange(n)}] -> m[_pid] = 1 }}",
        ]
        options += self.random.sample(more, self.random.choice([0, 1, 1, 2]))
        options += [f"ticks < {ticks} -> ticks++"] * (ticks > 0)
        body = "\n  ".join(["spot: do", *(f":: {option}" for option in options), "od"])
        crowd = f"active [{n}] proctype P() {{\n  pid x = _pid; byte y; bit m[{n}];\n  {body}\n}}"
        other = self.pick(("pid x = 1; false", "byte x, y; x = 2; end: false", f"byte x, y; {self.mark()}; false"))
        return [crowd, f"active proctype S() {{ {other} }}"]

    def late(self) -> list[str]:
        """Two or three of one kind that `init` starts one by one, with others in between that notice who is there already."""
        sends = self.chance(0.5)
        roles = [self.noticing, self.acting]
        self.declarations.append("chan c = [1] of { byte };")
        self.declarations += ["byte t[3];"] * ("t" not in self.cells)
        # Who dies frees its number, youngest first, which tells processes apart: so most of them stay.
        stays = ("; do :: y == 7 od", "; false", "; end: false") if self.chance(0.8) else ("; false", "")
        parts = []
        for name, role, direction in zip("PR", roles, (sends, not sends)):
            lines = [self.private()] * self.chance(0.3) + role(direction) + [self.private()] * self.chance(0.3)
            body = "; ".join(lines)
            if self.chance(0.2 if role == self.noticing else 0.6):
                body = f"do :: {body} od"
            tail = self.pick(stays)
            parts.append(f"proctype {name}() {{\n  byte x, y;\n  {body}{tail}\n}}")
        starts = ["run P()", "run R()", "run P()"] + ["run P()"] * self.chance(0.2) + ["run R()"] * self.chance(0.2)
        if self.chance(0.4):
            self.random.shuffle(starts)
        starts += self.pick((["do :: false od"], ["false"], ["end: false"], [], [self.mark()]))
        return [*parts, f"init {{ byte y; {'; '.join(starts)} }}"]

    def mark(self) -> str:
        values = ("1", "2", "3", "4", "5") + ("y",) * (not self.crowd)
        return f"{self.pick(self.globals)} = {self.pick(values)}"

    def claim_about_marks(self) -> str:
        conditions = [f"{name} == {self.pick('0012')}" for name in self.globals]
        return f"assert(!({' && '.join(conditions)}))"

    def operation(self, sends: bool, channel: Channel | None = None) -> str:
        """A send or a receive that most others can answer."""
        channel = channel or self.channels[0]
        if sends:
            return f"{channel.name}{self.pick(('!', '!', '!', '!', '!!')) if channel.buffered else '!'}{self.pick('1111112')}"
        bound = [self.pick(self.globals), "y", "y", "y", "_", "1", "eval(x + 1)"]
        forms = ("?", "?", "?", "??") if channel.buffered else ("?",)
        return f"{channel.name}{self.pick(forms)}{self.pick(bound)}"

    def acting(self, sends: bool) -> list[str]:
        """Steps of one's own that lead to the channel."""
        lines = [self.private() for _ in range(self.random.choice([0, 1, 1, 2]))] + [self.operation(sends)]
        if self.chance(0.6):
            # As plain as can be: one's own end of a channel, and nothing but local variables.
            return [*lines[:-1], self.channels[0].name + ("!1" if sends else self.pick(("?y", "?y", "?_")))]
        if self.chance(0.25):
            lines = [f"if :: {'; '.join(lines)} :: {self.mark()} fi"]
        elif self.chance(0.2):
            lines = [*lines[:-1], f"atomic {{ {lines[-1]}; {self.mark()} }}"]
        elif self.chance(0.15) and not (sends and not self.channels[0].buffered):
            lines = ["skip", f"d_step {{ {lines[-1]}; {self.mark()} }}"]
        elif self.chance(0.15):
            lines += [self.private(), self.operation(self.chance(0.5))]
        elif self.chance(0.1):
            lines = [f"atomic {{ {'; '.join([self.mark(), *lines])} }}"]
        return lines

    def noticing(self, sends: bool) -> list[str]:
        """In one of many ways."""
        channel, operation, mark = self.channels[0], self.operation(sends), self.mark()
        other = self.pick((self.mark(), self.mark(), "assert(false)", "skip", f"{self.private()}; {self.mark()}"))
        ways = [
            f"if :: {operation} -> {mark} :: else -> {other} fi",
            f"if :: {operation} :: else -> {other} fi",
            f"if :: {operation} :: {self.pick(self.globals)} == 1 -> {mark} :: else -> {other} fi",
            f"do :: {operation} -> break :: else -> {other}; break od",
            f"{{ {self.mark()}; {self.private()} }} unless {{ {operation}; {mark} }}",
            f"{{ {self.private()}; {self.mark()}; false }} unless {{ {operation} }}",
            f"atomic {{ {mark}; {operation}; {self.mark()} }}",
            f"atomic {{ {mark}; {operation} }}",
            f"atomic {{ {mark}; if :: {operation} :: {self.pick(self.globals)} == 3 fi; {self.mark()} }}",
        ]
        if self.chance(0.1):
            ways = [f"if :: {operation} :: timeout -> {other} fi", f"timeout -> {operation}; {mark}"]
        if not sends or channel.buffered:
            ways.append(f"d_step {{ if :: {operation} :: else -> {mark} fi; {self.mark()} }}")
            ways.append(f"{{ {self.mark()}; {self.mark()} }} unless {{ d_step {{ {operation}; {mark} }} }}")
            ways.append(f"atomic {{ {mark}; d_step {{ {operation}; {self.mark()} }} }}")
        if channel.buffered and self.chance(0.55):
            name, target = channel.name, self.pick(self.globals)
            probe = self.pick(("empty", "full", "nempty", "nfull"))
            ways = [
                f"c!len({name}); c?{target}",
                f"c!(len({name}) + 1); c?{target}",
                f"c!!len({name}); c?y; {target} = y",
                f"c!{name}?[1]; c?{target}",
                f"c!1; if :: c?eval(len({name})) -> {mark} :: c?_ fi",
                f"c!0; if :: c??eval(len({name})) -> {mark} :: else -> {other} fi",
                f"t[len({name})] = 1; {target} = t[1]",
                f"{target} = t[len({name})] + len({name})",
                f"x = len({name}); {target} = x",
                f"x = {name}?[1]; {target} = x + 1",
                f"{target} = (len({name}) == 0 -> 1 : 2)",
                f"assert(len({name}) != 1)",
                f"assert({self.pick(('nempty', 'nfull', 'empty', 'full'))}({name}))",
                f"if :: {probe}({name}) -> {mark} :: else -> {other} fi"
                if probe in ("nempty", "nfull")
                else f"{probe}({name}) -> {mark}",
                f"atomic {{ {mark}; {probe}({name}); {self.mark()} }}",
                f"d_step {{ {target} = len({name}); {mark} }}",
                f"d_step {{ len({name}) == 1; {mark} }}",
                f"{{ {self.mark()}; {mark} }} unless {{ len({name}) == {self.pick('01')} }}",
                f"for (x : 0 .. len({name})) {{ {target} = x }}",
                f"if :: {name}?<_> -> {mark} :: else -> {other} fi",
                f"if :: {name}??<1> -> {mark} :: {name}!!2 -> {mark} :: else -> {other} fi",
                f'printf("%d", len({name})); {target} = {name}?[_]',
            ]
        return [self.pick(ways)]

    # -- statements --------------------------------------------------------------------------------------------------

    def deal(self) -> str:
        """Something that others notice."""
        rules: dict[str, tuple[float, Callable[[], str]]] = {
            "exchange": (2.0, self.exchange),
            "deed": (2.0, self.deed),
            "hesitation": (3.0, self.hesitation),
            "escape": (1.5, self.escape),
            "hold": (2.5, self.hold),
            "decision": (1.2, self.decision),
            "wait": (1.0, lambda: f"{self.look()} -> {self.deed()}"),
            "belated": (0.3, lambda: f"timeout -> {self.deed()}"),
        }
        if self.members:
            rules["ids"] = (4.0, self.ids)
        name = self.weighted({key: weight for key, (weight, _) in rules.items()})
        return rules[name][1]()

    def private(self) -> str:
        if self.members:
            return self.pick(("skip", "y = 1", "y = 1 - y", "y = 0"))
        table = ["skip", "x = 1", "y = x", "x = 1 - x", "y = 2", "x = 0; y = 0", "if :: x == 0 -> y = 1 :: else fi"]
        return self.pick(table + ["m[x % 3] = 1"] * bool(self.local_array))

    def deed(self) -> str:
        """A change of a global variable that never waits."""
        target = self.pick(self.globals)
        if self.cells and self.chance(0.25):
            target = self.cell()
        if self.chance(0.15):
            return f"{target} = ({target} + 1) % 3"
        return f"{target} = {self.value()}"

    def cell(self) -> str:
        index = self.pick(("_pid % 3", "_pid % 3", self.pick(("0", "1", "2")), f"{self.value()} % 3"))
        name = self.pick(self.cells)
        return f"t[{index}]" if name == "t" else self.pick((f"r[{index}].n", f"r[{index}].s[{self.pick(('0', '1'))}]"))

    def value(self) -> str:
        buffered = [c for c in self.channels if c.buffered]
        options = ["0", "1", "1", "2", "3", self.pick(self.globals), "y"]
        options += [] if self.members else ["x"]
        options += [f"len({c.name})" for c in buffered] * 2
        if self.chance(0.3):
            options = [f"({self.look(polls=False, probes=False)} -> {self.pick('12')} : {self.pick('03')})"]
            options += [f"{c.name}?[{self.pick('12')}]" for c in buffered]
            options += [f"_nr_pr % {self.pick('34')}", "_pid"]
            options += [self.remote()] if self.seen and not self.blind else []
            options += ["_last % 3"] if self.chance(0.1) and not self.blind else []
            if self.ordered:
                options += [self.ability(), f"get_priority({self.pick('01')})"]
        text = self.pick(options)
        return f"({text}) % 4" if self.loops and text.startswith("len") else text

    def remote(self) -> str:
        """A local variable of somebody who may be of another kind, or not be there at all."""
        kind = self.pick(self.seen)
        who = self.pick(("0", "1", "2", "3", "5", self.pick(self.globals)) + ("owner", "_pid") * bool(self.crowd))
        if not self.strays:
            who = self.hit(kind)
        return f"{kind}[{who}]:{self.pick(('x', 'y'))}"

    def hit(self, kind: str) -> str:
        """The number of a process of this kind, or of nobody: those of dead ones may be used again by others."""
        if self.theme == "births":
            return "9"
        first = 0 if self.crowd and kind == "P" else max(0, self.crowd - 1) + "PQRST".index(kind)
        return str(self.pick((*range(first, first + (self.crowd if kind == "P" and self.crowd else 1)), 9)))

    def ability(self) -> str:
        """Whether an earlier process can move: to ask whether one can move oneself would be to go round in circles."""
        return f"enabled({self.random.randrange(len(self.complete))})" if self.complete else "0"

    def look(self, polls: bool = True, probes: bool = True) -> str:
        """A condition on what others change."""
        buffered = [c for c in self.channels if c.buffered]
        name = self.pick(self.globals)
        options = [f"{name} == {self.pick('0112')}", f"{name} != {self.pick(['0', '1', *self.globals])}"]
        options += [f"len({c.name}) == {self.pick('01')}" for c in buffered]
        if polls:
            options += [f"{c.name}?[{self.pick(('1', '_', f'eval({name})'))}]" for c in buffered]
        if probes:
            options += [f"{self.pick(('empty', 'full', 'nempty', 'nfull'))}({c.name})" for c in buffered]
        if self.seen and not self.blind and self.chance(0.2):
            kind = self.pick(self.seen)
            who = self.pick("01235") if self.strays else self.hit(kind)
            options = [f"{kind}[{who}]:y == {self.pick('01')}"]
            options += [f"{kind}[{who}]@spot"] if kind in self.complete else []
        if self.ordered and self.chance(0.3):
            options = [f"{self.ability()} == {self.pick('01')}"]
        if self.chance(0.04) and not self.blind:
            options = [f"_last == {self.pick('01')}", f"pc_value({self.pick('01')}) > 2"]
        return self.pick(options)

    def channel(self) -> Channel:
        return self.own if self.own and self.chance(0.3) else self.pick(self.channels)

    def exchange(self, sends: bool | None = None) -> str:
        """A send or a receive, which may have to wait."""
        channel = self.channel()
        if sends if sends is not None else self.chance(0.5):
            mark = "!!" if channel.buffered and self.chance(0.25) else "!"
            return f"{channel.name}{mark}{self.value()}"
        forms = ["{}?{}"] * 3 + (["{}??{}", "{}?<{}>", "{}??<{}>"] if channel.buffered else [])
        bound = ["y", *self.globals] + ["x"] * (not self.members)
        expected = self.without_looking(self.value)
        pattern = self.pick((self.pick(bound), self.pick(bound), "_", self.pick("12"), f"eval({expected})"))
        return self.pick(forms).format(channel.name, pattern)

    def guarded(self) -> str:
        return self.exchange() if self.chance(0.7) else self.look()

    def hesitation(self) -> str:
        """A channel operation, or something else if it cannot be done at once."""
        options = [f":: {self.exchange()}" + (f" -> {self.deed()}" if self.chance(0.5) else "")]
        if self.chance(0.3):
            options.append(f":: {self.guarded()} -> {self.deed()}")
        options.append(f":: else -> {self.pick((self.deed(), self.deed(), self.private(), 'assert(false)'))}")
        words = self.pick((("if", "fi"), ("if", "fi"), ("do", "od")))
        if words[0] == "do":
            options = [f"{option}; break" for option in options]
        return f"{words[0]} {' '.join(options)} {words[1]}"

    def escape(self) -> str:
        """Something that is given up as soon as something else can be done."""
        inside = [
            self.pick((self.deed, self.private, self.exchange, self.deed))() for _ in range(self.random.randint(1, 3))
        ]
        main = "; ".join(inside)
        if self.chance(0.25):
            main = f"atomic {{ {main} }}"
        elif self.chance(0.15):
            main = self.decision()
        guard = self.exchange() if self.chance(0.6) else self.look()
        return f"{{ {main} }} unless {{ {guard} -> {self.deed()} }}"

    def hold(self) -> str:
        """An atomic block, which can stall in the middle."""
        lines = [self.guarded()] if self.chance(0.4) else []
        lines += [self.deed()]
        if self.deep < 1 and self.chance(0.15):
            self.deep += 1
            lines.append(self.pick((self.escape, self.hesitation, self.decision))())
            self.deep -= 1
        else:
            lines.append(self.exchange() if self.chance(0.75) else self.look())
        lines += [self.pick((self.deed, self.private, self.claim))()] if self.chance(0.6) else []
        return f"atomic {{ {'; '.join(lines)} }}"

    def decision(self) -> str:
        return self.without_looking(self.deterministic)

    def deterministic(self) -> str:
        """A deterministic step; its first statement may wait, and a handshake cannot be offered in it."""
        channel = self.channel()
        first = self.look()
        if self.chance(0.6):
            first = f"{channel.name}?{self.pick(('y', self.pick(self.globals), '_', '1'))}"
            if channel.buffered and self.chance(0.5):
                first = f"{channel.name}{self.pick(('!', '!', '!!'))}{self.value()}"
        if self.chance(0.2):
            first = f"if :: {first} :: else -> {self.deed()} fi"
        lines = [first, self.deed()] + ([self.private()] if self.chance(0.3) else [])
        return f"d_step {{ {'; '.join(lines)} }}"

    def claim(self) -> str:
        """An assertion that some order of events violates."""
        one, other = self.look(), f"{self.pick(self.globals)} == {self.pick('012')}"
        if self.chance(0.3):
            return f"assert({self.look(polls=False, probes=False)} || {other})"
        return (
            f"assert({one})"
            if self.chance(0.2)
            else f"assert({self.pick(self.globals)} != {self.pick('012')} || {other})"
        )

    def ids(self) -> str:
        """What the members of a crowd do with their numbers."""
        nobody = self.crowd + 2
        stray = ("owner", str(self.crowd), str(self.crowd + 1))
        kin = f"P[{self.pick(('9', '_pid', *stray * self.strays))}]"
        table = [
            "owner = _pid",
            f"owner == _pid -> owner = {nobody}",
            f"atomic {{ owner == {nobody} -> owner = _pid }}",
            f"atomic {{ owner == _pid -> owner = {kin}:x; assert(owner == {kin}:x) }}",
            f"atomic {{ owner == _pid -> {self.pick(self.globals)} = {kin}:x }}",
            f"assert(owner != {kin}:x)",
            f"if :: owner == {nobody} -> owner = _pid :: else -> {self.deed()} fi",
            f"atomic {{ {self.exchange(sends=True)}; owner = _pid }}",
            f"{self.pick(self.channels).name}!_pid",
        ]
        if self.cells:
            table += [
                f"{self.cells[0]}[_pid]{'.n' * (self.cells[0] == 'r')} = 1",
                "atomic { owner == _pid -> owner = x }",
            ]
            table += ["t[_pid] = 1 - t[_pid]", "if :: t[_pid] == 1 -> t[_pid] = 0 :: else -> owner = _pid fi"] * (
                "t" in self.cells
            )
        if self.local_array:
            table += [f"atomic {{ !m[{k}] -> m[{k}] = 1 }}" for k in range(self.crowd)]
            table += ["m[_pid] = 1 - m[_pid]", f"atomic {{ owner < {min(3, self.crowd)} -> m[owner] = 1 }}"]
        return self.pick(table)
