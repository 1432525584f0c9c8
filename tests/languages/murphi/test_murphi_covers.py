"""`cover` inside of rules, and arithmetic that leaves 32 bits."""

from __future__ import annotations

from itertools import product

import pytest

import coset
from coset.languages.murphi.exact import HIGH, LOW, exact, opposite
from coset.languages.murphi.load import load
from coset.model import expression as e
from coset.model.domain import INT
from coset.model.evaluate import Fault
from coset.model.interpreter import Interpreter
from coset.model.model import Model, Variable
from coset.model.rewrite import rewrite
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source
from tests.support import murphi_random

COVERS = """type T: 0..3; var x: T; a: array[T] of boolean;
procedure turn(i: T); begin a[i] := !a[i]; cover "turned back" !a[i]; end;
startstate x := 0; for i: T do a[i] := false; end; end;
ruleset i: T do
  rule "go" x < 2 ==> x := x + 1; cover "moved" x = 1 + i; if x = 3 then cover "too far" true; end; a[x] := a[i];
    cover "other" a[x] & !a[1]; end;
  rule "turn" i != 3 ==> turn(i); end;
  rule "loop" x = 2 ==> while x > 0 do x := x - 1; end; cover "unknown" a[x]; cover "known" a[1]; end;
  cover "top" x = i
end;
"""


def loaded(text: str) -> tuple[Model, Diagnostics]:
    diagnostics = Diagnostics()
    model = load(Source("m.m", text), {}, diagnostics)
    assert model is not None, diagnostics.render()
    return model, diagnostics


def verdicts(model: Model) -> dict[str, str]:
    found = coset.check(model, symmetry="off", engine="reference")
    return {each.name: each.verdict.value for each in found.properties if each.kind == "ctl"}


def test_covers_in_rules() -> None:
    """The verdicts are Rumur's, where the condition is checked."""
    model, diagnostics = loaded(COVERS)
    assert verdicts(model) == {
        "top": "holds", "turned_back": "holds", "moved": "holds", "too_far": "violated", "other": "holds",
        "known": "holds",
    }  # fmt: skip
    assert [(each.code, each.span and each.span.line) for each in diagnostics.warnings] == [("M303", 8)]


@pytest.mark.parametrize("seed", [4, 9, 14, 19, 24])
def test_covers_of_random_programs(seed: int) -> None:
    """As if each were remembered in a variable."""
    text = murphi_random.program(seed)
    model, other = murphi_random.read(text), murphi_random.read(murphi_random.remembered(text))
    found = verdicts(model)
    assert found and not coset.explore(model, symmetry="off").errors.faults
    remembered = verdicts(other)
    assert found == {name: remembered[name] for name in found}


@pytest.mark.parametrize("operator", ["+", "-", "*"])
def test_arithmetic_is_exact(operator: str) -> None:
    """The exact value, or a fault, for numbers at the bounds."""
    x, y = (Variable(name, INT, (), None, (e.Const(0),)) for name in "xy")
    base, _ = loaded("var b: boolean; startstate b := false; end; rule b := !b; end;")
    numbers = (LOW, LOW + 1, -65536, -46341, -2, -1, 0, 1, 2, 46340, 46341, 65536, HIGH - 1, HIGH)
    for a, b in product(numbers, numbers):
        wanted = {"+": a + b, "-": a - b, "*": a * b}[operator]
        for left, right in product((e.Get(x), e.Const(a)), (e.Get(y), e.Const(b))):
            value = evaluated(base, exact(operator, left, right, "x"), {x: a, y: b})
            assert value == (wanted if LOW <= wanted <= HIGH else None), (a, operator, b)
        assert evaluated(base, opposite(e.Get(x), "-x"), {x: a, y: b}) == (-a if a > LOW else None)


def evaluated(base: Model, x: e.Expr, values: dict[Variable, int]) -> int | None:
    """The value of an expression, None if it is a fault."""

    def known(part: e.Expr) -> e.Expr:
        return e.Const(values[part.variable]) if isinstance(part, e.Get) else part

    value = Interpreter(base).evaluation.expression(rewrite(x, known))
    try:
        return value(None)  # type: ignore[arg-type]
    except Fault:
        return None
