"""The report of the demonstration as a reader meets it: from disk, with the network off."""

from __future__ import annotations

import json
import re

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

from .page import Page

CHINESE = re.compile(r"[\u4e00-\u9fff]")
TABLE = "#slices .tables table"
VIEWS = pytest.mark.parametrize(("width", "lang"), [(1280, "en"), (390, "zh")])
MORE_VIEWS = pytest.mark.parametrize(
    ("width", "lang"),
    [
        (1280, "zh"),
        (390, "en"),
        *(pytest.param(width, "en", marks=pytest.mark.long) for width in (320, 768, 1920)),
    ],
)


def test_it_is_one_small_file_and_the_network_is_off(demo):
    assert demo.path.stat().st_size < 2_300_000
    assert demo.run("return navigator.onLine") is False
    assert demo.driver.title == "A small film shop · steelyard"


def test_a_request_would_be_seen(demo):
    noticed: list[str] = []

    def both(_: object) -> bool:
        noticed.extend(demo.trouble())
        return "request: http://127.0.0.1:9/" in noticed and "Content Security Policy" in str(noticed)

    demo.run("new Image().src = 'http://127.0.0.1:9/'")
    WebDriverWait(demo.driver, 10).until(both)


@VIEWS
def test_every_chart_is_drawn(demo_page, lang, width):
    figures = demo_page.open(width=width).speak(lang).look("figures")
    assert len(figures) >= 10
    for figure in figures:
        assert figure["charts"] == 1, figure
        assert figure["width"] > 250, figure
        assert figure["height"] > 150, figure
        assert figure["name"].startswith(figure["title"]), figure
        assert figure["marks"] > 5, figure
        assert figure["words"] > 5, figure
        assert figure["cut"] == [], figure
        assert figure["letters"] > 7, figure  # pixels: small, but they can be read


def test_a_chart_of_several_systems_says_which_is_which(demo):
    assert demo.look("unnamed") == []


def column(page: Page, at: int) -> list[str]:
    """The cells below a heading of the first table of slices, without the row of everything."""
    rows = "document.querySelector(arguments[0]).tBodies[1].rows"
    return page.run(
        f"return [...{rows}].map((row) => row.cells[arguments[1]].innerText.trim().split('\\n')[0])",
        TABLE,
        at,
    )


def sorts(page: Page) -> list[str | None]:
    heads = page.all(f"{TABLE} thead tr:last-child th")[:5]
    return [head.get_attribute("aria-sort") for head in heads]


def test_a_click_on_a_heading_sorts_by_it_and_another_turns_the_order(demo):
    before = [column(demo, at) for at in range(3)]
    everything = demo.one(f"{TABLE} tbody.whole").text
    assert sorts(demo) == [None] * 5

    demo.click(f"{TABLE} th:nth-child(3) button")
    assert sorts(demo) == [None, None, "descending", None, None]
    values = [float(text) for text in column(demo, 2)]
    assert values == sorted(values, reverse=True)
    assert column(demo, 2) != before[2]

    demo.click(f"{TABLE} th:nth-child(3) button")
    assert sorts(demo) == [None, None, "ascending", None, None]
    assert column(demo, 2) == sorted(column(demo, 2), key=float)
    whole = [column(demo, at) for at in range(3)]
    assert sorted(zip(*whole, strict=True)) == sorted(zip(*before, strict=True))  # rows stay whole

    demo.click(f"{TABLE} th:nth-child(1) button")
    assert sorts(demo) == ["ascending", None, None, None, None]
    assert column(demo, 0) == sorted(column(demo, 0))
    assert demo.one(f"{TABLE} tbody.whole").text == everything


@pytest.mark.parametrize("key", [Keys.ENTER, Keys.SPACE])
def test_the_keyboard_sorts(demo, key):
    button = demo.show(demo.one(f"{TABLE} th:nth-child(4) button"))
    for order in ("descending", "ascending"):
        button.send_keys(key)
        assert sorts(demo) == [None, None, None, order, None]
        values = [float(text) for text in column(demo, 3)]
        assert values == sorted(values, reverse=order == "descending")


