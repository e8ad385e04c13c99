"""``python -m conformance [PROFILE ...]``: run each library, keep its answers, print the table.

``--recorded`` runs nothing and judges the answers that are kept. Ends with exit code 1 where a number
differs and nothing explains it, or where an explanation explains nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from conformance.agreement import Summary, keep, summary
from conformance.cases import cases, digest
from conformance.judged import judged
from conformance.recorded import HERE, Answers, file_of, recorded, stem
from conformance.table import table
from steelyard.ask import profiles

ROOT = HERE.parent
ENVIRONMENTS = ROOT / "build" / "peers"
PROGRAMS = {"trec_eval:10": "TREC_EVAL"}  # a library that is a program, and the variable that names it


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


def runners() -> list[str]:
    """The profiles whose library can be run."""
    files = {file.stem for file in (HERE / "runners").glob("*.py")}
    return sorted(name for name in profiles() if stem(name) in files)


def run(name: str, python: str | None) -> bool:
    """Let the library of a profile answer, and keep what it says."""
    if name in PROGRAMS:
        if not os.environ.get(PROGRAMS[name]):
            print(f"{name}: {PROGRAMS[name]} names no program; what it once answered is judged")
            return True
        python = sys.executable
    elif python is None:
        python = str(ENVIRONMENTS / stem(name) / "bin" / "python")
        made = subprocess.run(
            [
                "sh",
                "tools/peers.sh",
                f"build/peers/{stem(name)}",
                sys.executable,
                f"conformance/peers/{stem(name)}.txt",
            ],
            cwd=ROOT,
        )
        if made.returncode or not Path(python).exists():
            print(f"{name}: its environment could not be made")
            return False
    made_cases = cases()
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder, "cases.json"), Path(folder, "answers.json")
        asked.write_text(json.dumps(made_cases), "utf-8")
        ended = subprocess.run(
            [python, str(HERE / "runners" / f"{stem(name)}.py"), str(asked), str(answered)], cwd=folder
        )
        if ended.returncode or not answered.exists():
            print(f"{name}: its runner failed")
            return False
        told = {"profile": name, "cases": digest(made_cases), **json.loads(answered.read_text("utf-8"))}
    file_of(name).write_text(json.dumps(told, indent=1, sort_keys=False) + "\n", "utf-8")
    return True


if __name__ == "__main__":
    sys.exit(main())
