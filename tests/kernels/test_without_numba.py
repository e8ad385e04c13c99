"""Numba may be missing or broken, and its cache full or spoilt: the numbers are the same."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

WORK = """
import json, sys
import numpy as np
import polars as pl

if sys.argv[1] == "blocked":
    class Blocked:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] == "numba":
                raise ImportError("Numba needs\\nNumPy 1.0 or less")
    sys.meta_path.insert(0, Blocked())

import steelyard as sy

random, n = np.random.default_rng(5), 700_000
run = pl.DataFrame({
    "query": np.arange(n) // 1000, "item": np.arange(n) % 1000, "score": random.random(n).round(3)
})
run = run[random.permutation(n)]
truth = run.sample(20_000, seed=5).select("query", "item", relevance=pl.lit(1))
log = {"label": random.integers(0, 2, n), "score": random.random(n).round(4), "query": np.arange(n) % 777}
if len(sys.argv) > 2:  # a file is large enough for the background to be warmed up
    run.write_parquet(sys.argv[2])
    run = sys.argv[2]
results = [
    sy.evaluate(run, truth, ["ndcg@10", "map", "mrr(ties=expected)"]),
    sy.evaluate(log, metrics=["auc", "gauc"]),
]
print(json.dumps({
    "values": [value for result in results for value in result.table()["value"].to_list()],
    "notes": [note for result in results for note in result.notes if "Numba" in note],
    "numba": "numba" in sys.modules,
}))
"""


def work(*arguments: str) -> dict:
    done = subprocess.run([sys.executable, "-c", WORK, *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.parametrize("from_file", [True, pytest.param(False, marks=pytest.mark.long)])
def test_a_numba_that_cannot_be_imported_stops_nobody(tmp_path, from_file):
    """700,000 rows, from memory or from a file: the twins give what the kernels give, bit for bit."""
    with_kernels = work("free")
    assert with_kernels["numba"]
    assert not with_kernels["notes"]
    without = work("blocked", *([str(tmp_path / "run.parquet")] if from_file else []))
    assert not without["numba"]
    assert without["values"] == with_kernels["values"]
    assert without["notes"] == 2 * [
        "Numba cannot be imported (Numba needs NumPy 1.0 or less): "
        "large tables take longer, and the numbers are the same."
    ]


LOSS = """
import sys
if sys.argv[1:] == ["full"]:
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # as a full disk: no file may grow
import numpy as np
import steelyard as sy
print(sy.LogLoss().of(predictions=np.full(700_000, 0.25), truth=np.arange(700_000) % 2))
"""
# half of the rows are positive and cost ln 4, the others cost ln 4/3
EXPECTED = (math.log(4) + math.log(4 / 3)) / 2


def loss(folder: Path, *arguments: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", LOSS, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder)},
    )
    assert (done.returncode, done.stderr) == (0, "")
    return float(done.stdout)


def test_a_cache_that_cannot_be_written(tmp_path):
    assert loss(tmp_path, "full") == pytest.approx(EXPECTED, rel=1e-12)
    assert loss(Path("/dev/null/nowhere")) == pytest.approx(EXPECTED, rel=1e-12)


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_cache_that_is_spoilt(tmp_path, ending):
    assert loss(tmp_path) == pytest.approx(EXPECTED, rel=1e-12)
    (kept,) = tmp_path.rglob(f"*.{ending}")
    kept.write_bytes(kept.read_bytes()[:100])
    assert loss(tmp_path) == pytest.approx(EXPECTED, rel=1e-12)
