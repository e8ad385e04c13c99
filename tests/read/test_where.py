"""``where`` is an SQL condition: rows that do not satisfy it are not read."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.read import Opened, opened
from steelyard.read.table import PLACE
from steelyard.read.text import ZSTD
from steelyard.text.errors import SteelyardError
from tests.read.test_folders import LOG, write
from tests.tables import each_row

RUN = pl.DataFrame(
    {
        "query": ["1", "1", "2", "2", "3"],
        "item": ["a", "b", "a", "b", "a"],
        "score": [0.5, 0.25, 0.1, 0.2, 1.0],
        "label": [0, 1, 1, 0, 1],
        "country": ["JP", "JP", "FR", "FR", "JP"],
    }
)
JP = RUN.filter(pl.col("country") == "JP")


def sources_of(given, where, kind="labelled"):
    table, _ = opened(given, None, where)
    return table.sources(kind, "predictions")


def forms_of(folder):
    """The same table as anything that it may be kept in."""
    RUN.write_parquet(folder / "run.parquet", row_group_size=2)
    RUN.write_ipc(folder / "run.arrow")
    RUN.write_csv(folder / "run.csv")
    RUN.write_ndjson(folder / "run.jsonl")
    files = [folder / f"run.{ending}" for ending in ("parquet", "arrow", "csv", "jsonl")]
    return [*files, RUN, RUN.lazy(), RUN.to_pandas(), RUN.to_arrow(), RUN.to_dict(as_series=False)]


def test_every_kind_of_table(tmp_path):
    for given in forms_of(tmp_path):
        filtered = sy.evaluate(given, metrics=["mrr", "auc"], where="country = 'JP' and item <> 'z'")
        assert dict(filtered) == dict(sy.evaluate(JP, metrics=["mrr", "auc"]))
        assert filtered.names.predictions.endswith(" (where country = 'JP' and item <> 'z')")
        _, (source,) = sources_of(given, "country = 'JP'")
        scanned = source.scan().collect()
        assert scanned[PLACE].to_list() == [1, 2, 5]
        loaded = source.load(["query", "country"])
        assert loaded.equals(scanned.select("query", "country"))
        assert source.tidy(loaded, {}).rows.to_list() == [1, 2, 5]


def test_a_mapping():
    run = {"1": {"a": 0.5, "b": 0.25}, "2": {"a": 1.0, "b": float("nan")}}
    truth = {"1": {"a": 1}, "2": {"b": 1}}
    assert sy.evaluate(run, truth, "mrr", where="query = '1'")["mrr"] == 1
    with pytest.raises(SteelyardError, match="query '2', item 'b': score"):
        sy.evaluate(run, truth, "mrr", where="item = 'b'")


def test_messages_name_the_row_of_the_file(tmp_path):
    (tmp_path / "run.csv").write_text("query,item,score\n\n1,a,0.5\n2,b,0.5\n2,a,x\n")
    with pytest.raises(SteelyardError, match=r"run\.csv, row 4"):
        sy.evaluate(tmp_path / "run.csv", {"2": ["a"]}, "mrr", where="query = '2'")
    (tmp_path / "run.trec").write_text("# \n1 Q0 a 1 0.5 t\n2 Q0 a 1 x t\n")
    with pytest.raises(SteelyardError, match=r"run\.trec, line 3"):
        sy.evaluate(tmp_path / "run.trec", {"2": ["a"]}, "mrr", where="query = '2'")


def test_lists_of_items():
    run = pl.DataFrame(
        {"query": ["1", "2", "3"], "items": [["a", "b"], ["b"], ["c", None]], "day": [1, 2, 3]}
    )
    assert sy.evaluate(run, {"1": ["b"], "2": ["b"]}, "mrr", where="day = 1")["mrr"] == 0.25
    with pytest.raises(SteelyardError, match="predictions, row 3"):
        sy.evaluate(run, {"1": ["b"]}, "mrr", where="day > 1")


def test_the_truth_is_filtered_if_it_has_the_columns():
    truth = RUN.select("query", "item", "label", "country")
    with_columns = sy.evaluate(RUN.drop("label"), truth, "mrr", where="country = 'JP'")
    assert with_columns.names.truth == "truth (where country = 'JP')"
    assert with_columns.tally.queries_judged == 2
    without = sy.evaluate(RUN.drop("label"), truth.drop("country"), "mrr", where="country = 'JP'")
    assert without.names.truth == "truth"
    assert without.tally.queries_judged == 3


def test_other_calls():
    where = "country = 'JP'"
    truth = RUN.select("query", "item", "label")
    part = sy.partial(RUN, metrics="auc", where=where)
    assert sy.merge([part])["auc"] == sy.evaluate(JP, metrics="auc")["auc"]
    comparison = sy.compare({"one": RUN, "other": RUN.lazy()}, metrics="auc", where=where)
    assert comparison.results["one"]["auc"] == sy.evaluate(JP, metrics="auc")["auc"]
    run = RUN.drop("label")
    checked = sy.check(run, truth.with_columns(RUN["country"]), min={"mrr": 0.5}, where=where)
    assert checked
    both = RUN.with_columns(other=-pl.col("score"))
    results = sy.evaluate(both, metrics="auc", scores=["score", "other"], where=where)
    assert results["score"]["auc"] == sy.evaluate(JP, metrics="auc")["auc"]


@pytest.fixture
def logs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for day in (1, 2):
        write(tmp_path / "logs" / f"dt={day}" / "a.parquet", LOG)
    return tmp_path / "logs"


def test_files_of_other_folders_are_not_opened(logs):
    (logs / "dt=1" / "a.parquet").write_bytes(b"no parquet at all")
    result = sy.evaluate("logs", metrics="auc", where="dt > '1' and score > 0")
    assert result["auc"] == sy.evaluate(LOG, metrics="auc")["auc"]
    assert result.names.predictions == "logs (where dt > '1' and score > 0)"


@pytest.mark.parametrize("name", ["log.parquet", "logs/dt=1/a.parquet"])
def test_row_groups_without_such_rows_are_not_read(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = pl.concat([LOG.with_columns(day=pl.lit(day)) for day in range(1, 4)])
    rows.write_parquet(path, row_group_size=2, compression="zstd")
    path.write_bytes(path.read_bytes().replace(ZSTD, b"\xff" * 4, 1))
    given = path if name == "log.parquet" else tmp_path / "logs"
    assert sy.evaluate(given, metrics="auc", where="day = 3 and score > 0")["auc"] == 0
    with pytest.raises(SteelyardError, match=r"\.parquet"):
        sy.evaluate(given, metrics="auc", where="day = 1")


@each_row(
    ("where", "message"),
    [
        ("dt >", "where='dt >' is not an SQL condition"),
        ("", "where='' is not an SQL condition"),
        ("nosuch(query) = 1", "unsupported function 'nosuch'"),
        ("contry = 'JP'", "predictions has no column 'contry'.*did you mean 'country'"),
        ("score", "where='score' does not fit the columns"),
        ("score > 'x'", "where=\"score > 'x'\" does not fit the columns"),
        ("cast(country as double) > 1", "does not fit the columns"),
        ("country = 'XX'", "no row of predictions .* satisfies where=\"country = 'XX'\""),
        ("1 = 0", "no row of predictions"),
        ("score = max(score)", "needs the values of other rows"),
        ("row_number() over (partition by query order by score) = 1", "needs the values of other rows"),
        ("count(*) > 1", "needs the values of other rows"),
        (1, "where must be an SQL condition as text; got 1"),
    ],
)
def test_bad_conditions(where, message):
    with pytest.raises(SteelyardError, match=message):
        sy.evaluate(RUN, metrics="auc", where=where)


def test_no_file_satisfies_it(logs):
    with pytest.raises(SteelyardError, match="no row of logs satisfies where=\"dt = '3'\""):
        sy.evaluate("logs", metrics="auc", where="dt = '3'")
    with pytest.raises(SteelyardError, match="where='dt = 1' does not fit the columns"):
        sy.evaluate("logs", metrics="auc", where="dt = 1")


def test_functions_of_one_row_are_allowed():
    for where in (
        "coalesce(score, 0) > 0.15",
        "left(country, 1) = 'J'",
        "country like 'J%' or score in (1, 2)",
    ):
        assert sy.evaluate(RUN, metrics="auc", where=where) is not None
    run = RUN.with_columns(tags=pl.Series([[1], [2], [1], [2], [3]]))
    assert sy.evaluate(run, metrics="auc", where="array_sum(tags) < 3")["auc"] is not None
    assert sy.evaluate(run, metrics="auc", where="array_length(tags) = 1 and 1 = 1")["auc"] is not None


def test_arrays_have_no_columns():
    with pytest.raises(SteelyardError, match="where needs columns"):
        sy.evaluate(np.array([0.5, 0.1]), np.array([1, 0]), "auc", where="score > 0")


def test_a_table_without_condition_is_as_it_was():
    assert opened(RUN, None)[0].where is None
    assert Opened(RUN).sources("labelled", "predictions")[1][0].where is None
