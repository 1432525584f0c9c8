"""Three-valued checking: against all completions of a structure, and the definitions."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from coset.engines.connected import components
from coset.engines.spotlight.ctl import Evaluation, value
from coset.engines.spotlight.evidence import explain
from coset.engines.spotlight.kleene import Truth, join
from coset.engines.spotlight.linear import comparison, expression, holds, linear
from coset.engines.spotlight.structure import Step, Structure
from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import INT
from coset.properties import formula as f
from coset.properties.branching_time import in_branching_time
from coset.properties.ctl import StateGraph, evaluate
from coset.properties.ctl_formula import Branching, BranchingUntil, existential_form

Formula = f.Formula[str]
TRUE, UNKNOWN, FALSE = Truth.TRUE, Truth.UNKNOWN, Truth.FALSE


def completions(truth: Truth) -> set[bool]:
    return {TRUE: {True}, FALSE: {False}, UNKNOWN: {True, False}}[truth]


@pytest.mark.parametrize("a", Truth)
@pytest.mark.parametrize("b", Truth)
def test_connectives_are_definite_exactly_if_all_completions_agree(a: Truth, b: Truth) -> None:
    pairs = list(product(completions(a), completions(b)))
    for found, results in (
        (a & b, {x and y for x, y in pairs}),
        (a | b, {x or y for x, y in pairs}),
        (~a, {not x for x in completions(a)}),
        (join(a, b), completions(a) | completions(b)),
    ):
        assert completions(found) == results


class Structures:
    """Random structures over three truth values, and formulas over p and q."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def structure(self, unknown: float = 0.3) -> tuple[list[list[Step]], list[dict[str, Truth]]]:
        random, count = self.random, self.random.randint(2, 5)
        rows = []
        for _ in range(count):
            row = [Step(random.randrange(count), TRUE, 0)]  # every state goes on, so that no completion is stuck
            for target in range(count):
                if random.random() < 0.4:
                    row.append(
                        Step(target, UNKNOWN if random.random() < unknown else TRUE, random.choice((0, 1, None)))
                    )
            rows.append(row)
        labels = [
            {name: UNKNOWN if random.random() < unknown else random.choice((TRUE, FALSE)) for name in "pq"}
            for _ in rows
        ]
        return rows, labels

    def formula(self, depth: int) -> Formula:
        random = self.random
        if depth == 0:
            return f.Atom(random.choice("pq"))
        match random.randrange(4):
            case 0:
                return f.Not(self.formula(depth - 1))
            case 1:
                operator = random.choice(("&&", "||", "->", "<->"))
                return f.Logic(operator, self.formula(depth - 1), self.formula(depth - 1))
            case 2:
                return Branching(random.choice("AE"), random.choice("XFG"), self.formula(depth - 1))
        return BranchingUntil(
            random.choice("AE"), random.choice("UWR"), self.formula(depth - 1), self.formula(depth - 1)
        )


def completed(rows: list[list[Step]], labels: list[dict[str, Truth]], random: Random) -> StateGraph[str]:
    """One of the structures that a three-valued one stands for."""
    successors = [sorted({s.target for s in row if s.truth is TRUE or random.random() < 0.5}) for row in rows]
    where = {
        name: [s for s, row in enumerate(labels) if random.choice(sorted(completions(row[name])))] for name in "pq"
    }
    return StateGraph.of(successors, where)


@pytest.mark.parametrize("seed", range(60))
def test_a_definite_value_is_that_of_every_completion(seed: int) -> None:
    structures = Structures(seed)
    rows, labels = structures.structure()
    formulas = [structures.formula(structures.random.randint(1, 3)) for _ in range(6)]
    structure: Structure[str] = Structure(rows, lambda state, atom: labels[state][atom])
    values = [value(formula, structure) for formula in formulas]
    for _ in range(12):
        graph = completed(rows, labels, structures.random)
        for formula, found in zip(formulas, values, strict=True):
            assert evaluate(formula, graph)[0] in completions(found), f"{formula}: {found}"


