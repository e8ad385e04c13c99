"""What weights and text users cost: the same clicks with them and without.

``python -m bench.row_ratios full`` writes the logs that ``text-users`` reads, in a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.measure import PYTHON, Contender, Ratio, alternate, check_agreement
from bench.ranking import means
from bench.report import PROCESS_HEADER, Report, Target, process_figures, process_rows
from bench.rows import HEADER, TOLERANCE, Call, Clicks, in_turn
from bench.workloads import FOLDER, ROOT

WEIGHTED_ROWS = {"full": 50_000_000, "quick": 1_000_000}
LOG_ROWS = {"full": 10_000_000, "quick": 1_000_000}
ROWS_PER_LOGGED_USER = 10
METRICS = ("auc", "gauc", "logloss")
WEIGHTS_COST, TEXT_COSTS = 3.0, 1.5  # times
SEED = 12


def weights(size: str, rounds: int) -> Report:
    """AUC and GAUC of weighted rows, beside the same rows without weights."""
    import numpy as np

    from steelyard.metrics import AUC, GAUC

    clicks = Clicks.drawn(WEIGHTED_ROWS[size])
    score = clicks.probability.astype(np.float32)
    weight = np.random.default_rng(SEED).lognormal(size=len(score))
    calls = [
        Call("auc", lambda: AUC().of(predictions=score, truth=clicks.label)),
        Call("auc, weighted", lambda: AUC().of(predictions=score, truth=clicks.label, weights=weight)),
        Call("gauc", lambda: GAUC().of(predictions=score, truth=clicks.label, groups=clicks.user)),
        Call(
            "gauc, weighted",
            lambda: GAUC().of(predictions=score, truth=clicks.label, groups=clicks.user, weights=weight),
        ),
    ]
    measured = in_turn(calls, rounds)
    ratios = [Ratio.of(measured[at + 1], measured[at]) for at in (0, 2)]
    return Report(
        name="weights",
        about=f"{clicks}, {clicks.n_users:,} users, float32 scores, log-normal weights; within one process",
        header=HEADER,
        rows=[
            (
                one.name,
                f"{one.median:.3f} s",
                f"{min(one.seconds):.3f} s",
                f"{max(one.seconds):.3f} s",
                f"{float(one.output):.12f}",
            )
            for one in measured
        ],
        **_at_most(WEIGHTS_COST, dict(zip(("weights in auc", "weights in gauc"), ratios, strict=True)), size),
        figures={
            **{one.name: {"seconds": one.seconds, "median": one.median} for one in measured},
            "ratios": [[one.value, one.low, one.high] for one in ratios],
        },
    )


def text_users(size: str, rounds: int) -> Report:
    """A log in parquet whose users are texts, beside the same log with whole numbers."""
    logs = {kind: _log(kind, size) for kind in ("integer", "short text", "long text")}
    if not all(path.exists() for path in logs.values()):
        subprocess.run([PYTHON, "-m", "bench.row_ratios", size], check=True, cwd=ROOT)
    measured = alternate([Contender(kind, _command(path)) for kind, path in logs.items()], rounds)
    check_agreement({one.name: means(one.output) for one in measured}, TOLERANCE)
    ratios = {f"{one.name} users": Ratio.of(one, measured[0]) for one in measured[1:]}
    n = LOG_ROWS[size]
    return Report(
        name="text-users",
        about=f"{n:,} rows, {n // ROWS_PER_LOGGED_USER:,} users in random order, parquet; "
        f"{', '.join(METRICS)}; whole process",
        header=PROCESS_HEADER,
        rows=process_rows(measured),
        **_at_most(TEXT_COSTS, ratios, size),
        figures={
            **process_figures(measured),
            "ratios": {name: [one.value, one.low, one.high] for name, one in ratios.items()},
        },
    )


def write(size: str) -> None:
    """The same clicks with users as numbers, as short texts and as texts of 36 characters."""
    import numpy as np
    import polars as pl

    clicks = Clicks.drawn(LOG_ROWS[size], ROWS_PER_LOGGED_USER)
    rows = pl.DataFrame({"label": clicks.label, "score": clicks.probability.astype(np.float32)})
    users = pl.Series(np.arange(clicks.n_users))
    short = "u" + users.cast(pl.String).str.zfill(10)
    halves = [users.hash(seed=seed).cast(pl.String).str.zfill(20).str.slice(2) for seed in (SEED, SEED + 1)]
    FOLDER.mkdir(parents=True, exist_ok=True)
    for kind, names in {"integer": users, "short text": short, "long text": halves[0] + halves[1]}.items():
        path = _log(kind, size)
        part = path.with_suffix(".part")
        rows.with_columns(user_id=names.gather(clicks.user)).write_parquet(part)
        part.rename(path)


def _log(kind: str, size: str) -> Path:
    return FOLDER / f"clicks-{size}-{kind.replace(' ', '-')}.parquet"


def _command(log: Path) -> list[str]:
    metrics = [word for metric in METRICS for word in ("-m", metric)]
    return [PYTHON, "-m", "steelyard", "evaluate", str(log), *metrics, "--format", "json"]


def _at_most(times: float, ratios: dict[str, Ratio], size: str) -> dict[str, Any]:
    """What a report says of ratios; targets hold for the full size only."""
    promised = size == "full"
    targets = [
        Target(f"{name}: at most {times:g} times as long", f"{ratio}", ratio.value <= times)
        for name, ratio in ratios.items()
    ]
    lines = [] if promised else [f"{name}: {ratio} times as long" for name, ratio in ratios.items()]
    load = f"load when it was done: {os.getloadavg()[0]:.2f}"
    return {"targets": targets if promised else [], "lines": [*lines, load]}


if __name__ == "__main__":
    write(sys.argv[1])
