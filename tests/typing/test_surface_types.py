"""The types of the public names, as mypy sees them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_mypy_agrees_with_every_statement(root: Path):
    """After `make check`, whose cache it shares, this takes a second, and before it ten."""
    done = subprocess.run(
        [
            sys.executable, "-m", "mypy", "--strict", "--config-file", root / "pyproject.toml",
            Path(__file__).with_name("surface.py"),
        ],
        cwd=root,
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.stdout == "Success: no issues found in 1 source file\n", done.stdout + done.stderr
