"""Lists as a whole through `evaluate`: without truth, beside accuracy, and all that a person does next.

u is shown a, b, c; v is shown a, d, z; w is shown b alone; z is not in the catalogue.
"""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import steelyard as sy

RECS = pl.DataFrame(
    {
        "user_id": list("uuuvvvw"),
        "item_id": list("abcadzb"),
        "score": [3.0, 2.0, 1.0, 3.0, 2.0, 1.0, 1.0],
        "country": ["JP"] * 3 + ["DE"] * 4,
    }
)
FILMS = ["a", "b", "c", "d", "e"]
GENRES = {"a": ["war"], "b": ["love"], "c": ["love"], "d": ["space"], "z": ["space"]}
HAD = {"u": ["a"], "v": ["b", "a"], "x": ["c"]}
STUDIOS = {"a": "A", "b": "A", "c": "B", "d": "B", "e": "C"}
TABLES = {"catalog": FILMS, "features": GENRES, "history": HAD, "item_groups": STUDIOS}
METRICS = [
    "coverage@2", "user_coverage@2", "diversity@2", "novelty@2", "popularity@2", "popularity_lift@2",
    "gini@2", "entropy@2", "personalization@2", "repetition@2", "unexpectedness@2", "exposure@2",
    "miscalibration@2",
]  # fmt: skip


@pytest.fixture(scope="module")
def result():
    return sy.evaluate(RECS, metrics=METRICS, **TABLES)


def test_without_truth(result):
    assert result["coverage@2"] == 3 / 5
    # of three users in the history two had a, one had b, and none d, which counts as if one had
    a, one = -np.log2(2 / 3), np.log2(3)
    assert result["novelty@2"] == pytest.approx(((a + one) / 2 + (a + one) / 2 + one) / 3)
    assert result.names.truth is None
    assert result.fingerprint is None
    assert "judgements" not in result.tally.to_dict()
    head = repr(result).splitlines()
    assert head[0].endswith(" · predictions")
    assert head[1] == "3 queries · 7 predictions"


def test_it_is_shown_in_every_form(result):
    told = [repr(result), result.to_markdown(), result.to_latex(), result.to_csv()]
    told += [result.to_markdown(lang="zh")]
    assert all("0.6" in one for one in told)
    assert "物品数" in result.to_markdown(lang="zh")
    rows = json.loads(result.to_json())["results"]
    assert [row["value"] for row in rows if row["metric"] == "coverage@2"] == [0.6]
    assert {row["unit"] for row in rows} == {"items", "queries"}
    assert result.to_pandas().shape[0] == result.table().height == len(METRICS) + 2


def test_it_is_kept(result, tmp_path):
    result.save(tmp_path / "run.steelyard")
    for other in (sy.load(tmp_path / "run.steelyard"), pickle.loads(pickle.dumps(result)), result.slim()):
        assert repr(other) == repr(result)
        assert other.per_query().equals(result.per_query())
        assert other.notes == result.notes


def test_values_of_single_lists(result):
    each = result.per_query()
    assert "coverage@2" not in each["metric"]
    assert each.filter(pl.col("metric") == "repetition@2")["value"].to_list() == [1 / 2, 1 / 2, 0]
    with pytest.raises(sy.SteelyardError, match=r"^coverage@2: computed from all rows or lists together"):
        sy.evaluate(RECS, metrics="coverage@2", catalog=FILMS).per_query()


def test_a_report(result, tmp_path):
    pytest.importorskip("altair")
    for lang in ("en", "zh"):
        result.report(tmp_path / "page.html", lang=lang)
        assert "coverage@2" in (tmp_path / "page.html").read_text("utf-8")


def test_slices(result):
    by = sy.evaluate(RECS, metrics=["coverage@2", "novelty@2"], by="country", catalog=FILMS, history=HAD)
    assert by["coverage@2", {"country": "JP"}] == 2 / 5
    assert by["coverage@2", {"country": "DE"}] == 3 / 5
    table = sy.evaluate(RECS, metrics="coverage@2", by={"u": "new", "v": "old", "w": "old"}, catalog=FILMS)
    assert table["coverage@2", {"slice": "new"}] == 2 / 5


def test_weights():
    # v and w count as none
    alone = sy.evaluate(RECS, metrics=["coverage@2", "repetition@2"], weights={"u": 2, "v": 0, "w": 0},
                        catalog=FILMS, history=HAD)  # fmt: skip
    assert (alone["coverage@2"], alone["repetition@2"]) == (2 / 5, 1 / 2)


def test_what_is_excluded_is_not_shown():
    """A user of the excluded table alone, x, is no user of the lists."""
    found = sy.evaluate(
        RECS, metrics=["repetition@2", "user_coverage@2"], exclude=HAD, history=HAD, catalog=FILMS
    )
    assert found["repetition@2"] == 0
    assert (found["user_coverage@2"], found.tally.queries, found.tally.excluded) == (1, 3, 2)


def test_several_cutoffs():
    found = sy.evaluate(RECS, metrics="coverage@1,2,3", catalog=FILMS)
    assert [found[f"coverage@{k}"] for k in (1, 2, 3)] == [2 / 5, 3 / 5, 4 / 5]
    assert "coverage@3: 1 of 7 recommendations is outside catalog and ignored." in found.notes


