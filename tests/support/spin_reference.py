"""SPIN's own figures for a Promela model: the oracle that Coset's counts must equal.

SPIN is run with every reduction switched off ("mode A"), so that it stores one state per
control point and valuation, which is the plain meaning of the program:

    spin -o1 -o2 -o3 -a m.pml                           no merging, no dead or write-only variables
    gcc -DSAFETY -DNOREDUCE -DNOCLAIM -DNOFAIR pan.c    no partial order reduction, no claims
    ./pan -c0 -n                                        the whole space, through all errors

Compiling `pan.c` costs more than exploring a small model, so a model is compiled once, without
optimisation (by TinyCC if it is installed, which takes a twentieth of the time), and again with -O2
only when it turns out to be large. Answers are kept on disk under
a hash of the preprocessed text and the tools, so that a second run of the tests hardly starts SPIN.
A missing SPIN is an error, never a skipped test: an oracle that is silently absent proves nothing.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

SPIN_FLAGS = ("-o1", "-o2", "-o3")
GCC_FLAGS = ("-w", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DNOFAIR", "-DVECTORSZ=8192")
CACHE_FORMAT = "5"  # part of every key: raise it when the meaning of an entry changes
QUICK_SECONDS = 3.0  # CPU time after which an unoptimised verifier is compiled again with -O2
FIRST_DEPTH, LAST_DEPTH = 50_000, 500_000_000  # pan's -m: raised tenfold while it is too small

_COUNTER = r"^\s*([0-9.e+]+) {}"
_MESSAGE = re.compile(r"^pan:\d+: (.*) \(at depth -?\d+\)$", re.MULTILINE)
_OUT_OF_MEMORY = re.compile(r"reached -DMEMLIM|out of memory|memory bound|cannot allocate", re.IGNORECASE)
_TOO_SHALLOW = "max search depth too small"


@dataclass(frozen=True)
class SpinReference:
    """What SPIN says about one model. Counts are zero unless `status` is `ok`.

    `status` is one of: ok; rejected (by cpp or `spin -a`); gcc (SPIN's C does not compile); timeout; memory; depth;
    vector (state too wide); inexact (a counter of 10^8 or more loses digits); aborted (pan gave up half-way, as at
    "too many processes" or "block in d_step seq": what it had counted until then depends on the search order); crash.
    """

    accepted: bool
    status: str
    why: str = ""
    states: int = 0
    transitions: int = 0
    matched: int = 0
    atomic: int = 0
    depth: int = 0
    assertions: int = 0
    invalid_end_states: int = 0
    other_errors: tuple[str, ...] = ()
    other_count: int = 0

    @property
    def ok(self) -> bool:
        """Whether the whole state space was covered, so that the counts mean something."""
        return self.status == "ok"


def spin_reference(
    path: str | Path,
    *,
    defines: Mapping[str, str] | None = None,
    seconds: float = 60.0,
    memory_mb: int = 4096,
    cache: bool = True,
    spin_flags: Sequence[str] = SPIN_FLAGS,
) -> SpinReference:
    """SPIN's figures for the model in `path`; `seconds` is CPU time of the verifier, not of gcc.  Without `spin_flags` it
    merges steps and resets dead variables, as it does by default."""
    model = Path(path).resolve()
    if not model.is_file():
        raise FileNotFoundError(model)
    version = spin_version()
    text = _preprocess(model, defines)
    if text.returncode != 0:
        return SpinReference(False, "rejected", _first_lines(text.stderr))
    # Line markers name the file, which must not decide the key; the text does, includes and all.
    lines = (line.strip() for line in text.stdout.splitlines() if not line.startswith("# "))
    body = "\n".join(line for line in lines if line)
    key = hashlib.sha256("\0".join((CACHE_FORMAT, version, *spin_flags, *GCC_FLAGS, body)).encode()).hexdigest()
    entry = _cache_folder() / key[:2] / f"{key}.json"
    if cache and (known := _cached(entry, seconds, memory_mb)) is not None:
        return known
    with tempfile.TemporaryDirectory(prefix="coset-spin-") as folder:
        answer = _measure(Path(folder), model, defines, seconds, memory_mb, spin_flags)
    if cache:
        _remember(entry, answer, seconds, memory_mb)
    return answer


def spin_reference_many(
    paths: Sequence[str | Path],
    *,
    defines: Mapping[str, str] | None = None,
    seconds: float = 60.0,
    memory_mb: int = 4096,
    workers: int = 2,
) -> Iterator[SpinReference]:
    """The figures of several models, in order, each as soon as it is there.

    Threads suffice: the work happens in gcc and pan. It goes on while the caller looks at an earlier answer.
    """
    spin_version()  # a missing tool should be said before any work starts
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(
            lambda path: spin_reference(path, defines=defines, seconds=seconds, memory_mb=memory_mb), paths
        )


def spin_automata(path: str | Path, *, defines: Mapping[str, str] | None = None) -> str:
    """`pan -d`: SPIN's transition tables per proctype, the thing to look at when counts differ."""
    spin_version()
    with tempfile.TemporaryDirectory(prefix="coset-spin-") as name:
        folder, model = Path(name), Path(path).resolve()
        problem = _generate(folder, model, defines) or _compile(folder, model, "-O0", 1024)
        if problem:
            return problem.why
        return _run([str(folder / "pan"), "-d"], folder, 30).stdout


@functools.lru_cache(maxsize=1)
def spin_version() -> str:
    """The first line of `spin -V` with gcc's; raises RuntimeError when either is missing."""
    for tool in ("spin", "gcc"):
        if shutil.which(tool) is None:
            raise RuntimeError(f"{tool} is missing: the comparison with SPIN needs it (Debian: apt install spin gcc)")
    spin = subprocess.run(["spin", "-V"], capture_output=True, text=True, check=False).stdout.strip()
    gcc = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=False).stdout.strip()
    return f"{spin}; gcc {gcc}"


