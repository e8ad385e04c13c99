"""Write the film shop to a folder and evaluate it in front of the user."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from steelyard.demo.files import write
from steelyard.demo.shop import simulate
from steelyard.evaluation import evaluate
from steelyard.report.document import number
from steelyard.report.text import aligned, indented

METRICS = ("ndcg@10", "map@10", "mrr", "recall@20", "hit_rate@10")


def show(folder: Path, say: Callable[[str], object]) -> None:
    """Simulate, write, evaluate, and name the next commands to try."""
    shop = simulate()
    paths = write(shop, folder)
    say(f"A small film shop, simulated: {shop.users.height} users, {shop.films.height} films, ")
    say(f"{shop.truth.height:,} graded films, three recommenders. {len(paths)} files are in {folder}.\n")

    truth = folder / "truth.parquet"
    results = {name: evaluate(folder / "runs" / f"{name}.parquet", truth, METRICS) for name in shop.runs}
    rows = [[name, *(number(result[metric]) for metric in METRICS)] for name, result in results.items()]
    say(indented(aligned([["recommender", *METRICS], *rows], 1)))

    say("\nOne of them in full, sliced by segment, with what each user had seen before taken out:\n")
    best = folder / "runs" / "taste.parquet"
    say(str(evaluate(best, truth, ["ndcg@10", "recall@20"], by="segment", exclude=folder / "seen.parquet")))

    say(f"\nTry next, in {folder}:")
    for options in (
        "runs/popular.parquet --truth truth.parquet -m ndcg@10 -m mrr --ties expected",
        "runs/neighbours.run --truth qrels.txt --task ranking --profile trec_eval",
        "runs/taste.parquet --truth truth.parquet -m map@10:denominator=hits --format json",
    ):
        say(f"  steelyard evaluate {options}")
    say("  steelyard metrics ndcg")
