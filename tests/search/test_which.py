"""The conventions that give a number: by hand on five users, and by asking again for all that is listed."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from conformance.judged import _tables
from steelyard.spec import libraries

from ..tables import each_row

# Users 1 to 5; user 4 has no recommendations, user 5 no truth.
RUN = {
    "u1": ["1", "2", "3", "4"],
    "u2": ["5", "6"],
    "u3": ["1", "7", "2", "8"],
    "u5": ["1", "2", "3", "4"],
}
TRUTH = {
    "u1": {"1": 1, "3": 1, "9": 1},
    "u2": {"6": 1},
    "u3": {"7": 1, "2": 1, "10": 1, "11": 1, "12": 1, "13": 1},
    "u4": {"1": 1, "2": 1},
}
# the precisions at the hits of users 1 to 3, added up
U1, U2, U3 = 1 / 1 + 2 / 3, 1 / 2, 1 / 2 + 2 / 3


def printed(value: float, digits: int = 5) -> str:
    return f"{value:.{digits}f}"


def asked_again(run, truth, found, **options):
    """Every listed text, given to evaluate, has the value that is listed; to the bit."""
    for text, value in found.table().select("metric", "value").rows():
        again = sy.evaluate(run, truth, text, ci="none", **options)
        assert again.rows["value"].to_list() == [value], text


@each_row(
    ("value", "text"),
    [
        ((U1 / 3 + U2 / 1 + U3 / 6 + 0) / 4, "map@4"),
        ((U1 / 3 + U2 / 1 + U3 / 6) / 3, "trec_eval:map@4"),
        ((U1 / 3 + U2 / 1 + U3 / 6) / 3, "map(missing=skip)@4"),
        ((U1 / 3 + U2 / 1 + U3 / 4 + 0) / 4, "map(denominator=achievable)@4"),
        ((U1 / 3 + U2 / 1 + U3 / 4) / 3, "trec_eval:map(denominator=achievable)@4"),
        ((U1 / 2 + U2 / 1 + U3 / 2 + 0) / 4, "map(denominator=hits)@4"),
        ((U1 / 2 + U2 / 1 + U3 / 2) / 3, "trec_eval:map(denominator=hits)@4"),
        ((U1 / 4 + U2 / 4 + U3 / 4 + 0) / 4, "map(denominator=k)@4"),
        ((U1 / 3 + U2 / 1 + U3 / 4 + 0) / 4, "map(denominator=shown)@4"),  # two shown, one relevant
    ],
)
def test_the_convention_of_a_number_is_listed(value, text):
    found = sy.which(RUN, TRUTH, {"map@4": printed(value)})
    assert text in found.texts
    asked_again(RUN, TRUTH, found)


def test_two_changes_where_one_does_not_do():
    """Hits, and predicted users without truth as users of whom nothing is relevant, who count 0."""
    value = (U1 / 2 + U2 / 1 + U3 / 2 + 0 + 0) / 5
    found = sy.which(RUN, TRUTH, {"map(undefined=zero)@4": printed(value)}, changes=2)
    assert "map(unexpected=keep, undefined=zero, denominator=hits)@4" in found.texts
    one = found.table().filter(pl.col("metric") == "map(unexpected=keep, undefined=zero, denominator=hits)@4")
    assert one["changes"].to_list() == [2]
    assert one["changed"].to_list() == ["unexpected=keep, denominator=hits"]
    asked_again(RUN, TRUTH, found)


@pytest.mark.parametrize("cutoffs", [(1, 5), pytest.param((1, 2, 3, 4, 5), marks=pytest.mark.long)])
def test_many_claims_take_little_more_than_one(cutoffs):
    """The conventions of two changes are measured for those that give the claims before."""
    names = ("ndcg", "map", "precision", "recall", "mrr", "hit_rate")
    claims = {f"{name}@{k}": "0.123" for k in cutoffs for name in names}
    one = sy.which(RUN, TRUTH, {"ndcg@1": "0.123"}, changes=2)
    many = sy.which(RUN, TRUTH, claims, changes=2)
    few = sy.which(RUN, TRUTH, claims, changes=1)
    assert many.outcome.conventions - few.outcome.conventions <= one.outcome.conventions
    with pytest.raises(sy.SteelyardError, match="there are more than 100 claims"):
        sy.which(RUN, TRUTH, {f"map@{k}": 0.5 for k in range(1, 102)})
    table = pl.DataFrame({"metric": [f"map@{k}" for k in range(1, 102)], "value": 0.5})
    with pytest.raises(sy.SteelyardError, match="there are more than 100 claims"):
        sy.which(RUN, TRUTH, table)


def test_what_fewer_changes_explain_is_not_explained_by_more():
    value = (U1 / 2 + U2 / 1 + U3 / 2 + 0) / 4
    found = sy.which(RUN, TRUTH, {"map@4": printed(value)}, changes=2)
    table = found.table().filter(pl.col("profile") == "steelyard:2026")
    hits = table.filter(pl.col("changed").str.contains("denominator=hits"))
    assert hits["changed"].to_list() == ["denominator=hits"]
    asked_again(RUN, TRUTH, found)


def test_the_best_known_library_and_the_fewest_changes_come_first():
    found = sy.which(RUN, TRUTH, {"map@4": printed((U1 / 3 + U2 / 1 + U3 / 6) / 3)})
    assert found.texts[0] == "trec_eval:map@4"
    table = found.table()
    first_of_group = table.unique("group", keep="first", maintain_order=True)
    assert first_of_group["changes"].to_list() == sorted(first_of_group["changes"])
    for _, group in table.group_by("group"):
        assert group["value"].n_unique() == 1
        assert group["changes"].to_list() == sorted(group["changes"])


def test_several_claims_are_met_by_one_convention():
    """Only with missing users left out: 45/108; a hit for every user shown."""
    claims = {"map@4": printed(45 / 108), "hit_rate@4": "1.000"}
    found = sy.which(RUN, TRUTH, claims)
    assert "trec_eval" in found.profiles
    assert "steelyard:2026" not in found.profiles
    table = found.table()
    assert table.filter(pl.col("metric") == "map(missing=skip)@4").height
    assert table.filter(pl.col("metric") == "hit_rate(missing=skip)@4").height
    asked_again(RUN, TRUTH, found)
    alone = sy.which(RUN, TRUTH, {"hit_rate@4": "0.750"})
    assert "steelyard:2026" in alone.profiles
    both = sy.which(RUN, TRUTH, {"map@4": printed(45 / 108), "hit_rate@4": "0.750"}, changes=0)
    assert not {"trec_eval", "steelyard:2026"} & set(both.profiles)


def test_a_claim_by_the_name_of_a_library():
    found = sy.which(RUN, TRUTH, {"map_cut_4": printed(45 / 108)})
    assert found.texts[0] in ("trec_eval:map_cut_4", "trec_eval:map@4")
    assert "trec_eval" in found.profiles
    asked_again(RUN, TRUTH, found)


def test_a_cutoff_that_a_library_reads_as_a_depth():
    found = sy.which(RUN, TRUTH, {"RR@2": printed((1 / 1 + 1 / 2 + 1 / 2 + 0) / 4)})
    assert "ir_measures:RR@2" in found.texts
    asked_again(RUN, TRUTH, found)


def test_what_a_claim_states_is_never_changed():
    found = sy.which(RUN, TRUTH, {"map(missing=keep)@4": printed(45 / 108)}, changes=2)
    assert not found.table().filter(pl.col("changed").str.contains("missing")).height
    assert "trec_eval:map(missing=keep)@4" not in found.texts


def test_a_claim_of_one_profile_is_tried_there_alone():
    found = sy.which(RUN, TRUTH, {"trec_eval:map@4": printed((U1 / 2 + U2 + U3 / 2) / 3)})
    assert "trec_eval:map(denominator=hits)@4" in found.texts
    assert set(found.table()["profile"]) == {"trec_eval"}


def test_changes_can_be_kept_to_none():
    value = printed((U1 / 2 + U2 / 1 + U3 / 2 + 0) / 4)
    found = sy.which(RUN, TRUTH, {"map@4": value}, changes=0)
    assert set(found.table()["changes"]) == {0}


@pytest.mark.parametrize("given", [3, -1, "2", True, 1.5])
def test_a_number_of_changes_that_is_none(given):
    with pytest.raises(sy.SteelyardError, match="changes must be None, 0, 1 or 2; got"):
        sy.which(RUN, TRUTH, {"map@4": 0.3}, changes=given)


def test_where_nothing_fits_the_nearest_are_told_and_what_to_suspect():
    found = sy.which(RUN, TRUTH, {"map@4": "0.98765"})
    assert not found
    assert len(found) == 0
    assert found.profiles == []
    table = found.table()
    assert table["group"].null_count() == table.height > 0
    far = [abs(value - 0.98765) for value in table["value"]]
    assert far == sorted(far)
    asked_again(RUN, TRUTH, found)
    assert [one.key for one in found.suspects][-3:] == ["other_truth", "sampled_candidates", "other_lists"]
    assert found.to_text().startswith("no convention that was tried gives 0.98765 for map@4")


def test_another_cutoff_is_suspected():
    """At 1 user 1 alone has a hit, one of three relevant items."""
    found = sy.which(RUN, TRUTH, {"recall@4": printed((1 / 3 + 0 + 0 + 0) / 4)}, changes=0)
    keys = {one.key: one.figures for one in found.suspects}
    assert "recall@1" in keys["other_cutoff"]["names"]


def test_a_percentage_without_its_sign_is_suspected():
    value = (U1 / 3 + U2 / 1 + U3 / 6 + 0) / 4 * 100  # 31.25
    with pytest.raises(sy.SteelyardError, match="if it is a percentage, write it as one"):
        sy.which(RUN, TRUTH, {"map@4": printed(value, 2)})
    assert "steelyard:2026" in sy.which(RUN, TRUTH, {"map@4": f"{value:.2f}%"}).profiles
    few = {"q": [str(item) for item in range(500)]}
    found = sy.which(few, {"q": {"0": 1}}, {"precision@500": "0.200"})  # 1/500 is 0.2 %
    names = {one.key: one.figures for one in found.suspects}["percentage"]["names"]
    assert "trec_eval:precision@500" in names


def test_digits_that_were_cut_off_are_suspected():
    """45/108 is 0.41666…, which is cut off to 0.416 and rounds to 0.417."""
    found = sy.which(RUN, TRUTH, {"trec_eval:map@4": "0.416"})
    keys = {one.key: one.figures for one in found.suspects}
    assert keys["cut_off"]["names"] == ["trec_eval:map@4"]
    value = sy.evaluate({"q": ["a", "b"]}, {"q": ["b"]}, "mrr")["mrr"]
    assert value == 0.5  # cut off to 0.500
    below = sy.which({"q": ["a", "b"]}, {"q": ["b"]}, {"mrr": "0.499"})
    assert all("mrr" not in one.figures["names"] for one in below.suspects if one.key == "cut_off")


def test_choices_about_what_is_not_there_are_not_varied():
    found = sy.which({"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 2}}, {"map@2": "0.5"})
    idle = {one.key: one.figures for one in found.notes}["idle_fields"]["fields"]
    assert {"duplicates", "missing", "unexpected", "unjudged", "ties", "scores"} <= set(idle)
    every = {name for changed in found.table()["changed"] for name in changed.split(", ")}
    assert not {name.partition("=")[0] for name in every} & set(idle)


def test_each_grade_is_tried_as_the_lowest_that_is_relevant():
    """Of grades 1 and 3 in the first places, 3 at rank 2: precision 1/2."""
    found = sy.which({"q": ["a", "b"]}, {"q": {"a": 1, "b": 3}}, {"precision@2": "0.50"})
    assert "precision(rel=3)@2" in found.texts


def test_doubled_rows_which_the_defaults_refuse():
    run = pl.DataFrame({"query": ["q"] * 3, "item": ["a", "b", "a"], "score": [3.0, 2.0, 1.0]})
    truth = {"q": {"b": 1}}
    found = sy.which(run, truth, {"mrr": "1.000"})
    assert "mrr(duplicates=last)" in found.texts  # a is last then, at rank 2
    assert "steelyard:2026" in {one.figures["profile"] for one in found.notes if one.key == "profile_refuses"}
    asked_again(run, truth, found)


LOG = {
    "clicked": [1, 0, 0, 1, 1, 0],
    "p": [0.9, 0.8, 0.3, 0.6, 0.7, 0.2],
    "user": ["a", "a", "a", "b", "b", "c"],
}


def test_metrics_of_rows():
    """User a has an AUC of 1; b and c have one class each: halves, and three groups of 3, 2 and 1 rows."""
    columns = {"label": "clicked", "score": "p", "query": "user"}
    found = sy.which(LOG, claims={"gauc": printed((3 * 1 + 2 / 2 + 1 / 2) / 6)}, columns=columns)
    assert "gauc(single_class=half)" in found.texts
    asked_again(LOG, None, found, columns=columns)
    uniform = sy.which(LOG, claims={"gauc": printed((1 + 0.5 + 0.5) / 3)}, columns=columns, changes=2)
    assert "gauc(weight=uniform, single_class=half)" in uniform.texts


@each_row(
    ("claim", "value", "profile"),
    [
        ("Precision", (1 / 3 + 2 / 2 + 0 / 1) / 3, "lenskit:2025"),
        ("f1", (2 * 1 / (3 + 1) + 2 * 2 / (2 + 2) + 0) / 3, "ranx"),
        ("recall", (1 / 1 + 2 / 2 + 0) / 3, "ranx"),
        ("precision", 3 / 4, "sklearn"),  # of the four rows from 0.5 on
    ],
)
def test_one_log_is_searched_as_rows_and_as_lists(claim, value, profile):
    """User a has 1 of 3 items relevant, b both of 2, c not the only one."""
    columns = {"label": "clicked", "score": "p", "query": "user"}
    found = sy.which(LOG, claims={claim: printed(value)}, columns=columns)
    assert profile in found.profiles
    asked_again(LOG, None, found, columns=columns)


def test_what_is_left_to_suspect_of_rows():
    found = sy.which(LOG, claims={"auc": "0.123"}, columns={"label": "clicked", "score": "p"})
    assert [one.key for one in found.suspects][-3:] == ["other_rows", "sampled_rows", "other_scores"]


def test_log_loss_in_bits():
    loss = -sum(
        math.log2(p if clicked else 1 - p) for clicked, p in zip(LOG["clicked"], LOG["p"], strict=True)
    )
    found = sy.which(LOG, claims={"logloss": printed(loss / 6)}, columns={"label": "clicked", "score": "p"})
    assert "logloss(base=2)" in found.texts


def test_averages_of_classes():
    log = {"label": ["a", "a", "b", "c"], "predicted": ["a", "b", "b", "a"]}
    value = (2 * 1 / (2 + 1 + 1) + 2 * 1 / (2 + 1 + 0) + 0) / 3
    found = sy.which(log, claims={"f1": printed(value)})
    assert "f1(average=macro)" in found.texts


@each_row(
    ("claims", "said"),
    [
        ({"map@4": 30.2}, "map@4 is never 30.2: its values are from 0 to 1"),
        ({"map@4": -0.5}, "map@4 is never -0.5: its values are from 0 to 1"),
        ({"map@4,10": 0.3}, "'map@4,10' names 2 metrics; one is expected"),
        ({"nobody:map@4": 0.3}, "unknown profile 'nobody'"),
        ({"trec_eval:auc": 0.3}, "trec_eval has no auc"),
        ({"nothing": 0.3}, "unknown metric 'nothing'"),
        ({3: 0.3}, "the metric of a claim must be text such as 'map@10'; got 3"),
        ({"coverage@10": 0.3}, "coverage@10 needs catalog, which was not given"),
        ({"map@4": 0.3, "novelty@10": 0.3}, "novelty@10 needs history, which was not given"),
    ],
)
def test_claims_that_cannot_be_searched_for(claims, said):
    with pytest.raises(sy.SteelyardError) as refused:
        sy.which(RUN, TRUTH, claims)
    assert str(refused.value).startswith(said)


def test_a_value_for_each_class_is_no_claim():
    log = {"label": ["a", "a", "b"], "predicted": ["a", "b", "b"]}
    with pytest.raises(sy.SteelyardError, match="has a value for each class, and a claim is on one value"):
        sy.which(log, claims={"f1(average=none)": 0.5})


def test_tables_without_a_query_in_common_are_refused_as_ever():
    with pytest.raises(sy.SteelyardError, match="no query"):
        sy.which({"a": ["1"]}, {"b": {"1": 1}}, {"map@4": 0.3})


CONVENTIONS = {
    "ties_graded": [
        "map(ties=pessimistic)@5",
        "map(ties=expected)@5",
        "map(rel=2)@5",
        "map(unjudged=drop, ties=item_asc)@5",
        "ndcg(gain=exp2)@5",
        "ndcg(ideal=topk, ties=given)@5",
        "trec_eval:ndcg(discount=jarvelin)@5",
        "mrr(ties=optimistic)",
    ],
    "missing_on_both_sides": [
        "precision(missing=skip)@5",
        "precision(unexpected=keep)@5",
        "recall(pooling=pooled)@5",
        "recall(mean=median)@5",
        "trec_eval:map(judgements=retrieved)@5",
        "trec_eval:mrr(unexpected=keep)",
    ],
    "doubled_predictions": ["map(duplicates=last)@5", "ndcg(duplicates=best, order=given)@5"],
    "float_grades": ["ndcg(gain=binary)@5", "trec_eval:ndcg(grades=as_given)@5", "map(rel=0.5)@5"],
    "short_lists": ["mrr(judgements=mixed)@5", "sentence_transformers:RerankingEvaluator.mrr@5"],
    "nothing_relevant": ["map(undefined=zero)@5", "hit_rate(undefined=one)@5"],
}


@pytest.mark.parametrize(
    ("case", "text"), [(case, text) for case, texts in CONVENTIONS.items() for text in texts]
)
def test_a_convention_is_found_by_its_value(case, text):
    """Measured by evaluate, printed with ten decimals, found again; and all that is listed beside it."""
    run, truth = _tables(case)
    value = sy.evaluate(run, truth, text, ci="none")[text]
    metric = sy.metric(text)
    k = getattr(metric, "k", None)
    claimed = metric.name if k is None else f"{metric.name}@{k}"
    found = sy.which(run, truth, {claimed: f"{value:.10f}"})
    assert found
    assert any(one == pytest.approx(value, abs=1e-15) for one in found.table()["value"])
    asked_again(run, truth, found)


def test_a_profile_that_is_not_proven_is_told(tmp_path, monkeypatch):
    (tmp_path / "guess.toml").write_text(
        'name = "guess"\nlibrary = "Guess"\nversion = "1"\nsource = "a page"\nedition = "steelyard:2026"\n'
        'place = 1\n[conventions]\nmissing = "skip"\n[metrics.map]\ndenominator = "hits"\n'
        '[names]\n"AveP({k})" = "map@{k}"\n',
        "utf-8",
    )
    monkeypatch.setattr(libraries, "FOLDERS", [*libraries.FOLDERS, tmp_path])
    found = sy.which(RUN, TRUTH, {"AveP(4)": printed((U1 / 2 + U2 + U3 / 2) / 3)})
    assert found.texts[0] == "guess:AveP(4)"
    assert "guess" in {one.key: one.figures for one in found.notes}["unproven_profile"]["names"]
    assert found.table()["library"][0] == "Guess"
    asked_again(RUN, TRUTH, found)


def test_pairs_are_answered_with_the_mapping_that_is_meant():
    with pytest.raises(sy.SteelyardError) as caught:
        sy.which({"q": {"a": 1.0}}, {"q": {"a": 1}}, [("map@10", 0.302)])
    assert str(caught.value) == "claims are a list of pairs\ngive a mapping: {'map@10': 0.302}"


def test_one_of_a_library_s_names_for_the_same_value_is_listed():
    """Recommenders' map and map_at_k are one value where no query has more than 10 relevant items."""
    run, true = {"q1": {"a": 3.0, "b": 2.0}, "q2": {"a": 2.0}}, {"q1": {"b": 1}, "q2": {"a": 1, "z": 1}}
    texts = sy.which(run, true, {"map@10": 0.5}).texts
    assert [text for text in texts if text.startswith("recommenders:")] == ["recommenders:map@10"]


