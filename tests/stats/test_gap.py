"""How far the slices of a metric are apart: by hand, by every direction, and what is refused."""

from __future__ import annotations

import json
import math
import pickle

import pytest

import steelyard as sy

from ..tables import each_row

# by country: DE 1 and 1/2, JP 1/4 and 0, and FR, where nothing is relevant
RECS = {"d1": ["a"], "d2": ["b", "a"], "j1": ["b", "c", "d", "a"], "j2": ["b"], "f1": ["a"]}
TRUTH = {user: {"a": 0 if user == "f1" else 1} for user in RECS}
COUNTRY = {"d1": "DE", "d2": "DE", "j1": "JP", "j2": "JP", "f1": "FR"}
DEVICE = {"d1": "tv", "d2": "pc", "j1": "tv", "j2": "pc", "f1": "pc"}
BOTH = {"query": list(COUNTRY), "country": list(COUNTRY.values()), "device": list(DEVICE.values())}
ONE = {"query": list(COUNTRY), "country": list(COUNTRY.values())}


def ranked(metrics="mrr", by=ONE, **options):
    return sy.evaluate(RECS, TRUTH, metrics, by=by, **options)


def test_by_hand():
    gap = ranked().gap("mrr")
    assert (gap.best.slice, gap.best.value, gap.best.n) == ({"country": "DE"}, (1 + 1 / 2) / 2, 2)
    assert (gap.worst.slice, gap.worst.value, gap.worst.n) == ({"country": "JP"}, (1 / 4 + 0) / 2, 2)
    assert gap.difference == 3 / 4 - 1 / 8
    assert gap.ratio == (1 / 8) / (3 / 4)
    assert (gap.slices, gap.without_value) == (3, 1)
    assert (gap.metric, gap.by) == ("mrr", ("country",))


def test_a_slice_of_it_is_one_of_the_result():
    result = ranked()
    gap = result.gap("mrr")
    assert result["mrr", gap.worst.slice] == gap.worst.value


def test_of_several_columns():
    """pc: DE 1/2, JP 0; tv: DE 1, JP 1/4."""
    result = ranked(by=BOTH)
    gap = result.gap("mrr")
    assert gap.best.slice == {"country": "DE", "device": "tv"}
    assert gap.worst.slice == {"country": "JP", "device": "pc"}
    assert (gap.difference, gap.ratio) == (1, 0)
    assert result.gap("mrr", by=["device", "country"]) == gap
    assert "by country · device: best DE · tv 1.0000, worst JP · pc 0.0000" in repr(gap)


def test_the_whole_is_no_slice():
    """Of one slice that all queries with a value are in, the whole is another row of the same value."""
    gap = ranked(by={"query": ["d1", "d2", "j1", "j2"], "all": ["x"] * 4}).gap("mrr")
    assert gap.best.slice == gap.worst.slice == {"all": "x"}
    assert (gap.slices, gap.without_value) == (2, 1)


LOG = {
    "label": [1, 0, 1, 0, 1, 0],
    "score": [0.5, 0.5, 0.9, 0.3, 0.4, 0.2],
    "site": ["even", "even", "over", "over", "under", "under"],
}


def test_lower_is_better():
    """Squares of 0.5 and 0.5, of 0.1 and 0.3, of 0.6 and 0.2."""
    gap = sy.evaluate(LOG, metrics="brier", by="site").gap("brier")
    assert gap.best.slice == {"site": "over"}
    assert gap.worst.slice == {"site": "even"}
    assert gap.difference == pytest.approx(0.25 - (0.1**2 + 0.3**2) / 2)
    assert gap.ratio == pytest.approx(0.25 / ((0.1**2 + 0.3**2) / 2))


def test_nearest_1_is_better():
    """Calibration 1, 1.2 and 0.6: 0.6 is the farthest from 1."""
    gap = sy.evaluate(LOG, metrics="calibration", by="site").gap("calibration")
    assert (gap.best.slice, gap.worst.slice) == ({"site": "even"}, {"site": "under"})
    assert gap.difference == pytest.approx(0.4)
    assert gap.ratio == pytest.approx(0.6)


def test_metrics_of_all_lists():
    result = sy.evaluate(
        {"u": ["a", "b"], "v": ["a"]}, metrics="coverage@2", by={"u": "old", "v": "new"}, catalog=list("abcd")
    )
    assert result.gap("coverage@2").difference == 2 / 4 - 1 / 4


