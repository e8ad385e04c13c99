"""Five users, eleven values of MAP: what each library says of one small example, to the printed decimals.

User 4 has no recommendations, user 5 no truth. Values of libraries that have a profile are asked for by it
and by the library's own names; of the others, by stating their conventions.
"""

from __future__ import annotations

import polars as pl
import pytest

import steelyard as sy
from conformance.cases import cases

from ..tables import each_row

FIVE = next(case for case in cases() if case["name"] == "five_users")
RUN = pl.DataFrame(FIVE["run"], schema=["query", "item", "score"], orient="row")
TRUTH = pl.DataFrame(FIVE["truth"], schema=["query", "item", "relevance"], orient="row")

BY_PROFILE = {
    "replay": {
        "Precision@4": 0.3125,
        "Recall@4": 0.5,
        "HitRate@4": 0.75,
        "MAP@4": 0.3368,
        "MRR@4": 0.5,
        "NDCG@4": 0.4441,
    },
    "recbole": {
        "precision@4": 0.3125,
        "recall@4": 0.5,
        "hit@4": 0.75,
        "map@4": 0.3368,
        "mrr@4": 0.5,
        "ndcg@4": 0.4441,
    },
    "rectools": {
        "Precision(k=4)": 0.3125,
        "Recall(k=4)": 0.5,
        "HitRate(k=4)": 0.75,
        "MAP(k=4)": 0.3125,
        "MRR(k=4)": 0.5,
        "NDCG(k=4)": 0.3183,
        "Precision(k=4, r_precision=True)": 0.5417,
        "MAP(k=4, divide_by_k=True)": 0.2083,
        "NDCG(k=4, divide_by_achievable=True)": 0.4441,
    },
    "recommenders": {
        "precision_at_k(k=4)": 0.4167,
        "recall_at_k(k=4)": 0.6667,
        "map_at_k(k=4)": 0.4491,
        "map(k=4)": 0.4167,
        "ndcg_at_k(k=4)": 0.4441,
    },
    "elliot": {
        "Precision@4": 0.4167,
        "Recall@4": 0.6667,
        "HR@4": 1.0,
        "MRR@4": 0.6667,
        "nDCG@4": 0.5921,
        "nDCGRendle2020@4": 0.5921,
    },
    "cornac": {"Precision@4": 0.4167, "Recall@4": 0.6667, "HitRatio@4": 1.0, "MRR": 0.6667, "NDCG@4": 0.5921},
    "lenskit:2025": {
        "Precision@4": 0.375,
        "Recall@4": 0.5417,
        "Hit@4": 0.75,
        "RecipRank@4": 0.5,
        "NDCG@4": 0.5352,
        "RBP@4": 0.1554,
    },
    "lenskit": {
        "Precision@4": 0.375,
        "Recall@4": 0.7222,
        "Hit@4": 1.0,
        "RecipRank@4": 0.6667,
        "NDCG@4": 0.7136,
        "RBP@4": 0.2073,  # user 5, of whom nothing is known, is left out; 2025 counts 0 for him: 0.1554
        "map(undefined=nan)@4": 0.4491,  # as if it did not divide by 0 for user 5
    },
    "implicit": {
        "precision_at_k(K=4)": 0.5,
        "mean_average_precision_at_k(K=4)": 0.3368,
        "ndcg_at_k(K=4)": 0.4441,
    },
    "spark_mllib": {
        "precisionAt(4)": 0.25,
        "recallAt(4)": 0.4,
        "meanAveragePrecisionAt(4)": 0.2694,
        "ndcgAt(4)": 0.3553,
    },
    "torchmetrics": {
        "RetrievalPrecision(top_k=4)": 0.3125,
        "RetrievalRecall(top_k=4)": 0.75,
        "RetrievalHitRate(top_k=4)": 0.75,
        "RetrievalMAP(top_k=4)": 0.4792,
        "RetrievalMRR(top_k=4)": 0.5,
        "RetrievalNormalizedDCG(top_k=4)": 0.5610,
    },
    "evidently": {"PrecisionTopK(k=4)": 0.5, "RecallTopK(k=4)": 1.0},
}

WITH_LISTS = {"missing": "skip"}
BY_CONVENTIONS = {
    "rs_metrics": (
        {},
        {"recall@4": 0.5, "hit_rate@4": 0.75, "map@4": 0.3125, "mrr@4": 0.5, "ndcg@4": 0.4441},
    ),
    "recmetrics": (
        WITH_LISTS,
        {"precision(denominator=retrieved)@4": 0.5, "recall@4": 0.6667, "map(denominator=hits)@4": 0.6389},
    ),
    # its hit rate is a recall
    "rexmex": (WITH_LISTS, {"recall@4": 0.6667, "map(denominator=achievable)@4": 0.4491}),
}


@each_row("profile", BY_PROFILE)
def test_a_library_with_a_profile(profile):
    rows = BY_PROFILE[profile]
    result = sy.evaluate(RUN, TRUTH, list(rows), profile=profile)
    assert {name: round(result[name], 4) for name in rows} == rows


@pytest.mark.parametrize("library", BY_CONVENTIONS)
def test_a_library_by_its_conventions(library):
    conventions, rows = BY_CONVENTIONS[library]
    result = sy.evaluate(RUN, TRUTH, list(rows), **conventions)
    assert {name: round(result[name], 4) for name in rows} == rows


@each_row(
    ("profile", "name", "why"),
    [
        ("elliot", "MAP@4", "no average precision"),  # 0.4514
        ("evidently", "MAP(k=4)", "depends on the order of the rows"),  # 0.9722 or 1.0556
        ("recommenders", "r_precision_at_k(k=4)", "users without a hit vanish"),  # 0.5
        ("lenskit", "AveragePrecision@4", "undefined for 1 query"),  # it divides by 0
    ],
)
def test_what_is_not_imitated(profile, name, why):
    with pytest.raises(sy.SteelyardError, match=why):
        sy.evaluate(RUN, TRUTH, name, profile=profile)


def test_one_empty_list_makes_the_precision_of_rs_metrics_undefined():
    """There the mean is NaN; an error says the same and names the user."""
    with pytest.raises(sy.SteelyardError, match="undefined for 1 query, first u4"):
        sy.evaluate(RUN, TRUTH, "precision(denominator=retrieved, undefined=error)@4")


def test_scores_of_0_or_less_make_values_of_torchmetrics_0():
    """The same ranking, 1.5 lower: there precision, recall, MAP and MRR are 0, which is not imitated."""
    lower = RUN.with_columns(pl.col("score") - 1.5)
    for name in ("RetrievalPrecision", "RetrievalRecall", "RetrievalMAP", "RetrievalMRR"):
        with pytest.raises(sy.SteelyardError, match="scores=positive requires scores above 0"):
            sy.evaluate(lower, TRUTH, f"{name}(top_k=4)", profile="torchmetrics")
    name = "RetrievalNormalizedDCG(top_k=4)"
    assert round(sy.evaluate(lower, TRUTH, name, profile="torchmetrics")[name], 4) == 0.5610
