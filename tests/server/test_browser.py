"""The pages in a real browser: clicks, keys, screens of several sizes.  Part of `make check-all`, which installs Chromium."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from coset.server.application import Server
from coset.server.folder import served
from tests.support.browser import Browser
from tests.support.command_line import BROKEN, FAILING, program, written
from tests.support.html_pages import HOSTILE, LASSO
from tests.support.paths import MODELS
from tests.support.served_models import ENDLESS, HOLDS

pytestmark = pytest.mark.long

WIDTHS = [(1200, 900), (768, 1024), (390, 800), (320, 600)]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    made = Browser()
    yield made
    made.close()


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    """A window in which nothing went wrong."""
    chromium.resize(1200, 900)
    chromium.complaints()
    yield chromium
    assert chromium.complaints() == []


@pytest.fixture
def home(tmp_path: Path) -> Iterator[str]:
    """The address of a server."""
    for name, text in {"fails.pml": FAILING, "holds.pml": HOLDS, "broken.pml": BROKEN, "endless.pml": ENDLESS}.items():
        written(tmp_path, text, name)
    server = Server(served(tmp_path), 0)
    thread = threading.Thread(target=server.serve_forever, args=[0.05])
    thread.start()
    yield server.url
    server.shutdown()
    thread.join()
    server.server_close()


def report(folder: Path, text: str) -> str:
    """The address of the page of a check."""
    program("check", written(folder, text), "--html", folder / "report.html")
    return (folder / "report.html").as_uri()


def assert_it_fits(browser: Browser) -> None:
    """Nothing of the page is wider than the window, whatever its size; what is wide scrolls by itself."""
    for width, height in WIDTHS:
        browser.resize(width, height)
        wide = browser.run("return document.documentElement.scrollWidth")
        assert wide <= width, f"the page is {wide} wide in a window of {width}"
    browser.resize(1200, 900)


# --- reports -----------------------------------------------------------------------------------------


def test_stepping_by_buttons(browser: Browser, tmp_path: Path) -> None:
    browser.visit(report(tmp_path, "byte x; active proctype P() { x = 1; x = 2; assert(x == 3) }"))
    assert browser.text(".controls output") == "move 3 of 3"
    browser.click("[data-go=first]")
    assert browser.text(".controls output") == "move 0 of 3" and browser.text(".move") == "The start."
    assert browser.text(".values") == "x 0"
    for number, value in ((1, 1), (2, 2)):
        browser.click("[data-go=on]")
        assert browser.text(".controls output") == f"move {number} of 3" and browser.text(".values") == f"x {value}"
        assert f"x = {value}" in browser.text(".move") and browser.is_shown(".values .changed")
    browser.click("[data-go=back]")
    assert browser.text(".values") == "x 1"
    browser.click("[data-go=last]")
    assert "is violated" in browser.text(".move")
    assert "assert(x == 3)" in browser.text(".excerpt .now")


def test_stepping_by_keys(browser: Browser, tmp_path: Path) -> None:
    browser.visit(report(tmp_path, LASSO))
    browser.run("document.querySelector('article.run').focus()")
    browser.press("home")
    assert browser.text(".controls output").startswith("move 0 of")
    later = browser.run("return document.querySelectorAll('g.later').length")
    browser.press("right", "right", "left")
    assert browser.text(".controls output").startswith("move 1 of")
    browser.press("end")
    assert "in the cycle" in browser.text(".controls output")
    assert browser.run("return document.querySelectorAll('g.later').length") == 0 < later


def test_a_click_into_the_chart(browser: Browser, tmp_path: Path) -> None:
    browser.visit(report(tmp_path, HOSTILE))
    browser.click("article.run g[data-first='0']")
    shown = browser.text("article.run .controls output")
    assert shown.startswith("move ") and not shown.startswith("move 0")
    assert browser.run("return document.querySelectorAll('b').length") == browser.run(
        "return document.querySelectorAll('.excerpt b').length"
    )  # what looks like an element in the model is none


@pytest.mark.parametrize("command", ["check", "explore", "symmetry"])
def test_pages_fit_every_screen(browser: Browser, tmp_path: Path, command: str) -> None:
    model = MODELS / "email_small.pml"
    program(command, model, "--html", tmp_path / "report.html", *(["--explain"] if command == "symmetry" else []))
    browser.visit((tmp_path / "report.html").as_uri())
    assert "email_small.pml" in browser.text("h1")
    assert_it_fits(browser)


def test_dark_pages(browser: Browser, tmp_path: Path) -> None:
    browser.visit(report(tmp_path, LASSO))
    colour = "return getComputedStyle(document.body).backgroundColor"
    light = browser.run(colour)
    browser.resize(1200, 900, dark=True)
    assert (light, browser.run(colour)) == ("rgb(255, 255, 255)", "rgb(15, 23, 42)")


# --- the server --------------------------------------------------------------------------------------


def test_a_check_by_clicks(browser: Browser, home: str) -> None:
    browser.visit(home)
    assert "token" not in browser.url
    assert_it_fits(browser)
    browser.link("fails.pml")
    assert "assert(x == 2)" in browser.text(".model")
    assert_it_fits(browser)
    browser.click("[value=assertions]")
    browser.click("button.go")
    browser.wait(lambda: "Violated: assertions" in browser.text("header"))
    assert_it_fits(browser)
    browser.click("[data-go=first]")
    assert browser.text(".move") == "The start."
    browser.link("fails.pml")
    assert browser.run("return document.querySelector('[value=assertions]').checked")
    browser.link("coset")
    assert "coset check fails.pml --property=assertions" in browser.text(".runs") and "violated" in browser.text(
        ".runs"
    )


def test_only_what_a_command_has_is_shown(browser: Browser, home: str) -> None:
    browser.visit(home)
    browser.link("holds.pml")
    names = ("fair", "engine", "explain", "max-states", "define")
    shown = {}
    for command in ("check", "explore", "symmetry"):
        browser.click(f"[name=command][value={command}]")
        shown[command] = [name for name in names if browser.is_shown(f"[name={name}]")]
    assert shown == {
        "check": ["fair", "engine", "max-states", "define"],
        "explore": ["engine", "max-states", "define"],
        "symmetry": ["explain", "define"],
    }


def test_without_a_mouse(browser: Browser, home: str) -> None:
    browser.visit(home)
    browser.link("holds.pml")
    browser.run("document.querySelector('[name=define]').focus()")
    browser.press(*"N=3", "enter")
    browser.wait(lambda: "properties hold" in browser.text("header"))
    assert "coset check holds.pml -DN=3" in browser.text("#settings")


def test_watching_and_cancelling(browser: Browser, home: str) -> None:
    browser.visit(home)
    browser.link("endless.pml")
    browser.click("[value=explore]")
    browser.write("[name=engine]", "reference")
    browser.click("button.go")
    browser.wait(lambda: "frontier" in browser.text("#numbers"))
    before = browser.text("#numbers")
    browser.wait(lambda: browser.text("#numbers") != before)
    assert browser.text("h1") == "running"
    assert_it_fits(browser)
    browser.click("button.go")
    browser.wait(lambda: "Cancelled: this is what was found so far." in browser.text())
    assert "not complete" in browser.text("h1")


def test_errors_are_shown(browser: Browser, home: str) -> None:
    browser.visit(home)
    browser.link("broken.pml")
    assert "error[S001]" in browser.text(".model .remark.error")
    browser.link("line 1")
    browser.click("button.go")
    browser.wait(lambda: "Exit code 2." in browser.text())
    assert "problem in the input" in browser.text(".failed") and "error[S001]" in browser.text(".remark")
    assert_it_fits(browser)
    browser.link("Show it in the text")
    browser.write("[name=max-memory]", "much")
    browser.click("button.go")
    browser.wait(lambda: "is not a size such as" in browser.text())
