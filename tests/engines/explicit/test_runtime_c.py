"""The C of the compiled engine under sanitizers: clean, and with the right counts."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import coset
from coset.engines.choices import ORDERS, STORAGES
from coset.engines.claim import claim_of
from coset.engines.explicit.build import machine_flags, runtime_files
from coset.engines.explicit.cycles import check_property
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.seam import Stop
from coset.model.model import CtlProperty, LtlProperty, Model
from coset.symmetry.canonical.plan import plan
from coset.symmetry.methods.program.detect import detect
from tests.support.explicit_cases import CHANNELS, MIXED, WIDE, wide_figures
from tests.support.paths import MODELS
from tests.support.sanitized import ADDRESS, HERE, THREAD, Built, build, build_coded, compile_c, run_clean

pytestmark = pytest.mark.long  # compiles with sanitizers, minutes on a busy machine

HANDSHAKES = """
chan c = [0] of { byte, bit };
byte sum;
active [2] proctype Sender() { byte k; do :: k < 3 -> atomic { c!k,1; k++ } :: else -> break od; c!9,0 }
active [2] proctype Receiver() { byte got; end: do :: c?got,1 -> sum = sum + got :: c?eval(9),0 -> sum = 0 od }
"""
STEPS = """
chan q = [3] of { byte };
byte a[4]; int n;
active [2] proctype P() {
  byte i;
  do
  :: d_step { n < 6 -> i = 0; do :: i < 4 -> a[i] = a[i] + n % 3; i++ :: else -> break od; n++; i = 0 }
  :: d_step { nfull(q) -> q!!a[n % 4]; if :: q??[7] -> q??7 :: else fi }
  :: n == 6 -> break
  od;
  assert(a[0] < 4)
}
"""
UNLESS = """
bool stop; byte x;
active proctype P() { { do :: x = (x + 1) % 5 :: atomic { x > 2 -> x = 0 } od } unless { stop -> x = 100 } }
active proctype Q() { if :: stop = true :: timeout -> skip fi; assert(x != 4) }
"""
FAULTS = """
byte a[3]; chan none; byte i;
active [2] proctype P() { do :: i < 5 -> i++ :: a[i] = 1 / (4 - i) :: none!1 :: i == 5 -> break od }
"""
NAMED = {
    "handshakes": HANDSHAKES, "d_step": STEPS, "unless": UNLESS, "faults": FAULTS, "dynamic": MIXED,
    "local channels": CHANNELS, "wide": WIDE,
}  # fmt: skip
LTL = """
byte turn; bit in0, in1;
active proctype A() { do :: turn == 0 -> in0 = 1; in0 = 0; turn = 1 od }
active proctype B() { do :: turn == 1 -> in1 = 1; in1 = 0; turn = 0 :: turn == 1 -> skip od }
ltl safe { [] !(in0 && in1) }
ltl live { [] <> in0 }
"""


@cache
def expected(name: str) -> dict[str, int]:
    if name == "wide":
        states, transitions = wide_figures(240)
        return {"states": states, "transitions": transitions, "stopped": 0, "assertions": 0, "ends": 0}
    result = coset.explore(load(name), engine="reference", symmetry="off")
    assert result.complete
    return {
        "states": result.states,
        "transitions": result.transitions,
        "stopped": 0,
        "assertions": result.errors.assertions,
        "ends": result.errors.invalid_end_states,
    }


def load(name: str) -> Model:
    return coset.parse_text(NAMED[name]) if name in NAMED else coset.load(MODELS / name)


def number(storage: str) -> str:
    return str(list(STORAGES).index(storage))


def assert_found(found: dict[str, int], name: str, storage: str) -> None:
    """The right counts, but for a state in thousands that bits may omit."""
    if storage == "bits":
        assert expected(name)["states"] * 0.999 <= found["states"] <= expected(name)["states"]
    else:
        assert found == expected(name)


def assert_all_found(built: Built, name: str, *threads: str) -> None:
    for storage in STORAGES:
        for several in threads:
            assert_found(built.run(several, "0", number(storage)), name, storage)


SEARCHED = [*NAMED, "philosophers.pml", "email_featured.pml", "dynamic_workers.pml", "leader_election.pml"]


@pytest.mark.parametrize("name", SEARCHED)
def test_search_with_address_sanitizer(name: str, tmp_path: Path) -> None:
    built = build(load(name), tmp_path, ADDRESS)
    assert_all_found(built, name, "1", "2")
    for storage in STORAGES:
        if storage != "disk":
            assert_found(built.run("1", "0", number(storage), str(list(ORDERS).index("depth"))), name, storage)


CODED = [
    "handshakes",
    "d_step",
    "unless",
    "faults",
    "wide",
    "philosophers.pml",
    "email_featured.pml",
    "leader_election.pml",
]


@pytest.mark.parametrize("name", CODED)
def test_states_of_components_with_address_sanitizer(name: str, tmp_path: Path) -> None:
    """Every move from the cache is compared with the model's, too."""
    built = build_coded(load(name), tmp_path, ADDRESS, "-DCHECK_TRANSITION_CACHE")
    assert_all_found(built, name, "1", "2")


@pytest.mark.parametrize("name", ["wide", "email_featured.pml", "leader_election.pml"])
def test_states_of_components_with_thread_sanitizer(name: str, tmp_path: Path) -> None:
    built = build_coded(load(name), tmp_path, THREAD)
    assert_all_found(built, name, "2", "4")


