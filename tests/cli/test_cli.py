"""The command line: answers, exit codes, JSON, and what happens when something goes wrong."""

from __future__ import annotations

import io
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

import coset
from coset.cli import installation
from coset.cli.completion import Level, levels
from coset.formats.json_output import schema
from coset.languages.registry import LANGUAGES
from coset.options.commands import COMMAND_NAMES, COMMANDS
from coset.views import terminal
from tests.support.command_line import BROKEN, FAILING, Run, program, runner, written
from tests.support.paths import MODELS, ROOT

SCHEMAS = (
    "explore",
    "check",
    "plan",
    "prove",
    "symmetry",
    "replay",
    "simulate",
    "show",
    "draw",
    "features",
    "serve",
    "doctor",
    "error",
)
SMALL = MODELS / "philosophers.pml"
FIELDS = {
    "schema", "command", "model", "states", "transitions", "reduction", "represents", "complete", "depth", "errors", "symmetry",
    "engine", "representative", "certified_states", "threads", "steps", "seconds", "bytes_per_state", "peak_memory",
    "storage", "omission_probability", "nodes",
}  # fmt: skip


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


# --- help ------------------------------------------------------------------------------------------


def test_help_names_every_command(run: Run) -> None:
    answer = run("--help")
    assert answer.code == 0
    text = " ".join(answer.out.split())
    assert all(command.name in text and command.summary in text for command in COMMANDS if " " not in command.name)


@pytest.mark.parametrize("level", [level for level in levels() if not level.commands], ids=lambda it: " ".join(it.path))
def test_every_command_has_help_and_json(run: Run, level: Level) -> None:
    answer = run(*level.path, "--help")
    assert answer.code == 0
    assert "--json" in answer.out


LIGHT = (
    "cli", "cli.errors", "cli.interruption", "cli.parser", "source", "source.budget", "source.leftovers", "source.printable",
    "properties", "properties.kinds", "symmetry", "symmetry.methods", "symmetry.methods.registry", "symmetry.canonical",
    "symmetry.canonical.strategies", "engines", "engines.choices",
    "engines.registry", "languages", "languages.language", "languages.registry",
)  # fmt: skip
"""What the help is made from: descriptions, which import nothing."""


def test_help_imports_nothing_heavy() -> None:
    """So that it answers at once: no stage of the pipeline, no package from elsewhere, nor the slow parts of Python."""
    code = f"""import sys; sys.path.append({str(ROOT / "src")!r})
from coset.cli import main; main(["--help"]); print(*sys.modules, file=sys.stderr)"""
    loaded = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True).stderr.split()
    ours = {name for name in loaded if name.startswith("coset")}
    light = {"coset", *(f"coset.{name}" for name in LIGHT)}
    light |= {f"coset.languages.{name}{part}" for name in LANGUAGES for part in ("", ".language")}
    assert {name for name in ours if not name.startswith("coset.options")} == light
    slow = {"json", "dataclasses", "inspect", "subprocess", "pathlib", "random", "importlib.metadata", "asyncio"}
    assert not slow & set(loaded)


def test_version(run: Run) -> None:
    assert run("--version").out == f"coset {coset.__version__}\n"


def test_the_installed_script() -> None:
    script = Path(sys.executable).parent / "coset"
    assert subprocess.run([script, "--version"], capture_output=True, text=True).stdout.startswith("coset ")


