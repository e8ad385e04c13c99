"""How often a gate fails, by what is true of the system: ``python -m bench.gates`` prints Markdown.

Each draw is a system and its baseline on the same queries, judged by ``max_drop = 0.01`` in each mode. Given
the query, both values of nDCG are drawn alike; then the system is shifted by some margins. With slices, the
queries are dealt to ten slices of equal size, and the gate fails where the whole or a slice fails.
"""

from __future__ import annotations

import sys
from typing import Any, cast

import numpy as np
import polars as pl

from bench.report import Report, Target
from bench.size import ndcg
from steelyard.arrays import Floats, Ints
from steelyard.engine.influence import Cells, Influence
from steelyard.metrics.ranking.ndcg import NDCG
from steelyard.stats.compare import Contrast
from steelyard.stats.gates import MODES, Gate, Rule, Values
from steelyard.stats.pairing import UnitSide, paired
from steelyard.stats.significance import Mode, drop_limits

SEED = 2026
UNITS = (50, 200, 1000)
DRAWS = {"full": 2_000, "quick": 100}
MARGIN = 0.01
SLICES = 10
# how much worse the system truly is, in margins
TRUTHS = {"equal": 0, "better by one margin": -1, "worse by one margin": 1, "worse by five margins": 5}
RULE = Rule.of("max_drop", "ndcg@10", MARGIN)


def contrast(new: Floats, old: Floats, slice_of: Ints | None) -> Contrast:
    """The whole, or every slice."""
    n_values = 1 if slice_of is None else SLICES
    cells = Cells(n=len(new), n_segments=n_values, code=None, owner=slice_of, unit=None)
    means = [cells.totals(x) / cells.totals(np.ones(len(x))) for x in (new, old)]
    sides = [
        UnitSide(value=mean, influence=Influence.of_ratio(cells, x, np.ones(len(x)), mean))
        for x, mean in zip((new, old), means, strict=True)
    ]
    return Contrast(
        label="ndcg@10",
        metric=NDCG(k=10),
        pair=("new", "old"),
        keys=pl.DataFrame({"slice": [str(at) for at in range(n_values)]}),
        value=means[0],
        against=means[1],
        test="t",
        units=paired(*sides, means=True),
        sides=cast("Any", (None, None)),
        places=None if slice_of is None else (np.arange(SLICES), np.arange(SLICES)),
    )


def fails(contrasts: list[Contrast], n: int, mode: Mode) -> bool:
    """Whether a gate fails over all that was measured."""
    limits = drop_limits(contrasts, ("slice",), mode, 0.95)["ndcg@10"]
    keys = list(limits)
    values = [
        Values(
            label="ndcg@10",
            direction="higher",
            unit="queries",
            at={at: (float(value), n) for at, value in zip(keys, found, strict=True)},
        )
        for found in (
            np.concatenate([getattr(one, side) for one in contrasts]) for side in ("value", "against")
        )
    ]
    gate = Gate(mine=values[0], base=values[1], by=("slice",), mode=mode, limits=limits)
    return not all(gate.judge(RULE))


def rates(worse: float, n: int, draws: int) -> dict[tuple[Mode, bool], float]:
    """The percentage of gates that fail, by mode, without and with slices."""
    random = np.random.default_rng([SEED, n, int(worse) + 10])
    slice_of = np.arange(n) % SLICES
    failed = dict.fromkeys([(mode, sliced) for mode in MODES for sliced in (False, True)], 0)
    for _ in range(draws):
        old, new = (x[:, 0] for x in ndcg(random, (n, 1)))
        new = new - worse * MARGIN
        whole, slices = contrast(new, old, None), contrast(new, old, slice_of)
        for mode in MODES:
            failed[mode, False] += fails([whole], n, mode)
            failed[mode, True] += fails([whole, slices], n, mode)
    return {key: 100 * count / draws for key, count in failed.items()}


def error_rates(size: str, _rounds: int = 1) -> Report:
    found = {name: [rates(worse, n, DRAWS[size]) for n in UNITS] for name, worse in TRUTHS.items()}
    columns = [(mode, sliced) for sliced in (False, True) for mode in MODES]
    rows = [
        (name, *("/".join(f"{of_n[column]:.0f}" for of_n in of_units) for column in columns))
        for name, of_units in found.items()
    ]
    few, *enough = found["equal"]  # ten slices of 50 queries have 5 each, which decide nothing and so fail
    false_alarms = max(few["harm", False], *(max(one["harm", False], one["harm", True]) for one in enough))
    let_through = max(100 - of_n["non_inferior", False] for of_n in found["worse by one margin"])
    return Report(
        name="gates",
        about=f"% of gates that fail, {DRAWS[size]:,} draws, {'/'.join(map(str, UNITS))} queries",
        header=("the system is", *(f"{mode}{', 10 slices' if sliced else ''}" for mode, sliced in columns)),
        rows=rows,
        targets=[
            Target(
                "harm fails equal systems at most 5 %, but for 5 queries in a slice",
                f"{false_alarms:.1f} %",
                false_alarms <= 5,
            ),
            Target(
                "non_inferior passes a drop of the margin at most 5 %",
                f"{let_through:.1f} %",
                let_through <= 5,
            ),
        ],
        figures={
            name: [{f"{m} {s}": x for (m, s), x in one.items()} for one in of] for name, of in found.items()
        },
    )


if __name__ == "__main__":
    print(error_rates(*sys.argv[1:] or ["full"]).markdown())
