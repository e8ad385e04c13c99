"""No slice can be taken for another one or for the whole, in any form."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
from html.parser import HTMLParser

import pandas as pd
import polars as pl
import pytest

import steelyard as sy
from steelyard.render.page.slices import slice_tables
from steelyard.render.side_by_side import side_by_side
from steelyard.text import languages

from ..tables import each_row

VALUES = [None, "(none)", "(all)", "(全部)", "", '"(none)"', '""', '"', "null", " (none) ", " DE", "DE"]
NAMES = [
    "(none)",
    '"(none)"',
    '"(all)"',
    '"(全部)"',
    '""',
    '""(none)""',
    '""""',
    '"',
    "null",
    '" (none) "',
    " DE",
    "DE",
]
# each slice has a click and none, and a calibration of its own: p of the click + 0
CLICKS = [round(0.95 - place / 20, 2) for place in range(len(VALUES))]
BY_NAME = dict(zip(NAMES, CLICKS, strict=True))


def log(values, kind=pl.String) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "label": [1, 0] * len(values),
            "score": [p for click in CLICKS[: len(values)] for p in (click, 0.0)],
            "s": pl.Series([value for value in values for _ in range(2)], dtype=kind, strict=False),
        }
    )


@pytest.fixture
def result() -> sy.Result:
    return sy.evaluate(log(VALUES), metrics="calibration", by="s")


def test_the_table_and_json_hold_every_slice(result):
    table = result.table()
    assert dict(table.select("s", "value").rows()[1:]) == BY_NAME
    assert table["s"][0] == "(all)"
    found = {one["slice"].get("s", "whole"): one["value"] for one in json.loads(result.to_json())["results"]}
    # in JSON the values themselves stand: null is null
    assert found == {**dict(zip(VALUES, CLICKS, strict=True)), "whole": result["calibration"]}


def test_csv(result):
    rows = list(csv.DictReader(io.StringIO(result.to_csv())))
    assert {row["s"]: float(row["value"]) for row in rows[1:]} == BY_NAME
    assert rows[0]["s"] == "(all)"
    read = pd.read_csv(io.StringIO(result.to_csv()), keep_default_na=False)
    assert read["s"].is_unique


