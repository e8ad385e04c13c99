"""Write a file whole or not at all."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

import polars as pl

from steelyard.errors import writing

_FORMS = {
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".markdown": "markdown",
    ".tex": "latex",
    ".txt": "table",
}
_FRAMES = {".csv": "csv", ".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_FORMULA = r"^[=+\-@\t\r\n]"


def form_of(path: str | Path) -> str | None:
    """The form of a result that the ending of a file name says, or None.

    >>> form_of("results/Table.MD"), form_of("results")
    ('markdown', None)
    """
    return _FORMS.get(Path(path).suffix.lower())


def check_ending(path: Path, known: Collection[str] = tuple(_FORMS)) -> None:
    """Refuse a file name whose ending says that another form is wanted; none says nothing."""
    if path.suffix and path.suffix.lower() not in known and not is_stream(path):
        raise writing.unknown_ending(path, list(known))


def frame_form(path: Path) -> str:
    """The form of a frame by the ending of its file; a device or a pipe, which has none, takes CSV."""
    found = _FRAMES.get(path.suffix.lower())
    if found is None and not is_stream(path):
        raise writing.unknown_ending(path, [".csv", ".parquet", ".jsonl"])
    return found or "csv"


def same_file(one: Path, other: Path) -> bool:
    """Whether two names, whatever links there are, lead to one ordinary file."""
    if is_stream(one) or is_stream(other):
        return False
    if one.exists() and other.exists():
        return one.samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)


def check_writable(path: Path) -> None:
    """Refuse an output that cannot be written before any work is done."""
    if path.is_dir():
        raise writing.is_a_folder(path)
    if not path.parent.is_dir():
        raise writing.no_such_folder(path)
    beside = is_stream(path) or os.access(path.parent, os.W_OK)
    if not beside or (path.exists() and not os.access(path, os.W_OK)):
        raise writing.cannot_write(path, "no permission")


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` fill a temporary file beside ``path``, then rename it.

    A link stays a link: the file it points to is replaced. A device or a pipe is never replaced, it is
    written to (``-o /dev/stdout``, ``-o /dev/null``).
    """
    check_writable(path)
    stream = is_stream(path)
    target = path if stream else path.resolve()
    try:
        handle, name = tempfile.mkstemp(dir=None if stream else target.parent, prefix=f".{target.name}.")
        os.close(handle)
    except OSError as error:
        raise writing.cannot_write(path, error.strerror or str(error)) from error
    temporary = Path(name)
    try:
        write(temporary)
        if stream:
            path.write_bytes(temporary.read_bytes())
        else:
            temporary.chmod(_mode(target))
            temporary.replace(target)
    except OSError as error:
        raise writing.cannot_write(path, error.strerror or str(error)) from error
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def write_text(path: Path, text: str) -> None:
    """Write text as UTF-8, whole or not at all."""
    write_whole(path, lambda temporary: temporary.write_text(text, "utf-8"))


def write_frame(path: Path, frame: pl.DataFrame) -> None:
    """Write a frame as its file name says: .csv, .parquet or .jsonl; NaN is empty in text."""
    form = frame_form(path)
    if form == "parquet":
        write_whole(path, frame.write_parquet)
    elif form == "jsonl":
        write_whole(path, _without_nan(frame).write_ndjson)
    else:
        write_whole(path, _for_csv(frame).write_csv)


def frame_as_csv(frame: pl.DataFrame) -> str:
    r"""A frame as CSV text; NaN is empty, and no text is a formula.

    >>> frame_as_csv(pl.DataFrame({"query": ["=1+1", "q"], "value": [-0.5, float("nan")]}))
    "query,value\n'=1+1,-0.5\nq,\n"
    """
    return _for_csv(frame).write_csv()


def _for_csv(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame for a spreadsheet: an apostrophe stands before text that would be a formula."""
    text = pl.selectors.string() | pl.selectors.categorical() | pl.selectors.enum()
    written = text.cast(pl.String)
    guarded = pl.when(written.str.contains(_FORMULA)).then(written.str.replace("^", "'")).otherwise(written)
    named = {name: f"'{name}" for name in frame.columns if re.match(_FORMULA, name)}
    return _without_nan(frame).with_columns(guarded).rename(named)


def _without_nan(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.selectors.float().fill_nan(None))


def is_stream(path: Path) -> bool:
    """Whether a path is there and is no ordinary file: a device, a pipe, a terminal."""
    return path.exists() and not path.is_file()


def _mode(path: Path) -> int:
    """The permissions of the file that is replaced, or those that any new file gets."""
    return path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
