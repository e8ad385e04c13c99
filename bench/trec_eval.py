"""`steelyard trec_eval` beside the program, which TREC_EVAL= names, and beside pytrec_eval.

``python -m bench.trec_eval QRELS RUN`` is what a user of pytrec_eval writes to have the same from two files.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from bench.measure import PYTHON, AnswersDisagreeError, Contender, Ratio, Runs, alternate, run_process
from bench.report import PROCESS_HEADER, Report, Target, process_figures, process_rows
from bench.workloads import workload

VARIABLE = "TREC_EVAL"
MEASURES = ("map", "Rprec", "bpref", "recip_rank", "P_5", "P_10", "P_100")
AT_LEAST = 1.0


def against_the_program(size: str, rounds: int) -> Report:
    data = workload("trec", size)
    files = [data.qrels("trec"), data.run("trec")]
    evaluate = [PYTHON, "-m", "steelyard", "evaluate"]
    program = os.environ.get(VARIABLE, "")
    edition = _edition(program) if program else "9"
    contenders = [
        Contender("steelyard trec_eval", [PYTHON, "-m", "steelyard", "trec_eval", "--as", edition, *files]),
        Contender("pytrec_eval", [PYTHON, "-m", "bench.trec_eval", *files]),
        Contender("steelyard evaluate", [*evaluate, files[1], "--truth", files[0], "-m", "ndcg@10"]),
    ]
    if program:
        contenders.append(Contender(f"trec_eval {edition}", [str(Path(program).resolve()), *files]))
    ours, wrapper, evaluated, *itself = alternate(contenders, rounds)
    for other in itself:
        if other.runs[0].output != ours.runs[0].output:
            raise AnswersDisagreeError(f"{ours.name} and {other.name} print different lines")
    _check(ours, wrapper)
    ratios = {other.name: Ratio.of(other, ours) for other in (wrapper, evaluated, *itself)}
    lines = [f"{name} / {ours.name}: {ratio}" for name, ratio in ratios.items()]
    if not program:
        lines.append(f"{VARIABLE}= names no program, so that it is not measured")
    return Report(
        name="trec_eval",
        about=f"{data}; the official measures from TREC files; whole process",
        header=PROCESS_HEADER,
        rows=process_rows([ours, wrapper, evaluated, *itself]),
        targets=[
            Target("as fast as the program", str(ratios[one.name]), ratios[one.name].value >= AT_LEAST)
            for one in itself
        ],
        lines=lines,
        figures={
            **process_figures([ours, wrapper, evaluated, *itself]),
            "ratios": {name: [ratio.value, ratio.low, ratio.high] for name, ratio in ratios.items()},
        },
    )


def _edition(program: str) -> str:
    """The first number of the version, which the program tells on stderr."""
    told = run_process(["sh", "-c", f"'{Path(program).resolve()}' -v 2>&1"], {}).output
    return told.split()[-1].split(".")[0]


def _check(ours: Runs, wrapper: Runs) -> None:
    """The means of both are the same in the decimals that are printed."""
    printed = {line.split("\t")[0].rstrip(): line.split("\t")[2] for line in ours.runs[0].output.splitlines()}
    theirs = dict(line.split() for line in wrapper.runs[0].output.splitlines())
    apart = [name for name in MEASURES if abs(float(printed[name]) - float(theirs[name])) > 1e-4]
    if apart:
        raise AnswersDisagreeError(f"{apart[0]}: ours {printed[apart[0]]}, pytrec_eval {theirs[apart[0]]}")


def main(qrels_file: str, run_file: str) -> None:
    import pytrec_eval

    with Path(qrels_file).open() as file:
        qrels = pytrec_eval.parse_qrel(file)
    with Path(run_file).open() as file:
        run = pytrec_eval.parse_run(file)
    official = {"map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"}
    evaluated = pytrec_eval.RelevanceEvaluator(qrels, official).evaluate(run)
    for name in MEASURES:
        print(name, sum(topic[name] for topic in evaluated.values()) / len(evaluated))


if __name__ == "__main__":
    main(*sys.argv[1:])
