"""The diagnostic codes of shared-variable programs."""

from __future__ import annotations

from coset.source.diagnostics import register

BAD_CHARACTER = register("L201", "a character has no meaning in a shared-variable program")
OPEN_COMMENT = register("L202", "a comment of a shared-variable program is not closed by `*/`")

UNEXPECTED = register("S201", "the grammar of shared-variable programs does not allow this token here")
MIXED = register("S202", "a class has both statements and transitions")

UNDECLARED = register("N201", "a name is used that the shared-variable program does not declare")
REDECLARED = register("N202", "a name is declared twice in a shared-variable program")
NO_LABEL = register("N203", "no statement of the class has that label")
UNNAMED_DEFINE = register("N204", "`-D` names a constant or a parameter that the program does not have")
NOT_SHARED = register(
    "N205", "a process uses a variable that it does not share",
    "Name the process in the set of the variable, `shared x{P[1], Q}: bool;`, or declare it `global`.",
)  # fmt: skip

WRONG_TYPE = register("T201", "a value of another type is needed here in a shared-variable program")
NOT_CONSTANT = register("T202", "a constant is needed here in a shared-variable program")
BAD_INDEX = register("T203", "an array of a shared-variable program is used with the wrong indices")
BAD_RANGE = register("T204", "a range, a size or an initial value of a shared-variable program does not fit")
NOT_ASSIGNABLE = register("T205", "only variables of the process itself and shared ones can be assigned to")
NO_VALUE = register(
    "T206", "a parameter of the program has no value",
    "Give it one with `-D n=3`, or a default in the file: `parameter n = 3;`.  `coset prove` needs none.",
)  # fmt: skip
ASSUMPTION = register("T207", "the values of the parameters violate an assumption of the program")

NOT_A_FAMILY = register(
    "U201", "the program is not a family: its processes are distinguishable",
    "For any number of processes only programs without process ids, in which processes interact only by "
    "global variables, can be proved; `coset check` decides every program for given numbers.",
)  # fmt: skip
UNSUPPORTED = register("U202", "the construct of shared-variable programs is known but not supported")

ENDLESS = register("M201", "a loop or a jump leads back to itself without a statement")
TOO_LARGE = register("M202", "a shared-variable program has too many processes, or too many steps at once")
