"""Sentences are wrapped to a terminal, tables are not."""

from __future__ import annotations

import polars as pl
import pytest
from rich.cells import cell_len

from steelyard.render import text
from steelyard.render.system import System
from steelyard.stats.readings import Reading
from steelyard.text import say

from ..tables import each_row

READING = Reading(text=say("candidates are there"), kind="good", figures=(say("recall@1000 high"),))


ROW = {"metric": "mrr", "value": 0.5, "ci_low": None, "ci_high": None, "n": 3, "undefined": 0}


def system(rows: int = 1) -> System:
    return System(
        title="steelyard 1.0 · run.csv against truth.csv",
        facts=("3 queries", "5 predictions"),
        conventions="steelyard:2026 · ties by item, descending",
        readings=(READING,),
        notes=("1 query is left out.",),
        by=(),
        rows=pl.concat([pl.DataFrame(ROW)] * rows),
        units={"mrr": "queries"},
    )


@each_row(
    ("words", "width", "lines"),
    [
        ("one two three", 13, ["one two three"]),
        ("one two three", 12, ["one two", "  three"]),
        ("one two three", 5, ["one", "  two", "  three"]),
        ("a-word-that-is-too-long b", 5, ["a-word-that-is-too-long", "  b"]),
        ("a a-word-that-is-too-long", 5, ["a", "  a-word-that-is-too-long"]),
        ("two  spaces stay", 12, ["two  spaces", "  stay"]),
        ("排序 排序 排序", 9, ["排序 排序", "  排序"]),  # two cells for each character
        ("one two three", None, ["one two three"]),
        ("", 5, [""]),
    ],
)
def test_wrapping(words, width, lines):
    assert text.wrapped(words, width).splitlines() == (lines if words else [])


def test_all_of_it_on_a_narrow_terminal():
    assert text.full(system(), width=24).splitlines() == [
        "steelyard 1.0 · run.csv",
        "  against truth.csv",
        "3 queries · 5",
        "  predictions",
        "",
        "  metric   value  queries  undefined",
        "  mrr     0.5000        3          0",
        "",
        "conventions",
        "  steelyard:2026 · ties",
        "  by item, descending",
        "→ candidates are there",
        "  (recall@1000 high).",
        "! 1 query is left out.",
    ]


def test_the_talk_alone():
    assert text.talk(system()).splitlines() == [
        "steelyard 1.0 · run.csv against truth.csv",
        "3 queries · 5 predictions",
        "steelyard:2026 · ties by item, descending",
        "→ candidates are there (recall@1000 high).",
        "! 1 query is left out.",
    ]
    assert max(map(len, text.talk(system(), 20).splitlines())) <= 20


@pytest.mark.parametrize(("hidden", "said"), [(1, "… 1 more row"), (2, "… 2 more rows")])
def test_rows_that_are_not_shown(hidden, said):
    assert f"  {said}; every row" in text.full(system(rows=3 + hidden), limit=3)
    assert f"{said} in" in text.html(system(rows=3 + hidden), limit=3)


def test_chinese_is_broken_where_a_line_is_full_and_a_short_name_is_not():
    said = "66.7% 的行与同查询的其他行同分；仅同分项的先后就会改变数值：mrr 在 0.7500 – 1.0000 之间。"
    lines = text.wrapped(said, 24).split("\n")
    assert lines[0] == "66.7% 的行与同查询的其他"
    assert all(cell_len(line) <= 24 for line in lines)
    assert "".join(lines).replace(" ", "") == said.replace(" ", "")
    # a comma stays with the word before it, and a name of a few characters is one word
    assert text.wrapped("一二三四五六七八九，十", 19).split("\n") == ["一二三四五六七八", "  九，十"]
    assert text.wrapped("the mean over classes (宏平均)", 28).split("\n") == [
        "the mean over classes",
        "  (宏平均)",
    ]
