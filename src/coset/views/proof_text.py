"""A proof for every number of processes, as text."""

from __future__ import annotations

from collections.abc import Iterator

from coset.results.proof import Proof, PropertyProof, RoundReport
from coset.results.verdict import Verdict
from coset.views.terminal import Style, verdict

HOW = {
    "spotlight": "by abstraction",
    "backward": "by backward reachability",
    "explicit": "by checking that model",
    "vacuous": "there are too few processes",
}


def proof(result: Proof, style: Style, steps: bool = True) -> Iterator[str]:
    """The invariants, then every property with its verdicts by size, and how they were found."""
    if result.invariants:
        yield style.faint("for all sizes: " + "; ".join(result.invariants))
    for name in result.dropped:
        yield f"lemma {name}: not proved, so not used"
    for found in result.properties:
        yield from property_(found, style, steps)


def property_(found: PropertyProof, style: Style, steps: bool) -> Iterator[str]:
    first, _, rest = found.answer.partition(" ")
    shown = verdict(found.verdict, style) if first == found.verdict.value else first
    yield f"{style.title(found.name)}  {shown} {rest}"
    if steps:
        for each in found.rounds:
            yield style.faint(f"    {round_(each)}")
    for piece in found.sizes:
        confirms = ", which confirms it" if not piece.general else ""
        what = "sets of states" if piece.how == "backward" else "states"
        states = f", {piece.states:,} {what}" if piece.states else ""
        why = f": {piece.reason}" if piece.reason else ""
        sizes = f"{piece.sizes}: " if piece.sizes else ""
        yield f"    {sizes}{piece.verdict.value} ({HOW[piece.how]}{confirms}{states}){why}"
    if found.paper is not found.general and not any(piece.how == "backward" for piece in found.sizes):
        yield style.faint(
            "    a process was drawn into the spotlight: by the rule of the paper alone this would be unknown"
        )


def round_(each: RoundReport) -> str:
    """One step of the refinement.

    >>> round_(RoundReport(("P i",), ("y >= 1",), 6, "unknown", "a process in the shade may move"))
    'spotlight {P i}, predicates {y >= 1}: unknown in 6 states; a process in the shade may move'
    """
    following = f"; {each.next}" if each.next else ""
    spotlight, predicates = ", ".join(each.spotlight), ", ".join(each.predicates)
    return f"spotlight {{{spotlight}}}, predicates {{{predicates}}}: {each.truth} in {each.states} states{following}"


def conclusion(result: Proof, style: Style) -> str:
    """The verdict on all properties in one line."""
    culprits = [each.name for each in result.properties if each.verdict is result.verdict is not Verdict.HOLDS]
    names = f" ({', '.join(culprits)})" if culprits else ""
    fair = ", fair runs only" if result.fair else ""
    seconds = sum(result.seconds.values())
    return style.title(f"{result.model}: ") + f"{verdict(result.verdict, style)}{names}{fair}, {seconds:.2f} s"
