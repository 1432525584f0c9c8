"""Random Promela programs, small enough to explore and rich enough to break an implementation.

`generate(seed)` is a grammar with a memory: it knows the variables, channels and labels in scope and their types, so
that nearly every program is accepted by SPIN and uses only what has one meaning. Left out on purpose: indices out of
range, `hidden`, division by zero, uninitialised channels (all depend on SPIN's memory layout or search order).

State spaces stay small by two rules rather than by luck. A *cyclic* process may loop for ever, so it only writes
*bounded* values (`(x + 1) % 3`, small constants); a straight process may compute anything, overflow included,
because it does so finitely often. And nothing loops for ever inside `atomic` or `d_step`, whose inner states SPIN
does not store and would therefore never recognise.

    python -m tests.promela_random SEED                  print a program
    python -m tests.promela_random --stats FROM TO       how many SPIN accepts, and their sizes
    python -m tests.promela_random --compare FROM TO     compare with SPIN; keep and shrink what differs
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from tests.spin_compare import FAILURES, Comparison, compare_many, minimise_file
from tests.spin_reference import SpinReference, spin_reference, spin_reference_many

CASES = Path(__file__).parent / "cases" / "random"
MAX_STATES = 20_000
SECONDS = 2.0
INTEGERS = ("bit", "bool", "byte", "short", "int", "unsigned", "pid", "mtype", "mtype:fruit")
NUMBERS = INTEGERS[:7]
# Which variables a message field may be received in. When pan takes a receive back it restores the message from the
# variable, so that a value which did not fit comes back changed, and the counts are wrong from there on.
WIDER = {"int": ("int",), "short": ("short", "int"), "pid": ("byte", "pid", "short", "int")}
WIDER |= dict.fromkeys(("byte", "bit", "bool"), WIDER["pid"])
SYMBOLS = {"mtype": ("red", "green", "blue"), "mtype:fruit": ("apple", "pear")}
WIDE = ("-1", "-7", "127", "128", "255", "256", "300", "32767", "32768", "65535", "70000")
BUFFERED, MIXED, HANDSHAKE = "buffered", "mixed", "handshake"
KINDS = (BUFFERED, BUFFERED, BUFFERED, MIXED, HANDSHAKE)

Statement = list[str]  # lines without the separator that follows
T = TypeVar("T")


@dataclass(frozen=True)
class Place:
    """What can be read or written. In the pattern, `<n>` stands for an index below n."""

    pattern: str
    kind: str  # one of INTEGERS, "chan <signature>", or "record <typedef>"
    writable: bool = True


@dataclass(frozen=True)
class Signature:
    """What a channel carries, and whether it may be a handshake (all channels of one signature can be aliased)."""

    fields: tuple[str, ...]
    kind: str


@dataclass
class Scope:
    """What is visible. SPIN 6.5 lets no name hide another, but blocks side by side may use the same one."""

    places: list[Place] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def inner(self) -> Scope:
        return Scope(list(self.places), set(self.names))


@dataclass(frozen=True)
class Context:
    """Where a statement stands, which decides what it may be."""

    scope: Scope
    bounded: bool = True  # values written must come from a small set
    cyclic: bool = False  # endless loops allowed
    quiet: bool = False  # inside d_step: must not block, choose or jump
    breakable: bool = False
    jumps: bool = False
    declares: bool = True
    guarding: bool = False  # the first statement of an option, which must not bring a second `else`
    watches: bool = True  # may look into other processes (not in d_step, nor in initialisers)
    depth: int = 0

    def nested(self, **changes: bool) -> Context:
        """The inside of a pair of braces."""
        return replace(self, scope=self.scope.inner(), depth=self.depth + 1, guarding=False, **changes)


@dataclass
class Proctype:
    name: str
    parameters: list[Place]
    instances: int  # active ones; 0 if only `run` makes them
    cyclic: bool
    first_pid: int = -1
    labels: list[str] = field(default_factory=list)
    locals: list[Place] = field(default_factory=list)


class Generator:
    """One program. The methods are the rules of the grammar, from the program down to expressions."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.newlines = self.chance(0.4)  # a newline ends a statement, as SPIN allows since 6.3
        self.long_lines = not self.newlines and self.chance(0.15)  # a whole proctype on one line
        self.globals = Scope()
        self.records: dict[str, list[Place]] = {}
        self.signatures: list[Signature] = []
        self.inlines: list[str] = []
        self.proctypes: list[Proctype] = []
        self.spawned: list[Proctype] = []  # those that a running process may create
        self.priorities = self.chance(0.04)
        self.returns = self.chance(0.1)  # use an inline that returns a value, new in SPIN 6.5
        self.current: Proctype | None = None
        self.inner_labels: list[str] = []
        self.dynamic = self.chance(0.3)

    # -- chance ------------------------------------------------------------------------------------------------------

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, items: Sequence[T]) -> T:
        return items[self.random.randrange(len(items))]

    def weighted(self, table: dict[str, float]) -> str:
        return self.random.choices(list(table), list(table.values()))[0]

    def fresh(self, scope: Scope, stem: str) -> str:
        name = next(name for name in (f"{stem}{i}" for i in range(1000)) if name not in scope.names)
        scope.names.add(name)
        return name

    # -- the program -------------------------------------------------------------------------------------------------

    def program(self) -> str:
        head = ["#define K 2", "#define NEXT(v, n) v = ((v) + 1) % (n)", "#define BOTH(a, b) ((a) && (b))"]
        head += [f"{kind} = {{ {', '.join(names)} }};" for kind, names in SYMBOLS.items()]
        head += self.typedefs() + self.channels() + self.variables()
        body = ["inline plus(x) { return (x + 1) % 3 }"] if self.returns else []
        for _ in range(self.random.randint(0, 2)):
            body += self.inline()
        self.plan()
        init_first = self.chance(0.5)
        init = self.init() if any(p.instances == 0 for p in self.proctypes) or self.chance(0.2) else []
        pid = 1 if init and init_first else 0
        texts = []
        for proctype in self.proctypes:
            proctype.first_pid = pid
            pid += proctype.instances
        for proctype in self.proctypes:
            texts += self.proctype(proctype)
        parts = head + body + (init + texts if init_first else texts + init) + self.trace()
        return "\n".join(parts) + "\n"

    def typedefs(self) -> list[str]:
        lines = []
        for name in ["Flat", "Deep"][: self.random.choice([0, 1, 2, 2])]:
            fields = [Place("a", self.pick(("byte", "short"))), Place("b", self.pick(("bit", "mtype", "bool")))]
            if name == "Deep":
                fields += [Place("s[<2>]", self.pick(("byte", "bit", "int"))), Place("r", "record Flat")]
                fields += [Place("q[<2>]", "record Flat")] if self.chance(0.5) else []
            self.records[name] = fields
            text = "; ".join(self.declaration(place.kind, place.pattern) for place in fields)
            lines.append(f"typedef {name} {{ {text} }};")
        return lines

    def channels(self) -> list[str]:
        """Signatures, and global channels of each. A signature may carry channels of an earlier one."""
        lines = []
        for number in range(self.random.choice([1, 1, 2, 2, 3])):
            fields = [self.pick(("byte", "bit", "mtype", "short", "bool", "int", "pid"))]
            fields += [self.pick(("byte", "bit", "mtype"))] if self.chance(0.5) else []
            fields += [f"chan {number - 1}"] if number and self.chance(0.4) else []
            if self.records and self.chance(0.2):
                fields = ["record Flat"] if self.chance(0.5) else [*fields, "record Flat"]
            self.signatures.append(Signature(tuple(fields), BUFFERED if self.priorities else self.pick(KINDS)))
            for _ in range(self.random.randint(1, 2)):
                name = self.fresh(self.globals, "c")
                size = self.pick(("", "", "[2]"))
                lines.append(f"chan {name}{size} = {self.new_channel(number)};")
                self.globals.places.append(Place(name + size.replace("2", "<2>"), f"chan {number}", writable=False))
        return lines

    def new_channel(self, number: int) -> str:
        signature = self.signatures[number]
        capacity = {BUFFERED: (1, 1, 2), MIXED: (0, 1), HANDSHAKE: (0,)}[signature.kind]
        fields = ", ".join(kind.split()[-1] if "record" in kind else kind.split()[0] for kind in signature.fields)
        return f"[{self.pick(capacity)}] of {{ {fields} }}"

    def variables(self) -> list[str]:
        lines = []
        if self.records:
            self.globals.places += self.leaves("flat", "record Flat")  # there must be one to send
            lines.append("Flat flat;")
        if self.chance(0.1):
            number = self.random.randrange(len(self.signatures))
            lines += [f"typedef Link {{ chan c = {self.new_channel(number)}; byte n }};", "Link link;"]
            self.globals.places += [Place("link.c", f"chan {number}", writable=False), Place("link.n", "byte")]
        for _ in range(self.random.randint(2, 4)):
            line = self.declare(self.globals, "g", Context(Scope()), records=True)
            lines.append(self.pick(("", "", "", "show ", "local ")) + line + ";")
        return lines

    def plan(self) -> None:
        """Which proctypes there are, before any text, so that any process may run or watch another."""
        room = self.random.choice([2, 3, 3, 4])
        for number in range(self.random.randint(2, 3)):
            instances = min(room, self.random.choice([0, 1, 1, 1, 2]))
            room -= max(1, instances)
            parameters = []
            scope = self.globals.inner()
            for _ in range(self.random.randint(0, 2) if instances == 0 else 0):
                kinds = ["byte", "bit", "short", "mtype", "pid", f"chan {self.random.randrange(len(self.signatures))}"]
                kind = self.pick(kinds + ["record Flat"] * bool(self.records))
                parameters.append(Place(self.fresh(scope, "p"), kind))
            cyclic = self.chance(0.5)
            self.proctypes.append(Proctype(f"P{number}", parameters, instances, cyclic))
            if room <= 0:
                break
        if self.dynamic:
            worker = Proctype("Worker", [Place("w", self.pick(("byte", "bit", "pid")))], 0, cyclic=False)
            self.proctypes.append(worker)
            self.spawned.append(worker)

    def init(self) -> list[str]:
        context = Context(self.globals.inner())
        lines: list[Statement] = []
        if self.chance(0.4):
            number = self.random.randrange(len(self.signatures))
            name = self.fresh(context.scope, "own")
            lines.append([f"chan {name} = {self.new_channel(number)}"])
            context.scope.places.append(Place(name, f"chan {number}", writable=False))
        runs = [[self.run(context, p)] for p in self.proctypes if p.instances == 0 and p not in self.spawned]
        if runs and self.chance(0.5):
            lines.append(["atomic {", *self.indent(self.join(runs)), "}"])
        else:
            lines += runs
        if self.chance(0.4) or not lines:
            self.current = None
            lines += self.sequence(replace(context, depth=1), self.random.randint(1, 2))
        return ["init {", *self.indent(self.join(lines)), "}"]

    def run(self, context: Context, proctype: Proctype) -> str:
        # For an mtype parameter SPIN takes a constant only.
        arguments = [
            self.pick(SYMBOLS[place.kind]) if place.kind in SYMBOLS else self.value(context, place.kind)
            for place in proctype.parameters
        ]
        priority = f" priority {self.random.randint(1, 3)}" if self.priorities and self.chance(0.5) else ""
        return f"run {proctype.name}({', '.join(arguments)}){priority}"

    def proctype(self, proctype: Proctype) -> list[str]:
        self.current, self.inner_labels = proctype, []
        scope = self.globals.inner()
        scope.places += [leaf for p in proctype.parameters for leaf in self.leaves(p.pattern, p.kind)]
        scope.names |= {place.pattern for place in proctype.parameters}
        context = Context(scope, bounded=proctype.cyclic, cyclic=proctype.cyclic, jumps=True)
        statements: list[Statement] = []
        before = len(scope.places)
        for _ in range(self.random.randint(0, 2)):
            statements.append([self.declare(scope, "v", context, records=True, channels=True)])
        proctype.locals = [p for p in scope.places[before:] if "." not in p.pattern and p.kind in INTEGERS]
        declared = len(statements)
        statements += self.sequence(context, self.random.randint(2, 5))
        if proctype.cyclic and self.chance(0.7):
            statements += [self.loop(context)]
        statements = self.label(statements, declared, proctype)
        active = {0: "", 1: "active "}.get(proctype.instances, f"active [{proctype.instances}] ")
        parameters = "; ".join(self.declaration(p.kind, p.pattern) for p in proctype.parameters)
        clauses = f" priority {self.random.randint(1, 3)}" if self.priorities and self.chance(0.6) else ""
        clauses += f" provided ({self.truth(Context(self.globals), 1)})" if self.chance(0.06) else ""
        head = f"{active}proctype {proctype.name}({parameters}){clauses} {{"
        lines = [head, *self.indent(self.join(statements)), "}"]
        return [" ".join(line.strip() for line in lines)] if self.long_lines else lines

    def label(self, statements: list[Statement], declared: int, proctype: Proctype) -> list[Statement]:
        """Put labels on some statements and give every `goto @` a target: a later one, unless cycles are allowed."""
        marked: dict[int, str] = {}
        for index, statement in enumerate(statements):
            first = statement[0]
            if index >= declared and self.chance(0.25) and not re.match(r"(goto|break|chan|d_step)\b", first):
                if first.split()[0].partition(":")[0] in (*INTEGERS, *self.records):
                    continue
                marked[index] = self.pick(("L", "L", "L", "end", "progress", "accept")) + f"_{proctype.name}_{index}"
        if any("goto @" in line for statement in statements for line in statement):
            statements.append(["skip"])
            marked[len(statements) - 1] = f"L_{proctype.name}_last"
        result = []
        for index, statement in enumerate(statements):
            later = [name for place, name in marked.items() if place > index]
            any_place = list(marked.values()) + self.inner_labels if proctype.cyclic else later
            lines = []
            for line in statement:
                if "goto @" in line:
                    line = line.replace("@any", self.pick(any_place)).replace("@later", self.pick(later))
                lines.append(line)
            result.append([f"{marked[index]}: {lines[0]}", *lines[1:]] if index in marked else lines)
        proctype.labels = list(marked.values())
        return result

    def inline(self) -> list[str]:
        """An inline whose parameters are a variable and a value; it may be expanded many times, so it has no labels."""
        scope = self.globals.inner()
        name = self.fresh(self.globals, "step")
        scope.places += [Place("x", "byte"), Place("y", "byte", writable=False)]
        context = Context(scope, declares=False, depth=2)
        statements = self.sequence(context, self.random.randint(1, 3))
        if self.chance(0.5):
            statements = [["atomic {", *self.indent(self.join(statements)), "}"]]
        self.inlines.append(name)
        return [f"inline {name}(x, y) {{", *self.indent(self.join(statements)), "}"]

    def trace(self) -> list[str]:
        simple = [
            p
            for p in self.globals.places
            if p.kind.startswith("chan") and "<" not in p.pattern and self.channel(p).kind == BUFFERED
        ]
        if not simple or not self.chance(0.04):
            return []
        place = self.pick(simple)
        fields = ", ".join("_" for kind in self.channel(place).fields for _ in range(2 if "record" in kind else 1))
        events = f"{place.pattern}!{fields}; {place.pattern}?{fields}"
        return [self.pick((f"trace {{ do :: {events} od }}", f"notrace {{ {events}; {events} }}"))]

    # -- layout ------------------------------------------------------------------------------------------------------

    def indent(self, lines: list[str]) -> list[str]:
        return [f"  {line}" for line in lines]

    def join(self, statements: list[Statement]) -> list[str]:
        """Separate statements by a semicolon, an arrow, or nothing but the end of the line."""
        lines: list[str] = []
        for index, statement in enumerate(statements):
            last = index == len(statements) - 1
            # A newline does not end `c?<x>`: SPIN takes the `>` for an operator.
            open_ended = statement[-1].endswith(">") and not last
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

    # -- statements --------------------------------------------------------------------------------------------------

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
            "show": 0.4,
            "assertion": 0.8,
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

    # -- messages ----------------------------------------------------------------------------------------------------

    def channel(self, place: Place) -> Signature:
        return self.signatures[int(place.kind.split()[1])]

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

    def patterns(self, context: Context, channel: Place, store: bool = True) -> list[str]:
        """What a receive expects: variables (each once), constants, `eval` of an expression, or anything."""
        used: set[str] = set()
        result = []
        for kind in self.channel(channel).fields:
            fitting = WIDER.get(kind, (kind,))
            places = [p for p in context.scope.places if p.writable and p.kind in fitting]
            places = [p for p in places if re.split(r"\W", p.pattern)[0] not in used]
            if kind.startswith("record"):
                # SPIN has no constant for a record, and `_` stands for one field only.
                result.append(self.place(context, self.pick(places), fixed=True) if places else "_, _")
                used |= {re.split(r"\W", p.pattern)[0] for p in places}
            elif store and places and self.chance(0.5):
                place = self.pick(places)
                used.add(re.split(r"\W", place.pattern)[0])
                result.append(self.place(context, place, fixed=True))
            elif kind.startswith("chan") or self.chance(0.4):
                result.append("_")
            elif kind in SYMBOLS:
                result.append(self.pick(SYMBOLS[kind]))
            else:
                result.append(self.pick((str(self.random.randrange(2)), f"eval({self.number(context, 1)})")))
        return result

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
        elif self.chance(0.3):
            rest = "timeout" if context.guarding else self.pick(("else", "timeout"))
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
        return ["atomic {", *self.indent(self.join(self.sequence(inner, self.random.randint(1, 3)))), "}"]

    def block(self, context: Context) -> Statement:
        return ["{", *self.indent(self.join(self.sequence(context.nested(), self.random.randint(1, 2)))), "}"]

    def d_step(self, context: Context) -> Statement:
        """One indivisible, deterministic step: only its first statement may block."""
        if context.quiet:
            return self.assign(context)
        inner = context.nested(cyclic=False, quiet=True, jumps=False, breakable=False, watches=False)
        statements = [[f"({self.truth(inner, 1)})"]] if self.chance(0.4) else []
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

    def unless(self, context: Context) -> Statement:
        """A sequence (block, atomic, loop) with an escape that takes precedence as soon as it is enabled."""
        main = self.weighted({"block": 4, "atomic": 2, "d_step": 0.5, "loop": 1.0 if context.cyclic else 0.0})
        rule: Callable[[Context], Statement] = getattr(self, main)
        lines, inner = rule(context), context.nested()
        # No `else` first in the escape: with one in the sequence, too, SPIN would have two at a control point.
        guarded = [self.pick((self.wait, self.wait, self.receive))(inner)]
        guarded += self.sequence(inner, self.random.randint(0, 1))
        escape = self.indent(self.join(guarded))
        if self.chance(0.25):
            escape = ["  atomic {", *self.indent(escape), "  }"]
        return [*lines[:-1], f"{lines[-1]} unless {{", *escape, "}"]

    # -- expressions -------------------------------------------------------------------------------------------------

    def writable(self, context: Context) -> list[Place]:
        return [p for p in context.scope.places if p.writable and p.kind in INTEGERS] or [Place("_", "byte")]

    def place(self, context: Context, place: Place, fixed: bool = False) -> str:
        """The text of a place, with indices; `fixed` ones do not depend on variables."""
        return re.sub(r"<(\d)>", lambda match: self.index(context, int(match[1]), fixed), place.pattern)

    def index(self, context: Context, size: int, fixed: bool) -> str:
        """An expression that is below `size`, whatever the state."""
        simple = [p for p in context.scope.places if p.kind in INTEGERS and re.fullmatch(r"\w+", p.pattern)]
        if size == 2 and simple and not fixed and self.chance(0.3):
            return f"{self.pick(simple).pattern} & 1"
        return f"_pid % {size}" if context.declares and self.chance(0.15) else str(self.random.randrange(size))

    def value(self, context: Context, kind: str, literal: bool = False) -> str:
        """Something of this type that may be stored; from a small set where the context is bounded."""
        if kind.startswith(("chan", "record")):
            return self.place(context, self.pick([p for p in context.scope.places if p.kind == kind]))
        if kind in SYMBOLS:
            others = [p for p in context.scope.places if p.kind == kind]
            return self.place(context, self.pick(others)) if others and self.chance(0.4) else self.pick(SYMBOLS[kind])
        if literal and kind in ("bit", "bool"):
            return self.pick(("0", "1", "true", "false"))  # SPIN rejects global initialisers that do not fit
        if literal or self.chance(0.4):
            return self.pick(("0", "1", "2", "3", "K")) if context.bounded or self.chance(0.6) else self.pick(WIDE)
        if kind in ("bit", "bool"):
            return self.truth(context, 1)
        number = self.number(context, 2)
        if not context.bounded:
            return number
        return self.pick((f"({number}) % 3", f"({number}) & 3", f"({self.truth(context, 1)} -> 1 : 2)"))

    def number(self, context: Context, depth: int) -> str:
        readable = [p for p in context.scope.places if p.kind in INTEGERS and p.pattern != "_"]
        rules = {"place": 5.0, "literal": 2.0, "system": 0.8, "two": 3.0, "one": 0.7, "choose": 0.7, "truth": 0.6}
        rule = self.weighted(rules)
        if rule == "place" and readable:
            return self.place(context, self.pick(readable))
        if rule == "system":
            channels = [p for p in context.scope.places if p.kind.startswith("chan")]
            return self.pick(("_pid", "_nr_pr", f"len({self.place(context, self.pick(channels))})"))
        if depth <= 0 or rule in ("place", "literal"):
            return str(self.random.randrange(4)) if context.bounded or self.chance(0.7) else self.pick(WIDE)
        left = self.number(context, depth - 1)
        if rule == "two":
            operator = self.pick(("+", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"))
            small = str(self.random.randint(1, 3))
            right = small if operator in ("/", "%", "<<", ">>") else self.number(context, depth - 1)
            return f"({left} {operator} {right})"
        if rule == "one":
            return f"{self.pick(('-', '~', '!'))}({left})"
        if rule == "choose":
            return f"({self.truth(context, depth - 1)} -> {left} : {self.number(context, depth - 1)})"
        return f"({self.truth(context, depth - 1)})"

    def truth(self, context: Context, depth: int) -> str:
        rule = self.weighted({"compare": 6, "both": 1.5, "not": 0.7, "poll": 0.7, "remote": 0.5})
        buffered = [p for p in context.scope.places if p.kind.startswith("chan") and self.channel(p).kind == BUFFERED]
        if rule == "poll" and buffered:
            place = self.pick(buffered)
            if not any("record" in kind for kind in self.channel(place).fields):
                patterns = ", ".join(self.patterns(context, place, store=False))
                return f"{self.place(context, place)}{self.pick(('?', '??'))}[{patterns}]"
        if rule == "remote" and context.watches and (text := self.remote(context)):
            return text
        if depth > 0 and rule == "both":
            left, right = self.truth(context, depth - 1), self.truth(context, depth - 1)
            return self.pick((f"({left} && {right})", f"({left} || {right})", f"BOTH(({left}), ({right}))"))
        if depth > 0 and rule == "not":
            return f"!({self.truth(context, depth - 1)})"
        operator = self.pick(("==", "!=", "<", "<=", ">", ">="))
        return f"{self.number(context, depth - 1)} {operator} {self.random.randrange(3)}"

    def remote(self, context: Context) -> str:
        """Another process at a label, or its variable: of an earlier proctype, active, and with a known pid."""
        if self.dynamic:
            return ""  # its number could be used again by a process of another type
        seen = [p for p in self.proctypes if p.instances and p.first_pid >= 0 and p is not self.current]
        seen = seen[: next((i for i, p in enumerate(seen) if self.current and p.name > self.current.name), len(seen))]
        for proctype in seen:
            who = f"[{proctype.first_pid + self.random.randrange(proctype.instances)}]"
            who = "" if proctype.instances == 1 and self.chance(0.4) else who
            if proctype.labels and self.chance(0.6):
                return f"{proctype.name}{who}@{self.pick(proctype.labels)}"
            # SPIN looks the name up here first, so that an array or channel of the same name is in the way.
            others = [p.pattern for p in context.scope.places if p.kind not in INTEGERS or "[" in p.pattern]
            mine = {re.split(r"\W", pattern)[0] for pattern in others}
            plain = [p for p in proctype.locals if p.pattern.isalnum() and p.pattern not in mine]
            if plain:
                return f"{proctype.name}{who}:{self.pick(plain).pattern} == {self.random.randrange(2)}"
        return ""


def generate(seed: int) -> str:
    """A random program; the same seed always gives the same text."""
    return f"/* seed {seed} */\n" + Generator(seed).program()


def interesting(seed: int) -> SpinReference | None:
    """SPIN's answer for the program of a seed, or None if SPIN rejects it or finds it too large to be of use."""
    with tempfile.TemporaryDirectory(prefix="coset-random-") as folder:
        answer = spin_reference(write(seed, Path(folder)), seconds=SECONDS)
    return answer if answer.ok and answer.states <= MAX_STATES else None


def write(seed: int, folder: Path) -> Path:
    path = folder / f"seed-{seed}.pml"
    path.write_text(generate(seed))
    return path


def compare_seeds(seeds: Sequence[int], folder: Path, max_states: int = MAX_STATES) -> Iterator[tuple[int, Comparison]]:
    """Compare the programs of some seeds with SPIN; their texts are left in `folder`."""
    paths = [write(seed, folder) for seed in seeds]
    yield from zip(seeds, compare_many(paths, seconds=SECONDS, max_states=max_states), strict=True)


def print_statistics(seeds: Sequence[int]) -> None:
    with tempfile.TemporaryDirectory(prefix="coset-random-") as folder:
        answers = list(spin_reference_many([write(seed, Path(folder)) for seed in seeds], seconds=SECONDS))
    print(dict(Counter(answer.status for answer in answers)), "of", len(answers))
    for seed, answer in zip(seeds, answers, strict=True):
        if not answer.accepted:
            print(f"  seed {seed}: {answer.why[:140]}")
    sizes = [answer.states for answer in answers if answer.ok and answer.states <= MAX_STATES]
    deciles = statistics.quantiles(sizes, n=10)
    print(f"{len(sizes)} usable; states: mean {statistics.mean(sizes):.0f}, deciles {[round(d) for d in deciles]}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.promela_random", description=__doc__.splitlines()[0])
    parser.add_argument("seed", nargs="?", type=int)
    parser.add_argument("--stats", nargs=2, type=int, metavar=("FROM", "TO"))
    parser.add_argument("--compare", nargs=2, type=int, metavar=("FROM", "TO"))
    parser.add_argument("--max-states", type=int, default=MAX_STATES)
    options = parser.parse_args(arguments)
    if options.seed is not None:
        print(generate(options.seed), end="")
    if options.stats:
        print_statistics(range(*options.stats))
    if not options.compare:
        return 0
    verdicts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="coset-random-") as folder:
        for seed, comparison in compare_seeds(range(*options.compare), Path(folder), options.max_states):
            verdicts[comparison.verdict] += 1
            if comparison.failed:
                print(comparison, flush=True)
                kept = CASES / f"failed-{seed}.pml"
                kept.write_text(minimise_file(comparison))
                print(f"    kept as {kept}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))
    return 1 if FAILURES & verdicts.keys() else 0


if __name__ == "__main__":
    sys.exit(main())
