"""Standard errors by influence beside those of a cluster bootstrap: ``python -m bench.bootstrap``.

A log of 200 users is resampled user by user, each resample a slice of one evaluation. Printed is by how many
percent the error that the library tells is above (+) or below (-) the spread of the resampled values.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from bench.coverage import SEED, drawn_log
from steelyard.arrays import Floats
from steelyard.engine.scored import Scored
from steelyard.spec.plan import metric
from steelyard.stats.intervals import influence_of

USERS = 200
REPLICATES = 20_000
METRICS = (
    "auc",
    "gauc",
    "pr_auc",
    "logloss",
    "ne",
    "brier",
    "calibration",
    "accuracy",
    "precision",
    "recall",
    "f1",
    "mcc",
)
KINDS = ("equal", "log-normal", "one heavy")
_ROWS_AT_ONCE = 4_000_000


def differences(log: Scored, replicates: int, random: np.random.Generator) -> dict[str, float]:
    """Of each metric by how many percent the told error differs from the spread of its resampled values."""
    found = {}
    for name in METRICS:
        one = metric(name)
        values = one.measure(log)
        influence = influence_of(one, log, values, None)
        assert influence is not None
        told = float(np.sqrt(influence.variance[0]))
        spread = float(np.nanstd(_resampled(one, log, replicates, random), ddof=1))
        found[name] = 100 * (told / spread - 1)
    return found


def _resampled(one: Any, log: Scored, replicates: int, random: np.random.Generator) -> Floats:
    """The values of resampled users, as many at a time as memory allows."""
    code, n = log.drawn.code, log.drawn.n
    assert code is not None
    at_once = max(1, _ROWS_AT_ONCE // log.n_rows)
    found = []
    for first in range(0, replicates, at_once):
        some = min(at_once, replicates - first)
        often = random.multinomial(n, np.full(n, 1 / n), some).astype(np.float64)
        every = np.tile(np.arange(log.n_rows), some)
        units = replace(log.drawn, code=code[every])
        several = Scored.of(
            log.label[every],
            log.score[every],
            weight=often[:, code].reshape(-1),
            segment=np.repeat(np.arange(some), log.n_rows),
            n_segments=some,
            group=units.code,
            n_groups=n,
            units=units,
        )
        found.append(one.measure(several))
    return np.concatenate(found)


def table(replicates: int) -> Iterator[str]:
    """The signed differences, as lines of Markdown."""
    columns = []
    for kind in KINDS:
        random = np.random.default_rng(SEED)
        columns.append(differences(drawn_log(USERS, 1, kind, random), replicates, random))
    yield "| metric | " + " | ".join(f"users: {kind}" for kind in KINDS) + " |"
    yield "|---" * (len(KINDS) + 1) + "|"
    for name in METRICS:
        yield f"| {name} | " + " | ".join(f"{column[name]:+.1f} %" for column in columns) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.bootstrap", description=__doc__.partition("\n")[0])
    parser.add_argument("--replicates", type=int, default=REPLICATES, help=f"resamples ({REPLICATES:,})")
    asked = parser.parse_args()
    print(
        f"\nError by influence against that of {asked.replicates:,} resamples of {USERS} users\n", flush=True
    )
    for line in table(asked.replicates):
        print(line, flush=True)


if __name__ == "__main__":
    main()