# -- the steps -------------------------------------------------------------------------------------------------------


def _measure(
    folder: Path,
    model: Path,
    defines: Mapping[str, str] | None,
    seconds: float,
    memory_mb: int,
    spin_flags: Sequence[str],
) -> SpinReference:
    problem = _generate(folder, model, defines, spin_flags) or _compile(folder, model, "-O0", memory_mb)
    if problem:
        return problem
    answer = _explore(folder, min(seconds, QUICK_SECONDS), memory_mb, hash_bits=18)
    if answer.status == "timeout" and seconds > QUICK_SECONDS:
        problem = _compile(folder, model, "-O2", memory_mb)
        answer = problem or _explore(folder, seconds, memory_mb, hash_bits=24)
    return answer


def _preprocess(model: Path, defines: Mapping[str, str] | None) -> subprocess.CompletedProcess[str]:
    """The same command that SPIN uses; here it only serves the key of the cache and early errors."""
    flags = [f"-D{name}={value}" for name, value in (defines or {}).items()]
    return _run(["gcc", "-std=gnu99", "-E", "-x", "c", *flags, str(model)], model.parent, 60)


def _generate(
    folder: Path, model: Path, defines: Mapping[str, str] | None, spin_flags: Sequence[str] = SPIN_FLAGS
) -> SpinReference | None:
    # SPIN hands its -D to a shell, hence the quotes. Includes are found relative to the model by cpp.
    flags = [shlex.quote(f"-D{name}={value}") for name, value in (defines or {}).items()]
    done = _run(["spin", *spin_flags, *flags, "-a", str(model)], folder, 120)
    # `spin -a` may complain and write pan.c nevertheless: only its exit status tells.
    if done.returncode != 0 or not (folder / "pan.c").is_file():
        said = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("ltl ")]
        return SpinReference(False, "rejected", _first_lines("\n".join(said)))
    return None


def _compile(folder: Path, model: Path, level: str, memory_mb: int) -> SpinReference | None:
    done = compile_verifier(folder, [*GCC_FLAGS, f"-DMEMLIM={memory_mb}", f"-I{model.parent}"], level)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "error" in line or "undefined" in line]
        return SpinReference(False, "gcc", _first_lines("\n".join(errors) or done.stderr))
    return None


def compile_verifier(folder: Path, flags: Sequence[str], level: str = "-O0") -> subprocess.CompletedProcess[str]:
    """Make `pan` of `pan.c`.  What TinyCC does not compile, gcc may, and its messages are the ones to read."""
    if level == "-O0" and shutil.which("tcc") is not None:
        done = _run(["tcc", *flags, "-o", "pan", "pan.c"], folder, 600)
        if done.returncode == 0:
            return done
    return _run(["gcc", level, *flags, "-o", "pan", "pan.c"], folder, 600)


