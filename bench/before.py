"""``python -m bench.before COMMIT``: CPU time of the working tree beside that of a commit, in alternation.

Each row runs in processes of its own, first warm, then counted. The figure is the median over the rounds of
the CPU time of the counted call; the ratio is that of the working tree to the commit: below 1 is faster.
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from statistics import median

MADE = """
import sys, time
import numpy as np, polars as pl
random = np.random.default_rng(2026)
def log(n, users):
    score = random.random(n).astype(np.float32)
    label = (random.random(n) < 0.2 + 0.3 * score).astype(np.uint8)
    return pl.DataFrame({"user_id": random.integers(0, users, n), "label": label, "score": score})
def lists(n, k, items=50_000):
    query = np.repeat(np.arange(n), k)
    made = {"query": query, "item": random.integers(0, items, n * k), "score": random.random(n * k)}
    return pl.DataFrame(made).unique(["query", "item"], maintain_order=True)
"""
ROWS = {
    "small, warm": (
        """
run = {f"q{i}": {f"d{j}": 1 - j / 10 for j in range(10)} for i in range(5)}
truth = {f"q{i}": {"d3": 1, "d7": 2} for i in range(5)}
def call():
    for _ in range(50): sy.evaluate(run, truth, "ndcg@10")
""",
        50,
    ),
    "auc, 5,000,000 rows": (
        'made = log(5_000_000, 100_000)\ndef call(): sy.evaluate(made, metrics="auc")',
        1,
    ),
    "auc, gauc, logloss": (
        'made = log(3_000_000, 100_000)\ndef call(): sy.evaluate(made, metrics=["auc", "gauc", "logloss"])',
        1,
    ),
    "five ranking metrics": (
        """
made, truth = lists(20_000, 100), lists(20_000, 10, 5_000).select("query", "item")
def call(): sy.evaluate(made, truth, ["ndcg@10", "map@100", "mrr@10", "recall@100", "precision@5"])
""",
        1,
    ),
    "dense 1,000 x 5,000": (
        """
scores = random.random((1000, 5000)).astype(np.float32); truth = random.random(scores.shape) < 0.002
def call(): sy.evaluate(scores, truth, ["ndcg@10", "map"])
""",
        1,
    ),
    "lists as a whole": (
        """
made = lists(20_000, 50)
metrics = ["coverage@10", "novelty@10", "gini@10", "personalization@10"]
had, items = made.select("query", "item"), made.select("item").unique(maintain_order=True)
def call(): sy.evaluate(made, metrics=metrics, history=had, catalog=items)
""",
        1,
    ),
    "compare two runs": (
        """
one, other = lists(5_000, 50), lists(5_000, 50)
truth = lists(5_000, 10, 5_000).select("query", "item")
def call(): sy.compare({"a": one, "b": other}, truth, ["ndcg@10", "mrr@10"])
""",
        1,
    ),
    "which": (
        """
made, truth = lists(300, 30, 500), lists(300, 10, 500).select("query", "item")
def call(): sy.which(made, truth, {"map@10": 0.912})
""",
        1,
    ),
    "import and a table": ('def call(): sy.evaluate({"q": ["a"]}, {"q": ["b", "a"]}, "mrr")', 0),
}
TIMED = """
begun = time.process_time() if {cold} else None
import steelyard as sy
{setup}
if not {cold}:
    call()
    begun = time.process_time()
call()
print(time.process_time() - begun)
"""


def seconds(source: Path, name: str) -> float:
    """The CPU time of one counted call."""
    setup, times = ROWS[name]
    script = MADE + TIMED.format(cold=not times, setup=setup)
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout) / max(times, 1)


def main() -> int:
    """Read the command line, and print a line for each row."""
    parser = argparse.ArgumentParser(prog="python -m bench.before", description=__doc__.partition("\n")[0])
    parser.add_argument("commit")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="*", choices=list(ROWS), default=list(ROWS))
    asked = parser.parse_args()
    packed = subprocess.run(["git", "archive", asked.commit, "src"], capture_output=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(packed)) as files:
        files.extractall(folder, filter="data")
        trees = {"before": Path(folder, "src"), "now": Path("src").resolve()}
        for name in asked.only:
            found: dict[str, list[float]] = {tree: [] for tree in trees}
            for tree in [*trees] * asked.rounds:
                found[tree].append(seconds(trees[tree], name))
            before, now = (median(times) for times in found.values())
            print(
                f"{name:24} {1e3 * before:10.2f} ms {1e3 * now:10.2f} ms   ratio {now / before:.2f}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
