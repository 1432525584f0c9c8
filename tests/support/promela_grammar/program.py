"""Random programs: declarations, proctypes and who runs them."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.support.promela_grammar.scope import (
    BUFFERED,
    INTEGERS,
    KINDS,
    SYMBOLS,
    Context,
    Place,
    Proctype,
    Scope,
    Signature,
    Statement,
)
from tests.support.promela_grammar.statements import Statements


class RandomProgram(Statements):
    """The rules of the grammar from the program down to the bodies of proctypes."""

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
            self.signatures.append(Signature(tuple(fields), BUFFERED if self.buffers else self.pick(KINDS)))
            for _ in range(self.random.randint(1, 2)):
                name = self.fresh(self.globals, "c")
                size = self.pick(("", "", "[2]"))
                lines.append(f"chan {name}{size} = {self.new_channel(number)};")
                self.globals.places.append(Place(name + size.replace("2", "<2>"), f"chan {number}", writable=False))
        return lines

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
        clauses += (
            f" provided ({self.truth(Context(self.globals, declares=False, steady=True), 1)})"
            if self.chance(0.06)
            else ""
        )
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
        if not simple or not self.chance(0.08):
            return []
        place = self.pick(simple)
        fields = ", ".join("_" for kind in self.channel(place).fields for _ in range(2 if "record" in kind else 1))
        events = f"{place.pattern}!{fields}; {place.pattern}?{fields}"
        return [self.pick((f"trace {{ do :: {events} od }}", f"notrace {{ {events}; {events} }}"))]