# --- wrong usage -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "nonsense"),
        (["explore"], "FILE"),
        (["explore", "--nonsense", "m.pml"], "--nonsense"),
        (
            ["explore", "--engine", "magic", "m.pml"],
            "'magic' is not known (available: auto, explicit, symbolic, distributed, reference)",
        ),
        (["explore", "--symmetry", "magic", "m.pml"], "'magic' is not known (available: auto, off"),
        (["explore", "--representative", "nice", "m.pml"], "'nice' is not known (available: auto, enumerate, sort"),
        (["explore", "--steps", "giant", "m.pml"], "'giant' is not known (available: plain, merged)"),
        (["explore", "--threads", "0", "m.pml"], "not a positive whole number"),
        (["explore", "--max-states", "-3", "m.pml"], "not a positive whole number"),
        (["explore", "--max-seconds", "soon", "m.pml"], "not a positive number of seconds"),
        (["explore", "--max-seconds", "nan", "m.pml"], "not a positive number of seconds"),
        (["explore", "--max-memory", "lots", "m.pml"], "not a size such as 500M"),
        (["explore", "-D", "3=N", "m.pml"], "not of the form NAME or NAME=VALUE"),
        (["explore", "--max-st", "3", "m.pml"], "--max-st"),
        (["simulate", "--max-moves", "0", "m.pml"], "not a positive whole number"),
    ],
)
def test_wrong_usage(run: Run, arguments: list[str], message: str) -> None:
    answer = run(*arguments)
    assert answer.code == 2
    assert not answer.out
    assert message in answer.err and "usage: coset" in answer.err and not answer.out
    document = run(*arguments, "--json").json
    assert document["error"]["kind"] == "usage" and message in document["error"]["message"]
    assert document["command"] == (arguments[0] if arguments[0] != "nonsense" else None)


def test_no_command_is_wrong_usage(run: Run) -> None:
    answer = run()
    assert answer.code == 2 and not answer.out and "explore" in answer.err


# --- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["check", "explore", "simulate", "show"])
def test_missing_file(run: Run, command: str) -> None:
    answer = run(command, "nowhere.pml")
    assert answer.code == 2 and not answer.out
    assert "nowhere.pml: No such file or directory" in answer.err
    document = run(command, "nowhere.pml", "--json").json
    assert document["command"] == command and document["error"]["kind"] == "input"
    assert document["diagnostics"][0]["file"] is None


def test_folder_and_unknown_language(run: Run, tmp_path: Path) -> None:
    assert run("explore", tmp_path).code == 2
    answer = run("explore", written(tmp_path, "x", "m.txt"))
    assert answer.code == 2 and ".pml" in answer.err


@pytest.mark.parametrize("command", ["check", "explore", "simulate", "show"])
def test_broken_model(run: Run, tmp_path: Path, command: str) -> None:
    path = written(tmp_path, BROKEN)
    answer = run(command, path)
    assert answer.code == 2 and not answer.out
    assert f"{path}:1:" in answer.err and "error[" in answer.err and "Traceback" not in answer.err
    document = run(command, path, "--json").json
    first = document["diagnostics"][0]
    assert (first["severity"], first["file"], first["line"]) == ("error", str(path), 1)
    assert first["code"] in answer.err


def test_internal_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **settings: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("coset.tasks.explore.explore", fail)
    monkeypatch.delenv("COSET_DEBUG", raising=False)
    answer = run("explore", SMALL)
    assert answer.code == 70 and not answer.out
    assert "report" in answer.err and "Traceback" not in answer.err
    assert run("explore", SMALL, "--json").json["error"]["kind"] == "internal"
    monkeypatch.setenv("COSET_DEBUG", "1")
    assert "Traceback" in run("explore", SMALL).err


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), MemoryError()])
def test_environment(run: Run, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*arguments: object, **settings: object) -> None:
        raise error

    monkeypatch.setattr("coset.tasks.load.load", fail)
    assert run("show", SMALL).code == 4
    assert run("show", SMALL, "--json").json["error"]["exit"] == 4


# --- explore ---------------------------------------------------------------------------------------


def test_explore_says_what_it_counted(run: Run) -> None:
    answer = run("explore", SMALL, "--engine", "reference", "--symmetry", "off")
    assert answer.code == 0 and not answer.err
    for part in ("philosophers.pml: complete, reference engine", "1,297", "4,969", "1 invalid end state"):
        assert part in answer.out