def changed_to(found):
    return {one for changed in found.table()["changed"] for one in changed.split(", ")}


def idle(found):
    return {one.key: one.figures for one in found.notes}.get("idle_fields", {"fields": []})["fields"]


def test_two_ties_that_single_precision_makes_one():
    """a and b are tied, and c and d; in single precision all four, so that d, by item, comes first."""
    run = {"q1": {"a": 2.0, "b": 2.0, "c": 2 - 1e-12, "d": 2 - 1e-12}}
    found = sy.which(run, {"q1": {"d": 1}}, {"steelyard:2026:mrr": "1.000"})
    assert "mrr(scores=float32)" in found.texts
    assert "scores" not in idle(found)


def test_judged_items_that_count_as_unjudged_once_only_relevant_ones_do():
    """a, of grade 0, is unjudged then: b is first where such items are dropped."""
    run, truth = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 0, "b": 1, "c": 2}}
    found = sy.which(run, truth, {"steelyard:2026:mrr(grades=relevant)": "1.000"})
    assert "mrr(unjudged=drop, grades=relevant)" in found.texts
    asked_again(run, truth, found)


def test_the_zeros_of_a_matrix_are_grades():
    """The second query has nothing relevant and counts 0; with grades=relevant it has no truth."""
    scores, labels = np.array([[3.0, 2, 1], [3, 2, 1]]), np.array([[0, 1, 0], [0, 0, 0]])
    found = sy.which(scores, labels, {"steelyard:2026:mrr(undefined=zero)": "0.500"})
    assert "grades=relevant" in changed_to(found)
    assert not {"grades", "unexpected", "unjudged"} & set(idle(found))
    asked_again(scores, labels, found)


