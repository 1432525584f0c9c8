"""States as the numbers of their components (`engines/explicit/components.py`)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import coset
from coset.engines.explicit import components, safety
from coset.engines.explicit.build import FLAGS, compiler, runtime_files
from coset.engines.explicit.components import ROOMS, Coding, Component, Components
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.footprints import Footprints, OpenChannel, OpenElement
from coset.engines.explicit.layout import Layout
from coset.engines.settings import Settings
from tests.support.paths import MODELS, ROOT

LAMPS = """
byte lamp[3]; chan bell = [2] of { byte, bit }; bool on;
active [2] proctype Hand() {
  byte k;
  do
  :: k < 2 -> k++
  :: lamp[k] = 1 - lamp[k]
  :: bell!k,on
  :: bell?k,_
  :: atomic { k = 0; lamp[k] = 1 }
  od
}
"""


def made(text: str, tmp_path: Path) -> tuple[Engine, Layout]:
    path = tmp_path / "model.pml"
    path.write_text(text)
    ready = Engine(coset.load(path))
    return ready, Layout(ready.interpreter, ready.plan)


def coding_of(ready: Engine, layout: Layout) -> Coding:
    coding = ready.estimate.coding(Footprints(layout))
    assert coding is not None
    return coding


def test_every_bit_that_may_be_set_is_in_one_component(tmp_path: Path) -> None:
    ready, layout = made(LAMPS, tmp_path)
    together = 0
    for component in Components(layout).all:
        assert together & component.mask == 0
        together |= component.mask
    for state in ready.estimate.states:
        assert int.from_bytes(layout.encode(state), "little") & ~together == 0


def test_a_component_is_a_few_words_of_the_state() -> None:
    across = Component(0b11 << 63, "sort", 2)
    assert across.first == 0 and across.masks == [1 << 63, 1]
    assert Component(0xFF << 128, "sort", 8).first == 2


@pytest.mark.parametrize("name", ["philosophers.pml", "peterson.pml", "email_featured.pml", "leader_election.pml"])
def test_numbers_do_not_overlap_and_leave_the_free_bits_of_a_key(name: str) -> None:
    ready = Engine(coset.load(MODELS / name))
    coding = coding_of(ready, ready.layout())
    rooms = next(rooms for rooms in ROOMS if len(rooms) == coding.words)
    used = [0] * coding.words
    for field, component in zip(coding.bit_fields, coding.components.all, strict=True):
        mask = (1 << field.width) - 1 << field.shift
        assert used[field.word] & mask == 0 and mask < 1 << rooms[field.word]
        used[field.word] |= mask
        assert 1 << field.width >= coding.counts[component.sort]


def test_what_is_left_over_goes_to_those_that_may_need_it(tmp_path: Path) -> None:
    ready, layout = made("bit a; byte b; active proctype P() { do :: a = 1 - a; b = b + 1 od }", tmp_path)
    coding = coding_of(ready, layout)
    widths = dict(
        zip((str(each.sort) for each in coding.components.all), (s.width for s in coding.bit_fields), strict=True)
    )
    first, second = (width for sort, width in widths.items() if "process" not in sort)
    assert (first, second) == (1, 8), "no more than any value needs"


def test_elements_and_channels_are_left_open_until_the_local_state_is_known(tmp_path: Path) -> None:
    _, layout = made(LAMPS, tmp_path)
    found = [each for each in Footprints(layout).of_slot(0) if each is not None]
    loop = max(found, key=lambda each: each.whole.bit_count())
    (element,) = [each for each in loop.open if isinstance(each, OpenElement)]
    assert element.variable.name == "lamp" and not any(isinstance(each, OpenChannel) for each in loop.open)
    lamps = next(array for variable, array in layout.variables.items() if variable.name == "lamp")
    # In the atomic sequence `k` is no longer what it was: there it may be any lamp.
    for k in range(3):
        assert loop.bits >> 8 * lamps.element(k).offset & 0xFF


GROWING = """
byte a[3]; chan q = [2] of { byte };
active proctype P() { byte k, n; do :: n < 9 -> n++ :: n == 9 -> n = 0; a[k] = (a[k] + 1) % 3; k = (k + 1) % 3 od }
active proctype Q() { byte m; do :: q!m :: q?m :: m < 4 -> m++ od }
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_a_component_that_runs_out_of_numbers_gets_more(
    threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(components, "MOST_SPARE", 0)
    ready, _ = made(GROWING, tmp_path)
    ready.settings = Settings(threads=threads)
    model = ready.interpreter.model
    expected = coset.explore(model, engine="reference", symmetry="off", max_states=200_000)
    ready.estimate.states = ready.estimate.states[:1]  # as if nothing else had been seen
    found, _ = safety.search_states(ready, stop_at=0)
    assert ready.estimate.counts, "that was enough for all"
    assert expected.complete and (found.states, found.transitions) == (expected.states, expected.transitions)


def test_a_state_of_too_many_components_is_packed_by_its_bits(tmp_path: Path) -> None:
    text = "byte a[120]; active proctype P() { byte k; do :: k < 119 -> a[k] = 200 - k; k++ :: else -> break od }"
    ready, layout = made(text, tmp_path)
    assert ready.estimate.coding(Footprints(layout)) is None
    assert (
        safety.search_states(ready, stop_at=0)[0].states
        == coset.explore(ready.interpreter.model, engine="reference").states
    )


def test_threads_add_to_dictionaries_without_mixing_values_up(tmp_path: Path) -> None:
    """A free place that was seen may be given to another value before it is used."""
    header = {"STATE_SIZE": 8, "PACKED_SIZE": 8, "MODEL_CACHES": 1, "COMPONENTS": 1, "ITEM_WORDS": 1}
    defines = dict.fromkeys(("MODEL_SYMMETRIC", "MODEL_PARTIAL", "MODEL_SLOTS"), 0) | header
    for name, text in runtime_files().items():
        (tmp_path / name).write_text(text)
    (tmp_path / "model.h").write_text("".join(f"#define {name} {value}\n" for name, value in defines.items()))
    program, test = tmp_path / "test", ROOT / "tests" / "c" / "component_dictionary_test.c"
    command = [
        compiler(),
        "-O2",
        *FLAGS,
        f"-I{tmp_path}",
        "-o",
        str(program),
        str(test),
        "component_dictionary.c",
        "memory.c",
    ]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
