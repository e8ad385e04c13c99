"""Laws of tables that are read in parts: they give the result in memory, for every metric."""

from __future__ import annotations

from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.engine import partial_units
from steelyard.metrics import by_name

from ..examples import examples
from ..partial.drawn import (
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
    variants,
    with_default_cutoff,
)
from .in_parts import check, memory_of, sizes, written


def test_every_metric_of_the_registry_is_here():
    assert sorted([*RANKINGS, *LISTS, *ROWS]) == sorted(by_name())


# --------------------------------------------------------------------------------------- rankings


@st.composite
def shuffled(draw, call):
    """The same call with the rows of each table in the order drawn, or as they are."""
    if not draw(st.booleans()):
        return call
    seed = draw(st.integers(0, 99))
    return {
        role: table.sample(fraction=1, shuffle=True, seed=seed) if isinstance(table, pl.DataFrame) else table
        for role, table in call.items()
    }


@st.composite
def of_rankings(draw, **how):
    """A call of rankings, its options, and how many rows a part has."""
    call, _, options = draw(rankings(**how))
    call = draw(shuffled(call))
    if draw(st.booleans()):
        call["exclude"] = call["predictions"].select("query", "item")[:: draw(st.integers(3, 5))]
    return call, options, draw(sizes(call))


@pytest.mark.parametrize("name", RANKINGS)
@examples(8)
@given(drawn=of_rankings())
def test_rankings(name, drawn):
    call, options, n = drawn
    check(call, variants(name), n, refusable=True, **options)


@pytest.mark.long
@pytest.mark.parametrize(("field", "word"), CHOICES)
@examples(12)
@given(drawn=of_rankings())
def test_rankings_under_each_convention(field, word, drawn):
    call, options, n = drawn
    rules = {
        "refusable": True,
        "same_error": word != "error" and field != "grades",
    }  # which name the first of a part
    check(call, with_default_cutoff(RANKINGS), n, conventions={field: word}, **rules, **options)


@pytest.mark.long
@pytest.mark.parametrize("ci", ["none", *INTERVALS])
@examples(12)
@given(drawn=of_rankings(min_queries=4))
def test_intervals_of_rankings(ci, drawn):
    call, options, n = drawn
    metrics = ["hit_rate@1", "ndcg", "mrr", "precision@2"]
    check(call, metrics, n, ci=ci, level=0.9, seed=3, refusable=True, **options)


# --------------------------------------------------------------------------------------- lists


@st.composite
def of_lists(draw):
    """A call of lists, its options, and how many rows a part has."""
    case, call, _ = draw(cases())
    call, options = dict(call), {}
    if draw(st.booleans()):
        call["weights"] = {user: 1 + number % 3 / 4 for number, user in enumerate(case.users)}
    if draw(st.booleans()):
        call["by"] = {user: ("DE", "JP")[number % 2] for number, user in enumerate(case.users)}
    if draw(st.booleans()):
        call["baseline_lists"] = {user: list(case.catalog[n : n + 3]) for n, user in enumerate(case.users)}
    return call, options, draw(sizes(call))


@pytest.mark.parametrize("name", LISTS)
@examples(8)
@given(drawn=of_lists())
def test_lists(name, drawn):
    call, options, n = drawn
    check(call, variants(name), n, refusable=True, **options)


@pytest.mark.long
@pytest.mark.parametrize("name", LISTS)
@examples(8)
@given(drawn=of_lists())
def test_lists_under_each_undefined_and_missing(name, drawn):
    call, options, n = drawn
    rules = {"refusable": True, "same_error": False}  # which names the first query of its part
    check(call, shared_values(name, ("undefined", "missing")), n, **rules, **options)


@examples(30)
@given(drawn=of_lists())
def test_lists_without_truth(drawn):
    call, options, n = drawn
    without = {name: table for name, table in call.items() if name != "truth"}
    names = [name for name in LISTS if name not in ("serendipity@k", "exposure_ratio@k")]
    check(without, with_default_cutoff(names), n, **options)


@examples(12)
@given(drawn=of_lists())
def test_lists_and_rankings_together(drawn):
    call, options, n = drawn
    check(call, [*with_default_cutoff(LISTS), *with_default_cutoff(RANKINGS)], n, **options)


# --------------------------------------------------------------------------------------- rows


