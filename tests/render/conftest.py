"""One result with everything in it: slices, an undefined value, a note, hostile names."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import steelyard as sy

from .clicks import LOG

HOSTILE = "a|b_$%\\"
SCRIPT = "<script>alert('1 & \"2\"')</script>"


@pytest.fixture(scope="session")
def result() -> sy.Result:
    """Reciprocal ranks 1 (q1) and 1/2 (q2); q3 has nothing relevant; the slices have awkward names."""
    run = pl.DataFrame(
        {
            "query": ["q1", "q1", "q2", "q2", "q3"],
            "item": ["a", "b", "a", "b", "a"],
            "score": [2.0, 1.0, 2.0, 1.0, 1.0],
            "site": [HOSTILE, HOSTILE, SCRIPT, SCRIPT, "plain"],
        }
    )
    truth = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"a": 0}}
    return sy.evaluate(run, truth, ["mrr", "precision@2"], by="site")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with log.csv in it."""
    (tmp_path / "log.csv").write_text(LOG)
    monkeypatch.chdir(tmp_path)
    return tmp_path