@pytest.mark.parametrize("seed", range(30))
def test_without_unknowns_it_is_ordinary_checking(seed: int) -> None:
    structures = Structures(seed)
    rows, labels = structures.structure(unknown=0.0)
    structure: Structure[str] = Structure(rows, lambda state, atom: labels[state][atom])
    graph = completed(rows, labels, structures.random)
    for _ in range(6):
        formula = structures.formula(3)
        assert value(formula, structure) is (TRUE if evaluate(formula, graph)[0] else FALSE)


@pytest.mark.parametrize("seed", range(60))
def test_evidence_is_a_path_to_what_it_names(seed: int) -> None:
    structures = Structures(seed)
    rows, labels = structures.structure()
    structure: Structure[str] = Structure(rows, lambda state, atom: labels[state][atom])
    known = Evaluation(structure)
    for _ in range(6):
        formula = structures.formula(2)
        evidence = explain(formula, known)
        assert evidence.truth is known.truth(existential_form(formula), 0)
        state = evidence.states[0]
        for step, target in zip(evidence.steps, evidence.states[1:], strict=True):
            assert step in rows[state] and step.target == target
            assert step.truth is TRUE, "what comes before the first unknown thing is known"
            state = target
        if evidence.truth is UNKNOWN:
            if evidence.step is not None:
                assert evidence.step in rows[evidence.last] and evidence.step.truth is UNKNOWN
            else:
                assert evidence.atom is not None and labels[evidence.last][evidence.atom] is UNKNOWN


def fair_paths_exist(rows: list[list[Step]], holds: set[int], start: int, movers: tuple[int, ...]) -> bool:
    """The naive twin: some set of states, strongly connected by steps inside of the set, is fair and can be reached."""
    count = len(rows)
    inside = {s: {step.target for step in rows[s] if step.target in holds} for s in holds}

    def reach(first: int, allowed: set[int]) -> set[int]:
        found, queue = {first}, [first]
        while queue:
            for target in inside[queue.pop()] & allowed:
                if target not in found:
                    found.add(target)
                    queue.append(target)
        return found

    if start not in holds:
        return False
    reachable = reach(start, holds)
    for bits in range(1, 1 << count):
        chosen = {s for s in range(count) if bits >> s & 1}
        if not chosen <= reachable or any(reach(s, chosen) != chosen for s in chosen):
            continue
        steps = [step for s in chosen for step in rows[s] if step.target in chosen]
        moved = {step.mover for step in steps}
        idle = [{s for s in chosen if not any(step.mover == each for step in rows[s])} for each in movers]
        if steps and all(mover in moved or idle[k] for k, mover in enumerate(movers)):
            return True
    return False


@pytest.mark.parametrize("seed", range(60))
def test_fair_paths(seed: int) -> None:
    structures = Structures(seed)
    rows, labels = structures.structure(unknown=0.0)

    def enabled(state: int, mover: int) -> Truth:
        return TRUE if any(step.mover == mover for step in rows[state]) else FALSE

    structure: Structure[str] = Structure(rows, lambda state, atom: labels[state][atom], (0, 1), enabled)
    known = Evaluation(structure, fair=True, exact=True)
    always: Formula = Branching("E", "G", f.Atom("p"))
    where = {state for state, row in enumerate(labels) if row["p"] is TRUE}
    for state in range(len(rows)):
        assert (known.truth(always, state) is TRUE) == fair_paths_exist(rows, where, state, (0, 1))


def test_components() -> None:
    random = Random(1)
    for _ in range(30):
        count = random.randint(1, 6)
        graph = {s: [t for t in range(count) if random.random() < 0.3] for s in range(count)}
        reach = {s: {s} for s in graph}
        for _ in range(count):
            for s in graph:
                reach[s] |= {u for t in reach[s] for u in graph[t]}
        wanted = {frozenset(t for t in reach[s] if s in reach[t]) for s in graph}
        assert set(map(frozenset, components(graph, graph.__getitem__))) == wanted


