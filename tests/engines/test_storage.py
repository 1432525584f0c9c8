"""Every way to keep states, and both orders of search: the same counts, and errors that are real."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

import pytest

import coset
from coset.cli import main
from coset.engines.choices import ORDERS, STORAGES
from coset.engines.explicit import safety
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.packing import packed_size, words_of
from coset.engines.settings import Settings
from coset.results.trace import replay
from coset.results.verdict import Verdict
from tests.support.explicit_cases import CHANNELS, DEEP, MIXED, WIDE, figures, wide_figures
from tests.support.paths import MODELS

PHILOSOPHERS, PETERSON = MODELS / "philosophers.pml", MODELS / "peterson.pml"
WAYS = [
    Settings(threads, storage, order, 30)
    for threads, storage, order in product((1, 2), STORAGES, ORDERS)
    if not (threads == 2 and order == "depth") and not (storage == "disk" and (threads == 2 or order == "depth"))
]
TINY = "bit x; active [2] proctype P() { do :: x = 1 - x od }"
EIGHT = "byte a[7]; active proctype P() { byte k; do :: k < 7 -> a[k] = k + 1; k++ :: k > 3 -> break od; a[0] = 255 }"


def name_of(way: Settings) -> str:
    return f"{way.storage}-{way.order}-{way.threads}"


@cache
def expected_figures(text: str) -> dict[str, object]:
    return figures(coset.explore(coset.parse_text(text), engine="reference", symmetry="off"))


@pytest.mark.parametrize("way", WAYS, ids=name_of)
def test_counts(way: Settings) -> None:
    """Of states that are one word, that have halves, and whose processes come and go."""
    for text in (TINY, EIGHT, DEEP, MIXED, CHANNELS):
        found = safety.explore(coset.parse_text(text), settings=way)
        assert figures(found) == expected_figures(text)
        assert found.storage == way.storage
        assert found.complete == (way.storage != "bits")


@pytest.mark.parametrize("way", [way for way in WAYS if way.storage != "bits"], ids=name_of)
def test_tables_that_grow(way: Settings) -> None:
    result = safety.explore(coset.parse_text(WIDE), settings=way)
    assert (result.states, result.transitions) == wide_figures(240)


@pytest.mark.parametrize("way", WAYS, ids=name_of)
def test_a_trace_is_a_run_of_the_model(way: Settings) -> None:
    model = coset.load(PHILOSOPHERS, defines={"N": "5"})
    result = coset.check(model, engine="explicit", settings=way)
    [ends] = [each for each in result.properties if each.name == "end states"]
    assert ends.verdict is Verdict.VIOLATED and ends.trace is not None
    assert replay(model, ends.trace).trace == ends.trace
    if way.order == "breadth":
        shortest = coset.check(model, engine="reference", properties=["end states"]).properties[0].trace
        assert shortest is not None and len(ends.trace) == len(shortest)


# --- what may be omitted --------------------------------------------------------------------------------------------


def test_exact_storage_omits_nothing() -> None:
    for storage in ("packed", "states"):
        result = coset.check(PETERSON, engine="explicit", settings=Settings(storage=storage))
        assert result.exploration.omission_probability == 0
        assert result.verdict is Verdict.HOLDS and all(each.reason is None for each in result.properties)


def test_fingerprints_hold_with_a_probability() -> None:
    result = coset.check(PETERSON, engine="explicit", settings=Settings(storage="fingerprints"))
    states = result.exploration.states
    assert result.exploration.omission_probability == pytest.approx(states**2 / 2**65)
    assert result.verdict is Verdict.HOLDS
    assert "omitted with a probability of at most" in (result.properties[0].reason or "")


def test_bits_never_prove_anything() -> None:
    result = coset.check(PETERSON, engine="explicit", settings=Settings(storage="bits", log_bits=26))
    assert result.verdict is Verdict.UNKNOWN
    assert "no error was found" in (result.properties[0].reason or "")
    assert 0 < result.exploration.omission_probability < 1


def test_a_table_of_bits_that_is_too_small() -> None:
    """States are missing, and the estimate says so."""
    whole = safety.explore(coset.load(PHILOSOPHERS, defines={"N": "9"}))
    part = safety.explore(coset.load(PHILOSOPHERS, defines={"N": "9"}), settings=Settings(storage="bits", log_bits=14))
    assert part.states < whole.states and not part.complete
    assert part.omission_probability > 0.1


def test_bytes_per_state_are_measured() -> None:
    """Packed states take less than a third of the room of whole ones, in a space that is large enough to tell."""
    model = coset.load(PHILOSOPHERS, defines={"N": "11"})
    packed, whole = (safety.explore(model, settings=Settings(storage=storage)) for storage in ("packed", "states"))
    assert packed.bytes_per_state is not None and whole.bytes_per_state is not None
    assert 8 < packed.bytes_per_state < whole.bytes_per_state < 45


# --- the command line -----------------------------------------------------------------------------------------------

REFUSED = {
    "--order depth --threads 2": "a search depth first has one thread",
    "--engine reference --storage bits": "the reference engine stores whole states",
    "--bits 20": "--bits is the size of the table of --storage bits",
    "--storage bits --bits 60": "2^60 bits",
    "--storage none": "'none' is not known (available: packed, states, fingerprints, bits, disk)",
    "--resume": "need --checkpoint DIR",
    "--order depth --checkpoint here": "a search depth first makes no checkpoints",
    "--engine reference --checkpoint here": "the reference engine makes no checkpoints",
}


@pytest.mark.parametrize("command", ["explore", "check"])
@pytest.mark.parametrize("words", REFUSED)
def test_what_is_refused(words: str, command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main([command, str(PETERSON), *words.split()]) == 2
    assert REFUSED[words] in capsys.readouterr().err


def test_a_search_by_bits_is_inconclusive(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(PETERSON), "--engine", "explicit", "--storage", "bits", "--bits", "24"]) == 3
    assert "no error was found" in capsys.readouterr().out


# --- bits ---------------------------------------------------------------------------------------------------------------


GROWING = """
byte a, b;
active proctype P() { do :: a < LIMIT -> a++ od }
active proctype Q() { do :: b < 3 -> b++ :: b == 3 -> b = 0 od }
"""


@pytest.mark.parametrize("limit", [1, 2, 40, 254])
@pytest.mark.parametrize(
    "settings", [Settings(), Settings(storage="states"), Settings(order="depth"), Settings(threads=2)]
)
def test_values_that_grow_beyond_what_was_seen_first(limit: int, settings: Settings) -> None:
    """The bits that are kept are a guess, which must never make two states one."""
    model = coset.parse_text(GROWING, defines={"LIMIT": str(limit)})
    assert safety.explore(model, settings=settings).states == coset.explore(model, engine="reference").states


def test_packed_states_have_only_the_bits_that_are_used() -> None:
    made = Engine(coset.load(PHILOSOPHERS, defines={"N": "12"}))
    layout = made.layout()
    words = words_of(layout, made.estimate.seen)
    assert layout.size == 32 and packed_size(words) == 8 and packed_size(words_of(layout)) == 8
    assert (
        packed_size([(1 << 63) - 1]) == 8
        and packed_size([(1 << 64) - 1]) == 16
        and packed_size([1, (1 << 63) - 1]) == 16
    )
    assert packed_size([(1 << 64) - 1, (1 << 62) - 1]) == 16 and packed_size([(1 << 64) - 1, (1 << 63) - 1], 16) == 32


def test_states_survive_packing() -> None:
    """Whatever fits into the bits that are kept comes back: the search itself unpacks every state that it expands."""
    model = coset.parse_text(
        "int i = -5; short s; chan c = [2] of { byte, short }; active proctype P() "
        "{ byte v; do :: i < 5 -> i++; s = s - 300 :: nfull(c) -> c!7,s :: c?v,s od }"
    )
    expected, found = coset.explore(model, engine="reference", symmetry="off"), safety.explore(model)
    assert expected.complete and (found.states, found.transitions) == (expected.states, expected.transitions)
