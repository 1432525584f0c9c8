"""A small model under the address sanitizer, with memoised transitions, with stubborn sets and with representatives.

This runs with every change; `test_runtime_c.py` does the same to more models, and with threads, in the long checks.
"""

from __future__ import annotations

from pathlib import Path

import coset
from coset.engines.explicit.build import runtime_files
from coset.engines.explicit.emit.program import GeneratedProgram, emit
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.layout import Layout
from coset.engines.explicit.safety import search_states
from coset.engines.explicit.stubborn import reducible
from coset.symmetry.canonical.plan import plan
from coset.symmetry.methods.program.detect import detect
from tests.support.sanitized import ADDRESS, DISK, LIVENESS, assemble, build_coded

SMALL = """
chan q = [2] of { pid };
byte taken;
active [3] proctype P() {
  byte k;
end:
  do
  :: k < 3 -> k++
  :: k == 3 -> q!_pid; k++
  :: atomic { k == 4 && taken < 6 -> q?eval(_pid); taken++; k = 0 }
  od;
  assert(taken <= 6)
}
"""
UNUSED = (*LIVENESS, *DISK, "depth.c", "blocks.c", "checkpoint.c")


def counted(program: GeneratedProgram, layout: Layout, folder: Path) -> tuple[int, int]:
    """States and transitions, by a program that the sanitizer did not object to."""
    files = runtime_files() | {"model.h": program.header, "model.c": program.source}
    files = {name: text for name, text in files.items() if name not in UNUSED}
    found = assemble(files, layout, folder, ADDRESS).run("1", "0")
    assert found["stopped"] == found["assertions"] == 0
    return found["states"], found["transitions"]


def test_memoised_transitions_are_clean(tmp_path: Path) -> None:
    model = coset.parse_text(SMALL)
    expected = coset.explore(model, engine="reference", symmetry="off")
    found = build_coded(model, tmp_path, ADDRESS, "-DCHECK_TRANSITION_CACHE").run("1", "0")
    assert (found["states"], found["transitions"]) == (expected.states, expected.transitions)


def test_stubborn_sets_are_clean(tmp_path: Path) -> None:
    model = coset.parse_text(SMALL)
    engine = Engine(model, partial=True)
    expected, _ = search_states(engine, stop_at=0)
    layout = Layout(engine.interpreter, engine.plan)
    found = counted(emit(layout, facts=reducible(model)), layout, tmp_path)
    assert found == (expected.states, expected.transitions)
    assert expected.states < coset.explore(model, engine="reference", symmetry="off").states


def test_representatives_are_clean(tmp_path: Path) -> None:
    model = coset.parse_text(SMALL)
    planned = plan(detect(model, ()), "auto")
    assert planned is not None and planned.order == 6
    engine = Engine(model, symmetry=planned)
    layout = Layout(engine.interpreter, engine.plan)
    expected = coset.explore(model, engine="reference", symmetry="program")
    states, _ = counted(emit(layout, plan=planned), layout, tmp_path)
    assert states == expected.states and states < (expected.represents or 0)
