"""The quick tier, `make test-quick`: little as it runs, it measures every metric and reads every file."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import steelyard as sy
from steelyard.read.files import KINDS

from .metrics.test_by_hand import without_an_example
from .tables import each_row

ROOT = Path(__file__).resolve().parent.parent
QUICK = (ROOT / "tests" / "quick.txt").read_text("utf-8").splitlines()
BY_HAND = "tests/metrics/test_by_hand.py"


def test_it_is_what_the_makefile_runs():
    assert " $(PYTEST_ARGS) @tests/quick.txt\n" in (ROOT / "Makefile").read_text("utf-8")
    assert "--hypothesis-profile=quick" in QUICK
    assert Path(__file__).relative_to(ROOT).as_posix() in QUICK


@each_row("chosen", [line for line in QUICK if not line.startswith("-")])
def test_what_it_names_is_there(chosen):
    file, _, test = chosen.partition("::")
    assert (ROOT / file).exists()
    assert not test or f"\ndef {test}(" in (ROOT / file).read_text("utf-8")


def test_it_measures_every_metric_against_arithmetic_done_by_hand():
    assert str(Path(BY_HAND).parent) in QUICK
    assert f"--ignore={BY_HAND}" not in QUICK
    assert not list(without_an_example())


# q1 shows its relevant item second, q2 first
ROWS = [("q1", "a", 2.0), ("q1", "b", 1.0), ("q2", "c", 1.0)]
TRUTH = {"q1": ["b"], "q2": ["c"]}


def written(path: Path, kind: str) -> None:
    frame = pl.DataFrame(ROWS, schema=["query", "item", "score"], orient="row")
    if kind == "TREC":
        path.write_text("".join(f"{query} Q0 {item} 0 {score} mine\n" for query, item, score in ROWS))
    elif kind == "tsv":
        frame.write_csv(path, separator="\t")
    else:
        write = {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "arrow": frame.write_ipc}
        write.get(kind, frame.write_parquet)(path)


@pytest.mark.parametrize("ending", KINDS)
def test_it_reads_every_kind_of_file(ending, tmp_path):
    path = tmp_path / f"run.{ending}"
    if ending in ("qrels", "qrel"):
        path.write_text("q1 0 b 1\nq2 0 c 1\n")
        said, true = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0}}, path
    else:
        written(path, KINDS[ending])
        said, true = path, TRUTH
    assert sy.evaluate(said, true, "mrr")["mrr"] == (1 / 2 + 1) / 2
