"""A browser to click in: Chromium without a window, driven by the W3C WebDriver protocol, which is JSON over HTTP.

https://www.w3.org/TR/webdriver2 names the paths and fields.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PATIENCE = 30.0
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"left": "\ue012", "right": "\ue014", "home": "\ue011", "end": "\ue010", "tab": "\ue004", "enter": "\ue007"}


GONE = ("stale element reference", "no such element", "does not belong to the document")


class Gone(AssertionError):
    """An element that is not there, or not any more."""


class Browser:
    """One window."""

    def __init__(self, width: int = 1200, height: int = 900, dark: bool = False) -> None:
        driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
        assert driver and chromium, "Chromium is missing: scripts/setup.sh browser installs it"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.profile = tempfile.TemporaryDirectory(prefix="coset-browser-", ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(
            [driver, f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            f"--window-size={width},{height}", f"--user-data-dir={self.profile.name}",
            *(["--force-dark-mode"] if dark else []),
        ]  # fmt: skip
        wanted = {
            "goog:chromeOptions": {"binary": chromium, "args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        self.session = ""
        self.wait(self.is_ready)
        made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{made['sessionId']}"
        self.resize(width, height, dark)

    def resize(self, width: int, height: int, dark: bool = False) -> None:
        """As a screen of this size, which may be that of a phone."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.devtools("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.devtools("Emulation.setEmulatedMedia", {"features": [scheme]})

    def close(self) -> None:
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.profile.cleanup()

    # --- the protocol ----------------------------------------------------------------------------

    def call(self, method: str, path: str, body: Any = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE * 2)
        text = json.dumps(body if body is not None else {}) if method == "POST" else None
        connection.request(method, self.session + path, text, {"Content-Type": "application/json"})
        value = json.loads(connection.getresponse().read())["value"]
        connection.close()
        if isinstance(value, dict) and "error" in value:
            text = f"{value['error']}: {value['message']}"
            failure = Gone if any(each in text for each in GONE) else AssertionError
            raise failure(text.partition("\n")[0])
        return value

    def is_ready(self) -> bool:
        try:
            return bool(self.call("GET", "/status")["ready"])
        except OSError:
            return False

    def devtools(self, command: str, parameters: Any) -> Any:
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def wait(self, condition: Callable[[], bool]) -> None:
        """Until it holds; an element may be gone while one looks at it, as another page comes."""
        patience = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(Gone):
                if condition():
                    return
            assert time.monotonic() < patience, "the browser has waited in vain"
            time.sleep(0.05)

    # --- what a person does ----------------------------------------------------------------------

    def visit(self, url: str) -> None:
        self.call("POST", "/url", {"url": url})

    def find(self, selector: str) -> str:
        found = self.call("POST", "/element", {"using": "css selector", "value": selector})
        return f"/element/{found[ELEMENT]}"

    def click(self, selector: str) -> None:
        self.call("POST", f"{self.find(selector)}/click")

    def link(self, words: str) -> None:
        found = self.call("POST", "/element", {"using": "partial link text", "value": words})
        self.call("POST", f"/element/{found[ELEMENT]}/click")

    def write(self, selector: str, text: str) -> None:
        self.call("POST", f"{self.find(selector)}/value", {"text": text})

    def press(self, *keys: str) -> None:
        """Keys, to where the focus is."""
        actions = [{"type": way, "value": KEYS.get(key, key)} for key in keys for way in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    # --- what a person sees ----------------------------------------------------------------------

    @property
    def url(self) -> str:
        return str(self.call("GET", "/url"))

    def text(self, selector: str = "body") -> str:
        """What can be seen of an element."""
        return str(self.call("GET", f"{self.find(selector)}/text"))

    def is_shown(self, selector: str) -> bool:
        return bool(self.call("GET", f"{self.find(selector)}/displayed"))

    def run(self, script: str) -> Any:
        return self.call("POST", "/execute/sync", {"script": script, "args": []})

    def complaints(self) -> list[str]:
        """What the browser has found wrong with the pages, such as scripts that failed or were not allowed."""
        found = self.call("POST", "/se/log", {"type": "browser"})
        return [each["message"] for each in found if "favicon.ico" not in each["message"]]

    def picture(self, path: Path, whole: bool = False) -> None:
        """What the window shows, or all of the page."""
        found = self.devtools("Page.captureScreenshot", {"captureBeyondViewport": whole})
        path.write_bytes(base64.b64decode(found["data"]))
