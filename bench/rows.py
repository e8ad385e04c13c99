"""Clicks in memory: AUC, log loss and GAUC of ten million rows, beside scikit-learn and Polars.

Of the Polars expressions for GAUC that hold for any scores the fastest is used (seconds for 10,000,000 rows
of 200,000 users in random order on 2 cores): ranks inside ``group_by``, 0.85; the same in the streaming
engine, from a boolean label, from users of 32 bits or after a sort are no faster. ``rank().over(user)`` and
then ``group_by`` take 1.25. Users are whole numbers and scores float32, as steelyard gets them.

Beside it, without a target, stands what is faster where no score is below 0 and users are small whole
numbers, 0.30: user, bits of the score and label packed into one integer, and that sorted.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from bench.measure import Ratio, Run, Runs, check_agreement
from bench.report import Report, Target

if TYPE_CHECKING:
    import numpy as np

SEED = 2026
ROWS = {"full": 10_000_000, "quick": 1_000_000}
ROWS_PER_USER = 50
USERS_CALLED_ONE_BY_ONE = 5_000
TOLERANCE = 1e-9
AUC_FASTER, LOGLOSS_FASTER, POLARS_FASTER, PER_USER_FASTER = 20.0, 10.0, 5.0, 100.0  # times
HEADER = ("", "median", "min", "max", "answer")

Array = Any


@dataclass(frozen=True)
class Clicks:
    """A log: a row per impression, users in random order, clicks that follow the probability."""

    label: Array
    probability: Array
    user: Array
    n_users: int

    @classmethod
    def drawn(cls, n: int, rows_per_user: int = ROWS_PER_USER) -> Clicks:
        import numpy as np

        random = np.random.default_rng(SEED)
        n_users = n // rows_per_user
        user = random.integers(0, n_users, n)
        leaning = random.normal(-1.5, 1.0, n_users)
        probability = 1 / (1 + np.exp(-(leaning[user] + random.normal(0, 1, n))))
        return cls((random.random(n) < probability).astype(np.uint8), probability, user, n_users)

    def __str__(self) -> str:
        return f"{len(self.label):,} rows, {self.label.mean():.1%} clicks"


@dataclass(frozen=True)
class Call:
    """A contender within this process; its seconds count ``times`` over where it does a part of the work."""

    name: str
    call: Callable[[], float]
    times: float = 1.0

    def run(self) -> Run:
        begun = time.perf_counter()
        value = self.call()
        return Run((time.perf_counter() - begun) * self.times, math.nan, repr(float(value)))


def in_turn(calls: list[Call], rounds: int) -> list[Runs]:
    """A B A B ..., on the same arrays; a round before, not counted, compiles and fills caches."""
    measured = [Runs(call.name) for call in calls]
    for turn in range(rounds + 1):
        for call, runs in zip(calls, measured, strict=True):
            run = call.run()
            if turn:
                runs.runs.append(run)
    return measured


def auc(size: str, rounds: int) -> Report:
    import numpy as np
    from sklearn.metrics import roc_auc_score

    from steelyard.metrics import AUC

    clicks = Clicks.drawn(ROWS[size])
    score = clicks.probability.astype(np.float32)
    measured = in_turn(
        [
            Call("steelyard", lambda: AUC().of(predictions=score, truth=clicks.label)),
            Call("scikit-learn roc_auc_score", lambda: roc_auc_score(clicks.label, score)),
        ],
        rounds,
    )
    return _report("auc", f"{clicks}, float32 scores; AUC", size, measured, {1: AUC_FASTER})


def logloss(size: str, rounds: int) -> Report:
    from sklearn.metrics import log_loss

    from steelyard.metrics import LogLoss

    clicks = Clicks.drawn(ROWS[size])
    measured = in_turn(
        [
            Call("steelyard", lambda: LogLoss().of(predictions=clicks.probability, truth=clicks.label)),
            Call("scikit-learn log_loss", lambda: log_loss(clicks.label, clicks.probability)),
        ],
        rounds,
    )
    return _report(
        "logloss", f"{clicks}, float64 probabilities; log loss", size, measured, {1: LOGLOSS_FASTER}
    )


def gauc(size: str, rounds: int) -> Report:
    import numpy as np
    import polars as pl

    from steelyard.metrics import GAUC

    clicks = Clicks.drawn(ROWS[size])
    score = clicks.probability.astype(np.float32)
    frame = pl.DataFrame({"user": clicks.user, "score": score, "label": clicks.label})
    some = min(USERS_CALLED_ONE_BY_ONE, clicks.n_users)
    few = clicks.user < some
    part = (clicks.label[few], score[few], clicks.user[few])
    measured = in_turn(
        [
            Call("steelyard", lambda: GAUC().of(predictions=score, truth=clicks.label, groups=clicks.user)),
            Call("Polars, ranks by user", lambda: _gauc_of_polars(frame)),
            Call("Polars, sorted integers of user, score and label", lambda: _gauc_of_packed(frame)),
            Call(
                f"scikit-learn, a call per user ({some:,} of them, scaled)",
                lambda: _gauc_of_calls(*part),
                times=clicks.n_users / some,
            ),
        ],
        rounds,
    )
    check_agreement(
        {
            "steelyard": {"part": GAUC().of(predictions=part[1], truth=part[0], groups=part[2])},
            "scikit-learn": {"part": float(measured[3].output)},
        },
        TOLERANCE,
    )
    about = f"{clicks}, {clicks.n_users:,} users in random order, float32 scores; GAUC by impressions"
    promised = {1: POLARS_FASTER, 2: None, 3: PER_USER_FASTER}
    return _report("gauc", about, size, measured, promised, part={3})


def _gauc_of_polars(frame: Any) -> float:
    import polars as pl

    p, n, ranks = pl.col("positives"), pl.col("rows"), pl.col("ranks")
    of_user = (ranks - p * (p + 1) / 2) / (p * (n - p))
    value = (
        frame.group_by("user")
        .agg(
            positives=pl.col("label").sum().cast(pl.Float64),
            rows=pl.len().cast(pl.Float64),
            ranks=pl.col("score").rank("average").filter(pl.col("label") == 1).sum(),
        )
        .filter((p > 0) & (p < n))
        .select((of_user * n).sum() / n.sum())
        .item()
    )
    return float(value)


def _gauc_of_packed(frame: Any) -> float:
    import polars as pl

    packed = (
        pl.col("user").cast(pl.UInt64) * 2**33
        + pl.col("score").reinterpret(dtype=pl.UInt32).cast(pl.UInt64) * 2
        + pl.col("label")
    )
    key, user, label, negatives = pl.col("key"), pl.col("user"), pl.col("label"), pl.col("negatives")
    p, n, below = pl.col("positives"), pl.col("rows"), negatives + label - 1
    new_score = pl.col("score") != pl.col("score").shift()
    value = (
        frame.lazy()
        .select(key=packed.sort())
        .select(user=(key // 2**33).cast(pl.UInt32), score=key // 2, label=(key % 2).cast(pl.Int32))
        .with_columns(negatives=(1 - label).cum_sum())
        .with_columns(lower=pl.when(new_score).then(below).forward_fill().fill_null(0))
        .group_by(user)
        .agg(
            positives=label.sum().cast(pl.Float64),
            rows=pl.len().cast(pl.Float64),
            twice=((negatives.cast(pl.Int64) + pl.col("lower")) * label).sum(),
            before=below.min(),
        )
        .filter((p > 0) & (p < n))
        .select((n * (pl.col("twice") - 2 * p * pl.col("before")) / (2 * p * (n - p))).sum() / n.sum())
        .collect(engine="streaming")
        .item()
    )
    return float(value)


def _gauc_of_calls(
    label: np.ndarray[Any, Any], score: np.ndarray[Any, Any], user: np.ndarray[Any, Any]
) -> float:
    import numpy as np
    from sklearn.metrics import roc_auc_score

    order = np.argsort(user, kind="stable")
    cuts = np.flatnonzero(np.diff(user[order])) + 1
    over = under = 0.0
    for y, s in zip(np.split(label[order], cuts), np.split(score[order], cuts), strict=True):
        if 0 < int(y.sum()) < len(y):
            over += len(y) * float(roc_auc_score(y, s))
            under += len(y)
    return over / under


def _report(
    name: str,
    about: str,
    size: str,
    measured: list[Runs],
    promised: Mapping[int, float | None],
    part: frozenset[int] | set[int] = frozenset(),
) -> Report:
    """The usual table; ``promised`` are the ratios wanted, if any; ``part`` answers for some rows only."""
    whole = [one for at, one in enumerate(measured) if at not in part]
    check_agreement({one.name: {name: float(one.output)} for one in whole}, TOLERANCE)
    ours = measured[0]
    ratios = {at: Ratio.of(measured[at], ours) for at in promised}
    wanted = {at: factor for at, factor in promised.items() if factor is not None and size == "full"}
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
            for one in measured
        ],
        targets=[
            Target(
                f"at least {factor:g} times faster than {measured[at].name}",
                f"{ratios[at]}",
                ratios[at].value >= factor,
            )
            for at, factor in wanted.items()
        ],
        lines=[
            *(
                f"{measured[at].name} / steelyard: {ratio}"
                for at, ratio in ratios.items()
                if at not in wanted
            ),
            f"answers agree to {TOLERANCE:g}",
            f"scikit-learn {version('scikit-learn')}; load when it was done: {os.getloadavg()[0]:.2f}",
        ],
        figures={
            **{one.name: {"seconds": one.seconds, "median": one.median} for one in measured},
            "ratios": {measured[at].name: [one.value, one.low, one.high] for at, one in ratios.items()},
        },
    )
