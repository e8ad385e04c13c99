"""The comparison on the page: what differences come to, the queries that moved, and why there is none."""

from __future__ import annotations

import polars as pl
import pytest

import steelyard as sy
from steelyard.render.page import contents
from steelyard.result.result import page_parts

QUERIES = [f"q{n:02}" for n in range(12)]
TRUTH = {query: {"a": 1} for query in QUERIES}
OLD = {query: {"b": 3.0, "c": 2.0, "a": 1.0} for query in QUERIES}  # a third: mrr 1/3
NEW = {query: {"a": 3.0, "b": 2.0, "d": 1.0} for query in QUERIES} | {"q11": {"b": 2.0, "d": 1.0}}
SITES = {query: "JP" if n < 11 else "DE" for n, query in enumerate(QUERIES)}


def evaluated(run, metrics=("mrr", "hit_rate@1"), **given):
    return sy.evaluate(run, TRUTH, list(metrics), **given)


def page_of(**results):
    return contents(page_parts(results))


@pytest.fixture(scope="module")
def page():
    return page_of(old=evaluated(OLD), new=evaluated(NEW))


def test_a_sentence_for_each_difference(page):
    (found,) = page.comparisons
    # 11 of 12 queries gain 2/3 and one loses 1/3; 11 hits moved, all one way: mid-p = 1 / 2048, twice by Holm
    mean = (11 * 2 / 3 - 1 / 3) / 12
    first, second = found.verdicts
    assert first.standing == second.standing == "better"
    assert str(first.words).startswith(f"new is better than old in mrr by {mean:.4f} (95% interval ")
    assert str(second.words).endswith(", p 0.0010 after Holm's correction).")
    assert first.system == 1
    assert "Holm's correction over 2 tests" in str(found.tested)


def test_its_table_has_a_row_for_each(page):
    table = page.comparisons[0].table
    assert [row[0].text for row in table.rows] == ["mrr", "hit_rate@1"]
    assert [row[3].text for row in table.rows] == ["+0.5833", "+0.9167"]
    assert [row[6].text for row in table.rows] == ["11 / 0 / 1", "11 / 1 / 0"]
    assert table.places == (1, 1)


def test_the_queries_that_moved_have_both_lists(page):
    (movement,) = page.comparisons[0].movements
    assert movement.names == ("old", "new")
    assert [one.name for one in movement.up] == QUERIES[:5]
    (lost,) = movement.down
    assert (lost.name, lost.values, lost.difference) == ("q11", ("0.3333", "0.0000"), "-0.3333")
    before, after = movement.up[0].lists
    assert [item.name for item in before.items] == ["b", "c", "a"]
    assert [(item.name, str(item.move)) for item in after.items] == [("a", "↑ 2"), ("b", "↓ 1"), ("d", "new")]
    assert [item.grade for item in after.items] == ["1", "", ""]


def test_its_charts(page):
    titles = [str(figure.title) for figure in page.comparisons[0].figures]
    assert titles == ["Differences from old", "mrr: new minus old", "mrr: new against old"]
    assert "difference" not in {figure.title for figure in page.figures}


def test_slices_in_which_a_system_is_worse_all_the_same():
    by = pl.DataFrame({"query": QUERIES * 2, "site": list(SITES.values()) * 2}).unique(maintain_order=True)
    truth = {query: {"a": 1} for query in [*QUERIES, *(f"x{n}" for n in range(8))]}
    sites = pl.concat([by, pl.DataFrame({"query": [f"x{n}" for n in range(8)], "site": ["US"] * 8})])
    old = OLD | {f"x{n}": {"a": 1.0} for n in range(8)}
    new = NEW | {f"x{n}": {"b": 2.0, "a": 1.0} for n in range(8)}
    results = {name: sy.evaluate(run, truth, "mrr", by=sites) for name, run in (("old", old), ("new", new))}
    (found,) = page_of(**results).comparisons
    assert [one.standing for one in found.lost] == ["worse"]
    assert str(found.lost[0].words).startswith("In US: new is worse than old in mrr by 0.5000")
    titles = [str(figure.title) for figure in found.figures]
    assert titles[:3] == [
        "Differences from old",
        "mrr: differences from old, by site",
        "new minus old, by site",
    ]


def test_a_page_says_why_systems_are_not_compared():
    other = sy.evaluate(NEW, {query: {"b": 1} for query in QUERIES}, "mrr")
    page = page_of(old=evaluated(OLD), new=other)
    assert page.comparisons == ()
    said = [str(note.words) for note in page.summaries[0].notes]
    assert any(
        one.startswith("The systems are not compared: 'old' and 'new' were measured against") for one in said
    )


def test_one_system_has_no_comparison():
    assert page_of(old=evaluated(OLD)).comparisons == ()


def test_a_comparison_writes_its_own_page(tmp_path):
    cmp = sy.compare({"old": OLD, "new": NEW, "again": OLD}, TRUTH, "mrr", test="sign", correct="none")
    cmp.report(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert '<section id="comparison"' in text
    assert "Differences between all systems" in text  # without a baseline
    assert "again − old" in text
    assert "sign test" in text
    assert "new 的 mrr 优于 old" in text


def test_intervals_and_ties_stand_below_values():
    tied = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"a": 2.0, "b": 1.0}, "q3": {"b": 2.0, "a": 1.0}}
    result = sy.evaluate(tied, {query: {"a": 1} for query in tied}, "mrr", ties="item_asc")
    row = contents(page_parts({"one": result})).summaries[0].numbers.rows[0]
    assert str(row[1].smaller) == "ties alone: 0.6667 – 0.8333"  # q1: 1/2 or 1
    whole = result.table().row(0, named=True)
    assert row[2].text == f"{whole['ci_low']:.4f} – {whole['ci_high']:.4f}"
    both = contents(page_parts({"one": result, "two": result})).summaries[0].numbers
    assert str(both.rows[0][1].small) == row[2].text
