"""What the charts of lists as a whole draw, against values worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.render import charts
from steelyard.text.errors import MetricError
from steelyard.text.errors.base import NothingToDrawError

FILMS = ["a", "b", "c", "d"]
GENRES = {"a": "war", "b": "love", "c": "love", "d": "sf"}
SEEN = {"u": ["a"], "v": ["a", "b"]}
TRUTH = {"u": ["b"], "v": ["c"]}
OLD = {"u": ["a", "b"], "v": ["a", "c"]}
NEW = {"u": ["b", "d"], "v": ["c", "a"]}
METRICS = ["hit_rate@1", "gini@2", "novelty@2", "diversity@2", "coverage@2"]


def evaluated(recs, metrics=METRICS, **given):
    return sy.evaluate(recs, TRUTH, metrics, catalog=FILMS, features=GENRES, history=SEEN, **given)


@pytest.fixture(scope="module")
def results():
    return {"old": evaluated(OLD), "new": evaluated(NEW)}


def test_the_long_tail_is_the_lorenz_curve(results):
    """Of four films d is never shown, b and c once, a twice: of four places 0, 1/4, 2/4, 1."""
    chart = results["old"].chart("long_tail")
    points = [(0, 0), (1 / 4, 0), (3 / 4, 1 / 2), (1, 1)]
    assert chart.table.select("catalog", "exposure").rows() == points
    line = chart.spec()["layer"][2]["data"]["values"]
    assert [(row["x"], row["y"]) for row in line] == points
    even = chart.spec()["layer"][0]["data"]["values"]
    assert [(row["x"], row["y"]) for row in even] == [(0, 0), (1, 1)]
    # (1·0 − 3·0 … ) of exposures 0, 1, 1, 2: (−3·0 − 1·1 + 1·1 + 3·2) / (4·4)
    assert [str(fact) for fact in chart.facts] == ["gini 0.3750"]
    assert f"gini {results['old']['gini@2']:.4f}" == str(chart.facts[0])
    assert [str(note) for note in chart.notes] == ["25% of the items are never shown."]
    assert str(chart.title) == "The long tail, first 2 of each list"


def test_the_long_tail_of_several_says_the_number_of_each(results):
    chart = results["old"].chart("long_tail", other={"new": results["new"]})
    legend = chart.spec()["layer"][2]["encoding"]["stroke"]["scale"]["domain"]
    assert legend == ["predictions · gini 0.3750", "new · gini 0.0000"]
    assert [str(note) for note in chart.notes] == [
        "predictions: 25% of the items are never shown.",
        "new: 0% of the items are never shown.",
    ]
    assert chart.spec("zh")["layer"][2]["encoding"]["stroke"]["scale"]["domain"][1] == "new · 基尼系数 0.0000"


def test_the_long_tail_is_that_of_the_metric_asked_for():
    result = evaluated(OLD, ["coverage@1", "coverage@2"])
    first, second = (result.chart("long_tail", metric=f"coverage@{k}").table for k in (1, 2))
    assert first.select("catalog", "exposure").rows() == [(0, 0), (3 / 4, 0), (1, 1)]  # a alone
    assert second.height == 4
    assert result.chart("long_tail").table.equals(first)


def test_where_the_items_shown_most_are_whole_items():
    films = [f"f{n:03}" for n in range(200)]
    recs = {f"u{n}": films[:2] for n in range(3)} | {"v": [films[7], films[8]]}
    chart = sy.evaluate(recs, metrics="coverage@2", catalog=films).chart("long_tail")
    assert [str(note) for note in chart.notes] == [
        "98% of the items are never shown; the 1% shown most take 75% of the exposure."
    ]
    assert chart.notes[0].render("zh") == "98% 的物品从未展示；展示最多的 1% 占去 75% 的曝光。"


def test_coverage_at_every_cutoff_goes_as_far_as_any_metric_did(results):
    chart = evaluated(OLD, ["coverage@1", "diversity@2"]).chart("coverage_at_k")
    assert chart.table.rows() == [("predictions", 1, 1, 1 / 4), ("predictions", 2, 3, 3 / 4)]
    both = results["old"].chart("coverage_at_k", other={"new": results["new"]}).table
    assert both["coverage"].to_list() == [1 / 4, 3 / 4, 2 / 4, 1]
    says = chart.spec()["layer"][1]["data"]["values"][1]["says"]
    assert says == "first 2: 75% of the catalogue, 3 items"


def test_coverage_at_every_cutoff_is_that_of_the_metric():
    rng = np.random.default_rng(5)
    films = [f"f{n}" for n in range(300)]
    recs = {f"u{n}": rng.choice(films, 60, replace=False).tolist() for n in range(4)}
    ks = [1, 2, 15, 20, 30, 50, 60]
    result = sy.evaluate(recs, metrics=[f"coverage@{k}" for k in ks], catalog=films)
    drawn = dict(result.chart("coverage_at_k").table.select("k", "coverage").rows())
    assert {k: drawn[k] for k in ks} == {k: result[f"coverage@{k}"] for k in ks}


def test_the_trade_off_has_a_point_for_each_system(results):
    chart = charts.chart("trade_off", results)
    assert str(chart.title) == "hit_rate@1 against novelty@2, diversity@2, gini@2 and coverage@2"
    rows = chart.table.select("system", "metric", "value", "against", "value_against").rows()
    assert rows == [
        (system, "hit_rate@1", result["hit_rate@1"], other, result[other])
        for other in ("novelty@2", "diversity@2", "gini@2", "coverage@2")
        for system, result in results.items()
    ]
    titles = [panel["layer"][0]["encoding"]["y"]["title"] for panel in chart.spec()["concat"]]
    assert titles == ["novelty@2", "diversity@2", "gini@2, lower is better", "coverage@2"]
    named = chart.spec()["concat"][0]["layer"][1]
    assert [row["system"] for row in named["data"]["values"]] == ["old", "new"]
    assert named["encoding"]["text"]["field"] == "system"


def test_the_trade_off_against_what_is_asked_for(results):
    old, new = results.values()
    chart = old.chart("trade_off", other={"new": new}, against="coverage@2")
    assert chart.table["against"].unique().to_list() == ["coverage@2"]
    with pytest.raises(MetricError, match="'trade_off' cannot show 'entropy@2'"):
        old.chart("trade_off", other={"new": new}, against=["entropy@2"])


def test_more_panels_than_can_be_seen_are_counted():
    metrics = [*METRICS, "personalization@2", "popularity@2"]
    chart = charts.chart(
        "trade_off", {name: evaluated(recs, metrics) for name, recs in [("old", OLD), ("new", NEW)]}
    )
    assert len(chart.spec()["concat"]) == 4
    assert [str(note) for note in chart.notes] == ["The first 4 of 6 metrics are drawn."]
    assert chart.table["against"].n_unique() == 6  # the table has all


def test_the_trade_off_needs_several_systems_that_share_something(results):
    old = results["old"]
    with pytest.raises(NothingToDrawError, match="'trade_off' shows several results side by side") as caught:
        old.chart("trade_off")
    assert caught.value.remedy == "give the others: result.chart('trade_off', other=...)"
    assert "trade_off" not in old.charts()
    assert "trade_off" in old.charts(results["new"])
    other = evaluated(NEW, ["hit_rate@1", "entropy@2"])
    with pytest.raises(NothingToDrawError, match="the systems share no metric of lists as a whole"):
        old.chart("trade_off", other={"new": other})
    with pytest.raises(MetricError, match="needs a metric of rankings and one of lists as a whole"):
        old.chart("trade_off", other={"new": sy.evaluate(NEW, TRUTH, "hit_rate@1")})


def test_categories_of_lists_beside_those_of_the_history():
    """u had war, v half war and half love; both lists are half war and half love."""
    chart = evaluated(OLD).chart("categories")
    assert chart.table.rows() == [
        ("predictions", "war", 3 / 4, 1 / 2),
        ("predictions", "love", 1 / 4, 1 / 2),
        ("predictions", "sf", 0, 0),
    ]
    assert [str(note) for note in chart.notes] == ["Line: share in the history. Point: share in the lists."]
    lines, points = chart.spec()["layer"]
    assert [row["history"] for row in lines["data"]["values"]] == [3 / 4, 1 / 4, 0]
    assert points["data"]["values"][1]["says"] == "love: 25% of the history, 50% of the lists"


def test_many_categories_are_cut_and_counted():
    films = [f"f{n}" for n in range(30)]
    genres = {film: [f"genre {n:02}"] for n, film in enumerate(films)}
    history = {f"u{n}": films[: 30 - n] for n in range(30)}
    recs = {f"u{n}": films[:3] for n in range(30)}
    chart = sy.evaluate(recs, metrics="miscalibration@3", features=genres, history=history).chart(
        "categories"
    )
    assert chart.table.height == 20
    assert str(chart.notes[-1]) == "The first 20 of 30 categories are drawn."
    assert chart.table["category"][0] == "genre 00"


@pytest.mark.parametrize(
    ("name", "needs", "remedy"),
    [
        ("long_tail", "lists and a catalogue", "give catalog=..., and ask for a metric of lists as a whole"),
        (
            "coverage_at_k",
            "lists and a catalogue",
            "give catalog=..., and ask for a metric of lists as a whole",
        ),
        ("categories", "lists, categories of items, and a history", "give features=... with categories"),
    ],
)
def test_what_the_others_need(name, needs, remedy):
    for result in (sy.evaluate(OLD, TRUTH, "mrr"), sy.evaluate(OLD, metrics="personalization@2")):
        with pytest.raises(MetricError) as caught:
            result.chart(name)
        assert caught.value.message == f"the chart '{name}' needs {needs}, which this result does not have"
        assert caught.value.remedy.startswith(remedy)


def test_a_slim_result_says_that_it_let_go_of_them(results):
    for name in ("long_tail", "coverage_at_k", "categories"):
        with pytest.raises(MetricError, match=f"'{name}' cannot be drawn from this result, which"):
            results["old"].slim().chart(name)
    slim = charts.chart("trade_off", {name: result.slim() for name, result in results.items()})
    assert slim.table.equals(charts.chart("trade_off", results).table)  # values are all it takes


def test_nothing_of_the_catalogue_is_shown():
    result = sy.evaluate({"u": ["x"]}, metrics="coverage@2", catalog=FILMS)
    for name in ("long_tail", "coverage_at_k"):
        with pytest.raises(NothingToDrawError, match="nothing of the catalogue is shown"):
            result.chart(name)


def test_the_page_has_them_in_a_section_of_their_own(results):
    page = results["old"].to_html()
    assert '<section id="lists"' in page
    assert 'href="#lists"' in page
    assert "列表整体指标" in page
    section = page.partition('<section id="lists"')[2].partition("</section>")[0]
    assert section.count("<figure") == 3
    assert "against" not in section.partition("<table")[0]
    assert '<section id="lists"' not in sy.evaluate(OLD, TRUTH, "mrr").to_html()


def test_systems_side_by_side_show_the_trade_off(results, tmp_path):
    sy.report(results, tmp_path / "both.html")
    page = (tmp_path / "both.html").read_text("utf-8")
    section = page.partition('<section id="lists"')[2].partition("</section>")[0]
    assert section.count("<figure") == 4
    assert "hit_rate@1 against novelty@2, diversity@2, gini@2 and coverage@2" in section
    assert "hit_rate@1 与 novelty@2" in section
    assert 'data-s="1"' in section
