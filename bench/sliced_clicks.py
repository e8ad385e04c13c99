"""A large click log by slices: peak memory and time of a fresh process, with intervals and without.

``python -m bench.sliced_clicks full`` writes the log, in a process of its own. Users are as unequal as in
real logs: one of them has a quarter of the rows. Their ids leave gaps, and the country belongs to the row.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from bench.measure import PYTHON, Contender, alternate, check_agreement
from bench.report import PROCESS_HEADER, Report, Target, process_figures, process_rows
from bench.workloads import FOLDER, ROOT, SEED

ROWS = {"full": 20_000_000, "quick": 2_000_000}
METRICS = ("auc", "gauc", "logloss")
EXPONENT, IDS = 1.3, 3_000_000  # of the number of rows of each user, and the ids that users are among
COUNTRIES = {"US": 0.45, "IN": 0.25, "BR": 0.15, "DE": 0.1, "JP": 0.05}
MEMORY_MB, SECONDS = 2_000, 16.0
TOLERANCE = 1e-9


def by_country(size: str, rounds: int) -> Report:
    log = _log(size)
    if not log.exists():
        subprocess.run([PYTHON, "-m", "bench.sliced_clicks", size], check=True, cwd=ROOT)
    command = [PYTHON, "-m", "steelyard", "evaluate", str(log), "--by", "country", "--format", "json"]
    command += [word for metric in METRICS for word in ("-m", metric)]
    contenders = [Contender(f"ci={ci}", [*command, "--ci", ci]) for ci in ("auto", "none")]
    measured = alternate(contenders, rounds)
    check_agreement({one.name: _values(one.output) for one in measured}, TOLERANCE)
    sure = measured[0]
    targets = [
        Target(f"at most {MEMORY_MB / 1e3:g} GB", f"{sure.peak_mb / 1e3:.2f} GB", sure.peak_mb <= MEMORY_MB),
        Target(f"at most {SECONDS:g} s", f"{sure.median:.1f} s", sure.median <= SECONDS),
    ]
    return Report(
        name="sliced-clicks",
        about=f"{ROWS[size]:,} rows in parquet by country; {', '.join(METRICS)}; whole process",
        header=PROCESS_HEADER,
        rows=process_rows(measured),
        targets=targets if size == "full" else [],
        figures=process_figures(measured),
    )


def write(size: str) -> None:
    import numpy as np
    import polars as pl

    random, n = np.random.default_rng(SEED), ROWS[size]
    user = random.zipf(EXPONENT, n) % IDS
    score = (1 / (1 + np.exp(-random.normal(-1.8, 1.0, n)))).astype(np.float32)
    label = (random.random(n) < score).astype(np.uint8)
    country = random.choice(len(COUNTRIES), n, p=list(COUNTRIES.values()))
    columns = {"user_id": user, "country": pl.Series([*COUNTRIES]).gather(country)}
    FOLDER.mkdir(parents=True, exist_ok=True)
    part = _log(size).with_suffix(".part")
    pl.DataFrame(columns | {"score": score, "label": label}).write_parquet(part)
    part.rename(_log(size))


def _log(size: str) -> Path:
    return FOLDER / f"sliced-clicks-{size}.parquet"


def _values(output: str) -> dict[str, float]:
    rows = json.loads(output)["results"]
    return {f"{row['metric']} {row['slice']}": row["value"] for row in rows}


if __name__ == "__main__":
    write(sys.argv[1])