def test_ties_of_ranks_where_scores_have_none():
    """Two claims, of which one reads the rank column: a and b share rank 1 there."""
    run = pl.DataFrame({"query": ["q"] * 2, "item": ["a", "b"], "score": [2.0, 1.0], "rank": [1, 1]})
    claims = {"steelyard:2026:mrr(order=score)": "1.000", "steelyard:2026:precision(order=rank)@1": "1.000"}
    found = sy.which(run, {"q": {"a": 1}}, claims)
    assert "ties=item_asc" in changed_to(found)


def test_a_change_keeps_what_the_profile_has_of_other_fields(tmp_path, monkeypatch):
    """b is never called: this profile leaves its precision out, once it takes the mean over classes."""
    (tmp_path / "skips.toml").write_text(
        'name = "skips"\nsource = "a page"\nedition = "steelyard:2026"\n[conventions]\n'
        '[metrics.precision]\nundefined_class = "skip"\n',
        "utf-8",
    )
    monkeypatch.setattr(libraries, "FOLDERS", [*libraries.FOLDERS, tmp_path])
    log = {"label": ["a", "a", "b"], "predicted": ["a", "a", "a"]}
    found = sy.which(log, claims={"skips:precision": printed(2 / 3)})
    assert "skips:precision(average=macro)" in found.texts