class _Cells(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.cells = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "td":
            self.cells.append("")

    def handle_data(self, data):
        if self.cells:
            self.cells[-1] += data


def test_the_forms_for_readers():
    result = sy.evaluate(log(VALUES), metrics="calibration", by="s", ci="none")
    # what a reader is shown of a name: outer space stands in quotes
    shown = {'" DE"' if name == " DE" else name: f"{value:.4f}" for name, value in BY_NAME.items()}
    shown["(all)"] = f"{result['calibration']:.4f}"
    pipes = [line.split("|")[1:4] for line in result.to_markdown().splitlines()[2:]]
    assert {name.strip(): value.strip() for name, _, value in pipes} == shown
    cells = _Cells(result._repr_html_()).cells
    assert dict(zip(cells[0::5], cells[2::5], strict=True)) == shown
    lines = [line.split(" & ") for line in result.to_latex().splitlines()[4:-2]]
    assert {name: value for name, _, value, *_ in lines} == shown
    lines = [line.rsplit(maxsplit=4) for line in result.to_text().splitlines()[1:]]
    assert {name: value for name, _, value, *_ in lines} == shown


def test_the_report_and_its_chart(result):
    [part] = side_by_side([result.system("one")])
    [table] = slice_tables(part)
    assert len({row[0].text for row in table.rows}) == len(VALUES)
    [[whole, *_]] = table.whole
    assert not {whole.text.render(lang) for lang in languages()} & {row[0].text for row in table.rows}
    chart = result.chart("slices")
    assert dict(chart.table.select("s", "value").rows()) == BY_NAME
    names = chart.drawing["layer"][1]["encoding"]["y"]["sort"]
    assert len(set(names)) == len(VALUES)
    assert "(none)" in names


def test_slices_of_queries_are_named_alike():
    n = len(VALUES)
    run = pl.DataFrame({"query": range(n), "item": ["a"] * n, "score": [1.0] * n, "s": VALUES})
    truth = pl.DataFrame({"query": range(n + 1), "item": ["a"] * (n + 1), "relevance": [1] * (n + 1)})
    table = sy.evaluate(run, truth, "mrr", by="s").table()
    assert dict(table.select("s", "n").rows()) == {"(all)": n + 1} | dict.fromkeys(NAMES, 1) | {"(none)": 2}
    frame = sy.evaluate(run.to_pandas(), truth.to_pandas(), "mrr", by="s").table()
    assert frame.equals(table)


@each_row(
    ("values", "kind", "names"),
    [
        ([float("nan"), None, 0.0, 1.5], pl.Float64, ["(none)", "0.0", "1.5"]),
        ([-1, 0, None], pl.Int8, ["(none)", "-1", "0"]),
        ([True, False, None], pl.Boolean, ["(none)", "false", "true"]),
        ([dt.date(2026, 11, 1), None], pl.Date, ["(none)", "2026-11-01"]),
        ([dt.timedelta(hours=36), None], pl.Duration, ["(none)", "1d 12h"]),
        (["(none)", "b", None], pl.Categorical, ["(none)", '"(none)"', "b"]),
        (["(none)", "b", None], pl.Enum(["b", "(none)"]), ["(none)", "b", '"(none)"']),
    ],
)
def test_columns_of_other_types(values, kind, names):
    table = sy.evaluate(log(values, kind), metrics="calibration", by="s").table()
    assert table["s"].to_list() == ["(all)", *names]


def test_two_columns_are_crossed_without_confusion():
    values = [("(all)", None), (None, "(all)"), ("", "(none)"), ("(none)", "")]
    first, second = zip(*values, strict=True)
    crossed = log([*first]).with_columns(t=pl.Series([one for one in second for _ in range(2)]))
    result = sy.evaluate(crossed, metrics="calibration", by=["s", "t"])
    assert {(one["slice"].get("s", 0), one["slice"].get("t", 0)) for one in result.to_dict()["results"]} == {
        (0, 0),
        *values,
    }


OF_ANY_NAME = ["^a.*$", "*", "^.*$", "", "slice", "system", "segment", "best", "fpr", "_place", "by 0"]


@pytest.mark.parametrize(
    ("name", "pages"),
    [
        *((name, name in ("*", "system")) for name in OF_ANY_NAME),
        *(
            pytest.param(name, True, marks=pytest.mark.long)
            for name in OF_ANY_NAME
            if name not in ("*", "system")
        ),
    ],
)
def test_a_slice_column_may_have_any_name(name, pages, tmp_path):
    """To Polars some are patterns, others are columns that frames have on the way; here they are names.

    Clicks stand above the others in x and below in y; in the lists u finds b at 2 and v at 1.
    """
    clicks = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.3, 0.6], name: ["x", "x", "y", "y"]}
    one = sy.evaluate(pl.DataFrame(clicks), metrics=["auc", "confusion(threshold=0.5)"], by=name)
    assert [one["auc", {name: value}] for value in "xy"] == [1.0, 0.0]
    assert "slices" in one.charts()
    drawn = one.chart("slices", metric="auc").table
    assert drawn.get_columns()[2].to_list() == ["x", "y"]
    assert drawn["value"].to_list() == [1.0, 0.0]
    curves = one.curve("roc", sliced=True)
    assert [curves.of(value).area() for value in "xy"] == [1.0, 0.0]
    assert "true ↓" in str(one)
    known = pl.DataFrame({"query": ["u", "v"], name: ["x", "y"]})
    lists = {"u": ["a", "b"], "v": ["b"]}, {"u": ["b"], "v": ["b"]}
    two = sy.evaluate(*lists, ["mrr", "ndcg@2"], by=known)
    assert [two["mrr", {name: value}] for value in "xy"] == [1 / 2, 1.0]
    assert two.chart("slices", other=two).table.height == 2 * 2 * 2  # systems, metrics, slices
    for result in (one, two):
        (part,) = side_by_side([result.system("old"), result.system("new")])
        rows = [[cell.text for cell in row] for row in slice_tables(part)[0].rows]
        assert [row[0] for row in rows] == ["x", "y"]
        result.save(tmp_path / "run.steelyard")
        again = sy.load(tmp_path / "run.steelyard")
        assert again.to_json() == result.to_json()
        if pages:
            assert again.to_html() == result.to_html()


def test_many_slices_of_a_column_of_any_name():
    """The page shows both ends of 150 slices, each of which has a value of its own."""
    known = pl.DataFrame({"query": [f"q{n}" for n in range(150)], "*": [f"s{n:03}" for n in range(150)]})
    run = {f"q{n}": {f"d{rank}": -rank for rank in range(150)} for n in range(150)}
    result = sy.evaluate(run, {f"q{n}": {f"d{n}": 1} for n in range(150)}, "mrr", by=known)
    (part,) = side_by_side([result.system()])
    shown = [row[0].text for row in slice_tables(part)[0].rows]
    assert shown == [f"s{n:03}" for n in (*range(50), *range(100, 150))]  # the best first, 1/1, 1/2, …
