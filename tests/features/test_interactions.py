"""Feature interaction: properties with parameters, cases up to symmetry, and the interactions of both examples."""

from __future__ import annotations

import html.parser
import itertools
import json
import shutil
from pathlib import Path

import jsonschema
import pytest

import coset
from coset.cli import main
from coset.features import report_html, report_json, report_text
from coset.features.cases import canonical, pair_cases, patterns, single_cases
from coset.features.interactions import Analysis, analyse
from coset.features.load import instance, load
from coset.features.properties import parse_properties
from coset.features.verify import formula_of
from coset.features.workers import Workers
from coset.formats.json_output import schema
from coset.languages.features.tree import Network
from coset.results.verdict import Verdict
from coset.source.budget import Budget, installed
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source
from tests.support.feature_folders import FOLDER, email_bad

EMAIL = {
    "ENCRYPT(1) + AUTORESP(1)", "FORWARD(1,2) + ENCRYPT(1)", "FORWARD(1,2) + ENCRYPT(2)", "FORWARD(1,2) + ENCRYPT(3)",
    "FORWARD(1,2) + FORWARD(1,3)",
}  # fmt: skip
"""ENCRYPT(1) with FORWARD(1,2), FORWARD(2,1) and FORWARD(2,3), after renaming."""


# --- properties --------------------------------------------------------------------------------------


def email() -> Network:
    return load(FOLDER / "email")[0]


def test_formulas_for_components() -> None:
    network, properties = load(FOLDER / "email")
    forward = formula_of(properties["FORWARD"], instance("FORWARD(1,2)", network, properties), network)
    assert forward.name == "FORWARD_1_2"
    assert forward.text == "([] (last_del_to[1] != 1)) && ([] (last_del_to[3] != 1))"
    assert properties["own_mail"].formula_for((2,), network) == "[] (last_del_to[2] == 0 || last_del_to[2] == 2)"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("FILTER i: true", "expected"), ("FILTER(i): true", "2 parameters, not 1"), ("p(i, i): true", "twice"),
        ("p(i), forall k != z: true", "no parameter"), ("p(i in nobody): true", "no proctype"), ("p(i):", "no formula"),
        ("p(1): true", "no parameter"), ("p(): true\np(): true", "two properties"),
    ],
)  # fmt: skip
def test_wrong_properties(line: str, why: str) -> None:
    diagnostics = Diagnostics()
    parse_properties(Source("properties.def", line), email(), diagnostics)
    assert any(why in each.message for each in diagnostics.errors) and diagnostics.errors[0].span is not None


def test_wrong_formulas_are_found_in_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "email"
    shutil.copytree(FOLDER / "email", folder)
    (folder / "properties.def").write_text("\nFILTER(i, j): [] (no_such_array[i] != j)\n")
    network, properties = load(folder)
    with pytest.raises(coset.InputError, match=r"properties.def:2:1.*no_such_array"):
        analyse(network, properties)


@pytest.mark.parametrize("text", ["FILTER(1)", "FILTER(1,4)", "NONE(1,2)", "FILTER(1", "FILTER"])
def test_wrong_instances(text: str) -> None:
    network, properties = load(FOLDER / "email")
    with pytest.raises(coset.InputError, match="W021"):
        instance(text, network, properties)


# --- cases -------------------------------------------------------------------------------------------


def test_patterns_are_classes_of_tuples() -> None:
    """One pattern for each orbit of all tuples under renaming."""
    ids = {"a": [1, 2, 3], "b": [4, 5]}
    for types in itertools.product("ab", repeat=3):
        found = list(patterns(types, ids))
        seen = set()
        for values in itertools.product(*(ids[type_] for type_ in types)):
            orbit = frozenset(
                tuple({**dict(zip(ids["a"], one)), **dict(zip(ids["b"], other))}[v] for v in values)
                for one in itertools.permutations(ids["a"])
                for other in itertools.permutations(ids["b"])
            )
            seen.add(orbit)
        assert len(found) == len(seen) and all(any(case in orbit for case in found) for orbit in seen)


def test_the_216_cases_of_call_forwarding_are_three() -> None:
    network, _ = load(FOLDER / "telephone", {"user": 6})
    text = "CFU(i, j; k): [] ! (user[k]@calling && dialled[k] == i && partner[k] == j)"
    properties = parse_properties(Source("properties.def", text), network, Diagnostics())
    assert [each.arguments for each in single_cases(properties["CFU"], network)] == [(1, 2, 1), (1, 2, 2), (1, 2, 3)]


def test_the_cases_of_the_email_network() -> None:
    network, properties = load(FOLDER / "email")
    names = ["FILTER", "FORWARD", "ENCRYPT", "AUTORESP"]
    pairs = itertools.combinations_with_replacement(names, 2)
    cases = [case for one, other in pairs for case in pair_cases(properties[one], properties[other], network)]
    assert len(cases) == 32
    for case in cases:
        for each in (case.first, case.second):
            assert canonical(each, properties[each.name], network) in single_cases(properties[each.name], network)


# --- analyses ------------------------------------------------------------------------------------------


def analysis(folder: Path, features: list[str], threads: int = 1, counts: dict[str, int] | None = None) -> Analysis:
    network, properties = load(folder, counts)
    return analyse(network, properties, features=features, threads=threads)


