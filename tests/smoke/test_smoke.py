"""The whole way from tables to numbers, for other Pythons and other versions of the packages beneath."""

from __future__ import annotations

import json
import subprocess
import sys
from math import log2
from pathlib import Path

import polars as pl
import pytest

import steelyard as sy

PREDICTIONS = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"x": 9.5, "y": 0.5}}
TRUTH = {"q1": {"a": 0, "b": 2, "d": 1}, "q2": {"x": 1}, "q3": {"z": 1}}
METRICS = ["ndcg@10", "mrr"]

# q1 shows grades 0, 2, 0 where the best order is 2, 1; q2 is perfect; q3 was not answered.
EXPECTED = {
    "ndcg@10": ((2 / log2(3)) / (2 / log2(2) + 1 / log2(3)) + 1 + 0) / 3,
    "mrr": (1 / 2 + 1 / 1 + 0) / 3,
}


def columns(lists: dict[str, dict[str, float]], value: str) -> dict[str, list]:
    """The nested mapping as the columns of a table."""
    rows = [(query, item, number) for query, items in lists.items() for item, number in items.items()]
    query, item, number = map(list, zip(*rows, strict=True))
    return {"query": query, "item": item, value: number}


PREDICTION_COLUMNS = columns(PREDICTIONS, "score")
TRUTH_COLUMNS = columns(TRUTH, "relevance")


def check(result: sy.Result) -> None:
    """Compare with the figures worked out above."""
    assert {name: result[name] for name in METRICS} == pytest.approx(EXPECTED, abs=1e-12)
    assert all(type(result[name]) is float for name in METRICS)


def test_mappings():
    check(sy.evaluate(PREDICTIONS, TRUTH, METRICS))


def test_polars():
    check(sy.evaluate(pl.DataFrame(PREDICTION_COLUMNS), pl.DataFrame(TRUTH_COLUMNS).lazy(), METRICS))


def test_pandas():
    pd = pytest.importorskip("pandas")
    result = sy.evaluate(pd.DataFrame(PREDICTION_COLUMNS), pd.DataFrame(TRUTH_COLUMNS), METRICS)
    check(result)
    assert len(result.to_pandas()) == len(METRICS)


def test_parquet(tmp_path: Path):
    pl.DataFrame(PREDICTION_COLUMNS).write_parquet(tmp_path / "run.parquet")
    pl.DataFrame(TRUTH_COLUMNS).write_parquet(tmp_path / "truth.parquet")
    check(sy.evaluate(tmp_path / "run.parquet", tmp_path / "truth.parquet", METRICS))


def steelyard(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command line with this Python."""
    return subprocess.run([sys.executable, "-m", "steelyard", *arguments], capture_output=True, text=True)


def test_command_line(tmp_path: Path):
    run, truth = tmp_path / "run.csv", tmp_path / "truth.csv"
    pl.DataFrame(PREDICTION_COLUMNS).write_csv(run)
    pl.DataFrame(TRUTH_COLUMNS).write_csv(truth)
    done = steelyard("evaluate", run, "--truth", truth, "-m", "ndcg@10", "-m", "mrr", "--format", "json")
    assert done.returncode == 0, done.stderr
    values = {row["metric"]: row["value"] for row in json.loads(done.stdout)["results"]}
    assert values == pytest.approx(EXPECTED, abs=1e-12)


def test_bad_input_is_exit_code_2(tmp_path: Path):
    nothing = tmp_path / "nothing.parquet"
    done = steelyard("evaluate", nothing, "--truth", nothing, "-m", "mrr")
    assert done.returncode == 2
    assert "nothing.parquet" in done.stderr


@pytest.mark.long  # tests/cli/test_demo.py says more
def test_demo(tmp_path: Path):
    done = steelyard("demo", tmp_path / "shop")
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "shop").glob("*.parquet"))


def test_compiled_kernels_agree_with_their_twins():
    # Large enough that the compiled kernels run; each query's only relevant item stands at rank 1, 2, 3 or 4.
    queries, depth = 4_000, 100
    run = pl.select(
        query=pl.int_range(queries * depth) // depth,
        item=pl.int_range(queries * depth) % depth,
        score=-(pl.int_range(queries * depth) % depth),
    )
    truth = pl.select(query=pl.int_range(queries), item=pl.int_range(queries) % 4, relevance=pl.lit(1))
    result = sy.evaluate(run, truth, METRICS)
    assert result["mrr"] == pytest.approx((1 / 1 + 1 / 2 + 1 / 3 + 1 / 4) / 4, abs=1e-12)
    assert result["ndcg@10"] == pytest.approx(sum(1 / log2(rank + 1) for rank in (1, 2, 3, 4)) / 4, abs=1e-12)
