"""The randomisation test: 10,000 queries x 5 metrics x 3 systems, 100,000 draws, beside SciPy and ranx.

From the values per query to the p-values. SciPy's ``permutation_test`` flips signs of the differences, all
columns in one vectorised call and 400 draws in one batch (2.2 s beside other work; in batches of 100 2.8, of
20 7.0, of 5 19). ranx is timed in what ``compare(stat_test="fisher")`` calls after it has the values per
query, which tests each pair in both directions. Both take minutes or hours for 100,000 draws, so each does a
part of them, and its seconds are multiplied: they grow with the draws and with nothing else.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.measure import ROOT, AnswersDisagreeError, Ratio, Run, Runs, run_process
from bench.report import Report, Target
from bench.rows import Call, in_turn

RANX_PYTHON = ROOT / "build" / "peers" / "ranx" / "bin" / "python"
RANX_SCRIPT = ROOT / "bench" / "ranx_peer.py"
SEED = 2026
QUERIES = {"full": 10_000, "quick": 1_000}
METRICS = ("ndcg@10", "map", "mrr", "precision@10", "recall@100")
SYSTEMS = 3
DRAWS = 100_000
SCIPY_DRAWS, RANX_DRAWS = 400, 50
BATCH = 400
SECONDS = 5.0
FASTER = 10.0
HEADER = ("", "median", "min", "max")


@dataclass(frozen=True)
class Values:
    """A value for each system, query and metric: (systems, queries, metrics)."""

    values: Any
    queries: Any

    @classmethod
    def drawn(cls, size: str) -> Values:
        import numpy as np
        import polars as pl

        random, n = np.random.default_rng(SEED), QUERIES[size]
        difficulty = random.beta(1, 2, (1, n, 1))
        values = np.clip(difficulty + random.normal(0, 0.2, (SYSTEMS, n, len(METRICS))), 0, 1)
        values[:, :, 3] = np.round(values[:, :, 3], 1)  # precision@10 comes in tenths
        values[-1] = np.clip(values[-1] + 0.002, 0, 1)
        return cls(values, pl.Series([f"query-{at}" for at in range(n)]))

    def differences(self, pairs: list[tuple[int, int]]) -> Any:
        """A row per query, a column per pair and metric."""
        import numpy as np

        from steelyard.stats.testing import differences

        return np.hstack([differences(self.values[a], self.values[b]) for a, b in pairs])

    def tails(self, pairs: list[tuple[int, int]]) -> Any:
        from steelyard.kernels.draws import flipped_tails, unit_keys

        d = self.differences(pairs)
        return flipped_tails(d / len(d), unit_keys(self.queries), DRAWS)


BASELINE = [(0, system) for system in range(1, SYSTEMS)]
ALL_PAIRS = list(combinations(range(SYSTEMS), 2))


def against_peers(size: str, rounds: int) -> Report:
    values = Values.drawn(size)
    d = values.differences(ALL_PAIRS)
    ours, against_one, scipy = in_turn(
        [
            Call("steelyard, all pairs", lambda: values.tails(ALL_PAIRS).sum()),
            Call("steelyard, against a baseline", lambda: values.tails(BASELINE).sum()),
            Call(
                f"SciPy permutation_test, all pairs ({SCIPY_DRAWS:,} draws, scaled)",
                lambda: _of_scipy(d, SCIPY_DRAWS).sum(),
                times=DRAWS / SCIPY_DRAWS,
            ),
        ],
        rounds,
    )
    check_tails(values.tails(ALL_PAIRS), _of_scipy(d, 2000), 2000)
    peers, lines = [scipy], []
    if RANX_PYTHON.exists():
        peers.append(_of_ranx(values, rounds))
    else:
        lines.append("no ranx: sh tools/peers.sh .venv/bin/python ranx makes it")
    ratios = [Ratio.of(peer, ours) for peer in peers]
    targets = [
        Target(f"{one.name} within {SECONDS:g} s", f"{one.median:.2f} s", one.median <= SECONDS)
        for one in (ours, against_one)
    ]
    targets += [
        Target(f"at least {FASTER:g} times faster than {peer.name}", f"{ratio}", ratio.value >= FASTER)
        for peer, ratio in zip(peers, ratios, strict=True)
    ]
    measured = [ours, against_one, *peers]
    return Report(
        name="randomisation",
        about=f"{QUERIES[size]:,} queries x {len(METRICS)} metrics x {SYSTEMS} systems, {DRAWS:,} draws",
        header=HEADER,
        rows=[
            (one.name, f"{one.median:.3f} s", f"{min(one.seconds):.3f} s", f"{max(one.seconds):.3f} s")
            for one in measured
        ],
        targets=targets,
        lines=[*lines, "p-values agree within what 2,000 draws of SciPy let one expect"],
        figures={one.name: {"seconds": one.seconds, "median": one.median} for one in measured},
    )


def _of_scipy(d: Any, draws: int) -> Any:
    import numpy as np
    from scipy import stats

    return stats.permutation_test(
        (d.T,),
        lambda x, axis: np.mean(x, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=draws,
        batch=BATCH,
        axis=-1,
        rng=np.random.default_rng(SEED),
    ).pvalue


def check_tails(ours: Any, theirs: Any, draws: int) -> None:
    """Tails of other draws differ by chance alone; SciPy doubles the smaller side, and its error with it."""
    for at, (p, other) in enumerate(zip(ours.tolist(), theirs.tolist(), strict=True)):
        if abs(p - other) > 5 * math.sqrt(p * (2 - p) / draws) + 3 / draws:
            raise AnswersDisagreeError(f"column {at}: steelyard {p!r}, SciPy {other!r} of {draws:,} draws")


def _of_ranx(values: Values, rounds: int) -> Runs:
    import numpy as np

    runs = Runs(f"ranx compare, all pairs both ways ({RANX_DRAWS:,} draws, scaled)")
    with TemporaryDirectory(prefix="steelyard-bench-") as folder:
        file = Path(folder) / "values.npy"
        np.save(file, values.values)
        for _ in range(rounds):
            output = run_process([str(RANX_PYTHON), str(RANX_SCRIPT), str(file), str(RANX_DRAWS)], {}).output
            runs.runs.append(Run(json.loads(output) * DRAWS / RANX_DRAWS, math.nan, output))
    return runs