@pytest.mark.parametrize("sanitizer", [ADDRESS, THREAD], ids=["address", "thread"])
def test_components_without_numbers_left(sanitizer: str, tmp_path: Path) -> None:
    """Who has no number left for a value says so, and two states never become one."""
    built = build_coded(load("email_featured.pml"), tmp_path, sanitizer, less=14)
    for threads in ("1", "2"):
        found = built.run(threads, "0", number("packed"))
        assert found["stopped"] == Stop.OVERFLOW and found["states"] < expected("email_featured.pml")["states"]


ORBITS = {"email_featured.pml": 3902, "philosophers.pml": 226, "cache_coherence.pml": 390}


@pytest.mark.parametrize("strategy", ["auto", "chain", "enumerate"])
@pytest.mark.parametrize("name", ORBITS)
def test_representatives_with_address_sanitizer(name: str, strategy: str, tmp_path: Path) -> None:
    model = load(name)
    planned = plan(detect(model, ()), strategy)
    assert planned is not None
    built = build(model, tmp_path, ADDRESS, symmetry=planned)
    assert built.run("1", "0", number("packed"))["states"] == ORBITS[name]


@pytest.mark.parametrize("name", ["wide", "email_featured.pml", "handshakes"])
def test_search_with_thread_sanitizer(name: str, tmp_path: Path) -> None:
    built = build(load(name), tmp_path, THREAD)
    assert_all_found(built, name, "2", "4")


def test_limit_of_states_with_threads(tmp_path: Path) -> None:
    """Also where the threads meet in the middle of a state."""
    built = build(load("wide"), tmp_path, THREAD)
    for threads in ("1", "2", "4"):
        found = built.run(threads, "3000")
        assert found["stopped"] == Stop.STATES and 3000 <= found["states"] < 10_000


@pytest.mark.parametrize("sanitizer", [ADDRESS, THREAD], ids=["address", "thread"])
@pytest.mark.parametrize("formula", ["[] <> (inside == 1)", "[] <> (rung[1] == 0)"], ids=["holds", "violated"])
def test_products_with_sanitizers(formula: str, sanitizer: str, tmp_path: Path) -> None:
    """With many searches for cycles on the way, in small portions."""
    text = (MODELS / "peterson.pml").read_text().partition("ltl exclusion")[0]
    model = coset.parse_text(f"{text}ltl p {{ {formula} }}")
    (property_,) = model.properties
    assert isinstance(property_, LtlProperty)
    expected, _ = check_property(Engine(model), property_)
    claim = claim_of(property_)
    built = build_coded(model, tmp_path, sanitizer, "-DFIRST_LOOK=1", "-DSWEEP_PORTION=64", claim=claim)
    for threads in ("1", "2"):
        found = built.run("product", threads, *map(str, claim.initial))
        assert found["stopped"] == expected.stopped
        assert expected.stopped == Stop.ERROR or found["states"] == expected.states


@pytest.mark.parametrize("fair", [False, True], ids=["any run", "fair runs"])
@pytest.mark.parametrize("number", [0, 1], ids=["holds", "violated"])
def test_cycles_with_address_sanitizer(number: int, fair: bool, tmp_path: Path) -> None:
    model = coset.parse_text(LTL)
    property_ = model.properties[number]
    assert not isinstance(property_, CtlProperty)
    claim = claim_of(property_)
    result, _ = check_property(Engine(model), property_, fair)
    assert (result.stopped == 0) == (number == 0)
    built = build(model, tmp_path, ADDRESS, claim)
    found = built.run("cycles", str(int(fair)), *map(str, claim.initial))
    assert found["stopped"] == result.stopped
    if result.stopped == 0:
        assert (found["states"], found["transitions"]) == (result.states, result.transitions)
    assert built.run("shortest", str(int(fair)), *map(str, claim.initial))["stopped"] == result.stopped


@pytest.mark.parametrize("size", [8, 48])
@pytest.mark.parametrize("sanitizer", [ADDRESS, THREAD], ids=["address", "thread"])
def test_visited(size: int, sanitizer: str, tmp_path: Path) -> None:
    for name, text in runtime_files().items():
        (tmp_path / name).write_text(text)
    (tmp_path / "model.h").write_text(f"#define STATE_SIZE {size}\n")
    compile_c(tmp_path, sanitizer, ["memory.c", "intern_table.c", str(HERE / "visited_test.c")], tmp_path / "test")
    assert run_clean([str(tmp_path / "test")]) == "ok\n"


@pytest.mark.parametrize("sanitizer", [ADDRESS, THREAD], ids=["address", "thread"])
def test_keys(sanitizer: str, tmp_path: Path) -> None:
    for name, text in runtime_files().items():
        (tmp_path / name).write_text(text)
    (tmp_path / "model.h").write_text("#define STATE_SIZE 16\n")
    compile_c(tmp_path, sanitizer, ["memory.c", "key_set.c", str(HERE / "key_set_test.c")], tmp_path / "test")
    assert run_clean([str(tmp_path / "test")]) == "ok\n"


@pytest.mark.parametrize("sanitizer", [ADDRESS, THREAD], ids=["address", "thread"])
def test_state_keys(sanitizer: str, tmp_path: Path) -> None:
    """Keys in compact sets, from the first few hundred on."""
    for name, text in runtime_files().items():
        (tmp_path / name).write_text(text)
    (tmp_path / "model.h").write_text("#define STATE_SIZE 16\n")
    files = ["memory.c", "key_set.c", "key_code.c", "compact_set.c", "state_keys.c", str(HERE / "state_keys_test.c")]
    gathering = [flag for flag in machine_flags() if flag == "-mbmi2"]  # without it, the test would take minutes
    early = ["-DFIRST_WORDS=1024", "-DCOMPACT_FROM=800", *gathering]
    compile_c(tmp_path, sanitizer, [*early, *files], tmp_path / "test")
    assert run_clean([str(tmp_path / "test")]) == "ok\n"
