"""Confirmation by SPIN: does `spin -t` end in the same state as our replay?

SPIN gets the trail and the user's file, so it is independent of Coset's model.  The comparison covers the error that SPIN
reports (with its line), the values of all variables, the contents of channels, and the remaining processes and whether they
are at valid end states.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from coset.model.domain import Domain, Refers
from coset.model.interpreter import Interpreter, Move, is_fault
from coset.model.model import GONE, Assert, Claim, Edge, Model, NewChannel
from coset.model.state import State, offsets, process_name
from coset.results.changes import channel_names
from coset.results.trace import Run
from coset.source import children
from coset.source.records import dataclass
from coset.source.scratch import scratch_folder

FAULTS = {"index": "indexing array", "channel": "uninitialized chan", "processes": "too many processes"}
"""SPIN's message for a fault, by its kind.  SPIN crashes on a division by zero, reports no location for a process with a
blocked d_step, and has no message for other kinds."""

_ENDS = re.compile(r"^spin: trail ends after \d+ steps$", re.MULTILINE)
_ERROR = re.compile(r"^\s*(?:spin: )?(?:(.+):(\d+), )?(Error: .*|too many processes.*)$", re.MULTILINE)
_PROCESS = re.compile(
    r"^\s*\d+:\tproc\s+(\d+) \((.+):\d+\) (?:.*:-?\d+ \(state -?\d+\)( <valid end state>)?)?$", re.MULTILINE
)
_VALUE = re.compile(r"^\t\t(?!queue )(\S+) = (\S+)$", re.MULTILINE)
_QUEUE = re.compile(r"^\t\tqueue \d+ \((\S+)\): (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SpinError:
    """An error that SPIN reports, and its line."""

    text: str
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class SpinProcess:
    """A process that exists at the end.  `nowhere` if SPIN reports no location: its statement could not be executed."""

    pid: int
    kind: str
    valid_end: bool
    nowhere: bool


@dataclass(frozen=True, slots=True)
class SpinVerdict:
    """The outcome of SPIN's replay.  `finished`: it reached the end of the trail; `failed`: a statement could not be executed;
    `crashed`: SPIN itself crashed, as it does on a division by zero."""

    finished: bool
    failed: bool
    crashed: bool
    cycle: bool
    errors: tuple[SpinError, ...]
    processes: tuple[SpinProcess, ...]
    values: Mapping[str, str]
    output: str = field(repr=False)


def check_with_spin(
    path: str | Path, trail: str, defines: Mapping[str, str] | None = None, include_dirs: Sequence[str] = ()
) -> SpinVerdict:
    """Have SPIN replay a trail on a file, which is not touched.  Raises `OSError` if there is no SPIN."""
    # SPIN hands its options and the name of the file to a shell, the name in double quotes, in which `$(...)` is executed.
    # So it only gets names that we choose: of links, and of a file with the macros.
    macros = [f"#define {name} {value}".replace("\n", " ") for name, value in (defines or {}).items()]
    path = Path(path).resolve()
    links = {"model.pml": path, "home": path.parent}
    links |= {f"include{number}": Path(each).resolve() for number, each in enumerate(include_dirs)}
    folders = " ".join(f"-I{name}" for name in links if name.startswith("include"))
    preprocessor = f"gcc -std=gnu99 -E -x c -imacros macros.h -iquote home {folders}"
    with scratch_folder("spin") as folder:
        (folder / "trail").write_text(trail)
        (folder / "macros.h").write_text("".join(f"{line}\n" for line in macros))
        for name, target in links.items():
            (folder / name).symlink_to(target)
        # -p: also says which statement could not be executed; -l: the values of local variables at the end.
        command = ["spin", f"-P{preprocessor}", "-p", "-l", "-k", "trail", "model.pml"]
        done = children.run(command, folder=folder)
    return verdict(done.text, done.code < 0)


def verdict(output: str, crashed: bool) -> SpinVerdict:
    """Parse SPIN's output.  The final state comes after the end of the trail."""
    ends = list(_ENDS.finditer(output))
    final = output[ends[-1].end() :] if ends else ""
    return SpinVerdict(
        finished=bool(ends),
        failed="\ttransition failed" in output or "error: invalid statement" in output,
        crashed=crashed,
        cycle="<<<<<START OF CYCLE>>>>>" in output,
        errors=tuple(
            SpinError(text, file or None, int(line) if line else None) for file, line, text in _ERROR.findall(output)
        ),
        processes=tuple(
            SpinProcess(int(found[1]), found[2].strip(":"), bool(found[3]), not found[0].endswith((")", ">")))
            for found in reversed(list(_PROCESS.finditer(final)))
        ),
        values=unique(_VALUE.findall(final)) | unique(queues(_QUEUE.findall(final))),
        output=output,
    )


