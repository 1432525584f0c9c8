"""`coset serve`: who may ask, what is shown, and how runs are started, watched and cancelled."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import jsonschema
import pytest

from coset.formats.json_output import schema
from coset.server import runs
from coset.server.application import Server
from coset.server.folder import served
from tests.support.command_line import BROKEN, FAILING, program, written
from tests.support.html_pages import Page
from tests.support.served_models import ENDLESS, HOLDS

WARNED = "byte x; active proctype P() { x = 010; x = 1 }\n"
POLLS = 1200
"""A test asks this often for the state of a run, twenty times a second, before it fails."""


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    text: str
    headers: dict[str, str]

    @property
    def words(self) -> str:
        """The text that one reads; every element is closed."""
        found = Page(self.text)
        assert not found.open
        return found.words


class Visitor:
    """A browser without a window."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.host = f"127.0.0.1:{server.port}"
        self.cookie: str | None = None

    def ask(self, method: str, path: str, body: str | None = None, **headers: str) -> Reply:
        sent = {"Host": self.host, **({"Cookie": self.cookie} if self.cookie else {})}
        if body is not None:
            sent |= {"Origin": f"http://{self.host}", "Content-Type": "application/x-www-form-urlencoded"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=120)
        connection.request(method, path, body, {name: value for name, value in sent.items() if value})
        answer = connection.getresponse()
        reply = Reply(answer.status, answer.read().decode(), dict(answer.getheaders()))
        connection.close()
        return reply

    def get(self, path: str, **headers: str) -> Reply:
        return self.ask("GET", path, **headers)

    def enter(self) -> None:
        reply = self.get(f"/?token={self.server.token}")
        assert reply.status == 303 and reply.headers["Location"] == "/"
        self.cookie = reply.headers["Set-Cookie"].partition(";")[0]

    def start(self, **form: str | list[str]) -> str:
        reply = self.ask("POST", "/run", urlencode(form, doseq=True))
        assert reply.status == 303, reply.text
        return reply.headers["Location"]

    def state(self, run: str) -> dict[str, object]:
        found: dict[str, object] = json.loads(self.get(f"{run}/state").text)
        return found

    def wait(
        self, run: str, until: Callable[[dict[str, object]], bool] = lambda state: state["status"] == "done"
    ) -> Reply:
        for _ in range(POLLS):
            if until(self.state(run)):
                return self.get(run)
            time.sleep(0.05)
        raise AssertionError(self.state(run))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    folder = tmp_path / "my models"
    (folder / "below").mkdir(parents=True)
    for name, text in {
        "fails.pml": FAILING, "below/holds.pml": HOLDS, "broken.pml": BROKEN, "-odd.pml": HOLDS, "warned.pml": WARNED,
        "endless.pml": ENDLESS, "json.py": "raise SystemExit('this is not the json of Python')",
    }.items():  # fmt: skip
        written(folder, text, name)
    written(tmp_path, FAILING, "outside.pml")
    (folder / "link.pml").symlink_to(tmp_path / "outside.pml")
    made = Server(served(folder), 0)
    thread = threading.Thread(target=made.serve_forever, args=[0.05])
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.fixture
def visitor(server: Server) -> Visitor:
    made = Visitor(server)
    made.enter()
    return made


# --- who may ask -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/model?file=fails.pml", "/static/server.css", "/run/1/state"])
def test_nobody_gets_in_without_the_token(server: Server, path: str) -> None:
    visitor = Visitor(server)
    assert visitor.get(path).status == 403
    assert visitor.get(path, Cookie=f"coset-{server.port}=guess").status == 403
    assert visitor.get("/?token=guess").status == 403
    assert "fails" not in visitor.get(path).text


def test_a_name_that_points_here_is_not_enough(visitor: Visitor) -> None:
    """DNS rebinding: a site's own name is made to lead to this machine, so that its scripts can ask here."""
    assert visitor.get("/", Host=f"evil.example:{visitor.server.port}").status == 403
    assert visitor.get("/", Host="127.0.0.1").status == 403
    assert visitor.get("/", Host=f"localhost:{visitor.server.port}").status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", "http://127.0.0.1:1"])
def test_other_sites_start_nothing(visitor: Visitor, origin: str) -> None:
    reply = visitor.ask("POST", "/run", "file=fails.pml", Origin=origin)
    assert reply.status == 403 and not visitor.server.runs.runs


def test_it_listens_on_this_machine_only(server: Server) -> None:
    assert server.socket.getsockname()[0] == "127.0.0.1"


def test_pages_may_load_nothing_else(visitor: Visitor) -> None:
    reply = visitor.get("/")
    policy = reply.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe-inline" in policy
    assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]
    entering = visitor.get(f"/?token={visitor.server.token}")
    assert "HttpOnly" in entering.headers["Set-Cookie"] and "SameSite=Strict" in entering.headers["Set-Cookie"]


