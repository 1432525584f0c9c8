"""HTML that was written, read as a browser reads it, and models whose text must be escaped."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

HOSTILE = """/* </script><b>&amp; */
mtype = { ping }; chan c = [1] of { mtype };
active proctype A() { printf("<i>\\x07</i>\\n"); c!ping; c!ping }
active proctype B() { c?ping; skip; c?ping; c?ping }
ltl often { [] <> (len(c) == 1) }
"""
LASSO = "bool x; active proctype P() { do :: x = !x od } ltl stays { <> [] x }"


class Page(HTMLParser):
    """What is in a page: elements that are open or closed, what it refers to, and the texts of its scripts."""

    VOID = {"meta", "link", "input", "br"}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.words = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
        elif self.open and self.open[-1] != "style":
            self.words += data

    @property
    def runs(self) -> Any:
        return json.loads(self.scripts[0])["runs"]
