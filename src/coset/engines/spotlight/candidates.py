"""Candidates for invariants; `invariants` finds out which of them hold.

Conservation laws are sought for all globals and for sums and differences of two or three: what a step adds to the sum, it
adds to what the process holds, beginning with nothing at the start; if two ways to a location disagree, there is no such
law.  Ranges are the first value as a bound, the set of values that are assigned, and, for a local variable, that set by
location.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product

from coset.engines.spotlight.context import Invariant, Law
from coset.engines.spotlight.expressions import Deadlock, Fit, Obstacle, atoms, check_expression, negation, substituted
from coset.engines.spotlight.linear import ONE, Sum, comparison, difference, expression, is_constant, linear, scaled
from coset.engines.spotlight.program import ClassProgram, FamilyProgram, Move
from coset.model import expression as e
from coset.model import model as m
from coset.model.family import Lemma, Quantifier
from coset.model.rewrite import rewrite
from coset.source.text import Span

MOST_SUMMANDS = 3
MOST_SUMMED_VARIABLES = 8
"""Of more variables than this, no sums are tried."""
MOST_CONDITIONS = 6
"""Of more conditions than this, no two are tried together."""
MOST_VALUES = 16
"""Sets of more values than this are not tried."""

# --- conservation laws ---------------------------------------------------------------------------


def conservation_laws(program: FamilyProgram) -> Iterator[Law]:
    """The laws that the graphs of the classes allow, the shortest first.  A sum of variables that have shorter ones says
    nothing new."""
    found: list[set[m.Variable]] = []
    most = MOST_SUMMANDS if len(program.variables) <= MOST_SUMMED_VARIABLES else 1
    for length in range(1, most + 1):
        for chosen in combinations(program.variables, length):
            if any(shorter <= set(chosen) for shorter in found):
                continue
            signs = product((1, -1), repeat=length - 1)
            laws = (law_of(program, tuple(zip(chosen, (1, *each), strict=True))) for each in signs)
            law = next((law for law in laws if law is not None), None)
            if law is not None:
                found.append(set(chosen))
                yield law


def law_of(program: FamilyProgram, factors: tuple[tuple[m.Variable, int], ...]) -> Law | None:
    heights = []
    for class_ in program.classes:
        found = heights_of(program, class_, factors)
        if found is None:
            return None
        heights.append(found)
    total: Sum = {}
    for variable, factor in factors:
        total = difference(total, scaled({program.initial[variable]: 1}, -factor))
    return Law(factors, expression(simplified(total)), tuple(heights), program.classes)


def simplified(total: Sum) -> Sum:
    """A sum with its terms as sums themselves."""
    found: Sum = {}
    for term, factor in total.items():
        found = difference(found, scaled(linear(term), -factor))
    return found


def heights_of(
    program: FamilyProgram, class_: ClassProgram, factors: tuple[tuple[m.Variable, int], ...]
) -> dict[int, Sum] | None:
    """What a process holds at each location, if that depends on the location alone."""
    heights: dict[int, Sum] = {class_.start: {}}
    queue = [class_.start]
    for place in queue:
        for move in class_.moves[place]:
            height = heights[place]
            for variable, factor in factors:
                added = addition(program, move, variable)
                if added is None:
                    return None
                height = difference(height, scaled(added, -factor))
            if heights.setdefault(move.target, height) != height:
                return None
            if move.target not in queue:
                queue.append(move.target)
    return heights


def addition(program: FamilyProgram, move: Move, variable: m.Variable) -> Sum | None:
    """What a step adds to a variable: a sum of parameters and numbers.  Of an assignment of a number it is guessed, from
    the guard, or as the step between 0 and 1."""
    new = next((value for changed, value in move.updates if changed is variable), None)
    if new is None:
        return {}
    total = linear(new.operand if isinstance(new, Fit) else new)
    if is_constant(total):
        before = tested(move.guard, variable)
        if before is not None:
            return difference(total, {ONE: before} if before else {})
        if total.get(ONE, 0) in (0, 1):
            return {ONE: 1} if total else {ONE: -1}
        return None
    added = difference(total, {e.Get(variable): 1})
    parameters = {e.Get(parameter) for parameter in program.family.parameters}
    return added if all(term == ONE or term in parameters for term in added) else None


def tested(guard: e.Expr, variable: m.Variable) -> int | None:
    """The value that a guard asks of a variable.

    >>> from coset.model.domain import BYTE
    >>> x = m.Variable("x", BYTE)
    >>> tested(e.Binary("&&", e.Binary("==", e.Get(x), e.Const(3)), e.TRUE), x)
    3
    """
    match guard:
        case e.Binary("&&", left, right):
            found = tested(left, variable)
            return found if found is not None else tested(right, variable)
        case e.Binary("==", e.Get(tested_one), e.Const(value)) if tested_one is variable:
            return value
        case e.Binary("==", e.Const(value), e.Get(tested_one)) if tested_one is variable:
            return value
        case e.Unary("!", e.Get(tested_one)) if tested_one is variable:
            return 0
        case e.Get(tested_one) if tested_one is variable and variable.domain.high == 1:
            return 1
    return None


# --- ranges --------------------------------------------------------------------------------------


def candidates(program: FamilyProgram) -> list[Invariant]:
    """Conditions on globals, and conditions on the locals of any process; each once."""
    return list({(each.condition, each.classes): each for each in all_candidates(program)}.values())


def all_candidates(program: FamilyProgram) -> Iterator[Invariant]:
    for variable in program.variables:
        yield from range_candidates(program, variable, e.Get(variable), ())
    for atom in property_atoms(program):
        yield Invariant(str(atom), (), atom, str(atom))
    for class_ in program.classes:
        for variable in class_.variables:
            place = e.Remote(class_.name, e.Const(0), variable)
            yield from range_candidates(program, variable, place, (class_.number,))
            by_location = values_by_location(program, class_, variable)
            if by_location is not None:
                yield by_location


def range_candidates(
    program: FamilyProgram, variable: m.Variable, place: e.Expr, classes: tuple[int, ...]
) -> Iterator[Invariant]:
    first = program.initial[variable]
    assigned = [value for move in program.moves() for changed, value in move.updates if changed is variable]
    values = {x.value for x in (first, *assigned) if isinstance(x, e.Const)}
    found = []
    if len(assigned) == sum(isinstance(x, e.Const) for x in assigned) and isinstance(first, e.Const):
        if len(values) <= min(MOST_VALUES, variable.domain.high - variable.domain.low):
            found.append(one_of(place, values))
    elif variable.domain.high > 1:
        found += [e.Binary(">=", place, first), e.Binary("<=", place, first)]
        if variable.domain.low < 0:
            found.append(e.Binary(">=", place, e.FALSE))
    for condition in found:
        text = said(condition, classes, program)
        yield Invariant(text, classes, condition, text)


def clauses(program: FamilyProgram) -> Iterator[Invariant]:
    """Of any two conditions on different globals that processes wait for, that one of them holds, or its negation."""
    found: dict[e.Expr, set[m.Variable]] = {}
    for move in program.moves():
        for atom in map(comparison, atoms(move.guard)):
            reads = {x.variable for x in atom.walk() if isinstance(x, e.Get)}
            if reads and reads <= set(program.variables) and len(found) < MOST_CONDITIONS:
                found[atom] = reads
    for (one, its), (other, theirs) in combinations(found.items(), 2):
        if its != theirs:
            for left, right in product((one, negation(one)), (other, negation(other))):
                condition = e.Binary("||", left, right)
                yield Invariant(str(condition), (), condition, str(condition))


def one_of(place: e.Expr, values: Iterable[int]) -> e.Expr:
    found: e.Expr = e.FALSE
    for value in sorted(values):
        same = e.Binary("==", place, e.Const(value))
        found = same if found == e.FALSE else e.Binary("||", found, same)
    return found


def said(condition: e.Expr, classes: tuple[int, ...], program: FamilyProgram) -> str:
    """A condition on a process in words."""
    if not classes:
        return str(condition)
    own = rewrite(condition, lambda x: e.Get(x.variable) if isinstance(x, e.Remote) else x)
    return f"{program.classes[classes[0]].name}: {own}"


def property_atoms(program: FamilyProgram) -> Iterator[e.Expr]:
    """What properties say of globals and parameters alone."""
    found: dict[e.Expr, None] = {}
    for property_ in program.family.properties:
        for whole in property_.formula.atoms():
            for atom in atoms(substituted(whole, program.constants)):
                if all(isinstance(x, e.Const | e.Get | e.Binary | e.Unary) for x in atom.walk()):
                    found[comparison(atom)] = None
    for atom in found:
        try:
            check_expression(atom, None)
        except Obstacle:
            continue
        if any(isinstance(x, e.Get) and x.variable in program.variables for x in atom.walk()):
            yield atom


def values_by_location(program: FamilyProgram, class_: ClassProgram, variable: m.Variable) -> Invariant | None:
    """Which values a local variable may have at each location, where all that is assigned are numbers."""
    first = program.initial[variable]
    if not isinstance(first, e.Const):
        return None
    values: dict[int, set[int] | None] = {class_.start: {first.value}}
    queue = [class_.start]
    while queue:
        place = queue.pop()
        for move in class_.moves[place]:
            new = after_move(move, variable, values[place])
            old = values.get(move.target, set())
            both = None if new is None or old is None else old | new
            if move.target not in values or both != old:
                values[move.target] = both
                queue.append(move.target)
    known = {place: each for place, each in values.items() if each is not None and len(each) <= MOST_VALUES}
    if not known or len({frozenset(each) for each in known.values()}) == 1:
        return None
    read = e.Remote(class_.name, e.Const(0), variable)
    condition: e.Expr = e.TRUE
    for place, each in sorted(known.items()):
        elsewhere = e.Unary("!", e.AtLocation(class_.name, e.Const(0), class_.labels[place], frozenset((place,))))
        condition = e.conjunction(condition, e.Binary("||", elsewhere, one_of(read, each)))
    return Invariant(f"{class_.name}.{variable.name}@", (class_.number,), condition, f"{variable.name} by location")


def after_move(move: Move, variable: m.Variable, before: set[int] | None) -> set[int] | None:
    """The values that a variable may have after a step; None if that is not known."""
    for changed, value in move.updates:
        if changed is variable:
            return {value.value} if isinstance(value, e.Const) else None
    asked = tested(move.guard, variable)
    return before if asked is None else {asked}


# --- lemmas --------------------------------------------------------------------------------------


def lemma_candidate(program: FamilyProgram, lemma: Lemma) -> Invariant:
    classes, slots = quantified(program, lemma.quantifiers)
    numbered = {variable: number for number, variable in enumerate(slots)}
    condition = substituted(bound(lemma.condition, numbered, lemma.span), program.constants)
    if any(isinstance(x, Deadlock) for x in condition.walk()):
        raise Obstacle("a lemma cannot speak of deadlocks", lemma.span)
    return Invariant(lemma.name, classes, condition, lemma.text or lemma.name, given=True)


def quantified(program: FamilyProgram, quantifiers: tuple[Quantifier, ...]) -> tuple[tuple[int, ...], list[m.Variable]]:
    """The class of each quantified variable, and the variables."""
    pairs = [(program.class_(each.of).number, variable) for each in quantifiers for variable in each.variables]
    return tuple(number for number, _ in pairs), [variable for _, variable in pairs]


def bound(x: e.Expr, slots: dict[m.Variable, int], span: Span | None) -> e.Expr:
    """A condition of a property with slots in the places of its process variables."""

    def put(part: e.Expr) -> e.Expr:
        match part:
            case e.AtLocation(kind, e.Get(variable), label, locations) if variable in slots:
                return e.AtLocation(kind, e.Const(slots[variable]), label, locations)
            case e.Remote(kind, e.Get(variable), local, ()) if variable in slots:
                return e.Remote(kind, e.Const(slots[variable]), local)
            case e.Timeout():
                return Deadlock()
        return part

    found = rewrite(x, put)
    for part in found.walk():
        match part:
            case e.Get(variable) if variable in slots:
                raise Obstacle(f"{variable.name} is used as a number: processes have none in a family", span)
            case e.AtLocation() | e.Remote() | Deadlock() | Fit():
                continue
            case e.Get() | e.Const() | e.Unary() | e.Binary() | e.Conditional():
                continue
            case _:
                raise Obstacle(f"`{part}` is not supported in a property for all sizes", span)
    return found