@pytest.mark.parametrize(
    "file",
    [
        "../outside.pml",
        "/etc/passwd",
        "link.pml",
        "below/../../outside.pml",
        "nothing.pml",
        "json.py",
        "below",
        "",
        "a\0.pml",
    ],
)
def test_nothing_outside_is_reached(visitor: Visitor, file: str) -> None:
    assert visitor.get("/model?" + urlencode({"file": file})).status == 404
    assert visitor.ask("POST", "/run", urlencode({"file": file})).status == 404


@pytest.mark.parametrize("file", ["a" * 252 + ".pml", "a" * 5000 + ".pml", "/".join(["a"] * 3000) + ".pml"])
def test_a_name_that_no_file_can_have(visitor: Visitor, file: str) -> None:
    """The system refuses to look for it, which is not an error of ours."""
    assert len(file) >= 256
    for reply in (
        visitor.get("/model?" + urlencode({"file": file})),
        visitor.ask("POST", "/run", urlencode({"file": file})),
    ):
        assert reply.status == 404 and "There is no model" in reply.words


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "http://[x", 400),
        ("GET", "/run/" + "9" * 5000, 404),
        ("GET", "/run/" + "9" * 5000 + "/state", 404),
        ("GET", "/static/../server/runs.py", 404),
        ("GET", "/static/%2e%2e%2fruns.py", 404),
        ("PUT", "/run", 501),
        ("GET", "/" + "a" * 70_000, 414),
    ],
)
def test_requests_that_nobody_has_use_for(visitor: Visitor, method: str, path: str, status: int) -> None:
    reply = visitor.ask(method, path)
    assert reply.status == status and reply.words and "default-src 'none'" in reply.headers["Content-Security-Policy"]
    assert reply.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("length", ["9" * 5000, "-1", "1e3", "x", "65537"])
def test_a_form_must_have_a_length(visitor: Visitor, length: str) -> None:
    assert visitor.ask("POST", "/run", "", Content_Length=length).status == 400


def test_entering_leads_nowhere_else(visitor: Visitor) -> None:
    for path in ("//evil.example", "/\\evil.example", "///evil.example"):
        reply = visitor.get(f"{path}?token={visitor.server.token}")
        assert reply.status == 303 and re.fullmatch(r"/[\w%.]*", reply.headers["Location"])


def test_hostile_names(visitor: Visitor) -> None:
    """They are shown as text, and can be run all the same; a name that is no text is left out."""
    name = "-\x1b[2J\n<script>alert(1)&\"'\u202e\x9b.pml"
    folder = visitor.server.folder.root
    (folder / name).write_text("/* Say \x1b[2J\u202e<b>. */ byte x; active proctype P() { x = 1 }\n")
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.pml")).write_text(HOLDS)
    front = visitor.get("/")
    target = next(each for each in re.findall(r'href="(/model[^"]*)"', front.text) if "script" in each)
    page = visitor.get(target)
    found = re.search(r'<input type="hidden" name="encoded" value="([^"]*)">', page.text)
    assert found is not None
    done = visitor.wait(visitor.start(encoded=found[1], command="check"))
    assert "Cancelled" not in done.words and "holds" in done.words and "coset-serve" not in done.text
    for reply in (front, page, done, visitor.get("/")):
        assert reply.status == 200 and reply.words.count("alert(1)") and "<script>alert" not in reply.text
        assert all(each.isprintable() or each in "\n\t" for each in reply.text)


def test_one_model_alone(tmp_path: Path) -> None:
    folder = served(written(tmp_path, FAILING, "a.pml"))
    written(tmp_path, FAILING, "b.pml")
    assert [each.file for each in folder.models()] == ["a.pml"]
    assert folder.path("a.pml") is not None and folder.path("b.pml") is None


# --- what is shown ---------------------------------------------------------------------------------


def test_the_models_of_the_folder(visitor: Visitor) -> None:
    reply = visitor.get("/")
    assert re.findall(r'href="/model\?file=([^"]*)"', reply.text) == [
        "-odd.pml", "broken.pml", "endless.pml", "fails.pml", "warned.pml", "below%2Fholds.pml",
    ]  # fmt: skip
    assert "Two who take turns." in reply.words and "my models" in reply.words


def test_a_model_and_its_properties(visitor: Visitor) -> None:
    reply = visitor.get("/model?file=below/holds.pml&command=symmetry&define=N%3D3")
    assert "do :: x = !x od" in reply.words
    assert re.findall(r'name="property" value="([^"]*)"', reply.text) == ["often", "assertions", "end states", "faults"]
    assert 'value="symmetry" checked' in reply.text and 'name="define" value="N=3"' in reply.text


