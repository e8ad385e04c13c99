"""Tables larger than memory: clicks and rankings in parts, beside the same in memory.

``python -m bench.batches clicks 200000000`` writes a click log of so many rows, in files of 10,000,000;
``rankings`` and ``shuffled`` write predictions and their truth. One user has a quarter of the clicks.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from bench.measure import PYTHON
from bench.workloads import FOLDER, ROOT, SEED

USERS = 3_000_000
OF_FILE = 10_000_000
COUNTRIES = {"US": 0.45, "IN": 0.25, "BR": 0.15, "DE": 0.1, "JP": 0.05}
DEPTH, JUDGED, RETRIEVED = 1_000, 20, 15  # rows and judgements of each query, and how many are retrieved
CLICKS = ("auc", "gauc", "logloss", "calibration")
RANKINGS = ("ndcg@10", "map", "mrr", "recall@100")
TOLERANCE = 1e-9


def folder(kind: str, rows: int) -> Path:
    """The folder of a workload, written first if it is not there."""
    path = FOLDER / f"batches-{kind}-{rows}-{SEED}"
    if not path.exists():
        subprocess.run([PYTHON, "-m", "bench.batches", kind, str(rows)], check=True, cwd=ROOT)
    return path


def write(kind: str, rows: int) -> None:
    path = FOLDER / f"batches-{kind}-{rows}-{SEED}"
    unfinished = path.with_suffix(".part")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    sizes = [min(OF_FILE, rows - at) for at in range(0, rows, OF_FILE)]
    for number, size in enumerate(sizes):
        made = _clicks(number, size) if kind == "clicks" else _rankings(number, size, kind == "shuffled")
        for name, frame in made.items():
            (unfinished / name).mkdir(exist_ok=True)
            frame.write_parquet(unfinished / name / f"{number:03}.parquet")
    unfinished.rename(path)


def _clicks(number: int, n: int) -> dict:
    import numpy as np
    import polars as pl

    random = np.random.default_rng((SEED, number))
    user = (USERS * random.random(n) ** 2.5).astype(np.int64) * 7  # ids leave gaps
    user[random.random(n) < 0.25] = 3
    score = (1 / (1 + np.exp(3.5 - random.standard_normal(n)))).astype(np.float32)
    label = (random.random(n) < score).astype(np.uint8)
    country = pl.Series([*COUNTRIES]).gather(random.choice(len(COUNTRIES), n, p=list(COUNTRIES.values())))
    return {"log": pl.DataFrame({"user_id": user, "country": country, "score": score, "label": label})}


def _rankings(number: int, n: int, shuffled: bool) -> dict:
    import numpy as np
    import polars as pl

    random = np.random.default_rng((SEED, number))
    queries = n // DEPTH
    # shuffled, the rows of a query are in all places of a file
    query = number * (OF_FILE // DEPTH) + np.repeat(random.permutation(queries), DEPTH)
    item = (random.integers(0, 1_999_993, (queries, 1)) + 7 * np.arange(DEPTH)) % 1_999_993
    score = random.standard_normal((queries, DEPTH)).round(3).astype(np.float32)
    score[:, :RETRIEVED] += 1
    run = pl.DataFrame({"query": query, "item": item.reshape(-1), "score": score.reshape(-1)})
    judged = item[:, np.r_[:RETRIEVED, -JUDGED + RETRIEVED : 0]]
    judged[:, RETRIEVED:] += 2_000_000
    grade = random.integers(0, 4, judged.size)
    first = query.reshape(queries, DEPTH)[:, :1]
    truth = {"query": np.repeat(first, JUDGED), "item": judged.reshape(-1), "relevance": grade}
    if shuffled:
        run = run[random.permutation(n)]
    return {"run": run, "truth": pl.DataFrame(truth)}


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]))
