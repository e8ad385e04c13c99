"""``python -m bench [NAME ...]``: run the benchmarks and print what they found."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench import (
    batches,
    certainty,
    dense,
    gates,
    lists,
    randomisation,
    ranking,
    row_ratios,
    rows,
    sliced_clicks,
    startup,
    trec_eval,
    which,
)
from bench import partial as partial_sizes
from bench.measure import AnswersDisagreeError, ProcessFailedError
from bench.report import Report, environment

# Names stay as they are once they are here: figures of different days are compared by them.
BENCHMARKS: dict[str, tuple[str, Callable[[str, int], Report]]] = {
    "ranking": (
        "10,000,000 rows in parquet against pytrec_eval, whole process",
        partial(ranking.against_pytrec_eval, "ranking"),
    ),
    "ranking-shuffled": (
        "the same with the rows in random order",
        partial(ranking.against_pytrec_eval, "ranking-shuffled"),
    ),
    "ranking-ties": (
        "the same with nearly all rows tied",
        partial(ranking.against_pytrec_eval, "ranking-ties"),
    ),
    "trec_eval": (
        "`steelyard trec_eval` on 10,000,000 lines, whole process, beside the program (TREC_EVAL=)",
        trec_eval.against_the_program,
    ),
    "import": ("import steelyard", lambda _size, rounds: startup.importing(rounds)),
    "small": (
        "50 queries x 100 rows, whole process, beside ir_measures",
        lambda _size, rounds: startup.small(rounds),
    ),
    "auc": ("AUC of 10,000,000 float32 scores, in memory, beside scikit-learn", rows.auc),
    "logloss": ("log loss of 10,000,000 probabilities, in memory, beside scikit-learn", rows.logloss),
    "gauc": (
        "GAUC of 10,000,000 rows and 200,000 users, in memory, beside Polars and scikit-learn",
        rows.gauc,
    ),
    "weights": ("AUC and GAUC of 50,000,000 rows, weighted and not, in memory", row_ratios.weights),
    "text-users": (
        "auc, gauc and logloss of 10,000,000 rows in parquet, users as text and as numbers, whole process",
        row_ratios.text_users,
    ),
    "sliced-clicks": (
        "auc, gauc and logloss of 20,000,000 rows in parquet by country: peak memory, whole process",
        sliced_clicks.by_country,
    ),
    "batches": (
        "clicks and rankings larger than memory, in parts, beside memory; up to 200,000,000 rows",
        batches.in_parts,
    ),
    "dense": (
        "nDCG@10 of a matrix of 3,000 x 20,000, in memory, beside scikit-learn and NumPy",
        dense.against_peers,
    ),
    "lists": (
        "lists as a whole of 100,000 users x 100 items, in memory, beside their accuracy",
        lists.beside_accuracy,
    ),
    "lists-rectools": (
        "coverage, novelty, popularity and serendipity of the same, beside RecTools",
        partial(lists.beside_peer, "rectools"),
    ),
    "lists-rectools-diversity": (
        "diversity of the first users, beside RecTools",
        partial(lists.beside_peer, "rectools-diversity"),
    ),
    "lists-replay": (
        "coverage, novelty, repetition and unexpectedness of the same, beside RePlay",
        partial(lists.beside_peer, "replay"),
    ),
    "lists-evidently": (
        "personalization of the same, beside Evidently",
        partial(lists.beside_peer, "evidently"),
    ),
    "lists-matrix": (
        "personalization of the first users, beside a matrix of users by users",
        partial(lists.beside_peer, "matrix"),
    ),
    "intervals-ranking": (
        "`ranking` with intervals beside the same without, within one process",
        certainty.of_rankings,
    ),
    "intervals-clicks": (
        "AUC, GAUC and log loss of 10,000,000 rows in parquet, with intervals beside without",
        certainty.of_clicks,
    ),
    "randomisation": (
        "10,000 queries x 5 metrics x 3 systems, 100,000 draws, beside SciPy and ranx",
        randomisation.against_peers,
    ),
    "size": (
        "how often paired tests find a difference where there is none, by simulation",
        lambda size, _rounds: size_of_tests(size),
    ),
    "gates": (
        "how often gates fail, by mode and by what is true, by simulation",
        gates.error_rates,
    ),
    "which": (
        "`steelyard which` for a number that no convention gives, on the rows of `ranking`",
        which.nothing_fits,
    ),
    "partial": ("the size of partial results of 10,000,000 rows", partial_sizes.sizes),
    "stages": ("where the time of `ranking` goes", ranking.stages),
    "first": ("the first large run ever, before Numba has compiled anything", ranking.first_run),
}


def size_of_tests(size: str) -> Report:
    from bench import size as simulation  # it imports NumPy and steelyard, which others are timed without

    return simulation.under_the_null(size)


def main() -> int:
    parser = _parser()
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark '{unknown[0]}'; there are {', '.join(BENCHMARKS)}")
    if asked.list:
        for name, (about, _) in BENCHMARKS.items():
            print(f"  {name:18}{about}")
        return 0
    facts = environment()
    print(" · ".join(f"{key} {value}" for key, value in facts.items()), flush=True)
    size = "quick" if asked.quick else "full"
    reports: list[Report] = []
    failed = []
    for name in asked.names or BENCHMARKS:
        try:
            report = BENCHMARKS[name][1](size, asked.rounds)
        except (AnswersDisagreeError, ProcessFailedError) as error:
            failed.append(name)
            print(f"\n{name}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        else:
            reports.append(report)
            print(f"\n{report}", flush=True)
    facts["load at the end"] = environment()["load"]
    print(f"\nload at the end {facts['load at the end']}")
    if asked.json:
        document = {
            "environment": facts,
            "rounds": asked.rounds,
            "size": size,
            "benchmarks": [report.document() for report in reports],
            "failed": failed,
        }
        Path(asked.json).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="Speed and memory, beside the peers."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="benchmarks to run; all unless named")
    parser.add_argument("--rounds", type=_positive, default=5, metavar="N", help="counted rounds (default 5)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, to see that all works")
    parser.add_argument("--list", action="store_true", help="name the benchmarks and stop")
    parser.add_argument("--json", metavar="FILE", help="also write every figure there")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number of rounds")
    return number


if __name__ == "__main__":
    raise SystemExit(main())
