"""`coset serve`: the local web page."""

from __future__ import annotations

import argparse
from typing import Any

from coset.cli.errors import Missing
from coset.cli.parser import UsageError


def run(options: argparse.Namespace) -> int:
    import signal
    from pathlib import Path

    from coset.languages.registry import endings, language_of
    from coset.server.application import PortInUse, Server
    from coset.server.folder import served

    path = Path(options.file)
    if not path.exists():
        raise UsageError(f"there is no folder or file '{options.file}'")
    if path.is_file() and language_of(path) is None:
        raise UsageError(f"'{options.file}' is no model: expected a name that ends in {', '.join(endings())}")
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
