"""The diagnostic codes of names, types and lowering (the earlier stages register their own)."""

from __future__ import annotations

from coset.source.diagnostics import register

UNDECLARED = register("N001", "a name is used that is not declared")
REDECLARED = register("N002", "a name is declared twice in one scope")
NO_PROCTYPE = register("N003", "there is no proctype of that name")
NO_LABEL = register("N004", "there is no label of that name in the proctype")
NO_FIELD = register("N005", "a record has no field of that name")
NO_TYPE = register("N006", "there is no type of that name")
WRONG_NAME = register("N007", "a name stands where another sort of name is needed")
CLAIM_ONLY = register("N008", "the name has a meaning only in never claims and ltl formulas")

NEEDS_INDEX = register("T001", "an array is used without an index")
NOT_ARRAY = register("T002", "something that is not an array has an index")
NEEDS_FIELD = register("T003", "a record is used where one value is needed")
NOT_RECORD = register("T004", "a value has no fields")
NOT_CONSTANT = register("T005", "a constant is needed here")
BAD_SIZE = register("T006", "a size, capacity or width is out of range")
ARITY_RUN = register("T007", "a process is run with the wrong number of arguments")
ARITY_MESSAGE = register("T008", "a message has the wrong number of fields for its channel")
NOT_CHANNEL = register("T009", "a channel is needed here")
BAD_INITIAL = register("T010", "the initialiser does not fit the declaration")
ARITHMETIC_ON_CHANNEL = register("T011", "channels can be compared and passed on, not computed with")
BAD_ASSIGNMENT = register("T012", "the name cannot be assigned to")
TWICE_RECEIVED = register("T013", "one variable is given in two fields of a receive")
RECURSIVE_TYPE = register("T014", "a typedef contains itself")
RUN_IN_EXPRESSION = register("T015", "`run` stands alone or is assigned, and is not part of a larger expression")
CONFUSED_TYPES = register("T016", "a value of another type is assigned or passed")

TWO_ELSES = register("F000", "a selection has more than one `else`")
INTO_D_STEP = register("F001", "a jump leads into or out of a d_step")
GOTO_LOOP = register("F002", "a cycle of gotos contains no statement")
MISPLACED_BREAK = register("F003", "`break` stands outside of a loop")
EMPTY = register("F004", "a body has no statement")
MISPLACED = register("F005", "the statement is not allowed here")
TOO_DEEP = register("F006", "the text is nested too deeply to be read")
NO_PROCESS = register("M001", "the model has no process to start")
TOO_MANY = register("M002", "a limit of the language is exceeded")

NO_RECORD_FEATURE = register("U010", "the construct is known but not supported")
