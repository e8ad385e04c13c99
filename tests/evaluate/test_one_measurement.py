"""One call measures everything of what it read once; no metric can change what another reads."""

from __future__ import annotations

import ast
import json
import multiprocessing
import pickle
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.read import files

ROWS = 60
random = np.random.default_rng(7)
LOG = pl.DataFrame(
    {
        "user": np.repeat(np.arange(ROWS // 6), 6),
        "item": np.tile(np.arange(6), ROWS // 6),
        "label": random.integers(0, 2, ROWS),
        "score": random.random(ROWS).round(2),
        "country": np.repeat(["JP", "FR"], ROWS // 2),
        "unused": np.arange(ROWS),
    }
)
MIXED = ["ndcg@5", "auc", "f1", "rmse"]
COLUMNS = {"query": "user"}


@pytest.fixture
def loaded(monkeypatch):
    """The columns that were loaded of parquet files, in order."""
    columns = []
    form = files.FORMATS["parquet"]

    def counted(*given):
        source = form.open(*given)
        load = source.load
        object.__setattr__(source, "load", lambda wanted: columns.extend(wanted) or load(wanted))
        return source

    monkeypatch.setitem(files.FORMATS, "parquet", replace(form, open=counted))
    return columns


def test_a_mixed_call_reads_every_column_once(tmp_path, loaded):
    LOG.write_parquet(tmp_path / "log.parquet")
    mixed = sy.evaluate(tmp_path / "log.parquet", metrics=MIXED, columns=COLUMNS)
    assert sorted(loaded) == sorted(set(loaded))
    assert {"user", "label", "score"} <= set(loaded)
    assert "unused" not in loaded
    for metric in MIXED:
        alone = sy.evaluate(tmp_path / "log.parquet", metrics=metric, columns=COLUMNS)
        assert mixed[metric] == alone[metric]


@dataclass(frozen=True, kw_only=True, repr=False)
class Grades(sy.RankingMetric):
    """Writes into the grades that ndcg reads too."""

    name: ClassVar[str] = "grades"

    def per_query(self, ranked):
        ranked.hits.grade[:] = 0
        return np.zeros(len(ranked.queries))


@dataclass(frozen=True, kw_only=True, repr=False)
class Scores(sy.RowMetric):
    """Writes into the scores that auc reads too."""

    name: ClassVar[str] = "scores"

    def per_segment(self, scored):
        scored.score[:] = 0
        return np.zeros(scored.n_segments)


@pytest.mark.parametrize(("own", "shared"), [(Grades(), "ndcg@5"), (Scores(), "auc")], ids=["hits", "scores"])
def test_a_metric_cannot_write_into_what_others_read(own, shared):
    alone = sy.evaluate(LOG, metrics=shared, columns=COLUMNS)[shared]
    caught = []

    class Tries(type(own)):
        def per_query(self, ranked):
            return self._tried(super().per_query, ranked, len(ranked.queries))

        def per_segment(self, scored):
            return self._tried(super().per_segment, scored, scored.n_segments)

        def _tried(self, measure, state, n):
            with pytest.raises(ValueError, match="read-only") as refused:
                measure(state)
            caught.append(refused)
            return np.zeros(n)

    result = sy.evaluate(LOG, metrics=[Tries(), shared], columns=COLUMNS)
    assert caught
    assert result[shared] == alone
    with pytest.raises(ValueError, match="read-only"):
        sy.evaluate(LOG, metrics=[own, shared], columns=COLUMNS)


WIDE = np.array([[0.25, 0.75], [0.5, 0.5], [0.75, 0.25], [0.875, 0.125]])
FAMILIES = {
    "rankings": ((LOG,), {"metrics": ["ndcg@5", "mrr"], "columns": COLUMNS}),
    "rankings of slices": ((LOG,), {"metrics": ["ndcg@5"], "columns": COLUMNS, "by": "country"}),
    "rows": ((LOG,), {"metrics": ["auc", "logloss", "ece"], "columns": COLUMNS}),
    "rows of slices": ((LOG,), {"metrics": ["auc"], "columns": COLUMNS, "by": "country"}),
    "groups": ((LOG,), {"metrics": ["gauc", "auc"], "columns": COLUMNS}),
    "classes": (
        ({"label": list("abcb"), "predicted": list("abca")},),
        {"metrics": ["accuracy", "confusion"]},
    ),
    "probabilities": ((WIDE, [1, 0, 1, 0]), {"metrics": ["top_accuracy@1", "logloss"]}),
    "several labels": ((np.eye(3, dtype=int), np.ones((3, 3), int)), {"metrics": ["f1(average=micro)"]}),
    "ratings": (({"label": [3, 5, 2, 7], "score": [2.5, 5.0, 4.0, 8.0]},), {"metrics": ["rmse", "r2"]}),
    "mixed": ((LOG,), {"metrics": MIXED, "columns": COLUMNS}),
}


@pytest.fixture(scope="module")
def elsewhere():
    """A process of its own, which has nothing of this one but what is sent to it."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        yield pool


@pytest.mark.parametrize(("tables", "options"), FAMILIES.values(), ids=list(FAMILIES))
def test_a_result_travels_to_another_process(tables, options, elsewhere):
    result = sy.evaluate(*tables, **options)
    form = result.to_json()
    again = pickle.loads(pickle.dumps(result))
    assert json.loads(again.to_json()) == json.loads(form)
    assert elsewhere.apply(sy.Result.to_json, (result,)) == form


def test_its_page_does_too(elsewhere):
    result = sy.evaluate(LOG, metrics=MIXED, columns=COLUMNS, by="country")
    page = result.to_html()
    assert pickle.loads(pickle.dumps(result)).to_html() == page
    assert elsewhere.apply(sy.Result.to_html, (result,)) == page


SOURCES = sorted(Path(sy.__file__).parent.rglob("*.py"))


def calls_of(name):
    """The calls of a built-in function in the source, each with its place and the node around it."""
    for path in SOURCES:
        tree = ast.parse(path.read_text("utf-8"))
        for outer in ast.walk(tree):
            for node in ast.iter_child_nodes(outer):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                    yield f"{path.name}:{node.lineno}", node, outer


def test_nothing_is_kept_under_the_id_of_an_object():
    """An id may come back for another object once the first is gone; what is stored stays till the end."""
    keys = (ast.Subscript, ast.Tuple, ast.Dict, ast.DictComp, ast.Set, ast.SetComp, ast.Assign)
    found = [place for place, _, outer in calls_of("id") if isinstance(outer, keys)]
    assert {place.partition(":")[0] for place in found} == {"stored.py"}


def test_no_attribute_is_looked_up_by_a_name_put_together():
    assert len(SOURCES) > 100
    found = [place for place, call, _ in calls_of("getattr") if isinstance(call.args[1], ast.JoinedStr)]
    assert found == []


def test_a_threshold_acts_on_scores_beside_classes_that_are_no_labels():
    """Labels of 0 and 1 with scores and a text of classes; a stated threshold reads the scores alone."""
    log = {"label": [1, 0, 1], "score": [0.9, 0.2, 0.7], "predicted": ["yes", "no", "yes"]}
    result = sy.evaluate(
        log, metrics="f1(threshold=0.6)", columns={"score": "score", "predicted": "predicted"}
    )
    assert result["f1(threshold=0.6)"] == 1
