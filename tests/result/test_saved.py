"""A result is data: it travels, it is saved and loaded, and it lets go what it need not keep."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import ClassVar

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.engine import kept as keeping
from steelyard.engine import memory as lists

RUN = {f"q{at}": {f"d{one}": float((7 * one + at) % 11) for one in range(8)} for at in range(14)}
TRUTH = {f"q{at}": {f"d{one}": (one + at) % 3 for one in range(0, 8, 2)} for at in range(15)}
ROWS = 120
PLACE = np.arange(ROWS)
LOG = pl.DataFrame(
    {
        "label": (PLACE * 7 % 5 < 2).astype(int),
        "score": PLACE * 13 % 31 / 31,
        "query": PLACE % 12,
        "country": np.where(PLACE % 12 < 5, "JP", "DE"),
        "w": 1 + PLACE % 3,
    }
)
CASES = {
    "rankings": lambda: sy.evaluate(RUN, TRUTH, ["ndcg@5", "map", "mrr", "precision(pooling=pooled)@3"]),
    "sliced": lambda: sy.evaluate(
        LOG, metrics=["auc", "gauc", "logloss", "f1", "ndcg@3", "rmse"], by="country"
    ),
    "weighted": lambda: sy.evaluate(LOG, metrics=["auc", "calibration", "ece"], weights="w", by="country"),
    "classes": lambda: sy.evaluate(
        predictions=list("abca"), truth=list("abcc"), metrics=["f1(average=none)", "confusion", "mcc"]
    ),
    "probabilities": lambda: sy.evaluate([[0.2, 0.8], [0.6, 0.4]], ["x", "y"], ["auc", "logloss"]),
    "several labels": lambda: sy.evaluate(
        np.array([[1, 0], [1, 1]]), np.array([[1, 0], [0, 1]]), "f1(average=micro)"
    ),
    "matrices": lambda: sy.evaluate(np.arange(12.0).reshape(3, 4), np.eye(3, 4), ["ndcg@2", "hit_rate@1"]),
    "ratings": lambda: sy.evaluate(
        predictions=[3.0, 4.0, 1.0], truth=[3, 5, 2], metrics=["rmse", "mae", "r2"]
    ),
}


def all_of(result):
    """Everything that a result shows."""
    return result.to_json(), str(result), result.to_markdown(lang="zh"), result.to_html()


@pytest.mark.parametrize("case", CASES)
def test_a_saved_result_is_the_same_when_it_is_loaded(case, tmp_path):
    result = CASES[case]()
    result.save(tmp_path / "run.steelyard")
    assert all_of(sy.load(tmp_path / "run.steelyard")) == all_of(result)


@pytest.mark.parametrize("case", CASES)
def test_a_pickled_result_is_the_same(case):
    result = CASES[case]()
    assert all_of(pickle.loads(pickle.dumps(result))) == all_of(result)


@pytest.mark.parametrize("case", CASES)
def test_a_slim_result_has_all_numbers_and_is_smaller(case, tmp_path):
    result = CASES[case]()
    slim = result.slim()
    assert (slim.to_json(), str(slim)) == (result.to_json(), str(result))
    result.save(tmp_path / "whole")
    slim.save(tmp_path / "slim")
    assert (tmp_path / "slim").stat().st_size < (tmp_path / "whole").stat().st_size
    assert slim.to_html()


def test_a_loaded_result_explains_and_draws(tmp_path):
    result = CASES["sliced"]()
    result.save(tmp_path / "run.steelyard")
    again = sy.load(tmp_path / "run.steelyard")
    assert str(again.explain("ndcg@3", 4)) == str(result.explain("ndcg@3", 4))
    assert str(again.explain("gauc")) == str(result.explain("gauc"))
    for name in ("roc", "pr", "calibration"):
        assert again.curve(name, sliced=True).frame.equals(result.curve(name, sliced=True).frame)
    assert again.per_query().equals(result.per_query())
    assert again["auc", {"country": "JP"}] == result["auc", {"country": "JP"}]


def test_a_slim_result_says_what_it_no_longer_has():
    slim = CASES["sliced"]().slim()
    with pytest.raises(
        sy.SteelyardError, match="auc cannot be explained: this result no longer holds"
    ) as caught:
        slim.explain("auc")
    assert "sy.explain(metric, predictions, truth)" in caught.value.remedy
    with pytest.raises(sy.SteelyardError, match="the curve roc cannot be drawn: this result"):
        slim.curve("roc")
    with pytest.raises(sy.SteelyardError, match="ndcg@3 cannot be explained: this result"):
        slim.explain("ndcg@3", 4)


@pytest.mark.parametrize("travel", [lambda result: result, lambda result: pickle.loads(pickle.dumps(result))])
@pytest.mark.parametrize("case", ["rankings", "sliced", "classes", "ratings"])
def test_the_arrays_of_a_result_are_read_only_and_stay_so(case, travel):
    for one in travel(CASES[case]()).measured:
        arrays = [one.whole, *([] if one.each is None else [one.each])]
        arrays += [value for value in vars(one.state).values() if isinstance(value, np.ndarray)]
        for array in arrays:
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0
            with pytest.raises(ValueError, match="cannot set WRITEABLE"):
                array.setflags(write=True)


def test_a_result_is_not_changed_by_who_asks_for_its_parts():
    result = sy.evaluate({"q": ["a", "b"]}, {"q": ["b"]}, "mrr", missing="skip")
    before = str(result), result.spec()
    result.rows[0, "value"] = 9.0
    result.plan.call["missing"] = "error"
    assert (str(result), result.spec()) == before
    assert result["mrr"] == result[result.metrics[0][1]] == 1 / 2
    assert result.plan.call == {"missing": "skip"}


def test_arrays_of_the_caller_stay_writeable():
    scores, labels = np.array([0.9, 0.2, 0.4]), np.array([1, 0, 1])
    result = sy.evaluate(scores, labels, "auc")
    scores[0] = 0.0
    assert result["auc"] == result.curve("roc").area() == 1.0


def test_a_metric_cannot_change_what_another_reads():
    """``ndcg@5`` beside a metric that tries to grade every hit with 9."""

    @sy.register("spoiler")
    class Spoiler(sy.RankingMetric):
        """Whatever it can spoil."""

        at: ClassVar = "never"

        def per_query(self, ranked):
            spoilt = [
                ranked.hits.grade,
                ranked.judged_grade,
                ranked.n_relevant(1.0),
                ranked.groups(1.0).before,
            ]
            for array in spoilt:
                with pytest.raises(ValueError, match="read-only"):
                    array[:] = 9
            return np.zeros(ranked.n_queries)

    alone = sy.evaluate(RUN, TRUTH, "ndcg@5")["ndcg@5"]
    assert sy.evaluate(RUN, TRUTH, ["spoiler", "ndcg@5"])["ndcg@5"] == alone


def test_the_fingerprint_is_that_of_the_truth_alone():
    one = sy.evaluate(RUN, TRUTH, "mrr").fingerprint
    rows = [(query, item, grade) for query, items in TRUTH.items() for item, grade in items.items()]
    frame = pl.DataFrame(rows[::-1], schema=["qid", "doc_id", "relevance"], orient="row")
    assert sy.evaluate({"q1": ["d1"]}, frame, ["map", "ndcg@5"]).fingerprint == one
    other = frame.with_columns(
        pl.when(pl.col("qid") == "q1").then(3).otherwise("relevance").alias("relevance")
    )
    assert sy.evaluate(RUN, other, "mrr").fingerprint != one


def test_a_metric_that_became_another_kind_is_refused(tmp_path):
    def define(base, method):
        class Mine(base):
            """One's own."""

            at: ClassVar = "never"

        setattr(Mine, method, lambda self, state: np.zeros(getattr(state, "n_queries", state.n_segments)))
        sy.register("mine")(Mine)

    define(sy.RankingMetric, "per_query")
    sy.evaluate(RUN, TRUTH, "mine").save(tmp_path / "run.steelyard")
    define(sy.RankingMetric, "per_query")
    assert sy.load(tmp_path / "run.steelyard")["mine"] == 0
    define(sy.RowMetric, "per_segment")
    said = "the metric 'mine', which read 'hits'; the one defined here reads 'scores'"
    with pytest.raises(sy.SteelyardError, match=said):
        sy.load(tmp_path / "run.steelyard")


