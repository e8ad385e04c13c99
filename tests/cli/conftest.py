"""The command line in this process, and two small files to weigh."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from steelyard.cli import main


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str


Steelyard = Callable[..., Done]


@pytest.fixture
def steelyard(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Steelyard:
    """Run a command as a shell would, but in this process."""

    def run(*arguments: str | Path, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "argv", ["steelyard", *map(str, arguments)])
        # click would call this pytest: the name of a program run with -m is its package's
        monkeypatch.setattr(sys.modules["__main__"], "__package__", None, raising=False)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capfd.readouterr()
        code = 0
        try:
            main()
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 1
        return Done(code, *capfd.readouterr())

    return run


RUN = """\
query,item,score,device
q1,a,0.9,phone
q1,b,0.8,phone
q1,c,0.1,phone
q2,a,0.7,tv
q2,d,0.7,tv
"""
TRUTH = """\
query,item,relevance,country,sessions
q1,b,2,DE,3
q1,z,1,DE,3
q2,a,1,US,1
q3,x,1,US,1
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with run.csv and truth.csv in it."""
    (tmp_path / "run.csv").write_text(RUN)
    (tmp_path / "truth.csv").write_text(TRUTH)
    monkeypatch.chdir(tmp_path)
    return tmp_path
