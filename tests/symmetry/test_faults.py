"""Which conditions may fail: a condition that is said not to fail has a value in every state."""

from __future__ import annotations

import random

from coset.languages.murphi.load import load
from coset.model import expression as e
from coset.model.evaluate import Fault
from coset.model.interpreter import Interpreter
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source
from coset.symmetry.faults import Faults
from coset.symmetry.methods.program.detect import detect

PROGRAM = """type T: 0..2; var x: T; y: T; a: array[T] of boolean;
startstate undefine x; undefine y; clear a; end;
ruleset i: T do rule x := i; end; rule y := i; end; rule undefine x; end; rule undefine y; end; rule a[i] := !a[i]; end; end;
"""


def condition(rng: random.Random, names: dict[str, e.Expr], depth: int = 0) -> e.Expr:
    if depth < 3 and rng.random() < 0.7:
        left, right = (condition(rng, names, depth + 1) for _ in range(2))
        if rng.random() < 0.2:
            return e.Unary("!", left)
        if rng.random() < 0.2:
            return e.Conditional(left, right, condition(rng, names, depth + 1))
        return e.Binary(rng.choice(("&&", "||")), left, right)
    index = names[rng.choice("xy")]
    if rng.random() < 0.6:
        return e.Binary(rng.choice(("==", "!=")), index, e.Const(rng.choice((0, 3, 3))))
    if rng.random() < 0.5:
        return e.Binary("==", e.Checked(index, 0, 2, "undefined", "x"), e.Const(1))
    array = names["a"]
    assert isinstance(array, e.Get)
    return e.Get(array.variable, (index,))


def test_conditions_that_cannot_fail_have_a_value() -> None:
    model = load(Source("m.m", PROGRAM), {}, Diagnostics())
    assert model is not None
    found = detect(model)
    assert found.points is not None
    interpreter = Interpreter(model)
    faults = Faults(interpreter, found.points.started)
    names: dict[str, e.Expr] = {variable.name: e.Get(variable) for variable in model.variables}
    states, pending = set(), [interpreter.initial()]
    while pending:
        state = pending.pop()
        if state not in states:
            states.add(state)
            pending += [step.state for step in interpreter.steps(state)]
    rng, safe, guarded = random.Random(1), 0, 0
    for _ in range(1500):
        x = condition(rng, names)
        value = interpreter.evaluation.expression(x)
        fails = False
        for state in states:
            try:
                value(interpreter.moment(state, 0))
            except Fault:
                fails = True
        if not faults.may_fail(x):
            assert not fails, str(x)
            safe += 1
            guarded += any(map(faults.fails_at, x.walk()))
    assert safe > 300 and guarded > 30
