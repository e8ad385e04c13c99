"""Query weights: integer weights are copies, 0 leaves out, and what is no weight is an error."""

from __future__ import annotations

from math import exp, inf, log, nan

import polars as pl
import pytest

import steelyard as sy

from ..tables import each_row

# Reciprocal ranks 1, 1/2 and 1/4; the grades of the first four items of each list.
LISTS = {"q1": [1, 0, 1, 0], "q2": [0, 1, 0, 0], "q3": [0, 0, 0, 1]}
WEIGHTS = {"q1": 2, "q2": 1, "q3": 3}


def tables(lists: dict[str, list[int]]) -> tuple[dict, dict]:
    run = {query: {f"d{i}": 10.0 - i for i in range(len(grades))} for query, grades in lists.items()}
    truth = {query: {f"d{i}": grade for i, grade in enumerate(grades)} for query, grades in lists.items()}
    return run, truth


METRICS = [
    "mrr",
    "ndcg@3",
    "mrr(mean=median)",
    "map(mean=median)",
    "mrr(mean=geometric)",
    "recall(mean=geometric, floor=0.01)@2",
    "precision(pooling=pooled)@3",
    "recall(pooling=pooled)@3",
    "hit_rate(pooling=pooled)@3",
]


def test_by_hand():
    result = sy.evaluate(*tables(LISTS), METRICS, weights=WEIGHTS)
    assert result["mrr"] == pytest.approx((2 * 1 + 1 * (1 / 2) + 3 * (1 / 4)) / 6, abs=1e-15)
    # 1/4 1/4 1/4 | 1/2 1 1: the middle lies between two values
    assert result["mrr(mean=median)"] == (1 / 4 + 1 / 2) / 2
    assert result["mrr(mean=geometric)"] == pytest.approx(
        exp((2 * log(1) + log(1 / 2) + 3 * log(1 / 4)) / 6), abs=1e-15
    )
    # recall@2 is 1/2, 1 and 0, and 0 counts as the floor
    assert result["recall(mean=geometric, floor=0.01)@2"] == pytest.approx(
        exp((2 * log(1 / 2) + log(1) + 3 * log(0.01)) / 6), abs=1e-15
    )
    # hits among the first three: 2, 1, 0; relevant: 2, 1, 1
    assert result["precision(pooling=pooled)@3"] == pytest.approx((2 * 2 + 1 * 1 + 0) / (6 * 3), abs=1e-15)
    assert result["recall(pooling=pooled)@3"] == pytest.approx(
        (2 * 2 + 1 * 1 + 0) / (2 * 2 + 1 + 3), abs=1e-15
    )
    assert result["hit_rate(pooling=pooled)@3"] == result["recall(pooling=pooled)@3"]


def test_integer_weights_are_copies():
    copies = {f"{q} {n}": grades for q, grades in LISTS.items() for n in range(WEIGHTS[q])}
    weighted = sy.evaluate(*tables(LISTS), METRICS, weights=WEIGHTS)
    copied = sy.evaluate(*tables(copies), METRICS)
    assert {name: weighted[name] for name in METRICS} == pytest.approx(
        {name: copied[name] for name in METRICS}, abs=1e-12
    )


def test_a_weight_of_0_leaves_out():
    two = {query: LISTS[query] for query in ("q1", "q3")}
    weighted = sy.evaluate(*tables(LISTS), METRICS, weights={"q1": 5.0, "q2": 0, "q3": 5.0})
    plain = sy.evaluate(*tables(two), METRICS)
    assert {name: weighted[name] for name in METRICS} == pytest.approx(
        {name: plain[name] for name in METRICS}, abs=1e-12
    )
    assert weighted.table()["n"].to_list() == [2] * len(METRICS)
    assert weighted.per_query().height == 3 * len(METRICS)


def test_equal_weights_change_nothing():
    weighted = sy.evaluate(*tables(LISTS), METRICS, weights=dict.fromkeys(LISTS, 0.25))
    plain = sy.evaluate(*tables(LISTS), METRICS)
    assert [weighted[name] for name in METRICS] == pytest.approx([plain[name] for name in METRICS], abs=1e-15)


def test_an_undefined_query_takes_its_weight_with_it():
    run, truth = tables({**LISTS, "q4": [0, 0]})
    result = sy.evaluate(run, truth, "mrr", weights={**WEIGHTS, "q4": 100})
    assert result["mrr"] == pytest.approx((2 * 1 + 1 * (1 / 2) + 3 * (1 / 4)) / 6, abs=1e-15)
    assert result.table().select("n", "undefined").row(0) == (3, 1)


def frames() -> tuple[pl.DataFrame, pl.DataFrame]:
    run, truth = tables(LISTS)
    return tuple(
        pl.DataFrame(
            [(q, d, float(v)) for q, items in nested.items() for d, v in items.items()],
            schema=["query", "item", name],
            orient="row",
        )
        for nested, name in ((run, "score"), (truth, "relevance"))
    )


def test_every_way_to_give_weights(tmp_path):
    run, truth = frames()
    table = pl.DataFrame({"query": list(WEIGHTS), "weight": list(WEIGHTS.values())})
    table.write_csv(tmp_path / "weights.csv")
    in_truth = truth.with_columns(sessions=pl.col("query").replace_strict(WEIGHTS))
    in_run = run.with_columns(sessions=pl.col("query").replace_strict(WEIGHTS))
    expected = (2 * 1 + 1 * (1 / 2) + 3 * (1 / 4)) / 6
    for given in (WEIGHTS, table, table.lazy(), table[[2, 0, 1]], tmp_path / "weights.csv"):
        assert sy.evaluate(run, truth, "mrr", weights=given)["mrr"] == pytest.approx(expected, abs=1e-15)
    for tables_ in ((run, in_truth), (in_run, truth)):
        assert sy.evaluate(*tables_, "mrr", weights="sessions")["mrr"] == pytest.approx(expected, abs=1e-15)