@pytest.mark.parametrize("engine", ["reference", "explicit"])
def test_explore_json_has_the_agreed_fields(run: Run, engine: str) -> None:
    document = run("explore", SMALL, "--engine", engine, "--symmetry", "off", "--json").json
    assert set(document) == FIELDS
    assert (document["states"], document["transitions"], document["represents"]) == (1297, 4969, 1297)
    assert document["errors"] == {"assertions": 0, "invalid_end_states": 1, "trace": 0, "faults": {}}
    assert document["symmetry"] == {
        "method": "off",
        "order": 1,
        "generators": [],
        "structure": "trivial",
        "note": None,
    }
    assert document["engine"] == engine and document["representative"] is None and document["complete"]


@pytest.mark.parametrize(("engine", "representative"), [("reference", "enumerate"), ("explicit", "chain")])
def test_explore_json_tells_of_symmetry(run: Run, engine: str, representative: str) -> None:
    document = run("explore", SMALL, "--engine", engine, "--json").json
    assert set(document) == FIELDS
    assert (document["states"], document["transitions"], document["represents"]) == (226, 865, 1297)
    assert document["symmetry"] == {
        "method": "program",
        "order": 6,
        "generators": ["(0 1 2 3 4 5)"],
        "structure": "C6 on philosopher",
        "note": None,
    }
    assert document["engine"] == engine and document["representative"] == representative and document["complete"]


def test_explore_json_of_whole_orbits(run: Run) -> None:
    """A strategy that cannot be chosen, but may be used."""
    document = run("explore", MODELS / "barrier.pml", "--engine", "symbolic", "--symmetry", "program", "--json").json
    assert document["representative"] == "orbits"