def test_the_keyboard_reaches_everything(demo):
    reached = set()
    demo.run("document.body.focus()")
    for _ in range(20):
        demo.driver.switch_to.active_element.send_keys(Keys.TAB)
        now = demo.driver.switch_to.active_element
        assert now.is_displayed()
        reached.add(now.get_attribute("id") or now.get_attribute("class") or now.tag_name)
    assert {"skip", "a", "language", "theme", "input", "sort"} <= reached


def test_the_other_language_and_back(demo):
    demo.unfold()
    english, drawn = demo.words, set(demo.look("drawn"))
    labels = [
        "A small film shop",
        "Evaluation report",
        "Specification and tally",
        "Conventions",
        "Data of this chart",
        "Copy",
    ]
    assert demo.lang == "en"
    assert [label for label in labels if label not in english] == []
    assert CHINESE.findall(english) == list("中文")  # the choice of languages alone
    assert not CHINESE.search("".join(drawn))

    demo.speak("zh")
    assert demo.lang == "zh"
    chinese = demo.words
    assert [label for label in labels if label in chinese] == []
    theirs = ["一个小型电影网站", "评估报告", "完整说明与计数", "约定", "本图数据", "复制", "English"]
    assert [label for label in theirs if label not in chinese] == []
    assert {"recall", "cutoff k", "true positive rate"} <= drawn
    assert not {"recall", "cutoff k", "true positive rate"} & set(demo.look("drawn"))
    assert CHINESE.search("".join(demo.look("drawn")))

    demo.speak("en")
    assert (demo.lang, demo.words, set(demo.look("drawn"))) == ("en", english, drawn)


