"""The diagnostic codes of CSP#."""

from __future__ import annotations

from coset.source.diagnostics import register

BAD_CHARACTER = register("L101", "a character has no meaning in CSP#")
OPEN_COMMENT = register("L102", "a comment of CSP# is not closed by `*/`")

UNEXPECTED = register("S101", "the grammar of CSP# does not allow this token here")
UNNAMED_DEFINE = register("S102", "`-D` names a constant that the file does not define with `#define`")

UNDECLARED = register("N101", "a name is used that the CSP# file does not declare")
REDECLARED = register("N102", "a name is declared twice in a CSP# file")
NO_PROCESS = register("N103", "there is no process of that name in the CSP# file")
NOT_ASSIGNABLE = register("N104", "only variables can be assigned to")

ARITY = register("T101", "a process is called with the wrong number of arguments")
NOT_CONSTANT = register("T102", "a constant is needed here in CSP#")
BAD_INDEX = register("T103", "the number of indices is not that of the array")
BAD_RANGE = register("T104", "a range, a size or an initial value does not fit")
NOT_CHANNEL = register("T105", "a channel is needed here in CSP#")
MESSAGE_ARITY = register("T106", "messages of one channel have different numbers of fields")

IMPORTS = register(
    "U101", "C# libraries are not supported",
    "External code is not visible to the checker: write its effect as a data operation, `e{x = x + 1;} -> P`.",
)  # fmt: skip
UNSUPPORTED = register("U102", "the construct of CSP# is known but not supported")
VARIABLE_EVENT = register(
    "U104", "an event that reads a variable has no place in an alphabet, nor in what is hidden",
    "Say which events are meant: `#alphabet P {a.0, a.1};`.",
)  # fmt: skip

UNGUARDED = register("M101", "a process calls itself without doing anything first")
TOO_LARGE = register(
    "M102", "a sequential process has too many control states",
    "Put components side by side with `|||`, which keeps them apart, or use smaller constants.",
)  # fmt: skip
TOO_MANY_VALUES = register(
    "M103", "what a process does depends on too many values, of a message or of a variable",
    "Give the variable that is sent, or passed to a process, a range: `var x:{0..7};`.",
)  # fmt: skip
NO_ASSERTION = register("M104", "the CSP# file has no assertion, which would determine the system process")
