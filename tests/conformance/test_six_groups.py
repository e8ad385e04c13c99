"""Six groups of clicks, of which the libraries make six different AUCs within groups.

By hand, the AUC of each group with both classes: 5/6 (two negatives below the positive, one level with it),
1/2 (all scores equal), 0, and 5/9 (1 stands above three negatives, 1 above two, 1 above none); the fourth
group is all negative, the fifth all positive.
"""

from __future__ import annotations

import polars as pl
import pytest

import steelyard as sy
from conformance.cases import cases

from ..tables import each_row

GROUPS = [  # rows, positives, AUC
    (4, 1, 5 / 6),
    (3, 2, 1 / 2),
    (2, 1, 0.0),
    (8, 0, None),
    (2, 2, None),
    (6, 3, 5 / 9),
]


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    case = next(case for case in cases() if case["name"] == "six_groups")
    return pl.DataFrame({"label": case["label"], "score": case["score"], "query": case["group"]})


def value(rows: pl.DataFrame, metric: str, **options: object) -> float:
    return sy.evaluate(rows, metrics=metric, ci="none", **options).rows["value"][0]


def test_the_figures_are_those_of_the_groups():
    """Each printed figure from the AUCs above, its own weights and what single-class groups count."""
    both = [(n, clicks, auc) for n, clicks, auc in GROUPS if auc is not None]
    impressions = sum(n * auc for n, _, auc in both) / sum(n for n, _, _ in both)
    by_clicks = sum(clicks * auc for _, clicks, auc in both) / sum(clicks for _, clicks, _ in both)
    pairs = sum(clicks * (n - clicks) * auc for n, clicks, auc in both)
    pairs /= sum(clicks * (n - clicks) for n, clicks, _ in both)
    plain = sum(auc for _, _, auc in both)
    figures = [impressions, by_clicks, plain / 4, pairs, plain / 6, (plain + 2 * 0.5) / 6]
    assert [round(one, 4) for one in figures] == [0.5444, 0.5, 0.4722, 0.5667, 0.3148, 0.4815]


@each_row(
    ("profile", "metric", "printed"),
    [
        ("fuxictr", "gAUC", 0.5444),
        ("fuxictr", "avgAUC", 0.4722),
        ("easyrec", "gauc", 0.4722),
        ("easyrec", "gauc(reduction='mean')", 0.4722),
        ("easyrec", "gauc(reduction='mean_by_sample_num')", 0.5444),
        ("easyrec", "gauc(reduction='mean_by_positive_num')", 0.5000),
        ("easyrec", "session_auc(reduction='mean_by_positive_num')", 0.5000),
        ("catboost", "QueryAUC", 0.3148),
        ("catboost", "AUC", 0.5417),
        ("lightgbm", "auc", 0.5417),
        ("xgboost", "auc", 0.5417),
    ],
)
def test_each_library_by_its_own_name(rows, profile, metric, printed):
    assert value(rows, metric, profile=profile) == pytest.approx(printed, abs=5e-5)


@each_row(
    ("metric", "printed"),
    [
        ("gauc", 0.5444),  # the DIN paper: by impressions
        ("gauc(weight=clicks)", 0.5000),  # RecBole
        ("uauc", 0.4722),
        ("gauc(weight=pairs)", 0.5667),
        ("gauc(weight=uniform, single_class=zero)", 0.3148),
        ("gauc(weight=uniform, single_class=half)", 0.4815),  # TorchRec, had it averaged ties
        ("auc", 0.5417),
    ],
)
def test_each_figure_by_stated_conventions(rows, metric, printed):
    assert value(rows, metric) == pytest.approx(printed, abs=5e-5)


@pytest.mark.parametrize("metric", ["auc", "grouped_auc", "gauc"])
def test_a_value_that_depends_on_the_order_of_rows_is_refused(rows, metric):
    """TorchRec goes row by row: 0.9, of a positive and a negative, is won or lost by which comes first."""
    with pytest.raises(sy.SteelyardError, match="shared by a positive and a negative"):
        value(rows, metric, profile="torchrec")


def test_without_equal_scores_torchrec_counts_single_class_groups_half():
    """Groups of AUC 1 and 0, and one of one class: (1 + 0 + 1/2) / 3; its gauc leaves the last one out."""
    table = pl.DataFrame(
        {"label": [1, 0, 1, 0, 1], "score": [0.9, 0.1, 0.2, 0.3, 0.5], "query": ["a", "a", "b", "b", "c"]}
    )
    assert value(table, "grouped_auc", profile="torchrec") == pytest.approx(0.5)
    assert value(table, "gauc", profile="torchrec") == pytest.approx(0.5)
    assert value(table[:2].vstack(table[4:]), "grouped_auc", profile="torchrec") == pytest.approx(0.75)
    assert value(table[:2].vstack(table[4:]), "gauc", profile="torchrec") == pytest.approx(1.0)
    assert value(table[4:], "gauc", profile="torchrec") == pytest.approx(0.5)


def test_xgboost_s_auc_of_lists_is_not_offered(rows):
    """It counts pairs of the same label, too, and leaves out lists of fewer than three rows."""
    with pytest.raises(sy.SteelyardError, match="gauc"):
        value(rows, "gauc", profile="xgboost")
