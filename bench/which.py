"""How long it takes to try every convention: `steelyard which` on the rows of ``ranking``, whole process.

The number that is claimed is one that nothing gives, so that two changes from every profile are tried.
"""

from __future__ import annotations

import json

from bench.measure import PYTHON, Contender, alternate
from bench.report import PROCESS_HEADER, Report, Target, process_figures, process_rows
from bench.workloads import workload

CLAIM = "map@10=0.123456789"
SECONDS = 60.0


def nothing_fits(size: str, rounds: int) -> Report:
    data = workload("ranking", size)
    arguments = ["which", data.run(), "--truth", data.qrels(), "--claim", CLAIM, "--format", "json"]
    command = [PYTHON, "-m", "steelyard", *arguments]
    (measured,) = alternate([Contender("steelyard which", command)], rounds)
    told = json.loads(measured.output)
    wanted = Target(f"within {SECONDS:g} s", f"{measured.median:.1f} s", measured.median <= SECONDS)
    return Report(
        name="which",
        about=f"{data}; {CLAIM}",
        header=PROCESS_HEADER,
        rows=process_rows([measured]),
        targets=[wanted] if size == "full" else [],
        lines=[f"{told['conventions']:,} conventions from {told['profiles']} profiles"],
        figures=process_figures([measured]),
    )
