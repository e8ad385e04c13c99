"""Runs the cases of one family, one after the other, and tells how each ended.

A case may end the whole process: then whoever started it knows from the last line which one it was.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from .case import judged
from .families import FAMILIES
from .terminal import Terminal, caught

_MEMORY = 6 << 30  # bytes: what asks for more is refused at once


def main(family: str, start: int, stop: int, folder: Path) -> None:
    """Run the cases from start to stop in a folder; what they say on the standard streams is kept there."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    told = os.fdopen(os.dup(1), "w", buffering=1)
    with Terminal(folder):
        _cases(family, range(start, stop), folder / "here", told)


def _cases(family: str, seeds: range, folder: Path, told: TextIO) -> None:
    folder.mkdir()
    os.chdir(folder)
    for seed in seeds:
        case = FAMILIES[family](seed)
        print(json.dumps({"kind": case.kind}), file=told)
        caught()
        outcome = judged(case)
        print(json.dumps({"seed": seed, **asdict(outcome)}), file=told)
        _cleaned(folder)


def _cleaned(folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
