"""Lists as a whole: 100,000 users x 100 items, a catalogue of 1,000,000 with 128 features each.

Beside the evaluation of accuracy on the same tables, and beside what RecTools, RePlay and Evidently have of
it. Each contender is a process of its own that holds its tables before the clock runs: ``python -m
bench.lists JOB SIZE`` is ours, and ``bench/list_peers.py`` theirs, under its Python in ``build/peers``. Our
call is made twice: the second is timed, since the first also imports and loads kernels; the memory is that of
both.

What a peer cannot do at this size is done for the first users alone, by both: RecTools makes a Python tuple
of every pair of a list, 495 million of them, and a matrix of users by users would have 80 GB.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from bench.measure import PYTHON, ROOT, Ratio, Run, Runs, check_agreement, run_process
from bench.report import Report, Target
from bench.workloads import LIST_SIZES, workload

PEERS = ROOT / "build" / "peers"
TIMES_ACCURACY = 4.0
MEMORY_MB = 2000.0
TOLERANCE = 1e-9
ACCURACY = ("ndcg@10", "map", "mrr", "precision@10", "recall@100")
EVERY = (
    "coverage",
    "user_coverage",
    "diversity",
    "novelty",
    "popularity",
    "popularity_lift",
    "gini",
    "entropy",
    "personalization",
    "repetition",
    "unexpectedness",
    "serendipity",
    "exposure",
    "exposure_ratio",
)


@dataclass(frozen=True)
class Job:
    """Metrics, the tables they need, and of how many users; ``faster`` is the target beside the peer."""

    metrics: tuple[str, ...]
    tables: tuple[str, ...] = ()
    users: int | None = None
    peer: str = ""
    environment: str = ""  # the folder of build/peers that has it
    faster: float | None = None
    others: tuple[str, ...] = field(default=())  # defined otherwise by the peer: timed, and not compared


JOBS = {
    "accuracy": Job(ACCURACY, ("truth",)),
    "every": Job(
        tuple(f"{name}@100" for name in EVERY), ("truth", "catalog", "features", "history", "item_groups")
    ),
    "rectools": Job(
        ("coverage@100", "novelty@100", "popularity@100", "serendipity@100"),
        ("truth", "catalog", "history"),
        peer="RecTools",
        environment="rectools",
        faster=2,
        others=("serendipity@100",),
    ),
    "rectools-diversity": Job(
        ("diversity@100",), ("features",), users=1_000, peer="RecTools", environment="rectools", faster=10
    ),
    "replay": Job(
        ("coverage@100", "novelty(normalise=true)@100", "repetition@100", "unexpectedness@100"),
        ("catalog", "history", "baseline_lists"),
        peer="RePlay",
        environment="replay",
        faster=2,
        others=("coverage@100",),  # its catalogue is the items of the history
    ),
    "evidently": Job(("personalization@100",), peer="Evidently", environment="evidently"),
    "matrix": Job(
        ("personalization@100",),
        users=10_000,
        peer="a matrix of users by users",
        environment="evidently",
        faster=10,
    ),
}


def beside_accuracy(size: str, rounds: int) -> Report:
    """All metrics at once, beside the accuracy of the same lists."""
    commands = {name: [PYTHON, "-m", "bench.lists", name, size] for name in ("accuracy", "every")}
    accuracy, every = _in_turn(commands, size, rounds)
    ratio = Ratio.of(every, accuracy)
    stages = json.loads(every.output)["stages"]
    cpu = {one.name: median(json.loads(run.output)["cpu"] for run in one.runs) for one in (accuracy, every)}
    longest = sorted(stages.items(), key=lambda one: -one[1])[:6]
    targets = [
        Target(
            f"within {TIMES_ACCURACY:g} times the accuracy evaluation",
            f"{ratio}",
            ratio.value <= TIMES_ACCURACY,
        ),
        Target(
            f"under {MEMORY_MB / 1000:g} GB beyond the tables",
            f"{every.peak_mb / 1000:.2f} GB",
            every.peak_mb < MEMORY_MB,
        ),
    ]
    return Report(
        name="lists",
        about=f"{LIST_SIZES[size]}; {len(EVERY)} metrics at 100 beside {', '.join(ACCURACY)}",
        header=("", "median", "min", "max", "memory beyond the tables"),
        rows=_rows([accuracy, every]),
        targets=targets if size == "full" else [],
        lines=[
            *([] if size == "full" else [f"lists / accuracy: {ratio}; no target at this size"]),
            "time of all cores: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in cpu.items()),
            "longest: " + ", ".join(f"{stage} {seconds:.2f} s" for stage, seconds in longest),
        ],
        figures=_figures([accuracy, every])
        | {"ratio": [ratio.value, ratio.low, ratio.high], "stages": stages},
    )


def beside_peer(name: str, size: str, rounds: int) -> Report:
    """One job, beside the peer that has it."""
    job, folder = JOBS[name], workload("lists", size).folder
    script = [str(ROOT / "bench" / "list_peers.py"), name, str(folder), str(job.users or 0)]
    commands = {
        "steelyard": [PYTHON, "-m", "bench.lists", name, size],
        job.peer: [str(PEERS / job.environment / "bin" / "python"), *script],
    }
    ours, theirs = _in_turn(commands, size, rounds)
    answers = {one.name: json.loads(one.output)["values"] for one in (ours, theirs)}
    check_agreement(
        {
            one: {key: values[key] for key in values if key not in job.others}
            for one, values in answers.items()
        },
        TOLERANCE,
    )
    ratio = Ratio.of(theirs, ours)
    users = "" if job.users is None else f" of the first {job.users:,} users"
    promised = job.faster if size == "full" else None
    targets = []
    if promised is not None:
        text = f"at least {promised:g} times faster than {job.peer}"
        targets.append(Target(text, f"{ratio}", ratio.value >= promised))
    return Report(
        name=f"lists-{name}",
        about=f"{LIST_SIZES[size]}; {', '.join(job.metrics)}{users}",
        header=("", "median", "min", "max", "memory beyond the tables"),
        rows=_rows([ours, theirs]),
        targets=targets,
        lines=[
            *([] if targets else [f"{job.peer} / steelyard: {ratio}; no target"]),
            f"answers agree to {TOLERANCE:g}"
            + (f", but for {', '.join(job.others)}, which it defines otherwise" if job.others else ""),
        ],
        figures=_figures([ours, theirs]) | {"ratio": [ratio.value, ratio.low, ratio.high]},
    )


def _in_turn(commands: dict[str, list[str]], size: str, rounds: int) -> list[Runs]:
    """A B A B ...; each tells its own seconds and memory. The round before is not counted."""
    workload("lists", size)
    measured = [Runs(name) for name in commands]
    quiet = {"PYTHONWARNINGS": "ignore", "DO_NOT_TRACK": "1"}
    for turn in range(rounds + 1):
        for runs, command in zip(measured, commands.values(), strict=True):
            output = run_process(command, quiet).output
            found = json.loads(output)
            if turn:
                runs.runs.append(Run(found["seconds"], found["grown_mb"], output))
    return measured


def _rows(measured: list[Runs]) -> list[tuple[str, ...]]:
    return [
        (
            one.name,
            f"{one.median:.3f} s",
            f"{min(one.seconds):.3f} s",
            f"{max(one.seconds):.3f} s",
            f"{one.peak_mb:,.0f} MB",
        )
        for one in measured
    ]


def _figures(measured: list[Runs]) -> dict[str, Any]:
    return {one.name: {"seconds": one.seconds, "grown_mb": one.peak_mb} for one in measured}


def tables(job: Job, folder: Path) -> dict[str, Any]:
    """What the call of a job is given, as its user holds it."""
    import numpy as np
    import polars as pl

    def read(name: str) -> pl.DataFrame:
        table = pl.read_parquet(folder / f"{name}.parquet")
        return table if job.users is None else table.filter(pl.col("query") < job.users)

    given: dict[str, Any] = {"predictions": read("recs")}
    given |= {name: read(name) for name in ("truth", "history", "baseline_lists") if name in job.tables}
    if "features" in job.tables:
        features = np.load(folder / "features.npy")
        given["features"] = (features, np.arange(len(features)))
    items = np.load(folder / "features.npy", mmap_mode="r").shape[0]
    if "catalog" in job.tables:
        given["catalog"] = np.arange(items)
    if "item_groups" in job.tables:
        groups = np.array(["a", "b", "c", "d", "e"])[np.arange(items) % 5]
        given["item_groups"] = pl.DataFrame({"item": np.arange(items), "group": groups})
    return given


def main(name: str, size: str) -> None:
    import steelyard as sy
    from bench.dense import memory_mb
    from bench.stages import Stopwatch

    job = JOBS[name]
    given = tables(job, workload("lists", size).folder)
    predictions, truth = given.pop("predictions"), given.pop("truth", None)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forget the most memory there ever was
    before = memory_mb("VmRSS")
    sy.evaluate(predictions, truth, job.metrics, **given)
    watch = Stopwatch()
    begun, busy = time.perf_counter(), time.process_time()
    result = sy.evaluate(predictions, truth, job.metrics, progress=watch, **given)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - busy
    watch("done")
    answer = {
        "seconds": seconds,
        "cpu": cpu,
        "grown_mb": memory_mb("VmHWM") - before,
        "values": {label: value for label, value in result.items() if isinstance(value, float)},
        "stages": {stage: sum(times) for stage, times in watch.seconds.items()},
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
