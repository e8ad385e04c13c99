"""Tables larger than memory: clicks and rankings in parts, beside the same in memory.

``python -m bench.batches clicks 200000000`` writes a click log of so many rows, in files of 10,000,000;
``rankings`` and ``shuffled`` write predictions and their truth. One user has a quarter of the clicks.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.measure import PYTHON, Contender, alternate, check_agreement
from bench.report import Report, Target
from bench.workloads import FOLDER, ROOT, SEED

USERS = 3_000_000
OF_FILE = 10_000_000
COUNTRIES = {"US": 0.45, "IN": 0.25, "BR": 0.15, "DE": 0.1, "JP": 0.05}
DEPTH, JUDGED, RETRIEVED = 1_000, 20, 15  # rows and judgements of each query, and how many are retrieved
CLICKS = ("auc", "gauc", "logloss", "calibration")
RANKINGS = ("ndcg@10", "map", "mrr", "recall@100")
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Job:
    """One evaluation: its rows, its bound, and its limits; 0 means no limit."""

    kind: str
    rows: int
    memory: str
    most_gb: float = 0.0
    least_rows_per_second: int = 0
    beside_memory: bool = False  # whether the same is evaluated in memory too

    @property
    def command(self) -> list[str]:
        path = folder(self.kind, self.rows)
        command = [PYTHON, "-m", "steelyard", "evaluate", "--format", "json", "--temp-dir", str(FOLDER)]
        if self.kind == "clicks":
            return [*command, str(path / "log"), "--by", "country", *_asked(CLICKS)]
        return [*command, str(path / "run"), "--truth", str(path / "truth"), *_asked(RANKINGS)]


def _asked(metrics: Sequence[str]) -> list[str]:
    return [word for metric in metrics for word in ("-m", metric)]


JOBS = {
    "full": (
        Job("clicks", 10_000_000, "1GB"),
        Job("clicks", 20_000_000, "1GB", beside_memory=True),
        Job("clicks", 60_000_000, "1GB", most_gb=1.5),
        Job("clicks", 200_000_000, "2.5GB", most_gb=3.0, least_rows_per_second=1_000_000),
        Job("rankings", 20_000_000, "1GB", beside_memory=True),
        Job("shuffled", 20_000_000, "1GB", beside_memory=True),
        Job("rankings", 100_000_000, "2GB", most_gb=2.0),
        Job("shuffled", 100_000_000, "2GB", most_gb=2.0),
    ),
    "quick": tuple(
        Job(kind, 1_000_000, "20MB", beside_memory=True) for kind in ("clicks", "rankings", "shuffled")
    ),
}
AT_MOST = 1.5  # times the seconds in memory
GROWTH = 1.3  # times the cost of a row of the smallest log, for that of the largest


def in_parts(size: str, rounds: int) -> Report:
    """Each job in parts, and some also in memory; whole processes that take turns."""
    rows, figures, targets, per_row = [], {}, [], {}
    for job in JOBS[size]:
        several = job.rows <= 20_000_000
        contenders = [Contender("parts", [*job.command, "--memory", job.memory])]
        if job.beside_memory:
            contenders.append(Contender("memory", [*job.command, "--memory", "100GB"]))
        measured = alternate(contenders, rounds if several else 1)
        name = f"{job.kind}, {job.rows:,} rows, {job.memory}"
        if job.beside_memory:
            check_agreement({one.name: _values(one.output) for one in measured}, TOLERANCE)
            parts, memory = measured
            ratio = parts.median / memory.median
            targets.append(
                Target(f"{name}: at most {AT_MOST} times memory", f"{ratio:.2f}", ratio <= AT_MOST)
            )
        for one in measured:
            rate, peak = job.rows / one.median, one.peak_mb / 1e3
            rows.append((name, one.name, f"{one.median:.1f}", f"{rate:,.0f}", f"{peak:.2f}"))
            figures[f"{name}, {one.name}"] = {"seconds": one.median, "gb": peak}
        peak, seconds = measured[0].peak_mb / 1e3, measured[0].median
        if job.kind == "clicks":
            per_row[job.rows] = seconds / job.rows
        if job.most_gb:
            targets.append(Target(f"{name}: below {job.most_gb} GB", f"{peak:.2f} GB", peak < job.most_gb))
        if job.least_rows_per_second:
            rate = job.rows / seconds
            least = f"{name}: {job.least_rows_per_second:,} rows per second"
            targets.append(Target(least, f"{rate:,.0f}", rate >= job.least_rows_per_second))
    if len(per_row) > 1:
        growth = per_row[max(per_row)] / per_row[min(per_row)]
        about = f"a row of {max(per_row):,} costs at most {GROWTH} times a row of {min(per_row):,}"
        targets.append(Target(about, f"{growth:.2f}", growth <= GROWTH))
    return Report(
        name="batches",
        about=f"whole processes; clicks by country: {', '.join(CLICKS)}; rankings: {', '.join(RANKINGS)}",
        header=("workload", "engine", "seconds", "rows per second", "peak GB"),
        rows=rows,
        targets=targets if size == "full" else [],
        figures=figures,
    )


def _values(output: str) -> dict[str, float]:
    rows = json.loads(output)["results"]
    return {f"{row['metric']} {row['slice']}": row["value"] for row in rows}


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
