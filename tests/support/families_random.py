"""Random families of small programs, and random properties of them.

Programs have one or two classes with a few locations, one to three global variables of small ranges, perhaps a local one, and
guards and updates that look like locks, counters and flags, so that invariants can be found and predicates matter.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import BOOL, INT, PROCESS, Domain
from coset.model.family import (
    REFERENCE,
    Everyone,
    Family,
    FamilyProperty,
    NoProcess,
    ProcessClass,
    Quantifier,
    Someone,
)
from coset.properties import formula as f
from coset.properties.ctl_formula import Branching, BranchingUntil

NAT = Domain("nat", 0, INT.high)
SMALL = Domain("0..2", 0, 2)
Formula = f.Formula[e.Expr]


class Families:
    """One random family after the other."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def family_with_identities(self) -> Family:
        """A class whose processes know themselves: a variable for one of them, and guards on all others, or on some."""
        random = self.random
        family = self.family(0)
        self.holder = m.Variable("h", Domain(REFERENCE, 0, 255), initial=(NoProcess(),))
        changed = []
        for class_ in family.classes:
            places = [
                replace(place, edges=tuple(self.with_identities(edge, class_) for edge in place.edges))
                for place in class_.kind.locations
            ]
            changed.append(replace(class_, kind=replace(class_.kind, locations=tuple(places))))
        self.classes = tuple(changed)
        found = tuple(self.safety(f"p{k}") for k in range(2))
        if random.random() < 0.5:
            found = (*found, self.held("held"))
        return replace(family, variables=(*family.variables, self.holder), classes=self.classes, properties=found)

    def with_identities(self, edge: m.Edge, class_: ProcessClass) -> m.Edge:
        random, read = self.random, e.Get(self.holder)
        match random.choice(("none", "none", "take", "leave", "mine", "all", "some", "not some")):
            case "take":
                value = m.Assign(e.Place(self.holder), e.Self())
                free = e.Binary("==", read, NoProcess()) if random.random() < 0.6 else e.TRUE
                return replace(edge, guard=e.conjunction(edge.guard, free), effects=(*edge.effects, value))
            case "leave":
                return replace(edge, effects=(*edge.effects, m.Assign(e.Place(self.holder), NoProcess())))
            case "mine":
                mine = e.Binary(random.choice(("==", "!=")), read, e.Self())
                return replace(edge, guard=e.conjunction(edge.guard, mine))
            case "all" | "some" | "not some" as what:
                return replace(edge, guard=e.conjunction(edge.guard, self.on_others(what, class_)))
        return edge

    def on_others(self, what: str, class_: ProcessClass) -> e.Expr:
        """A condition on the other processes of the class, or on some of them."""
        random, other = self.random, m.Variable("j", PROCESS)
        place = random.randrange(len(class_.kind.locations))
        there: e.Expr = e.AtLocation(class_.name, e.Get(other), f"l{place}", frozenset((place,)))
        if class_.kind.variables and random.random() < 0.5:
            own = e.Remote(class_.name, e.Get(other), class_.kind.variables[0])
            there = e.Binary(random.choice(("==", "<=", ">")), own, e.Const(random.randint(0, 1)))
        apart = e.Binary("!=", e.Get(other), e.Self())
        if what == "all":
            away = e.Unary("!", there) if random.random() < 0.7 else there
            return Everyone(class_.name, other, e.Binary("||", e.Unary("!", apart), away))
        some = Someone(class_.name, other, e.Binary("&&", apart, there))
        return e.Unary("!", some) if what == "not some" else some

    def held(self, name: str) -> FamilyProperty:
        """That a process at some location is the one that the variable refers to."""
        class_ = self.random.choice(self.classes)
        variable = m.Variable("i", PROCESS)
        place = self.random.randrange(len(class_.kind.locations))
        there: Formula = f.Atom(e.AtLocation(class_.name, e.Get(variable), f"l{place}", frozenset((place,))))
        mine: Formula = f.Atom(e.Binary("==", e.Get(self.holder), e.Get(variable)))
        return FamilyProperty(
            name, (Quantifier((variable,), class_.name),), Branching("A", "G", f.Logic("->", there, mine))
        )

    def family(self, properties: int = 3) -> Family:
        random = self.random
        self.sizes = [m.Variable(name, NAT) for name in ("n", "m")[: random.choice((1, 1, 2))]]
        self.globals = [self.variable(f"x{k}", None) for k in range(random.randint(1, 2))]
        classes = tuple(ProcessClass(self.kind(name), size) for name, size in zip("PQ", self.sizes, strict=False))
        if len(classes) == 1 and random.random() < 0.2:
            classes = (*classes, ProcessClass(self.kind("Q"), random.randint(1, 2)))
        self.classes = classes
        found = tuple(self.property(f"p{k}") for k in range(properties))
        return Family("random", tuple(self.sizes), tuple(self.globals), classes, (), found)

    def variable(self, name: str, owner: str | None) -> m.Variable:
        domain = self.random.choice((BOOL, BOOL, SMALL, NAT if owner is None else SMALL))
        value: e.Expr = e.Const(self.random.choice((0, 1)))
        if domain is NAT and self.random.random() < 0.3:
            value = e.Get(self.random.choice(self.sizes))
        return m.Variable(name, domain, owner=owner, initial=(value,))

    # --- programs --------------------------------------------------------------------------------

    def kind(self, name: str) -> m.Kind:
        random = self.random
        own = [self.variable("y", name)] if random.random() < 0.25 else []
        count = random.randint(2, 4)
        locations = []
        for number in range(count):
            following = (number + 1) % count
            edges = [self.edge(following, own)]
            if random.random() < 0.25:
                edges.append(self.edge(random.randrange(count), own))
            if number == count - 1 and random.random() < 0.25:
                edges = []
            locations.append(m.Location(tuple(edges), (f"l{number}",), end=True))
        return m.Kind(name, tuple(own), 0, tuple(locations), 0)

    def edge(self, target: int, own: list[m.Variable]) -> m.Edge:
        random = self.random
        what = random.choice(("skip", "lock", "unlock", "take", "give", "test", "assign"))
        variable = random.choice([*self.globals, *own])
        read = e.Get(variable)
        place = e.Place(variable)
        guard: e.Expr = e.TRUE
        value: e.Expr | None = None
        match what:
            case "lock":
                guard, value = e.Binary("==", read, e.Const(0)), e.Const(1)
            case "unlock":
                value = e.Const(0)
            case "take":
                guard, value = e.Binary(">=", read, e.Const(1)), e.Binary("-", read, e.Const(1))
            case "give":
                value = e.Binary("+", read, e.Const(1))
            case "test":
                guard = self.test(own)
            case "assign":
                value = random.choice((e.Const(random.randint(0, 2)), e.Get(random.choice([*self.globals, *own]))))
                guard = self.test(own) if random.random() < 0.3 else e.TRUE
        return m.Edge(target, guard, () if value is None else (m.Assign(place, value),), text=what)

    def test(self, own: list[m.Variable]) -> e.Expr:
        random = self.random
        one = e.Get(random.choice([*self.globals, *own]))
        other: e.Expr = e.Const(random.randint(0, 2))
        if random.random() < 0.15:
            other = e.Get(random.choice([*self.globals, *self.sizes]))
        return e.Binary(random.choice(("==", "!=", ">=", "<=", "<")), one, other)

    # --- properties ------------------------------------------------------------------------------

    def property(self, name: str) -> FamilyProperty:
        random = self.random
        self.processes: list[tuple[m.Variable, ProcessClass]] = []
        quantifiers = []
        for class_ in self.classes:
            count = random.choice((0, 1, 1, 2)) if not isinstance(class_.size, int) else random.randint(0, 1)
            if count:
                variables = tuple(m.Variable(f"{class_.name}{k}", PROCESS) for k in range(count))
                quantifiers.append(Quantifier(variables, class_.name))
                self.processes += [(variable, class_) for variable in variables]
        return FamilyProperty(name, tuple(quantifiers), self.formula(random.randint(1, 3)))

    def safety(self, name: str) -> FamilyProperty:
        """That some states are never reached: mostly those in which two processes are at certain locations."""
        random = self.random
        self.property(name)
        found = self.property(name)
        while not self.processes and random.random() < 0.9:
            found = self.property(name)
        bad = self.state_atom()
        for _ in range(random.randint(0, 2)):
            bad = f.Logic(random.choice(("&&", "&&", "||")), bad, self.state_atom())
        return FamilyProperty(name, found.quantifiers, Branching("A", "G", f.Not(bad)))

    def state_atom(self) -> Formula:
        """An atom other than a deadlock."""
        while isinstance(found := self.atom(), f.Atom) and isinstance(found.value, e.Timeout):
            continue
        return found

    def formula(self, depth: int) -> Formula:
        random = self.random
        if depth == 0 or random.random() < 0.1:
            return self.atom()
        match random.choice(("AG", "AG", "EF", "AF", "EG", "AX", "EX", "AU", "EU", "not", "and", "or", "implies")):
            case "AG" | "EF" | "AF" | "EG" | "AX" | "EX" as operator:
                return Branching(operator[0], operator[1], self.formula(depth - 1))
            case "AU" | "EU" as operator:
                kind = random.choice("UUWR")
                return BranchingUntil(operator[0], kind, self.formula(depth - 1), self.formula(depth - 1))
            case "not":
                return f.Not(self.formula(depth - 1))
            case "and":
                return f.Logic("&&", self.formula(depth - 1), self.formula(depth - 1))
            case "or":
                return f.Logic("||", self.formula(depth - 1), self.formula(depth - 1))
        return f.Logic("->", self.formula(depth - 1), self.formula(depth - 1))

    def atom(self) -> Formula:
        random = self.random
        if self.processes and random.random() < 0.6:
            variable, class_ = random.choice(self.processes)
            place = random.randrange(len(class_.kind.locations))
            found: e.Expr = e.AtLocation(class_.name, e.Get(variable), f"l{place}", frozenset((place,)))
            if class_.kind.variables and random.random() < 0.3:
                own = e.Remote(class_.name, e.Get(variable), class_.kind.variables[0])
                found = e.Binary("==", own, e.Const(random.randint(0, 1)))
            return f.Atom(found)
        if random.random() < 0.2:
            return f.Atom(e.Timeout())
        return f.Atom(self.test([]))
