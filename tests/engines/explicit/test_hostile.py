"""Text of a model that must not be obeyed: what reaches the compiler is made by Coset alone."""

from __future__ import annotations

import ctypes
import json
import re
from pathlib import Path
from typing import Any

import pytest

import coset
from coset.cli import main
from coset.engines.explicit import build
from coset.engines.explicit.compile import emitted
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


def test_the_map_leads_back_to_the_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every step has a name in the C, which is as it was compiled, and the map has the text that the C must not have."""
    path = tmp_path / "zqx \x1b[2J\n.pml"
    path.write_text(HOSTILE)
    assert main(["show", str(path), "--c", "-o", str(tmp_path / "out")]) == 0
    source = (tmp_path / "out" / "model.c").read_text()
    written = (tmp_path / "out" / "model.map.json").read_text()
    assert "zqx" not in source + (tmp_path / "out" / "model.h").read_text()
    assert written.isascii() and all(each.isprintable() or each == "\n" for each in written)
    found = json.loads(written)
    assert set(re.findall(r"\bp\d+_e\d+\b", source)) == set(found["steps"])
    for name, step in found["steps"].items():
        assert all(f"/* {name}: " in source.split("\n")[number - 1] for number in step["c_lines"]) and step["c_lines"]
        assert step["file"] == str(path) and step["process"] == "zqx_process"
        text = HOSTILE.split("\n")[step["line"] - 1][step["column"] - 1 :].replace("zqx_parameter", "zqx_local")
        assert step["text"] == "-end-" or text.startswith(step["text"].split("(")[0].split()[0])
    assert found["functions"]["moves_0"]["line"] == HOSTILE[: HOSTILE.index("active")].count("\n") + 1
    assert main(["show", str(path), "--c"]) == 0
    assert capsys.readouterr().out == source
    assert main(["show", str(path), "--c", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["c"]["map"] == found
    assert main(["show", str(path), "-o", str(tmp_path / "out")]) == 2


def test_the_c_that_is_shown_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, str]] = []

    def library(header: str, source: str, **settings: Any) -> tuple[ctypes.CDLL, bool]:
        seen.append((header, source))
        return build.library(header, source, **settings)

    monkeypatch.setattr("coset.engines.explicit.compile.library", library)
    model = coset.parse_text(HOSTILE)
    coset.explore(model, engine="explicit", symmetry="off")
    program = emitted(model)
    assert (program.header, program.source) == seen[0]


@pytest.mark.parametrize("word", ["c_code", "c_expr", "c_decl", "c_state", "c_track"])
def test_no_c_comes_with_a_model(word: str) -> None:
    with pytest.raises(coset.InputError):
        coset.parse_text(f'{word} {{ int zqx; }} "x" "y"; active proctype P() {{ {word} {{ exit(1); }} }}')


@pytest.mark.parametrize("text", [r"*\\", "*\\n", "*/", "/*", "??/", r"\\", '\\"', "%d*\\\\/ int x;"])
def test_strings_that_look_like_c(text: str) -> None:
    model = coset.parse_text(f'byte g; active proctype P() {{ printf("{text}"); g = 1; assert(g == 1) }}')
    found = coset.check(model, engine="explicit", steps="plain", symmetry="off")
    assert [each.verdict.value for each in found.properties] == ["holds"] * 3
