"""Random expressions: values of a type, truths, indices that are in range, patterns of messages."""

from __future__ import annotations

import re

from tests.support.promela_grammar.scope import (
    BUFFERED,
    INTEGERS,
    SYMBOLS,
    WIDE,
    WIDER,
    Context,
    Place,
    Signature,
    Writer,
)


class Expressions(Writer):
    """The rules of the grammar for expressions."""

    def writable(self, context: Context) -> list[Place]:
        return [p for p in context.scope.places if p.writable and p.kind in INTEGERS] or [Place("_", "byte")]

    def place(self, context: Context, place: Place, fixed: bool = False) -> str:
        """The text of a place, with indices; `fixed` ones do not depend on variables."""
        return re.sub(
            r"<(\d)>", lambda match: self.index(context, int(match[1]), fixed or context.steady), place.pattern
        )

    def index(self, context: Context, size: int, fixed: bool) -> str:
        """An expression that is below `size`, whatever the state."""
        simple = [p for p in context.scope.places if p.kind in INTEGERS and re.fullmatch(r"\w+", p.pattern)]
        if size == 2 and simple and not fixed and self.chance(0.3):
            return f"{self.pick(simple).pattern} & 1"
        channels = [p for p in context.scope.places if p.kind.startswith("chan") and "<" not in p.pattern]
        if channels and context.declares and not fixed and self.chance(0.1):
            return f"len({self.pick(channels).pattern}) % {size}"
        return f"_pid % {size}" if context.declares and self.chance(0.2) else str(self.random.randrange(size))

    def value(self, context: Context, kind: str, literal: bool = False) -> str:
        """Something of this type that may be stored; from a small set where the context is bounded."""
        if kind.startswith(("chan", "record")):
            return self.place(context, self.pick([p for p in context.scope.places if p.kind == kind]))
        if kind in SYMBOLS:
            others = [p for p in context.scope.places if p.kind == kind]
            return self.place(context, self.pick(others)) if others and self.chance(0.4) else self.pick(SYMBOLS[kind])
        if literal and kind in ("bit", "bool"):
            return self.pick(("0", "1", "true", "false"))  # SPIN rejects global initialisers that do not fit
        if literal or self.chance(0.4):
            return self.pick(("0", "1", "2", "3", "K")) if context.bounded or self.chance(0.6) else self.pick(WIDE)
        if kind in ("bit", "bool"):
            return self.truth(context, 1)
        number = self.number(context, 2)
        if not context.bounded:
            return number
        return self.pick((f"({number}) % 3", f"({number}) & 3", f"({self.truth(context, 1)} -> 1 : 2)"))

    def number(self, context: Context, depth: int) -> str:
        readable = [p for p in context.scope.places if p.kind in INTEGERS and p.pattern != "_"]
        rules = {"place": 5.0, "literal": 2.0, "system": 1.2, "two": 3.0, "one": 0.7, "choose": 0.7, "truth": 0.6}
        rule = self.weighted(rules)
        if rule == "place" and readable:
            return self.place(context, self.pick(readable))
        if rule == "system":
            channels = [p for p in context.scope.places if p.kind.startswith("chan")]
            length = f"len({self.place(context, self.pick(channels))})"
            return self.pick(("_pid", "_nr_pr", length, length, *self.others(context)))
        if depth <= 0 or rule in ("place", "literal"):
            return str(self.random.randrange(4)) if context.bounded or self.chance(0.7) else self.pick(WIDE)
        left = self.number(context, depth - 1)
        if rule == "two":
            operator = self.pick(("+", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"))
            small = str(self.random.randint(1, 3))
            right = small if operator in ("/", "%", "<<", ">>") else self.number(context, depth - 1)
            return f"({left} {operator} {right})"
        if rule == "one":
            return f"{self.pick(('-', '~', '!'))}({left})"
        if rule == "choose":
            return f"({self.truth(context, depth - 1)} -> {left} : {self.number(context, depth - 1)})"
        return f"({self.truth(context, depth - 1)})"

    def others(self, context: Context) -> list[str]:
        """What can be asked about other processes: those that come before, so that nobody asks about himself."""
        if not context.watches or self.current is None or not self.current.instances or self.dynamic:
            return []  # a process that is started when others have died could have any of their numbers
        found = ["_last", *["pc_value(0)"] * 4] if self.counts else []
        if self.priorities and self.current.first_pid > 0:
            found += ["get_priority(0)", "(get_priority(0) + pc_value(0))" if self.counts else "get_priority(0)"] * 2
        if self.asks and self.current.first_pid > 0:
            found += [f"enabled({self.random.randrange(self.current.first_pid)})"] * 3
        return found

    def truth(self, context: Context, depth: int) -> str:
        rule = self.weighted({"compare": 6, "both": 1.5, "not": 0.7, "poll": 0.8, "remote": 0.7})
        buffered = [p for p in context.scope.places if p.kind.startswith("chan") and self.channel(p).kind == BUFFERED]
        if rule == "poll" and buffered:
            place = self.pick(buffered)
            if not any("record" in kind for kind in self.channel(place).fields):
                patterns = ", ".join(self.patterns(context, place, store=False))
                return f"{self.place(context, place)}{self.pick(('?', '??'))}[{patterns}]"
        if rule == "remote" and context.watches and (text := self.remote(context)):
            return text
        if depth > 0 and rule == "both":
            left, right = self.truth(context, depth - 1), self.truth(context, depth - 1)
            return self.pick((f"({left} && {right})", f"({left} || {right})", f"BOTH(({left}), ({right}))"))
        if depth > 0 and rule == "not":
            return f"!({self.truth(context, depth - 1)})"
        operator = self.pick(("==", "!=", "<", "<=", ">", ">="))
        return f"{self.number(context, depth - 1)} {operator} {self.random.randrange(3)}"

    def remote(self, context: Context) -> str:
        """Another process at a label, or its variable: of an earlier proctype, active, and with a known pid."""
        seen = [p for p in self.proctypes if p.instances and p.first_pid >= 0 and p is not self.current]
        seen = seen[: next((i for i, p in enumerate(seen) if self.current and p.name > self.current.name), len(seen))]
        for proctype in seen:
            who = f"[{proctype.first_pid + self.random.randrange(proctype.instances)}]"
            who = "" if proctype.instances == 1 and self.chance(0.4) else who
            if self.dynamic or self.chance(0.2):
                who = "[9]"  # nobody; with processes that die a smaller number could be used again by another kind
            if proctype.labels and self.chance(0.6):
                return f"{proctype.name}{who}@{self.pick(proctype.labels)}"
            # SPIN looks the name up here first, so that an array or channel of the same name is in the way.
            others = [p.pattern for p in context.scope.places if p.kind not in INTEGERS or "[" in p.pattern]
            mine = {re.split(r"\W", pattern)[0] for pattern in others}
            plain = [p for p in proctype.locals if p.pattern.isalnum() and p.pattern not in mine]
            if plain:
                return f"{proctype.name}{who}:{self.pick(plain).pattern} == {self.random.randrange(2)}"
        return ""

    # -- messages ------------------------------------------------------------------------------------------------------

    def channel(self, place: Place) -> Signature:
        return self.signatures[int(place.kind.split()[1])]

    def patterns(self, context: Context, channel: Place, store: bool = True) -> list[str]:
        """What a receive expects: variables (each once), constants, `eval` of an expression, or anything."""
        used: set[str] = set()
        result = []
        for kind in self.channel(channel).fields:
            fitting = WIDER.get(kind, (kind,))
            places = [p for p in context.scope.places if p.writable and p.kind in fitting]
            places = [p for p in places if re.split(r"\W", p.pattern)[0] not in used]
            if kind.startswith("record"):
                # SPIN has no constant for a record, and `_` stands for one field only.
                result.append(self.place(context, self.pick(places), fixed=True) if places else "_, _")
                used |= {re.split(r"\W", p.pattern)[0] for p in places}
            elif store and places and self.chance(0.5):
                place = self.pick(places)
                used.add(re.split(r"\W", place.pattern)[0])
                result.append(self.place(context, place, fixed=True))
            elif kind.startswith("chan") or self.chance(0.4):
                result.append("_")
            elif kind in SYMBOLS:
                result.append(self.pick(SYMBOLS[kind]))
            else:
                result.append(self.pick((str(self.random.randrange(2)), f"eval({self.number(context, 1)})")))
        return result