def test_engines_that_cannot(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = run("explore", SMALL, "--engine", "reference", "--threads", "2")
    assert answer.code == 2 and "one thread" in answer.err
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setenv("COSET_QUICK", "off")
    answer = run("explore", SMALL, "--engine", "explicit")
    assert answer.code == 4 and "no-such-compiler" in answer.err
    assert run("explore", SMALL, "--engine", "explicit", "--json").json["error"]["kind"] == "environment"
    monkeypatch.setattr("coset.engines.explicit.compile.supported", lambda layout: "such a thing")
    answer = run("explore", SMALL, "--engine", "explicit")
    assert answer.code == 2 and "such a thing" in answer.err


@pytest.mark.parametrize("options", [["-D", "N=3"], ["-DN=3"], ["-D", "N=9", "-DN=3"], ["-DN=3", "-DOTHER"]])
def test_macros(run: Run, options: list[str]) -> None:
    assert run("explore", *options, SMALL, "--json").json["represents"] == 35


def test_a_bare_macro_is_1(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, "#if FAST\nactive proctype P() { skip }\n#endif\n")
    assert run("explore", path).code == 2
    assert run("explore", "-D", "FAST", path, "--json").json["states"] == 3


def test_include_folders(run: Run, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    written(tmp_path / "parts", "#define STATEMENT skip\n", "parts.h")
    path = written(tmp_path, '#include "parts.h"\nactive proctype P() { STATEMENT }\n')
    assert run("explore", path).code == 2
    assert run("explore", "-I", tmp_path / "parts", path).code == 0


@pytest.mark.parametrize(
    ("options", "why"), [(["--max-memory", "1M"], "--max-memory"), (["--max-seconds", "0.0001"], "--max-seconds")]
)
def test_limits_that_are_reached_before_anything_is_known(run: Run, options: list[str], why: str) -> None:
    answer = run("explore", SMALL, *options)
    assert answer.code == 3 and why in answer.err and not answer.out
    answer = run("explore", SMALL, *options, "--json")
    assert answer.code == 3 and answer.json["error"]["kind"] == "limit" and why in answer.json["error"]["message"]


def test_limits_make_it_inconclusive(run: Run) -> None:
    options = ["--max-states", "100", "--engine", "reference", "--symmetry", "off"]
    answer = run("explore", SMALL, *options)
    assert answer.code == 3
    assert "--max-states" in answer.err and "lower bounds" in answer.out
    answer = run("explore", SMALL, *options, "--json")
    assert answer.code == 3 and not answer.json["complete"]


def test_errors_do_not_stop_explore(run: Run, tmp_path: Path) -> None:
    answer = run("explore", written(tmp_path, FAILING), "--engine", "reference")
    assert answer.code == 0
    assert "1 assertion violation" in answer.out and "assert(x == 2)" in answer.out
    path = written(tmp_path, "byte a[2]; active proctype P() { byte i = 2; a[i] = 1 }", "fault.pml")
    assert run("explore", path, "--json").json["errors"]["faults"] == {"index": 1}


# --- check -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["reference", "explicit"])
def test_check_json(run: Run, engine: str) -> None:
    answer = run("check", SMALL, "-D", "N=3", "--engine", engine, "--json")
    document = answer.json
    assert answer.code == 1 and document["verdict"] == "violated" and document["engine"] == engine
    added = {"fair", "fairness", "confirmed", "properties", "timing", "unreached", "unread", "verdict"}
    assert set(document) == FIELDS | added
    found = {each["name"]: each for each in document["properties"]}
    assert {name: (each["kind"], each["verdict"]) for name, each in found.items()} == {
        "assertions": ("assertion", "holds"),
        "end states": ("deadlock", "violated"),
        "faults": ("safety", "holds"),
    }
    assert len(found["end states"]["trace"]["moves"]) == 6 and found["faults"]["trace"] is None


def test_check_says_which_property_is_violated(run: Run, tmp_path: Path) -> None:
    answer = run("check", written(tmp_path, FAILING))
    assert answer.code == 1 and not answer.err
    assert "assert(x == 2) is violated" in answer.out and "m.pml: violated (assertions)" in answer.out
    assert run("check", MODELS / "dekker.pml", "--property", "exclusion").code == 0


def test_check_of_formulas(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, "byte x; active proctype P() { x = 1; x = 2 } ltl mine { <> (x == 2) }")
    document = run("check", path, "--ltl", "[] (x < 2)", "--property", "mine", "--ltl", "<> (x == 1)", "--json").json
    assert [(each["name"], each["verdict"]) for each in document["properties"]] == [
        ("mine", "holds"),
        ("command_line_1", "violated"),
        ("command_line_2", "holds"),
    ]
    answer = run("check", path, "--ltl", "[] (x < 2)", "--ltl", "<> (y == 1)")
    assert answer.code == 2 and "--ltl:1:5: error[N001]" in answer.err
    answer = run("check", path, "--property", "yours")
    assert answer.code == 2 and "'mine'" in answer.err


def test_check_writes_files(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, FAILING)
    trace, chart = tmp_path / "trace.json", tmp_path / "chart.svg"
    assert run("check", path, "--trace", trace, "--trail", "--svg", chart).code == 1
    assert chart.read_text().startswith("<svg") and (tmp_path / "m.pml.trail").is_file()
    assert run("replay", path, trace).code == 1
    trace.unlink()
    answer = run("check", path, "--property", "faults", "--trace", trace)
    assert answer.code == 0 and "no counterexample" in answer.err and not trace.exists()


def test_check_that_cannot(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = run("check", SMALL, "--engine", "reference", "--max-states", "100", "--json")
    assert answer.code == 3 and answer.json["verdict"] == "unknown"
    assert run("check", SMALL, "--engine", "reference", "--threads", "2").code == 2
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setenv("COSET_QUICK", "off")
    assert run("check", SMALL, "--engine", "explicit").code == 4


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("check", MODELS / "dekker.pml", "--fair", "--symmetry", "constraints"), "permutations of literals"),
        (("check", SMALL, "--representative", "sort"), "try 'chain'"),
        (("explore", SMALL, "--representative", "sort"), "try 'chain'"),
    ],
)
def test_symmetry_that_cannot_be_had_is_refused_by_name(run: Run, arguments: tuple[object, ...], why: str) -> None:
    answer = run(*arguments)
    assert answer.code == 2 and not answer.out and why in answer.err


# --- show and doctor -------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.pml")), ids=lambda path: path.stem)
def test_show(run: Run, path: Path) -> None:
    model = coset.load(path)
    assert run("show", path).out == str(model)
    document = run("show", path, "--json").json
    assert [kind["name"] for kind in document["kinds"]] == [kind.name for kind in model.kinds]
    assert len(document["properties"]) == len(model.properties)