def test_sums_and_comparisons_keep_their_meaning() -> None:
    random = Random(2)
    variables = [m.Variable(name, INT) for name in "xy"]

    def term(depth: int) -> e.Expr:
        if depth == 0:
            return random.choice([e.Const(random.randint(-3, 3)), *map(e.Get, variables)])
        match random.randrange(4):
            case 0:
                return e.Unary("-", term(depth - 1))
            case 1:
                return e.Binary("*", e.Const(random.randint(-3, 3)), term(depth - 1))
        return e.Binary(random.choice("+-"), term(depth - 1), term(depth - 1))

    def result(x: e.Expr, values: dict[m.Variable, int]) -> int:
        match x:
            case e.Const(number):
                return number
            case e.Get(variable):
                return values[variable]
            case e.Unary(_, operand):
                return -result(operand, values)
            case e.Binary(operator, left, right):
                a, b = result(left, values), result(right, values)
                known = {"+": a + b, "-": a - b, "*": a * b}
                return known[operator] if operator in known else holds(a, operator, b)
        raise AssertionError(x)

    for _ in range(300):
        one, other = term(2), term(2)
        asked = e.Binary(random.choice(("<", "<=", "==", "!=", ">=", ">")), one, other)
        for _ in range(5):
            values = {variable: random.randint(-4, 4) for variable in variables}
            assert result(expression(linear(one)), values) == result(one, values)
            assert result(comparison(asked), values) == result(asked, values), f"{asked} as {comparison(asked)}"


@pytest.mark.parametrize("seed", range(40))
def test_linear_time_in_branching_time(seed: int) -> None:
    """On a structure with a single path both mean the same; with several, a formula that holds on all paths is `A`."""
    random = Random(seed)

    def formula(depth: int) -> Formula:
        if depth == 0:
            return f.Atom(random.choice("pq"))
        match random.randrange(5):
            case 0:
                return f.Not(formula(depth - 1))
            case 1:
                return f.Logic(random.choice(("&&", "||", "->")), formula(depth - 1), formula(depth - 1))
            case 2 | 3:
                return f.Modal(random.choice(("[]", "<>", "X")), formula(depth - 1))
        return f.Until(random.choice("UWV"), formula(depth - 1), formula(depth - 1))

    for _ in range(20):
        whole = formula(3)
        found = in_branching_time(whole)
        if found is None:
            continue
        # a lasso: one path, on which A and E are the same
        count = random.randint(1, 4)
        back = random.randrange(count)
        labels = [{name: random.random() < 0.5 for name in "pq"} for _ in range(count)]
        where = {name: [s for s in range(count) if labels[s][name]] for name in "pq"}
        graph = StateGraph.of([[s + 1 if s + 1 < count else back] for s in range(count)], where)
        assert bool(evaluate(found, graph)[0]) == on_lasso(whole, labels, back)[0]


def on_lasso(formula: Formula, labels: list[dict[str, bool]], back: int) -> list[bool]:
    """Linear time by its definition: values at all positions, fixed points by iteration."""
    count = len(labels)
    following = [s + 1 if s + 1 < count else back for s in range(count)]
    match formula:
        case f.Atom(name):
            return [row[name] for row in labels]
        case f.Not(operand):
            return [not x for x in on_lasso(operand, labels, back)]
        case f.Logic(operator, left, right):
            pairs = zip(on_lasso(left, labels, back), on_lasso(right, labels, back), strict=True)
            return [{"&&": a and b, "||": a or b, "->": not a or b}[operator] for a, b in pairs]
        case f.Modal("X", operand):
            inner = on_lasso(operand, labels, back)
            return [inner[s] for s in following]
        case f.Modal("<>", operand):
            return on_lasso(f.Until("U", f.Logic("->", operand, operand), operand), labels, back)
        case f.Modal("[]", operand):
            return on_lasso(f.Not(f.Modal("<>", f.Not(operand))), labels, back)
        case f.Until(operator, left, right):
            a, b = on_lasso(left, labels, back), on_lasso(right, labels, back)
            found = [operator != "U"] * count
            for _ in range(count + 1):
                if operator == "V":
                    found = [b[s] and (a[s] or found[following[s]]) for s in range(count)]
                else:
                    found = [b[s] or (a[s] and found[following[s]]) for s in range(count)]
            return found
    raise AssertionError(formula)
