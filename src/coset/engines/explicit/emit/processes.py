"""Kinds of processes as C: for each location the edges that can be taken, and what they do to a copy of the state.

For kind number 2 there are, among others,

    moves_2(ctx, s, pid)       all moves of a process of the kind; how many there were
    answers_2(ctx, s, pid)     its moves that take the message of a handshake under way
    finish_2(ctx, t, q, pid)   continues through transient locations
    start_2(ctx, t, v)         creates a process

The C contains no text of the model, not even in comments, so that a model cannot inject code.  Comments name kinds, locations
and edges by their numbers: `p3_e17` is edge 17 of the program, which belongs to kind 3.  `GeneratedProgram.edges` maps the
numbers back to the model, and source_map.py writes the map to a file.
"""

from __future__ import annotations

from collections.abc import Iterator

from coset.engines.explicit.emit.expression import (
    READ,
    WRITE,
    Expressions,
    View,
    can_fault,
    fitted,
    may_miss,
    read,
    write,
)
from coset.engines.explicit.layout import Layout, MessageType
from coset.model import expression as e
from coset.model import model as m


def edge_name(kind: int, identity: int) -> str:
    """The name of an edge in comments."""
    return f"p{kind}_e{identity}"


class Processes:
    """Emits the processes of one model under one layout."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.model = layout.interpreter.model
        self.x = Expressions(layout)
        self.edge_ids: list[tuple[int, int, int]] = []
        self.handshakes = any(t.capacity == 0 for t in layout.types)

    def functions(self) -> Iterator[str]:
        for k, kind in enumerate(self.model.kinds):
            yield self.start(k, kind)
        for k, kind in enumerate(self.model.kinds):
            if any(location.transient for location in kind.locations):
                yield self.finish(k, kind)
        if self.handshakes:
            for k, kind in enumerate(self.model.kinds):
                yield self.answers(k, kind)
            yield self.answers_of()
        yield '#include "handshake.h"'
        for k, kind in enumerate(self.model.kinds):
            yield self.moves(k, kind)

    # --- creation --------------------------------------------------------------------------------

    def start(self, k: int, kind: m.Kind) -> str:
        """Create a process: arguments, then initial values in order; returns its number, or -1 if there is no room."""
        layout = self.layout.kinds[k]
        lines = []
        created = 0
        for number, variable in enumerate(kind.variables):
            array = layout.variables[variable]
            if number < kind.parameters:
                lines.append(write(array.first, "q", fitted(variable.domain, f"v[{number}]")))
            elif isinstance(variable.initial, m.NewChannel):
                for i in range(variable.size):
                    lines.append(write(array.element(i), "q", f"first_channel(t, pid) + {created}"))
                    created += 1
            else:
                for i in range(variable.size if variable.initial else 0):
                    initial = variable.initial[i if len(variable.initial) > 1 else 0]
                    value = fitted(variable.domain, self.x.value(initial, WRITE))
                    lines.append(write(array.element(i), "q", value))
        priority = write(layout.priority, "q", "priority") if layout.priority is not None else ""
        return f"""/* kind {k} */