def _explore(folder: Path, seconds: float, memory_mb: int, hash_bits: int) -> SpinReference:
    """Run pan over the whole space, deeper when needed, and split its errors by kind."""
    depth = FIRST_DEPTH
    while True:
        answer, errors = _pan(folder, depth, seconds, memory_mb, hash_bits)
        if answer.status != "depth" or depth >= LAST_DEPTH:
            break
        depth *= 10
    if not answer.ok or errors == 0:
        return answer
    # -E silences invalid end states, -A assertions; neither changes the search. pan's messages cannot be counted
    # instead: a message that equals the one before it is not printed again.
    without_ends, errors_e = _pan(folder, depth, seconds, memory_mb, hash_bits, "-E")
    without_asserts, errors_a = _pan(folder, depth, seconds, memory_mb, hash_bits, "-A")
    for rerun in (without_ends, without_asserts):
        if not rerun.ok:
            return replace(rerun, why=f"rerun to split the errors: {rerun.why}")
    return replace(
        answer,
        assertions=errors - errors_a,
        invalid_end_states=errors - errors_e,
        other_count=errors_e + errors_a - errors,
    )


def _pan(
    folder: Path, depth: int, seconds: float, memory_mb: int, hash_bits: int, *flags: str
) -> tuple[SpinReference, int]:
    """One run of the verifier, and its number of errors."""
    limits = f"ulimit -c 0; ulimit -t {max(1, round(seconds))}; ulimit -v {(memory_mb + 2048) * 1024}"
    command = f"{limits}; exec ./pan -c0 -n -m{depth} -w{hash_bits} {' '.join(flags)}"
    done = _run(["sh", "-c", command], folder, seconds * 15 + 10)  # wall time: the machine may be busy
    text = done.stdout
    status = _status(done.returncode, text)
    kinds = {_kind(message) for message in _MESSAGE.findall(text)} - {"assertion", "invalid end state"}
    if re.search(r"^error: proctype", text, re.MULTILINE):  # found by pan itself, before it starts
        return SpinReference(False, "rejected", _first_lines(text)), 0
    if status != "ok":
        why = "; ".join(sorted(kinds)) or {"timeout": f"no answer within {seconds:g} s"}.get(status, "")
        why = why or _first_lines((text + done.stderr)[-400:])
        return SpinReference(True, status, why, other_errors=tuple(sorted(kinds))), 0
    head = re.search(r"depth reached (\d+), errors: (\d+)", text)
    assert head is not None, text
    answer = SpinReference(
        True,
        status,
        states=_counter(text, "states, stored"),
        transitions=_counter(text, "transitions"),
        matched=_counter(text, "states, matched"),
        atomic=_counter(text, "atomic steps"),
        depth=int(head[1]),
        other_errors=tuple(sorted(kinds)),
    )
    return answer, int(head[2])


def _status(code: int, text: str) -> str:
    if code in (124, 137, 152, -9, -24):  # killed by the wall clock or by the CPU limit (SIGKILL, SIGXCPU)
        return "timeout"
    if _OUT_OF_MEMORY.search(text):
        return "memory"
    if "VECTORSZ" in text and "too small" in text:
        return "vector"
    if "states, stored" not in text or code < 0 or code > 128:
        return "crash"
    if _TOO_SHALLOW in text:
        return "depth"
    if "Search not completed" in text:
        return "aborted"
    if re.search(r"^\s*[0-9.]+e\+\d+ (states|transitions|atomic)", text, re.MULTILINE):
        return "inexact"
    return "ok"


def _kind(message: str) -> str:
    if message.startswith("assertion violated"):
        return "invalid array index" if "invalid array index" in message else "assertion"
    return message


def _counter(text: str, what: str) -> int:
    found = re.search(_COUNTER.format(re.escape(what)), text, re.MULTILINE)
    assert found is not None, f"no counter {what!r} in:\n{text}"
    return int(float(found[1]))


def _run(command: Sequence[str], folder: Path, seconds: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"no answer within {seconds:.0f} s")


def _first_lines(text: str, count: int = 3) -> str:
    return " | ".join(line.strip() for line in text.splitlines() if line.strip())[: 200 * count]


# -- the cache -------------------------------------------------------------------------------------------------------


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "coset-tests" / "spin"


def _cached(entry: Path, seconds: float, memory_mb: int) -> SpinReference | None:
    """A stored answer, unless it was cut short by limits tighter than the present ones."""
    try:
        stored = json.loads(entry.read_text())
        answer = SpinReference(**{**stored["answer"], "other_errors": tuple(stored["answer"]["other_errors"])})
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if answer.status == "timeout" and stored["seconds"] < seconds:
        return None
    if answer.status == "memory" and stored["memory_mb"] < memory_mb:
        return None
    return answer


def _remember(entry: Path, answer: SpinReference, seconds: float, memory_mb: int) -> None:
    entry.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"answer": asdict(answer), "seconds": seconds, "memory_mb": memory_mb})
    with tempfile.NamedTemporaryFile("w", dir=entry.parent, delete=False) as file:
        file.write(text)
    os.replace(file.name, entry)  # other test processes may read and write the same entry
