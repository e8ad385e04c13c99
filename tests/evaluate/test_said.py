"""What changed a number is said beside it, and what cannot be meant is refused."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import steelyard as sy

from ..tables import each_row

RUN = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}}
TRUTH = {"q1": {"a": 1, "b": 3}, "q2": {"a": 2}}


def conventions(metrics, **options) -> str:
    return sy.evaluate(RUN, TRUTH, metrics, **options).system().conventions


@each_row(
    ("options", "said"),
    [
        ({"gain": "exp2"}, "gain=exp2"),
        ({"discount": "jarvelin"}, "discount=jarvelin"),
        ({"depth": 1}, "depth=1"),
        ({"undefined": "zero"}, "an undefined value counts 0"),
        ({"weights": {"q1": 1, "q2": 2}}, "queries weighted by weights"),
        ({"exclude": {"q1": ["z"]}}, "without the items of exclude"),
    ],
)
def test_what_the_call_says_is_said_beside_the_number(options, said):
    assert said in conventions("ndcg@2", **options)
    assert said not in conventions("ndcg@2")


def test_a_choice_of_some_metrics_names_them():
    line = conventions(["mrr", "mrr(ties=given)", "recall(rel=2)@1"])
    assert "ties by item, descending (mrr, recall(rel=2)@1)" in line
    assert "ties as they were given (mrr(ties=given))" in line
    assert "rel=2 (recall(rel=2)@1)" in line


def test_weights_and_exclude_are_part_of_the_json():
    told = sy.evaluate(RUN, TRUTH, "mrr", weights={"q1": 1, "q2": 1}, exclude={"q1": ["z"]}).to_dict()
    assert (told["weights"], told["exclude"]) == ("weights", "exclude")
    plain = sy.evaluate(RUN, TRUTH, "mrr").to_dict()
    assert (plain["weights"], plain["exclude"]) == (None, None)


def test_no_item_in_common_is_said_with_examples():
    result = sy.evaluate({"q": {"5.0": 1.0}}, {"q": {"5": 1}}, "mrr")
    assert result["mrr"] == 0.0
    assert any("items such as '5.0' against '5'" in note for note in result.notes)


def test_tied_hits_move_a_pooled_metric_too():
    tied = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
    result = sy.evaluate(tied, {"q1": {"a": 1}, "q2": {"a": 1}}, "recall@1", pooling="pooled")
    # one of two relevant items is surely first, the other first or second: 1/2 to 2/2
    assert any("moves recall@1 within 0.5000 – 1.0000" in note for note in result.notes)


@pytest.mark.parametrize(
    ("grades", "rel"),
    [
        ([1, 2, 3, 4, 5], "4"),  # 4 and 5 are two of five; 3 and above would be three
        ([1, 1, 1, 1, 5], "5"),
    ],
)
def test_the_level_that_is_suggested_takes_in_at_most_half(grades, rel):
    truth = {"q": {str(place): grade for place, grade in enumerate(grades)}}
    result = sy.evaluate({"q": {"0": 1.0}}, truth, "mrr")
    assert any(f"did you mean rel={rel}?" in note for note in result.notes)


def test_a_result_is_asked_for_one_metric_at_a_time():
    result = sy.evaluate(RUN, TRUTH, ["map@1,2"])
    with pytest.raises(sy.SteelyardError, match="names 2 metrics; one is expected"):
        result["map@1,2"]
    with pytest.raises(sy.SteelyardError, match="5 is not a metric"):
        result[5]
    assert "MAP@1" in result
    assert "mrr" not in result
    assert dict(result) == {"map@1": result["map@1"], "map@2": result["map@2"]}


def test_a_table_is_a_copy():
    result = sy.evaluate(RUN, TRUTH, "mrr")
    result.table()[0, "value"] = 99.0
    assert result["mrr"] == 1.0


@pytest.mark.parametrize("metrics", [None, 5, sy.NDCG, [5]])
def test_what_is_no_metric(metrics):
    with pytest.raises(sy.SteelyardError, match="is not a metric"):
        sy.evaluate(RUN, TRUTH, metrics)


@each_row(
    ("options", "message"),
    [
        ({"profile": None}, "unknown profile 'None'"),
        ({"by": 5}, "by must be text or a list of texts"),
        ({"conventions": 5}, "conventions must be a mapping"),
        ({"depth": 10**20}, "at most 10\\^15"),
    ],
)
def test_what_no_argument_can_be(options, message):
    with pytest.raises(sy.SteelyardError, match=message):
        sy.evaluate(RUN, TRUTH, "mrr", **options)


def test_gains_that_add_up_to_infinity():
    with pytest.raises(sy.SteelyardError, match="the sum of gains is above 1e150"):
        sy.evaluate({"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 1}}, sy.CG(gain={1: 1.7e308}))


def test_a_slice_is_sorted_as_its_values_are():
    truth = {f"q{n}": {"a": 1} for n in (2, 9, 10)}
    table = pl.DataFrame({"query": list(truth), "item": ["a"] * 3, "relevance": [1] * 3, "year": [2, 9, 10]})
    result = sy.evaluate({query: {"a": 1.0} for query in truth}, table, "mrr", by="year")
    assert result.table()["year"].to_list() == ["(all)", "2", "9", "10"]


def test_a_pooled_metric_is_undefined_only_as_a_whole():
    truth = {"q1": {"a": 1}, "q2": {"a": 0}}
    run = {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    pooled = "recall(pooling=pooled, undefined=error)@1"
    assert sy.evaluate(run, truth, pooled)[pooled] == 1.0
    with pytest.raises(sy.SteelyardError, match="nothing to divide by"):
        sy.evaluate(run, {"q1": {"a": 0}, "q2": {"a": 0}}, pooled)


def test_the_weighted_median_of_a_slice_is_that_of_its_queries_alone():
    rng = np.random.default_rng(7)
    queries = [f"q{n}" for n in range(12)]
    run = {q: {item: float(s) for item, s in zip("abcdef", rng.random(6), strict=True)} for q in queries}
    truth = {q: {str(rng.choice(list("abcdef"))): 1} for q in queries}
    weights = {q: float(w) for q, w in zip(queries, rng.choice([0.1, 0.2, 0.4], 12), strict=True)}
    table = pl.DataFrame(
        {
            "query": queries,
            "item": [next(iter(truth[q])) for q in queries],
            "relevance": [1] * 12,
            "part": [n % 3 for n in range(12)],
        }
    )
    sliced = sy.evaluate(run, table, "mrr", by="part", weights=weights, mean="median").table()
    for part in range(3):
        own = [q for n, q in enumerate(queries) if n % 3 == part]
        alone = sy.evaluate(
            {q: run[q] for q in own}, {q: truth[q] for q in own}, "mrr", weights=weights, mean="median"
        )
        assert sliced.filter(part=str(part))["value"].item() == alone["mrr"]


def test_a_grade_column_that_is_nearly_named_is_not_passed_over():
    truth = pl.DataFrame({"query": ["q"], "item": ["a"], "relevence": [0]})
    with pytest.raises(sy.SteelyardError, match="no column that could be the relevance") as error:
        sy.evaluate({"q": {"a": 1.0}}, truth, "mrr")
    assert "relevance=relevence" in error.value.remedy


def test_a_column_named_as_the_weight_is_the_weight():
    truth = pl.DataFrame({"query": ["q1", "q2"], "item": ["a", "z"], "relevance": [1, 1], "w": [3, 1]})
    run = {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    # q1 has its item first, q2 has none: (3·1 + 1·0) / 4
    assert sy.evaluate(run, truth, "mrr", columns={"weight": "w"})["mrr"] == 3 / 4
    assert sy.evaluate(run, truth, "mrr", weights="w")["mrr"] == 3 / 4
