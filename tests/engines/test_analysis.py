"""What is computed once for several properties."""

from __future__ import annotations

from dataclasses import replace

import pytest

import coset
from coset.engines import analysis as analysis_module
from coset.engines.analysis import Analysis
from coset.engines.settings import Settings
from coset.model import model as m

FORMULAS = """
ltl alone { [] !(inside == 2) }
ltl enters { [] <> (inside == 1) }
ltl leaves { [] (inside == 1 -> <> (inside == 0)) }
ltl waiting { [] (want[0] -> <> (inside == 1)) }
"""
SYMMETRIC = """
bool want[3]; byte inside;
active [3] proctype P() { byte k;
  do :: k = 1; want[_pid] = true; k++; atomic { inside == 0 -> inside++ }; inside--; want[_pid] = false; k = 0 od }
"""
ORDERED = SYMMETRIC.replace("inside == 0 ->", "inside == 0 && (_pid == 0 || _pid == 2 || !want[_pid - 1]) ->")


def questions(text: str) -> tuple[Analysis, list[m.LtlProperty]]:
    model = coset.parse_text(text + FORMULAS)
    formulas = [each for each in model.properties if isinstance(each, m.LtlProperty)]
    return Analysis(model, merges=True, settings=Settings(symmetry="auto")), formulas


def test_properties_that_observe_the_same_share_a_model() -> None:
    analysis, formulas = questions(SYMMETRIC)
    found = {each.name: analysis.smaller_model(each) for each in formulas}
    assert {name: [p.name for p in model.properties] for name, model in found.items() if model} == {
        name: [name] for name in found
    }  # fmt: skip
    kinds = [model.kinds for model in found.values() if model is not None]
    assert kinds[0] is kinds[1] is kinds[2] and kinds[3] is not kinds[0]
    for each in formulas:
        alone = Analysis(replace(analysis.model, properties=(each,)), merges=True, settings=Settings(symmetry="auto"))
        assert alone.smaller_model(each) == found[each.name]


@pytest.mark.parametrize(("text", "searches", "orders"), [(SYMMETRIC, 5, [6, 6, 6, 2]), (ORDERED, 2, [1, 1, 1, 1])])
def test_symmetry_that_does_not_exist_is_looked_for_once(
    text: str, searches: int, orders: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One search without properties; where it finds a group, each property has its own."""
    made = 0

    def counted(*arguments: object) -> object:
        nonlocal made
        made += 1
        return reduction(*arguments)  # type: ignore[arg-type]

    reduction = analysis_module.reduction  # type: ignore[attr-defined]
    monkeypatch.setattr(analysis_module, "reduction", counted)
    analysis, formulas = questions(text)
    found = []
    for each in formulas:
        model = analysis.smaller_model(each)
        assert model is not None
        symmetry = analysis.reduction(model, model.properties).symmetry
        found.append(1 if symmetry is None else symmetry.order)
    assert (found, made) == (orders, searches)


@pytest.mark.parametrize("text", [SYMMETRIC, ORDERED], ids=["symmetric", "ordered"])
def test_verdicts_are_those_of_each_property_by_itself(text: str) -> None:
    model = coset.parse_text(text + FORMULAS)
    together = coset.check(model, engine="reference", keep_going=True)
    for each in model.properties:
        alone = coset.check(replace(model, properties=(each,)), engine="reference", symmetry="off", steps="plain")
        found = {result.name: result.verdict for result in alone.properties}
        assert {result.name: result.verdict for result in together.properties}[each.name] is found[each.name]