def test_a_column_of_a_file_without_types(tmp_path):
    run, truth = frames()
    path = tmp_path / "truth.csv"
    truth.with_columns(w8=pl.col("query").replace_strict({"q1": "2", "q2": "1.0", "q3": "3e0"})).write_csv(
        path
    )
    assert sy.evaluate(run, path, "mrr", weights="w8")["mrr"] == pytest.approx(
        (2 + 1 / 2 + 3 / 4) / 6, abs=1e-15
    )
    truth.with_columns(w8=pl.col("query").replace_strict({"q1": "2", "q2": "many", "q3": "1"})).write_csv(
        path
    )
    with pytest.raises(sy.SteelyardError, match="column 'w8' of .*truth.csv, query .*: weight is many"):
        sy.evaluate(run, path, "mrr", weights="w8")


def test_weights_of_further_queries_do_not_matter():
    result = sy.evaluate(*tables(LISTS), "mrr", weights={**WEIGHTS, "q9": 1000})
    assert result["mrr"] == pytest.approx((2 * 1 + 1 * (1 / 2) + 3 * (1 / 4)) / 6, abs=1e-15)


def test_weights_within_slices():
    run, truth = frames()
    kind = pl.col("query").replace_strict({"q1": "x", "q2": "x", "q3": "y"})
    result = sy.evaluate(run, truth.with_columns(kind=kind), "mrr", by="kind", weights=WEIGHTS)
    assert result.table()["value"].to_list() == pytest.approx(
        [(2 + 1 / 2 + 3 / 4) / 6, (2 * 1 + 1 / 2) / 3, 1 / 4], abs=1e-15
    )


@each_row(
    ("weights", "message"),
    [
        ({**WEIGHTS, "q2": -1}, "weights, query q2: weight is -1"),
        ({**WEIGHTS, "q2": nan}, "weight is 'nan'"),
        ({**WEIGHTS, "q2": inf}, "weight is 'inf'"),
        ({**WEIGHTS, "q2": None}, "weight is missing"),
        ({"q1": 1}, "2 queries have no weight in weights, first q2"),
        ({"q1": 1, "q3": 1}, "1 query has no weight in weights, first q2"),
        (dict.fromkeys(WEIGHTS, 0), "all weights in weights are 0"),
        (
            pl.DataFrame({"query": ["q1", "q1", "q2", "q3"], "weight": [1, 2, 1, 1]}),
            "weights gives query q1 two weights",
        ),
        ("sessions", "no column 'sessions' in predictions or truth to weigh by"),
        ({1: 1, 2: 1, 3: 1}, "query ids are text in predictions and integers in weights"),
    ],
)
def test_what_is_no_weight(weights, message):
    with pytest.raises(sy.SteelyardError) as error:
        sy.evaluate(*tables(LISTS), "mrr", weights=weights)
    assert message in error.value.message
    assert error.value.remedy


@each_row(
    ("column", "message"),
    [
        ([-1, 1, 1], "column 'w8' of truth, query q1: weight is -1"),
        ([1, nan, 1], "column 'w8' of truth, query q2: weight is nan"),
        ([1, 1, 1e61], "column 'w8' of truth, query q3: weight is 1e+61"),
        ([1, None, 1], "column 'w8' of truth, query q2: weight is"),
        ([0, 0, 0], "all weights in column 'w8' of truth are 0"),
        (["one", "two", "three"], "column 'w8' of truth, query q1: weight is one"),
    ],
)
def test_what_is_no_weight_in_a_column(column, message):
    run, truth = frames()
    values = truth.join(pl.DataFrame({"query": ["q1", "q2", "q3"], "w8": column}, strict=False), on="query")
    with pytest.raises(sy.SteelyardError) as error:
        sy.evaluate(run, values, "mrr", weights="w8")
    assert message in error.value.message
    assert error.value.remedy


def test_a_weight_that_varies_within_a_query():
    run, truth = frames()
    varying = run.with_columns(w8=pl.int_range(pl.len()))
    with pytest.raises(sy.SteelyardError, match="column 'w8' of predictions varies within query q1"):
        sy.evaluate(varying, truth, "mrr", weights="w8")
    with pytest.raises(
        sy.SteelyardError, match="both predictions and truth have a column 'query' to weigh by"
    ):
        sy.evaluate(run, truth, "mrr", weights="query")


def test_a_column_has_no_weight_for_a_query_that_its_table_lacks():
    run, truth = frames()
    weighed = run.filter(pl.col("query") != "q3").with_columns(w8=pl.lit(1))
    with pytest.raises(
        sy.SteelyardError, match="1 query has no weight in column 'w8' of predictions, first q3"
    ):
        sy.evaluate(weighed, truth, "mrr", weights="w8")
    assert sy.evaluate(weighed, truth, "mrr", weights="w8", missing="skip")["mrr"] == (1 + 1 / 2) / 2


@pytest.mark.parametrize("size", [1e-60, 1e60])
def test_the_size_of_weights_cancels(size):
    heavy = dict.fromkeys(LISTS, size)
    weighted, plain = (sy.evaluate(*tables(LISTS), METRICS, weights=given) for given in (heavy, None))
    assert [weighted[m] for m in METRICS] == pytest.approx(
        [plain[m] for m in METRICS], nan_ok=True, rel=1e-14
    )