def test_a_value_is_told_under_the_pointer(demo):
    tip = demo.one("#tip")
    assert not tip.is_displayed()
    for figure in demo.all("figure")[::3]:
        marks = demo.run("return [...arguments[0].querySelectorAll('.chart:lang(en) [data-tip]')]", figure)
        mark = marks[len(marks) // 2]
        demo.hover(mark)
        assert tip.is_displayed()
        assert re.search(r"\d", tip.text)
        box = tip.rect
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 1280
    demo.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert not tip.is_displayed()


def test_a_system_can_be_left_out(demo):
    def shown() -> list[int]:
        return [demo.look("count", f'main [data-s="{place}"]') for place in range(5)]

    before = shown()
    assert min(before) > 20
    demo.click('.systems input[value="1"]')
    assert shown() == [before[0], 0, *before[2:]]
    heads = demo.run("return document.querySelector('#slices .tables table thead').innerText")
    assert "neighbours" not in heads
    assert "taste" in heads
    demo.click('.systems input[value="1"]')
    assert shown() == before


def test_a_specification_is_copied(demo):
    assert len(demo.all(".copy")) == len(demo.all("pre")) > 0
    demo.unfold()
    assert all(button.is_displayed() for button in demo.all(".copy"))
    demo.cdp("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    demo.click(".copy")
    WebDriverWait(demo.driver, 10).until(lambda _: demo.one(".copy").text == "Copied")
    copied = demo.driver.execute_async_script(
        "const done = arguments[0]; navigator.clipboard.readText().then(done, (error) => done(String(error)))"
    )
    assert copied == demo.run("return document.querySelector('pre').textContent")
    assert json.loads(copied)
    WebDriverWait(demo.driver, 10).until(lambda _: demo.one(".copy").text == "Copy")


@MORE_VIEWS
def test_only_tables_scroll_sideways(demo_page, lang, width):
    demo_page.open(width=width).speak(lang)
    for _ in range(2):
        assert demo_page.run("return document.documentElement.scrollWidth") <= width
        demo_page.unfold()


@pytest.mark.parametrize(("width", "lang"), [(390, "zh"), pytest.param(1280, "en", marks=pytest.mark.long)])
def test_no_name_in_a_table_is_broken(demo_page, lang, width):
    demo_page.open(width=width).speak(lang).unfold()
    assert demo_page.look("broken") == []


REGIONS = """
return [...document.querySelectorAll(".scroll")].filter((one) => one.checkVisibility()).map((one) => ({
  goes_on: one.scrollWidth > one.clientWidth + 1,
  says_so: one.querySelector(".more").checkVisibility(),
  by_keyboard: one.tabIndex === 0,
  shaded: getComputedStyle(one).backgroundImage.includes("gradient"),
}));
"""


@MORE_VIEWS
def test_what_goes_on_sideways_says_so_and_nothing_else_does(demo_page, lang, width):
    demo_page.open(width=width).speak(lang).unfold()
    assert WebDriverWait(demo_page.driver, 10).until(
        lambda _: all(
            one["goes_on"] == one["says_so"] == one["by_keyboard"] for one in demo_page.run(REGIONS)
        )
    )
    regions = demo_page.run(REGIONS)
    assert all(one["shaded"] for one in regions)
    assert (width > 600) or sum(one["goes_on"] for one in regions) > 3


def test_a_row_keeps_its_name_in_view(demo_page):
    demo_page.open(width=390)
    table = "document.querySelector('#numbers table')"
    place = f"{table}.querySelector('tbody th').getBoundingClientRect().left"
    before = demo_page.run(f"return {place}")
    moved = demo_page.run(f"const all = {table}.parentElement; all.scrollLeft = 1000; return all.scrollLeft")
    assert moved > 50
    assert demo_page.run(f"return {place}") == pytest.approx(before, abs=1)
    last = f"{table}.querySelector('tbody td:last-child').getBoundingClientRect().right"
    assert demo_page.run(f"return {last}") <= 390


def test_on_paper_there_is_no_control_and_nothing_is_folded(demo_page):
    demo_page.open(media="print", dark=True)
    assert not any(one.is_displayed() for one in demo_page.all(".top, .controls, .systems, .copy, .skip"))
    assert demo_page.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for what in ("figure", "table", "pre"):
        assert demo_page.look("count", what) == len(demo_page.all(what)) > 0


def test_without_scripts_it_can_be_read(demo_page):
    demo_page.open(script=False)
    assert demo_page.lang == "en"
    assert not any(one.is_displayed() for one in demo_page.all(".controls, .systems, .copy, #tip"))
    drawn = [svg.size for svg in demo_page.all(".chart:lang(en) svg")]
    assert len(drawn) == len(demo_page.all("figure")) > 0
    assert min(min(size.values()) for size in drawn) > 150
    assert not any(svg.is_displayed() for svg in demo_page.all(".chart:lang(zh) svg"))
    tables = demo_page.all("#numbers table, #slices .tables table, #specification table")
    assert len(tables) > 5
    assert all(table.is_displayed() for table in tables)
    fold = demo_page.one("details.copyable")
    demo_page.click("details.copyable summary")
    assert fold.get_attribute("open") is not None
    assert demo_page.one("pre").is_displayed()


@VIEWS
def test_the_comparison_says_what_differences_come_to(demo_page, lang, width):
    demo_page.open(width=width).speak(lang)
    said = demo_page.run(
        "return [...document.querySelectorAll('#comparison .verdicts li')].map((one) => one.innerText)"
    )
    better = {"en": "taste is better than popular in ndcg@10", "zh": "taste 的 ndcg@10 优于 popular"}[lang]
    assert any(better in one for one in said)
    assert demo_page.look("count", "#comparison figure") >= 8
    demo_page.click("#comparison .query summary")
    lists = demo_page.all("#comparison .query[open] .pair > div")
    assert [one.text.split()[0] for one in lists] == ["popular", "neighbours"]
    left, right = (one.rect for one in lists)
    assert (left["y"] == right["y"]) is (width > 600)  # side by side where there is room
