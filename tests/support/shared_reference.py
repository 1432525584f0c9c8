"""Shared-variable programs executed from their syntax trees, without any automaton: a naive twin of the lowering.

Where a process stands is what it still has to do, a tuple of statements.  A step of a process reads the memory and gives
the writes; asynchronously the writes of one process are applied, synchronously those of all that can move.
"""

from __future__ import annotations

import operator as op
from collections.abc import Callable, Iterator
from itertools import permutations, product
from typing import Any

from coset.languages.shared import tree as t
from coset.languages.shared.parse import parse
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source

Key = tuple[Any, ...]
Memory = dict[Key, Any]
Control = tuple[t.Statement, ...] | str
WIDE = (-(2**31), 2**31 - 1)


class Reference:
    def __init__(self, text: str, values: dict[str, int] | None = None) -> None:
        diagnostics = Diagnostics()
        self.program = parse(Source("reference.spl", text), diagnostics)
        assert not diagnostics.errors, diagnostics.render()
        self.constants: dict[str, Any] = dict(values or {})
        for each in self.program.constants:
            if each.name not in self.constants:
                assert each.value is not None
                self.constants[each.name] = self.value(each.value, {}, {})
        self.types = {each.name: each for each in self.program.types}
        for named in self.program.types:
            self.constants |= {name: number for number, name in enumerate(named.values)}
        self.defines = {each.name: each.value for each in self.program.abbreviations}
        self.classes: dict[str, range] = {}
        self.owners: list[t.Class] = []
        for class_ in self.program.classes:
            size = 1 if class_.size is None else self.value(class_.size, {}, {})
            self.classes[class_.name] = range(len(self.owners), len(self.owners) + size)
            self.owners += [class_] * size
        self.nobody = len(self.owners)
        self.domains: dict[str, tuple[int, int]] = {}
        self.local_domains: dict[tuple[str, str], tuple[int, int]] = {}
        self.after: dict[int, Control] = {}
        for class_ in self.program.classes:
            self.follow(class_.body, ())

    def follow(self, body: tuple[t.Statement, ...], rest: tuple[t.Statement, ...]) -> None:
        """Note for every statement what is to be done from there, itself included."""
        for k, x in enumerate(body):
            here = (*body[k:], *rest)
            self.after[id(x)] = here
            match x:
                case t.If(_, yes, no):
                    self.follow(yes, here[1:])
                    self.follow(no, here[1:])
                case t.While(_, inner) | t.Loop(inner):
                    self.follow(inner, here)
                case t.Choose(options):
                    for option in options:
                        self.follow(option, here[1:])
                case t.Block(inner, False):
                    self.follow(inner, here[1:])

    # --- the whole -------------------------------------------------------------------------------------

    def start(self) -> tuple[Memory, tuple[Control, ...]]:
        memory: Memory = {}
        shared = [*self.program.variables, *(each.variable for each in self.program.shared)]
        for x in shared:
            self.domains[x.name] = self.domain(x.type)
            for indices in self.all_indices(x):
                memory["g", x.name, indices] = self.initial(x, {})
        for pid, class_ in enumerate(self.owners):
            for x in class_.locals:
                self.local_domains[class_.name, x.name] = self.domain(x.type)
                for indices in self.all_indices(x):
                    memory["l", pid, x.name, indices] = self.initial(x, {"self": pid})
        return memory, tuple(self.entry(class_) for class_ in self.owners)

    def entry(self, class_: t.Class) -> Control:
        first = class_.body[0]
        return (first.label or "") if isinstance(first, t.Transition) else self.resolved(class_.body)

    def domain(self, x: t.Type) -> tuple[int, int]:
        if x.bounds is not None:
            return self.value(x.bounds[0], {}, {}), self.value(x.bounds[1], {}, {})
        if x.name in self.types:
            named = self.types[x.name]
            return self.domain(named.type) if named.type is not None else (0, len(named.values) - 1)
        if x.name in self.classes or x.name == "process":
            return 0, self.nobody
        return {"bool": (0, 1), "nat": (0, WIDE[1]), "sem": (0, WIDE[1])}.get(x.name, WIDE)

    def initial(self, x: t.Variable, bound: dict[str, int]) -> int:
        if x.initial is not None:
            return int(self.value(x.initial, {}, bound))
        is_reference = x.type.name in self.classes or x.type.name == "process"
        return self.nobody if is_reference else max(self.domain(x.type)[0], 0)

    def all_indices(self, x: t.Variable) -> Iterator[tuple[int, ...]]:
        lengths = []
        for each in x.dimensions:
            is_class = isinstance(each, t.Name) and each.name in self.classes
            lengths.append(len(self.classes[each.name]) if is_class else self.value(each, {}, {}))  # type: ignore[attr-defined]
        yield from product(*map(range, lengths))

    def explore(self, most: int = 5000) -> Space | None:
        """All that can be reached; None if it is more than `most`."""
        memory, controls = self.start()
        space = Space()
        todo = [(memory, controls)]
        space.states[self.seen(memory, controls)] = None
        while todo:
            memory, controls = todo.pop()
            anything = False
            for after, places in self.steps(memory, controls):
                anything = True
                space.transitions += 1
                key = self.seen(after, places)
                if key not in space.states:
                    space.states[key] = None
                    todo.append((after, places))
                    if len(space.states) > most:
                        return None
            if not anything and not all(self.is_end(pid, control) for pid, control in enumerate(controls)):
                space.deadlocks += 1
        return space

    def is_end(self, pid: int, control: Control) -> bool:
        if isinstance(control, str):
            return control not in {x.label for x in self.owners[pid].body}
        return not control or isinstance(control[0], t.Halt)

    def seen(self, memory: Memory, controls: tuple[Control, ...]) -> Key:
        """A state as it can be compared with one of the model: labels and values."""
        labels = tuple(
            control if isinstance(control, str) else (control[0].label if control else "") for control in controls
        )
        return labels, tuple(memory.values())

    def steps(self, memory: Memory, controls: tuple[Control, ...]) -> Iterator[tuple[Memory, tuple[Control, ...]]]:
        options = [list(self.options(memory, controls, pid)) for pid in range(len(controls))]
        if self.program.synchronous:
            if any(options):
                stay: list[list[tuple[Control, Memory]]] = [
                    each or [(controls[k], {})] for k, each in enumerate(options)
                ]
                for chosen in product(*stay):
                    after = dict(memory)
                    for _, writes in chosen:
                        after |= writes
                    yield after, tuple(control for control, _ in chosen)
            return
        for pid, each in enumerate(options):
            for control, writes in each:
                yield {**memory, **writes}, (*controls[:pid], control, *controls[pid + 1 :])

    # --- steps of one process ----------------------------------------------------------------------------

    def resolved(self, control: Control) -> Control:
        """The control without what is no step."""
        while control and not isinstance(control, str):
            match control[0]:
                case t.Loop(body):
                    control = (*body, *control)
                case t.Block(body, False):
                    control = (*body, *control[1:])
                case t.Goto(target) if control[0].label is None:
                    control = self.jump(control[0], target)
                case _:
                    break
        return control

    def jump(self, x: t.Statement, target: str) -> Control:
        class_ = next(c for c in self.program.classes if any(node is x for node in c.walk()))
        place = next(node for node in class_.walk() if isinstance(node, t.Statement) and node.label == target)
        return self.after[id(place)]

    def options(self, memory: Memory, controls: tuple[Control, ...], pid: int) -> Iterator[tuple[Control, Memory]]:
        control = controls[pid]
        env = {"controls": controls, "memory": memory}
        if isinstance(control, str):
            for x in self.owners[pid].body:
                assert isinstance(x, t.Transition)
                if x.label == control and self.value(x.guard, env, {"self": pid}):
                    for writes in self.together(x.assignments, env, pid):
                        yield x.target, writes
            return
        if not control:
            return
        x, rest = control[0], control[1:]
        match x:
            case t.If(condition, yes, no):
                yield self.resolved((*(yes if self.value(condition, env, {"self": pid}) else no), *rest)), {}
            case t.While(condition, body):
                holds = self.value(condition, env, {"self": pid})
                yield self.resolved((*body, *control) if holds else rest), {}
            case t.Choose(options):
                for option in options:
                    yield self.resolved((*option, *rest)), {}
            case t.Goto(target):
                yield self.resolved(self.jump(x, target)), {}
            case t.Halt():
                return
            case _:
                for writes in self.ways((x,), env, pid):
                    yield self.resolved(rest), writes

    def ways(self, body: tuple[t.Statement, ...], env: dict[str, Any], pid: int) -> Iterator[Memory]:
        """The writes of simple statements one after the other, as one step."""
        if not body:
            yield {}
            return
        x, bound = body[0], {"self": pid}
        firsts: list[Memory] = []
        match x:
            case t.Skip():
                firsts = [{}]
            case t.Assign(condition, assignments):
                if condition is None or self.value(condition, env, bound):
                    firsts = list(self.together(assignments, env, pid))
            case t.Semaphore(word, place, amount):
                key = self.place(place, env, pid)
                units = 1 if amount is None else self.value(amount, env, bound)
                old = env["memory"][key]
                if word == "release" or old >= units:
                    firsts = [{key: self.fit(key, pid, old + (units if word == "release" else -units))}]
            case t.If(condition, yes, no):
                firsts = list(self.ways(yes if self.value(condition, env, bound) else no, env, pid))
            case t.Choose(options):
                firsts = [writes for option in options for writes in self.ways(option, env, pid)]
            case t.Block(inner):
                firsts = list(self.ways(inner, env, pid))
            case _:
                raise TypeError(type(x).__name__)
        for first in firsts:
            later = {**env, "memory": {**env["memory"], **first}}
            for second in self.ways(body[1:], later, pid):
                yield {**first, **second}

    def together(self, assignments: tuple[t.Assignment, ...], env: dict[str, Any], pid: int) -> Iterator[Memory]:
        places = [self.place(each.place, env, pid) for each in assignments]
        values = [[self.value(x, env, {"self": pid}) for x in each.values] for each in assignments]
        for chosen in product(*values):
            yield {key: self.fit(key, pid, value) for key, value in zip(places, chosen, strict=True)}

    def fit(self, key: Key, pid: int, value: Any) -> int:
        low, high = self.domains[key[1]] if key[0] == "g" else self.local_domains[self.owners[pid].name, key[2]]
        value = int(value)
        assert isinstance(value, int)
        return value if low <= value <= high else (value - low) % (high - low + 1) + low

    # --- expressions ---------------------------------------------------------------------------------------

    def place(self, x: t.Expression, env: dict[str, Any], pid: int) -> Key:
        name, indices = (x.name, x.indices) if isinstance(x, t.Element | t.Local) else (x.name, ())  # type: ignore[attr-defined]
        return self.key(name, indices, env, {"self": pid})

    def key(self, name: str, indices: tuple[t.Expression, ...], env: dict[str, Any], bound: dict[str, int]) -> Key:
        pid = bound.get("self", -1)
        own = pid >= 0 and any(x.name == name for x in self.owners[pid].locals)
        variable = next(
            x for x in [*(self.owners[pid].locals if own else ()), *self.program.variables,
                        *(each.variable for each in self.program.shared)] if x.name == name
        )  # fmt: skip
        found = []
        for dimension, index in zip(variable.dimensions, indices, strict=True):
            value = self.value(index, env, bound)
            if isinstance(dimension, t.Name) and dimension.name in self.classes:
                # A number names a member, from 1; a process is its own number.
                is_number = isinstance(index, t.Number)
                value = value - 1 if is_number else value - self.classes[dimension.name].start
            found.append(value)
        return ("l", pid, name, tuple(found)) if own else ("g", name, tuple(found))

    def process_class(self, pid: int) -> range:
        return next(members for members in self.classes.values() if pid in members)

    def value(self, x: t.Expression, env: dict[str, Any], bound: dict[str, int]) -> Any:
        match x:
            case t.Number(value) | t.Truth(value):
                return value
            case t.Itself():
                return bound["self"]
            case t.Nobody():
                return self.nobody
            case t.Name(name):
                if name in bound:
                    return bound[name]
                if name in self.constants:
                    return self.constants[name]
                if name in self.defines:
                    return self.value(self.defines[name], env, {k: v for k, v in bound.items() if k == "self"})
                if name in self.classes:
                    return self.classes[name].start
                return env["memory"][self.key(name, (), env, bound)]
            case t.Element(name, (index,)) if name in self.classes:
                value = self.value(index, env, bound)
                return self.classes[name].start + value - 1 if isinstance(index, t.Number) else value
            case t.Element(name, indices):
                return env["memory"][self.key(name, indices, env, bound)]
            case t.NumberOf(process):
                pid = self.value(process, env, bound)
                return pid - self.process_class(pid).start + 1
            case t.Local(process, name, indices):
                return env["memory"][self.key(name, indices, env, {**bound, "self": self.value(process, env, bound)})]
            case t.At(process, label):
                control = env["controls"][self.value(process, env, bound)]
                return control == label if isinstance(control, str) else bool(control) and control[0].label == label
            case t.Unary(operator, operand):
                value = self.value(operand, env, bound)
                return not value if operator == "!" else -value
            case t.Quantified(what):
                found = list(self.choices(x, env, bound))
                return all(found) if what == "forall" else any(found) if what == "exists" else sum(found)
            case t.Binary("+" | "-" as operator, left, right) if self.is_process(left, bound):
                pid, distance = self.value(left, env, bound), self.value(right, env, bound)
                ring = self.process_class(pid)
                place = pid - ring.start + (distance if operator == "+" else -distance)
                return ring.start + place % len(ring)
            case t.Binary(operator, left, right):
                return self.operation(operator, left, right, env, bound)
        raise TypeError(type(x).__name__)

    def is_process(self, x: t.Expression, bound: dict[str, int]) -> bool:
        return isinstance(x, t.Itself) or (isinstance(x, t.Name) and x.name in bound)

    def choices(self, x: t.Quantified, env: dict[str, Any], bound: dict[str, int]) -> Iterator[bool]:
        names = [(name, each.of or next(iter(self.classes))) for each in x.bound for name in each.names]
        taken = {pid for name, pid in bound.items() if name != "self"}
        everybody = [pid for pid in range(len(self.owners)) if pid not in taken]
        for pids in permutations(everybody, len(names)):
            if any(pid not in self.classes[of] for pid, (_, of) in zip(pids, names, strict=True)):
                continue
            inner = bound | {name: pid for pid, (name, _) in zip(pids, names, strict=True)}
            allowed = x.condition is None or self.value(x.condition, env, inner)
            if x.what == "forall":
                yield not allowed or bool(self.value(x.body, env, inner))
            else:
                yield bool(allowed and self.value(x.body, env, inner))

    def operation(
        self, operator: str, left: t.Expression, right: t.Expression, env: dict[str, Any], bound: dict[str, int]
    ) -> Any:
        a = self.value(left, env, bound)
        match operator:
            case "&":
                return bool(a and self.value(right, env, bound))
            case "|":
                return bool(a or self.value(right, env, bound))
            case "->":
                return bool(not a or self.value(right, env, bound))
        b = self.value(right, env, bound)
        match operator:
            case "<->":
                return bool(a) == bool(b)
            case "/":
                return int(a / b)
            case "%":
                return a - b * int(a / b)
        python: dict[str, Callable[[Any, Any], Any]] = {
            "=": op.eq,
            "!=": op.ne,
            "<": op.lt,
            "<=": op.le,
            ">": op.gt,
            ">=": op.ge,
        }
        python |= {"+": op.add, "-": op.sub, "*": op.mul}
        return python[operator](a, b)


class Space:
    def __init__(self) -> None:
        self.states: dict[Key, None] = {}
        self.transitions = 0
        self.deadlocks = 0
