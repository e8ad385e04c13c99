"""Whatever names contain, a browser takes it for text."""

from __future__ import annotations

import pytest
from selenium.webdriver.support.wait import WebDriverWait

from .conftest import HOSTILE


def harmless(page):
    assert "hacked" not in page.driver.title.replace("document.title='hacked'", "")
    assert page.look("foreign") == []
    assert not set("\u202e\u200f\u202d\u2067") & set(page.words)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_nothing_of_it_runs(hostile, lang):
    assert hostile.driver.title.startswith(HOSTILE[0])
    words = hostile.speak(lang).words
    assert "x" * 200 not in words
    harmless(hostile.unfold())
    words = hostile.words
    for name in HOSTILE[:5]:
        assert name[:20] in words
    assert "\\u202egpj.exe" in words


@pytest.mark.long  # on the report of the demonstration a shorter test points at values
def test_nor_under_the_pointer(hostile):
    tip = hostile.one("#tip")
    said = []
    for figure in hostile.all("figure"):
        marks = hostile.run("return [...arguments[0].querySelectorAll('.chart:lang(en) [data-tip]')]", figure)
        # a bar of no difference at all has nothing to point at
        drawn = [mark for mark in marks if mark.size["width"] and mark.size["height"]]
        assert drawn or figure.get_attribute("id").startswith("comparison")
        for mark in drawn[-1:]:
            hostile.hover(mark)
            assert tip.is_displayed()
            assert tip.get_attribute("childElementCount") == "0"
            said.append(tip.text)
    assert any("<script>" in text for text in said)
    harmless(hostile)


def test_nor_by_sorting_and_hiding(hostile):
    for button in hostile.all("table[data-sortable] th:first-child button"):
        hostile.show(button)
        if button.is_displayed():
            button.click()
    for box in hostile.all(".systems input"):
        hostile.show(box).click()
    assert hostile.look("count", "main [data-s]") == 0
    harmless(hostile)


def test_what_is_undefined_stays_at_the_end(hostile):
    table = "#slices .tables table"
    rows = f"[...document.querySelector('{table}').tBodies[1].rows]"
    for _ in range(2):
        hostile.click(f"{table} thead tr:last-child th:nth-child(3) button")
        *values, last = hostile.run(f"return {rows}.map((row) => row.cells[2].innerText.trim())")
        assert "–" in last
        assert not any("–" in value for value in values)


def test_nor_is_a_chart_cut_off(hostile):
    figures = hostile.look("figures")
    assert len(figures) > 2
    assert [figure["cut"] for figure in figures] == [[]] * len(figures)


@pytest.mark.parametrize("width", [390, 1280])
def test_nor_does_it_break_the_page(hostile_page, width):
    hostile_page.open(width=width)
    for _ in range(2):
        assert hostile_page.run("return document.documentElement.scrollWidth") <= width
        hostile_page.unfold()


def test_nor_what_a_reader_copies(hostile):
    hostile.unfold().click(".copy")
    WebDriverWait(hostile.driver, 10).until(lambda _: hostile.one(".copy").text == "Copied")
    harmless(hostile)
