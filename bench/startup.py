"""What a small job waits for: the import, and one small evaluation as a whole process."""

from __future__ import annotations

from statistics import median

from bench.measure import PYTHON, Contender, Ratio, alternate, check_agreement
from bench.ranking import evaluate_command, means
from bench.report import PROCESS_HEADER, Report, Target, process_figures, process_rows
from bench.workloads import workload

IMPORT_MS = 100.0
SMALL_SECONDS = 0.7
KINDS = ("csv", "trec", "parquet")
IR_MEASURES = {"nDCG@10": "ndcg@10", "AP": "map", "RR": "mrr", "P@10": "precision@10", "R@100": "recall@100"}
PLACES = 12


def importing(rounds: int) -> Report:
    words = {
        "python -c pass": "pass",
        "import steelyard": "import steelyard",
        "steelyard.evaluate, ready to call": "import steelyard; steelyard.evaluate",
    }
    # These are short: four times the rounds cost little and steady the medians.
    measured = alternate([Contender(name, [PYTHON, "-c", code]) for name, code in words.items()], 4 * rounds)
    bare = measured[0]
    extra = {
        one.name: 1000 * median(mine - its for mine, its in zip(one.seconds, bare.seconds, strict=True))
        for one in measured
    }
    took = extra["import steelyard"]
    return Report(
        name="import",
        about="a fresh process; the start of the interpreter is subtracted, round by round",
        header=("", "whole process", "less the interpreter"),
        rows=[(one.name, f"{1000 * one.median:.1f} ms", f"{extra[one.name]:.1f} ms") for one in measured],
        targets=[Target(f"import steelyard under {IMPORT_MS:g} ms", f"{took:.1f} ms", took < IMPORT_MS)],
        figures={**process_figures(measured), "extra_ms": extra},
    )


def small(rounds: int) -> Report:
    data = workload("small", "small")
    peer = [
        PYTHON,
        "-m",
        "ir_measures",
        data.qrels("trec"),
        data.run("trec"),
        *IR_MEASURES,
        "-p",
        str(PLACES),
    ]
    contenders = [Contender(f"steelyard, {kind}", evaluate_command(data, kind)) for kind in KINDS]
    measured = alternate([*contenders, Contender("ir_measures, trec", peer)], rounds)
    *ours, theirs = measured
    answers = {one.name: means(one.output) for one in ours}
    check_agreement({**answers, theirs.name: _printed(theirs.output)}, 1e-9)
    worst = max(one.median for one in ours)
    ratio = Ratio.of(theirs, ours[KINDS.index("trec")])
    return Report(
        name="small",
        about=f"{data}; whole process",
        header=PROCESS_HEADER,
        rows=process_rows(measured),
        targets=[
            Target(
                f"steelyard evaluate under {SMALL_SECONDS:g} s",
                f"{worst:.3f} s at worst",
                worst < SMALL_SECONDS,
            )
        ],
        lines=[f"ir_measures / steelyard on the same TREC files: {ratio}", "all means agree to 1e-09"],
        figures={**process_figures(measured), "ratio": [ratio.value, ratio.low, ratio.high]},
    )


def _printed(output: str) -> dict[str, float]:
    lines = [line.split("\t") for line in output.splitlines()]
    return {IR_MEASURES[name]: float(value) for name, value in lines}