CERTAIN = {"label": [1, 0], "score": [0.0, 1.0]}
ONE_CLASS = {"label": [1, 1], "score": [0.2, 0.4]}


def test_values_that_are_all_infinite():
    found = sy.which(CERTAIN, claims={"logloss(clip=none)": 0.5})
    assert not found
    assert found.table()["value"].to_list() == [math.inf]


@pytest.mark.parametrize(
    ("log", "claim"),
    [
        (ONE_CLASS, "steelyard:2026:auc(undefined=nan)"),
        (ONE_CLASS, "steelyard:2026:mcc(undefined=nan)"),
        (
            {"label": [3.0, 3.0], "score": [1.0, 2.0]},
            "steelyard:2026:r2(undefined=nan, constant_truth=undefined)",
        ),
    ],
)
def test_a_metric_without_a_value_is_said_to_be_undefined(log, claim):
    with pytest.raises(sy.SteelyardError) as refused:
        sy.which(log, claims={claim: 0.5})
    assert str(refused.value) == (
        f"{claim} is undefined on this data, under every convention that was tried\n"
        "the number comes from other data; evaluate explains why there is none here"
    )


@pytest.mark.parametrize("also", [{}, {"steelyard:2026:mrr(undefined=zero)": 0.5}])
def test_what_only_a_change_is_refused_for_is_not_told(also):
    claim = "steelyard:2026:ndcg(undefined=nan, mean=arithmetic)"
    with pytest.raises(sy.SteelyardError) as refused:
        sy.which({"q": {"a": 1.0}}, {"q": {"a": 0}}, {**also, claim: 0.5})
    assert str(refused.value).startswith(f"{claim} is undefined on this data")


