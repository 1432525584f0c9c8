"""An explanation in plain words: what is written where, and whom it tells apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from coset.model import expression as e
from coset.model import model as m
from coset.model.state import offsets, process_number
from coset.source.records import dataclass
from coset.source.text import Span
from coset.symmetry.explain.explanation import GATHERED, Explanation, Reason
from coset.symmetry.explain.suspects import Suspect, begins, counter, counts, head, is_loop
from coset.symmetry.loop_summaries import Region
from coset.symmetry.operators import ORDERS, leaves_of
from coset.symmetry.values import evaluate

MOST_NAMES = 8
"""Longer lists are shortened."""

MOST_TEXT = 60

Counters = AbstractSet[tuple[str, str]]
"""Variables by owner and name."""

SEND_MAY_WAIT = (
    "; a send in it waits where a channel may be full, and others can observe that: let a guard before the loop require "
    "room in all of them, such as `nfull(c[0]) && nfull(c[1])`, or give the channels room for all messages that are ever sent"
)


@dataclass(frozen=True, slots=True)
class Broken:
    """One thing that tells processes apart; those of the same `reason` do it together."""

    reason: int
    kind: str
    between: tuple[str, ...]
    """Processes that could be exchanged otherwise, by number."""
    groups: tuple[tuple[int, ...], ...]
    """Those that can be exchanged as things are."""
    spans: tuple[Span, ...]
    why: str
    gain: int | None
    """The order of the group without everything that belongs to the reason."""
    alone: bool
    """Whether what belongs to the reasons before may stay."""


def broken(explanation: Explanation) -> list[Broken]:
    """An explanation as a list of what is to blame, reason by reason, in the order of the text."""
    found = []
    all_ = [suspect for reason in explanation.reasons for suspect in reason.suspects]
    counters = {(suspect.owner, counts(suspect)) for suspect in all_ if counts(suspect)}
    for number, reason in enumerate(explanation.reasons, 1):
        for suspects in gathered(reason.suspects, counters):
            text = ReasonText(explanation, reason, counters)
            between = tuple(map(str, reason.between))
            spans, why = text.spans(suspects), text.why(suspects)
            found.append(Broken(number, reason.kind, between, reason.groups, spans, why, reason.gain, reason.alone))
    return found


def expression_of(suspect: Suspect) -> e.Expr:
    """What a computation computes."""
    assert isinstance(suspect.place, tuple)
    x = suspect.place[1]
    assert isinstance(x, e.Expr)
    return x


def gathered(suspects: Sequence[Suspect], counting: Counters = frozenset()) -> Iterable[list[Suspect]]:
    """Suspects about which one sentence is enough; `counting` are the variables that loops without `for` count with."""
    found: dict[tuple[str, ...], list[Suspect]] = {}
    counters = {counter(suspect) for suspect in suspects if is_loop(suspect)}
    for suspect in suspects:
        if suspect.what in ("name", "start") and (suspect.owner, suspect.thing) in counters:
            continue  # the loop says it
        if is_loop(suspect):
            key = ("loop", suspect.owner, suspect.objects, head(suspect))
        elif begun := begins(suspect, counting):
            key = ("begins", suspect.owner, suspect.thing, begun)
        else:
            thing = suspect.thing if suspect.what not in GATHERED else ""
            key = (suspect.what, suspect.owner, suspect.objects, thing)
        found.setdefault(key, []).append(suspect)
    return found.values()


class ReasonText:
    def __init__(self, explanation: Explanation, reason: Reason, counters: Counters = frozenset()) -> None:
        self.counters = counters
        self.interpreter, self.started, self.reason = explanation.interpreter, explanation.started, reason

    def spans(self, suspects: list[Suspect]) -> tuple[Span, ...]:
        """The places to look at; for a parameter, where processes get it."""
        variable = suspects[0].place
        spans = [suspect.span for suspect in suspects]
        if isinstance(variable, m.Variable) and self.is_parameter(variable):
            spans = [span for span, run in self.starts() if run.kind == variable.owner] or spans
        return tuple(dict.fromkeys(span for span in spans if span is not None))

    def starts(self) -> Iterator[tuple[Span | None, m.Run]]:
        assert self.interpreter is not None
        for kind in self.interpreter.model.kinds:
            edges = sorted((edge for _, edge in kind.edges()), key=lambda edge: edge.span.start if edge.span else 0)
            for edge in edges:
                yield from ((edge.span, effect) for effect in edge.effects if isinstance(effect, m.Run))

    def is_parameter(self, variable: m.Variable) -> bool:
        assert self.interpreter is not None
        return any(variable in kind.variables[: kind.parameters] for kind in self.interpreter.model.kinds)

    def why(self, suspects: list[Suspect]) -> str:
        """A sentence about suspects of one sort."""
        first = suspects[0]
        if is_loop(first):
            return f"`{head(first)}` counts through the {names_of(first)}, {at(suspects)}{self.remedy(suspects)}"
        match first.what:
            case "literal":
                return self.named(suspects)
            case "name":
                return self.variables(suspects)
            case "oldest":
                oldest = self.oldest(first.thing)
                return f"`{first.thing}` without a number means the oldest one, {oldest}, {at(suspects)}"
            case "computation":
                return self.computation(suspects)
            case "start":
                return self.start(first)
            case "end":
                return (
                    f"{first.thing} may terminate, and Promela frees process ids in last-in, first-out order, which "
                    "distinguishes its instances; to avoid this, end it with `end: false`, or use --steps merged"
                )
            case "priority":
                return f"the processes of {first.thing} do not all have the same priority"
            case "sequence" if first.thing == "options":
                return f"the options {at(suspects)} are tried in their order"
            case "sequence":
                return f"`{short(first.thing)}` is evaluated from left to right, and may fail, {at(suspects)}"
            case "hidden":
                return (
                    f"{first.thing} is hidden, and a later step may read it: which of the states that differ only in it "
                    "is kept depends on the search"
                )
            case "beginning" if self.started is not None:
                return f"{first.thing}; inside `atomic {{ }}` nothing could come between the starts"
        return first.thing

    def remedy(self, suspects: list[Suspect]) -> str:
        """What helps against a loop in which other processes may move between two rounds."""
        assert self.interpreter is not None
        spans = {suspect.span for suspect in suspects}
        for kind in self.interpreter.model.kinds:
            if any(edge.span in spans and (edge.hold or kind.locations[spot].transient) for spot, edge in kind.edges()):
                return SEND_MAY_WAIT if Region(kind).sends else ""
        return (
            "; others may move between its rounds, so their order matters: make the loop `atomic`, wait for one condition "
            "about all of them, or send one broadcast"
        )

    def named(self, suspects: list[Suspect]) -> str:
        """About literals."""
        if begun := begins(suspects[0], self.counters):
            first = suspects[0].thing if suspects[0].objects == "process" else f"the value {suspects[0].thing}"
            return f"`{begun}` counts from {first} on, {at(suspects)}"
        things = sorted({suspect.thing for suspect in suspects}, key=by_number)
        whom = listed(things if suspects[0].objects == "process" else [f"the value {thing}" for thing in things])
        if len(things) > 1:
            return f"{whom} are named {at(suspects)}, not all in the same way"
        return f"{whom} is named {at(suspects)}{quoted(suspects)}"

    def variables(self, suspects: list[Suspect]) -> str:
        """About global variables."""
        names = {suspect.thing for suspect in suspects}
        classes = [inside for orbit in self.reason.variables if (inside := [name for name in orbit if name in names])]
        if len(classes) == 2:
            one, other = map(listed, classes)
            return f"{one} {is_or_are(classes[0])} not used as {other} {is_or_are(classes[1])} {at(suspects)}"
        if len(names) == 1:
            return f"{listed(sorted(names))} is used {at(suspects)}{quoted(suspects)}"
        whole = listed([name for inside in classes for name in inside] or sorted(names))
        return f"which of {whole} is used depends on the process, {at(suspects)}"

    def computation(self, suspects: list[Suspect]) -> str:
        first = suspects[0]
        x = expression_of(first)
        ids, text = names_of(first), f"`{short(first.thing)}`"
        if not any(True for _ in leaves_of(x)):
            return f"{self.called(first, evaluate(x, {}))} is named (as {text}) {at(suspects)}{quoted(suspects)}"
        if isinstance(x, e.Binary) and x.operator in ORDERS:
            return f"{text} compares {ids} by their order, {at(suspects)}"
        if counts(first):
            return f"`{counts(first)}` counts through the {ids}, {at(suspects)}{self.remedy(suspects)}"
        match x:
            case e.Binary("+" | "-", e.Get(), e.Const(1)):
                return f"{text} counts through the {ids}, {at(suspects)}"
            case e.Get() | e.Self() | e.Unary("!"):
                return f"{text} is taken for a truth value, {at(suspects)}"
        return f"{text} computes with {ids}, {at(suspects)}"

    def called(self, suspect: Suspect, value: int) -> str:
        """What the user knows a value as."""
        processes = self.started.state.processes if self.started is not None else ()
        if suspect.objects == "process" and self.interpreter is not None and 0 <= value < len(processes):
            model = self.interpreter.model
            return f"{model.kinds[processes[value].kind].name} {process_number(model, value)}"
        return f"the value {value}"

    # --- what variables start with ---------------------------------------------------------------

    def start(self, suspect: Suspect) -> str:
        """About a variable's first values."""
        variable = suspect.place
        assert isinstance(variable, m.Variable)
        held: dict[int, list[tuple[str, str]]] = {}
        for owner, place, value in self.held(variable):
            held.setdefault(value, []).append((owner, place))
        name = f"{variable.name} of {variable.owner}" if variable.owner is not None else variable.name
        verb, for_ = ("is", "for") if self.is_parameter(variable) else ("starts as", "in")
        if len(held) == 1:
            return f"{name} {verb} {self.shown(suspect, next(iter(held)), True)}"
        texts = []
        for value, places in held.items():
            owners = list(dict.fromkeys(owner for owner, _ in places))
            own = [place for _, place in places]
            where = " ".join([*owners[:1], listed(own)]) if len(owners) == 1 else listed([" ".join(x) for x in places])
            texts.append(f"{self.shown(suspect, value)} {for_} {where}")
        return f"{name} {verb} {listed(texts, 4, ', ')}"

    def held(self, variable: m.Variable) -> list[tuple[str, str, int]]:
        """What a variable holds in the first of the started states, in which kind of process and which of them, or in
        which element."""
        assert self.interpreter is not None and self.started is not None
        model, state = self.interpreter.model, self.started.state
        if variable.owner is None:
            start = offsets(model.variables)[variable]
            return [("", variable.element(k), state.values[start + k]) for k in range(variable.size)]
        found = []
        for number, process in enumerate(state.processes):
            kind = model.kinds[process.kind]
            if variable in kind.variables:
                start = offsets(kind.variables)[variable]
                for k in range(variable.size):
                    element = f" ({variable.element(k)})" if variable.shape else ""
                    found.append((kind.name, f"{number}{element}", process.values[start + k]))
        return found

    def shown(self, suspect: Suspect, value: int, explained: bool = False) -> str:
        assert self.interpreter is not None and self.started is not None
        state = self.started.state
        if suspect.objects == "channel":
            return self.channel_names().get(value, str(value)) if value else "no channel"
        if suspect.objects == "process" and explained and 0 <= value < len(state.processes):
            kind = self.interpreter.model.kinds[state.processes[value].kind].name
            return f"{value}, the number of {kind} {value}"
        return str(value)

    def channel_names(self) -> dict[int, str]:
        from coset.symmetry.action import Points
        from coset.symmetry.sort_inference import infer

        assert self.interpreter is not None and self.started is not None
        return Points(self.interpreter, self.started, infer(self.interpreter, self.started), ()).channel_names()

    def oldest(self, kind: str) -> str:
        assert self.interpreter is not None and self.started is not None
        number = self.interpreter.kind_number[kind]
        return f"{kind} {[process.kind for process in self.started.state.processes].index(number)}"