static int start_{k}(struct context *ctx, u8 *t, const int *v, int priority) {{
  int pid = new_process(ctx, t, {k});
  (void)v; (void)priority;
  if (pid < 0) return 0;
  u8 *q = t + bases[pid];
  {write(layout.at, "q", str(kind.start))}
  {priority}
  {(chr(10) + "  ").join(lines)}
  return pid;
}}"""

    # --- moves -----------------------------------------------------------------------------------

    def moves(self, k: int, kind: m.Kind) -> str:
        cases = []
        for at, location in enumerate(kind.locations):
            if location.transient or not location.edges:
                continue
            lines = [f"case {at}: {{"]
            groups = sorted({edge.group for edge in location.edges if edge.group})
            lines += [f"  int group_{g} = 0;" for g in groups]
            for number, edge in enumerate(location.edges):
                if number and edge.tier != location.edges[number - 1].tier:
                    lines.append("  if (count) break; /* an escape was possible */")
                lines += ["  " + line for line in self.edge(k, at, number, edge)]
            lines += ["  break;", "}"]
            cases.append("\n    ".join(lines))
        return self.by_location(f"moves_{k}", k, kind, cases)

    def by_location(self, name: str, k: int, kind: m.Kind, cases: list[str]) -> str:
        """A function that dispatches on the location of a process and returns the number of moves."""
        provided = f"if (!({self.x.value(kind.provided, READ)})) return 0;" if kind.provided != e.TRUE else ""
        body = "\n    ".join(cases)
        return f"""static int {name}(struct context *ctx, const u8 *s, int pid) {{
  const u8 *p = s + bases[pid];
  int count = 0, moved = 0;
  (void)p; (void)moved; (void)ctx;
  {provided}
  switch ({read(self.layout.kinds[k].at, "p")}) {{
    {body}
    default: break;
  }}
  return count;
}}"""

    def edge_id(self, k: int, at: int, number: int) -> int:
        self.edge_ids.append((k, at, number))
        return len(self.edge_ids) - 1

    def edge(self, k: int, at: int, number: int, edge: m.Edge) -> Iterator[str]:
        """The code of one edge in `moves`."""
        identity = self.edge_id(k, at, number)
        first = edge.effects[0] if edge.effects else None
        yield f"/* {edge_name(k, identity)}: location {at}, edge {number} */"
        conditions = []
        if edge.group:
            conditions.append(f"!group_{edge.group}")
        if edge.guard != e.TRUE and not (edge.group and isinstance(edge.guard, e.Otherwise)):
            conditions.append(self.x.value(edge.guard, READ))
        test = " && ".join(conditions) or "1"
        faulty = can_fault(edge.guard)
        if faulty:
            yield f"{{ int can = {test};"
            yield f"if (ctx->fault) {{ failed(ctx, {identity}); {took(edge)} }} else if (can) {{"
        else:
            yield f"if ({test}) {{"
        match first:
            case m.Send():
                yield from self.send(k, edge, first, identity)
            case m.Receive():
                yield from self.receive(k, edge, first, identity)
            case _:
                yield from self.act(k, edge, identity, edge.effects, ["u8 t[STATE_SIZE];", "memcpy(t, s, STATE_SIZE);"])
        yield "} }" if faulty else "}"

    def act(self, k: int, edge: m.Edge, identity: int, effects: tuple[m.Effect, ...], head: list[str]) -> Iterator[str]:
        """Change a copy of the state and hand it on; `head` is the code before that, for a handshake in progress."""
        yield from head
        yield "u8 *q = t + bases[pid]; (void)q;"
        faulty = any(self.effect_can_fault(effect) for effect in effects) or self.transient(k, edge.target)
        for effect in effects:
            yield from self.effect(k, effect, identity)
        yield from self.arrive(k, edge)
        done, problem = f"arrive(ctx, t, pid, {int(edge.hold)});", f"failed(ctx, {identity});"
        if self.model.stuttering:
            done = f"{{ ctx->changes |= memcmp(s, t, STATE_SIZE) != 0; {done} }}"
            problem = f"{{ ctx->changes = 1; {problem} }}"
        if faulty:
            taken_back = "ctx->changes = 1; " if self.model.stuttering else ""
            yield f"if (ctx->fault == FAULT_ASSUME) {{ {taken_back}ctx->fault = FAULT_NONE; }}"
            yield f"else {{ if (ctx->fault) {problem} else {done}"
            yield took(edge)
            yield "}"
        else:
            yield done
            yield took(edge)

    def transient(self, k: int, target: int) -> bool:
        return target != m.GONE and self.model.kinds[k].locations[target].transient

    def arrive(self, k: int, edge: m.Edge) -> Iterator[str]:
        if edge.target != m.GONE:
            yield write(self.layout.kinds[k].at, "q", str(edge.target))
            if self.transient(k, edge.target):
                yield f"finish_{k}(ctx, t, q, pid);"

    # --- effects ---------------------------------------------------------------------------------

    def effect_can_fault(self, effect: m.Effect) -> bool:
        from coset.model.analysis.occurrences import parts, places

        if isinstance(effect, m.Send | m.Receive | m.Run | m.SetPriority):
            return True
        return any(can_fault(x) for x in parts(effect)) or any(
            place.variable is not None and may_miss(place.variable, place.indices) for place in places(effect)
        )

    def effect(self, k: int, effect: m.Effect, identity: int) -> Iterator[str]:
        match effect:
            case m.Assign(place, value):
                yield self.assign(place, self.x.value(value, WRITE))
            case m.Run(kind, arguments, priority):
                number = self.x.kind_number[kind]
                values = ", ".join(self.x.value(argument, WRITE) for argument in arguments) or "0"
                yield f"{{ const int v[] = {{{values}}}; ctx->started = start_{number}(ctx, t, v, {priority}); }}"
            case m.Exit():
                yield f"memset(q, 0, {self.layout.kinds[k].size}); leave(t, pid);"
            case m.Assert(condition):
                yield f"if (!({self.x.value(condition, WRITE)}) && !ctx->fault) report(ctx, ERROR_ASSERTION, {identity});"
            case m.Print():
                pass
            case m.SetPriority(process, value):
                yield f"set_priority(ctx, t, {self.x.value(process, WRITE)}, {self.x.value(value, WRITE)});"
            case _:
                raise TypeError(f"cannot emit {type(effect).__name__} here")

    def assign(self, place: e.Place, value: str) -> str:
        if place.variable is None:
            return f"(void)({value});"
        field, pointer = self.x.element(place.variable, place.indices, WRITE)
        return write(field, pointer, fitted(place.variable.domain, value))

    # --- messages --------------------------------------------------------------------------------

    def message_array(self, send: m.Send, view: View) -> str:
        return f"int v[] = {{{', '.join(self.x.value(value, view) for value in send.values)}}};"

    def candidates(self, channel: e.Expr, count: int, view: View) -> list[MessageType]:
        known = self.x.known_channel(channel, view)
        types = [known.type] if known is not None else self.layout.types
        return [t for t in types if len(t.domains) == count]

    def channel_head(self, channel: e.Expr) -> Iterator[str]:
        """Declare `number` and `c`, the number and address of a channel whose type is known only at run time."""
        known = self.x.known_channel(channel, READ)
        yield f"int number = {self.x.value(channel, READ)}; (void)number;"
        if known is not None:
            yield f"struct channel c_ = {{{known.type.number}, {known.offset}, {known.type.capacity}}};"
            yield "const struct channel *c = &c_;"
        else:
            yield "struct channel room; const struct channel *c = channel_of(ctx, s, number, &room);"

    def send(self, k: int, edge: m.Edge, send: m.Send, identity: int) -> Iterator[str]:
        yield from self.channel_head(send.channel)
        yield f"if (ctx->fault) {{ failed(ctx, {identity}); {took(edge)} }}"
        for type_ in self.candidates(send.channel, len(send.values), READ):
            has_room = f" && s[c->offset] < {type_.capacity}" if type_.capacity else ""
            yield f"else if (c->type == {type_.number}) {{ if (1{has_room}) {{"
            yield self.message_array(send, READ)
            yield f"if (ctx->fault) {{ failed(ctx, {identity}); {took(edge)} }} else {{"
            if type_.capacity == 0:
                yield f"fit_{type_.number}(v);"
                yield from self.send_synchronously(k, edge, identity)
            else:
                yield place_in(type_, send, "s")
                put = f"put_{type_.number}(t + c->offset, v, place); {self.watched(identity)}"
                head = ["u8 t[STATE_SIZE];", "memcpy(t, s, STATE_SIZE);", put]
                yield from self.act(k, edge, identity, edge.effects[1:], head)
            yield "} } }"
        yield "else if (!c->capacity || s[c->offset] < c->capacity) {"
        yield f"ctx->fault = FAULT_MESSAGE; failed(ctx, {identity}); {took(edge)} }}"

    def send_synchronously(self, k: int, edge: m.Edge, identity: int) -> Iterator[str]:
        """The sender moves, then each process that can receive the message.  Errors of the sender and of a monitor are
        reported only if there is a receiver: without one there is no step."""
        yield "u8 t[STATE_SIZE]; memcpy(t, s, STATE_SIZE); u8 *q = t + bases[pid]; (void)q;"
        violated: list[str] = []
        for effect in edge.effects[1:]:
            if isinstance(effect, m.Assert):
                violated.append(f"violated_{len(violated)}")
                yield f"const int {violated[-1]} = !({self.x.value(effect.condition, WRITE)});"
            else:
                yield from self.effect(k, effect, identity)
        yield write(self.layout.kinds[k].at, "q", str(edge.target))
        if self.transient(k, edge.target):
            yield f"ctx->fault = FAULT_BLOCKED; failed(ctx, {identity}); {took(edge)}"
        else:
            yield "int answers = offer(ctx, t, pid, number, v);"
            yield f"if (ctx->fault) {{ {self.watched(identity)} failed(ctx, {identity}); answers++; }}"
            yield "count += answers; moved |= answers > 0;"
            for each in violated:
                yield f"for (int k = 0; {each} && k < answers; k++) report(ctx, ERROR_ASSERTION, {identity});"
            if edge.group:
                yield f"if (answers) group_{edge.group} = 1;"

    def receive(self, k: int, edge: m.Edge, receive: m.Receive, identity: int) -> Iterator[str]:
        types = self.candidates(receive.channel, len(receive.patterns), READ)
        if all(t.capacity == 0 for t in types) and self.x.known_channel(receive.channel, READ) and not receive.peek:
            yield "/* only in answer to a send */"
            return
        yield from self.channel_head(receive.channel)
        yield f"if (ctx->fault) {{ failed(ctx, {identity}); {took(edge)} }}"
        for type_ in types:
            yield f"else if (c->type == {type_.number}) {{"
            if type_.capacity:
                yield from self.wanted_array(receive, READ)
                yield f"int k = find_{type_.number}(s + c->offset, v, mask, {int(receive.random)});"
                if self.wanted_can_fault(receive):
                    yield f"if (ctx->fault) {{ if (k >= 0) {{ failed(ctx, {identity}); {took(edge)} }} ctx->fault = 0; k = -1; }}"
                yield "if (k >= 0) {"
                yield f"const u8 *m = s + c->offset + 1 + k * {type_.stride}; (void)m;"
                head = ["u8 t[STATE_SIZE];", "memcpy(t, s, STATE_SIZE);"]
                if not receive.peek:
                    head.append(self.watched_receive(type_, identity))
                    head.append(f"take_{type_.number}(t + c->offset, k);")
                values = [read(field, "m") for field in type_.fields]
                binds = self.binds(receive, values)
                yield from self.act_after(k, edge, identity, head, binds)
                yield "}"
            elif receive.peek:
                yield f"ctx->fault = FAULT_POLL; failed(ctx, {identity}); {took(edge)}"
            yield "}"
        if any(len(t.domains) != len(receive.patterns) for t in self.layout.types):
            yield "else if (c->capacity && s[c->offset]) {"
            yield f"ctx->fault = FAULT_MESSAGE; failed(ctx, {identity}); {took(edge)} }}"

    def act_after(self, k: int, edge: m.Edge, identity: int, head: list[str], binds: list[str]) -> Iterator[str]:
        yield from head
        yield "u8 *q = t + bases[pid]; (void)q;"
        yield from binds
        for effect in edge.effects[1:]:
            yield from self.effect(k, effect, identity)
        yield from self.arrive(k, edge)
        yield f"if (ctx->fault) failed(ctx, {identity}); else arrive(ctx, t, pid, {int(edge.hold)});"
        yield took(edge)

    def wanted(self, receive: m.Receive, view: View) -> tuple[list[str], int]:
        values = [self.x.value(p.value, view) if p.value is not None else "0" for p in receive.patterns]
        return values, sum(1 << k for k, p in enumerate(receive.patterns) if p.value is not None)

    def wanted_array(self, receive: m.Receive, view: View) -> Iterator[str]:
        """Declare `v` and `mask`: the values that a message must have, and in which fields.  Fields are compared from left to
        right, so that an expression without a value is a fault only for messages that match all fields before it."""
        wanted, mask = self.wanted(receive, view)
        if self.wanted_can_fault(receive):
            yield f"int v[{len(wanted)}] = {{0}}; unsigned mask = {mask}u;"
            for k, value in enumerate(wanted):
                yield f"v[{k}] = {value}; if (ctx->fault) mask &= {(1 << k) - 1}u;"
        else:
            yield f"const int v[] = {{{', '.join(wanted)}}}; const unsigned mask = {mask}u;"

    def wanted_can_fault(self, receive: m.Receive) -> bool:
        return any(p.value is not None and can_fault(p.value) for p in receive.patterns)

    def watched(self, identity: int) -> str:
        """Notify the monitor, if there is one, that an edge sends the message in `v`."""
        return f"event(ctx, t, 1, number, v, {identity});" if self.model.monitor is not None else ""

    def watched_receive(self, type_: MessageType, identity: int) -> str:
        """Notify the monitor of a receive.  As in SPIN, it sees the first message even if another one is received."""
        if self.model.monitor is None:
            return ""
        values = ", ".join(read(field, "h") for field in type_.fields)
        return f"{{ const u8 *h = t + c->offset + 1; const int w[] = {{{values}}}; event(ctx, t, 0, number, w, {identity}); }}"

    def binds(self, receive: m.Receive, values: list[str]) -> list[str]:
        pairs = zip(receive.patterns, values, strict=True)
        bound = [(p.place, value) for p, value in pairs if p.place is not None and p.place.variable is not None]
        return [self.assign(place, value) for place, value in bound]

    # --- handshakes ------------------------------------------------------------------------------

    def answers(self, k: int, kind: m.Kind) -> str:
        """The moves of a process that receive the offered message."""
        cases = []
        for at, location in enumerate(kind.locations):
            receives = [(i, edge) for i, edge in enumerate(location.edges) if self.may_answer(edge)]
            if location.transient or not receives:
                continue
            lines = [f"case {at}: {{"]
            lines += [f"  int group_{g} = 0;" for g in sorted({edge.group for _, edge in receives if edge.group})]
            tier = receives[0][1].tier
            for number, edge in receives:
                if edge.tier != tier:
                    lines.append("  if (count) break;")
                    tier = edge.tier
                lines += ["  " + line for line in self.answer(k, at, number, edge)]
            cases.append("\n    ".join([*lines, "  break;", "}"]))
        return self.by_location(f"answers_{k}", k, kind, cases)

    def may_answer(self, edge: m.Edge) -> bool:
        first = edge.effects[0] if edge.effects else None
        if not isinstance(first, m.Receive) or first.peek:
            return False
        return any(t.capacity == 0 for t in self.candidates(first.channel, len(first.patterns), READ))

    def answer(self, k: int, at: int, number: int, edge: m.Edge) -> Iterator[str]:
        identity = self.edge_id(k, at, number)
        receive = edge.effects[0]
        assert isinstance(receive, m.Receive)
        wanted, _ = self.wanted(receive, READ)
        tests = [f"ctx->offered == {self.x.value(receive.channel, READ)}"]
        if edge.guard != e.TRUE:
            tests.append(self.x.value(edge.guard, READ))
        asked = [i for i, pattern in enumerate(receive.patterns) if pattern.value is not None]
        tests += [f"ctx->message[{i}] == {wanted[i]}" for i in asked]
        if edge.group:
            tests.insert(0, f"!group_{edge.group}")
        yield f"/* {edge_name(k, identity)}: location {at}, edge {number} */"
        yield f"int can_{number} = {' && '.join(tests)};"
        yield "if (ctx->fault) return count;"
        yield f"if (can_{number}) {{"
        head = ["u8 t[STATE_SIZE];", "memcpy(t, s, STATE_SIZE);", "int offered = ctx->offered; ctx->offered = 0;"]
        if self.model.monitor is not None:
            head += [f"event(ctx, t, {sends}, offered, ctx->message, {identity});" for sends in (1, 0)]
        values = [f"ctx->message[{i}]" for i in range(len(receive.patterns))]
        lines = list(self.act_after(k, edge, identity, head, self.binds(receive, values)))
        yield from lines
        yield "ctx->offered = offered;"
        yield "}"

    def answers_of(self) -> str:
        cases = "\n    ".join(f"case {k}: return answers_{k}(ctx, s, pid);" for k in range(len(self.model.kinds)))
        return f"""static int answers_of(struct context *ctx, const u8 *s, int pid) {{
  switch (kind_of(s, pid)) {{
    {cases}
    default: return 0;
  }}
}}"""

    # --- deterministic steps ---------------------------------------------------------------------

    def finish(self, k: int, kind: m.Kind) -> str:
        """Continue through transient locations, leaving each by the first edge that can be taken."""
        cases = []
        for at, location in enumerate(kind.locations):
            if location.transient:
                lines = [f"case {at}:"]
                for number, edge in enumerate(location.edges):
                    lines += ["  " + line for line in self.inner_edge(k, at, number, edge)]
                lines += ["  fault_value(ctx, FAULT_BLOCKED);", "  return;"]
                cases.append("\n      ".join(lines))
        body = "\n      ".join(cases)
        return f"""static void finish_{k}(struct context *ctx, u8 *t, u8 *q, int pid) {{
  const int moved = 0;
  int can = 0;
  (void)pid; (void)moved; (void)can;
  for (int steps = 0; !ctx->fault; steps++) {{
    if (steps > SHORT_LOOP) look_for_loop(ctx, t, steps);
    if (ctx->fault) return;
    ctx->work++;
    switch ({read(self.layout.kinds[k].at, "q")}) {{
      {body}
      default: return;
    }}
  }}
}}"""

    def inner_edge(self, k: int, at: int, number: int, edge: m.Edge) -> Iterator[str]:
        identity = self.edge_id(k, at, number)
        guard = "1" if edge.guard == e.TRUE or isinstance(edge.guard, e.Otherwise) else self.x.value(edge.guard, WRITE)
        first = edge.effects[0] if edge.effects else None
        go = write(self.layout.kinds[k].at, "q", str(edge.target))
        yield f"/* {edge_name(k, identity)}: location {at}, edge {number} */"
        if can_fault(edge.guard):
            yield f"can = {guard};"
            yield "if (ctx->fault) return;"
            guard = "can"
        yield f"if ({guard}) {{"
        if isinstance(first, m.Send | m.Receive):
            count = len(first.values if isinstance(first, m.Send) else first.patterns)
            yield f"int number = {self.x.value(first.channel, WRITE)};"
            yield "struct channel room; const struct channel *c = channel_of(ctx, t, number, &room);"
            yield "if (!c || ctx->fault) return;"
            for type_ in self.candidates(first.channel, count, WRITE):
                if type_.capacity:
                    yield f"if (c->type == {type_.number}) {{"
                    yield from self.inner_message(k, edge, first, type_, identity, go)
                    yield "}"
            yield "if (c->capacity == 0) { fault_value(ctx, FAULT_BLOCKED); return; }"
        else:
            for effect in edge.effects:
                yield from self.effect(k, effect, identity)
            yield go
            yield "continue;"
        yield "}"

    def inner_message(
        self, k: int, edge: m.Edge, first: m.Send | m.Receive, type_: MessageType, identity: int, go: str
    ) -> Iterator[str]:
        if isinstance(first, m.Send):
            yield f"if (t[c->offset] < {type_.capacity}) {{"
            yield self.message_array(first, WRITE)
            yield "if (ctx->fault) return;"
            yield place_in(type_, first, "t")
            yield f"put_{type_.number}(t + c->offset, v, place); {self.watched(identity)}"
        else:
            yield from self.wanted_array(first, WRITE)
            yield f"int k = find_{type_.number}(t + c->offset, v, mask, {int(first.random)});"
            if self.wanted_can_fault(first):
                yield "if (ctx->fault) { if (k >= 0) return; ctx->fault = 0; }"
            yield "if (k >= 0) {"
            yield f"u8 m[{type_.stride}]; memcpy(m, t + c->offset + 1 + k * {type_.stride}, {type_.stride});"
            if not first.peek:
                yield self.watched_receive(type_, identity)
                yield f"take_{type_.number}(t + c->offset, k);"
            yield from self.binds(first, [read(field, "m") for field in type_.fields])
        for effect in edge.effects[1:]:
            yield from self.effect(k, effect, identity)
        yield go
        yield "continue;"
        yield "}"


def place_in(type_: MessageType, send: m.Send, state: str) -> str:
    """The position of a sent message.  As in SPIN, sorted messages are ordered by their values before truncation."""
    channel = f"{state} + c->offset"
    place = f"sorted_place_{type_.number}({channel}, v)" if send.sorted else f"({channel})[0]"
    return f"int place = {place}; fit_{type_.number}(v);"


def took(edge: m.Edge) -> str:
    """Record a move by an edge, even a failed one: `else` and later alternatives depend on it."""
    return f"count++; moved = 1;{f' group_{edge.group} = 1;' if edge.group else ''}"
