"""The size of partial results of 10,000,000 rows: bytes of the saved file, beside the parquet file it is of.

One part holds all rows. What it is made of and merged to are the same for any number of parts; sums for each
unit are then held once for each part that has the unit.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.report import Report
from bench.workloads import FOLDER, SEED, workload

ROWS = {"full": 10_000_000, "quick": 1_000_000}
USERS = 400_000
COLUMNS = {"query": "user", "label": "clicked", "score": "p"}


@dataclass(frozen=True)
class Job:
    """Metrics of clicks, or of lists, with the further arguments of ``sy.partial``."""

    metrics: tuple[str, ...]
    state: str
    further: dict[str, Any] = field(default_factory=dict)
    lists: bool = False
    totals: bool = False


JOBS = (
    Job(("logloss", "calibration"), "sums per slice, user and class", {"by": "country"}),
    Job(("accuracy", "f1"), "counts per user, class and predicted class"),
    Job(("gauc",), "rows, positives and AUC per slice and user", {"by": "country"}),
    Job(("auc",), "counts per slice and distinct score, no intervals", {"by": "country", "ci": "none"}),
    Job(
        ("auc",),
        "counts per slice and range of scores, `tolerance=0.001`, no intervals",
        {"by": "country", "ci": "none", "tolerance": 0.001},
    ),
    Job(("auc",), "second pass: sums per slice, user and class", {"by": "country"}, totals=True),
    Job(("auc",), "the rows", {"by": "country"}),
    Job(("ndcg@10", "map", "mrr", "recall@100"), "retrieved judged items", lists=True),
    Job(("coverage@10", "personalization@10"), "the first 10 items of each list", lists=True),
)


def clicks(size: str) -> Path:
    """Clicks in parquet: one user has a quarter of them, and scores are single precision."""
    import numpy as np
    import polars as pl

    path = FOLDER / f"partial-{size}-{SEED}.parquet"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        random, n = np.random.default_rng(SEED), ROWS[size]
        user = np.minimum((random.pareto(0.9, n) * 200).astype(np.int64), USERS)
        user[random.random(n) < 0.25] = 0
        p = 1 / (1 + np.exp(2 - 1.2 * random.standard_normal(n)))
        clicked = (random.random(n) < p).astype(np.uint8)
        country = random.choice(["US", "JP", "DE", "BR", "IN"], n, p=[0.4, 0.25, 0.15, 0.12, 0.08])
        columns = {"user": user, "clicked": clicked, "p": p.astype(np.float32), "country": country}
        pl.DataFrame(columns).write_parquet(path)
    return path


def sizes(size: str, _rounds: int) -> Report:
    """The size of each state, and the CPU seconds of reducing the rows and of measuring the state."""
    import steelyard as sy

    log, lists = clicks(size), workload("ranking", size)
    catalog = [f"d{number}" for number in range(10)]
    rows, figures = [], {}
    for job in JOBS:
        tables = (lists.run(), lists.qrels()) if job.lists else (str(log),)
        further = dict(job.further) if job.lists else {"columns": COLUMNS, **job.further}
        if "coverage@10" in job.metrics:
            further["catalog"] = catalog
        totals = sy.partial(*tables, metrics=job.metrics, **further, ci="none") if job.totals else None
        before = time.process_time()
        part = sy.partial(*tables, metrics=job.metrics, totals=totals, **further)
        reduced = time.process_time()
        part.result(totals)
        measured, megabytes = time.process_time(), len(part.to_bytes()) / 1e6
        names = ", ".join(f"`{name}`" for name in job.metrics)
        seconds = f"{reduced - before:.1f}", f"{measured - reduced:.1f}"
        rows.append((names, job.state, f"{megabytes:.2f}", *seconds))
        figures[f"{names}: {job.state}"] = megabytes
    held = [path.stat().st_size / 1e6 for path in (log, Path(lists.run()))]
    return Report(
        name="partial",
        about=f"states of {ROWS[size]:,} rows (parquet: clicks {held[0]:.0f} MB, lists {held[1]:.0f} MB)",
        header=("metrics", "state", "MB", "CPU s to reduce", "to measure"),
        rows=rows,
        figures=figures,
    )
