"""The diagnostic codes of Murphi."""

from __future__ import annotations

from coset.source.diagnostics import register

BAD_CHARACTER = register("L301", "a character has no meaning in Murphi")
OPEN_COMMENT = register("L302", "a comment of Murphi is not closed by `*/`")

UNEXPECTED = register("S301", "the grammar of Murphi does not allow this token here")

UNDECLARED = register("N301", "a name is used that the Murphi file does not declare")
REDECLARED = register("N302", "a name is declared twice in one scope of a Murphi file")
NO_FIELD = register("N303", "a record of Murphi has no field of that name")
WRONG_KIND = register("N304", "a name of Murphi denotes something else than what is needed here")
UNNAMED_DEFINE = register("N305", "`-D` names a constant that the Murphi file does not declare with `const`")

WRONG_TYPE = register("T301", "a value of another type is needed here in Murphi")
NOT_CONSTANT = register("T302", "a constant is needed here in Murphi")
NOT_ASSIGNABLE = register("T303", "only variables, their elements and fields can be assigned to in Murphi")
ARITY = register("T304", "a function or procedure of Murphi is called with the wrong arguments")
BAD_RANGE = register("T305", "a range, a size or a step of Murphi is empty or too large")
BAD_RETURN = register("T306", "a `return` of Murphi does not fit its function")

NO_CONSTRAINT = register("C301", "a formula over the conditions of Murphi is no fairness constraint")

REAL = register(
    "U301", "real numbers of Murphi are not supported",
    "Use an integer range in a fixed unit: `temperature: 0..1000` in tenths of a degree.",
)  # fmt: skip
UNSUPPORTED = register("U302", "the construct of Murphi is known but not supported")
RECURSION = register(
    "U303", "a function of Murphi calls itself", "Write a loop: functions are expanded where they are called.",
)  # fmt: skip

TOO_LARGE = register("M301", "a Murphi model has too many rules, or too long ones, when they are written out")
NO_RULES = register("M302", "a Murphi model has no start state")

UNCHECKED_COVER = register(
    "M303", "a `cover` of Murphi in a rule is not checked",
    "Keep what it asks in a variable, and write `cover` outside of the rule.",
)  # fmt: skip
CLEARED_SCALARSET = register(
    "M304", "`clear` of Murphi gives a scalarset its first value", "The values of a scalarset have no order: use `undefine`.",
)  # fmt: skip
ORDERED_LOOP = register(
    "M305", "the order of a Murphi loop over a scalarset can matter",
    "The values of a scalarset have no order: choose one by a `ruleset`.",
)  # fmt: skip
