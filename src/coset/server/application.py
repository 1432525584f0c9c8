"""The HTTP server: access control and routing.

It listens on this machine only.  Two checks exclude other web sites and other users of the machine.  The name in the `Host`
header must be that of this machine (a site could resolve its own name to it).  Every request must carry a token, which only
the address printed at the start has: first in the address, then in a cookie that other sites cannot use.  Requests that start
or cancel a run must also come from a page of this server, by their `Origin`.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import secrets
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from coset.server import pages
from coset.server.commands import BadForm, Form, command_line, first, words
from coset.server.folder import Folder
from coset.server.runs import Run, Runs, shown
from coset.views.html import stepping

ADDRESS = "127.0.0.1"
NAMES = (ADDRESS, "localhost")
LARGEST = 64 * 1024
"""The largest form in bytes."""
DIGITS = 9
"""The most digits of a number in a request: converting very long ones is slow."""

FILES = {"server.css": "text/css", "run.js": "text/javascript", "report.css": "text/css"}


class PortInUse(OSError):
    """Another program listens on this port."""


class Refused(Exception):
    """A request is refused; the exception has the status and message of the answer."""

    def __init__(self, status: HTTPStatus, words: str) -> None:
        super().__init__(words)
        self.status = status


class Server(ThreadingHTTPServer):
    """The server and its state.  With port 0 a free port is chosen."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, folder: Folder, port: int) -> None:
        self.folder, self.runs, self.token = folder, Runs(), secrets.token_urlsafe(24)
        try:
            super().__init__((ADDRESS, port), Handler)
        except OSError as error:
            self.runs.close()
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                raise PortInUse(error.errno, f"port {port} of {ADDRESS}: {error.strerror}") from None
            raise

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        """The address to open."""
        return f"http://{ADDRESS}:{self.port}/?token={self.token}"

    @property
    def cookie(self) -> str:
        """The name of the cookie, with the port: browsers share cookies between the ports of one machine."""
        return f"coset-{self.port}"

    def server_close(self) -> None:
        super().server_close()
        self.runs.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors such as a connection that the browser closes during an answer."""


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server
    server_version = "coset"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        self.answer(self.get)

    def do_POST(self) -> None:
        self.answer(self.post)

    def log_message(self, format: str, *args: Any) -> None:
        """Do not log requests."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Show errors that Python raises itself, such as an unknown method, as a page."""
        self.close_connection = True
        status = HTTPStatus(code)
        self.page(pages.refusal(status.phrase, message or status.description), status)

    # --- access control --------------------------------------------------------------------------

    def answer(self, ask: Any) -> None:
        try:
            host = self.headers.get("Host", "")
            if host not in {f"{name}:{self.server.port}" for name in NAMES}:
                raise Refused(HTTPStatus.FORBIDDEN, f"This server is not '{host}'.")
            try:
                parts = urlsplit(self.path)
                query = parse_qs(parts.query, keep_blank_values=True)
            except ValueError:
                raise Refused(HTTPStatus.BAD_REQUEST, "This is not the address of a page.") from None
            if "token" in query:
                self.admit(parts.path, query)
            else:
                self.check_cookie()
                ask(parts.path, query)
        except Refused as reason:
            self.page(pages.refusal(reason.status.phrase, str(reason)), reason.status)
        except BadForm as reason:
            self.page(pages.refusal("Bad request", str(reason)), HTTPStatus.BAD_REQUEST)
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            self.close_connection = True
        except Exception as error:
            words = f"{type(error).__name__}: {error}. This is a bug in Coset; please report it."
            self.page(pages.refusal("Internal error", words), HTTPStatus.INTERNAL_SERVER_ERROR)

    def admit(self, path: str, query: Form) -> None:
        """Move the token from the address into a cookie, so that it is no longer visible."""
        if not self.is_token(first(query, "token")):
            raise Refused(HTTPStatus.FORBIDDEN, "This is not the token of this server.")
        rest = urlencode([(name, value) for name, values in query.items() if name != "token" for value in values])
        cookie = f"{self.server.cookie}={self.server.token}; HttpOnly; SameSite=Strict; Path=/"
        target = "/" + quote(path.lstrip("/"), safe="/%") + (f"?{rest}" if rest else "")
        self.redirect(target, {"Set-Cookie": cookie})

    def check_cookie(self) -> None:
        try:
            cookies = SimpleCookie(self.headers.get("Cookie", ""))
        except CookieError:
            cookies = SimpleCookie()
        found = cookies.get(self.server.cookie)
        if found is None or not self.is_token(found.value):
            raise Refused(
                HTTPStatus.FORBIDDEN, "Open the address that `coset serve` has printed: the token in it grants access."
            )

    def is_token(self, text: str) -> bool:
        return secrets.compare_digest(text.encode(), self.server.token.encode())

    # --- requests --------------------------------------------------------------------------------

    def get(self, path: str, query: Form) -> None:
        match path.strip("/").split("/"):
            case [""]:
                self.page(pages.front(self.server.folder, list(self.server.runs.runs.values())))
            case ["static", name] if name in FILES:
                self.send(static(name).encode(), f"{FILES[name]}; charset=utf-8")
            case ["model"]:
                self.model(query)
            case ["run", number]:
                self.run(self.found(number))
            case ["run", number, "state"]:
                self.send(json.dumps(self.found(number).state()).encode(), "application/json")
            case ["run", number, "report"]:
                self.save(self.found(number))
            case _:
                raise Refused(HTTPStatus.NOT_FOUND, "There is no such page.")

    def post(self, path: str, query: Form) -> None:
        origins = {f"http://{name}:{self.server.port}" for name in NAMES}
        if self.headers.get("Origin") not in origins:
            raise Refused(HTTPStatus.FORBIDDEN, "The request must come from a page of this server.")
        form = self.form()
        match path.strip("/").split("/"):
            case ["run"]:
                file = self.file(form)
                run = self.server.runs.start(file, form, command_line(form, file), self.server.folder.root)
                self.redirect(f"/run/{run.number}")
            case ["run", number, "cancel"]:
                self.found(number).cancel()
                self.redirect(f"/run/{number}")
            case _:
                raise Refused(HTTPStatus.NOT_FOUND, "There is no such page.")

    def form(self) -> Form:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or len(length) > DIGITS or int(length) > LARGEST:
            raise Refused(HTTPStatus.BAD_REQUEST, "The form has no length, or is too long.")
        return parse_qs(self.rfile.read(int(length)).decode("utf-8", "replace"), keep_blank_values=True)

    def file(self, form: Form) -> str:
        """The model that the form names, which must be in the folder."""
        file = first(form, "file") or unquote(first(form, "encoded"))
        if self.server.folder.path(file) is None:
            raise Refused(HTTPStatus.NOT_FOUND, f"There is no model '{file}' in the folder.")
        return file

    def found(self, number: str) -> Run:
        run = self.server.runs.runs.get(int(number)) if number.isdecimal() and len(number) <= DIGITS else None
        if run is None:
            raise Refused(HTTPStatus.NOT_FOUND, "Unknown or expired run.")
        return run

    # --- answers ---------------------------------------------------------------------------------

    def model(self, query: Form) -> None:
        file = self.file(query)
        source = self.server.folder.source(file)
        if source is None:
            raise Refused(HTTPStatus.NOT_FOUND, f"The file '{file}' cannot be read.")
        told = shown(self.server.folder.root, file, words(first(query, "define")))
        self.page(pages.model(source, file, query, told))

    def run(self, run: Run) -> None:
        if run.status != "done":
            self.page(pages.going(run))
            return
        failure, report = run.failure, run.report()
        if failure is not None:
            self.page(pages.failed(run, failure))
        elif report is not None:
            self.page(pages.finished(run, report), scripts=f"'{digest(stepping())}'")
        elif run.cancelled and run.result is not None:
            self.page(pages.interrupted(run, run.result))
        else:
            raise Refused(
                HTTPStatus.INTERNAL_SERVER_ERROR, "The command has written no page: " + " ".join(run.messages)
            )

    def save(self, run: Run) -> None:
        report = run.report()
        if report is None:
            raise Refused(HTTPStatus.NOT_FOUND, "There is no page to save.")
        attachment = {"Content-Disposition": f'attachment; filename="coset-{run.arguments[0]}-{run.number}.html"'}
        self.send(report.encode(), "text/html; charset=utf-8", headers=attachment)

    def page(self, text: str, status: HTTPStatus = HTTPStatus.OK, scripts: str = "") -> None:
        self.send(text.encode("utf-8", "replace"), "text/html; charset=utf-8", status, scripts=scripts)

    def redirect(self, target: str, headers: dict[str, str] | None = None) -> None:
        self.send(b"", "text/plain", HTTPStatus.SEE_OTHER, {"Location": target, **(headers or {})})

    def send(
        self,
        content: bytes,
        kind: str,
        status: HTTPStatus = HTTPStatus.OK,
        headers: dict[str, str] | None = None,
        scripts: str = "",
    ) -> None:
        """Send an answer.  Pages may load nothing from elsewhere, not be embedded, and run no script but ours."""
        policy = (
            f"default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self' {scripts}; connect-src 'self'; "
            "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
        )
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


def static(name: str) -> str:
    """A static file; pages share the style sheet of reports."""
    where = resources.files("coset.views.html") if name == "report.css" else resources.files("coset.server") / "static"
    return where.joinpath(name).read_text("utf-8")


def digest(script: str) -> str:
    """The hash of a script for the content security policy.

    >>> digest("alert(1)")[:13]
    'sha256-bhHHL3'
    """
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
