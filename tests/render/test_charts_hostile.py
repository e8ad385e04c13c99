"""Ids and names are text whatever they contain, and charts stay small however many there are."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.metrics import curves
from steelyard.render import charts
from steelyard.text.errors import OutputError
from steelyard.text.names import distinct, shown

HOSTILE = {
    "script": "<script>alert('1 & \"2\"')</script>",
    "quotes": "a'b\"c`d",
    "braces": "{0} {name} ${x} %s {{",
    "entity": "&lt;b&gt; &#x41; <![CDATA[x]]>",
    "right to left": "abc\u202etxt.exe\u2066",
    "control": "a\x00b\x1b[31mc\ufffe\udc80",
    "lines": "a\nb\r\n\tc",
    "long": "x" * 10_000,
    "wide": "汉" * 10_000,
    "stacked": "z" + "\u0301" * 10_000,
    "field": "a.b[0]",
    "empty": "",
    "expression": "datum.value = alert(1)",
}


def texts(chart, lang="en"):
    """Every text and label of a chart, after a strict parser has read it."""
    root = ElementTree.fromstring(chart.svg(lang))
    assert not [element for element in root.iter() if element.tag.endswith(("script", "foreignObject"))]
    labels = [element.attrib["aria-label"] for element in root.iter() if "aria-label" in element.attrib]
    return ["".join(element.itertext()) for element in root.iter() if element.tag.endswith("text")], labels


def sliced(names):
    n = len(names)
    return pl.DataFrame(
        {
            "by": [None, *names],
            "value": [0.5, *np.linspace(0, 1, n)],
            "ci_low": [None] * (n + 1),
            "ci_high": [None] * (n + 1),
            "n": [n, *range(n)],
        },
        schema={
            "by": pl.String,
            "value": pl.Float64,
            "ci_low": pl.Float64,
            "ci_high": pl.Float64,
            "n": pl.Int64,
        },
    )


def values_of(n, shift=0.0, prefix="q"):
    rng = np.random.default_rng(0)
    values = rng.random(n) + shift
    queries = pl.Series(np.arange(n)).cast(pl.String).str.replace("^", prefix)
    return charts.PerQuery(metric="ndcg@10", queries=queries, values=values, overall=float(values.mean()))


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_systems(kind):
    one = curves.curve("roc", curves.scored([0.8, 0.5, 0.5, 0.1], [1, 1, 0, 0]))
    chart = charts.roc({HOSTILE[kind]: one, "other": one})
    written, labels = texts(chart)
    legend = [text for text in written if "area" in text]
    assert len(legend) == 2
    assert legend[0] == f"{shown(HOSTILE[kind])} · area 0.8750"
    assert any(label.startswith(f"{shown(HOSTILE[kind])}: ") for label in labels)


@pytest.mark.parametrize(
    "kind", [kind for kind in HOSTILE if kind != "control"]
)  # Polars has no lone surrogate
def test_hostile_slices_and_ids(kind):
    name = HOSTILE[kind]
    written, labels = texts(charts.slices({"a": sliced([name, "plain"])}, "auc", ["by"]), "zh")
    assert shown(name) in written
    assert any(label.startswith(f"{shown(name)}：") for label in labels)
    one = charts.PerQuery(
        metric="mrr", queries=pl.Series([name, "b"]), values=np.array([1.0, 0.5]), overall=0.75
    )
    _, labels = texts(charts.per_query({"a": one}))
    assert f"{shown(name)}: 1" in labels
    other = charts.PerQuery(metric="mrr", queries=pl.Series([name, "b"]), values=np.zeros(2), overall=0)
    chart = charts.difference(charts.Pairs.of((name, name), one, other))
    _, labels = texts(chart)
    assert f"{shown(name)}: +1.0000" in labels


def test_hostile_classes():
    names = list(HOSTILE.values())[:5]
    frame = pl.DataFrame({"class": names, "predicted": names, "value": [1.0] * 5})
    written, _ = texts(charts.confusion({"a": frame}))
    assert shown(names[0], 18) in written


def test_what_cannot_be_seen_is_spelt_out():
    assert shown(HOSTILE["right to left"]) == "abc\\u202etxt.exe\\u2066"
    assert shown(HOSTILE["control"]) == "a\\u0000b\\u001b[31mc\\ufffe\\udc80"
    assert shown(HOSTILE["lines"]) == "a b c"
    assert shown("שלום") == "שלום"
    assert shown("👩‍💻") == "👩‍💻"


@pytest.mark.parametrize("kind", ["long", "wide", "stacked"])
def test_long_names_are_shortened_in_the_middle(kind):
    text = shown(HOSTILE[kind])
    assert len(text) <= 75
    assert "…" in text


def test_names_that_look_alike_stay_apart():
    names = distinct(["x" * 5000 + "a" + "x" * 5000, "x" * 5000 + "b" + "x" * 5000, "y", "y (2)", "y"])
    assert len(set(names)) == 5


def test_two_slices_that_look_alike_are_two_rows():
    chart = charts.slices({"a": sliced(["x" * 300, "x" * 301])}, "auc", ["by"])
    written, _ = texts(chart)
    assert len([text for text in written if text.startswith("xxx")]) == 2


def small(chart):
    assert chart.table.height <= 400
    assert len(chart.svg()) < 40_000
    return [str(note) for note in chart.notes]


def test_a_million_queries():
    mine = values_of(1_000_000, 0.1)
    notes = small(charts.difference(charts.Pairs.of(("a", "b"), mine, values_of(1_000_000))))
    assert notes[0] == "Higher for 1,000,000 queries, equal for 0, lower for 0."
    assert notes[1].startswith(
        "Each bar is the mean of about 6,250 of 1,000,000 queries. The largest difference is +0.1000"
    )
    chart = charts.per_query({"a": values_of(1_000_000)})
    assert chart.table["count"].sum() == 1_000_000
    assert small(chart) == []


def test_bars_of_many_queries_are_means_of_equal_parts():
    mine = values_of(1000, 0.1)
    chart = charts.difference(charts.Pairs.of(("a", "b"), mine, values_of(1000, prefix="q")))
    assert chart.table["n"].sum() == 1000
    weighed = (chart.table["n"] * chart.table["difference"]).sum() / 1000
    assert weighed == pytest.approx(0.1)


def test_ten_thousand_slices():
    names = [f"slice {place}" for place in range(10_000)]
    chart = charts.slices({"a": sliced(names)}, "auc", ["by"])
    assert small(chart) == [
        "20 slices with the lowest and 20 with the highest values are shown; 9,960 between are not."
    ]
    assert chart.table["by"].to_list()[:2] == ["slice 9999", "slice 9998"]
    assert chart.table["by"].to_list()[-1] == "slice 0"


def test_classes_beyond_the_most_frequent_are_added_up():
    names = [f"c{place:02}" for place in range(30)]
    counts = pl.DataFrame(
        {
            "class": [one for one in names for _ in names],
            "predicted": names * 30,
            "value": [float(30 - row) if row == column else 1.0 for row in range(30) for column in range(30)],
        }
    )
    chart = charts.confusion({"a": counts})
    assert chart.table["count"].sum() == counts["value"].sum()
    assert chart.table["class"].n_unique() == 16
    assert str(chart.notes[0]).startswith("The 15 most frequent of 30 classes are shown")
    assert chart.table["class"].to_list()[-1] == "(15 others)"


def test_a_hundred_thousand_rows():
    rng = np.random.default_rng(0)
    score = rng.random(100_000)
    log = {
        "label": (rng.random(100_000) < score).astype(int),
        "score": score,
        "user": rng.integers(0, 9000, 100_000),
    }
    result = sy.evaluate(log, metrics=["auc", "gauc"], columns={"query": "user"})
    drawn = result.charts()
    assert {"roc", "calibration", "score_histogram"} <= set(drawn)
    for name in drawn:
        small(result.chart(name))


def test_many_systems():
    rows = curves.scored([0.8, 0.5, 0.5, 0.1], [1, 1, 0, 0])
    one = {f"system {place}": curves.curve("roc", rows) for place in range(50)}
    assert small(charts.roc(one)) == ["The first 7 of 50 systems are drawn."]
    many = {f"system {place}": values_of(1000) for place in range(50)}
    small(charts.per_query(many))


INHERITED = ["constructor", "toString", "hasOwnProperty", "valueOf", "__proto__", "__defineGetter__"]


@pytest.mark.parametrize("name", INHERITED)
def test_names_that_every_object_of_javascript_has(name):
    one = sliced([name, "plain"])
    written, labels = texts(charts.slices({"a": one}, name, ["by"]))
    assert written.count(name) == 2  # the slice, and the metric as the title of the axis
    assert any(label.startswith(f"{name}: ") for label in labels)
    chart = charts.slices({name: one, "other": one}, "auc", ["by"])
    assert name in texts(chart)[0]
    assert chart.png()
    assert chart.pdf()
    log = {"label": [name, name, "b"], "predicted": [name, "b", "b"]}
    result = sy.evaluate(log, metrics="confusion")
    written, _ = texts(result.chart("confusion", other={name: result}))
    assert written.count(name) == 5  # both axes of both panels, and the title of one
    assert name in result.chart("confusion").table["class"].to_list()


def test_what_vega_cannot_draw_is_told_as_an_error_of_ours(monkeypatch):
    import vl_convert

    def fails(*_given, **_options):
        raise ValueError("conversion failed:\nError: no\n    at https://example.org")

    chart = charts.slices({"a": sliced(["x"])}, "auc", ["by"])
    drawn = chart.svg()
    monkeypatch.setattr(vl_convert, "vegalite_to_svg", fails)
    monkeypatch.setattr(vl_convert, "svg_to_png", fails)
    monkeypatch.setattr(vl_convert, "svg_to_pdf", fails)
    from steelyard.render.charts.chart import _converted

    for draw in (chart.svg, lambda: _converted("png", drawn, scale=1.0), lambda: _converted("pdf", drawn)):
        with pytest.raises(OutputError, match="could not draw .* conversion failed: Error: no") as error:
            draw()
        assert "example.org" not in error.value.message
