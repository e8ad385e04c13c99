"""No input ends in a traceback: some thousands of seeded cases; ``make fuzz`` runs a million."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings

import pytest

import steelyard as sy

from ..tables import each_row
from . import __main__ as command
from . import crew
from .case import Case, check_value, judged
from .crew import Tally, run
from .families import FAMILIES

CASES = {"grammar": 600, "readers": 300, "objects": 500, "options": 300}


@pytest.mark.parametrize("family", list(FAMILIES))
def test_every_case_ends_in_numbers_or_in_a_refusal(family):
    tally = Tally()
    run(family, range(CASES[family]), tally)
    told = [f"python -m tests.fuzz {family} {find.seed}\n{find.what}\n{find.detail}" for find in tally.finds]
    assert not told, told[0]
    # a family of which nothing is accepted, or nothing refused, has lost its point
    assert min(tally.ends["accepted"], tally.ends["refused"]) > CASES[family] / 30


def test_a_case_is_the_same_in_every_process():
    """Also where texts hash otherwise, and sets are met in another order."""
    script = (
        "import json; from tests.fuzz.families import FAMILIES;"
        "print(json.dumps({name: [draw(n).text for n in range(100)] for name, draw in FAMILIES.items()}))"
    )
    one, other = (
        json.loads(
            subprocess.run(
                [sys.executable, "-c", script],
                cwd=crew.ROOT,
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                check=True,
            ).stdout
        )
        for seed in ("1", "2")
    )
    for family in FAMILIES:
        assert one[family] == other[family]


@each_row(
    ("deed", "end"),
    [
        (lambda: sy.metric("ndcg@5"), "accepted"),
        (lambda: sy.metric("ndgc@5"), "refused"),
        (lambda: 1 / 0, "find"),
        (lambda: warnings.warn("overflow", RuntimeWarning, stacklevel=1), "find"),
        (lambda: sys.exit(3), "find"),
        (lambda: check_value(sy.AUC(), 0.5), "accepted"),
        (lambda: check_value(sy.AUC(), float("nan")), "accepted"),
        (lambda: check_value(sy.AUC(), 1.5), "find"),
        (lambda: check_value(sy.AUC(), float("inf")), "find"),
    ],
)
def test_what_counts_as_a_find(deed, end):
    assert judged(Case("", deed)).end == end


@pytest.mark.parametrize(
    ("deed", "what"),
    [
        ("import os; os.abort()", "the process was lost: readers parquet"),
        ("import time; time.sleep(600)", "a hang: readers parquet"),
    ],
)
def test_a_process_that_dies_or_hangs_names_its_case(monkeypatch, deed, what):
    script = f'print(\'{{"kind": "parquet"}}\', flush=True); {deed}'
    command = [sys.executable, "-c", script]
    monkeypatch.setattr(
        crew, "_worker", lambda *_: subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    )
    monkeypatch.setattr(crew, "HANG", 2.0)
    tally = Tally()
    run("readers", range(7, 8), tally)
    assert [(find.seed, find.what) for find in tally.finds] == [(7, what)]


def test_a_fuzzer_that_is_broken_says_so(monkeypatch):
    command = [sys.executable, "-c", "raise SystemExit(1)"]
    monkeypatch.setattr(
        crew, "_worker", lambda *_: subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    )
    with pytest.raises(RuntimeError, match="the fuzzer failed"):
        run("readers", range(2), Tally())


def test_a_fuzzer_that_is_broken_ends_the_whole_crew(monkeypatch):
    command = [sys.executable, "-c", "raise SystemExit(1)"]
    monkeypatch.setattr(
        crew, "_worker", lambda *_: subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    )
    with pytest.raises(RuntimeError, match="the fuzzer failed"):
        crew.run_all([("readers", range(2)), ("grammar", range(2))], 2)


def test_the_tallies_of_parts_are_one_for_each_family(monkeypatch):
    def run(family, seeds, tally):
        tally.ends["accepted"] += len(seeds)
        tally.finds.append(crew.Find(family, seeds.start, "", ""))

    monkeypatch.setattr(crew, "run", run)
    work = [("readers", range(3)), ("grammar", range(4)), ("readers", range(3, 5))]
    tallies = crew.run_all(work, 2)
    assert {family: tally.ends for family, tally in tallies.items()} == {
        "readers": {"accepted": 5},
        "grammar": {"accepted": 4},
    }
    assert [find.seed for find in tallies["readers"].finds] == [0, 3]


@pytest.mark.parametrize(("lost", "code"), [(0, 0), (1, 1)])
@pytest.mark.parametrize("cases", [1, 7, 5003])
def test_fewer_cases_than_asked_for_are_a_failure(monkeypatch, capsys, cases, lost, code):
    to_lose = [lost]

    def run_all(work, processes):
        tallies = {family: Tally() for family, _ in work}
        for family, seeds in work:
            tallies[family].ends["accepted"] += len(seeds) - (to_lose.pop() if to_lose else 0)
        return tallies

    monkeypatch.setattr(command, "run_all", run_all)
    assert command.main(["--cases", str(cases)]) == code
    assert (f"{cases - lost:,} cases ran, not {cases:,}" in capsys.readouterr().out) == bool(lost)
