"""One process that evaluates twice and prints how long each stage took.

``python -m bench.stages RUN QRELS METRIC ...``. The first call also imports Numba and loads the kernels;
the second shows the work alone.
"""

from __future__ import annotations

import json
import sys
import time


class Stopwatch:
    """Collects the seconds of each stage, by the name that ``progress`` announces."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}
        self._stage = "importing steelyard.evaluate"
        self._since = time.perf_counter()

    def __call__(self, stage: str) -> None:
        now = time.perf_counter()
        self.seconds.setdefault(self._stage, []).append(now - self._since)
        self._stage, self._since = stage, time.perf_counter()


def main(run: str, qrels: str, *metrics: str) -> None:
    watch = Stopwatch()
    from steelyard import evaluate

    for _ in range(2):
        evaluate(run, qrels, metrics, profile="trec_eval", progress=watch)
        watch("between the calls")
    del watch.seconds["between the calls"]
    print(json.dumps(watch.seconds))


if __name__ == "__main__":
    main(*sys.argv[1:])