def test_one_slice_has_no_gap():
    gap = ranked(by={"query": list(COUNTRY), "all": ["x"] * 5}).gap("mrr")
    assert (gap.difference, gap.ratio) == (0, 1)


def test_the_slice_of_no_value():
    gap = sy.evaluate(RECS, TRUTH, "mrr", by={"j1": "JP", "j2": "JP"}).gap("mrr")
    assert gap.best.slice == {"slice": None}
    assert repr(gap).startswith("mrr by slice: best (none) 0.7500, worst JP 0.1250")
    assert "最好 (无)" in gap.to_text(lang="zh")


def test_a_best_of_0_has_no_ratio():
    gap = sy.evaluate({"u": ["a"], "v": ["a"]}, {"u": ["b"], "v": ["b"]}, "mrr", by={"u": 1, "v": 2}).gap(
        "mrr"
    )
    assert gap.difference == 0
    assert math.isnan(gap.ratio)
    assert gap.to_dict()["ratio"] is None
    assert "ratio –" in repr(gap)


def test_words():
    gap = ranked().gap("mrr")
    assert repr(gap) == (
        "mrr by country: best DE 0.7500, worst JP 0.1250; difference 0.6250, ratio 0.1667.\n"
        "1 of 3 slices has no value and is left out."
    )
    chinese = gap.to_text(lang="zh")
    assert "最好 DE 0.7500，最差 JP 0.1250" in chinese
    assert "3 个分组中有 1 个没有值，不计入。" in chinese
    with pytest.raises(sy.SteelyardError, match="unknown language"):
        gap.to_text(lang="xx")


def test_as_data():
    gap = ranked().gap("mrr")
    assert json.loads(json.dumps(gap.to_dict())) == {
        "metric": "mrr",
        "by": ["country"],
        "best": {"slice": {"country": "DE"}, "value": 0.75, "n": 2},
        "worst": {"slice": {"country": "JP"}, "value": 0.125, "n": 2},
        "difference": 0.625,
        "ratio": 0.125 / 0.75,
        "slices": 3,
        "without_value": 1,
    }
    assert pickle.loads(pickle.dumps(gap)) == gap
    with pytest.raises(AttributeError):
        gap.ratio = 1


def test_the_metric_itself_and_a_loaded_result(tmp_path):
    result = ranked(["mrr", "ndcg@2"])
    result.save(tmp_path / "run.steelyard")
    for one in (result, sy.load(tmp_path / "run.steelyard"), result.slim()):
        assert one.gap(sy.NDCG(k=2)) == result.gap("ndcg@2")
        assert one.gap("mrr", by="country") == result.gap("mrr")


@each_row(
    ("asked", "by", "said"),
    [
        ("mrr", "cuontry", "'cuontry' is no column that this result is sliced by; did you mean 'country'"),
        ("mrr", ["country", "shop"], "'shop' is no column that this result is sliced by"),
        (
            "mrr",
            "country",
            "mrr is sliced by country and device together, and has no values by country alone",
        ),
        ("mrr", 3, "3 is no column"),
        ("mrr", [], "is no column"),
        ("mrr", [["country"]], "is no column"),
        ("mrr", {"country": "DE"}, "is no column"),
        ("map", None, "map"),
        ("idcg", None, "idcg has no better or worse value"),
        ("recall(rel=3)@2", None, "has no value in any of 5 slices"),
    ],
)
def test_what_is_refused(asked, by, said):
    result = ranked(["mrr", "idcg", "recall(rel=3)@2"], by=BOTH)
    with pytest.raises(sy.SteelyardError, match=said.replace("(", r"\(").replace(")", r"\)")):
        result.gap(asked, by)


def test_no_slices():
    with pytest.raises(sy.SteelyardError, match="there are no slices to compare mrr between") as caught:
        sy.evaluate(RECS, TRUTH, "mrr").gap("mrr")
    assert "by=" in caught.value.remedy


def test_several_values():
    log = {"label": ["a", "b", "a"], "predicted": ["a", "b", "b"], "site": ["x", "x", "y"]}
    result = sy.evaluate(log, metrics="recall(average=none)", by="site")
    with pytest.raises(sy.SteelyardError, match=r"recall\(average=none\) has 2 values"):
        result.gap("recall(average=none)")
    result = sy.evaluate({"u": ["a"]}, metrics="exposure@2", by={"u": "x"}, item_groups={"a": "p"})
    with pytest.raises(sy.SteelyardError, match="exposure@2"):
        result.gap("exposure@2")