def test_what_is_not_a_saved_result_is_refused(tmp_path):
    (tmp_path / "run.csv").write_text("query,item,score\nq,a,1\n")
    with pytest.raises(sy.SteelyardError):
        sy.load(tmp_path / "run.csv")
    with pytest.raises(sy.SteelyardError):
        sy.load(tmp_path / "nowhere.steelyard")


@pytest.fixture
def few_rows(monkeypatch):
    """Results that keep the rows of tables of 50 rows at most."""
    for module in (keeping, lists):
        monkeypatch.setattr(module, "KEPT", 50)


@pytest.mark.parametrize("case", ["sliced", "weighted", "rankings", "matrices"])
def test_of_very_many_rows_a_result_keeps_the_same_numbers(case, few_rows, tmp_path, monkeypatch):
    result = CASES[case]()
    result.save(tmp_path / "run.steelyard")
    assert all_of(sy.load(tmp_path / "run.steelyard")) == all_of(result)
    monkeypatch.undo()
    assert result.to_json() == CASES[case]().to_json()


def test_bins_are_kept_without_a_row_and_cannot_be_changed(few_rows):
    (one,) = sy.evaluate(LOG, metrics="auc", weights="w").measured
    assert one.state.table.total_positives + one.state.table.total_negatives == pytest.approx(sum(LOG["w"]))
    assert not hasattr(one.state, "label")
    with pytest.raises(ValueError, match="cannot set WRITEABLE"):
        one.state.table.positives.setflags(write=True)


