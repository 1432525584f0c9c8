"""CSP# by the rules of PAT, as naive as can be: terms are nested tuples that are rewritten, with all values known.

This is the naive twin of `coset.languages.csp`: it shares only the parser with it, and knows no automata and no model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

from coset.languages.csp import tree as t
from coset.languages.csp.parse import parse
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source

Term = tuple[Any, ...]
ENDED: Term = ("ended",)


class State(NamedTuple):
    values: tuple[tuple[int, ...], ...]
    channels: tuple[tuple[tuple[int, ...], ...], ...]
    term: Term


class Space(NamedTuple):
    """What `explore` finds: all states, those that are stuck, and the labelled transitions."""

    states: set[State]
    deadlocks: set[State]
    transitions: set[tuple[State, str, State]]


class Move(NamedTuple):
    """A step of a term: its label, the data operation, what happens to a channel, and what is left.  `offer` and
    `answer` are the halves of a handshake."""

    label: str
    operation: Term
    term: Term
    visible: bool = True
    plain: bool = False
    push: tuple[int, tuple[int, ...]] | None = None
    pop: int | None = None
    offer: tuple[int, tuple[int, ...]] | None = None
    answer: tuple[int, Callable[[tuple[int, ...]], tuple[Term, Term] | None]] | None = None
    urgent: bool = False


class Reference:
    def __init__(self, text: str, defines: Mapping[str, str] | None = None) -> None:
        diagnostics = Diagnostics()
        self.program = parse(Source("reference.csp", text), defines or {}, diagnostics)
        diagnostics.check()
        program = self.program
        self.constants: dict[str, Term | int] = {}
        for name, value in program.constants.items():
            self.constants[name] = self.expression(value, {})
        self.variables: list[str] = []
        self.shape: dict[str, list[int]] = {}
        self.initial_values: list[tuple[int, ...]] = []
        for name, variable in program.variables.items():
            self.variables.append(name)
            self.shape[name] = [self.number(length) for length in variable.shape]
            size = 1
            for length in self.shape[name]:
                size *= length
            values = [
                v
                for low, high, count in variable.initial
                for v in upwards(self.number(low), self.number(high))
                for _ in range(self.number(count))
            ] or [0]
            self.initial_values.append(tuple(values * size if len(values) == 1 else values))
        self.first: dict[str, int] = {}
        self.capacity: list[int] = []
        for name, channel in program.channels.items():
            self.first[name] = len(self.capacity)
            count = 1 if channel.shape is None else self.number(channel.shape)
            self.capacity += [self.number(channel.capacity)] * count

    def number(self, x: t.Expression) -> int:
        value = self.expression(x, {})
        assert isinstance(value, int)
        return value

    # --- terms: expressions are numbers or tuples, names of parameters are replaced ------------------

    def expression(self, x: t.Expression, env: Mapping[str, Any]) -> Any:
        match x:
            case t.Number(value):
                return value
            case t.Name(name):
                return env[name] if name in env else self.constants.get(name, ("name", name))
            case t.Element(name, indices):
                return ("element", name, tuple(self.expression(i, env) for i in indices))
            case t.Unary(operator, operand):
                return folded(("unary", operator, self.expression(operand, env)))
            case t.Binary(operator, left, right):
                return folded(("binary", operator, self.expression(left, env), self.expression(right, env)))
            case t.Query(question, channel, index):
                return ("query", question, channel, 0 if index is None else self.expression(index, env))
        raise TypeError(x)

    def block(self, statements: t.Operation, env: Mapping[str, Any]) -> Term:
        def one(s: t.Statement) -> Term:
            match s:
                case t.Assignment(name, indices, value):
                    there = tuple(self.expression(i, env) for i in indices)
                    return ("assign", name, there, self.expression(value, env))
                case t.Local(name, value):
                    return ("assign", name, (), self.expression(value, env))
                case t.Branch(condition, yes, no):
                    return ("branch", self.expression(condition, env), self.block(yes, env), self.block(no, env))
                case t.While(condition, body):
                    return ("while", self.expression(condition, env), self.block(body, env))
            raise TypeError(s)

        return tuple(map(one, statements))

    def term(self, x: t.Process, env: Mapping[str, Any]) -> Term:
        def inner(p: t.Process) -> Term:
            return self.term(p, env)

        def value(e: t.Expression) -> Any:
            return self.expression(e, env)

        def index(e: t.Expression | None) -> Any:
            return 0 if e is None else self.expression(e, env)

        match x:
            case t.Skip():
                return ("skip",)
            case t.Stop():
                return ("stop",)
            case t.Prefix(event, operation, plain, rest):
                args = tuple(map(value, event.arguments))
                return ("prefix", event.name, args, self.block(operation, env), plain, inner(rest))
            case t.Output(channel, i, values, operation, rest):
                sent = tuple(map(value, values))
                return ("out", channel, index(i), sent, self.block(operation, env), inner(rest))
            case t.Input(channel, i, patterns, guard, operation, rest):
                condition = 1 if guard is None else value(guard)
                fields = tuple(map(value, patterns))
                return ("in", channel, index(i), fields, condition, self.block(operation, env), inner(rest))
            case t.Choice(operator, parts):
                return ("choice", operator, tuple(map(inner, parts)))
            case t.Guard(condition, body):
                return ("guard", value(condition), inner(body))
            case t.If(word, condition, yes, no):
                return ("if", word, value(condition), inner(yes), inner(no))
            case t.Case(branches, default):
                return ("case", tuple((value(c), inner(p)) for c, p in branches), inner(default))
            case t.Parallel(parts):
                return ("par", tuple(map(inner, parts)), None)
            case t.Interleave(parts):
                return ("inter", tuple(map(inner, parts)))
            case t.Counted(count, body):
                return ("bag", (inner(body),) * value(count))
            case t.Sequence(first, second):
                return ("seq", inner(first), inner(second))
            case t.Interrupt(body, handler):
                return ("interrupt", inner(body), inner(handler))
            case t.Hide(body, events):
                names = frozenset(shown(e.name, tuple(map(value, e.arguments))) for e in events)
                return ("hide", inner(body), names)
            case t.Atomic(body):
                return ("atomic", inner(body))
            case t.Call(name, arguments):
                return ("call", name, tuple(map(value, arguments)))
            case t.Indexed(operator, ranges, body):
                return self.indexed(operator, ranges, body, env)
        raise TypeError(x)

    def indexed(self, operator: str, ranges: tuple[t.Range, ...], body: t.Process, env: Mapping[str, Any]) -> Term:
        envs: list[dict[str, Any]] = [dict(env)]
        for r in ranges:
            envs = [
                {**each, r.name: v}
                for each in envs
                for low, high in r.bounds
                for v in range(self.expression(low, each), self.expression(high, each) + 1)
            ]
        parts = tuple(self.term(body, each) for each in envs)
        if len(parts) == 1:
            return parts[0]
        if operator == "|||":
            return ("inter", parts)
        if operator == "||":
            return ("par", parts, None)
        if operator == ";":
            result = parts[-1]
            for part in reversed(parts[:-1]):
                result = ("seq", part, result)
            return result
        return ("choice", operator, parts)

    def unfold(self, x: Term) -> Term:
        """A name and its body are one state, where something can happen; nested `|||` are flat."""
        match x:
            case ("call", name, arguments):
                if not all(isinstance(argument, int) for argument in arguments):
                    return x  # unfolded when it acts, with the values of that moment
                definition = self.program.definitions[name]
                return self.unfold(self.term(definition.body, dict(zip(definition.parameters, arguments, strict=True))))
            case ("choice", ("[]" | "[*]") as operator, parts):
                return ("choice", operator, tuple(map(self.unfold, parts)))
            case ("guard", condition, body):
                return ("guard", condition, body if condition == 0 else self.unfold(body))
            case ("if", "ifa", condition, yes, no):
                left = yes if condition == 0 else self.unfold(yes)
                right = no if isinstance(condition, int) and condition else self.unfold(no)
                return ("if", "ifa", condition, left, right)
            case ("par", parts, alphabets):
                if alphabets is None:
                    alphabets = tuple(frozenset(self.alphabet(part, set())) for part in parts)
                return ("par", tuple(map(self.unfold, parts)), alphabets)
            case ("inter", parts):
                flat: list[Term] = []
                for part in map(self.unfold, parts):
                    flat.extend(part[1] if part[0] == "inter" else [part])
                return ("inter", tuple(flat))
            case ("bag", parts):
                return ("bag", tuple(sorted(map(self.unfold, parts), key=repr)))
            case ("seq", first, second):
                return ("seq", self.unfold(first), second)
            case ("interrupt", body, handler):
                return ("interrupt", self.unfold(body), self.unfold(handler))
            case ("hide", body, names):
                match self.unfold(body):
                    case ("hide", inside, more):
                        return ("hide", inside, names | more)
                    case inside:
                        return ("hide", inside, names)
            case ("atomic", body):
                return ("atomic", self.unfold(body))
        return x

    def alphabet(self, x: Term, seen: set[Term]) -> set[str]:
        match x:
            case ("prefix", name, arguments, _, plain, rest):
                own = {shown(name, arguments)} if plain and name != "tau" else set()
                return own | self.alphabet(rest, seen)
            case ("call", name, arguments):
                if x in seen:
                    return set()
                seen.add(x)
                definition = self.program.definitions[name]
                env = dict(zip(definition.parameters, arguments, strict=True))
                given = self.program.alphabets.get(name)
                if given is not None:
                    return {shown(e.name, tuple(self.expression(a, env) for a in e.arguments)) for e in given.events}
                return self.alphabet(self.term(definition.body, env), seen)
            case ("hide", body, names):
                hidden: frozenset[str] = names
                return self.alphabet(body, seen) - hidden
            case ("case", branches, default):
                union: set[str] = self.alphabet(default, seen)
                for _, body in branches:
                    union |= self.alphabet(body, seen)
                return union
            case (str(), *parts):
                found: set[str] = set()
                for part in parts:
                    if isinstance(part, tuple):
                        inside = part if not part or isinstance(part[0], tuple) else (part,)
                        for each in inside:
                            if isinstance(each, tuple) and each and isinstance(each[0], str):
                                found |= self.alphabet(each, seen)
                return found
        return set()

    # --- values --------------------------------------------------------------------------------------

    def evaluate(self, x: Any, state: State, local: Mapping[str, int] | None = None) -> int:
        if isinstance(x, int):
            return x
        match x:
            case ("name", name):
                if local and name in local:
                    return local[name]
                return state.values[self.variables.index(name)][0]
            case ("element", name, indices):
                return state.values[self.variables.index(name)][self.offset(name, indices, state, local)]
            case ("unary", operator, operand):
                value = self.evaluate(operand, state, local)
                return -value if operator == "-" else int(not value)
            case ("binary", "&&", left, right):
                return int(bool(self.evaluate(left, state, local)) and bool(self.evaluate(right, state, local)))
            case ("binary", "||", left, right):
                return int(bool(self.evaluate(left, state, local)) or bool(self.evaluate(right, state, local)))
            case ("binary", operator, left, right):
                return compute(operator, self.evaluate(left, state, local), self.evaluate(right, state, local))
            case ("query", question, channel, index):
                number = self.first[channel] + self.evaluate(index, state, local)
                held = len(state.channels[number])
                return {"cfull": int(held == self.capacity[number]), "cempty": int(held == 0), "ccount": held}[question]
        raise TypeError(x)

    def offset(self, name: str, indices: tuple[Any, ...], state: State, local: Mapping[str, int] | None) -> int:
        position = 0
        for index, length in zip(indices, self.shape[name], strict=True):
            value = self.evaluate(index, state, local)
            assert 0 <= value < length
            position = position * length + value
        return position

    def perform(self, operation: Term, state: State, local: dict[str, int]) -> State:
        for statement in operation:
            match statement:
                case ("assign", name, indices, value):
                    result = self.evaluate(value, state, local)
                    if name not in self.variables:
                        local[name] = result
                        continue
                    row = list(state.values)
                    cells = list(row[self.variables.index(name)])
                    cells[self.offset(name, indices, state, local)] = result
                    row[self.variables.index(name)] = tuple(cells)
                    state = state._replace(values=tuple(row))
                case ("branch", condition, yes, no):
                    state = self.perform(yes if self.evaluate(condition, state, local) else no, state, local)
                case ("while", condition, body):
                    while self.evaluate(condition, state, local):
                        state = self.perform(body, state, local)
        return state

    # --- moves ---------------------------------------------------------------------------------------

    def moves(self, x: Term, state: State) -> Iterator[Move]:
        def value(e: Any) -> int:
            return self.evaluate(e, state)

        match x:
            case ("skip",):
                yield Move("tick", (), ENDED)
            case ("call", name, arguments):
                yield from self.moves(self.unfold(("call", name, tuple(map(value, arguments)))), state)
            case ("prefix", name, arguments, operation, plain, rest):
                silent = name == "tau"
                label = "tau" if silent else shown(name, tuple(map(value, arguments)))
                yield Move(label, operation, rest, not silent, plain and not silent)
            case ("out", channel, index, values, operation, rest):
                number, sent = self.first[channel] + value(index), tuple(map(value, values))
                if self.capacity[number] == 0:
                    yield Move("", operation, rest, offer=(number, sent))
                elif len(state.channels[number]) < self.capacity[number]:
                    yield Move(shown(channel + "!", sent), operation, rest, push=(number, sent))
            case ("in", channel, index, *_):
                number = self.first[channel] + value(index)
                if self.capacity[number] == 0:
                    yield Move("", (), x, answer=(number, lambda message: self.received(x, message, state)))
                elif state.channels[number]:
                    found = self.received(x, state.channels[number][0], state)
                    if found is not None:
                        yield Move(shown(channel + "?", state.channels[number][0]), *found, pop=number)
            case ("choice", "<>", parts):
                for part in parts:
                    yield Move("tau", (), part, False)
            case ("choice", operator, parts):
                for k, part in enumerate(parts):
                    for move in self.moves(part, state):
                        stays = operator == "[*]" and not move.visible
                        yield move._replace(term=("choice", operator, put(parts, k, move.term))) if stays else move
            case ("guard", condition, body):
                if value(condition):
                    yield from self.moves(body, state)
            case ("if", "ifa", condition, yes, no):
                yield from self.moves(yes if value(condition) else no, state)
            case ("if", word, condition, yes, no):
                if value(condition):
                    yield Move("tau", (), yes, False)
                elif word == "if":
                    yield Move("tau", (), no, False)
            case ("case", branches, default):
                yield Move("tau", (), next((p for c, p in branches if value(c)), default), False)
            case (("inter" | "bag") as word, parts):
                rows = [list(self.moves(part, state)) for part in parts]
                yield from self.side_by_side(parts, rows, lambda parts: (word, parts))
            case ("par", parts, alphabets):
                yield from self.parallel(parts, alphabets, state)
            case ("seq", first, second):
                if first == ("skip",):
                    yield from self.moves(self.unfold(second), state)
                    return
                for move in self.moves(first, state):
                    if move.label == "tick":
                        yield Move("tau", (), second, False, urgent=move.urgent)
                    else:
                        yield wrapped(move, lambda term: ("seq", term, second))
            case ("interrupt", body, handler):
                for move in self.moves(body, state):
                    yield move if move.label == "tick" else wrapped(move, lambda term: ("interrupt", term, handler))
                for move in self.moves(handler, state):
                    yield move if move.visible else move._replace(term=("interrupt", body, move.term))
            case ("hide", body, names):
                for move in self.moves(body, state):
                    if move.label in names:
                        move = move._replace(label="tau", visible=False, plain=False)
                    yield move if move.label == "tick" else wrapped(move, lambda term: ("hide", term, names))
            case ("atomic", body):
                for move in self.moves(body, state):
                    move = move._replace(urgent=True)
                    yield move if move.label == "tick" else wrapped(move, lambda term: ("atomic", term))

    def received(self, x: Term, message: tuple[int, ...], state: State) -> tuple[Term, Term] | None:
        """The operation and the rest of an input of this message, if it is what is waited for."""
        _, _, _, patterns, guard, operation, rest = x
        env: dict[str, int] = {}
        for pattern, value in zip(patterns, message, strict=True):
            if isinstance(pattern, tuple) and pattern[0] == "name" and pattern[1] not in self.variables:
                env[pattern[1]] = value
            elif self.evaluate(pattern, state) != value:
                return None
        if not self.evaluate(substituted(guard, env), state):
            return None
        return substituted(operation, env), substituted(rest, env)

    def side_by_side(
        self,
        parts: tuple[Term, ...],
        rows: list[list[Move]],
        join: Callable[[tuple[Term, ...]], Term],
    ) -> Iterator[Move]:
        """Moves of single parts, handshakes of two, the end of all."""
        for k, row in enumerate(rows):
            for move in row:
                if move.label != "tick":
                    yield wrapped(move, lambda term, k=k: join(put(parts, k, term)))  # type: ignore[misc]
        for (j, row), (k, other) in product(enumerate(rows), repeat=2):
            if j == k:
                continue
            for out, come in product(row, other):
                if out.offer and come.answer and out.offer[0] == come.answer[0]:
                    found = come.answer[1](out.offer[1])
                    if found is not None:
                        name = next(n for n, first in reversed(self.first.items()) if first <= out.offer[0])
                        targets = put(put(parts, j, out.term), k, found[1])
                        yield Move(shown(name, out.offer[1]), found[0], join(targets), urgent=out.urgent or come.urgent)
        if all(any(move.label == "tick" for move in row) for row in rows):
            yield Move("tick", (), ENDED)

    def parallel(self, parts: tuple[Term, ...], alphabets: tuple[frozenset[str], ...], state: State) -> Iterator[Move]:
        """An event in the alphabets of two parts or more needs all of these."""

        def join(parts: tuple[Term, ...]) -> Term:
            return ("par", parts, alphabets)

        def shared(k: int, move: Move) -> bool:
            return move.plain and move.label in alphabets[k] and sum(move.label in a for a in alphabets) > 1

        rows = [list(self.moves(part, state)) for part in parts]
        yield from self.side_by_side(parts, [[m for m in row if not shared(k, m)] for k, row in enumerate(rows)], join)
        for event in {move.label for k, row in enumerate(rows) for move in row if shared(k, move)}:
            who = [k for k, alphabet in enumerate(alphabets) if event in alphabet]
            for moves in product(*([m for m in rows[k] if m.plain and m.label == event] for k in who)):
                targets = parts
                for k, move in zip(who, moves, strict=True):
                    targets = put(targets, k, move.term)
                yield Move(event, (), join(targets))

    # --- states --------------------------------------------------------------------------------------

    def initial(self, process: str) -> State:
        term = self.unfold(("call", process, ()))
        return State(tuple(self.initial_values), ((),) * len(self.capacity), term)

    def successors(self, state: State) -> Iterator[tuple[str, State]]:
        moves = [m for m in self.moves(state.term, state) if m.offer is None and m.answer is None]
        if any(move.urgent for move in moves):
            moves = [move for move in moves if move.urgent]
        for move in moves:
            channels = list(state.channels)
            if move.push is not None:
                channels[move.push[0]] += (move.push[1],)
            if move.pop is not None:
                channels[move.pop] = channels[move.pop][1:]
            after = self.perform(move.operation, state._replace(channels=tuple(channels)), {})
            yield move.label, after._replace(term=self.unfold(move.term))

    def explore(self, process: str, most: int = 5000) -> Space | None:
        """Everything that can be reached, or None if that is more than `most` states."""
        first = self.initial(process)
        states, deadlocks, transitions = {first}, set(), set()
        stack = [first]
        while stack:
            state = stack.pop()
            found = list(self.successors(state))
            if not found and state.term != ENDED:
                deadlocks.add(state)
            for label, target in found:
                transitions.add((state, label, target))
                if target not in states:
                    states.add(target)
                    stack.append(target)
            if len(states) > most:
                return None
        return Space(states, deadlocks, transitions)


def upwards(low: int, high: int) -> list[int]:
    """`low..high`, or downwards."""
    return list(range(low, high + 1)) or list(range(high, low + 1))[::-1]


def compute(operator: str, a: int, b: int) -> int:
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        case "%":
            return a % abs(b)
        case "&&":
            return int(bool(a) and bool(b))
        case "||":
            return int(bool(a) or bool(b))
    comparisons: dict[str, bool] = {
        "==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b,
    }  # fmt: skip
    return int(comparisons[operator])


def folded(x: Term) -> Any:
    match x:
        case ("unary", operator, int(value)):
            return -value if operator == "-" else int(not value)
        case ("binary", operator, int(a), int(b)):
            return compute(operator, a, b)
    return x


def substituted(x: Any, env: Mapping[str, int]) -> Any:
    """Nested tuples with numbers in the places of names; no name is ever bound twice in one process."""
    if not env or not isinstance(x, tuple):
        return x
    if len(x) == 2 and x[0] == "name":
        return env.get(x[1], x)
    return folded(tuple(substituted(part, env) for part in x))


def shown(name: str, arguments: tuple[Any, ...]) -> str:
    return ".".join([name, *map(str, arguments)])


def put(parts: tuple[Term, ...], k: int, part: Term) -> tuple[Term, ...]:
    return (*parts[:k], part, *parts[k + 1 :])


def wrapped(move: Move, context: Callable[[Term], Term]) -> Move:
    """A move inside of a context; a half of a handshake finds it when it is answered."""
    if move.answer is None:
        return move._replace(term=context(move.term))
    number, accept = move.answer

    def inside(message: tuple[int, ...]) -> tuple[Term, Term] | None:
        found = accept(message)
        return None if found is None else (found[0], context(found[1]))

    return move._replace(answer=(number, inside))
