"""The types of the public names, as mypy sees them."""

from __future__ import annotations

import getpass
import subprocess
import sys
import tempfile
from pathlib import Path


def test_mypy_agrees_with_every_statement(root: Path):
    """The cache lies with other temporary files: a cold run takes seconds, the next a fraction of one."""
    cache = Path(tempfile.gettempdir()) / f"steelyard-mypy-{getpass.getuser()}"
    done = subprocess.run(
        [
            sys.executable, "-m", "mypy", "--strict", "--config-file", root / "pyproject.toml",
            "--cache-dir", cache, Path(__file__).with_name("surface.py"),
        ],
        cwd=root,
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.stdout == "Success: no issues found in 1 source file\n", done.stdout + done.stderr
