"""The sequential form of a concurrent model, with what is needed to carry its symmetries back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from coset.model import expression as e
from coset.model import model as m
from coset.model.interpreter import Interpreter
from coset.model.sequential import Inexpressible, SequentialModel
from coset.model.sequential.as_process import LOOP, is_process_of
from coset.model.sequential.convert import sequential
from coset.model.sequential.tokens import INEXPRESSIBLE
from coset.source.diagnostics import Diagnostic, InputError
from coset.source.records import dataclass
from coset.symmetry.conditions import conditions
from coset.symmetry.loop_summaries import summarised
from coset.symmetry.methods.program.detect import has_same_start
from coset.symmetry.startup import StartedStates, UnknownProcesses, startup


@dataclass(frozen=True, slots=True)
class Form:
    """A sequential model that does as the concurrent one of the interpreter does from the started states on."""

    flat: SequentialModel
    interpreter: Interpreter
    started: StartedStates


def sequential_form(model: m.Model, kept: Sequence[m.Property] = ()) -> Form | UnknownProcesses:
    """The sequential form of a model, with the conditions that properties look at.  Loops inside of atomic sequences are read as
    single steps where that is possible (`loop_summaries`): their order of ids is no part of the observable steps.  Raises
    `InputError`, which names what has no such form."""
    if any(variable.hidden for variable in model.variables):
        raise refused(Inexpressible("hidden variables"))
    interpreter = Interpreter(model)
    if model.sequential is not None and is_process_of(model, model.sequential):
        return own_form(interpreter, model.sequential, list(looked_at(kept)))
    started = startup(interpreter)
    if isinstance(started, UnknownProcesses):
        return started
    asked = list(looked_at(kept))
    read = Interpreter(summarised(model))
    if read.model is not model and has_same_start(model, read.model):
        shorter = startup(read)  # inside of the loops there are no locations any more
        assert isinstance(shorter, StartedStates)
        with suppress(Inexpressible):
            return Form(sequential(read, started.states, shorter.locations, asked), interpreter, started)
    try:
        flat = sequential(interpreter, started.states, started.locations, asked)
    except Inexpressible as construct:
        raise refused(construct) from None
    return Form(flat, interpreter, started)


def has_form(model: m.Model) -> bool:
    """Whether a sequential form of the model with its properties is known: merged steps may have none where plain ones do."""
    try:
        sequential_form(model, model.properties)
    except InputError:
        return False
    return True


def own_form(interpreter: Interpreter, flat: SequentialModel, asked: Sequence[e.Expr]) -> Form:
    """Of a model that was made from a sequential one: it is known, from when on the process goes around."""
    everything = tuple(dict.fromkeys((*flat.conditions, *asked)))
    starter = 0 if interpreter.model.prelude else None
    started = StartedStates((interpreter.initial(),), (frozenset({LOOP}),), starter)
    return Form(replace(flat, conditions=everything), interpreter, started)


def refused(construct: Inexpressible) -> InputError:
    message = f"{construct.construct}: no sequential form is known, which symmetry by constraints needs"
    return InputError(
        [Diagnostic(INEXPRESSIBLE, message, construct.span, "--symmetry program supports all of Promela")]
    )


def looked_at(properties: Sequence[m.Property]) -> Iterator[e.Expr]:
    """The conditions on states in properties."""
    for property_ in properties:
        if not isinstance(property_, m.Claim):
            yield from conditions(property_.formula)
            continue
        for _, edge in property_.automaton.edges():
            parts = list(edge.guard.walk())
            acts = any(not isinstance(effect, m.Exit | m.Print) for effect in edge.effects)
            if acts or any(isinstance(x, e.Get) and x.variable.owner is not None for x in parts):
                raise refused(Inexpressible(f"a claim with variables and effects ({property_.name})", edge.span))
            if not any(isinstance(x, e.Otherwise | e.Youngest) for x in parts):
                yield edge.guard
            elif len(parts) > 1:
                raise refused(Inexpressible(f"`{edge.guard}` in a claim", edge.span))
