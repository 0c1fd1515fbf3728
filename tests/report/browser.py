"""A browser for the tests: Debian's chromium, one a session, with what it says on its console."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
SETTLED = """
return laconic.drawn
  .then(() => Promise.all(laconic.views().map(({view}) => view.runAsync())))
  .then(() => true)
"""


def installed() -> bool:
    return bool(shutil.which("chromium") and shutil.which("chromedriver"))


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A running browser with a profile of its own."""
    options = Options()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = Service(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    try:
        driver.set_script_timeout(60)
        # away from the browser's own first page, which loads much
        driver.get("about:blank")
        yield Browser(driver)
    finally:
        driver.quit()


class Browser:
    """What the tests do with a driver."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(
        self, where: Path, *, width: int = 1280, height: int = 900, dark: bool = False
    ) -> None:
        """Open the file anew, and wait until its charts are drawn."""
        self.media(dark=dark)
        self.resize(width, height)
        self.logs()
        self.requests()
        self.driver.get(where.as_uri())
        self.settle()

    def settle(self) -> None:
        assert self.run(SETTLED) is True

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def command(self, name: str, **arguments: Any) -> Any:
        return self.driver.execute_cdp_cmd(name, arguments)

    def resize(self, width: int, height: int) -> None:
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def media(self, *, dark: bool = False, printed: bool = False) -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command(
            "Emulation.setEmulatedMedia", media="print" if printed else "", features=[scheme]
        )

    def logs(self) -> list[str]:
        """What was written to the console since the last call."""
        return [f"{one['level']}: {one['message']}" for one in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last call."""
        events = [
            json.loads(one["message"])["message"] for one in self.driver.get_log("performance")
        ]
        sent = [one["params"] for one in events if one["method"] == "Network.requestWillBeSent"]
        return [one["request"]["url"] for one in sent]

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def choose(self, selector: str, value: str) -> None:
        """Choose an option as a user does: the page hears of it."""
        self.run(
            "const s = document.querySelector(arguments[0]); s.value = arguments[1];"
            "s.dispatchEvent(new Event('change', {bubbles: true}))",
            selector,
            value,
        )
        self.settle()

    def screenshot(self, where: Path, *, whole: bool = True) -> None:
        shot = self.command("Page.captureScreenshot", captureBeyondViewport=whole)
        where.write_bytes(base64.b64decode(shot["data"]))
