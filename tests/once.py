"""Work that all workers of a run share."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def once(tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that ``make`` fills, once for all workers of a run; it is read-only afterwards."""
    mine = tmp_path_factory.getbasetemp()
    folder = (mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine) / name
    with folder.with_name(f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            part = folder.with_name(f"{name}.part")
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            make(part)
            part.rename(folder)
            set_writable(folder, False)
    return folder


def copy(folder: Path, target: Path) -> None:
    """A copy that a test may write into."""
    shutil.copytree(folder, target)
    set_writable(target, True)


def set_writable(folder: Path, writable: bool) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | 0o200 if writable else mode & ~0o222)
