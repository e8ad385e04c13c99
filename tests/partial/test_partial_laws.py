"""Laws of merging: parts give the numbers, the counts and the sentences of all data, for every metric."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.metrics import by_name

from ..examples import examples
from .agreement import check
from .drawn import (
    CHOICES,
    INTERVALS,
    LISTS,
    RANKINGS,
    ROWS,
    cases,
    fitting,
    kinds_of,
    rankings,
    rows,
    shared_values,
    split_of_rows,
    variants,
    with_default_cutoff,
)

WHOLE = ("units", "rows")


def test_every_metric_of_the_registry_is_here():
    assert sorted([*RANKINGS, *LISTS, *ROWS]) == sorted(by_name())


# --------------------------------------------------------------------------------------- rankings


@pytest.mark.parametrize("name", RANKINGS)
@examples(12)
@given(drawn=rankings())
def test_rankings(name, drawn):
    call, calls, options = drawn
    check(call, calls, variants(name), **options)


@pytest.mark.long
@pytest.mark.parametrize(("field", "word"), CHOICES)
@examples(12)
@given(drawn=rankings())
def test_rankings_under_each_convention(field, word, drawn):
    call, calls, options = drawn
    check(call, calls, with_default_cutoff(RANKINGS), conventions={field: word}, refusable=True, **options)


@pytest.mark.long
@pytest.mark.parametrize("ci", ["none", *INTERVALS])
@examples(12)
@given(drawn=rankings(min_queries=4))
def test_intervals_of_rankings(ci, drawn):
    call, calls, options = drawn
    check(call, calls, ["hit_rate@1", "ndcg", "mrr", "precision@2"], ci=ci, level=0.9, seed=3, **options)


# --------------------------------------------------------------------------------------- lists


@pytest.mark.parametrize("name", LISTS)
@examples(12)
@given(drawn=cases(), weighted=st.booleans(), sliced=st.booleans())
def test_lists(name, drawn, weighted, sliced):
    case, call, calls = drawn
    options = {}
    if weighted:
        options["weights"] = {user: 1 + number % 3 / 4 for number, user in enumerate(case.users)}
    if sliced:
        options["by"] = {user: ("DE", "JP")[number % 2] for number, user in enumerate(case.users)}
    check(call, calls, variants(name), refusable=True, **options)


@pytest.mark.long
@pytest.mark.parametrize("name", LISTS)
@examples(8)
@given(drawn=cases())
def test_lists_under_each_undefined_and_missing(name, drawn):
    _, call, calls = drawn
    check(call, calls, shared_values(name, ("undefined", "missing")), refusable=True)


@examples(30)
@given(drawn=cases(history="whole"))
def test_lists_without_truth(drawn):
    _, call, calls = drawn
    without = [{name: table for name, table in one.items() if name != "truth"} for one in (call, *calls)]
    names = [name for name in LISTS if name not in ("serendipity@k", "exposure_ratio@k")]
    check(without[0], without[1:], with_default_cutoff(names))


@examples(30)
@given(drawn=cases())
def test_lists_and_rankings_together(drawn):
    _, call, calls = drawn
    check(call, calls, [*with_default_cutoff(LISTS), *with_default_cutoff(RANKINGS)])


# --------------------------------------------------------------------------------------- rows


@pytest.mark.parametrize("whole", WHOLE)
@pytest.mark.parametrize("name", ROWS)
@examples(12)
@given(data=st.data())
def test_rows(name, whole, data):
    kind = data.draw(st.sampled_from(kinds_of(name)))
    frame, options = data.draw(rows(kind, keyed=True if name == "gauc" else None))
    parts = data.draw(split_of_rows(frame, options, whole))
    check_rows(parts, fitting(name, kind), whole=whole, refusable=True, **options)


@pytest.mark.parametrize("name", ROWS)
def test_every_kind_of_rows_has_a_metric_of(name):
    """No law is empty: each variant of each metric reads some kind of rows."""
    read = {metric for kind in kinds_of(name) for metric in fitting(name, kind)}
    assert set(variants(name)) - read == set()


def check_rows(parts, metrics, *, whole, refusable=False, **options):
    """The same as ``check`` for one table, whose rows stand in the order of the parts.

    Rows that are units of their own have no name but their place; and the place of a row is a part of its
    fingerprint, which therefore differs.
    """
    calls = [{"predictions": part} for part in parts]
    call = {"predictions": pl.concat(parts)}
    check(call, calls, metrics, whole=whole, fingerprints=len(parts) == 1, refusable=refusable, **options)


@pytest.mark.long
@pytest.mark.parametrize("whole", WHOLE)
@pytest.mark.parametrize("name", ROWS)
@examples(8)
@given(data=st.data())
def test_rows_under_each_undefined(name, whole, data):
    kind = kinds_of(name)[0]
    frame, options = data.draw(rows(kind, keyed=True if name == "gauc" else None, max_rows=8))
    parts = data.draw(split_of_rows(frame, options, whole))
    check_rows(
        parts, shared_values(name, ("undefined", "unlabelled")), whole=whole, refusable=True, **options
    )


def test_a_standard_error_without_an_interval():
    """Two rows of a unit, or one of twice the weight; nothing is called z, so there is no interval."""
    rows_ = {"query": ["a", "a", "b"], "label": ["z"] * 3, "predicted": ["y"] * 3, "w": [1.0, 1.0, 1.0]}
    frame = pl.DataFrame(rows_)
    as_one = frame[1:].with_columns(w=pl.Series([2.0, 1.0]))
    call = {"metrics": "precision(average=macro)", "weights": "w", "classes": ["x", "y", "z"]}
    call |= {"columns": {"query": "query"}}
    apart, together = (sy.evaluate(some, **call).certainty()["standard_error"][0] for some in (frame, as_one))
    assert apart == pytest.approx(together)


@pytest.mark.parametrize("whole", WHOLE)
@pytest.mark.parametrize(
    "ci", [one if one == "auto" else pytest.param(one, marks=pytest.mark.long) for one in INTERVALS]
)
@examples(12)
@given(data=st.data())
def test_intervals_of_rows(ci, whole, data):
    frame, options = data.draw(rows("binary", keyed=True))
    parts = data.draw(split_of_rows(frame, options, whole))
    metrics = [
        "auc",
        "gauc",
        "pr_auc",
        "ks",
        "logloss",
        "calibration",
        "ece",
        "f1",
        "mcc",
        "accuracy",
        "rmse",
    ]
    check_rows(parts, metrics, whole=whole, ci=ci, level=0.9, seed=3, **options)


@pytest.mark.parametrize("whole", WHOLE)
@examples(40)
@given(data=st.data())
def test_rows_without_intervals(whole, data):
    frame, options = data.draw(rows("binary", keyed=False))
    parts = data.draw(split_of_rows(frame, options, whole))
    check_rows(parts, ["auc", "pr_auc", "logloss", "ece", "f1", "rmse"], whole=whole, ci="none", **options)


def test_the_unit_without_intervals():
    frame = pl.DataFrame({"query": list("aabb"), "label": [1, 0, 1, 0], "score": [0.9, 0.2, 0.4, 0.5]})
    check_rows([frame[:2], frame[2:]], ["logloss", "gauc"], whole="units", ci="none")


@examples(30)
@given(data=st.data())
def test_all_metrics_of_scores_together(data):
    frame, options = data.draw(rows("binary", keyed=True))
    parts = data.draw(split_of_rows(frame, options, "rows"))
    metrics = [fitting(name, "binary")[0] for name in ROWS if "binary" in kinds_of(name)]
    check_rows(parts, metrics, whole="rows", **options)


@pytest.mark.parametrize("whole", WHOLE)
@examples(40)
@given(data=st.data())
def test_two_tables(whole, data):
    """Predictions and truth with a key: rows without a partner are counted in every part."""
    frame, options = data.draw(rows("binary", keyed=True))
    frame = frame.with_row_index("item").with_columns(item="i" + pl.col("item").cast(pl.String))
    parts = data.draw(split_of_rows(frame, options, whole))
    kept = data.draw(st.lists(st.sampled_from(["both", "both", "predictions", "truth"]), min_size=1))

    def two(rows_):
        lack = [kept[int(item[1:]) % len(kept)] for item in rows_["item"]]
        which = pl.Series(lack, dtype=pl.String)
        return {
            "predictions": rows_.select("query", "item", "score").filter(which != "truth"),
            "truth": rows_.drop("score").filter(which != "predictions"),
        }

    keys, calls = ["query", "item"], [two(part) for part in parts]
    matched = [one["predictions"].join(one["truth"], on=keys) for one in calls]
    if not all(part.height for part in matched):
        return  # a part without labelled predictions is refused, as a call is
    metrics = ["auc", "gauc", "logloss", "brier"]  # refused where no row that is matched has a weight
    check(two(frame), calls, metrics, whole=whole, refusable=True, **options)


def test_a_slice_of_the_truth_without_predictions():
    items = ["i1", "i2", "i3"]
    truth = pl.DataFrame({"item": items, "label": [1, 0, 1], "country": ["DE", "DE", "JP"]})
    predictions = pl.DataFrame({"item": items[:2], "score": [0.9, 0.2]})
    calls = [
        {"predictions": predictions[:1], "truth": truth[:1]},
        {"predictions": predictions[1:], "truth": truth[1:]},
    ]
    check({"predictions": predictions, "truth": truth}, calls, ["auc"], whole="rows", by="country")
