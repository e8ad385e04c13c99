"""Every metric of rows, classes, ratings and all lists says where it is undefined, as its docstring does."""

from __future__ import annotations

import inspect
import math
import re

import steelyard as sy
from steelyard.metrics import Metric, by_name
from steelyard.metrics.ranking.base import QueryMetric

from ..tables import each_row
from .own import stated

ROW_LIKE = {name: cls for name, cls in by_name().items() if not issubclass(cls, QueryMetric)}
EVERY = each_row("cls", ROW_LIKE.values(), ids=list(ROW_LIKE))

UNSTATED = "there is nothing to divide by"
# docstrings that put it in fewer words
SPELT = {
    "without rows": "there is no row",
    "without a positive": "there is no positive",
    "where no group has both": "no group has both classes",
    "where nothing was predicted": "the probabilities add up to 0",
    "where nothing is negative": "no row counts as negative",
    "with fewer than two rows or where all true ratings are equal": (
        "there are fewer than two rows or all true ratings are equal"
    ),
}


def docstring(cls):
    return " ".join(inspect.getdoc(cls).partition("\nExamples\n")[0].split())


@EVERY
def test_the_clause_is_that_of_the_docstring_and_completes_a_sentence(cls):
    clause = cls().undefined_when
    said = re.search(r"\bUndefined ((?:where|with|without) [^.]+)\.", docstring(cls))
    if said is None:
        assert "Never undefined." in docstring(cls)
        assert clause == ""
    else:
        assert clause == SPELT.get(said[1], said[1].removeprefix("where "))
    assert clause != UNSTATED
    if clause:
        assert clause[0].islower()
        assert clause == clause.strip()
        assert not clause.endswith(".")


def test_a_clause_for_metrics_that_have_none():
    assert Metric.undefined_when.fget(None) == UNSTATED


# a metric that is in neither table has its rows or lists as UNDEFINED in its own test
UNDEFINED = {  # metric: predictions, truth and groups where its clause holds
    "auc": ([0.2, 0.4], [1, 1]),
    "gauc": ([0.2, 0.4], [1, 0], ["a", "b"]),
    "pr_auc": ([0.2, 0.4], [0, 0]),
    "logloss": ([], []),
    "ne": ([0.2, 0.4], [0, 0]),
    "rig": ([0.2, 0.4], [0, 0]),
    "brier": ([], []),
    "calibration": ([0.2, 0.4], [0, 0]),
    "copc": ([0.0, 0.0], [1, 0]),
    "ece": ([], []),
    "mce": ([], []),
    "ks": ([0.2, 0.4], [1, 1]),
    "accuracy": ([], []),
    "precision": ([0.2, 0.4], [1, 0]),
    "recall": ([0.2, 0.6], [0, 0]),
    "fbeta": ([0.2, 0.4], [0, 0]),
    "jaccard": ([0.2, 0.4], [0, 0]),
    "specificity": ([0.2, 0.6], [1, 1]),
    "fpr": ([0.2, 0.6], [1, 1]),
    "balanced_accuracy": ([], []),
    "mcc": ([0.2, 0.4], [1, 0]),
    "rmse": ([], []),
    "mse": ([], []),
    "mae": ([], []),
    "r2": ([4, 5], [4, 4]),
    **{name: rows for name, rows in stated("UNDEFINED").items() if ROW_LIKE[name].reads != "lists"},
}


@each_row("name", UNDEFINED)
def test_the_clause_is_true(name):
    given = dict(zip(("predictions", "truth", "groups"), UNDEFINED[name], strict=False))
    assert math.isnan(ROW_LIKE[name]().of(**given))


UNDEFINED_LISTS = {  # metric of all lists: lists and tables where its clause holds
    "gini@k": ([["z"]], {"catalog": ["a"]}),
    "entropy@k": ([["z"]], {"catalog": ["a"]}),
    "personalization@k": ([["a"]], {}),
    "exposure@k": ([["z"]], {"item_groups": {"a": "x"}}),
    "exposure_ratio@k": ([["a"]], {"item_groups": {"a": "x"}, "truth": {0: {"a": 0}}}),
    **{name: lists for name, lists in stated("UNDEFINED").items() if ROW_LIKE[name].reads == "lists"},
}


@each_row("name", UNDEFINED_LISTS)
def test_the_clause_is_true_of_lists(name):
    lists, tables = UNDEFINED_LISTS[name]
    true = tables.get("truth")
    tables = {table: given for table, given in tables.items() if table != "truth"}
    result = sy.evaluate(dict(enumerate(lists)), true, ROW_LIKE[name](k=1), **tables)
    assert all(map(math.isnan, result.table()["value"]))


def test_rows_for_every_clause():
    elsewhere = {"confusion", "top_accuracy@k"}  # never undefined; needs a matrix of probabilities
    elsewhere |= {"coverage@k", "user_coverage@k"}  # a table without a row is refused before
    assert UNDEFINED.keys() | UNDEFINED_LISTS.keys() == ROW_LIKE.keys() - elsewhere
