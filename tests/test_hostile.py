"""Text of a model that must not be obeyed: what reaches the compiler is made by Coset alone."""

from __future__ import annotations

import pytest

import coset
from coset.engines.explicit.emit.program import emit
from coset.engines.explicit.layout import Layout, plan_for
from coset.engines.explicit.stubborn import reducible
from coset.model.interpreter import Interpreter

HOSTILE = r"""
mtype:zqx_sort = { zqx_symbol };
typedef zqx_record { byte zqx_field };
zqx_record zqx_value;
chan zqx_channel = [1] of { mtype:zqx_sort };
inline zqx_inline(zqx_parameter) { zqx_parameter = 1 }
active proctype zqx_process() {
  byte zqx_local;
zqx_label:
  printf("*\zqx */ ??/ \\\n\"zqx");
  zqx_inline(zqx_local);
  d_step { zqx_value.zqx_field = zqx_local; printf("/* zqx \
  */") };
  zqx_channel!zqx_symbol;
  assert(zqx_value.zqx_field == 1)
}
ltl zqx_formula { [] (zqx_value.zqx_field < 2) }
"""


@pytest.mark.parametrize("partial", [False, True])
def test_no_text_of_a_model_is_in_the_c(partial: bool) -> None:
    model = coset.parse_text(HOSTILE, "zqx */ name.pml")
    interpreter = Interpreter(model)
    program = emit(Layout(interpreter, plan_for([interpreter.initial()])), facts=reducible(model) if partial else None)
    assert "zqx" not in program.source + program.header


@pytest.mark.parametrize("text", [r"*\\", "*\\n", "*/", "/*", "??/", r"\\", '\\"', "%d*\\\\/ int x;"])
def test_strings_that_look_like_c(text: str) -> None:
    model = coset.parse_text(f'byte g; active proctype P() {{ printf("{text}"); g = 1; assert(g == 1) }}')
    found = coset.check(model, engine="explicit", steps="plain", symmetry="off")
    assert [each.verdict.value for each in found.properties] == ["holds"] * 3
