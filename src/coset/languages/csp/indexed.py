"""Indexed processes: `|||i:{0..n}@P(i)` and the like, written out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from coset.languages.csp import codes, terms
from coset.languages.csp import tree as t
from coset.languages.csp.terms import Refused

MOST_INDICES = 10_000
COPIES = "the number of copies"


def constant(x: t.Expression, what: str) -> int:
    if not isinstance(x, t.Number):
        raise Refused(codes.NOT_CONSTANT, f"{what} must be a constant", x)
    return x.value


def positive(x: t.Expression, what: str) -> int:
    value = constant(x, what)
    if value < 1:
        raise Refused(codes.BAD_RANGE, f"{what} must be at least 1, not {value}", x)
    return value


def expanded(x: t.Indexed) -> t.Process:
    """The parts of an indexed process, one for each value of the indices."""
    parts = [terms.process(x.body, values) for values in indices(x)]
    if len(parts) == 1:
        return parts[0]
    match x.operator:
        case "|||":
            return t.Interleave(tuple(parts), span=x.span)
        case "||":
            return t.Parallel(tuple(parts), span=x.span)
        case ";":
            result = parts[-1]
            for part in reversed(parts[:-1]):
                result = t.Sequence(part, result, span=x.span)
            return result
    return t.Choice(x.operator, tuple(parts), span=x.span)


def indices(x: t.Indexed) -> list[dict[str, t.Expression]]:
    """All values of the indices of a process, at least one."""
    found = list(islice(assignments(x.ranges), MOST_INDICES + 1))
    if len(found) > MOST_INDICES:
        raise Refused(codes.TOO_LARGE, f"the indices have more than {MOST_INDICES} values", x)
    if not found:
        raise Refused(codes.BAD_RANGE, "the range of the index is empty", x)
    return found


def assignments(ranges: tuple[t.Range, ...]) -> Iterator[dict[str, t.Expression]]:
    """All values of some indices; the bounds of one may use those before it."""
    if not ranges:
        yield {}
        return
    first, *rest = ranges
    for low, high in first.bounds:
        for value in range(constant(low, "a bound of an index"), constant(high, "a bound of an index") + 1):
            here: dict[str, t.Expression] = {first.name: t.Number(value, span=first.span)}
            narrowed = tuple(
                t.Range(
                    r.name,
                    tuple((terms.expression(a, here), terms.expression(b, here)) for a, b in r.bounds),
                    span=r.span,
                )
                for r in rest
            )
            for more in assignments(narrowed):
                yield here | more
