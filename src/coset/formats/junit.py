"""Verdicts as JUnit XML, for continuous integration servers.

Each property is a test case.  A violated property is a failure, with the counterexample as text; an undecided one is an
error, so that it is not mistaken for a success.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from coset.results.verdict import Check, PropertyResult, Verdict
from coset.source.diagnostics import Diagnostic, render
from coset.source.printable import printable


def junit(result: Check, file: str, texts: Mapping[str, str]) -> str:
    """The document for a check of `file`; `texts` has the counterexamples by the names of their properties."""
    found = [each.verdict for each in result.properties]
    suite, root = document(
        result.model,
        len(found),
        found.count(Verdict.VIOLATED),
        found.count(Verdict.UNKNOWN),
        sum(result.seconds.values()),
    )
    used = result.exploration.symmetry
    about = {
        "engine": result.engine,
        "symmetry": used.method,
        "group": f"{used.group.structure}, order {used.group.order}",
        "states": str(result.exploration.states),
        "represents": str(result.exploration.represents),
    }
    properties = SubElement(suite, "properties")
    for name, value in about.items():
        SubElement(properties, "property", name=name, value=printable(value))
    for each in result.properties:
        add_case(suite, each, file, texts.get(each.name, ""))
    return written(root)


def rejected(model: str, file: str, diagnostics: Sequence[Diagnostic]) -> str:
    """The document for a model that cannot be loaded: one test case with all diagnostics."""
    suite, root = document(model, 1, 0, 1, 0.0)
    case = SubElement(suite, "testcase", classname=printable(model), name="load", file=printable(file))
    first = diagnostics[0]
    error = SubElement(case, "error", message=printable(first.message), type=first.code)
    error.text = printable("\n".join(map(render, diagnostics)))
    return written(root)


def document(model: str, tests: int, failures: int, errors: int, seconds: float) -> tuple[Element, Element]:
    """The suite of one model, and the root around it."""
    numbers = {"tests": str(tests), "failures": str(failures), "errors": str(errors), "time": f"{seconds:.3f}"}
    root = Element("testsuites", {"name": "coset", **numbers})
    return SubElement(root, "testsuite", {"name": printable(model), "skipped": "0", **numbers}), root


def add_case(suite: Element, result: PropertyResult, file: str, text: str) -> None:
    case = SubElement(
        suite, "testcase", classname=suite.get("name", ""), name=printable(result.name), file=printable(file)
    )
    if result.verdict is Verdict.HOLDS:
        return
    if result.verdict is Verdict.VIOLATED:
        outcome = SubElement(case, "failure", message=printable(f"{result.name} is violated"), type=result.kind)
    else:
        outcome = SubElement(case, "error", message=printable(f"not decided: {result.reason}"), type="unknown")
    outcome.text = printable(text or result.reason or "")


def written(root: Element) -> str:
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"
