"""What `coset features` prints: the matrix of interactions, and what a proof says."""

from __future__ import annotations

from collections.abc import Iterator

from coset.features.interactions import Analysis, CaseResult
from coset.features.prove import Proof
from coset.results.verdict import Verdict


def cell(found: Analysis, one: str, other: str) -> str:
    """How many cases of two features interact, of how many."""
    cases = found.of(one, other)
    if not cases:
        return ""
    broken, unknown = sum(each.interacts for each in cases), sum(each.unknown for each in cases)
    return f"{broken}/{len(cases)}" + (f" ({unknown}?)" if unknown else "") if broken or unknown else f"-/{len(cases)}"


def matrix(found: Analysis) -> Iterator[str]:
    """The features against each other, upper triangle."""
    names = found.features
    rows = [["", *names]]
    for place, one in enumerate(names):
        rows.append([one, *("" for _ in names[:place]), *(cell(found, one, other) for other in names[place:])])
    widths = [max(len(row[column]) for row in rows) for column in range(len(names) + 1)]
    for row in rows:
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()


def broken(found: CaseResult) -> str:
    return " and ".join(each.name for each in found.outcomes if each.verdict is Verdict.VIOLATED)


def analysis(found: Analysis, with_runs: bool = False) -> Iterator[str]:
    for each in found.validations:
        needed = {Verdict.VIOLATED: "", Verdict.HOLDS: ", but it holds without the feature too"}
        note = needed.get(each.without.verdict, ", without the feature it is unknown")
        yield f"{each.instance}: {'valid' if each.valid else f'its property {each.alone.verdict.value}'}{note}"
    yield ""
    yield "cases that interact, of all cases up to symmetry:"
    yield ""
    yield from matrix(found)
    yield ""
    for case in found.interactions:
        hosts = "one host" if case.one_host else "two hosts"
        yield f"{case.case} interact ({hosts}): {broken(case)} is violated"
        if with_runs:
            for outcome in case.outcomes:
                if outcome.counterexample is not None:
                    yield f"\n{outcome.formula}\n{outcome.counterexample}\n"
    for case in found.cases:
        if case.unknown:
            reasons = "; ".join(each.reason or "" for each in case.outcomes if each.verdict is Verdict.UNKNOWN)
            yield f"{case.case}: unknown ({reasons})"
    count, open_ = len(found.interactions), sum(case.unknown for case in found.cases)
    cases = f"{len(found.cases)} cases" + (f", of which {open_} are unknown" if open_ else "")
    yield (
        f"{found.network.name}: {count or 'no'} interaction{'s' * (count != 1)} in {cases}, "
        f"{found.runs} verdicts, {found.seconds:.0f} s"
    )


def proof(found: Proof) -> Iterator[str]:
    others = {"none": "which have no features", "any": "whatever features these have"}[found.others]
    yield f"formula      {found.formula.text}"
    yield f"features     {found.features}"
    if found.abstraction is not None:
        each = found.abstraction
        yield f"abs({found.kept})       {each.verdict.value}, {each.states:,} states, {each.seconds:.2f} s"
    for attempt in found.attempts:
        what = f"{attempt.size} {found.proctype} components, features {attempt.features}"
        yield f"tried        {what}: {attempt.outcome.verdict.value}, {attempt.outcome.states:,} states"
    for reason in found.reasons:
        yield f"unknown      {reason}"
    if found.attempts and found.attempts[-1].outcome.counterexample is not None:
        yield f"\nA run with {found.attempts[-1].size} {found.proctype} components:\n"
        yield found.attempts[-1].outcome.counterexample
    if found.verdict is Verdict.HOLDS:
        yield f"holds for every number of {found.proctype} components from {found.kept} on ({found.for_all}), {others}"
    else:
        yield found.verdict.value
