"""Write a file whole or not at all; a device, a pipe or a descriptor is written to, never replaced."""

from __future__ import annotations

import errno
import os
import re
import secrets
import sys
from collections.abc import Callable, Collection
from contextlib import suppress
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import BinaryIO

import polars as pl

from steelyard.printable import encoded
from steelyard.text import say
from steelyard.text.errors import OutputError, writing
from steelyard.text.errors.forms import must_be, reason_of

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
_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_OPEN_FILES = re.compile(r"/dev/fd|/proc/(?P<process>\d+)(?:/task/\d+)?/fd")
_MOST_LINKS = 40  # as many as Linux follows
_LONGEST = 60  # letters of a name that a temporary file has too; with four bytes each they fit everywhere


def form_of(path: str | Path) -> str | None:
    """The form of a result that the ending of a file name says, or None.

    >>> form_of("results/Table.MD"), form_of("results")
    ('markdown', None)
    """
    return _FORMS.get(Path(path).suffix.lower())


def check_ending(path: Path, known: Collection[str] = tuple(_FORMS)) -> None:
    """Refuse a file name whose ending says that another form is wanted; none says nothing."""
    if path.suffix and path.suffix.lower() not in known and not is_stream(path):
        raise writing.unknown_ending(path, known)


def frame_form(path: Path) -> str:
    """The form of a frame by the ending of its file; a device or a pipe, which has none, takes CSV."""
    form = _FRAMES.get(path.suffix.lower())
    if form is None and not is_stream(path):
        raise writing.unknown_ending(path, [".csv", ".parquet", ".jsonl"])
    return form or "csv"


def same_file(path: Path, other: Path) -> bool:
    """Whether two names, whatever links there are, lead to one ordinary file."""
    if is_stream(path) or is_stream(other):
        return False
    try:
        if path.exists() and other.exists():
            return path.samefile(other)
        return os.path.realpath(path) == os.path.realpath(other)
    except (OSError, ValueError):  # a name that no file has
        return False


def path_of(name: object) -> Path:
    if not isinstance(name, str | PathLike) or not isinstance(os.fspath(name), str):
        what, remedy = say("the name of a file"), say("name it: 'results/run.json'")
        raise must_be(what, say("text or a path"), name, remedy=remedy, kind=OutputError)
    if not os.fspath(name).strip():
        raise writing.unnamed()
    path = Path(name)
    try:
        held = os.fsencode(path)
    except UnicodeEncodeError:
        raise writing.cannot_write(what=path, why=say("no name of a file holds half a character")) from None
    if b"\0" in held:
        raise writing.cannot_write(what=path, why=say("no name of a file holds a NUL character"))
    try:
        path.is_symlink()
    except OSError as error:  # it is too long
        raise writing.cannot_write(what=path, why=_reason(error)) from None
    return path


def check_writable(path: Path) -> None:
    """Refuse an output that cannot be written before any work is done."""
    path_of(path)
    try:
        if path.is_dir():
            raise writing.is_a_folder(path=path)
        if not path.parent.is_dir():
            raise writing.no_such_folder(path=path, folder=path.parent)
        if _descriptor(path) is not None and not path.exists():  # as /dev/fd/9 mostly is not
            raise writing.cannot_write(
                what=path, why=say("nothing is open there"), remedy=say("open it, or name a file")
            )
        beside = is_stream(path) or os.access(path.parent, os.W_OK)
        if not beside or (path.exists() and not os.access(path, os.W_OK)):
            raise writing.cannot_write(what=path, why=say("no permission"))
        if os.path.islink(os.path.realpath(path)):  # noqa: PTH114 - Path.resolve fails on such a link
            raise writing.cannot_write(what=path, why=reason_of(OSError(errno.ELOOP, "")))
    except OSError as error:  # a name too long, a folder that may not be searched
        raise writing.cannot_write(what=path, why=_reason(error)) from None


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Let ``write`` fill a temporary file next to ``path``, then rename it.

    A link stays a link: the file it points to is replaced. A device, a pipe or a descriptor is never
    replaced: all of it is appended at once (``-o /dev/stdout``, ``-o /dev/null``).
    """
    check_writable(path)
    try:
        if is_stream(path):
            content = BytesIO()
            write(content)
            _append(path, content.getvalue())
        else:
            _replace(Path(os.path.realpath(path)), write)
    except (OSError, pl.exceptions.ComputeError) as error:
        raise writing.cannot_write(what=path, why=_reason(error)) from error


def write_bytes(path: Path, content: bytes) -> None:
    write_whole(path, lambda file: file.write(content))


def write_text(path: Path, text: str) -> None:
    """Write text as UTF-8, whole or not at all; invalid bytes of file names are escaped."""
    write_bytes(path, encoded(text))


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
    """A frame for a spreadsheet: text that looks like a formula gets an apostrophe in front."""
    text = pl.selectors.string() | pl.selectors.categorical() | pl.selectors.enum()
    written = text.cast(pl.String)
    formula = written.str.contains(_FORMULA) & ~written.str.contains(f"^{_NUMBER}$")
    guarded = pl.when(formula).then(written.str.replace("^", "'")).otherwise(written)
    named = {name: f"'{name}" for name in frame.columns if _is_formula(name)}
    return _without_nan(frame).with_columns(guarded).rename(named)


def _is_formula(text: str) -> bool:
    return bool(re.match(_FORMULA, text)) and not re.fullmatch(_NUMBER, text)


def _without_nan(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.selectors.float().fill_nan(None))


def _replace(target: Path, write: Callable[[BinaryIO], object]) -> None:
    # The name is known before the file is there, and the writer gets the open file rather than the name:
    # whenever work is interrupted, the file can be removed, and no thread can make it anew.
    temporary = target.with_name(f".{target.name[:_LONGEST]}.{secrets.token_hex(6)}")
    try:
        temporary.touch(0o600, exist_ok=False)
        with temporary.open("wb") as file:
            write(file)
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~mask)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _reason(error: Exception) -> str:
    """Why the system refused; an error of Polars has its number within the text alone."""
    told = re.search(r"([^:]+?)\.? \(os error (\d+)\)", str(error))
    if told:
        error = OSError(int(told[2]), told[1].strip())
    return reason_of(error) if isinstance(error, OSError) else str(error)


def is_stream(path: Path) -> bool:
    """Whether a path leads to a device, a pipe, a terminal or a descriptor of a process.

    ``/dev/stdout`` is a descriptor also where the shell has sent it to an ordinary file: ``>> file``.
    """
    try:
        return _descriptor(path) is not None or (path.exists() and not path.is_file())
    except (OSError, ValueError):  # a name that no file has
        return False


def _append(path: Path, content: bytes) -> None:
    for printed in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # the writer of a broken stream reports it
            printed.flush()
    process, number = _descriptor(path) or (0, 0)
    own = process in (None, os.getpid())
    opened = os.dup(number) if own else os.open(path, os.O_WRONLY | os.O_APPEND)
    with os.fdopen(opened, "wb") as stream:
        stream.write(content)


def _descriptor(path: Path) -> tuple[int | None, int] | None:
    """The process and the number of the descriptor that a path leads to; this process is None."""
    for _ in range(_MOST_LINKS):
        folder = os.path.realpath(path.parent)
        known = _OPEN_FILES.fullmatch(folder)
        if known and path.name.isdecimal():
            process = known["process"]
            return (None if process is None else int(process)), int(path.name)
        if not path.is_symlink():
            return None
        path = Path(folder, path.readlink())
    return None
