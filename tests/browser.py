"""A real browser for tests: playwright with the machine's own Chromium, or a skip that says why."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_NAMES = ("chromium", "chromium-browser", "google-chrome")


def installed() -> str:
    """The path of the machine's browser; skips where it or playwright is missing."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip(f"no browser on this machine: none of {', '.join(_NAMES)}")
    return found


@contextmanager
def chromium() -> "Iterator[Browser]":
    """A browser without a window. While it is open, this thread can run no other event loop."""
    found = installed()
    from playwright.sync_api import sync_playwright

    args = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=args)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(browser: "Browser", path: Path, at: str = "", **context: object) -> "Iterator[Page]":
    """A file as a page; no error may reach its console, and no request may leave the file."""
    page = browser.new_page(**context)  # type: ignore[arg-type]
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(f"dialog: {dialog.message}"))
    page.on("request", lambda sent: wrong.append(sent.url) if _leaves(sent.url) else None)
    try:
        page.goto(f"{path.resolve().as_uri()}{at}")
        yield page
    finally:
        page.close()
    assert wrong == []


def _leaves(url: str) -> bool:
    return not url.startswith(("file:", "data:"))