def test_data_that_every_profile_refuses_are_refused_as_the_defaults_do():
    log = {"label": [0, 1, 2], "score": [0.1, 0.2, 0.3]}
    with pytest.raises(sy.SteelyardError) as alone:
        sy.evaluate(log, metrics="auc")
    with pytest.raises(sy.SteelyardError) as refused:
        sy.which(log, claims={"auc": 0.5})
    assert str(refused.value) == str(alone.value)


def test_choices_of_classes_are_measured_once_where_there_are_two():
    """The whole curve, its first tenth, that not standardised; each also at 200 thresholds and in float32."""
    found = sy.which(LOG, claims={"auc": "0.123"}, columns={"label": "clicked", "score": "p"}, changes=2)
    assert found.outcome.conventions < 100


def test_what_a_claim_states_is_held_by_every_library():
    """trec_eval counts 0 where nothing is relevant, unless the claim says that it is left out: 1 / log2 3."""
    run = {"q1": {"a": 0.9, "b": 0.8, "c": 0.7}, "q2": {"a": 0.3}}
    truth = {"q1": {"b": 1, "c": 0}, "q2": {"z": 0}}
    assert sy.which(run, truth, {"ndcg": "0.3155"}).texts[0] == "trec_eval:ndcg"
    assert sy.which(run, truth, {"ndcg(undefined=nan)": "0.6309"}).texts[0] == "trec_eval:ndcg(undefined=nan)"
    assert not sy.which(run, truth, {"ndcg(undefined=nan)": "0.3155"})


def test_claims_of_two_profiles_are_refused():
    with pytest.raises(sy.SteelyardError, match="one claim starts from trec_eval and another from ranx"):
        sy.which({"q": {"a": 1.0}}, {"q": {"a": 1}}, {"trec_eval:P_1": "1.0", "ranx:mrr": "1.0"})


def test_a_library_s_own_name_with_fields_is_led_to_our_text():
    with pytest.raises(
        sy.SteelyardError, match=r"'P_2' is a name of trec_eval, and takes no fields\nwrite trec_eval:"
    ):
        sy.which({"q": {"a": 1.0}}, {"q": {"a": 1}}, {"P_2(rel=2)": "0.3"})
