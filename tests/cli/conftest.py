"""Two small files to weigh."""

from __future__ import annotations

from pathlib import Path

import pytest

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
