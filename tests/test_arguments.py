"""What is given to a public function may be anything: one sentence, never an exception from inside."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import dok_matrix

import steelyard as sy
from steelyard.result.result import named_results
from steelyard.text.errors import ColumnError, RowError, SteelyardError

from .tables import each_row

RUN, TRUTH = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}
LOG = {
    "label": [1, 0, 1, 0, 0],
    "score": [0.8, 0.2, 0.6, 0.7, 0.1],
    "country": ["DE", "DE", "JP", "JP", "JP"],
    "tier": ["a", "a", "b", "b", "b"],
}
# none of these is a name, a text, a number, a path or a result
ODD = [
    b"a",
    [["a"]],
    {5: 5},
    {1},
    object(),
    int,
    np.eye(2),
    np.array(1.5),
    np.array([1.5, np.nan]),
    np.datetime64("NaT"),
    pd.NA,
    pd.Series([1, 2]),
    pd.DataFrame({"a": [1]}),
    pl.DataFrame({"a": [1]}),
    pl.LazyFrame({"a": [1]}),
    pl.Series(["a", "b"]),
    pl.col("a"),
    1j,
]


@pytest.fixture(scope="module")
def ranked() -> sy.Result:
    return sy.evaluate(RUN, TRUTH, "mrr")


@pytest.fixture(scope="module")
def clicks() -> sy.Result:
    return sy.evaluate(LOG, metrics="auc", by="country")


DOORS: dict[str, Callable[[sy.Result, sy.Result, Any], object]] = {
    "metrics": lambda r, c, odd: sy.evaluate(RUN, TRUTH, odd),
    "columns": lambda r, c, odd: sy.evaluate(RUN, TRUTH, "mrr", columns=odd),
    "columns of rows": lambda r, c, odd: sy.evaluate([0.1, 0.2], [1, 0], "auc", columns=odd),
    "by": lambda r, c, odd: sy.evaluate(LOG, metrics="auc", by=odd),
    "classes": lambda r, c, odd: sy.evaluate(LOG, metrics="auc", classes=odd),
    "weights": lambda r, c, odd: sy.evaluate(RUN, TRUTH, "mrr", weights=odd),
    "exclude": lambda r, c, odd: sy.evaluate(RUN, TRUTH, "mrr", exclude=odd),
    "profile": lambda r, c, odd: sy.evaluate(RUN, TRUTH, "mrr", profile=odd),
    "conventions": lambda r, c, odd: sy.evaluate(RUN, TRUTH, "mrr", conventions=odd),
    "ties": lambda r, c, odd: sy.evaluate(RUN, TRUTH, "mrr", ties=odd),
    "metric": lambda r, c, odd: sy.metric(odd),
    "field": lambda r, c, odd: sy.NDCG(k=odd),
    "field of a base": lambda r, c, odd: sy.RankingMetric(missing=odd),
    "explained": lambda r, c, odd: sy.explain(odd, grades=[1]),
    "explained in": lambda r, c, odd: sy.explain("mrr", grades=[1], lang=odd),
    "explained by": lambda r, c, odd: sy.explain("mrr", grades=[1], profile=odd),
    "in": lambda r, c, odd: r.explain("mrr").to_text(odd),
    "result[]": lambda r, c, odd: r[odd],
    "result.explain": lambda r, c, odd: r.explain(odd),
    "result.explain query": lambda r, c, odd: r.explain("mrr", odd),
    "result.render": lambda r, c, odd: r.render(odd),
    "result.to_json": lambda r, c, odd: r.to_json(odd),
    "result.write": lambda r, c, odd: r.write(odd),
    "result.write form": lambda r, c, odd: r.write("out.json", odd),
    "result.report": lambda r, c, odd: r.report(odd),
    "result.report lang": lambda r, c, odd: r.report("out.html", lang=odd),
    "result.report title": lambda r, c, odd: r.report("out.html", title=odd),
    "report": lambda r, c, odd: sy.report(odd, "out.html"),
    "report of": lambda r, c, odd: sy.report([r, odd], "out.html"),
    "report named": lambda r, c, odd: sy.report({"a": odd}, "out.html"),
    "chart": lambda r, c, odd: c.chart(odd),
    "chart other": lambda r, c, odd: c.chart("roc", other=odd),
    "chart others": lambda r, c, odd: c.chart("roc", other={"a": odd}),
    "chart metric": lambda r, c, odd: c.chart("slices", metric=odd),
    "chart bins": lambda r, c, odd: c.chart("calibration", bins=odd),
    "charts": lambda r, c, odd: c.charts(odd),
    "chart.save": lambda r, c, odd: c.chart("roc").save(odd),
    "chart.spec": lambda r, c, odd: c.chart("roc").spec(odd),
    "chart.render": lambda r, c, odd: c.chart("roc").render(odd),
    "chart.png": lambda r, c, odd: c.chart("roc").png(scale=odd),
    "curve": lambda r, c, odd: c.curve(odd),
    "curve sliced": lambda r, c, odd: c.curve("roc", sliced=odd),
    "curve bins": lambda r, c, odd: c.curve("calibration", bins=odd),
    "curve binning": lambda r, c, odd: c.curve("calibration", binning=odd),
    "curve ks": lambda r, c, odd: r.curve("mrr", ks=odd),
    "curve rel": lambda r, c, odd: r.curve("precision_recall_at", rel=odd),
    "curve.of": lambda r, c, odd: c.curve("roc", sliced=True).of(odd),
    "curve.points": lambda r, c, odd: c.curve("roc").points(odd),
    "curve.points tolerance": lambda r, c, odd: c.curve("roc").points(10, odd),
    "of_counts": lambda r, c, odd: sy.F1().of_counts(tp=odd, fp=1, fn=0, tn=0),
    "recall": lambda r, c, odd: sy.precision_at_recall([0.9, 0.1], [1, 0], odd),
}
# what makes sense at a door, though it does not elsewhere
TAKEN = {("curve ks", "dict"), ("curve ks", "set"), ("curve ks", "Series"), ("weights", "dict")}


@each_row("door", DOORS)
def test_one_sentence_whatever_is_given(ranked, clicks, door, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for odd in ODD:
        if (door, type(odd).__name__) in TAKEN:
            continue
        with pytest.raises(SteelyardError) as error:
            DOORS[door](ranked, clicks, odd)
        assert "\n" not in error.value.message
    assert list(tmp_path.iterdir()) == []


WHOLE: dict[str, Callable[[sy.Result, sy.Result, Any], object]] = {
    "field": lambda r, c, number: sy.NDCG(k=number),
    "field of bins": lambda r, c, number: sy.metric("ece").replace(bins=number),
    "conventions": lambda r, c, number: sy.evaluate(RUN, TRUTH, "mrr", depth=number).to_dict()["results"],
    "curve bins": lambda r, c, number: c.curve("calibration", bins=number).frame.rows(),
    "histogram bins": lambda r, c, number: c.curve("score_histogram", bins=number).frame.rows(),
    "curve ks": lambda r, c, number: r.curve("mrr", ks=[number]).frame.rows(),
    "curve.points": lambda r, c, number: c.curve("roc").points(number).rows(),
}
ANY = {
    "threshold": lambda r, c, number: sy.metric("f1").replace(threshold=number),
    "of_counts": DOORS["of_counts"],
    "recall": DOORS["recall"],
    "curve rel": lambda r, c, number: r.curve("precision_recall_at", rel=number).frame.rows(),
    "curve.points tolerance": lambda r, c, number: c.curve("roc").points(10, number).rows(),
    "chart.png": DOORS["chart.png"],
}


@each_row("door", WHOLE)
@each_row("three", [3.0, np.float32(3), np.uint8(3), Fraction(3), Decimal(3)], ids=repr)
def test_a_whole_number_of_any_type(ranked, clicks, door, three):
    assert WHOLE[door](ranked, clicks, three) == WHOLE[door](ranked, clicks, 3)


@each_row("door", ANY)
@each_row("half", [np.float32(0.5), Fraction(1, 2), Decimal("0.5")], ids=repr)
def test_a_number_of_any_type(ranked, clicks, door, half):
    assert ANY[door](ranked, clicks, half) == ANY[door](ranked, clicks, 0.5)


@each_row("door", [*WHOLE, *ANY])
def test_a_truth_value_is_no_number(ranked, clicks, door):
    for flag in (True, np.True_, np.False_):
        with pytest.raises(SteelyardError, match=r"must be|is no|is (np\.)?(True|False)"):
            (WHOLE | ANY)[door](ranked, clicks, flag)


@each_row("door", WHOLE)
def test_a_fraction_is_no_whole_number(ranked, clicks, door):
    for part in (2.5, np.inf, np.nan, Decimal("NaN"), Decimal("sNaN"), Fraction(10**40 + 1, 10**40) * 3):
        with pytest.raises(SteelyardError, match="must be .*(whole number|0 or more)|is no whole number"):
            WHOLE[door](ranked, clicks, part)


@pytest.mark.parametrize("flag", [True, False])
def test_a_truth_value_of_numpy_is_one(clicks, flag):
    assert sy.F1(strict=np.bool_(flag)) == sy.F1(strict=flag)
    sliced = clicks.curve("roc", sliced=np.bool_(flag)).frame
    assert sliced.equals(clicks.curve("roc", sliced=flag).frame)


def test_a_convention_that_has_no_name():
    with pytest.raises(SteelyardError, match="mrr has no convention '5'"):
        sy.evaluate(RUN, TRUTH, "mrr", conventions={5: 5})


def test_a_mapping_whose_truth_is_ambiguous():
    """A sparse matrix of SciPy is a mapping; an empty one names nothing."""
    empty = dok_matrix((2, 2))
    assert sy.evaluate(RUN, TRUTH, "mrr", columns=empty, conventions=empty)["mrr"] == 1 / 2
    assert sy.explain("auc", LOG, columns=empty).value == sy.evaluate(LOG, metrics="auc")["auc"]


@pytest.mark.parametrize("whole", [2**63, 10**400])
def test_numbers_beyond_all_bounds(clicks, whole):
    for ask, why in (
        (lambda: sy.NDCG(k=whole), "k must be a whole number above 0"),
        (lambda: sy.FBeta(beta=10**400), "beta must be a number from 1e-60 to"),
        (lambda: clicks.to_json(whole), "indent must be None or a whole number"),
        (lambda: clicks.curve("score_histogram", bins=whole), "bins must be a whole number above 0"),
        (lambda: clicks.curve("roc", sliced=True).of(whole), "'roc' has no curve of"),
        (lambda: clicks.curve("roc").points(10, 10**400), "tolerance must be 0 or more"),
        (lambda: sy.F1().of_counts(tp=10**400, fp=1, fn=0, tn=0), "^tp is 1000"),
    ):
        with pytest.raises(SteelyardError, match=why):
            ask()


def test_a_list_of_results_is_named_by_what_was_read(ranked, tmp_path):
    other = sy.evaluate({"q": ["b"]}, TRUTH, "mrr")
    sy.report([ranked, other], tmp_path / "several.html")
    page = (tmp_path / "several.html").read_text("utf-8")
    for name in ("predictions", "predictions (2)", "预测", "预测（2）"):  # told in each language
        assert f">{name}</span>" in page
    sy.report({"one": ranked, "other": other}, tmp_path / "named.html")
    assert "<bdi>other</bdi></label>" in (tmp_path / "named.html").read_text("utf-8")
    sy.report((ranked,), tmp_path / "one.html")
    ranked.report(tmp_path / "alone.html")
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "alone.html").read_bytes()
    with pytest.raises(SteelyardError, match="no result was given"):
        sy.report([], tmp_path / "none.html")


def test_no_result_takes_the_place_of_another(ranked):
    def called(name):
        return dataclasses.replace(ranked, names=dataclasses.replace(ranked.names, predictions=name))

    first, second, third = map(called, ["a (2)", "a", "a"])
    assert named_results([first, second, third]) == {"a (2)": first, "a": second, "a (3)": third}
    assert named_results({1: first, "1": second}) == {"1": first, "1 (2)": second}
    chart = second.chart("per_query", other={"a": first, "a (2)": third})
    assert chart.table["system"].unique(maintain_order=True).to_list() == ["a (3)", "a", "a (2)"]
    chart = second.chart("per_query", other=third)
    assert chart.table["system"].unique(maintain_order=True).to_list() == ["a", "a (2)"]


def test_the_curve_of_a_slice_by_its_name(clicks):
    """DE: 0.8 above 0.2, area 1; JP: 0.6 below 0.7 and above 0.1, area 1/2."""
    slices = clicks.curve("roc", sliced=True)
    assert (slices.of("DE").area(), slices.of("JP").area()) == (1.0, 1 / 2)
    with pytest.raises(SteelyardError, match="'roc' has no curve of 'FR'") as error:
        slices.of("FR")
    assert error.value.remedy == "it has: of('DE'), of('JP')"
    with pytest.raises(SteelyardError, match="'roc' holds 2 curves") as error:
        slices.area()
    assert error.value.remedy == "choose one: curve.of('DE')"
    with pytest.raises(SteelyardError, match="'roc' has no segments"):
        clicks.curve("roc").of("JP")


def test_the_curve_of_crossed_slices():
    slices = sy.evaluate(LOG, metrics="auc", by=["country", "tier"]).curve("roc", sliced=True)
    assert slices.of("JP", "b").area() == 1 / 2
    with pytest.raises(SteelyardError, match="no curve of 'JP'"):
        slices.of("JP")


def test_a_slice_that_is_a_number_goes_by_its_name():
    """The slice 1 is the first segment here, number 0; by its number it would be the other one."""
    log = LOG | {"shift": [1, 1, 2, 2, 2]}
    slices = sy.evaluate(log, metrics="auc", by="shift").curve("roc", sliced=True)
    assert (slices.of(1).area(), slices.of(2).area()) == (1.0, 1 / 2)


def test_a_slice_that_is_not_there_is_no_number_of_a_segment():
    log = {"label": [1, 0] * 3, "score": [0.8, 0.2, 0.6, 0.7, 0.5, 0.4], "hour": [0, 0, 1, 1, 5, 5]}
    slices = sy.evaluate(log, metrics="auc", by="hour").curve("roc", sliced=True)
    with pytest.raises(SteelyardError, match="'roc' has no curve of 2") as error:
        slices.of(2)
    assert error.value.remedy == "it has: of(0), of(1), of(5)"


def test_the_slice_of_what_has_no_value_is_not_the_one_called_none():
    """Without a value 0.8 is above 0.2, area 1; 'None' has 0.6 below 0.7, area 0."""
    log = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.6, 0.7], "city": [None, None, "None", "None"]}
    slices = sy.evaluate(log, metrics="auc", by="city").curve("roc", sliced=True)
    assert (slices.of(None).area(), slices.of("None").area()) == (1.0, 0.0)
    log |= {"city": [True, True, False, False]}
    slices = sy.evaluate(log, metrics="auc", by="city").curve("roc", sliced=True)
    assert (slices.of(True).area(), slices.of(False).area()) == (1.0, 0.0)


@pytest.mark.parametrize(
    "error",
    [SteelyardError("one", remedy="two"), ColumnError("one"), RowError("label is null", row=3, remedy="two")],
)
def test_an_error_comes_whole_out_of_another_process(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), vars(again)) == (str(error), vars(error))


def test_an_error_shows_what_cannot_be_seen():
    error = SteelyardError("no query 'a\x1b]0;b\x07'", remedy="there are 'c\nd' and 'e\u202ef\U000e0001'")
    assert str(error) == "no query 'a\\u001b]0;b\\u0007'\nthere are 'c\\nd' and 'e\\u202ef\\U000e0001'"
