"""A large run: against pytrec_eval, stage by stage, and with nothing compiled yet."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

from bench.measure import PYTHON, Contender, Ratio, alternate, check_agreement, run_process
from bench.report import PROCESS_HEADER, Report, Target, process_figures, process_rows
from bench.workloads import Workload, workload

METRICS = ("ndcg@10", "map", "mrr", "precision@10", "recall@100")
FASTER = 5.0  # times
MEMORY_MB = 2000.0
TOLERANCE = 1e-9


def evaluate_command(data: Workload, kind: str = "parquet") -> list[str]:
    """``steelyard evaluate`` as a user would call it to get trec_eval's numbers."""
    metrics = [word for metric in METRICS for word in ("-m", metric)]
    tables = [data.run(kind), "--truth", data.qrels(kind)]
    conventions = ["--profile", "trec_eval", "--format", "json"]
    return [PYTHON, "-m", "steelyard", "evaluate", *tables, *metrics, *conventions]


def means(output: str) -> dict[str, float]:
    """The numbers of ``--format json``."""
    return {row["metric"]: row["value"] for row in json.loads(output)["results"]}


def against_pytrec_eval(name: str, size: str, rounds: int) -> Report:
    data = workload(name, size)
    order = "shuffled" if name == "ranking-shuffled" else "grouped"
    ours, theirs = alternate(
        [
            Contender("steelyard", evaluate_command(data)),
            Contender("pytrec_eval", [PYTHON, "-m", "bench.peers", order, data.run(), data.qrels()]),
        ],
        rounds,
    )
    check_agreement({"steelyard": means(ours.output), "pytrec_eval": json.loads(theirs.output)}, TOLERANCE)
    ratio = Ratio.of(theirs, ours)
    promised = (name, size) == ("ranking", "full")
    targets = [
        Target(f"at least {FASTER:g} times faster than pytrec_eval", f"{ratio}", ratio.value >= FASTER),
        Target(f"under {MEMORY_MB / 1000:g} GB", f"{ours.peak_mb / 1000:.2f} GB", ours.peak_mb < MEMORY_MB),
    ]
    return Report(
        name=name,
        about=f"{data}; {', '.join(METRICS)}; whole process",
        header=PROCESS_HEADER,
        rows=process_rows([ours, theirs]),
        targets=targets if promised else [],
        lines=[
            *(
                []
                if promised
                else [f"pytrec_eval / steelyard: {ratio}; no target at this size or in this order"]
            ),
            f"all {len(METRICS)} means agree to {TOLERANCE:g}",
        ],
        figures={**process_figures([ours, theirs]), "ratio": [ratio.value, ratio.low, ratio.high]},
    )


def stages(size: str, rounds: int) -> Report:
    data = workload("ranking", size)
    command = [PYTHON, "-m", "bench.stages", data.run(), data.qrels(), *METRICS]
    run_process(command, {})
    runs = [json.loads(run_process(command, {}).output) for _ in range(rounds)]
    rows, figures = [], {}
    for stage in (*runs[0], "all"):
        first, again = (median(_of(run, stage, turn) for run in runs) for turn in (0, 1))
        rows.append((stage, f"{first:.3f} s", f"{again:.3f} s" if again >= 0 else ""))
        figures[stage] = {"first": first, "again": again}
    return Report(
        name="stages",
        about=f"{data}; where the time of one process goes",
        header=("", "first call", "called again"),
        rows=rows,
        lines=["a stage ends where the next is announced; the first metric includes ranking for all"],
        figures=figures,
    )


def first_run(size: str, rounds: int) -> Report:
    data = workload("ranking", size)
    command = evaluate_command(data)
    measured = alternate(
        [Contender("nothing compiled yet", command, fresh=_empty_cache), Contender("later runs", command)],
        rounds,
    )
    empty, warm = measured
    return Report(
        name="first",
        about=f"{data}; whole process",
        header=PROCESS_HEADER,
        rows=process_rows(measured),
        lines=[f"compiling costs {empty.median - warm.median:.1f} s, once"],
        figures=process_figures(measured),
    )


def _empty_cache(folder: Path) -> dict[str, str]:
    return {"NUMBA_CACHE_DIR": str(folder)}


def _of(run: dict[str, list[float]], stage: str, turn: int) -> float:
    """The seconds of a stage in the first or second call; -1 where there is only a first."""
    if stage == "all":
        return sum(seconds[turn] for seconds in run.values() if len(seconds) > turn)
    return run[stage][turn] if len(run[stage]) > turn else -1.0