@pytest.mark.parametrize(("file", "severity"), [("broken.pml", "error"), ("warned.pml", "warning")])
def test_diagnostics_are_in_their_place(visitor: Visitor, file: str, severity: str) -> None:
    reply = visitor.get(f"/model?file={file}")
    after = reply.text.partition('<span id="line1" class="marked"><i>1</i>')[2].partition("</span>")[2]
    assert after.startswith(f'<span class="remark {severity}">{file}:1: {severity}[')
    assert reply.words


# --- runs ------------------------------------------------------------------------------------------


def test_a_check_is_the_page_of_the_command(visitor: Visitor) -> None:
    run = visitor.start(file="fails.pml", command="check", engine="reference", property=["assertions", "end states"])
    reply = visitor.wait(run)
    assert reply.status == 200 and "Violated: assertions" in reply.words and "data-first" in reply.text
    assert "coset check fails.pml --property=assertions '--property=end states' --engine=reference" in reply.words
    assert "coset-serve" not in reply.text
    digest = re.findall(r"'(sha256-[^']*)'", reply.headers["Content-Security-Policy"])
    assert len(digest) == 1
    saved = visitor.get(f"{run}/report")
    assert "attachment" in saved.headers["Content-Disposition"] and "/static/" not in saved.text
    front = visitor.get("/")
    assert "violated" in front.words and "coset check fails.pml" in front.words


def test_the_script_of_the_page_is_the_one_allowed(visitor: Visitor) -> None:
    import base64
    import hashlib

    reply = visitor.wait(visitor.start(file="fails.pml"))
    script = re.findall(r"<script>(.*?)</script>", reply.text, re.DOTALL)[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in reply.headers["Content-Security-Policy"]


def test_an_exploration_and_the_symmetry(visitor: Visitor) -> None:
    explored = visitor.wait(visitor.start(file="below/holds.pml", command="explore", symmetry="off"))
    assert (
        "2 states and" in explored.words
        and "complete" in explored.words
        and "Symmetry detection was off" in explored.words
    )
    found = visitor.wait(visitor.start(file="-odd.pml", command="symmetry", explain="on"))
    assert "S2 on P" in found.words and "(0 1)" in found.words and "all interchangeable" in found.words


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"file": "broken.pml"}, "error[S"),
        ({"file": "fails.pml", "max-memory": "much"}, "is not a size"),
        ({"file": "fails.pml", "property": "nothing"}, "the model has no property"),
        ({"file": "fails.pml", "define": "3=N"}, "is not of the form NAME"),
        ({"file": "fails.pml", "ltl": "[] ("}, "error[S"),
    ],
)
def test_what_is_wrong_is_said(visitor: Visitor, form: dict[str, str], words: str) -> None:
    reply = visitor.wait(visitor.start(**form))
    assert words in reply.words and ("input error" in reply.words or "usage error" in reply.words)
    assert "Exit code 2." in reply.words


def test_values_are_not_options(visitor: Visitor, tmp_path: Path) -> None:
    target = tmp_path / "written.html"
    reply = visitor.wait(visitor.start(file="fails.pml", ltl=f"--html={target}", engine="--help"))
    assert "usage error" in reply.words and not target.exists()


def test_a_form_that_means_nothing(visitor: Visitor) -> None:
    for form in ({"file": "fails.pml", "command": "serve"}, {"file": "fails.pml", "define": 'N="'}):
        assert visitor.ask("POST", "/run", urlencode(form)).status == 400
    assert visitor.ask("POST", "/run", "x" * 100_000).status == 400
    assert visitor.get("/run/7").status == visitor.get("/run/x").status == visitor.get("/nowhere").status == 404


