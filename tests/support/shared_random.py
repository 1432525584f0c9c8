"""Random shared-variable programs, and whether their models are what the naive reference says.

python -m tests.support.shared_random 17        print one
python -m tests.support.shared_random --compare 0 2000
"""

from __future__ import annotations

import random
import sys
from typing import Any

from coset.languages.shared.load import load, load_family
from coset.model.family import instance
from coset.model.interpreter import Interpreter
from coset.model.model import Model
from coset.model.state import State
from coset.model.validate import validate
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source
from tests.support.shared_reference import Reference


class Writer:
    """Writes one program.  A `family` has no process ids."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.family = self.chance.random() < 0.4
        self.synchronous = not self.family and self.chance.random() < 0.2
        self.transitions = self.synchronous or self.chance.random() < 0.2
        self.labels = 0
        self.depth = 0

    def pick(self, *options: str) -> str:
        return self.chance.choice(options)

    def text(self) -> str:
        two = self.chance.random() < 0.4 and not self.synchronous
        lines = ["synchronous;"] if self.synchronous else []
        lines += [f"parameter n = {self.chance.randint(2, 3)};", "global x: 0..2 = 0, b: bool, y: sem = 1;"]
        if not self.family:
            lines.append("global turn: P = none, f[P]: 0..1;")
            lines.append("define busy = exists j in P: j.u = 1;")
        lines.append(self.class_("P", "n"))
        if two:
            lines.append(self.class_("Q", "1" if self.chance.random() < 0.5 else "2"))
        return "\n".join(lines) + "\n"

    def class_(self, name: str, size: str) -> str:
        self.name, self.labels = name, 0
        head = f"class {name}[{size}] {{\n    local u: 0..1, v: 0..2 = 1;\n"
        if self.transitions:
            return head + "".join(f"    {self.transition()}\n" for _ in range(self.chance.randint(2, 4))) + "}"
        body = self.body(3)
        if self.chance.random() < 0.7:
            body = f"    loop forever do {{\n{body}    }}\n"
        return head + body + "}"

    def transition(self) -> str:
        source, target = self.pick("a", "b1", "c"), self.pick("a", "b1", "c")
        return f"{source} : {self.condition()} -> {self.assignments(' || ')} : {target};"

    def body(self, most: int) -> str:
        return "".join(f"    {self.statement()}\n" for _ in range(self.chance.randint(1, most)))

    def label(self) -> str:
        self.labels += 1
        return f"l{self.labels}"

    def statement(self) -> str:
        label = f"{self.label()}: "
        kinds = ["assign"] * 4 + ["await", "when", "request", "release", "skip"]
        if self.depth < 2:
            kinds += ["if", "while", "choose", "atomic", "goto"]
        kind = self.chance.choice(kinds)
        self.depth += 1
        try:
            match kind:
                case "assign":
                    return f"{label}{self.assignments(', ')};"
                case "await":
                    return f"{label}await {self.condition()};"
                case "when":
                    return f"{label}< await {self.condition()}; {self.assignments(', ')} >;"
                case "request":
                    return f"{label}request y;"
                case "release":
                    return f"{label}< await y < 2; y := y + 1 >;"
                case "if":
                    return f"{label}if {self.condition()} then {{ {self.body(2)} }} else {{ {self.body(1)} }}"
                case "while":
                    return f"{label}while {self.condition()} do {{ {self.body(2)} }}"
                case "choose":
                    return f"{label}choose {{ {self.body(2)} }} or {{ {self.body(1)} }}"
                case "atomic":
                    return f"{label}atomic {{ {self.inside()} {self.inside()} {self.inside()} }}"
                case "goto":
                    return f"{label}goto l{self.chance.randint(1, self.labels)};"
            return f"{label}skip;"
        finally:
            self.depth -= 1

    def inside(self) -> str:
        """A statement of an atomic sequence."""
        match self.chance.randrange(5):
            case 0:
                return f"await {self.condition()};"
            case 1:
                return f"if {self.condition()} then {{ {self.assignments(', ')}; }}"
            case 2:
                return f"choose {{ {self.assignments(', ')}; }} or {{ await {self.condition()}; }}"
        return f"{self.assignments(', ')};"

    def assignments(self, separator: str) -> str:
        own = ["u := (u + 1) % 2", "v := (v + 1) % 3", "v := oneof {0, v}", "u := 1 - u"]
        shared = ["x := (x + v) % 3", "b := !b", f"b := {self.condition()}", "x := v", "v := x"]
        ids = ["turn := self", "turn := none", "f[self] := u", "f[self + 1] := u"] if self.name == "P" else []
        if not self.family and self.name == "P":
            own += ["u := f[self]", "u := f[self - 1]"]
        options = own if self.synchronous else own + shared + ([] if self.family else ids)
        found: dict[str, str] = {}
        for each in self.chance.sample(options, self.chance.randint(1, 3)):
            target = each.split(" :=")[0]
            # f[self] and f[self + 1] may be one element.
            found.setdefault(target.split("[")[0], each)
        return separator.join(found.values())

    def condition(self) -> str:
        options = ["x < 2", "b", "!b", "u = 1", "v != x", "x + v > 1", "true"]
        if not self.family:
            options += ["busy", "exists j in P: j.v = 2", "forall j in P: j.u = 0 | j.v > 0"]
            if self.name == "P":
                options += ["turn = self", "turn != none", "f[self] = 0", "f[self + 1] = 1", "P[1].u = 1", "number(self) = 1",
                            "exists j in P, j != self: j.u = u", "(count j in P: j.u = 1) < 2"]  # fmt: skip
        one = self.chance.choice(options)
        return f"{one} {self.pick('&', '|')} {self.chance.choice(options[:7])}" if self.chance.random() < 0.3 else one


def write(seed: int) -> str:
    return Writer(seed).text()


def projected(model: Model, state: State) -> tuple[Any, ...]:
    """A state as the reference sees it; a synchronous model has a single process, and arrays."""
    values = list(state.values)
    if model.kinds[0].name == "System":
        sizes = {v.name: v.size for v in model.variables}
        count = sizes["P.at"]
        first = sum(size for name, size in sizes.items() if not name.startswith("P."))
        at, u, v = (values[first + k * count : first + (k + 1) * count] for k in range(3))
        domain = next(each for each in model.variables if each.name == "P.at").domain
        labels = tuple(domain.show(place) for place in at)
        return labels, (*values[:first], *(value for pair in zip(u, v, strict=True) for value in pair))
    labels = tuple((*model.kinds[p.kind].locations[p.at].labels, "")[0] for p in state.processes)
    for process in state.processes:
        names = [each.name for each in model.kinds[process.kind].variables]
        values += [value for name, value in zip(names, process.values, strict=True) if name in ("u", "v")]
    return labels, tuple(map(int, values))


def explored(model: Model, most: int) -> tuple[set[tuple[Any, ...]], int, int] | None:
    """The states, transitions and invalid ends of a model, by the interpreter."""
    interpreter = Interpreter(model)
    start = interpreter.initial()
    seen, todo, transitions, ends = {start}, [start], 0, 0
    while todo:
        state = todo.pop()
        anything = False
        for step in interpreter.steps(state):
            anything, transitions = True, transitions + 1
            assert not any(move.errors for move in step.moves), [move.errors for move in step.moves]
            if step.state not in seen:
                seen.add(step.state)
                todo.append(step.state)
        ends += not anything and not interpreter.valid_end(state)
        if len(seen) > most:
            return None
    found = {projected(model, state) for state in seen}
    assert len(found) == len(seen), "two states look alike"
    return found, transitions, ends


def compare(text: str, most: int = 1500) -> bool | None:
    """Whether the model is what the reference says; None if it is too large to be compared."""
    diagnostics = Diagnostics()
    model = load(Source("random.spl", text), {}, (), diagnostics)
    assert model is not None, diagnostics.render() + text
    assert validate(model) == []
    space = Reference(text).explore(most)
    found = explored(model, most)
    if space is None or found is None:
        return None
    states, transitions, ends = found
    if model.kinds[0].name == "System":
        # Where all have ended the model stays, and the reference does nothing.
        transitions, ends = space.transitions, space.deadlocks
    agrees = (states, transitions, ends) == (
        {(labels, tuple(map(int, values))) for labels, values in space.states}, space.transitions, space.deadlocks
    )  # fmt: skip
    family = load_family(Source("random.spl", text), {}, Diagnostics())
    if family is not None:
        sizes = {each.name: int(Reference(text).constants[each.name]) for each in family.parameters}
        agrees = agrees and explored(instance(family, sizes), most) == found
    return agrees


if __name__ == "__main__":
    if sys.argv[1] == "--compare":
        results = {seed: compare(write(seed)) for seed in range(int(sys.argv[2]), int(sys.argv[3]))}
        print({verdict: sum(each is verdict for each in results.values()) for verdict in (True, False, None)})
        print([seed for seed, each in results.items() if each is False][:20])
    else:
        print(write(int(sys.argv[1])))
