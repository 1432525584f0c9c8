"""Which term is a state: names are unfolded, indices expanded, nested `|||` flattened.

PAT takes a name and the body that it stands for as one state, wherever something can happen next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product

from coset.languages.csp import codes, terms
from coset.languages.csp import tree as t
from coset.languages.csp.alphabet import alphabet
from coset.languages.csp.expression_text import expression_text
from coset.languages.csp.indexed import COPIES, expanded, positive
from coset.languages.csp.lower_expression import Declarations, Expressions
from coset.languages.csp.terms import Refused

Values = tuple[t.Expression, ...]
MOST_PARTS = 24
DEEPEST = 150
"""So many calls without an event between them never end."""
MOST_VALUES = 256


class Normaliser:
    """Terms of one program as states."""

    def __init__(self, program: t.Program) -> None:
        self.program = program
        self.known: dict[t.Process, t.Process] = {}
        self.expressions = Expressions(Declarations(program), {})

    def normalised(self, x: t.Process, depth: int = 0) -> t.Process:
        found = self.known.get(x)
        if found is None:
            found = self.known[x] = self.unfolded(x, depth)
        return found

    def unfolded(self, x: t.Process, depth: int) -> t.Process:
        def inner(part: t.Process) -> t.Process:
            return self.normalised(part, depth + 1)

        if depth > DEEPEST:
            raise Refused(codes.UNGUARDED, "this process calls itself without doing anything first", x)
        match x:
            case t.Call():
                return x if is_open(x) else inner(self.body(x))
            case t.Indexed():
                return inner(expanded(x))
            case t.Interleave(parts):
                return interleaved(map(inner, parts), x)
            case t.Counted(count, body):
                return bag([(inner(body), positive(count, COPIES))], x)
            case t.Bag(members):
                return bag([(inner(member), count) for member, count in members], x)
            case t.Parallel(parts, alphabets):
                if alphabets is None:
                    alphabets = tuple(alphabet(part, self.program) for part in parts)
                return t.Parallel(tuple(map(inner, parts)), alphabets, span=x.span)
            case t.Choice("[]" | "[*]" as operator, parts):
                return t.Choice(operator, tuple(map(inner, parts)), span=x.span)
            case t.Guard(condition, body):
                return x if is_false(condition) else t.Guard(condition, inner(body), span=x.span)
            case t.If("ifa", condition, yes, no):
                left = yes if is_false(condition) else inner(yes)
                right = no if is_true(condition) else inner(no)
                return t.If("ifa", condition, left, right, span=x.span)
            case t.Sequence(first, second):
                return t.Sequence(inner(first), second, span=x.span)
            case t.Interrupt(body, handler):
                return t.Interrupt(inner(body), inner(handler), span=x.span)
            case t.Hide(body, events):
                return hidden(inner(body), events, x)
            case t.Atomic(body):
                return t.Atomic(inner(body), span=x.span)
        return x

    def body(self, x: t.Call) -> t.Process:
        """What a call stands for."""
        definition = self.program.definitions[x.name]
        return terms.process(definition.body, dict(zip(definition.parameters, x.arguments, strict=True)))

    def possible(self, arguments: Values) -> Iterator[tuple[Values, Values]]:
        """Arguments that read variables, as all the numbers that they can be, each time with the conditions for that."""
        read = [place for place, argument in enumerate(arguments) if reads_variable(argument)]
        for numbers in product(*(self.numbers(arguments[place]) for place in read)):
            found = dict(zip(read, numbers, strict=True))
            conditions = tuple(
                t.Binary("==", arguments[place], number, span=number.span) for place, number in found.items()
            )
            yield conditions, tuple(found.get(place, argument) for place, argument in enumerate(arguments))

    def numbers(self, x: t.Expression) -> list[t.Expression]:
        """All that an expression can be, by the ranges of its variables."""
        if has_parameter(x):
            raise Refused(codes.NOT_CONSTANT, "the values of parameters are not known for all instances at once", x)
        low, high = self.expressions.interval(x)
        if high - low >= MOST_VALUES:
            text = f"`{expression_text(x)}` can be {low}..{high}, and what follows depends on it"
            raise Refused(codes.TOO_MANY_VALUES, text, x, "give its variables a range: `var x:{0..7};`")
        return [t.Number(value, span=x.span) for value in range(low, high + 1)]


def is_open(x: t.Call) -> bool:
    """Whether a call reads variables: it is unfolded when it acts, with the values that they have then."""
    return any(map(reads_variable, x.arguments))


def is_true(x: t.Expression) -> bool:
    return isinstance(x, t.Number) and x.value != 0


def is_false(x: t.Expression) -> bool:
    return isinstance(x, t.Number) and x.value == 0


def reads_variable(x: t.Expression) -> bool:
    match x:
        case t.Unary(_, operand):
            return reads_variable(operand)
        case t.Binary(_, left, right):
            return reads_variable(left) or reads_variable(right)
    return not isinstance(x, t.Number | t.Parameter)


def has_parameter(x: t.Expression) -> bool:
    """Whether the bounds of an expression depend on parameters; those of an element are the same for every index."""
    match x:
        case t.Unary(_, operand):
            return has_parameter(operand)
        case t.Binary(_, left, right):
            return has_parameter(left) or has_parameter(right)
    return isinstance(x, t.Parameter)


def hidden(body: t.Process, events: tuple[t.Event, ...], x: t.Process) -> t.Process:
    """Hiding without hiding right inside of it, so that recursion through it comes to an end."""
    if isinstance(body, t.Hide):
        both = dict.fromkeys((*body.events, *events))
        body, events = body.body, tuple(sorted(both, key=lambda event: (event.name, repr(event.arguments))))
    return t.Hide(body, events, span=x.span)


def interleaved(parts: Iterable[t.Process], x: t.Process) -> t.Process:
    """`|||` without `|||` right inside of it."""
    flat: list[t.Process] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, t.Interleave) else [part])
    if len(flat) > MOST_PARTS:
        raise Refused(codes.TOO_LARGE, f"more than {MOST_PARTS} processes side by side in one component", x)
    return t.Interleave(tuple(flat), span=x.span)


def bag(members: Iterable[tuple[t.Process, int]], x: t.Process) -> t.Process:
    """Copies that are only counted, in a fixed order."""
    counts: Counter[t.Process] = Counter()
    for member, count in members:
        counts[member] += count
    return t.Bag(tuple(sorted(((m, n) for m, n in counts.items() if n), key=repr)), span=x.span)