def queues(found: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The contents of channels, field by field: name, place in the channel, place in the message.

    >>> queues([("box", "[data,3][ack,1]"), ("desk", "")])
    [('box[0][0]', 'data'), ('box[0][1]', '3'), ('box[1][0]', 'ack'), ('box[1][1]', '1')]
    """
    return [
        (f"{name}[{place}][{column}]", value)
        for name, held in found
        for place, message in enumerate(re.findall(r"\[([^]]*)\]", held))
        for column, value in enumerate(message.split(","))
    ]


def unique(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """A table without names that occur twice, as those of variables in different blocks do, and with SPIN's
    `:init:` as `init`."""
    counts = Counter(name for name, _ in pairs)
    return {re.sub("^:init:", "init", name): value for name, value in pairs if counts[name] == 1}


# --- comparing -----------------------------------------------------------------------------------


def differences(run: Run, spin: SpinVerdict) -> list[str]:
    """The differences between SPIN's replay and ours; empty if SPIN confirms the run."""
    if run.moves and is_fault(run.moves[-1]):
        return list(fault_differences(run, spin))
    found = [*end_differences(spin), *state_differences(run, spin)]
    if run.trace.kind == "assertion":
        found += assertion_differences(run, spin)
    elif run.trace.kind == "deadlock":
        found += deadlock_differences(run, spin)
    if run.trace.loop_start not in (None, len(run.moves)) and not spin.cycle:
        found.append("SPIN sees no cycle")
    return found


def end_differences(spin: SpinVerdict) -> Iterator[str]:
    if spin.crashed:
        yield "SPIN crashed"
    elif not spin.finished:
        yield "SPIN did not come to the end of the trail"
    if spin.failed:
        yield "SPIN could not execute a statement of the trail"


def state_differences(run: Run, spin: SpinVerdict) -> Iterator[str]:
    """Differences in the processes and values at the end."""
    model, state = run.model, run.last
    ours = [model.kinds[process.kind].name for process in state.processes]
    theirs = [process.kind for process in spin.processes]
    if ours != theirs:
        yield f"SPIN has the processes {theirs}, we have {ours}"
        return
    names, of_claims = labels(model), claim_variables(model)
    for name, domain, value in values(run.interpreter, state):
        found = spin.values.get(name)
        if found is not None and name not in of_claims and not same(domain, value, found, names):
            yield f"SPIN has {name} = {found}, we have {domain.show(value)}"


def claim_variables(model: Model) -> set[str]:
    """The variables that only never claims use, which are part of a claim's location and not of our states."""
    claims = [each.automaton for each in model.properties if isinstance(each, Claim)]
    return {variable.name for claim in claims for variable in claim.variables}


def values(interpreter: Interpreter, state: State) -> Iterator[tuple[str, Domain, int]]:
    """The name, the domain and the value of every variable and of every field of a message, under SPIN's names."""
    model = interpreter.model
    rows = [("", model.variables, state.values)]
    rows += [
        (f"{process_name(model, pid, process)}:", model.kinds[process.kind].variables, process.values)
        for pid, process in enumerate(state.processes)
    ]
    channels = dict(zip(channel_names(model, state), state.channels))
    numbers = {name: number for number, name in enumerate(channels, 1)}
    for prefix, variables, row in rows:
        for variable, start in offsets(variables).items():
            for k in range(variable.size):
                name = prefix + variable.element(k)
                yield name, variable.domain, row[start + k]
                if numbers.get(name) == row[start + k]:  # SPIN shows the channel that the variable holds now
                    fields = interpreter.channel_types[channels[name].type].fields
                    for place, message in enumerate(channels[name].messages):
                        for column, (domain, value) in enumerate(zip(fields, message)):
                            yield f"{name}[{place}][{column}]", domain, value


def labels(model: Model) -> dict[str, set[int]]:
    """The values of all enumeration names.  SPIN does not always know the enumeration of a variable."""
    rows = [model.variables, *(kind.variables for kind in model.kinds)]
    domains = [variable.domain for row in rows for variable in row]
    domains += [d for row in rows for v in row if isinstance(v.initial, NewChannel) for d in v.initial.type.fields]
    found: dict[str, set[int]] = {}
    for number, label in {pair for domain in domains for pair in domain.labels}:
        found.setdefault(label, set()).add(number)
    return found


def same(domain: Domain, ours: int, theirs: str, names: Mapping[str, set[int]]) -> bool:
    """Whether SPIN shows the same value.  Fields of records are shown before they are made to fit, channels have
    other numbers, and a name may be of any enumeration.

    >>> from coset.model.domain import BYTE
    >>> same(BYTE, 44, "300", {}), same(BYTE, 1, "2", {}), same(BYTE, 3, "red", {"red": {1, 3}})
    (True, False, True)
    """
    if domain.refers is Refers.CHANNEL:
        return True
    if theirs.lstrip("-").isdigit():
        return domain.fit(int(theirs)) == domain.fit(ours)
    return theirs not in names or ours in names[theirs]


def assertion_differences(run: Run, spin: SpinVerdict) -> Iterator[str]:
    reported = [error for error in spin.errors if "assertion violated" in error.text]
    if not reported:
        yield "SPIN reports no violated assertion"
        return
    lines = set(error_lines(run, run.states[-2], run.moves[-1]))
    if lines and reported[-1].line not in lines:
        expected = ", ".join(map(str, sorted(lines)))
        yield f"SPIN reports a violated assertion in line {reported[-1].line}, we in line {expected}"


def deadlock_differences(run: Run, spin: SpinVerdict) -> Iterator[str]:
    """Differences in whether processes are at valid end states.  In other runs a process may be at an intermediate location,
    which SPIN's simulator does not have."""
    kinds = run.model.kinds
    for process, other in zip(run.last.processes, spin.processes):
        if kinds[process.kind].locations[process.at].end != other.valid_end:
            yield f"SPIN finds process {other.pid} {'' if other.valid_end else 'not '}at a valid end"


def fault_differences(run: Run, spin: SpinVerdict) -> Iterator[str]:
    """Whether SPIN reports the same fault.  It continues after it, so values are not compared."""
    kind, _ = run.moves[-1].errors[-1]
    if kind == "division":
        if not spin.crashed:
            yield "SPIN did not divide by zero"
        return
    if spin.crashed or not spin.finished:
        yield "SPIN did not come to the end of the trail"
    elif kind == "blocked":
        if not any(process.nowhere for process in spin.processes):
            yield "SPIN did not block in the d_step"
    elif kind not in FAULTS:
        yield f"SPIN does not report faults of the kind '{kind}'"
    elif not any(FAULTS[kind] in error.text for error in spin.errors):
        yield f"SPIN does not report '{FAULTS[kind]}'"


def error_lines(run: Run, before: State, move: Move) -> Iterator[int]:
    """The lines of the assertions that a move may have violated: that of its edge, or one inside its d_step."""
    kinds = run.model.kinds
    messages = {message for kind, message in move.errors if kind == "assertion"}
    for pid, first in [(move.process, move.edge), *([move.partner] if move.partner else [])]:
        locations = kinds[before.processes[pid].kind].locations
        pending, seen = [first], set[int]()
        while pending:
            edge = pending.pop()
            yield from assertion_lines(edge, messages)
            if edge.target != GONE and edge.target not in seen and locations[edge.target].transient:
                seen.add(edge.target)
                pending.extend(locations[edge.target].edges)


def assertion_lines(edge: Edge, messages: set[str]) -> Iterator[int]:
    """The lines that an assertion spans, as SPIN reports the line of the part that it evaluated last."""
    for effect in edge.effects:
        if isinstance(effect, Assert) and f"assert({effect.condition}) is violated" in messages and edge.span:
            last = edge.span.source.position(max(edge.span.start, edge.span.end - 1))[0]
            yield from range(edge.span.line, last + 1)