@pytest.mark.parametrize(("weights", "by"), [(None, ()), ("w", ()), (None, "country"), ("w", "country")])
def test_the_curves_of_very_many_rows_are_those_of_narrow_bins(weights, by, few_rows, monkeypatch):
    """Scores of a 31st lie in bins of their own, so that the curves are those of the rows."""
    near = sy.evaluate(LOG, metrics=["auc", "calibration"], weights=weights, by=by)
    monkeypatch.undo()
    exact = sy.evaluate(LOG, metrics=["auc", "calibration"], weights=weights, by=by)
    for name, columns in (
        ("roc", ["tpr", "fpr"]),
        ("calibration", ["n", "weight", "mean_label", "wilson_low"]),
    ):
        one, other = (result.curve(name, sliced=bool(by)).frame for result in (near, exact))
        np.testing.assert_allclose(one[columns].to_numpy(), other[columns].to_numpy(), rtol=1e-12)
    one, other = (result.curve("calibration").frame["mean_score"].to_numpy() for result in (near, exact))
    np.testing.assert_allclose(one, other, rtol=1 / 1024)
    assert "of 120 rows the result keeps narrow bins of scores" in near.curve("roc").notes[0]
    with pytest.raises(sy.SteelyardError, match="auc cannot be explained"):
        near.explain("auc")


def test_of_very_many_rows_the_lists_of_the_best_and_worst_queries_are_kept(few_rows):
    result = sy.evaluate(RUN, TRUTH, ["ndcg@5", "map"])
    worst = result.per_query().filter(pl.col("metric") == "ndcg@5").sort("value")["query"][0]
    assert result.explain("ndcg@5", worst).of == worst
    kept = result.lists.encoded.queries.to_list()
    assert len(kept) < len(TRUTH)
    lost = next(query for query in RUN if query not in kept)
    with pytest.raises(sy.SteelyardError, match=f"the list of query '{lost}' was not kept") as caught:
        result.explain("ndcg@5", lost)
    assert "sy.explain(metric, predictions, truth, query=…)" in caught.value.remedy


def test_what_a_result_explains_is_what_it_says(few_rows, monkeypatch):
    """Probabilities of two classes, tied at a half: the first counts as predicted, not all from 0.5 on."""
    chance = [[0.5, 0.5], [0.3, 0.7], [0.6, 0.4], [0.5, 0.5]] * 10
    result = sy.evaluate(chance, list("bbab") * 10, ["accuracy", "f1(average=macro)"])
    assert result["accuracy"] == 2 / 4
    assert result.explain("accuracy").value == result["accuracy"]
    assert result.explain("f1(average=macro)").value == result["f1(average=macro)"]


def test_a_caller_may_change_his_arrays_later():
    labels, scores = np.array([1, 0, 1, 0]), np.array([0.8, 0.2, 0.6, 0.7])
    result = sy.evaluate(scores, labels, ["logloss", "auc"])
    curve, told = result.curve("roc").frame, str(result.explain("logloss"))
    scores[:] = 0.5
    labels[:] = 0
    assert result.curve("roc").frame.equals(curve)
    assert str(result.explain("logloss")) == told


