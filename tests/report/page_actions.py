"""What a reader does with a page, and what is then seen."""

from __future__ import annotations

from pathlib import Path

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from laconic.report.page import write_report
from laconic.report.view import View
from tests.report.browser import Browser


def written(where: Path, view: View) -> Path:
    write_report(view, where)
    return where


def svg(chromium: Browser, name: str) -> str:
    found = "return document.querySelector(`#chart-${arguments[0]} svg.marks`).outerHTML"
    return str(chromium.run(found, name))


def type_text(chromium: Browser, text: str) -> None:
    """With real keys; then wait as long as the page does."""
    box = chromium.driver.find_element(By.ID, "tryit-text")
    box.clear()
    box.send_keys(text)
    chromium.run("return new Promise((done) => setTimeout(() => done(true), 300))")


def click(chromium: Browser, selector: str) -> None:
    """By the keyboard: Enter on what has the focus."""
    found = chromium.driver.find_element(By.CSS_SELECTOR, selector)
    chromium.run("arguments[0].focus()", found)
    found.send_keys(Keys.ENTER)


def column(chromium: Browser, nth: int) -> list[str]:
    found = "return Array.from(document.querySelectorAll(arguments[0]), (c) => c.textContent)"
    return list(chromium.run(found, f"#words-table tbody tr > :nth-child({nth})"))