def test_an_internal_error_is_shown(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys; print('Trace<b>back', file=sys.stderr); sys.exit(70)"
    monkeypatch.setattr(runs, "COSET", [sys.executable, "-c", code])
    reply = visitor.wait(visitor.start(file="fails.pml"))
    assert "internal error" in reply.words and "Trace<b>back" in reply.words and "Exit code 70" in reply.words


def test_a_search_is_watched_and_cancelled(visitor: Visitor) -> None:
    run = visitor.start(file="endless.pml", command="explore", engine="reference", symmetry="off")
    reply = visitor.wait(run, lambda state: state["progress"] is not None)
    assert "Cancel" in reply.words and "/static/run.js" in reply.text
    assert visitor.ask("POST", f"{run}/cancel", "").status == 303
    reply = visitor.wait(run)
    assert "Cancelled: this is what was found so far." in reply.words and "not complete" in reply.words
    assert "not complete" in visitor.get("/").words


def test_a_cancelled_check_shows_its_verdicts(visitor: Visitor) -> None:
    run = visitor.start(file="endless.pml", command="check", engine="reference", symmetry="off")
    visitor.wait(run, lambda state: state["progress"] is not None)
    assert visitor.ask("POST", f"{run}/cancel", "").status == 303
    reply = visitor.wait(run)
    assert "Cancelled: this is what was found so far." in reply.words and "Not decided: " in reply.words
    assert re.search(r"[\d,]+ states stored before the search stopped", reply.words)


LATE = """
import signal, sys
def end(*_):
    print('{"error": {"kind": "interrupted", "message": "interrupted", "exit": 130}, "diagnostics": []}', flush=True)
    sys.exit(130)
signal.signal(signal.SIGINT, end)
progress = '{"event": "progress", "states": 12345, "transitions": 23456, "depth": 1, "frontier": 2, "seconds": 1.0}'
RESULT
print(progress, file=sys.stderr, flush=True)
signal.pause()
"""
RESULT = """print('{"verdict": "violated", "states": 98765, "transitions": 5, "properties": '
    '[{"name": "<p>", "kind": "ltl", "verdict": "violated"}]}', flush=True)"""


@pytest.mark.parametrize(("result", "words"), [(RESULT, "98,765 states"), ("", "The search had come to 12,345 states")])
def test_cancelled_before_there_is_a_page(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch, result: str, words: str
) -> None:
    """Whatever the command has said until then is shown."""
    monkeypatch.setattr(runs, "COSET", [sys.executable, "-c", LATE.replace("RESULT", result)])
    run = visitor.start(file="fails.pml", command="check")
    visitor.wait(run, lambda state: state["progress"] is not None)
    visitor.ask("POST", f"{run}/cancel", "")
    reply = visitor.wait(run)
    assert reply.status == 200 and words in reply.words
    assert not result or ("<p>" in reply.words and "violated" in reply.words)


def test_others_wait_for_their_turn(visitor: Visitor) -> None:
    form = {"file": "endless.pml", "command": "explore", "engine": "reference", "symmetry": "off"}
    started = [visitor.start(**form) for _ in range(runs.AT_ONCE + 1)]
    for _ in range(POLLS):
        states = {run: visitor.state(run)["status"] for run in started}
        if list(states.values()).count("running") == runs.AT_ONCE:
            break
        time.sleep(0.05)
    waiting = [run for run, status in states.items() if status == "waiting"]
    assert len(waiting) == 1
    visitor.ask("POST", f"{waiting[0]}/cancel", "")
    for run in started:
        if run not in waiting:
            visitor.ask("POST", f"{run}/cancel", "")
    assert "cancelled before there was a result" in visitor.wait(waiting[0]).words


def test_old_runs_are_forgotten(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "KEPT", 1)
    monkeypatch.setattr(runs, "COSET", [sys.executable, "-c", ""])
    for _ in range(4):
        visitor.wait(visitor.start(file="fails.pml"))
    assert [visitor.get(f"/run/{number}").status for number in (1, 2, 3, 4)] == [404, 404, 200, 200]


# --- the command -----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_ends_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    """With all that it has started, and leaving nothing behind."""
    written(tmp_path, ENDLESS, "endless.pml")
    (tmp_path / "temporary").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "coset.cli", "serve", tmp_path, "--port", "0", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp_path / "temporary")},
    )  # fmt: skip
    assert process.stdout is not None and process.stderr is not None
    document = json.loads(process.stdout.readline())
    jsonschema.Draft202012Validator(schema("serve")).validate(document)
    connection = http.client.HTTPConnection("127.0.0.1", document["port"], timeout=120)
    connection.request("GET", document["url"].partition(str(document["port"]))[2])
    answer = connection.getresponse()
    answer.read()
    headers = {"Cookie": answer.headers["Set-Cookie"], "Origin": f"http://127.0.0.1:{document['port']}"}
    connection.close()
    connection.request("POST", "/run", "file=endless.pml&command=explore&engine=reference&symmetry=off", headers)
    assert connection.getresponse().status == 303
    time.sleep(0.5)
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err) == (0, "", "")
    assert list((tmp_path / "temporary").iterdir()) == []
    alive = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    assert str(tmp_path / "temporary") not in alive


def test_a_port_in_use_is_said(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        answer = program("serve", tmp_path, "--port", str(other.getsockname()[1]))
    assert answer.code == 4 and "Address already in use" in answer.err and "--port 0" in answer.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["nowhere"], "there is no folder"), (["README.md"], "is no model"), (["--port", "70000"], "is not a port")],
)
def test_wrong_usage(arguments: list[str], words: str) -> None:
    answer = program("serve", *arguments)
    assert answer.code == 2 and words in answer.err
