"""Whole processes against the clock: contenders take turns, and medians are compared."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
# what pip installs is compiled, as the peers are; the source beside this file is compiled in the first round
COMPILED = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(ROOT / "build" / "bench" / "bytecode")}


class ProcessFailedError(Exception):
    """A contender ended with an error, so there is nothing to compare."""


class AnswersDisagreeError(Exception):
    """Two contenders gave different numbers: whichever was faster, one of them is wrong."""


@dataclass(frozen=True)
class Run:
    """One process from start to end."""

    seconds: float
    peak_mb: float
    output: str


@dataclass(frozen=True)
class Contender:
    """A command with a name; ``fresh`` gives further environment variables, anew for each run."""

    name: str
    command: Sequence[str]
    fresh: Callable[[Path], Mapping[str, str]] = lambda _folder: {}

    def run(self) -> Run:
        """Run it once, in a folder that is removed afterwards."""
        with tempfile.TemporaryDirectory(prefix="steelyard-bench-") as folder:
            return run_process(self.command, self.fresh(Path(folder)))


@dataclass(frozen=True)
class Runs:
    """Every counted run of one contender."""

    name: str
    runs: list[Run] = field(default_factory=list)

    @property
    def seconds(self) -> list[float]:
        return [run.seconds for run in self.runs]

    @property
    def median(self) -> float:
        return median(self.seconds)

    @property
    def peak_mb(self) -> float:
        """The most memory that any run took."""
        return max(run.peak_mb for run in self.runs)

    @property
    def output(self) -> str:
        return self.runs[-1].output


@dataclass(frozen=True)
class Ratio:
    """How many times longer one contender takes than another: of the medians, and of each round."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, slow: Runs, fast: Runs) -> Ratio:
        rounds = [one / other for one, other in zip(slow.seconds, fast.seconds, strict=True)]
        return cls(slow.median / fast.median, min(rounds), max(rounds))

    def __str__(self) -> str:
        return f"{self.value:.2f} (rounds {self.low:.2f} to {self.high:.2f})"


def run_process(command: Sequence[str], environment: Mapping[str, str]) -> Run:
    """Start a process and wait for it; the kernel tells how much memory it had at most."""
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        begun = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=stdout, stderr=stderr, env={**os.environ, **COMPILED, **environment}
        )
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        stdout.seek(0)
        stderr.seek(0)
        if process.returncode:
            said = stderr.read().decode(errors="replace").strip()
            raise ProcessFailedError(f"exit code {process.returncode}: {' '.join(command)}\n{said}")
        # Linux counts in KiB, macOS in bytes.
        unit = 1 if sys.platform == "darwin" else 1024
        return Run(seconds, used.ru_maxrss * unit / 1e6, stdout.read().decode())


def alternate(contenders: Sequence[Contender], rounds: int) -> list[Runs]:
    """A B A B ...: what else the machine does falls on all alike.

    A round before these is not counted: it fills the caches of the disk, of Python and of Numba.
    """
    measured = [Runs(contender.name) for contender in contenders]
    for turn in range(rounds + 1):
        for contender, runs in zip(contenders, measured, strict=True):
            run = contender.run()
            if turn:
                runs.runs.append(run)
    return measured


def check_agreement(answers: Mapping[str, Mapping[str, float]], tolerance: float) -> None:
    """Every contender must have come to the same numbers."""
    names = list(answers)
    first = answers[names[0]]
    for name in names[1:]:
        if set(answers[name]) != set(first):
            raise AnswersDisagreeError(f"{names[0]} has {sorted(first)}, {name} has {sorted(answers[name])}")
        for metric, value in first.items():
            other = answers[name][metric]
            if not abs(value - other) <= tolerance:
                raise AnswersDisagreeError(f"{metric}: {names[0]} {value!r}, {name} {other!r}")
