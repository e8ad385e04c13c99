"""Dense matrices: nDCG@10 of 3,000 queries by 20,000 items, beside scikit-learn and plain NumPy.

``python -m bench.dense steelyard full`` is one contender in a process of its own: it draws the matrices and
then prints how long the call took and how far it raised the most memory that the process ever had.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from bench.measure import PYTHON, Ratio, Run, Runs, check_agreement, run_process
from bench.report import Report, Target

SEED = 2026
SHAPES = {"full": (3_000, 20_000), "quick": (300, 20_000)}
RELEVANT = 30  # of each query
SECONDS = 3.0
TIMES_THE_ARRAYS = 2.0
TOLERANCE = 1e-9
HEADER = ("", "median", "min", "max", "memory beyond the arrays")

Array = Any


def against_peers(size: str, rounds: int) -> Report:
    measured = {name: Runs(name) for name in CONTENDERS}
    answers: dict[str, dict[str, Any]] = {}
    for turn in range(rounds + 1):  # the first is not counted: it fills the caches
        for name, runs in measured.items():
            found = json.loads(run_process([PYTHON, "-m", "bench.dense", name, size], {}).output)
            answers[name] = found
            if turn:
                runs.runs.append(Run(found["seconds"], found["grown_mb"], ""))
    check_agreement({name: {"ndcg@10": found["ndcg@10"]} for name, found in answers.items()}, TOLERANCE)
    arrays_mb = answers["steelyard"]["arrays_mb"]
    ours, *others = measured.values()
    ratios = {peer.name: Ratio.of(peer, ours) for peer in others}
    grown = ours.peak_mb / arrays_mb
    targets = [
        Target(f"within {SECONDS:g} s", f"{ours.median:.2f} s", ours.median <= SECONDS),
        Target(
            f"at most {TIMES_THE_ARRAYS:g} times the arrays beyond them",
            f"{grown:.2f} times",
            grown <= TIMES_THE_ARRAYS,
        ),
    ]
    rows, columns = SHAPES[size]
    return Report(
        name="dense",
        about=f"{rows:,} x {columns:,} scores (float64) and labels (int64), {arrays_mb:,.0f} MB; ndcg@10",
        header=HEADER,
        rows=[
            (
                one.name,
                f"{one.median:.2f} s",
                f"{min(one.seconds):.2f} s",
                f"{max(one.seconds):.2f} s",
                f"{one.peak_mb:,.0f} MB, {one.peak_mb / arrays_mb:.2f} times",
            )
            for one in measured.values()
        ],
        targets=targets if size == "full" else [],
        lines=[
            *(f"{name} / steelyard: {ratio}" for name, ratio in ratios.items()),
            f"all answers agree to {TOLERANCE:g}; imports and loaded kernels are in the first call",
        ],
        figures={
            name: {"seconds": one.seconds, "median": one.median, "grown_mb": one.peak_mb}
            for name, one in measured.items()
        }
        | {"arrays_mb": arrays_mb},
    )


def drawn(size: str) -> tuple[Array, Array]:
    """Scores without ties, and a few relevant items of each query, which score higher than the rest."""
    import numpy as np

    random = np.random.default_rng(SEED)
    rows, columns = SHAPES[size]
    scores = random.random((rows, columns))
    labels = np.zeros((rows, columns), np.int64)
    at = random.integers(0, columns, (rows, RELEVANT))
    grade = random.integers(1, 4, at.shape)
    np.put_along_axis(labels, at, grade, axis=1)
    np.put_along_axis(scores, at, np.take_along_axis(scores, at, axis=1) ** (1 / (10 * grade)), axis=1)
    return scores, labels


def with_steelyard(scores: Array, labels: Array) -> float:
    import steelyard as sy

    return sy.evaluate(scores, labels, "ndcg@10")["ndcg@10"]


def with_sklearn(scores: Array, labels: Array) -> float:
    from sklearn.metrics import ndcg_score

    return float(ndcg_score(labels, scores, k=10, ignore_ties=True))


def with_numpy(scores: Array, labels: Array) -> float:
    """What one writes by hand: the first ten by a partition, in single steps over the whole matrix."""
    import numpy as np

    def gains(by: Array) -> Array:
        top = np.argpartition(by, -10, axis=1)[:, -10:]
        order = np.argsort(-np.take_along_axis(by, top, axis=1), axis=1)
        found = np.take_along_axis(labels, np.take_along_axis(top, order, axis=1), axis=1)
        return (found / np.log2(np.arange(2, 12))).sum(axis=1)

    return float((gains(scores) / gains(labels)).mean())


CONTENDERS = {
    "steelyard": with_steelyard,
    "scikit-learn": with_sklearn,
    "NumPy by hand": with_numpy,
}


def main(name: str, size: str) -> None:
    scores, labels = drawn(size)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forget the most memory there ever was
    before = memory_mb("VmRSS")
    begun = time.perf_counter()
    value = CONTENDERS[name](scores, labels)
    seconds = time.perf_counter() - begun
    answer = {
        "ndcg@10": value,
        "seconds": seconds,
        "grown_mb": memory_mb("VmHWM") - before,
        "arrays_mb": (scores.nbytes + labels.nbytes) / 1e6,
    }
    print(json.dumps(answer))


def memory_mb(field: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith(f"{field}:"))


if __name__ == "__main__":
    main(*sys.argv[1:])