def test_interaction_with_two_clients_and_its_reports() -> None:
    found = analysis(FOLDER / "email", ["ENCRYPT", "AUTORESP"], counts={"client": 2})
    assert [str(each.case) for each in found.interactions] == ["ENCRYPT(1) + AUTORESP(1)"] and found.complete
    assert len(found.cases) == 4 and all(each.valid for each in found.validations)
    document = report_json.analysed(found)
    jsonschema.validate(json.loads(json.dumps(document)), schema("features"))
    (broken,) = [each for each in document["cases"] if each["interacts"]]
    assert broken["one_host"] and broken["properties"][0]["trace"]["steps"]
    lines = list(report_text.analysis(found, with_runs=True))
    assert "ENCRYPT(1) + AUTORESP(1) interact (one host): ENCRYPT_1 is violated" in lines
    page = report_html.page(found)
    html.parser.HTMLParser().feed(page)
    assert "http" not in page and page.count("<details>") == 1 and "1/2" in page


def test_filtering_too_early(tmp_path: Path) -> None:
    """FILTER(1,2) and FORWARD(3,1): what 2 writes to 3 gets to 1."""
    network, properties = load(email_bad(tmp_path))
    from coset.features.cases import Case
    from coset.features.interactions import pair_job, work

    case = Case(instance("FILTER(1,2)", network, properties), instance("FORWARD(3,1)", network, properties))
    valid = {each for name in ("FILTER", "FORWARD") for each in single_cases(properties[name], network)}
    for folder, verdict in ((tmp_path / "email_bad", Verdict.VIOLATED), (FOLDER / "email", Verdict.HOLDS)):
        network, properties = load(folder)
        from coset.features.verify import Limits

        found = work(pair_job(network, properties, case, valid, Limits()))
        assert [each.verdict for each in found] == [verdict, Verdict.HOLDS]


def test_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "matrix.html"
    folder = str(FOLDER / "email")
    options = ["--count", "client=2", "--only", "ENCRYPT", "--html", str(page), "--json"]
    assert main(["features", "interactions", folder, *options]) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    jsonschema.validate(document, schema("features"))
    assert document["interactions"] == [] and document["cases"][0]["first"] == "ENCRYPT(1)"
    assert "[3/3] ENCRYPT(1) + ENCRYPT(2): no interaction" in err and "ENCRYPT" in page.read_text()
    assert main(["features", "interactions", folder, "--only", "NONE"]) == 2
    assert main(["features", "generate", folder, "--feature", "FILTER[(1,2)]", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema("features"))
    assert "FILTER[1].to[2] = 1" in document["promela"]
    assert document["sends_to"] == [
        {"type": "client", "to": ["mailer"]},
        {"type": "mailer", "to": ["client", "mailer"]},
    ]
    assert (
        main(["features", "diagram", folder, "--feature", "FILTER[(1,2)]", "-o", str(tmp_path / "d.dot"), "--json"])
        == 0
    )
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema("features"))
    assert document["symmetry"]["order"] == 1 and "FILTER" in (tmp_path / "d.dot").read_text()
    assert main(["features", "generate", str(tmp_path), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["command"] == "features"


@pytest.mark.long
def test_the_interactions_of_the_email_network() -> None:
    found = analysis(FOLDER / "email", ["FILTER", "FORWARD", "ENCRYPT", "AUTORESP"], threads=2)
    assert {str(each.case) for each in found.interactions} == EMAIL
    assert len(found.cases) == 32 and found.complete and all(each.valid for each in found.validations)


@pytest.mark.long
def test_the_interactions_of_the_telephone_network() -> None:
    found = analysis(FOLDER / "telephone", ["TCS", "OCS", "OCO", "TCO", "CFU", "CFB"], threads=2)
    assert found.complete and all(each.valid and each.without.verdict is Verdict.VIOLATED for each in found.validations)
    broken = {str(each.case): {o.name for o in each.outcomes if o.verdict is Verdict.VIOLATED} for each in found.cases}
    # OCS(1,3) + CFU(2,3), OCS(1,2) + CFU(2,3) and CFU(2,3) + CFU(2,1), after renaming
    assert broken["OCS(1,2) + CFU(3,2)"] == {"OCS_1_2"}
    assert broken["OCS(1,2) + CFU(2,3)"] == {"CFU_2_3"}
    assert broken["CFU(1,2) + CFU(1,3)"] == {"CFU_1_2", "CFU_1_3"}
    # TCS(3,1) + CFU(2,3) and OCO(3) + CFU(2,3)
    assert broken["TCS(1,2) + CFU(3,1)"] == set() and broken["OCO(1) + CFU(2,1)"] == set()


@pytest.mark.parametrize("threads", [1, 2])
def test_the_rest_is_unknown_once_the_budget_is_used_up(threads: int) -> None:
    network, properties = load(FOLDER / "email")
    with installed(Budget(seconds=0)):
        found = analyse(network, properties, features=["FILTER"], threads=threads)
    outcomes = [outcome for each in found.validations for outcome in (each.alone, each.without)]
    assert outcomes and not found.complete and not found.interactions
    assert {(each.verdict.value, each.reason) for each in outcomes} == {("unknown", "0 seconds (--max-seconds)")}


def test_no_more_processes_than_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    with Workers(1 << 32, abs, lambda job, reason: -1) as workers:
        assert workers.pool is None and list(workers.run([-3, 4])) == [3, 4]
