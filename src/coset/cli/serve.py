"""`coset serve`: the local web page."""

from __future__ import annotations

import argparse
from typing import Any

from coset.cli import options as common
from coset.cli.errors import Missing

NAME = "serve"
SUMMARY = "show models and run commands on a local web page"
DESCRIPTION = f"""{SUMMARY.capitalize()}: the models of a folder with their source, searches to watch and cancel, and
results as written by --html.  The server listens on this machine only, and requires the token in the printed address.  Nothing
is written to the folder.  Stop it with Ctrl-C."""
PORT = 8321


def port(text: str) -> int:
    """A port number; 0 for any free port."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"'{text}' is not a port from 0 to 65535")
    return int(text)


def add_to(commands: Any) -> None:
    parser = commands.add_parser(NAME, help=SUMMARY, description=DESCRIPTION)
    parser.add_argument(
        "file", metavar="DIR", nargs="?", default=".", help="a folder with models, or one model (the current folder)"
    )
    parser.add_argument(
        "--port", metavar="N", type=port, default=PORT, help=f"the port to listen on; 0: any free port ({PORT})"
    )
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    common.add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    import signal
    from pathlib import Path

    from coset.languages.registry import endings, language_of
    from coset.server.application import PortInUse, Server
    from coset.server.folder import served

    path = Path(options.file)
    if not path.exists():
        raise common.UsageError(f"there is no folder or file '{options.file}'")
    if path.is_file() and language_of(path) is None:
        raise common.UsageError(f"'{options.file}' is no model: expected a name that ends in {', '.join(endings())}")
    try:
        server = Server(served(path), options.port)
    except PortInUse as error:
        raise Missing(f"{error.strerror}; choose another one (--port N), or --port 0 for any that is free") from None

    def end(*_: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGTERM, end)
    try:
        announce(server, options)
        server.serve_forever()
    except KeyboardInterrupt:
        pass  # the normal way to stop the server
    finally:
        server.server_close()
        signal.signal(signal.SIGTERM, previous)
    return 0


def announce(server: Any, options: argparse.Namespace) -> None:
    """Print the address of the page."""
    if options.json:
        from coset.formats import json_output

        folder = server.folder
        print(json_output.text(json_output.serving(str(folder.root), folder.only, server.url, server.port)), flush=True)
    else:
        print(f"{server.url}\nCtrl-C ends it.", flush=True)
    if options.open:
        import webbrowser

        webbrowser.open(server.url)