@st.composite
def of_rows(draw, name):
    """A call of one table for a metric, its options, the kind of its rows, and how many a part has."""
    kind = draw(st.sampled_from(kinds_of(name)))
    frame, options = draw(rows(kind, keyed=True if name == "gauc" else None))
    call = draw(shuffled({"predictions": frame}))
    return call, options, kind, draw(st.integers(1, max(1, frame.height // 2)))


@pytest.mark.parametrize("ci", ["auto", "none"])
@pytest.mark.parametrize("name", ROWS)
@examples(8)
@given(data=st.data())
def test_rows(name, ci, data):
    call, options, kind, n = data.draw(of_rows(name))
    check(call, fitting(name, kind), n, refusable=True, ci=ci, **options)


@pytest.mark.long
@pytest.mark.parametrize("name", ROWS)
@examples(8)
@given(data=st.data())
def test_rows_under_each_undefined(name, data):
    call, options, _, n = data.draw(of_rows(name))
    check(call, shared_values(name, ("undefined", "unlabelled")), n, refusable=True, **options)


@pytest.mark.parametrize(
    "ci", [one if one == "auto" else pytest.param(one, marks=pytest.mark.long) for one in INTERVALS]
)
@examples(12)
@given(data=st.data())
def test_intervals_of_rows(ci, data):
    frame, options = data.draw(rows("binary", keyed=True))
    call = data.draw(shuffled({"predictions": frame}))
    metrics = ["auc", "pr_auc", "ks", "logloss", "calibration", "ece", "f1", "mcc", "accuracy", "rmse"]
    if ci != "bca":  # whose bias counts draws that are equal but for rounding: rows keep their order
        metrics.append("gauc")
    n = data.draw(st.integers(1, max(1, frame.height // 2)))
    check(call, metrics, n, refusable=True, ci=ci, level=0.9, seed=3, **options)


@examples(30)
@given(data=st.data())
def test_all_metrics_of_scores_together(data):
    """The metrics of rows share two passes where rows are not kept, and some of them have large groups."""
    frame, options = data.draw(rows("binary", keyed=True))
    options.pop("unit", None)
    call = data.draw(shuffled({"predictions": frame}))
    metrics = [fitting(name, "binary")[0] for name in ROWS if "binary" in kinds_of(name)]
    n = data.draw(st.integers(1, max(1, frame.height // 2)))
    check(call, metrics, n, ci=data.draw(st.sampled_from(["auto", "none"])), **options)


@examples(16)
@given(data=st.data())
def test_one_heavy_user(data):
    """Most rows are of one user, whose AUC is counted over several parts."""
    frame, options = data.draw(rows("binary", keyed=True, max_rows=40))
    options.pop("unit", None)
    light = data.draw(st.integers(1, 5))
    heavy = pl.when(pl.int_range(pl.len()) % 6 >= light).then(pl.col("query")).otherwise(pl.lit("u2"))
    call = data.draw(shuffled({"predictions": frame.with_columns(query=heavy)}))
    metrics = ["gauc", "gauc(weight=pairs, single_class=half)", "gauc(equal_scores=below)", "auc", "logloss"]
    check(call, metrics, data.draw(st.integers(1, 6)), refusable=True, **options)


@examples(16)
@given(data=st.data())
def test_rows_without_labels(data):
    frame, options = data.draw(rows("binary", keyed=True, weighted=False))
    options.pop("unit", None)
    unlabelled = pl.int_range(pl.len()) % data.draw(st.integers(2, 7)) == 1
    frame = frame.with_columns(label=pl.when(~unlabelled).then("label"))
    call = data.draw(shuffled({"predictions": frame}))
    n = data.draw(st.integers(1, max(1, frame.height // 2)))
    metrics = ["auc", "gauc", "logloss", "f1", "rmse"]
    check(call, metrics, n, refusable=True, unlabelled="drop", **options)


@examples(16)
@given(data=st.data(), most=st.sampled_from([2, 4, 20]), ci=st.sampled_from(["auto", "none"]))
def test_more_units_than_are_kept(data, most, ci):
    """Units are put into groups, which moves intervals and the notes on them, and no value."""
    frame, options = data.draw(rows("binary", keyed=True))
    options.pop("unit", None)
    metrics = ["auc", "gauc", "gauc(single_class=half)", "logloss", "accuracy", "ks", "ece"]
    with written({"predictions": frame}) as files, patch.object(partial_units, "MOST_UNITS", most):
        call = {"metrics": metrics, "ci": ci, **options}
        right = sy.evaluate(files["predictions"], **call)
        found = sy.evaluate(files["predictions"], memory=memory_of(3), **call)
    columns = [*([options["by"]] if "by" in options else []), "metric", "n", "undefined"]
    assert found.table().select(columns).equals(right.table().select(columns), null_equal=True)
    assert found.table()["value"].to_list() == pytest.approx(
        right.table()["value"].to_list(), rel=1e-12, abs=1e-13, nan_ok=True
    )
    assert (found.tally, found.fingerprints) == (right.tally, right.fingerprints)
    assert found.group_coverage().equals(right.group_coverage(), null_equal=True)


@pytest.mark.parametrize("columns", [{}, {"query": "user"}], ids=["found", "named"])
def test_parts_without_labels_or_users(columns):
    """The last rows have no label yet, and some rows no user: a part of them is like any other."""
    labels = pl.when(pl.int_range(24) < 16).then(pl.int_range(24) % 2)
    frame = pl.select(user=pl.int_range(24) % 4, label=labels, score=pl.int_range(24) / 24)
    for metrics in (["logloss", "auc"], ["accuracy"], ["rmse"]):
        check({"predictions": frame}, metrics, 4, unlabelled="drop", columns=columns)
        users = pl.when(pl.int_range(24) >= 12).then("user")
        nobody = frame.select(user=users, label=pl.int_range(24) % 2, score="score")
        check({"predictions": nobody}, metrics, 4, columns=columns)


@st.composite
def two_tables(draw):
    """Predictions and truth with a key: rows without a partner are counted, and may be in any part."""
    frame, options = draw(rows("binary", keyed=True))
    options.pop("unit", None)
    if draw(st.booleans()):
        options.pop("columns")
        frame = frame.drop("query", "region", strict=False)
    frame = frame.with_row_index("item").with_columns(item="i" + pl.col("item").cast(pl.String))
    kept = draw(st.lists(st.sampled_from(["both", "both", "predictions", "truth"]), min_size=1))
    which = pl.Series([kept[number % len(kept)] for number in range(frame.height)])
    keys = [name for name in ("query", "item") if name in frame.columns]
    tables = {
        "predictions": frame.select(*keys, "score").filter(which != "truth"),
        "truth": frame.drop("score").filter(which != "predictions"),
    }
    return draw(shuffled(tables)), options


@examples(40)
@given(drawn=two_tables(), n=st.integers(1, 8), ci=st.sampled_from(["auto", "none"]))
def test_two_tables(drawn, n, ci):
    call, options = drawn
    metrics = ["auc", "logloss", "brier", "accuracy", *(["gauc"] if "columns" in options else [])]
    check(call, metrics, n, refusable=True, ci=ci, **options)


# --------------------------------------------------------------------------------------- types


HUGE = 2**64 - 1


@st.composite
def one_table_of_both(draw):
    """Lists with labels inside, which metrics of lists and of rows read."""
    call, _, options = draw(rankings(grades=(0, 1), weighted=False, sliced="no"))
    options.pop("unit", None)
    table = call["predictions"].join(call["truth"], on=["query", "item"], maintain_order="left")
    table = table.select("query", "item", "score", label=pl.col("relevance").cast(pl.Int64))
    return draw(shuffled({"predictions": table})), options


@examples(30)
@given(drawn=one_table_of_both(), data=st.data())
def test_lists_and_rows_of_one_table(drawn, data):
    call, options = drawn
    metrics = ["ndcg@3", "auc", "mrr", "gauc"]
    check(call, metrics, data.draw(sizes(call)), refusable=True, **options)


@examples(30)
@given(
    drawn=of_rankings(weighted=False, sliced="no"), kind=st.sampled_from(["unsigned", "categories", "dates"])
)
def test_ids_of_other_types(drawn, kind):
    """One query has an id that needs the last bit of 64; each part has the types of the whole."""
    call, options, n = drawn
    number = pl.col("query").str.slice(1).cast(pl.UInt64)
    ids = {
        "unsigned": pl.when(number == 1).then(pl.lit(HUGE, pl.UInt64)).otherwise(number),
        "categories": pl.col("query").cast(pl.Categorical),
        "dates": number.cast(pl.Int32).cast(pl.Date),
    }[kind]
    tables = {role: table.with_columns(query=ids) for role, table in call.items()}
    check(tables, ["ndcg@3", "mrr"], n, refusable=True, **options)
