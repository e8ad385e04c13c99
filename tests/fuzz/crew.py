"""Worker processes that run cases, watched from outside: one that dies or hangs names its case."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HANG = 120.0  # seconds without a word after which a case is held to be endless


@dataclass(frozen=True)
class Find:
    """Something that must not be: which case, what tells it from other finds, and all that was seen."""

    family: str
    seed: int
    what: str
    detail: str


@dataclass
class Tally:
    """How the cases of a family ended."""

    ends: Counter[str] = field(default_factory=Counter)
    finds: list[Find] = field(default_factory=list)
    details: list[str] = field(default_factory=list)  # what was said of the last case

    def add(self, other: Tally) -> None:
        """Count the cases of another tally too."""
        self.ends.update(other.ends)
        self.finds += other.finds
        self.details = other.details


def run(family: str, seeds: range, tally: Tally) -> None:
    """Run cases in a process of their own; where it is lost, go on behind the case that ended it."""
    start = seeds.start
    while start < seeds.stop:
        start = _run(family, range(start, seeds.stop), tally)


def _run(family: str, seeds: range, tally: Tally) -> int:
    """One process; the seed at which the next has to begin."""
    with tempfile.TemporaryDirectory() as folder, _worker(family, seeds, folder) as worker:
        seed, kind = seeds.start, ""
        for line in _lines(worker):
            told = json.loads(line)
            if "kind" in told:
                kind = told["kind"]
                continue
            tally.ends[told["end"]] += 1
            tally.details = [told["detail"]]
            if told["end"] == "find":
                tally.finds.append(Find(family, told["seed"], told["what"], told["detail"]))
            seed = told["seed"] + 1
        code = worker.wait()
        said = Path(folder, "err").read_text("utf-8", "replace") if Path(folder, "err").exists() else ""
    if code == 1:  # an exception outside every case: the fuzzer itself is broken
        raise RuntimeError(f"the fuzzer failed at {family} {seed}\n{said}")
    if seed < seeds.stop:
        hung = code == -signal.SIGKILL
        what = f"{'a hang' if hung else 'the process was lost'}: {family} {kind}"
        tally.ends["find"] += 1
        tally.details = [f"exit code {code}\n{said}"]
        tally.finds.append(Find(family, seed, what, *tally.details))
        return seed + 1
    return seeds.stop


def _worker(family: str, seeds: range, folder: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.fuzz.worker", family, str(seeds.start), str(seeds.stop), folder]
    environment = {**os.environ, "POLARS_MAX_THREADS": "1", "COLUMNS": "100"}
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    )


def _lines(worker: subprocess.Popen[str]) -> Iterator[str]:
    """What a worker tells, until it ends; one that is silent for too long is ended."""
    lines: queue.Queue[str | None] = queue.Queue()

    def listen() -> None:
        for line in worker.stdout or ():
            lines.put(line)
        lines.put(None)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=HANG)
        except queue.Empty:
            worker.kill()
            continue
        if line is None:
            return
        yield line


def run_all(work: Iterable[tuple[str, range]], processes: int) -> dict[str, Tally]:
    """Run the cases of several families, a few processes at a time; a fuzzer that is broken is an error."""

    def tallied(family: str, seeds: range) -> Tally:
        tally = Tally()
        run(family, seeds, tally)
        return tally

    with ThreadPoolExecutor(processes) as crew:
        running = [(family, crew.submit(tallied, family, seeds)) for family, seeds in work]
        tallies: dict[str, Tally] = {}
        try:
            for family, part in running:
                tallies.setdefault(family, Tally()).add(part.result())
        except BaseException:
            crew.shutdown(wait=False, cancel_futures=True)
            raise
    return tallies
