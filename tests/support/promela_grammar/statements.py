"""Random statements: assignments, messages, control, declarations, and their layout."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from tests.support.promela_grammar.expressions import Expressions
from tests.support.promela_grammar.scope import (
    BUFFERED,
    HANDSHAKE,
    INTEGERS,
    MIXED,
    NUMBERS,
    SYMBOLS,
    Context,
    Place,
    Proctype,
    Scope,
    Signature,
    Statement,
)


class Statements(Expressions):
    """The rules of the grammar for statements."""

    def sequence(self, context: Context, count: int) -> list[Statement]:
        statements: list[Statement] = []
        for index in range(count):
            statement = self.statement(context)
            if statement[0] == "d_step {" and statements and len(statements[-1]) > 1:
                statements.append(["skip"])  # SPIN rejects a jump to a d_step, and the end of a loop is one
            inner = context.cyclic and context.jumps and context.depth > 0 and index > 0 and self.current is not None
            if inner and self.chance(0.08) and re.match(r"[a-z]\w* = |skip|assert|if|do", statement[0]):
                name = f"N_{self.current.name}_{len(self.inner_labels)}"  # type: ignore[union-attr]
                self.inner_labels.append(name)
                statement = [f"{name}: {statement[0]}", *statement[1:]]
            statements.append(statement)
            if re.match(r"goto|break", statement[0]):
                break
        return statements

    def statement(self, context: Context) -> Statement:
        deep = context.depth >= 3
        table = {
            "assign": 8.0,
            "count": 1.5,
            "skip": 0.5,
            "private": 1.2,
            "show": 0.4,
            "assertion": 1.0,
            "selection": 0.0 if deep else 3.0,
            "counted_loop": 0.0 if deep or not context.declares else 1.0,
            "call": 0.8 if self.inlines and context.declares else 0.0,
            "macro": 0.5,
            "local": 0.8 if context.declares else 0.0,
            "d_step": 0.0 if deep else 1.0,
        }
        if not context.quiet:
            table |= {
                "send": 2.5,
                "receive": 1.3,
                "wait": 0.5,
                "select": 0.7,
                "atomic": 0.0 if deep else 1.5,
                "block": 0.0 if deep else 0.4,
                "unless": 0.0 if deep else 1.2,
                "loop": 1.5 if context.cyclic and not deep else 0.0,
                "choice": 0.0 if deep else 3.5,
                "spawn": 1.5 if self.spawned and self.current and self.current not in self.spawned else 0.0,
                "jump": 0.7 if context.jumps else 0.0,
            }
        rule: Callable[[Context], Statement] = getattr(self, self.weighted(table))
        return rule(context)

    def assign(self, context: Context) -> Statement:
        places = self.writable(context)
        place = self.pick(places)
        aliases = [p for p in context.scope.places if p.kind.startswith("chan") and p.writable]
        if aliases and not context.quiet and self.chance(0.15):
            place = self.pick(aliases)
        return [f"{self.place(context, place)} = {self.value(context, place.kind)}"]

    def count(self, context: Context) -> Statement:
        place = self.pick(self.writable(context))
        name = self.place(context, place)
        if context.bounded and place.kind not in ("bit", "bool", "unsigned"):
            return [f"{name} = ({name} + 1) % 3"]
        return [name + self.pick(("++", "--"))]

    def skip(self, context: Context) -> Statement:
        return [self.pick(("skip", "true", "(1)"))]

    def private(self, context: Context) -> Statement:
        """A step that nobody else can see."""
        own = [p for p in self.current.locals if p in context.scope.places] if self.current else []
        if not own:
            return self.skip(context)
        place = self.pick(own)
        return [
            f"{self.place(context, place)} = {self.value(replace(context, watches=False, bounded=True), place.kind)}"
        ]

    def show(self, context: Context) -> Statement:
        symbols = [p for p in context.scope.places if p.kind == "mtype"]
        if symbols and self.chance(0.4):
            return [f"printm({self.place(context, self.pick(symbols))})"]
        return [f'printf("%d\\n", {self.number(context, 1)})']

    def assertion(self, context: Context) -> Statement:
        return [f"assert({self.truth(context, 1)})"]

    def wait(self, context: Context) -> Statement:
        """A condition that may block; channel probes may only be combined, not negated, in SPIN's grammar."""
        if self.chance(0.2):
            place = self.pick([p for p in context.scope.places if p.kind.startswith("chan")])
            probe = f"{self.pick(('empty', 'full', 'nempty', 'nfull'))}({self.place(context, place)})"
            return [self.pick((probe, f"({probe} {self.pick(('&&', '||'))} {self.truth(context, 1)})"))]
        if self.chance(0.08):
            return ["timeout"]
        return [f"({self.truth(context, 2)})"]

    def call(self, context: Context) -> Statement:
        places = [p for p in self.writable(context) if p.kind in ("byte", "short", "int") and p.pattern.isalnum()]
        if not places or context.quiet:
            return self.assign(context)
        # SPIN reads the `b :` of a conditional `(a -> b : c)` in an argument as a label: so only simple ones.
        return [f"{self.pick(self.inlines)}({self.pick(places).pattern}, {self.number(context, 0)})"]

    def macro(self, context: Context) -> Statement:
        place = self.place(context, self.pick(self.writable(context)))
        if self.returns and context.declares and not context.quiet and self.chance(0.5):
            return [f"{place} = plus({self.number(context, 0)})"]
        return [f"NEXT({place}, {self.random.randint(2, 3)})"]

    def local(self, context: Context) -> Statement:
        """A declaration after statements: a step of its own."""
        return [self.declare(context.scope, "t", context)]

    def spawn(self, context: Context) -> Statement:
        """Run a process that ends, if there is room: its number is then used again."""
        text = self.run(context, self.spawned[0])
        pids = [p for p in self.writable(context) if p.kind == "pid"]
        if pids and self.chance(0.3):
            text = f"{self.place(context, self.pick(pids))} = {text}"
        limit = sum(p.instances or 1 for p in self.proctypes) + 1
        if self.chance(0.7):
            return ["atomic {", f"  _nr_pr < {limit} ->", f"  {text}", "}"]
        return ["if", f":: _nr_pr < {limit} -> {text}", f":: _nr_pr >= {limit}", "fi"]

    def jump(self, context: Context) -> Statement:
        target = "any" if context.cyclic else "later"
        return [f"goto @{target}"] if not context.breakable or self.chance(0.5) else ["break"]

    def run(self, context: Context, proctype: Proctype) -> str:
        # For an mtype parameter SPIN takes a constant only.
        arguments = [
            self.pick(SYMBOLS[place.kind]) if place.kind in SYMBOLS else self.value(context, place.kind)
            for place in proctype.parameters
        ]
        priority = f" priority {self.random.randint(1, 3)}" if self.priorities and self.chance(0.5) else ""
        return f"run {proctype.name}({', '.join(arguments)}){priority}"

    # -- messages ----------------------------------------------------------------------------------------------------

    def send(self, context: Context) -> Statement:
        place = self.pick([p for p in context.scope.places if p.kind.startswith("chan")])
        values = [self.value(context, kind) for kind in self.channel(place).fields]
        operator = "!!" if self.channel(place).kind == BUFFERED and self.chance(0.2) else "!"
        return [self.place(context, place) + operator + self.arguments(values)]

    def receive(self, context: Context) -> Statement:
        place = self.pick([p for p in context.scope.places if p.kind.startswith("chan")])
        forms = ("{}?{}", "{}?{}", "{}?{}", "{}??{}", "{}?<{}>", "{}??<{}>")
        form = self.pick(forms) if self.channel(place).kind == BUFFERED else "{}?{}"
        # Fixed indices: pan undoes `c[x]?x` with the new x, and so corrupts its own state.
        return [form.format(self.place(context, place, fixed=True), self.arguments(self.patterns(context, place)))]

    def arguments(self, values: list[str]) -> str:
        if len(values) > 1 and re.fullmatch(r"\w+", values[0]) and self.chance(0.15):
            return f"{values[0]}({', '.join(values[1:])})"
        return ", ".join(values)

    # -- control -----------------------------------------------------------------------------------------------------

    def guard(self, context: Context) -> Statement:
        rules = {"wait": 4.0, "assign": 1.5, "send": 1.5, "receive": 2.5, "skip": 0.4, "choice": 0.5, "atomic": 0.4}
        if context.quiet or context.depth >= 3:
            return [f"({self.truth(context, 1)})"]
        rule: Callable[[Context], Statement] = getattr(self, self.weighted(rules))
        return rule(replace(context, depth=context.depth + 1, guarding=True))

    def selection(self, context: Context) -> Statement:
        """`if` with `else`: never blocks."""
        inner = replace(context, depth=context.depth + 1, guarding=False)
        lines = ["if"]
        for _ in range(1 if context.quiet else self.random.randint(1, 2)):
            lines += self.option([f"({self.truth(context, 2)})"], self.sequence(inner, self.random.randint(0, 2)))
        lines += self.option(["else"], self.sequence(inner, self.random.randint(0, 1)))
        return [*lines, "fi"]

    def choice(self, context: Context) -> Statement:
        """`if` with guards of every sort: may block, may choose."""
        inner = replace(context, depth=context.depth + 1, guarding=False)
        lines = ["if"]
        for _ in range(self.random.randint(1, 3)):
            lines += self.option(self.guard(inner), self.sequence(inner, self.random.randint(0, 2)))
        if self.chance(0.3):
            lines += self.option(self.assign(inner), [])
        elif self.chance(0.4):
            rest = "timeout" if context.guarding else self.pick(("else", "else", "timeout"))
            lines += self.option([rest], self.sequence(inner, self.random.randint(0, 1)))
        return [*lines, "fi"]

    def loop(self, context: Context) -> Statement:
        """An endless `do`, with or without a way out."""
        inner = replace(context, depth=context.depth + 1, breakable=True, guarding=False)
        lines = ["do"]
        for _ in range(self.random.randint(1, 3)):
            guard = self.guard(inner)
            plain = guard[0] in ("skip", "true", "(1)")  # pan refuses a bare one as an endless loop
            lines += self.option(guard, self.sequence(inner, self.random.randint(plain, 2)))
        if self.chance(0.4):
            lines += self.option(*self.pick(((["break"], []), ([f"({self.truth(context, 1)})"], [["break"]]))))
        elif self.chance(0.3):
            lines += self.option([self.pick(("else", "timeout"))], [self.pick((["break"], self.assign(inner)))])
        return [*lines, "od"]

    def counted_loop(self, context: Context) -> Statement:
        """A loop that ends. The counter is new, so that nobody else moves it; or there is none, over a channel."""
        inner = context.nested(cyclic=False, breakable=not context.quiet, jumps=context.jumps and not context.cyclic)
        pairs = [(p, q) for p in context.scope.places for q in context.scope.places if self.fits(p, q)]
        if pairs and not context.quiet and self.chance(0.5):
            record, channel = self.pick(pairs)
            body = self.indent(self.join(self.sequence(inner, self.random.randint(1, 2))))
            return [f"for ({record.pattern} in {channel.pattern}) {{", *body, "}"]
        name, last = self.fresh(context.scope, "i"), self.random.randint(1, 2)
        inner.scope.names.add(name)
        inner.scope.places.append(Place(name, "byte", writable=False))
        body = self.indent(self.join(self.sequence(inner, self.random.randint(1, 2))))
        places = [p.pattern for p in context.scope.places if p.kind in INTEGERS]
        arrays = [pattern.partition("[")[0] for pattern in places if re.fullmatch(r"\w+\[<\d>\]", pattern)]
        declaration = f"{self.pick(('byte', 'short', 'int'))} {name};"
        if arrays and self.chance(0.25):
            return [declaration, f"for ({name} in {self.pick(arrays)}) {{", *body, "}"]
        if self.chance(0.7):
            return [declaration, f"for ({name} : 0 .. {last}) {{", *body, "}"]
        option = [f":: {name} < {last} ->", f"   {name}++;", "   {", *(f"   {line}" for line in body), "   }"]
        return [declaration, "do", *option, ":: else -> break", "od"]

    def fits(self, record: Place, channel: Place) -> bool:
        """Whether `for (record in channel)` is allowed: a buffer of nothing but such records."""
        single = re.fullmatch(r"\w+", record.pattern + channel.pattern) and record.kind.startswith("record")
        if not single or not channel.kind.startswith("chan") or channel.writable:
            return False
        return self.channel(channel) == Signature((record.kind,), BUFFERED)

    def select(self, context: Context) -> Statement:
        places = [p for p in self.writable(context) if p.kind in ("byte", "short", "int") and "[" not in p.pattern]
        places = [p for p in places if "." not in p.pattern]
        if not places:
            return self.assign(context)
        return [f"select ({self.pick(places).pattern} : {self.random.randint(0, 1)} .. {self.pick(('1', '2', 'K'))})"]

    def atomic(self, context: Context) -> Statement:
        inner = context.nested(cyclic=False, breakable=False, jumps=context.jumps and not context.cyclic)
        statements = self.sequence(inner, self.random.randint(1, 3))
        if self.chance(0.3) and not re.match("goto|break", statements[-1][0]):
            # Others get their turn when a block cannot go on.
            statements.append(self.pick((self.wait, self.send, self.receive))(inner))
            statements += self.sequence(inner, self.random.randint(0, 1))
        return ["atomic {", *self.indent(self.join(statements)), "}"]

    def block(self, context: Context) -> Statement:
        return ["{", *self.indent(self.join(self.sequence(context.nested(), self.random.randint(1, 2)))), "}"]

    def d_step(self, context: Context) -> Statement:
        """One indivisible, deterministic step: only its first statement may block."""
        if context.quiet:
            return self.assign(context)
        inner = context.nested(cyclic=False, quiet=True, jumps=False, breakable=False, watches=False)
        statements = [self.first_of_d_step(inner)] if self.chance(0.5) else []
        statements += self.sequence(inner, self.random.randint(1, 3))
        if re.match("assert|print", statements[0][0]):
            statements.insert(0, ["skip"])  # pan would run the assertion also while a handshake is being offered
        buffered = [p for p in inner.scope.places if p.kind.startswith("chan") and self.channel(p).kind == BUFFERED]
        if buffered and self.chance(0.3):
            place = self.pick(buffered)
            name = self.place(inner, place)
            sent = ", ".join(self.value(inner, kind) for kind in self.channel(place).fields)
            statements.append(["if", f":: len({name}) < 1 -> {name}!{sent}", ":: else", "fi"])
        return ["d_step {", *self.indent(self.join(statements)), "}"]

    def first_of_d_step(self, context: Context) -> Statement:
        """What a deterministic step may wait for: anything but that somebody accepts an offer."""
        if self.chance(0.6):
            return [f"({self.truth(context, 1)})"]
        sends = [p for p in context.scope.places if p.kind.startswith("chan") and self.channel(p).kind == BUFFERED]
        if sends and self.chance(0.5):
            place = self.pick(sends)
            values = ", ".join(self.value(context, kind) for kind in self.channel(place).fields)
            return [f"{self.place(context, place)}!{values}"]
        return self.receive(context)

    def unless(self, context: Context) -> Statement:
        """A sequence (block, atomic, loop) with an escape that takes precedence as soon as it is enabled."""
        main = self.weighted({"block": 4, "atomic": 2, "d_step": 0.5, "loop": 1.0 if context.cyclic else 0.0})
        rule: Callable[[Context], Statement] = getattr(self, main)
        lines, inner = rule(context), context.nested()
        # No `else` first in the escape: with one in the sequence, too, SPIN would have two at a control point.
        guarded = [self.pick((self.wait, self.wait, self.receive, self.send))(inner)]
        guarded += self.sequence(inner, self.random.randint(0, 1))
        escape = self.indent(self.join(guarded))
        if self.chance(0.25):
            escape = ["  atomic {", *self.indent(escape), "  }"]
        return [*lines[:-1], f"{lines[-1]} unless {{", *escape, "}"]

    # -- declarations ------------------------------------------------------------------------------------------------

    def declaration(self, kind: str, pattern: str) -> str:
        base = kind.removeprefix("record ").partition(" ")[0]
        text = f"{base} {re.sub('[<>]', '', pattern)}"
        return text + " : 3" if kind == "unsigned" else text

    def declare(self, scope: Scope, stem: str, context: Context, records: bool = False, channels: bool = False) -> str:
        """Declare a new variable of any type in `scope`; the text has no semicolon."""
        name = self.fresh(scope, stem)
        if channels and self.chance(0.25):
            number = self.random.randrange(len(self.signatures))
            alias = self.chance(0.6)
            text = f"chan {name} = {self.value(context, f'chan {number}') if alias else self.new_channel(number)}"
            scope.places.append(Place(name, f"chan {number}", writable=alias))
            return text
        if records and self.records and self.chance(0.3):
            kind = self.pick(list(self.records))
            size = self.pick(("", "", "[<2>]"))
            scope.places += self.leaves(name + size, f"record {kind}")
            return self.declaration(f"record {kind}", name + size)
        kind = self.pick(INTEGERS)
        if kind != "unsigned" and self.chance(0.25):
            length = self.pick((2, 2, 3))
            scope.places.append(Place(f"{name}[<{length}>]", kind))
            values = ", ".join(str(self.random.randrange(3)) for _ in range(length))
            many = f" = {{ {values} }}" if records and kind in NUMBERS and self.chance(0.4) else ""
            return f"{kind} {name}[{length}]{many or self.pick(('', ' = 1'))}"
        value = self.value(replace(context, watches=False), kind, literal=scope is self.globals)
        text = self.declaration(kind, name) + (f" = {value}" if self.chance(0.6) else "")
        scope.places.append(Place(name, kind))
        return text

    def leaves(self, pattern: str, kind: str) -> list[Place]:
        """A record as a whole (for messages) and all the scalars within it."""
        if not kind.startswith("record"):
            return [Place(pattern, kind)]
        fields = self.records[kind.split()[1]]
        return [Place(pattern, kind)] + [p for f in fields for p in self.leaves(f"{pattern}.{f.pattern}", f.kind)]

    def new_channel(self, number: int) -> str:
        signature = self.signatures[number]
        capacity = {BUFFERED: (1, 1, 2), MIXED: (0, 1), HANDSHAKE: (0,)}[signature.kind]
        fields = ", ".join(kind.split()[-1] if "record" in kind else kind.split()[0] for kind in signature.fields)
        return f"[{self.pick(capacity)}] of {{ {fields} }}"

    # -- layout ------------------------------------------------------------------------------------------------------

    def indent(self, lines: list[str]) -> list[str]:
        return [f"  {line}" for line in lines]

    def join(self, statements: list[Statement]) -> list[str]:
        """Separate statements by a semicolon, an arrow, or nothing but the end of the line."""
        lines: list[str] = []
        for index, statement in enumerate(statements):
            last = index == len(statements) - 1
            # A newline does not end `c?<x>`: SPIN takes the `>` for an operator.  Nor does it end `timeout`.
            open_ended = statement[-1].endswith((">", "timeout")) and not last
            mark = "" if (self.newlines and not open_ended) or (last and self.chance(0.8)) else ";"
            lines += [*statement[:-1], statement[-1] + mark]
        return lines

    def option(self, guard: Statement, body: list[Statement]) -> list[str]:
        """`:: guard -> body`; the guard may itself be a selection, which SPIN then merges with the outer one."""
        lines = self.join(body)
        if lines:
            guard = [*guard[:-1], guard[-1] + self.pick((" ->", " ->", ";"))]
        flat = guard + lines
        return [f":: {flat[0]}", *(f"   {line}" for line in flat[1:])]
