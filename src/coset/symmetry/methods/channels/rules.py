"""The typing rules of static channel diagrams (Section 5 of the paper): ids and channels are names, not numbers.

What holds process ids or channels may be assigned, sent and compared for equality, and nothing else; and it is declared
as what it holds.  Where a model breaks a rule, the paper's tool stops.  Coset says so and goes on, because its check of
a permutation (`text`) compares what arithmetic does, not how it is written.
"""

from __future__ import annotations

from collections.abc import Iterator

from coset.model import expression as e
from coset.model.domain import Refers
from coset.source.records import dataclass
from coset.source.text import Span
from coset.symmetry.action import Points
from coset.symmetry.operators import ORDERS
from coset.symmetry.sorts import Arithmetic, Sort

NAMES = {"process": "process ids", "channel": "channels"}
REFERS = {"process": Refers.PROCESS, "channel": Refers.CHANNEL}
WORDS = {"process": "pid", "channel": "chan"}


@dataclass(frozen=True, slots=True)
class Breach:
    """A place where a rule is broken."""

    text: str
    span: Span | None


def breaches(points: Points) -> tuple[Breach, ...]:
    """Every place where ids or channels are used as numbers, or numbers as ids."""
    found = [*computed(points), *declared(points)]
    return tuple(dict.fromkeys(found))


def computed(points: Points) -> Iterator[Breach]:
    for arithmetic in points.sorts.arithmetic:
        objects = [sort.leader.objects for sort in concerned(points, arithmetic) if sort.leader.objects]
        if objects:
            yield Breach(f"'{arithmetic.whole}' {verb(arithmetic)} {NAMES[objects[0]]}", arithmetic.span)


def concerned(points: Points, arithmetic: Arithmetic) -> Iterator[Sort]:
    for leaf in arithmetic.leaves:
        sort = points.sorts.of(leaf)
        if sort is not None:
            yield sort
    if arithmetic.target is not None:
        yield arithmetic.target


def verb(arithmetic: Arithmetic) -> str:
    match arithmetic.whole:
        case e.Binary(operator) if operator in ORDERS:
            return "orders"
        case e.Binary() | e.Unary():
            return "computes with"
    return "takes for a truth value" if arithmetic.truth else "computes with"


def declared(points: Points) -> Iterator[Breach]:
    """Variables and messages that hold names, but are declared as numbers."""
    for sort in points.sorts.all:
        if not sort.objects:
            continue
        wanted, what = REFERS[sort.objects], NAMES[sort.objects]
        for variable in sort.cells:
            if variable.domain.refers is not wanted:
                yield Breach(
                    f"{variable.name} holds {what}, but is a {variable.domain}: declare it as {WORDS[sort.objects]}",
                    variable.span,
                )
    names = points.channel_names()
    for sort in points.sorts.all:
        for number in sorted(sort.values) if sort.objects == "channel" else ():
            if points.is_channel(number) and number in names:
                type_ = points.interpreter.channel_types[points.started.state.channels[number - 1].type]
                for k, field in sorted(sort.fields.items()):
                    objects = field.leader.objects
                    if objects and k < len(type_.fields) and type_.fields[k].refers is not REFERS[objects]:
                        yield Breach(
                            f"field {k + 1} of {names[number]} holds {NAMES[objects]}, but is a {type_.fields[k]}", None
                        )
