"""The values of each sort, and the tables of arithmetic on them.

The values of a sort are the least set with its values in the started states, the literals of the text, the objects that it
names, the numbers that index its arrays, the results of arithmetic on such values, and 0 where a remote reference may
find no process.  A sort that is too large, or that gets values from elsewhere, is pinned, and so are the sorts computed
from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from operator import itemgetter

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import assigned
from coset.model.evaluate import OPERATORS, Fault, wrap
from coset.model.interpreter import Interpreter
from coset.model.state import offsets
from coset.symmetry.missing import Missing
from coset.symmetry.sorts import Arithmetic, Sort, Sorts
from coset.symmetry.startup import StartedStates

MOST_VALUES = 16
MOST_ROWS, FEW_ROWS = 70_000, 4096
"""The largest tables; beyond this, and for larger sorts of plain data, values are fixed."""

Row = tuple[tuple[int, ...], int | None]
"""The values of the leaves, and that of the whole expression; None for a fault."""


Computation = Callable[[Sequence[int]], int]
"""From the values of the leaves to that of the whole expression."""


def computation(x: e.Expr, leaves: Mapping[e.Expr, int]) -> Computation:
    """How an arithmetic expression is computed from its leaves, given their places.

    >>> next_one = e.Binary("%", e.Binary("+", e.Self(), e.Const(1)), e.Const(3))
    >>> computation(next_one, {e.Self(): 0})([2])
    0
    """
    place = leaves.get(x)
    if place is not None:
        return itemgetter(place)
    match x:
        case e.Const(value):
            return lambda values: value
        case e.Binary("&&", left, right):
            one, other = computation(left, leaves), computation(right, leaves)
            return lambda values: int(bool(one(values) and other(values)))
        case e.Binary("||", left, right):
            one, other = computation(left, leaves), computation(right, leaves)
            return lambda values: int(bool(one(values) or other(values)))
        case e.Binary(operator, left, right):
            one, other, operate = computation(left, leaves), computation(right, leaves), OPERATORS[operator]
            return lambda values: int(operate(one(values), other(values)))
        case e.Unary("-", operand):
            one = computation(operand, leaves)
            return lambda values: wrap(-one(values))
        case e.Unary("~", operand):
            one = computation(operand, leaves)
            return lambda values: ~one(values)
        case e.Unary("!", operand):
            one = computation(operand, leaves)
            return lambda values: int(not one(values))
        case e.Conditional(condition, yes, no):
            test, one, other = (computation(each, leaves) for each in (condition, yes, no))
            return lambda values: one(values) if test(values) else other(values)

    def refused(values: Sequence[int]) -> int:
        raise TypeError(f"{type(x).__name__} is no arithmetic")

    return refused


def evaluate(x: e.Expr, leaves: Mapping[e.Expr, int]) -> int:
    """The value of an arithmetic expression, given those of its leaves."""
    return computation(x, {leaf: place for place, leaf in enumerate(leaves)})(tuple(leaves.values()))


def rows(whole: e.Expr, leaves: tuple[e.Expr, ...], sorts: Sorts) -> Iterator[Row]:
    """The table of an arithmetic expression all of whose leaves are of mobile sorts."""
    compute = computation(whole, {leaf: place for place, leaf in enumerate(leaves)})
    for values in product(*(possible(leaf, sorts) for leaf in leaves)):
        try:
            result: int | None = compute(values)
        except Fault:
            result = None
        yield values, result


def possible(leaf: e.Expr, sorts: Sorts) -> Sequence[int]:
    """The values that a leaf may have.  `_pid` is always the number of a process, and a variable that is never assigned has
    one of its values in the started states, whatever else variables of the same sort may hold."""
    sort = sorts.of(leaf)
    assert sort is not None
    match leaf:
        case e.Self():
            return range(sorts.processes)
        case e.Get(variable) if variable in sorts.constants:
            return sorted(sorts.constants[variable])
        case e.Checked(_, low, high):
            return [value for value in sorted(sort.values) if low <= value <= high]
    return sorted(sort.values)


def find_values(interpreter: Interpreter, started: StartedStates, sorts: Sorts) -> None:
    """Fill in the values of all sorts, and pin those that must be."""
    Values(interpreter, started, sorts).find()


class Values:
    def __init__(self, interpreter: Interpreter, started: StartedStates, sorts: Sorts) -> None:
        self.model, self.sorts, self.started = interpreter.model, sorts, started
        self.types = interpreter.channel_types
        self.missing = Missing(interpreter, started, sorts)
        self.changing = assigned(self.model)
        self.done: dict[int, tuple[int, ...]] = {}
        """For each arithmetic expression, how many values its leaves had when it was computed."""
        self.settled = set[int]()
        """Arithmetic expressions all of whose sorts are pinned."""

    def find(self) -> None:
        self.start()
        computing = True
        while computing:  # a sort whose values do not fit is pinned, and so are the sorts computed from it
            while self.read_nothing() or self.compute_all():
                pass
            computing = self.check_room() or self.check_channels()

    def start(self) -> None:
        self.sorts.process.leader.values |= set(range(len(self.started.state.processes)))
        for state in self.started.states:
            self.hold(self.model.variables, state.values)
            for process in state.processes:
                self.hold(self.model.kinds[process.kind].variables, process.values)
        for sort in self.sorts.all:
            sort.values |= set(sort.literals)
            if sort.objects == "channel":
                sort.values.add(0)
        for sort, number in self.channels():
            for state in self.started.states:
                for message in state.channels[number - 1].messages:
                    for k, value in enumerate(message):
                        if k in sort.fields:
                            sort.fields[k].leader.values.add(value)
        for sort in self.sorts.all:
            self.check_size(sort)

    def read_nothing(self) -> bool:
        """Add 0 to the sorts of remote references that may find no process; returns whether anything changed."""
        found = {x for x in self.sorts.remotes.keys() - self.sorts.missing if self.missing.may_miss(x)}
        self.sorts.missing |= found
        for x in found:
            self.sorts.remotes[x].leader.values.add(0)
        return bool(found)

    def channels(self) -> Iterator[tuple[Sort, int]]:
        """The channels that a sort names."""
        for sort in self.sorts.all:
            if sort.objects == "channel":
                for number in sorted(sort.values):
                    if 1 <= number <= len(self.started.state.channels):
                        yield sort, number

    def hold(self, variables: tuple[m.Variable, ...], values: tuple[int, ...]) -> None:
        for variable, start in offsets(variables).items():
            held = set(values[start : start + variable.size])
            self.sorts.of_variable[variable].leader.values |= held
            if variable not in self.changing:
                self.sorts.constants.setdefault(variable, set()).update(held)

    def check_size(self, sort: Sort) -> bool:
        most = max(MOST_VALUES, len(self.started.state.processes) + 8 if sort.objects else 0,
                   *(2 * variable.shape[d] for variable, d in sort.dimensions), 0)  # fmt: skip
        return len(sort.values) > most and sort.pin(
            f"its values are stored or compared where plain numbers are, more than {most} of them, so none is permuted"
        )

    def compute_all(self) -> bool:
        """Compute each arithmetic expression once; whether anything changed."""
        open_ = [number for number in range(len(self.sorts.arithmetic)) if number not in self.settled]
        changed = [self.compute(number, self.sorts.arithmetic[number]) for number in open_]
        return any(changed)

    def compute(self, number: int, arithmetic: Arithmetic) -> bool:
        """Add the results of an arithmetic expression to the values of its sort; whether anything changed."""
        target = arithmetic.target.leader if arithmetic.target is not None else None
        sources = [self.sorts.of(leaf) for leaf in arithmetic.leaves]
        mobile = [sort for sort in sources if sort is not None and sort.mobile]
        size = 1
        for sort in mobile:
            size *= len(sort.values)
        if len(mobile) < len(sources) or size > (MOST_ROWS if len(mobile) <= 2 else FEW_ROWS):
            if target is not None:
                target.known = False
            concerned = [*mobile, *([target] if target is not None else [])]
            if all(sort.pinned is not None for sort in concerned):
                self.settled.add(number)
                return False
            what = (
                "computes with it and with values that are not known"
                if len(mobile) < len(sources)
                else "has too many cases"
            )
            return any(sort.pin(f"'{arithmetic.whole}' {what}", arithmetic.span) for sort in concerned)
        sizes = tuple(len(sort.values) for sort in mobile)
        if target is None or not target.mobile or self.done.get(number) == sizes:
            return False
        self.done[number] = sizes
        before = len(target.values)
        target.values |= {
            result for _, result in rows(arithmetic.whole, arithmetic.leaves, self.sorts) if result is not None
        }
        is_large = self.check_size(target)
        target.known = target.known and not is_large
        return is_large or len(target.values) > before

    def check_room(self) -> bool:
        """Pin sorts with values that do not fit where they are stored: truncation is implicit arithmetic.  Returns whether
        anything changed."""
        pinned = False
        for sort in self.sorts.all:
            for variable in sort.cells:
                pinned |= not self.fits(sort, variable.domain.fit, variable.name, variable)
        for sort, number in self.channels():
            type_ = self.types[self.started.state.channels[number - 1].type]
            for k, domain in enumerate(type_.fields):
                if k in sort.fields:
                    pinned |= not self.fits(sort.fields[k].leader, domain.fit, f"a message of {type_.name}", None)
        return pinned

    def fits(self, sort: Sort, fit: Callable[[int], int], where: str, variable: m.Variable | None) -> bool:
        """Whether all values of a sort fit in a place; if not, the sort is pinned, once."""
        wrong = next((value for value in sorted(sort.values) if fit(value) != value), None)
        if wrong is None or not sort.mobile:
            return True
        return not sort.pin_unknown(f"{where} has no room for {wrong}", variable.span if variable is not None else None)

    def check_channels(self) -> bool:
        """Pin the sorts of channels that several sorts name, as a number in a variable of another type may: the messages of a
        channel belong to the sort that names it.  Returns whether anything changed."""
        carriers = [sort for sort in self.sorts.all if sort.objects == "channel" or sort.fields]
        names: dict[int, list[Sort]] = {}
        for sort, number in self.channels():
            names.setdefault(number, []).append(sort)
        doubtful = [sort for several in names.values() if len(several) > 1 for sort in several]
        if any(not sort.known or sort.objects != "channel" for sort in carriers):
            doubtful = carriers
        concerned = [inner.leader for sort in doubtful for inner in (sort, *sort.fields.values())]
        pinned = [sort.pin("not all variables that name its channels are known") for sort in concerned]
        return any(pinned)