def test_the_fingerprint_does_not_depend_on_the_metrics_nor_on_the_predictions():
    log = {"query": [1, 1, 2], "label": [1, 0, 1], "score": [0.3, 0.2, 0.9]}
    assert (
        sy.evaluate(log, metrics="auc").fingerprint == sy.evaluate(log, metrics=["gauc", "auc"]).fingerprint
    )
    truth = {"query": [1, 1, 2], "item": [1, 2, 1], "label": [1, 0, 1]}
    said = {"query": [1, 1, 2], "item": [1, 2, 1], "score": [0.3, 0.2, 0.9]}
    tables = [pl.DataFrame(one) for one in (said, truth)]
    whole, less = (sy.evaluate(part, tables[1], metrics="auc") for part in (tables[0], tables[0][:2]))
    assert whole.fingerprint == less.fingerprint


def test_systems_of_different_truths_of_one_name_are_not_compared():
    one = sy.evaluate({"q": ["a", "b"]}, {"q": ["a"]}, "mrr")
    other = sy.evaluate({"q": ["a", "b"]}, {"q": ["b"]}, "mrr")
    from steelyard.render.side_by_side import side_by_side

    systems = [
        replace(each.system(name), fingerprint=each.fingerprint) for name, each in (("x", one), ("y", other))
    ]
    [part] = side_by_side(systems)
    assert part.unlike == {"mrr"}
    assert "different truth" in part.notes[0]


def test_values_of_slices_are_found_as_they_are():
    log = pl.DataFrame(
        {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.3, 0.6], "new": [True, True, False, False]}
    )
    log = log.with_columns(size=pl.Series([1.0, 1.0, 2.0, 2.0]))
    result = sy.evaluate(log, metrics=["auc", "f1(average=none)"], by=["new", "size"])
    assert result["auc", {"new": True, "size": 1}] == 1
    assert result.get(("auc", {"new": False, "size": 2.0})) == 0
    assert ("auc", {"new": True, "size": 3}) not in result
    assert "f1(average=none)" not in result
    assert result.get("f1(average=none)", -1.0) == -1


@pytest.mark.parametrize(
    ("path", "said", "remedy"),
    [
        ("", "the name of a file is empty", "name it: 'results/run.json'"),
        (" ", "the name of a file is empty", "name it: 'results/run.json'"),
        ("runs", "runs is a folder", "name a file"),
        (".", ". is a folder", "name a file"),
        (
            "no/run.steelyard",
            "cannot write no/run.steelyard: there is no folder no",
            "create it, or name another",
        ),
        ("old.txt/x", "cannot write old.txt/x: there is no folder old.txt", "create it, or name another"),
        (None, "the name of a file must be text or a path; got None", "name it: 'results/run.json'"),
    ],
)
def test_what_cannot_be_saved_is_one_sentence_and_no_file(path, said, remedy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    (tmp_path / "old.txt").write_text("old")
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(RUN, TRUTH, "mrr").save(path)
    assert (caught.value.message, caught.value.remedy) == (said, remedy)
    assert sorted(one.relative_to(tmp_path).as_posix() for one in tmp_path.rglob("*")) == ["old.txt", "runs"]


def test_a_value_that_cannot_be_stored_leaves_the_old_file(tmp_path, monkeypatch):
    result, path = sy.evaluate(RUN, TRUTH, "mrr"), tmp_path / "run.steelyard"
    result.save(path)
    before = path.read_bytes()
    with pytest.raises(sy.SteelyardError, match="cannot be saved"):
        replace(result, fingerprints={"x": object()}).save(path)
    assert [one.name for one in tmp_path.iterdir()] == ["run.steelyard"]
    assert path.read_bytes() == before


def test_a_file_of_the_form_before_is_refused_by_its_version(tmp_path):
    file = tmp_path / "old.steelyard"
    head = {"kind": "result", "version": "5.0", "steelyard": "0.1.0.dev0", "tree": "{}"}
    pl.DataFrame(head).write_ipc(file)
    with pytest.raises(sy.SteelyardError, match=r"has file format 5\.0, .* reads format 7\.0"):
        sy.load(file)
