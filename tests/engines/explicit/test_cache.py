"""The cache of compiled models: nothing is loaded that was not put there whole, by this user."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import coset
from coset.cli import main
from coset.engines.explicit import cache, engine, safety
from coset.results.events import Event, Warned

PROGRAM = """
import sys, coset
from coset.engines.explicit import engine, safety
print(safety.explore(coset.parse_text(sys.argv[1])).states)
"""
MODEL = "byte x; active [2] proctype P() { x < 3 -> x++ }"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache for each test."""
    monkeypatch.setenv("COSET_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("COSET_CACHE_SIZE", raising=False)
    monkeypatch.setattr(engine, "TOLD", set())
    return tmp_path / "cache"


def states_of(text: str = MODEL) -> int:
    """The states of a model, which is compiled if it is not in the cache."""
    return safety.explore(coset.parse_text(text)).states


def libraries(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.so"))


def objects(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.o"))


def in_a_process(folder: Path, text: str = MODEL) -> subprocess.CompletedProcess[str]:
    """A library that was loaded stays loaded, so that this needs another process."""
    settings = {**os.environ, "COSET_CACHE": str(folder)}
    return subprocess.run([sys.executable, "-c", PROGRAM, text], env=settings, capture_output=True, text=True)


# --- content --------------------------------------------------------------------------------------------------------


def test_what_is_damaged_is_compiled_again(folder: Path) -> None:
    """A truncated library would kill the process that loads it; a changed one might do anything."""
    expected = in_a_process(folder).stdout
    [library] = libraries(folder)
    whole = library.read_bytes()
    for damage in (b"", whole[:5000], whole[: len(whole) // 2], whole[:3000] + b"\0" + whole[3001:], whole + b"\0"):
        library.write_bytes(damage)
        answer = in_a_process(folder)
        assert (answer.returncode, answer.stdout) == (0, expected), answer.stderr
        [library] = libraries(folder)
        assert cache.find(library.name[:32], ".so") is not None


def test_damaged_object_files(folder: Path) -> None:
    expected = in_a_process(folder).stdout
    for file in (*objects(folder), *libraries(folder)):
        file.write_bytes(file.read_bytes()[:-50])
    answer = in_a_process(folder)
    assert (answer.returncode, answer.stdout) == (0, expected), answer.stderr
    assert all(cache.find(file.name[:32], ".o") for file in objects(folder))


def test_an_entry_under_another_name(folder: Path) -> None:
    key, other, output = "0" * 32, "00" + "1" * 30, folder.with_name("output")
    output.write_bytes(b"content")
    kept = cache.keep(key, ".so", output)
    assert kept is not None and cache.find(key, ".so") == (kept, b"content")
    assert cache.find(key, ".o") is None and cache.find(other, ".so") is None
    kept.write_bytes(b"changed")
    assert cache.find(key, ".so") is None and not kept.exists()


def test_two_processes_at_once(folder: Path) -> None:
    """Both compile, and each removes what there is no room for."""
    expected = in_a_process(folder.with_name("other")).stdout
    settings = {**os.environ, "COSET_CACHE": str(folder), "COSET_CACHE_SIZE": "50K"}
    command = [sys.executable, "-c", PROGRAM, MODEL]
    both = [subprocess.Popen(command, env=settings, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate()[0] for process in both] == [expected] * 2
    assert all(file.suffix in (".so", ".o") for file in folder.rglob("*.*")), "something is half written"


def test_models_share_the_runtime(folder: Path) -> None:
    """Another model needs no other search, and one with larger states does."""
    states_of("byte x; active [2] proctype P() { x < 3 -> x++ }")
    objects_of_one = objects(folder)
    states_of("byte x; active proctype P() { x = 2; skip } active proctype Q() { timeout -> x = 5 }")
    new = len(objects(folder)) - len(objects_of_one)
    assert new == 1, "only the search that waits for a timeout"
    states_of("int x[9]; active proctype P() { x[2] = 1 << 20 }")
    assert len(objects(folder)) > len(objects_of_one) + new


# --- owner and permissions ------------------------------------------------------------------------------------------


def test_only_the_owner_can_read_it(folder: Path) -> None:
    states_of()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(inner.stat().st_mode & 0o777 == 0o700 for inner in folder.iterdir() if inner.is_dir())


def warnings_of(text: str) -> list[str]:
    told: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, Warned):
            told.append(event.message)

    safety.explore(coset.parse_text(text), listener=listen)
    return told


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_folder_that_others_can_write(mode: int, folder: Path) -> None:
    folder.mkdir()
    folder.chmod(mode)
    told = warnings_of(MODEL)
    assert told == [
        f"{folder} can be written by other users (chmod go-w): the cache is not used, and models are compiled for each run"
    ]
    assert not list(folder.iterdir()), "it was used"
    folder.chmod(0o700)
    assert not warnings_of(MODEL) and libraries(folder)
    library = libraries(folder)[0]
    folder.chmod(mode)
    assert cache.find(library.name[:32], ".so") is None
    folder.chmod(0o700)
    library.parent.chmod(mode)
    assert cache.find(library.name[:32], ".so") is None


def test_a_folder_of_somebody_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert warnings_of(MODEL) and not list(folder.iterdir())
    assert main(["doctor"]) == 0
    assert f"{folder}: not used: {folder} belongs to another user" in capsys.readouterr().out


# --- size -----------------------------------------------------------------------------------------------------------


def filled(folder: Path, sizes: list[int]) -> list[Path]:
    """Entries of these sizes, the first used longest ago."""
    output, kept = folder.with_name("output"), []
    for k, size in enumerate(sizes):
        output.write_bytes(bytes([k]) * size)
        entry = cache.keep(f"{k:032x}", ".o", output)
        assert entry is not None
        os.utime(entry, (1000 + k, 1000 + k))
        kept.append(entry)
    return kept


def test_what_was_not_used_longest_goes_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = filled(folder, [1000] * 5)
    assert cache.find(f"{0:032x}", ".o") is not None  # which is a use
    monkeypatch.setenv("COSET_CACHE_SIZE", "3100")
    cache.prune()
    assert [entry.exists() for entry in kept] == [True, False, False, True, True]
    monkeypatch.setenv("COSET_CACHE_SIZE", "1K")
    cache.prune(spared=kept[3])
    assert [entry.exists() for entry in kept] == [False, False, False, True, False]


def test_compiling_keeps_the_size(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSET_CACHE_SIZE", "200K")
    for k in range(3):
        assert states_of(f"byte x; active proctype P() {{ x = {k}; x++ }}") > 1
        assert sum(entry.bytes for entry in cache.entries()) <= 200 << 10
        assert libraries(folder), "the one that was just made is the last to go"


def test_entries_are_counted_now_and_then(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSET_CACHE_SIZE", "320K")
    filled(folder, [1000])
    times: list[Path | None] = []
    monkeypatch.setattr(cache, "prune", times.append)
    cache.tidy()
    assert len(times) == 1, "an older cache may have any size"
    cache.tidy()
    filled(folder, [1000] * 5)
    cache.tidy()
    assert len(times) == 1
    filled(folder, [9000])
    cache.tidy()
    assert len(times) == 2


def test_files_of_others_are_left_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever sets COSET_CACHE to the wrong folder must not lose anything."""
    filled(folder, [1000] * 3)
    strangers = [
        folder / "letter.o",
        folder / "library.so",
        folder / "00" / "notes.txt",
        folder / "papers" / f"{0:032x}.o",
    ]
    for stranger in strangers:
        stranger.parent.mkdir(exist_ok=True)
        stranger.write_text("mine")
    old = folder / f"{7:032x}.so"  # as older versions named them
    old.write_bytes(bytes(500))
    assert cache.clear() == (4, 3500)
    assert all(stranger.exists() for stranger in strangers) and not old.exists()


def test_clear_cache(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    filled(folder, [1 << 20, 1 << 19])
    assert main(["doctor"]) == 0
    assert f"{folder}: 1.5 MB in 2 files, at most 512 MB" in capsys.readouterr().out
    assert main(["doctor", "--clear-cache"]) == 0
    assert capsys.readouterr().out == f"removed 2 files, 1.5 MB, from {folder}\n"
    assert not list(folder.iterdir())
    assert main(["doctor", "--clear-cache"]) == 0
    assert capsys.readouterr().out == f"removed 0 files, 0 MB, from {folder}\n"
