"""What a file asserts, each assertion with the model that decides it and the property of that model.

deadlockfree      the model's end states
nonterminating    the same, where a successful end is none
reaches c         EF c
|= f              the formula; if it speaks of events, the model has a variable for the last one
divergencefree    no cycle of silent steps          } decided on the labelled graph,
deterministic     no two steps with the same event  } see `labelled`
"""

from __future__ import annotations

from dataclasses import replace

from coset.languages.csp import codes, lower
from coset.languages.csp import tree as t
from coset.languages.csp.alphabet import Label, label
from coset.languages.csp.lower_expression import Expressions, interval_domain
from coset.languages.csp.lower_kind import Watching
from coset.languages.csp.terms import Refused
from coset.languages.csp.written import written
from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import Domain
from coset.model.suite import Asserted, Suite
from coset.properties.ctl_formula import Branching
from coset.properties.formula import Atom, Constant, Formula, Logic, Modal, Not, Until

END_STATES = "end states"
LABELLED = ("divergencefree", "deterministic")


def suite(program: t.Program, name: str) -> Suite:
    """The models that decide the assertions of a program."""
    return Builder(program, name).suite()


class Builder:
    def __init__(self, program: t.Program, name: str) -> None:
        self.program, self.name = program, name
        self.models: list[m.Model] = []
        self.lowerings: list[lower.Lowering] = []
        self.places: dict[tuple[t.Process, str, tuple[Label, ...]], int] = {}
        self.found: list[Asserted] = []

    def suite(self) -> Suite:
        if not self.program.assertions:
            hint = "add `#assert System() deadlockfree;`"
            raise Refused(
                codes.NO_ASSERTION,
                "there is no assertion, which would determine the system process",
                self.program,
                hint,
            )
        self.place(self.program.assertions[0].process)
        names: set[str] = set()
        for number, assertion in enumerate(self.program.assertions, 1):
            name = assertion.text if assertion.text not in names else f"{assertion.text} ({number})"
            names.add(name)
            self.found.append(self.asserted(assertion, name))
        processes = tuple(" ".join(process.span.text.split()).removesuffix("()") for process, _, _ in self.places)
        return Suite(tuple(self.models), tuple(self.found), processes, tuple(written(self.program)))

    def asserted(self, x: t.Assertion, name: str) -> Asserted:
        match x.what:
            case "deadlockfree":
                return Asserted(name, x.what, self.place(x.process), END_STATES)
            case "nonterminating" | "divergencefree" | "deterministic":
                return Asserted(name, x.what, self.place(x.process, x.what), END_STATES)
            case "reaches":
                place = self.place(x.process)
                assert x.condition is not None
                reached: Formula[e.Expr] = Branching("E", "F", Atom(self.condition(place, x.condition)))
                return self.add(place, m.CtlProperty(name, reached, x.text, x.span), x.what)
        formula = x.formula
        assert isinstance(formula, Formula)
        events = tuple(dict.fromkeys(label(atom) for atom in formula.atoms() if not self.is_condition(atom)))
        for atom in formula.atoms():
            self.check(atom)
        place = self.place(x.process, "", events)
        lowered = self.formula(formula, place, events)
        return self.add(place, m.LtlProperty(name, lowered, x.text, x.span), x.what)

    def add(self, place: int, property_: m.LtlProperty | m.CtlProperty, what: str) -> Asserted:
        # Lowering the property may have made use of one more variable.
        model, lowering = self.models[place], self.lowerings[place]
        declared = lowering.declarations.variables()
        others = [v for v in model.variables if not any(v is each for each in declared)]
        properties = (*model.properties, property_)
        self.models[place] = replace(model, variables=(*declared, *others), properties=properties)
        return Asserted(property_.name, what, place, property_.name)

    # --- models ------------------------------------------------------------------------------------

    def place(self, process: t.Process, variant: str = "", events: tuple[Label, ...] = ()) -> int:
        """The number of the model of a process, with what is needed to know about events."""
        key = process, variant, events
        if key not in self.places:
            last = m.Variable("last_event", event_domain(events)) if events else None
            watching = Watching(last, events, variant in LABELLED)
            others = (self.lowerings[k] for (each, _, _), k in self.places.items() if each == process)
            other = next((each for each in others if each.has_automata_for(watching)), None)
            lowering = lower.Lowering(self.program, process, watching, other)
            model = lowering.model(self.name)
            if variant == "nonterminating":
                model = replace(model, kinds=tuple(map(endless, model.kinds)))
            self.places[key] = len(self.models)
            self.models.append(model)
            self.lowerings.append(lowering)
        return self.places[key]

    # --- formulas ----------------------------------------------------------------------------------

    def is_condition(self, atom: t.Event) -> bool:
        return not atom.arguments and atom.name in self.program.constants

    def check(self, atom: t.Event) -> None:
        """An event of a formula must be one that something can do, or a condition that is defined."""
        if self.is_condition(atom) or atom.name == "tau":
            return
        known = set(self.program.channels)
        for definition in self.program.definitions.values():
            for x in lower.everywhere(definition.body):
                if isinstance(x, t.Prefix):
                    known.add(x.event.name)
        if atom.name.rstrip("!?") not in known:
            text = f"`{atom.name}` is neither an event nor a condition"
            raise Refused(codes.UNDECLARED, text, atom, f"define a condition: `#define {atom.name} x == 1;`")
        channel = self.program.channels.get(atom.name.rstrip("!?"))
        if channel is not None and channel.shape is not None:
            raise Refused(codes.UNSUPPORTED, "events of an array of channels in formulas are not supported", atom)

    def formula(self, x: Formula[t.Event], place: int, events: tuple[Label, ...]) -> Formula[e.Expr]:
        match x:
            case Constant(value):
                return Constant(value)
            case Atom(atom):
                return Atom(self.atom(atom, place, events))
            case Not(operand):
                return Not(self.formula(operand, place, events))
            case Modal(operator, operand):
                return Modal(operator, self.formula(operand, place, events))
            case Logic(operator, left, right):
                return Logic(operator, self.formula(left, place, events), self.formula(right, place, events))
            case Until(operator, left, right):
                return Until(operator, self.formula(left, place, events), self.formula(right, place, events))
        raise TypeError(f"unknown formula {type(x).__name__}")

    def atom(self, atom: t.Event, place: int, events: tuple[Label, ...]) -> e.Expr:
        if self.is_condition(atom):
            return self.condition(place, self.program.constants[atom.name])
        last = self.lowerings[place].watching.last
        assert last is not None
        return e.Binary("==", e.Get(last), e.Const(events.index(label(atom)) + 1, last.domain))

    def condition(self, place: int, x: t.Expression) -> e.Expr:
        return Expressions(self.lowerings[place].declarations, {}).lower(x)


def event_domain(events: tuple[Label, ...]) -> Domain:
    """Numbers for the events of a formula; 0 is any other."""
    names = [".".join([name, *map(str, values)]) for name, values in events]
    labels = ((0, "other"), *enumerate(names, 1))
    return replace(interval_domain(0, len(events)), name="event", labels=labels)


def endless(kind: m.Kind) -> m.Kind:
    """The kind, in which a successful end is as bad as any other."""
    return replace(kind, locations=tuple(replace(location, end=False) for location in kind.locations))
