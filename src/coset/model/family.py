"""A family of models: classes of interchangeable processes, each with any number of members.

A class is a kind of process with a size, which is a number or the name of a parameter.  Processes of a family have no numbers,
and interact only through global variables; so all members of a class are interchangeable.  Properties and lemmas quantify over
members: `forall i, j in P: AG !(i@crit & j@crit)`, where variables of one class always denote different processes.

In expressions of a family a parameter is a `Get` of its variable, and a quantified process the `Get` of its variable: `i@crit` is
`AtLocation(kind, Get(i), ...)`, `i.x` is `Remote(kind, Get(i), x)`.  `Timeout` in a property is a deadlock: no process can move.
`instance` substitutes numbers for them.

A program may use identities of processes without knowing how many there are: `Self` is its own, `NoProcess` is that of none, and
`Everyone` and `Someone` are conditions on the members of a class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from itertools import chain, permutations, product
from typing import TypeVar

from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import Domain, Refers
from coset.model.rewrite import exchanged, rebuild_value
from coset.properties import formula as f
from coset.source.records import dataclass
from coset.source.text import Span

T = TypeVar("T")
REFERENCE = "process"
"""The name of the domain of references to processes, in a family: in a member it has their names."""


@dataclass(frozen=True, slots=True)
class NoProcess(e.Expr):
    """The identity that no process has."""


@dataclass(frozen=True, slots=True)
class Everyone(e.Expr):
    """`forall j in P: condition`: all members of a class, the one that asks among them."""

    of: str
    variable: m.Variable
    condition: e.Expr


@dataclass(frozen=True, slots=True)
class Someone(e.Expr):
    """`exists j in P: condition`."""

    of: str
    variable: m.Variable
    condition: e.Expr


@dataclass(frozen=True, slots=True)
class ProcessClass:
    """A class of processes.  `size` is a number, or the parameter for the number of members (at least one)."""

    kind: m.Kind
    size: int | m.Variable
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.kind.name


@dataclass(frozen=True, slots=True)
class Quantifier:
    """`forall i, j in P`: the variables denote different members of one class."""

    variables: tuple[m.Variable, ...]
    of: str

    def __str__(self) -> str:
        return f"forall {', '.join(v.name for v in self.variables)} in {self.of}"


@dataclass(frozen=True, slots=True)
class FamilyProperty:
    """A CTL formula (with `linear`, an LTL formula) that should hold for all choices of different processes."""

    name: str
    quantifiers: tuple[Quantifier, ...]
    formula: f.Formula[e.Expr]
    linear: bool = False
    text: str = field(default="", compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Lemma:
    """A condition that should hold in all states, for all choices of different processes."""

    name: str
    quantifiers: tuple[Quantifier, ...]
    condition: e.Expr
    text: str = field(default="", compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Family:
    """A family.  `assumptions` are conditions on the parameters; named sizes of classes are parameters, too."""

    name: str
    parameters: tuple[m.Variable, ...]
    variables: tuple[m.Variable, ...]
    classes: tuple[ProcessClass, ...]
    assumptions: tuple[e.Expr, ...] = ()
    properties: tuple[FamilyProperty, ...] = ()
    lemmas: tuple[Lemma, ...] = ()

    def class_(self, name: str) -> ProcessClass:
        return next(each for each in self.classes if each.name == name)

    def sizes(self, values: Mapping[str, int]) -> dict[str, int]:
        """The number of processes in each class, for values of the parameters."""
        return {c.name: c.size if isinstance(c.size, int) else values[c.size.name] for c in self.classes}


def instance(family: Family, values: Mapping[str, int]) -> m.Model:
    """The model for values of the parameters.  A property becomes the conjunction over all choices of processes."""
    numbers = {parameter: values[parameter.name] for parameter in family.parameters}
    sizes = family.sizes(values)
    members: dict[str, range] = {}
    for each in family.classes:
        start = sum(map(len, members.values()))
        members[each.name] = range(start, start + sizes[each.name])
    own = (*family.variables, *(variable for each in family.classes for variable in each.kind.variables))
    total = sum(sizes.values())
    labels = [(pid, f"{name}[{k + 1}]") for name, row in members.items() for k, pid in enumerate(row)]
    someone = Domain(REFERENCE, 0, total, Refers.PROCESS, (*labels, (total, "none")))
    images = {
        variable: replace(
            variable,
            initial=spelled_out(put(variable.initial, numbers), members, total),
            domain=someone if variable.domain.name == REFERENCE else variable.domain,
        )
        for variable in own
    }
    kinds = tuple(exchanged(spelled_out(put(each.kind, numbers), members, total), images) for each in family.classes)
    processes = tuple(
        m.Instance(each.name, name=f"{each.name}[{number + 1}]")
        for each in family.classes
        for number in range(len(members[each.name]))
    )
    properties = tuple(
        exchanged(spelled_out(property_of(each, members, numbers), members, total), images)
        for each in family.properties
    )
    return m.Model(family.name, tuple(images[each] for each in family.variables), kinds, processes, properties)


def spelled_out(thing: T, members: Mapping[str, range], total: int) -> T:
    """A part of a program that asks for all processes, or for none, where these are known."""

    def known(x: e.Expr) -> e.Expr:
        match x:
            case NoProcess():
                return e.Const(total)
            case Everyone(of, variable, condition) | Someone(of, variable, condition):
                found: e.Expr | None = None
                for number in members[of]:
                    one = put(condition, {variable: number})
                    operator = "&&" if isinstance(x, Everyone) else "||"
                    found = one if found is None else e.Binary(operator, found, one)
                return found if found is not None else e.Const(int(isinstance(x, Everyone)))
        return x

    done: T = rebuild_value(thing, known)
    return done


def property_of(
    property_: FamilyProperty, members: Mapping[str, range], numbers: Mapping[m.Variable, int]
) -> m.LtlProperty | m.CtlProperty:
    every: f.Formula[e.Expr] | None = None
    for choice in choices(property_.quantifiers, members):
        one = deadlocks_spelled_out(put(property_.formula, {**numbers, **choice}), sum(map(len, members.values())))
        every = one if every is None else f.Logic("&&", every, one)
    made = m.LtlProperty if property_.linear else m.CtlProperty
    return made(property_.name, f.Constant(True) if every is None else every, property_.text, property_.span)


def deadlocks_spelled_out(formula: f.Formula[e.Expr], processes: int) -> f.Formula[e.Expr]:
    """The formula, with a deadlock expressed as the condition that none of the processes can move."""
    idle: e.Expr = e.TRUE
    for number in range(processes):
        idle = e.conjunction(idle, e.Unary("!", e.Enabled(e.Const(number))))
    done: f.Formula[e.Expr] = rebuild_value(formula, lambda x: idle if isinstance(x, e.Timeout) else x)
    return done


def choices(quantifiers: tuple[Quantifier, ...], members: Mapping[str, range]) -> Iterator[dict[m.Variable, int]]:
    """All ways to choose different processes for the variables."""
    wanted: dict[str, list[m.Variable]] = {}
    for quantifier in quantifiers:
        wanted.setdefault(quantifier.of, []).extend(quantifier.variables)
    ways = [permutations(members[name], len(variables)) for name, variables in wanted.items()]
    order = [variable for variables in wanted.values() for variable in variables]
    for way in product(*ways):
        yield dict(zip(order, chain(*way), strict=True))


def put(thing: T, numbers: Mapping[m.Variable, int]) -> T:
    """A part of a family with numbers substituted for variables."""

    def number(x: e.Expr) -> e.Expr:
        if isinstance(x, e.Get) and x.variable in numbers:
            return e.Const(numbers[x.variable], x.variable.domain)
        return x

    done: T = rebuild_value(thing, number)
    return done
