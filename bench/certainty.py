"""What intervals cost: the same evaluation with them and without, in turns within one process."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from bench.measure import ROOT, Ratio, Runs
from bench.report import Report, Target
from bench.rows import HEADER, ROWS, Call, Clicks, in_turn
from bench.workloads import workload

RANKING = ("ndcg@10", "map", "mrr", "precision@10", "recall@100")
CLICKS = ("auc", "gauc", "logloss")
RANKING_MORE, CLICKS_MORE = 1.2, 1.5  # times the evaluation without intervals


def of_rankings(size: str, rounds: int) -> Report:
    data = workload("ranking", size)
    found = _with_and_without((data.run(), data.qrels(), RANKING), {}, rounds)
    return _report("intervals-ranking", f"{data}; {', '.join(RANKING)}", size, found, RANKING_MORE)


def of_clicks(size: str, rounds: int) -> Report:
    clicks = Clicks.drawn(ROWS[size])
    log = _written(clicks, size)
    found = _with_and_without((log,), {"metrics": CLICKS}, rounds)
    about = f"{clicks}, {clicks.n_users:,} users in random order, in parquet; {', '.join(CLICKS)}"
    return _report("intervals-clicks", about, size, found, CLICKS_MORE)


def _with_and_without(tables: tuple[Any, ...], named: dict[str, Any], rounds: int) -> list[Runs]:
    from steelyard import evaluate

    def value(ci: str) -> float:
        return float(
            sum(evaluate(*tables, **named, ci=ci)[one] for one in (named.get("metrics") or tables[2]))
        )

    return in_turn([Call(f"ci={ci}", lambda ci=ci: value(ci)) for ci in ("auto", "none")], rounds)


def _written(clicks: Clicks, size: str) -> str:
    """The log as a file; written anew, since it is made in a moment."""
    import numpy as np
    import polars as pl

    path = Path(ROOT, "build", "bench", f"clicks-{size}.parquet")
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = {"user_id": clicks.user, "clicked": clicks.label, "p": clicks.probability.astype(np.float32)}
    pl.DataFrame(columns).write_parquet(path)
    return str(path)


def _report(name: str, about: str, size: str, found: list[Runs], most: float) -> Report:
    sure, plain = found
    ratio = Ratio.of(sure, plain)
    wanted = Target(f"with intervals at most {most:g} times as long", f"{ratio}", ratio.value <= most)
    return Report(
        name=name,
        about=f"{about}; within one process",
        header=HEADER,
        rows=[
            (
                one.name,
                f"{one.median:.3f} s",
                f"{min(one.seconds):.3f} s",
                f"{max(one.seconds):.3f} s",
                f"{float(one.output):.12f}",
            )
            for one in found
        ],
        targets=[wanted] if size == "full" else [],
        lines=[f"load when it was done: {os.getloadavg()[0]:.2f}"],
        figures={one.name: {"seconds": one.seconds, "median": one.median} for one in found},
    )
