"""Formulas about a network: the components that they speak of, and whether a verdict on abs(m) carries over to all sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from coset.languages.features.expand import walk
from coset.languages.features.obstacle import Obstacle
from coset.languages.features.scope import ID, globals_of, records_of
from coset.languages.features.tree import Network
from coset.languages.promela import tree as t
from coset.languages.promela.parse import parse
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source

_LINK = re.compile(r"link(\d+)")


def parse_formula(specification: str, name: str) -> t.Expression:
    """The formula of an `ltl` block of a specification.  Raises `InputError`."""
    diagnostics = Diagnostics()
    program = parse(Source("formula", specification), {}, (), diagnostics)
    diagnostics.check()
    return next(unit.formula for unit in program.units if isinstance(unit, t.Ltl) and unit.name == name)


def components_of(formula: t.Expression, network: Network) -> set[int]:
    """The components that a formula names: in indices, in comparisons with ids, by their channels.

    >>> from coset.source.text import Span
    >>> at = Span(Source("", ""), 0, 0)
    >>> sorted(components_of(t.RemoteLabel(at, "user", t.Number(at, 2), "idle"), Network("", (), at.source, (), {}, ())))
    [2]
    """
    found: set[int] = set()
    for node in walk(formula):
        match node:
            case t.RemoteLabel(pid=t.Number(value=value)) | t.RemoteVariable(pid=t.Number(value=value)):
                found.add(value)
            case t.Reference(index=t.Number(value=value)):
                found.add(value)
            case t.Reference(name=name) if match := _LINK.fullmatch(name):
                found.add(int(match[1]))
            case t.Binary(operator="==" | "!=", left=left, right=right):
                for side, other in ((left, right), (right, left)):
                    if isinstance(side, t.Number) and is_id(other, network):
                        found.add(side.value)
    return found - {0}


def is_id(x: t.Expression, network: Network) -> bool:
    """Whether an expression is an id: a global variable, or a field of a record in one."""
    if not isinstance(x, t.Reference):
        return False
    records = records_of(network.units)
    found, rest = globals_of(network.units).get(x.name), x.rest
    while found is not None and rest is not None:
        found, rest = records.get(found.kind, {}).get(rest.name), rest.rest
    return found is not None and found.kind == ID


def formula_obstacles(formula: t.Expression, network: Network, concrete: set[int]) -> Iterator[Obstacle]:
    """Why a verdict on abs(m) would not carry over; `concrete` are the components that it keeps."""
    compared: set[int] = set()
    for node in walk(formula):
        match node:
            case t.Unary(operator="X"):
                yield Obstacle("the formula has a next operator")
            case t.Binary(operator="==" | "!=", left=left, right=right) if is_id(left, network) or is_id(
                right, network
            ):
                if isinstance(left, t.Number) or isinstance(right, t.Number):
                    compared |= {id(left), id(right)}
                else:
                    yield Obstacle("the formula compares ids with each other: both may be abstracted")
            case t.Reference() if is_id(node, network) and id(node) not in compared:
                yield Obstacle(f"the formula uses the id `{node.name}` other than in a comparison with a component")
            case t.RemoteVariable() | t.Poll() | t.Timeout() | t.NonProgress() | t.Builtin():
                yield Obstacle("the formula asks for more than labels, arrays of components and lengths of channels")
            case t.RemoteLabel(pid=pid) if not isinstance(pid, t.Number):
                yield Obstacle("the formula asks for a label without the number of a component")
            case t.Reference(name="_nr_pr" | "_last" | "_pid"):
                yield Obstacle("the formula asks for processes in general")
            case t.Reference(index=index) if index is not None and not isinstance(index, t.Number):
                yield Obstacle("the formula has an index that is no number")
    for number in sorted(components_of(formula, network) - concrete):
        yield Obstacle(f"the formula speaks of component {number}, which is not kept")
