"""Which types are treated as scalarsets, declared or not, and what is said where a scalarset is none."""

from __future__ import annotations

from coset.languages.murphi.load import load
from coset.model.declared import DeclaredType
from coset.model.interpreter import Interpreter
from coset.model.model import Model
from coset.model.state import State, offsets
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source
from coset.symmetry.declared import declared_types, is_scalarset
from coset.symmetry.methods.program.detect import detect
from coset.tasks.symmetry import symmetry
from tests.support import murphi_random

TYPES = """const N: 3;
type P: scalarset(3); Q: 5..7; W: 1..3;
var f: array[Q] of boolean; x: Q; g: array[1..N] of boolean; a: array[W] of 0..2; s: array[P] of boolean; last: P;
startstate undefine x; clear f; clear g; clear a; clear s; undefine last; end;
ruleset q: Q do rule f[q] := !f[q]; end; rule f[q] ==> x := q; end; end;
ruleset i: 1..N do rule g[i] := !g[i]; end; end;
ruleset w: W do rule a[w] := (a[w] + 1) % 3; end; end;
rule a[1] = 2 ==> a[2] := 0; end;
ruleset p: P do rule s[p] := !s[p]; for q: P do if s[q] then last := q; end; end; end; end;
"""
BROKEN = """type P: scalarset(3); R: record owner: P; on: boolean; end; U: union { P, enum { none } };
var f: array[P] of boolean; g: array[P] of 0..9; last: P; r: R; n: 0..9; any: boolean; m: 0..9; u: U; net: multiset[9] of P;
procedure tell(p: P); begin multisetadd(p, net); end;
function first(): U; begin for q: P do if f[q] then return q; end; end; return none; end;
function some(): boolean; begin for q: P do if f[q] then return true; end; end; return false; end;
startstate clear f; clear g; clear r; undefine r.owner; clear net; clear n; clear any; clear m; undefine u;
  clear last; end;
ruleset p: P do
  rule "last" f[p] := !f[p]; for q: P do if f[q] then last := q; end; end; end;
  rule "sum" var t: 0..9; begin n := 0;
    for q: P do t := g[q]; if f[q] then n := n + 1; any := true; g[q] := t; end; end; end;
  rule "greatest" for q: P do if g[q] > m then m := g[q]; end; end; end;
  rule "first" u := first(); end;
  rule "any" some() ==> any := false; end;
  rule "messages" for q: P do tell(q); end; end;
  rule "chain" for q: P do g[q] := n; n := g[p]; end; end;
end;
"""
MOST_STATES = 60


def read(text: str) -> tuple[Model, Diagnostics]:
    diagnostics = Diagnostics()
    model = load(Source("m.m", text), {}, diagnostics)
    assert model is not None, diagnostics.render()
    return model, diagnostics


def test_types_that_could_be_scalarsets() -> None:
    model, _ = read(TYPES)
    assert [(each.text.split("`")[1], each.span and each.span.line) for each in declared_types(detect(model))] == [
        ("Q", 2), ("1..3", 3), ("P", 2),
    ]  # fmt: skip
    findings = symmetry(model).findings
    assert [each.text for each in findings] == [
        "the values of `Q` can all be exchanged: it could be declared `scalarset(3)`",
        "the values of `1..3` can all be exchanged: it could be declared `scalarset(3)`",
        "the values of the scalarset `P` cannot all be exchanged: the model tells them apart",
    ]


def test_lines_that_tell_values_apart() -> None:
    _, diagnostics = read(BROKEN)
    assert [(each.code, each.span and each.span.line) for each in diagnostics.warnings] == [
        ("M305", 4), ("M304", 7), ("M305", 9), ("M305", 15), ("M305", 16),
    ]  # fmt: skip
    assert all(each.hint for each in diagnostics.warnings)


def test_exchanges_keep_the_graph() -> None:
    """Values of a scalarset are exchanged in every state: its successors become those of the image."""
    tried = 0
    for seed in range(36):
        model = murphi_random.read(murphi_random.program(seed))
        found = detect(model)
        assert found.points is not None
        interpreter = Interpreter(model)
        graph = explored(interpreter)
        for type_ in model.declared:
            if not is_scalarset(type_, found.points, found.group):
                continue
            tried += 1
            for state, after in graph.items():
                image = exchanged(model, type_, state.values)
                steps = interpreter.steps(state._replace(values=image))
                assert {step.state.values for step in steps} == {exchanged(model, type_, each.values) for each in after}
    assert tried >= 5


def explored(interpreter: Interpreter) -> dict[State, list[State]]:
    """Some states with their successors."""
    graph: dict[State, list[State]] = {}
    pending = [interpreter.initial()]
    while pending and len(graph) < MOST_STATES:
        state = pending.pop()
        if state not in graph:
            graph[state] = [step.state for step in interpreter.steps(state)]
            pending += graph[state]
    return graph


def exchanged(model: Model, type_: DeclaredType, values: tuple[int, ...]) -> tuple[int, ...]:
    """A state with the two least values of a type exchanged."""
    swap = {type_.least: type_.least + 1, type_.least + 1: type_.least}
    image = list(values)
    for variable, start in offsets(model.variables).items():
        dimensions = {d: shift for name, d, shift in type_.indexed if name == variable.name}
        for k in range(variable.size):
            indices = [
                swap.get(i + dimensions[d], i + dimensions[d]) - dimensions[d] if d in dimensions else i
                for d, i in enumerate(variable.indices(k))
            ]
            place = next(n for n in range(variable.size) if list(variable.indices(n)) == indices)
            value = values[start + k]
            image[start + place] = swap.get(value, value) if variable.name in type_.holding else value
    return tuple(image)