FORMS = {
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "pandas": pd.DataFrame,
    "arrow": lambda columns: pl.DataFrame(columns).to_arrow(),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_table_in_every_form(form):
    made = FORMS[form]
    found = sy.evaluate(
        made(RECS.to_dict(as_series=False)),
        metrics=["coverage@2", "diversity@2", "popularity@2", "exposure@2", "unexpectedness@2"],
        catalog=made({"item_id": FILMS}),
        features=made({"item_id": list("abcd"), "x": [1.0, 0.0, 0.0, 1.0], "y": [0.0, 1.0, 1.0, 0.0]}),
        history=made({"user_id": ["u", "v"], "item_id": ["a", "b"], "count": [4, 2]}),
        item_groups=made({"item_id": FILMS, "provider": list("AABBC")}),
        baseline_lists=made({"user_id": ["u", "v", "w"], "item_id": ["a", "a", "b"], "score": [1.0] * 3}),
    )  # fmt: skip
    assert found["coverage@2"] == 3 / 5
    assert found["diversity@2"] == (1 + 0) / 2  # a and b differ, a and d do not; w shows one item
    assert found["popularity@2"] == ((4 + 2) / 2 + (4 + 0) / 2 + 2) / 3
    assert found["unexpectedness@2"] == (1 / 2 + 1 / 2 + 0) / 3
    assert found.table().filter(pl.col("metric") == "exposure@2")["value"].to_list() == [4 / 5, 1 / 5, 0]


SCORES = np.array([[0.9, 0.1, 0.5], [0.2, 0.8, 0.1]])


@pytest.mark.parametrize(
    "scores", [SCORES, SCORES.tolist(), sp.csr_matrix(SCORES)], ids=["dense", "list", "sparse"]
)
def test_a_matrix_needs_no_labels(scores):
    given = np.array(scores) if isinstance(scores, list) else scores
    found = sy.evaluate(given, metrics=["coverage@1", "coverage@2"], catalog=range(3))
    assert (found["coverage@1"], found["coverage@2"]) == (2 / 3, 1)


def test_matrices_beside_labels():
    labels = np.array([[1, 0, 0], [0, 0, 1]])
    found = sy.evaluate(SCORES, labels, ["coverage@1", "hit_rate@1"], catalog=range(3))
    assert (found["coverage@1"], found["hit_rate@1"]) == (2 / 3, 1 / 2)


def test_one_table_with_labels_inside():
    log = RECS.with_columns(label=pl.Series([1, 0, 0, 1, 0, 0, 1]))
    found = sy.evaluate(log, metrics=["coverage@2", "mrr", "auc"], catalog=FILMS)
    assert (found["coverage@2"], found["mrr"]) == (3 / 5, 1)
    assert sy.evaluate(log, metrics="coverage@2", catalog=FILMS).names.truth is None
    with pytest.raises(sy.SteelyardError, match="lists are made of items"):
        sy.evaluate(log.drop("item_id"), metrics=["coverage@2", "mrr"], catalog=FILMS)


def test_notes_of_lists_are_not_those_of_hits():
    """Beside accuracy, each note says which metrics it is of; what only graded lists have is not said."""
    both = sy.evaluate(RECS, {"u": {"a": 1}}, ["ndcg@3", "coverage@3"], catalog=FILMS)
    assert "2 predicted queries have no ground truth: left out (ndcg@3)." in both.notes
    assert "2 predicted queries have no ground truth: their lists count (coverage@3)." in both.notes
    alone = sy.evaluate(RECS, {"u": ["a"], "q": ["a"]}, "coverage@3", catalog=FILMS, ci="none")
    assert [str(note) for note in alone.notes] == [
        "1 query has no predictions: counted as empty lists.",
        "2 predicted queries have no ground truth: their lists count.",
        "1 list is shorter than the cutoff 3: read to the end.",
        "1 of 7 recommendations is outside catalog and ignored.",
    ]
    assert not any("unjudged" in fact for fact in alone.facts)


def test_why_a_metric_of_all_lists_has_no_value():
    found = sy.evaluate({"u": ["a"]}, metrics=["gini@2", "entropy@2"], catalog=["q"])
    assert np.isnan(found["gini@2"])
    assert "gini@2 is undefined: nothing of the catalogue is shown." in found.notes
    assert "entropy@2 is undefined: nothing is shown." in found.notes


def test_a_table_that_no_metric_reads_is_told():
    found = sy.evaluate(RECS, metrics="coverage@2", columns={"feature": "genre"}, **TABLES)
    assert "features, history and item_groups were given, and no metric reads them." in found.notes
    log = {"label": [1, 0], "score": [0.7, 0.2]}
    assert (
        "catalog was given, and no metric reads it." in sy.evaluate(log, metrics="auc", catalog=FILMS).notes
    )
    usual = sy.evaluate(RECS, metrics="unexpectedness@2", baseline_lists=RECS, history=HAD)
    assert "history was given, and no metric reads it." in usual.notes


def test_explaining_all_lists_together(result):
    assert sy.explain("coverage@2", RECS, catalog=FILMS).value == 3 / 5
    with pytest.raises(sy.SteelyardError, match="so a query has no value"):
        result.explain("coverage@2", "u")
    with pytest.raises(sy.SteelyardError, match="is explained on lists of items"):
        sy.explain("coverage@2", grades=[1, 0])


def test_without_a_catalogue_items_shown_are_counted_whatever_else_is_asked():
    alone = sy.evaluate({"u": ["a", "b"], "v": ["a"]}, metrics="entropy@2").table()
    had = {"x": ["a", "q", "r", "s"]}
    beside = sy.evaluate(
        {"u": ["a", "b"], "v": ["a"]}, metrics=["entropy@2", "novelty@2"], history=had
    ).table()
    assert alone["n"][0] == beside["n"][0] == 2
