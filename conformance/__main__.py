"""``python -m conformance [PROFILE ...]``: run each library, keep its answers, print the table.

``--recorded`` runs nothing and judges the answers that are kept. Ends with exit code 1 where a number
differs and nothing explains it, or where an explanation explains nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys

from conformance.agreement import Summary, keep, summary
from conformance.cases import digest
from conformance.judged import judged
from conformance.recorded import Answers, file_of, recorded
from conformance.running import PROGRAMS, SOURCES, answers, python_of, runners
from conformance.table import table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m conformance", description=__doc__)
    parser.add_argument("profiles", nargs="*", help="all that have a runner, unless named")
    parser.add_argument("--recorded", action="store_true", help="judge what is kept, run nothing")
    parser.add_argument("--python", help="the Python of the library's environment, in place of build/peers")
    parser.add_argument("--cells", action="store_true", help="print every cell that does not agree")
    given = parser.parse_args()
    names = given.profiles or (recorded() if given.recorded else runners())
    failed = False
    every: dict[str, Summary] = {}
    for name in names:
        if not given.recorded and not run(name, given.python):
            failed = True
            continue
        cells, idle = judged(Answers.read(name))
        every[name] = summary(cells)
        for cell in cells:
            if not cell.explained:
                failed = True
            if not cell.explained or (given.cells and cell.status != "agrees"):
                print(f"{cell.profile} {cell.case} {cell.name}: {cell.status}; {cell.why or 'unexplained'}")
                print(f"  theirs {cell.theirs}, ours {str(cell.ours).splitlines()[0]}")
        for one in idle:
            failed = True
            print(f"{name}: nothing is explained by: {one.why}")
    keep(every)
    print(table(every))
    return int(failed)


def _missing(name: str) -> str:
    if name in PROGRAMS:
        return f"{PROGRAMS[name]}= names no program"
    if name in SOURCES and not os.environ.get(SOURCES[name]):
        return f"{SOURCES[name]}= names no folder of its source, for there is no package of it"
    return "there is no environment of it in build/peers, which make conformance makes"


def run(name: str, python: str | None) -> bool:
    """Let the library of a profile answer, and keep what it says; whether there is an answer to judge."""
    python = python or python_of(name)
    if python is None:
        print(f"{name}: {_missing(name)}; what it once answered is judged")
        return file_of(name).exists()
    told = answers(name, python)
    if told is None:
        print(f"{name}: its runner failed")
        return False
    kept = {"profile": name, "cases": digest(told["answers"]), **told}
    file_of(name).write_text(json.dumps(kept, indent=1, sort_keys=False) + "\n", "utf-8")
    return True


if __name__ == "__main__":
    sys.exit(main())
