"""A result that was saved."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from steelyard import processes, storage
from steelyard.result.result import Result


def is_result(given: Any) -> bool:
    return isinstance(given, Result) or (isinstance(given, str | os.PathLike) and storage.is_saved(given))


def load(path: str | Path) -> Result:
    """The result that ``result.save`` kept in a file; nothing that the file holds is run.

    >>> import steelyard as sy
    >>> from tempfile import TemporaryDirectory
    >>> result = sy.evaluate({"label": [1, 0, 1], "score": [0.9, 0.4, 0.3]}, metrics="auc")
    >>> with TemporaryDirectory() as folder:
    ...     result.save(f"{folder}/run.steelyard")
    ...     sy.load(f"{folder}/run.steelyard").curve("roc").frame.equals(result.curve("roc").frame)
    True
    """
    processes.check()
    return Result(**storage.read(path))
