"""The pages that are opened, made by the library itself, and the browser that opens them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any, NoReturn

import polars as pl
import pytest
from selenium.webdriver import Chrome

import steelyard as sy

from .page import Page, start

HACK = "document.title='hacked'"
HOSTILE = [
    f"<script>{HACK}</script>",
    f'"onmouseover="{HACK}',
    f"'><img src=x onerror={HACK}>",
    f"</style></title><svg onload={HACK}>",
    f"javascript:{HACK}",
    "\u202egpj.exe",
    "שלום\u200f",
    "x" * 10_000,
]


def missing(what: str) -> NoReturn:
    """In CI nothing may be left out; elsewhere a browser is a matter of taste."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing: .ci/run installs it")
    pytest.skip(f"needs {what}")


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """One browser for the tests of a module: left open, it would work beside all tests that follow."""
    chromium = shutil.which("chromium") or missing("Chromium (Debian's package chromium)")
    chromedriver = shutil.which("chromedriver") or missing("ChromeDriver (Debian's package chromium-driver)")
    driver = start(chromium, chromedriver, tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def axe(root: Path) -> str:
    """The source of axe-core."""
    file = root / "build" / "axe" / "axe.min.js"
    return file.read_text("utf-8") if file.is_file() else missing("axe-core (make build/axe/axe.min.js)")


@pytest.fixture(scope="session")
def demo_report(demonstration: Path) -> Path:
    return demonstration / "a shop" / "report.html"


@pytest.fixture(scope="session")
def hostile_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Queries, items, slices, systems, classes, groups and the title all have names that mean harm."""
    rows = [(query, item, float(-at)) for query in HOSTILE for at, item in enumerate(HOSTILE)]
    run = pl.DataFrame(rows, schema=["query", "item", "score"], orient="row")
    graded = [
        # the last query finds nothing relevant, so that its slice has no value
        (query, HOSTILE[(at + step) % len(HOSTILE)], 0 if query == HOSTILE[-1] else step, query)
        for at, query in enumerate(HOSTILE)
        for step in (0, 1, 2)
    ]
    truth = pl.DataFrame(graded, schema=["query", "item", "relevance", "<b>site</b>"], orient="row")
    ranked = sy.evaluate(run, truth, ["ndcg@10", "mrr"], by="<b>site</b>")
    turned = sy.evaluate(run.with_columns(-pl.col("score")), truth, ["ndcg@10", "mrr"], by="<b>site</b>")
    results: dict[str, Any] = dict(zip(HOSTILE, cycle([ranked, turned])))
    classes = {"label": HOSTILE * 8, "predicted": [*HOSTILE[3:], *HOSTILE[:3]] * 8}
    results["classes " + HOSTILE[0]] = sy.evaluate(
        classes, metrics=["f1(average=macro)", "f1(average=none)", "confusion"]
    )
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    sy.report(results, path, title=HOSTILE[0] + HOSTILE[-1])
    return path


def _page(driver: Chrome, path: Path) -> Iterator[Page]:
    page = Page(driver, path)
    yield page
    assert page.trouble() == []


@pytest.fixture
def demo_page(driver: Chrome, demo_report: Path) -> Iterator[Page]:
    """The report of the demonstration, for tests that open it in a width or scheme of their own.

    Whatever a test does, the page asks for nothing and complains of nothing.
    """
    yield from _page(driver, demo_report)


@pytest.fixture
def demo(demo_page: Page) -> Page:
    return demo_page.open()


@pytest.fixture
def hostile_page(driver: Chrome, hostile_report: Path) -> Iterator[Page]:
    """The report in which every name means harm; the same holds."""
    yield from _page(driver, hostile_report)


@pytest.fixture
def hostile(hostile_page: Page) -> Page:
    return hostile_page.open()
