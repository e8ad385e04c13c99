"""Markdown and HTML hold the same numbers, and ids stay text."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

import steelyard as sy

HOSTILE = [
    "<script>alert(1)</script>",
    "a|b",
    "*bold*",
    "`code`",
    "[x](http://x)",
    "new\nline",
    "&amp;",
    "a\x1b[31m",
    "\u202eabc",
]


@pytest.fixture
def made():
    run = {"<b>q</b>|1": {item: 10.0 - place for place, item in enumerate(HOSTILE)}}
    truth = {"<b>q</b>|1": {item: place % 3 for place, item in enumerate(HOSTILE)}}
    return sy.explain("ndcg@20", run, truth, query="<b>q</b>|1")


class Cells(HTMLParser):
    """The text of every cell, and every tag there is."""

    def __init__(self):
        super().__init__()
        self.cells, self.tags, self.inside = [], set(), False

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.inside = tag in ("td", "th")
        if self.inside:
            self.cells.append("")

    def handle_data(self, data):
        if self.inside:
            self.cells[-1] += data

    def handle_endtag(self, tag):
        self.inside = False


def test_html_is_escaped(made):
    parser = Cells()
    parser.feed(made.to_html())
    assert parser.tags <= {
        "div",
        "h3",
        "p",
        "b",
        "br",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "ul",
        "li",
    }
    assert "<script>alert(1)</script>" in parser.cells
    assert "&amp;" in parser.cells
    assert made.to_html() == made._repr_html_()
    assert "\x1b" not in made.to_html()
    assert "\u202e" not in made.to_html()


def test_markdown_has_one_row_per_item(made):
    lines = made.to_markdown().splitlines()
    assert lines[0].startswith("### ndcg@20 of \\<b\\>q\\</b\\>\\|1")
    rows = [line for line in lines if line.startswith(tuple(f"| {rank} |" for rank in range(1, 10)))]
    listed = rows[: len(HOSTILE)]
    assert len(listed) == len(HOSTILE)
    assert {line.replace("\\|", "").count("|") for line in listed} == {8}
    assert any("\\<script\\>" in line for line in listed)
    assert any("\\*bold\\*" in line for line in listed)


def test_text_has_no_character_that_moves_the_cursor(made):
    text = made.to_text()
    assert not set(text) & {"\x1b", "\u202e", "\r"}
    assert text.splitlines()[0].startswith("ndcg@20 of <b>q</b>|1")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_all_forms_hold_the_final_line(lang):
    made = sy.explain("ndcg(gain=exp2)@5", grades=[3, 2, 3, 0, 1])
    for form in (made.to_text(lang), made.to_markdown(lang), made.to_html(lang)):
        assert "ndcg = 12.7796 / 13.3472 = 0.9575" in form


def test_markdown_of_the_example():
    lines = sy.explain("mrr", grades=[0, 1]).to_markdown().splitlines()
    assert lines == [
        "### mrr",
        "",
        "How far down the first relevant item stands.",
        "",
        "items shown 2 · judged 2 · with a grade above 0: 1",
        "",
        "- mrr = 1 / rank of the first hit",
        "",
        "| conventions | meaning |",
        "| --- | --- |",
        "| empty=zero | a query without a hit in the first k counts 0 |",
        "| rel=1 | a judged item is relevant when its grade is at least this |",
        "",
        "**as ranked**",
        "",
        "| rank | grade | hit | rank of hit |",
        "| ---: | ---: | ---: | ---: |",
        "| 1 | 0 | 0 |  |",
        "| 2 | 1 | 1 | 2 |",
        "",
        "- mrr = 1 / 2 = 0.5000",
        "",
        "the same with empty=skip",
    ]
