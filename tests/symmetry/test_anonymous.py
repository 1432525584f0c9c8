"""Processes that are started while the system runs: states are stored once for all orders of their processes."""

from __future__ import annotations

from dataclasses import replace

import pytest

import coset
from coset.engines.reduction import reduction
from coset.engines.settings import Settings
from coset.model import model as m
from coset.symmetry.canonical.anonymous import AnonymousProcesses, anonymous, certify
from coset.symmetry.certify import NotASymmetry
from coset.symmetry.passes import merged_for_symmetry
from tests.support import dynamic_starts_random
from tests.support.anonymous_trial import tried
from tests.support.state_graph import TooLarge

SERVER = """
chan jobs = [1] of { bit }; byte n;
proctype worker(bit u) { n++; if :: u -> n = 3 :: else fi }
active proctype client() { jobs!0; jobs!1; jobs!0 }
active proctype server() { bit u; byte k; do :: k < 3 -> jobs?u; run worker(u); k++ :: else -> break od }
"""


def on_merged_steps(text: str) -> m.Model:
    return merged_for_symmetry(coset.parse_text(text), marks=False)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", True),
        ("n++;", 'printf("%d", _pid); n++;', True),
        ("else -> break od", "else -> break od; _nr_pr == 1", False),  # the client may end later
        ("n++;", "n == _pid % 2;", False),
        ("n++;", "_nr_pr < 5; n++;", False),
        ("n++;", "timeout -> n++;", False),
        ("n++;", "chan c = [1] of { bit }; c!0; n++;", False),
        ("run worker(u)", "k = run worker(u)", False),
        ("run worker(u)", "run worker(u); enabled(2)", False),
        ("jobs!1", "_nr_pr == 1", True),
        ("jobs!1", "_nr_pr == 2", False),
        ("jobs!1", "if :: _nr_pr == 1 :: else fi", False),
        ("jobs!1", "atomic { n == 0; _nr_pr == 1 }", False),
    ],
)
def test_conditions(old: str, new: str, expected: bool) -> None:
    text = SERVER.replace(old, new, 1)
    assert not old or text != SERVER
    model = on_merged_steps(text)
    assert (anonymous(model, ()) is not None) == expected
    assert bool(tried(model)) == expected


def test_a_property_that_names_a_process() -> None:
    text = SERVER.replace("n++;", "here: n++;") + "ltl p { [] !(worker[3]@here) } ltl q { [] (n < 9) }"
    model = coset.parse_text(text)
    expected = {"p": False, "q": True}
    for each in model.properties:
        alone = merged_for_symmetry(replace(model, properties=(each,)), marks=False)
        assert (anonymous(alone, alone.properties) is not None) == expected[each.name]


def test_ends_are_observed_on_plain_steps() -> None:
    """Only the youngest process may end.  Without ends, plain steps are reduced, too."""
    assert anonymous(coset.parse_text(SERVER), ()) is None
    endless = coset.parse_text(SERVER.replace(" fi }", " fi; end: false }").replace(" od }", " od; end: false }"))
    assert anonymous(endless, ()) is not None
    assert tried(endless, compiles=True)


def test_too_many_processes_are_found() -> None:
    """Processes that have ended count until they are removed."""
    text = "bit x; proctype W() { x = 1 } init { do :: run W(); x == 1; x = 0 od }"
    assert anonymous(on_merged_steps(text), ()) is not None
    faults = coset.parse_text(text)
    for engine in ("reference", "explicit"):
        (found,) = [each for each in coset.check(faults, engine=engine).properties if each.name == "faults"]
        assert found.verdict.value == "violated"


@pytest.mark.parametrize("engine", ["explicit", "reference"])
@pytest.mark.parametrize(
    ("condition", "expected"), [("[] (n < 4)", "violated"), ("[] (n < 6)", "holds"), ("<> (n > 3)", "violated")]
)
def test_verdicts(engine: str, condition: str, expected: str) -> None:
    model = coset.parse_text(f"{SERVER} ltl p {{ {condition} }}")
    for symmetry in ("program", "off"):
        found = {each.name: each for each in coset.check(model, engine=engine, symmetry=symmetry).properties}
        assert found["p"].verdict.value == expected


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_random_models(first: int) -> None:
    found = 0
    for seed in range(first, first + 20):
        plain = coset.parse_text(dynamic_starts_random.generate(seed))
        for model in (plain, merged_for_symmetry(plain, marks=False)):
            try:
                found += bool(tried(model, compiles=seed % 10 == 0))
            except TooLarge:
                continue
    assert found > 2


def test_the_certificate_notices() -> None:
    """A model that reads numbers is refused by what is tried, even if its text has not been read."""
    endless = SERVER.replace("n++;", "n = _pid;").replace("else fi }", "else fi; end: false }")
    model = coset.parse_text(endless)
    wrong = AnonymousProcesses(model, None, (frozenset(),) * len(model.kinds))
    with pytest.raises(NotASymmetry):
        certify(wrong)


def test_it_is_used_where_it_saves() -> None:
    """If each worker differs from the others, there is nothing to save, and steps are memoised instead."""
    for worker, expected in (("n++", True), ("n == u; n++", False)):
        text = f"""byte n; proctype worker(byte u) {{ {worker}; n = n; end: false }}
        init {{ byte k; do :: k < 5 && n <= 5 -> run worker(k); k++ :: else -> break od; end: false }}"""
        found = reduction(merged_for_symmetry(coset.parse_text(text), marks=False), (), Settings(symmetry="auto"))
        assert (found.plan is not None) == expected


def test_reports() -> None:
    model = coset.parse_text(SERVER)
    found = reduction(merged_for_symmetry(model, marks=False), (), Settings(symmetry="program"))
    assert (found.used.group.structure, found.used.representative) == ("processes of worker in any order", "sort")
