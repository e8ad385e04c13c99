"""Every kind of source may be read in parts, with the result of the same source in memory."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import threading
from contextlib import ExitStack
from unittest.mock import patch

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest

import steelyard as sy

from ..partial.agreement import assert_agree
from .in_parts import counted, memory_of

N = 120
METRICS = ["auc", "gauc", "logloss"]
COMMAND = [sys.executable, "-m", "steelyard"]


def clicks():
    """Clicks of users, most of them of one, in two countries; scores are not those of a good model."""
    random = np.random.default_rng(7)
    label = random.integers(0, 2, N)
    user = np.where(random.random(N) < 0.5, "u0", np.char.add("u", random.integers(1, 15, N).astype(str)))
    score = np.round(np.clip(random.normal(0.4 + 0.2 * label, 0.2), 0.01, 0.99), 2)
    return pl.DataFrame(
        {
            "user": user,
            "label": label,
            "score": score,
            "other": np.round(random.uniform(0.1, 0.9, N), 2),
            "dt": random.choice(["2026-11-01", "2026-11-02", "2026-11-03"], N),
        }
    )


def lists():
    """Ranked items of queries, with ties, and judgements; the last two queries have no judgement."""
    random = np.random.default_rng(8)
    queries, items = np.repeat(np.arange(20), 6), np.tile(np.arange(6), 20)
    run = pl.DataFrame({"query": queries, "item": items, "score": random.integers(1, 5, 120).astype(float)})
    names = run.with_columns(
        query="q" + pl.col("query").cast(pl.String), item="i" + pl.col("item").cast(pl.String)
    )
    truth = names.filter(pl.Series(random.random(120) < 0.4)).drop("score").with_columns(relevance=pl.lit(1))
    return names, truth.filter(~pl.col("query").is_in(["q18", "q19"]))


@pytest.fixture
def log(tmp_path):
    """The same clicks in a file of each format."""
    frame = clicks()
    frame.write_parquet(tmp_path / "log.parquet")
    frame.write_ipc(tmp_path / "log.arrow")
    frame.write_csv(tmp_path / "log.csv")
    frame.write_csv(tmp_path / "log.tsv", separator="\t")
    frame.write_ndjson(tmp_path / "log.jsonl")
    (tmp_path / "log.csv.gz").write_bytes(gzip.compress((tmp_path / "log.csv").read_bytes()))
    frame[:50].write_parquet(tmp_path / "part-0.parquet")
    frame[50:].write_parquet(tmp_path / "part-1.parquet")
    for (day,), some in frame.group_by("dt", maintain_order=True):
        (tmp_path / "hive" / f"dt={day}").mkdir(parents=True)
        some.drop("dt").write_parquet(tmp_path / "hive" / f"dt={day}" / "0.parquet")
    return tmp_path


def in_parts(make, *arguments, rows=10, **options):
    """The result of a source in parts; it is that in memory. ``make`` gives the source anew."""
    right = sy.evaluate(make(), *arguments, **options)
    with counted() as passes:
        found = sy.evaluate(make(), *arguments, memory=memory_of(rows), **options)
    assert passes
    assert min(passes) > 1
    assert_agree(found, right, approximate=())
    return found


FILES = ["log.parquet", "log.arrow", "log.csv", "log.tsv", "log.jsonl", "log.csv.gz"]


@pytest.mark.parametrize("metrics", [METRICS, ["logloss", "auc"]], ids=["by user", "in order"])
@pytest.mark.parametrize("name", FILES)
def test_files(log, name, metrics):
    found = in_parts(lambda: log / name, metrics=metrics, columns={"query": "user"}, by=["dt"])
    right = sy.evaluate(clicks(), metrics=metrics, columns={"query": "user"}, by=["dt"])
    assert dict(found) == pytest.approx(dict(right), rel=1e-12)
    assert found.fingerprints == right.fingerprints


@pytest.mark.parametrize("given", ["list", "glob", "folder"])
def test_several_files(log, given):
    paths = [log / "part-0.parquet", log / "part-1.parquet"]
    table = {"list": paths, "glob": str(log / "part-*.parquet"), "folder": log / "parts"}[given]
    if given == "folder":
        table.mkdir()
        for path in paths:
            path.rename(table / path.name)
    in_parts(lambda: table, metrics=METRICS, columns={"query": "user"})


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_several_files_of_text(log, ending):
    frame = clicks()
    for number, some in enumerate((frame[:70], frame[70:])):
        write = some.write_csv if ending == "csv" else some.write_ndjson
        write(log / f"text-{number}.{ending}")
    in_parts(lambda: str(log / f"text-*.{ending}"), metrics=METRICS, columns={"query": "user"})


def test_a_folder_of_days(log):
    options = {"metrics": METRICS, "by": ["dt"], "columns": {"query": "user"}}
    found = in_parts(lambda: log / "hive", **options)
    assert found.table()["dt"].n_unique() == 4
    found = in_parts(lambda: log / "hive", rows=6, where="dt >= '2026-11-02' and score < 0.9", **options)
    kept = clicks().filter((pl.col("dt") >= "2026-11-02") & (pl.col("score") < 0.9))
    assert found.tally.rows == kept.height
    assert dict(found) == pytest.approx(dict(sy.evaluate(kept, **options)), rel=1e-12)


def test_runs_and_judgements_of_trec(tmp_path):
    run, truth = lists()
    (tmp_path / "a.run").write_text(
        "".join(f"{query} Q0 {item} 1 {score} s\n" for query, item, score in run.rows())
    )
    (tmp_path / "qrels.txt").write_text("".join(f"{query} 0 {item} 1\n" for query, item, _ in truth.rows()))
    metrics = ["ndcg@3", "mrr", "map", "personalization@2"]
    found = in_parts(lambda: tmp_path / "a.run", tmp_path / "qrels.txt", metrics)
    assert dict(found) == dict(sy.evaluate(run, truth, metrics))


@pytest.mark.parametrize("shuffled", [False, True])
def test_csv_of_rankings(tmp_path, shuffled):
    for name, frame in zip(("run", "truth"), lists(), strict=True):
        frame = frame.sample(fraction=1, shuffle=True, seed=1) if shuffled else frame
        frame.write_csv(tmp_path / f"{name}.csv")
    in_parts(lambda: tmp_path / "run.csv", tmp_path / "truth.csv", ["ndcg@3", "mrr", "map"])


def of_lazy_frame(log):
    return pl.scan_parquet(log / "part-*.parquet").with_columns(pl.col("score") / 1.01)


def of_dataset(log):
    return pyarrow.dataset.dataset([log / "part-0.parquet", log / "part-1.parquet"])


def of_reader(log):
    table = pa.table(pl.read_parquet(log / "log.parquet"))
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=7))


WHOLE = ("fetchall", "arrow", "pl", "df", "fetchdf", "fetchnumpy", "fetch_arrow_table", "to_arrow_table")


@pytest.mark.parametrize("make", [of_lazy_frame, of_dataset, of_reader])
def test_objects(log, make):
    in_parts(lambda: make(log), metrics=METRICS, columns={"query": "user"}, by="dt")


def test_a_relation_is_never_fetched_whole(log):
    connection = duckdb.connect()
    path = log / "log.parquet"

    def relation():
        return connection.sql(f"select * exclude other, other from read_parquet('{path}')")

    options = {"metrics": METRICS, "columns": {"query": "user"}}
    right = sy.evaluate(relation(), **options)

    def refuse(*_arguments, **_options):
        raise AssertionError("a relation was fetched whole")

    with ExitStack() as stack:
        for name in WHOLE:
            stack.enter_context(patch.object(duckdb.DuckDBPyRelation, name, refuse))
        passes = stack.enter_context(counted())
        found = sy.evaluate(relation(), memory=memory_of(10), **options)
    assert min(passes) > 1
    assert_agree(found, right, approximate=())


# --------------------------------------------------------------------------------------- several scores


@pytest.mark.parametrize("metrics", [METRICS, ["logloss", "auc"]], ids=["by user", "in order"])
def test_several_score_columns_in_one_read(log, metrics):
    options = {"metrics": metrics, "scores": ["score", "other"], "columns": {"query": "user"}, "by": "dt"}
    right = sy.evaluate(log / "log.parquet", **options)
    with counted() as passes:
        found = sy.evaluate(log / "log.parquet", memory=memory_of(10), **options)
    assert len(passes) <= 3  # both columns together
    assert min(passes) > 1
    assert list(found) == list(right) == ["score", "other"]
    for name in found:
        assert_agree(found[name], right[name], approximate=())


COMPARED = [METRICS, ["logloss", "auc"], ["logloss", "brier"]]


@pytest.mark.parametrize("unit", [{"query": "user"}, {}], ids=["users", "rows"])
@pytest.mark.parametrize("metrics", COMPARED, ids=["by user", "in order", "sums"])
def test_compare(log, metrics, unit):
    if not unit:
        metrics = [metric for metric in metrics if metric != "gauc"]
    options = {"metrics": metrics, "scores": ["score", "other"], "columns": unit}
    options = options if unit else {**options, "columns": {"label": "label"}}
    table = clicks() if unit else clicks().drop("user")
    table.write_parquet(log / "compared.parquet")
    right = sy.compare(log / "compared.parquet", **options)
    with counted() as passes:
        found = sy.compare(log / "compared.parquet", memory=memory_of(10), **options)
    assert min(passes) > 1
    for one, other in zip(found.table().rows(named=True), right.table().rows(named=True), strict=True):
        assert one == {
            name: pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True)
            if isinstance(value, float)
            else value
            for name, value in other.items()
        }


def test_compare_what_was_read_under_different_bounds(log):
    """Neither the bound nor parts are in the fingerprints, so results of different runs compare."""
    table = log / "compared.parquet"
    clicks().drop("user").write_parquet(table)
    bounds = [None, memory_of(10), memory_of(17)]
    results = [
        sy.evaluate(table, metrics=["logloss"], columns={"score": name}, memory=bound)
        for bound, name in zip(bounds, ("score", "other", "score"), strict=True)
    ]
    right = sy.compare(table, metrics=["logloss"], scores=["score", "other"]).table()
    for one in (results[0], results[2]):
        found = sy.compare({"score": one, "other": results[1]}).table()
        for name in ("difference", "ci_low", "ci_high", "p"):
            assert found[name].to_list() == pytest.approx(right[name].to_list(), rel=1e-9)


def test_compare_two_runs(tmp_path):
    run, truth = lists()
    other = run.with_columns(score=pl.col("score").reverse())
    for name, frame in {"run": run, "other": other, "truth": truth}.items():
        frame.write_parquet(tmp_path / f"{name}.parquet")
    files = {name: tmp_path / f"{name}.parquet" for name in ("run", "other")}
    right = sy.compare(files, truth=tmp_path / "truth.parquet", metrics=["ndcg@3", "mrr"]).table()
    with counted() as passes:
        bound = memory_of(10)
        found = sy.compare(files, truth=tmp_path / "truth.parquet", metrics=["ndcg@3", "mrr"], memory=bound)
    assert min(passes) > 1
    assert found.table().equals(right, null_equal=True)


# --------------------------------------------------------------------------------------- pipes


def values_of(done):
    assert done.returncode == 0, done.stderr
    return {row["metric"]: row["value"] for row in json.loads(done.stdout)["results"]}


OPTIONS = [
    *(word for metric in METRICS for word in ("-m", metric)),
    "--columns",
    "query=user",
    "--format",
    "json",
]


def test_standard_input(log):
    right = sy.evaluate(clicks(), metrics=METRICS, columns={"query": "user"})
    with (log / "log.csv").open("rb") as stdin:
        done = subprocess.run(
            [*COMMAND, "evaluate", "-", *OPTIONS, "--memory", "4400", "--temp-dir", "parts"],
            cwd=log,
            stdin=stdin,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert values_of(done) == pytest.approx(dict(right), rel=1e-12)
    assert json.loads(done.stdout)["predictions"] == "standard input"
    assert list((log / "parts").iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe(log, steelyard):
    pipe = log / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes((log / "log.csv").read_bytes()), daemon=True)
    writer.start()
    with counted() as passes:
        done = steelyard("evaluate", pipe, *OPTIONS, "--memory", "4400B", "--temp-dir", log / "parts")
    writer.join(60)
    assert done.code == 0, done.err
    assert min(passes) > 1
    found = {row["metric"]: row["value"] for row in json.loads(done.out)["results"]}
    right = sy.evaluate(clicks(), metrics=METRICS, columns={"query": "user"})
    assert found == pytest.approx(dict(right), rel=1e-12)


def test_the_command_line_is_the_library(log, steelyard):
    done = steelyard("evaluate", log / "log.parquet", *OPTIONS, "--memory", "0.0044 MB")
    whole = steelyard("evaluate", log / "log.parquet", *OPTIONS)
    assert (done.code, done.err) == (whole.code, whole.err)
    found, right = (json.loads(one.out) for one in (done, whole))
    for one, other in zip(found.pop("results"), right.pop("results"), strict=True):
        for name, value in other.items():
            near = pytest.approx(value, rel=1e-9) if isinstance(value, float) else value
            assert one[name] == near, name
    assert found.keys() == right.keys()
    for name in right:
        assert found[name] == right[name], name
