"""Computation tree logic: text, formulas, evaluation.

The naive twin: `naive` computes the set of states of a formula by iterating the definition of each operator on sets,
with all of its operators, so that the normal form is tested as well.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coset.properties.ctl import (
    Branching,
    BranchingUntil,
    CtlSyntaxError,
    StateGraph,
    evaluate,
    existential_form,
    parse_ctl,
)
from coset.properties.ctl_evidence import counterexample, linear
from coset.properties.formula import Atom, Constant, Formula, Logic, Modal, Not
from coset.results.infinite import holds
from tests.support.ctl_naive import naive

ATOMS = ("a", "b", "c")
SEEDED = settings(derandomize=True, deadline=None, database=None)


def ctl(text: str) -> Formula[str]:
    return parse_ctl(text, lambda atom, offset: atom)


def formulas() -> st.SearchStrategy[Formula[str]]:
    leaf: st.SearchStrategy[Formula[str]] = st.one_of(st.sampled_from(ATOMS).map(Atom), st.booleans().map(Constant))
    quantifier = st.sampled_from("AE")

    def grow(inner: st.SearchStrategy[Formula[str]]) -> st.SearchStrategy[Formula[str]]:
        return st.one_of(
            st.builds(Branching, quantifier, st.sampled_from("XFG"), inner),
            st.builds(BranchingUntil, quantifier, st.sampled_from("UWR"), inner, inner),
            st.builds(Logic, st.sampled_from(["&&", "||", "->", "<->"]), inner, inner),
            inner.map(Not),
        )

    return st.recursive(leaf, grow, max_leaves=6)


def random_graph(seed: int) -> tuple[list[list[int]], dict[str, set[int]]]:
    """Up to nine states, some without successors, some with an edge twice."""
    draw = random.Random(seed)
    count = draw.randint(1, 9)
    successors = [[draw.randrange(count) for _ in range(draw.choice([0, 1, 1, 2, 3]))] for _ in range(count)]
    return successors, {atom: {state for state in range(count) if draw.random() < 0.5} for atom in ATOMS}


@settings(SEEDED, max_examples=800)
@given(formulas(), st.integers(0, 2**32))
def test_evaluation_is_the_meaning(formula: Formula[str], seed: int) -> None:
    for number in range(4):
        successors, atoms = random_graph(seed + number)
        graph = StateGraph.of(successors, atoms)
        truth = evaluate(formula, graph)
        assert set(truth) <= {0, 1} and len(truth) == len(successors)
        assert {state for state, yes in enumerate(truth) if yes} == naive(formula, successors, atoms)
        assert evaluate(Not(formula), graph) == bytearray(1 - yes for yes in truth)


@settings(SEEDED, max_examples=800)
@given(formulas(), st.integers(0, 2**32))
def test_evidence_is_a_path_that_shows_it(formula: Formula[str], seed: int) -> None:
    """By the definition of linear time on the path, without the graph; and what is left open is false at its end."""
    for number in range(4):
        successors, atoms = random_graph(seed + number)
        graph = StateGraph.of(successors, atoms)
        for start in range(len(successors)):
            if evaluate(formula, graph)[start]:
                continue
            found = counterexample(formula, graph, start)
            path, loop = found.path, found.loop
            assert path[0] == start
            for k, state in enumerate(path):
                after = path[k + 1] if k + 1 < len(path) else None if loop is None else path[loop]
                assert after is None or after in (successors[state] or [state])
            if found.open is not None:
                assert path[-1] not in naive(found.open, successors, atoms)
                continue
            truth = {atom: [state in atoms[atom] for state in path] for atom in ATOMS}
            after_ = lambda k, path=path, loop=loop: k + 1 if k + 1 < len(path) else loop  # noqa: E731
            assert not holds(linear(formula), truth.__getitem__, after_, len(path))[0]


@settings(SEEDED, max_examples=300)
@given(formulas())
def test_normal_form(formula: Formula[str]) -> None:
    def check(formula: Formula[str]) -> None:
        match formula:
            case Constant() | Atom():
                pass
            case Not(operand) | Branching("E", "X" | "G", operand):
                check(operand)
            case Logic("&&" | "||", left, right) | BranchingUntil("E", "U", left, right):
                check(left)
                check(right)
            case _:
                raise AssertionError(formula)

    normal = existential_form(formula)
    check(normal)
    assert set(normal.atoms()) == set(formula.atoms())


def test_states_without_successors_stutter() -> None:
    graph = StateGraph.of([[1], []], {"a": [1], "b": [0]})
    for text, truth in {
        "EX a": [1, 1], "AX a": [1, 1], "AX b": [0, 0], "EG a": [0, 1], "AG a": [0, 1], "AF a": [1, 1], "AF b": [1, 0],
        "A[b U a]": [1, 1], "E[b W false]": [0, 0], "A[false R a]": [0, 1],
    }.items():  # fmt: skip
        assert list(evaluate(ctl(text), graph)) == truth, text


def test_the_graph_is_left_alone() -> None:
    graph = StateGraph.of([[0]], {"a": [0]})
    result = evaluate(ctl("a"), graph)
    result[0] = 0
    assert graph.truth("a") == bytearray([1])
    assert graph.predecessors is graph.predecessors


def test_empty_graph() -> None:
    graph = StateGraph.of([], {"a": []})
    assert evaluate(ctl("AG a && E[a U !a] || EX a"), graph) == bytearray()


def test_wrong_input_is_loud() -> None:
    graph = StateGraph.of([[0]], {"a": [0], "long": []})
    graph.atoms = {**graph.atoms, "long": bytearray(2)}
    with pytest.raises(TypeError, match="not a formula of computation tree logic"):
        evaluate(Modal("[]", Atom("a")), graph)
    with pytest.raises(ValueError, match="2 bytes"):
        evaluate(Atom("long"), graph)
    with pytest.raises(KeyError):
        evaluate(Atom("unknown"), graph)


def test_evaluation_is_linear() -> None:
    """A long chain into a loop is where repeated passes over the graph would be quadratic, and recursion too deep."""
    count = 40_000
    graph = StateGraph.of([[min(state + 1, count - 1)] for state in range(count)], {"a": range(count - 1)})
    for text, first in {"AF !a": 1, "EG a": 0, "A[a U !a]": 1, "AG EF !a": 1, "E[a W false]": 0}.items():
        assert evaluate(ctl(text), graph)[0] == first


def test_shared_parts_are_evaluated_once() -> None:
    """The normal form of nested `A[p U q]` and `<->` has exponentially many paths to its leaves."""
    formula = ctl("a")
    for _ in range(40):
        formula = Logic("<->", BranchingUntil("A", "U", Atom("b"), formula), Atom("a"))
    graph = StateGraph.of([[1, 0], [0]], {"a": [0], "b": [1]})
    assert len(evaluate(formula, graph)) == 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("AG EF p", "AG EF (p)"),
        ("AG(p -> AF q)", "AG ((p) -> AF (q))"),
        ("A[p U q]", "A[(p) U (q)]"),
        ("E(p U q)", "E[(p) U (q)]"),
        ("A [ p && q U r || s ]", "A[((p) && (q)) U ((r) || (s))]"),
        ("E[p W q] <-> A[p V q]", "(E[(p) W (q)] <-> A[(p) R (q)])"),
        ("A[p until q] && E[p weakuntil q] || A[p release q]", "((A[(p) U (q)] && E[(p) W (q)]) || A[(p) R (q)])"),
        ("A[A[p U q] U E[q R r]]", "A[A[(p) U (q)] U E[(q) R (r)]]"),
        ("A G p && E X q", "(AG (p) && EX (q))"),
        ("A[] p -> E<> x > 3", "(AG (p) -> EF (x > 3))"),
        ("!EX p && true", "(!EX (p) && true)"),
        ("A[1] == 2", "(A[1] == 2)"),
        ("A[R U S]", "A[(R) U (S)]"),
        ("A[x == R U y]", "A[(x == R) U (y)]"),
        ("A[len(q) == 0 U (p@cs)]", "A[(len(q) == 0) U (p@cs)]"),
        ("E == 1 && AGp", "((E == 1) && (AGp))"),
    ],
)
def test_parse(text: str, shown: str) -> None:
    offsets = []

    def atom(part: str, offset: int) -> str:
        offsets.append(text[offset : offset + len(part)] == part)
        return part

    assert str(parse_ctl(text, atom)) == shown and all(offsets)


@settings(SEEDED, max_examples=300)
@given(formulas())
def test_what_is_printed_is_read(formula: Formula[str]) -> None:
    assert ctl(str(formula)) == formula


@pytest.mark.parametrize(
    ("text", "offset", "message", "hint"),
    [
        ("", 0, "no formula", None),
        ("p U q", 2, "`U` has no path quantifier", "A[p U q]"),
        ("(p W q) -> r", 3, "`W` has no path quantifier", "E[p W q]"),
        ("A[p U q U r]", 8, "`U` has no path quantifier", "one such operator"),
        ("[] p", 0, "`[]` has no path quantifier", "`AG`"),
        ("always p", 0, "`always` has no path quantifier", "`EG`"),
        ("G p", 0, "`G` has no path quantifier", "`AG`"),
        ("A X X p", 4, "`X` has no path quantifier", "`AX`"),
        ("AG", 2, "missing after `AG`", None),
        ("A[p U", 1, "not closed", "`]`"),
        ("AG p)", 4, "closes nothing", None),
        ("AF x == AG", 8, "missing before `AG`", None),
        ("EF !x > 3", 3, "two ways", "!(x > 3)"),
        ("not p", 0, "`not` is not", "`!`"),
        ("AX " * 300 + "p", 597, "nested", None),
    ],
)
def test_syntax_errors(text: str, offset: int, message: str, hint: str | None) -> None:
    with pytest.raises(CtlSyntaxError) as caught:
        ctl(text)
    assert caught.value.offset == offset and message in caught.value.message
    assert (hint is None) == (caught.value.hint is None) and (hint or "") in (caught.value.hint or "")
