"""The concurrent model as text, for people, golden tests and comparisons.

byte x[3];
process P (pid i) {
    byte y;
  0 [start]
    -> 1  when (x[i] > 0)  do y = x[i]    // line 4
}
"""

from __future__ import annotations

from coset.model import expression as e
from coset.model import model as m

PRECEDENCE = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10, "max": 8, "min": 8,
}  # fmt: skip


def show_expression(x: e.Expr, above: int = 0) -> str:
    """The expression with as few parentheses as needed."""
    match x:
        case e.Const(value, domain):
            return domain.show(value) if domain is not None else str(value)
        case e.Get(variable, indices):
            return variable.subscripted([show_expression(i) for i in indices])
        case e.Unary(operator, operand):
            return operator + show_expression(operand, 11)
        case e.Binary(operator, left, right):
            level = PRECEDENCE[operator]
            text = f"{show_expression(left, level)} {operator} {show_expression(right, level + 1)}"
            return f"({text})" if level < above else text
        case e.Conditional(condition, yes, no):
            return f"({show_expression(condition, 1)} -> {show_expression(yes, 1)} : {show_expression(no, 1)})"
        case e.Checked(operand, low, high, fault):
            return f"{fault}({show_expression(operand)} in {low}..{high})"
        case e.Self():
            return "_pid"
        case e.ProcessCount():
            return "_nr_pr"
        case e.Started():
            return "started"
        case e.LastMover():
            return "_last"
        case e.Youngest():
            return "youngest"
        case e.Timeout():
            return "timeout"
        case e.Otherwise():
            return "else"
        case e.NonProgress():
            return "np_"
        case e.Accepting():
            return "accepting"
        case e.Length(channel):
            return f"len({show_expression(channel)})"
        case e.Full(channel):
            return f"full({show_expression(channel)})"
        case e.Poll(channel, patterns, random):
            return f"{show_expression(channel, 12)}{'??' if random else '?'}[{show_patterns(patterns)}]"
        case e.AtLocation(kind, process, label, _):
            return f"{show_process(kind, process)}@{label}"
        case e.Remote(kind, process, variable, indices):
            return f"{show_process(kind, process)}:{variable.subscripted([show_expression(i) for i in indices])}"
        case e.Enabled(process):
            return f"enabled({show_expression(process)})"
        case e.Position(process):
            return f"pc_value({show_expression(process)})"
        case e.PriorityOf(process):
            return f"get_priority({show_expression(process)})"
        case _:
            raise TypeError(f"unknown expression {type(x).__name__}")


def show_process(kind: str, process: e.Expr | None) -> str:
    return kind if process is None else f"{kind}[{show_expression(process)}]"


def show_patterns(patterns: tuple[e.Pattern, ...]) -> str:
    return ", ".join(
        show_place(p.place) if p.place is not None else f"eval({show_expression(p.value or e.TRUE)})" for p in patterns
    )


def show_place(place: e.Place) -> str:
    if place.variable is None:
        return "_"
    return place.variable.subscripted([show_expression(i) for i in place.indices])


def show_effect(effect: m.Effect) -> str:
    match effect:
        case m.Assign(place, value):
            return f"{show_place(place)} = {show_expression(value)}"
        case m.Send(channel, values, is_sorted):
            return f"{show_expression(channel)} {'!!' if is_sorted else '!'} {', '.join(map(show_expression, values))}"
        case m.Receive(channel, patterns, random, peek):
            text = show_patterns(patterns)
            return f"{show_expression(channel)} {'??' if random else '?'} {f'<{text}>' if peek else text}"
        case m.Event(sends, channel, patterns):
            return f"{show_expression(channel)} {'!' if sends else '?'} {show_patterns(patterns)}"
        case m.Run(kind, arguments, priority):
            suffix = f" priority {priority}" if priority != 1 else ""
            return f"run {kind}({', '.join(map(show_expression, arguments))}){suffix}"
        case m.Exit():
            return "exit"
        case m.Assert(condition):
            return f"assert({show_expression(condition)})"
        case m.Print(format_, arguments):
            return f"print({', '.join([repr(format_), *map(show_expression, arguments)])})"
        case m.Deliver(condition, channel, values):
            message = ", ".join(map(show_expression, values))
            return f"deliver {show_expression(channel)} ! {message} if {show_expression(condition)}"
        case m.SetPriority(process, value):
            return f"set_priority({show_expression(process)}, {show_expression(value)})"
        case _:
            raise TypeError(f"unknown effect {type(effect).__name__}")


def show_variable(variable: m.Variable) -> str:
    name = variable.subscripted([str(length) for length in variable.shape])
    text = f"{'hidden ' if variable.hidden else ''}{variable.domain} {name}"
    match variable.initial:
        case m.NewChannel(type_):
            return f"{text} = {type_}"
        case ():
            return text
        case (single,):
            return f"{text} = {show_expression(single)}"
        case several:
            return f"{text} = {{{', '.join(map(show_expression, several))}}}"


def show_edge(edge: m.Edge) -> str:
    target = "gone" if edge.target == m.GONE else str(edge.target)
    parts = [f"-> {target}"]
    if edge.tier:
        parts.append(f"tier {edge.tier}")
    if edge.group:
        parts.append(f"group {edge.group}")
    if edge.guard != e.TRUE:
        parts.append(f"when {show_expression(edge.guard)}")
    if edge.effects:
        parts.append("do " + "; ".join(map(show_effect, edge.effects)))
    if edge.hold:
        parts.append("hold")
    return "  ".join(parts)


def show_location(number: int, location: m.Location, start: int) -> list[str]:
    marks = [word for word in ("end", "accept", "progress", "transient") if getattr(location, word)]
    marks = (["start"] if number == start else []) + marks + [f"{label}:" for label in location.labels]
    return [
        f"  {number:3}" + (f" [{', '.join(marks)}]" if marks else ""),
        *(f"        {show_edge(edge)}" for edge in location.edges),
    ]


def show_kind(kind: m.Kind, word: str = "process") -> str:
    parameters = ", ".join(map(show_variable, kind.variables[: kind.parameters]))
    head = f"{word} {kind.name}({parameters})"
    if kind.provided != e.TRUE:
        head += f" provided ({show_expression(kind.provided)})"
    lines = [head + " {"]
    lines += [f"    {show_variable(v)};" for v in kind.variables[kind.parameters :]]
    for number, location in enumerate(kind.locations):
        lines += show_location(number, location, kind.start)
    return "\n".join([*lines, "}"])


def show_model(model: m.Model) -> str:
    """The whole model."""
    blocks = ["\n".join(f"{show_variable(v)};" for v in model.variables)]
    blocks += [show_kind(kind) for kind in model.kinds]
    if model.monitor is not None:
        blocks.append(show_kind(model.monitor.automaton, "notrace" if model.monitor.negated else "trace"))
    for property_ in model.properties:
        if isinstance(property_, m.Claim):
            blocks.append(show_kind(property_.automaton, property_.kind))
        else:
            blocks.append(f"{property_.kind} {property_.name} {{ {property_.formula} }}")
    started = ", ".join(f"{p.kind}({', '.join(map(show_expression, p.arguments))})" for p in model.processes)
    blocks.append(f"start {started}")
    if model.stuttering:
        blocks.append("steps that lead back do not count at the end")
    if model.empty_at_end:
        blocks.append("end with empty channels")
    if model.unseen_ends:
        blocks.append("processes at their ends are not observed")
    return "\n\n".join(block for block in blocks if block) + "\n"