def test_show_of_a_monitor(run: Run, tmp_path: Path) -> None:
    text = "chan c = [1] of {byte}; trace { c!1 } active proctype P() provided (len(c) == 0) { c!1 }"
    document = run("show", written(tmp_path, text), "--json").json
    assert document["monitor"]["negated"] is False
    assert document["kinds"][0]["provided"] == "len(c) == 0"


def test_doctor(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("doctor").code == 0
    document = run("doctor", "--json").json
    found = {finding["name"]: finding for finding in document["findings"]}
    assert document["usable"] and found["python"]["usable"] and found["coset"]["version"] == coset.__version__
    assert found["gcc"]["usable"] and found["spin"]["usable"] and found["dot"]["usable"]
    monkeypatch.setattr(installation, "LOWEST_PYTHON", (9, 0))
    assert run("doctor").code == 4
    assert not run("doctor", "--json").json["usable"]


def test_doctor_without_anything(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = written(tmp_path, "#!/bin/sh\nexit 1\n", "gcc")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("COSET_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(broken))
    answer = run("doctor", "--json")
    found = {finding["name"]: finding for finding in answer.json["findings"]}
    assert answer.code == 0
    assert not any(found[name]["usable"] for name in ("cc", "gcc", "clang", "spin", "dot", "cache"))


# --- interruptions and pipes -----------------------------------------------------------------------


@pytest.mark.parametrize("options", [["--engine", "reference"], ["--engine", "reference", "--json"], ["--json"]])
def test_interruption(options: list[str]) -> None:
    """Ctrl-C ends a long exploration with what is known so far.  Progress shows on a terminal only."""
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "coset.cli", "explore", str(MODELS / "email.pml"), *options]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=slave, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None,
    )  # fmt: skip
    shown = ""
    while "states" not in shown:
        shown += os.read(master, 1000).decode()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    os.close(slave)
    os.close(master)
    assert process.returncode == 130
    assert "frontier" in shown
    if "--json" in options:
        document = json.loads(out)
        jsonschema.Draft202012Validator(schema("explore")).validate(document)
        assert document["states"] > 0 and not document["complete"]
    else:
        assert "interrupt" in out and "states" in out


def test_nobody_reads() -> None:
    command = f"'{sys.executable}' -m coset.cli simulate --seed 1 '{MODELS / 'peterson.pml'}' | head -n 1"
    done = subprocess.run(["bash", "-c", f"{command}; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True)
    assert done.stdout.split("\n")[1] == "141"
    assert not done.stderr


def test_strange_file_names(tmp_path: Path) -> None:
    name = os.fsdecode(b"gr\xfc\xdf \xff.pml")
    path = written(tmp_path, "active proctype P() { skip }", name)
    for encoding in ("utf-8", "ascii"):
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        assert program("explore", path, env=environment).code == 0
        assert program("explore", path, "--json", env=environment).json["states"] == 3


# --- formats and views -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_valid_and_strict(name: str) -> None:
    document = schema(name)
    jsonschema.Draft202012Validator.check_schema(document)

    def check(part: object) -> None:
        if isinstance(part, dict):
            if part.get("type") == "object" and "properties" in part:
                assert part["additionalProperties"] is False
                assert part["required"] == list(part["properties"])
            for each in part.values():
                check(each)
        elif isinstance(part, list):
            for each in part:
                check(each)

    check(document)


def test_every_command_has_a_schema() -> None:
    assert set(COMMAND_NAMES) == set(SCHEMAS) - {"error"}


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colours_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert terminal.style(Screen()).coloured
    assert not terminal.style(io.StringIO()).coloured
    monkeypatch.setenv("NO_COLOR", "")  # an empty one does not count, says no-color.org
    assert terminal.style(Screen()).coloured
    monkeypatch.setenv("NO_COLOR", "1")
    assert not terminal.style(Screen()).coloured
