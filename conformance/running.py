"""A library in its own environment: its runner is started there, and answers every case."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from conformance.cases import cases
from conformance.recorded import HERE, stem
from steelyard.spec import profiles

ENVIRONMENTS = HERE.parent / "build" / "peers"
PROGRAMS = {"trec_eval:10": "TREC_EVAL"}  # a library that is a program, and the variable that names it
SOURCES = {
    "easyrec": "EASYREC"
}  # one that is no package, and the variable that names the folder of its source


def runners() -> list[str]:
    """The profiles whose library can be run."""
    files = {file.stem for file in (HERE / "runners").glob("*.py")}
    return sorted(name for name in profiles() if stem(name) in files)


def python_of(name: str) -> str | None:
    """The Python that has the library of a profile, or that starts its program; None where there is none."""
    if name in PROGRAMS:
        return sys.executable if os.environ.get(PROGRAMS[name]) else None
    if name in SOURCES and not os.environ.get(SOURCES[name]):
        return None
    python = ENVIRONMENTS / stem(name) / "bin" / "python"
    return str(python) if python.exists() else None


def answers(name: str, python: str) -> dict[str, Any] | None:
    """What the library says to every case, with its name and version; None where its runner fails."""
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder, "cases.json"), Path(folder, "answers.json")
        asked.write_text(json.dumps(cases()), "utf-8")
        runner = HERE / "runners" / f"{stem(name)}.py"
        ended = subprocess.run([python, str(runner), str(asked), str(answered)], cwd=folder)
        if ended.returncode or not answered.exists():
            return None
        told: dict[str, Any] = json.loads(answered.read_text("utf-8"))
        return told
