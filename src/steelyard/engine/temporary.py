"""A folder for what a run writes while it works; it is removed at the end, or by the next run."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import polars as pl

from steelyard.text.errors import writing
from steelyard.text.errors.base import SteelyardError
from steelyard.text.errors.forms import reason_of

fcntl: Any = None  # Windows has none: folders of killed runs stay
with suppress(ImportError):
    import fcntl

_PREFIX, _LOCK = ".steelyard-run-", ".steelyard-lock"


@contextmanager
def temporary_folder(parent: str | os.PathLike[str] | None) -> Iterator[Path]:
    """A new folder of this run alone, in ``parent`` or the temporary directory of the system."""
    root = Path(parent or tempfile.gettempdir())
    try:
        root.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(root)
        # another run may remove what has the name of a run and no lock
        folder = Path(tempfile.mkdtemp(prefix=".new-", dir=root))
        lock = (folder / _LOCK).open("w")
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX)
        folder = folder.rename(root / f"{_PREFIX}{folder.name[5:]}")
    except OSError as error:
        raise writing.temporary_folder(folder=str(root), why=reason_of(error)) from None
    try:
        with written_to(folder):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.close()


@contextmanager
def written_to(folder: Path) -> Iterator[None]:
    """Name the folder where the disk is full."""
    try:
        yield
    except SteelyardError:
        raise
    except (OSError, pl.exceptions.PolarsError) as error:
        if "no space left" not in str(error).lower():
            raise
        raise writing.disk_full(folder=str(folder.parent)) from None


def _remove_abandoned(root: Path) -> None:
    """Remove the folders of runs that were killed: their locks are free."""
    for lock in root.glob(f"{_PREFIX}*/{_LOCK}") if fcntl is not None else ():
        with suppress(OSError), lock.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(lock.parent, ignore_errors=True)