def names_of(suspect: Suspect) -> str:
    return {"process": "ids", "channel": "channels"}.get(suspect.objects, "values that tell processes apart")


def at(suspects: Sequence[Suspect]) -> str:
    """Where: the owner if it is a property, and the lines."""
    owner = suspects[0].owner
    by = f"by {owner.replace('claim never_0', 'the never claim')} " if owner.startswith(("property ", "claim ")) else ""
    numbers = sorted({suspect.span.line for suspect in suspects if suspect.span is not None})
    return by + lines(numbers)


def lines(numbers: Sequence[int]) -> str:
    """
    >>> lines([3]), lines([3, 7]), lines([3, 4, 5, 6, 9])
    ('in line 3', 'in lines 3 and 7', 'in lines 3 to 6 and 9')
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    texts: list[str] = []
    for run in runs:
        texts += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run)
    return ("in line " if len(numbers) == 1 else "in lines ") + listed(texts, 12) if texts else "somewhere"


def listed(texts: Sequence[str], most: int = MOST_NAMES, last: str = " and ") -> str:
    """
    >>> listed(["a", "b", "c"]), listed([f"client {k}" for k in range(1, 21)])
    ('a, b and c', 'client 1, ..., client 20')
    """
    if len(texts) > most:
        return f"{texts[0]}, ..., {texts[-1]}"
    return last.join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def quoted(suspects: Sequence[Suspect]) -> str:
    """The statement, if it is one."""
    statements = {suspect.statement for suspect in suspects}
    return f": `{short(statements.pop())}`" if len(statements) == 1 and all(statements) else ""


def short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 3] + "..."


def by_number(name: str) -> list[tuple[str, int]]:
    """A key that sorts names with numbers in them as people do.

    >>> sorted(["P 10", "P 9", "Q 1"], key=by_number)
    ['P 9', 'P 10', 'Q 1']
    """
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", name)]


def is_or_are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def processes(kind: str, groups: Sequence[Sequence[int]]) -> Iterator[str]:
    """
    >>> list(processes("client", [(1, 2, 4), (3,)]))
    ['client 1, 2 and 4', 'client 3']
    """
    for group in groups:
        yield f"{kind} {listed([str(number) for number in group])}"
