"""What a user is told when a result cannot be written."""

from __future__ import annotations

from pathlib import Path

from steelyard.errors.base import OutputError


def is_a_folder(path: Path) -> OutputError:
    return OutputError(f"{path} is a folder", remedy="name a file")


def no_such_folder(path: Path) -> OutputError:
    return OutputError(
        f"cannot write {path}: there is no folder {path.parent}", remedy="create it, or name another"
    )


def cannot_write(path: Path, why: str) -> OutputError:
    return OutputError(f"cannot write {path}: {why}", remedy="name a place that can be written")


def unknown_format(name: str, known: list[str]) -> OutputError:
    return OutputError(f"unknown format '{name}'", remedy=f"known: {', '.join(known)}")


def pandas_missing() -> OutputError:
    return OutputError(
        "pandas is not installed", remedy="pip install 'steelyard[pandas]', or use .table() for Polars"
    )
