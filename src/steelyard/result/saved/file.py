"""The file of a saved result: a zip of parquet tables and ``manifest.json``."""

from __future__ import annotations

import json
import os
import re
import zipfile
import zlib
from collections.abc import Mapping
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from steelyard.result.saved.contents import from_tables, to_tables
from steelyard.result.saved.plain import ChangedMetricError, UndefinedMetricError
from steelyard.text import say
from steelyard.text.errors import ReadError, SteelyardError, opening, writing
from steelyard.text.errors.forms import must_be
from steelyard.text.errors.places import reason_of
from steelyard.version import VERSION

FORM = "6.0"  # major.minor: a minor version adds what older readers ignore, a major one what they must not
_ENDING = ".steelyard"
_MANIFEST = "manifest.json"
_HEAD = b"PK\x03\x04"
_OLD = b"ARROW1"  # how files of the forms before 6.0 begin
_NAME_AT = 30  # bytes before the name of the first file in a zip
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, MemoryError),
    *(ValueError, TypeError, LookupError, AttributeError, ArithmeticError),
    *(pl.exceptions.PolarsError, pl.exceptions.PanicException),
)


def to_bytes(fields: Mapping[str, Any]) -> bytes:
    """The fields of a result as the bytes of a file; the same fields give the same bytes."""
    manifest, tables = to_tables(fields)
    head = {"kind": "result", "version": FORM, "steelyard": VERSION}
    files = {_MANIFEST: json.dumps({**head, **manifest}, allow_nan=False, indent=1).encode()}
    for name, columns in tables.items():
        out = BytesIO()
        try:
            pl.DataFrame(columns).write_parquet(out, statistics=False)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):  # a type that parquet lacks
            types = ", ".join({str(column.dtype): None for column in columns.values()})
            raise writing.cannot_hold(type=f"table of {types}") from None
        files[f"{name}.parquet"] = out.getvalue()
    whole = BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)  # of no date
            info.compress_type = zipfile.ZIP_DEFLATED if name == _MANIFEST else zipfile.ZIP_STORED
            archive.writestr(info, data)
    return whole.getvalue()


def read(path: str | PathLike[str]) -> dict[str, Any]:
    """The fields of the result that a file holds."""
    name, data = _content(path)
    if data.startswith(_OLD):
        raise _old(name, data)
    if not _is_ours(data):
        raise writing.not_saved(name=name)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            files = {one: archive.read(one) for one in archive.namelist()}  # each is checked by its sum
        manifest = json.loads(files.pop(_MANIFEST))
        found = str(manifest["version"])
    except (*_BROKEN, RecursionError):
        raise writing.changed(name=name) from None
    other = _other(name, manifest.get("steelyard"), found)
    if _numbers(found)[0] != _numbers(FORM)[0]:
        raise other
    try:
        tables = {
            one.removesuffix(".parquet"): pl.read_parquet(BytesIO(table)) for one, table in files.items()
        }
        return from_tables(manifest, tables)
    except UndefinedMetricError as error:
        raise writing.metric_not_defined(name=name, metric=error.args[0]) from None
    except ChangedMetricError as error:
        metric, there, here = error.args
        raise writing.metric_of_another_kind(name=name, metric=metric, there=there, here=here) from None
    except SteelyardError:
        raise
    except (*_BROKEN, RecursionError):  # a later minor version may use what this one cannot read
        raise (other if _numbers(found) > _numbers(FORM) else writing.changed(name=name)) from None


def is_saved(path: str | PathLike[str]) -> bool:
    """Whether a file is a saved result, by its beginning, or should be one, by its name."""
    if Path(path).suffix.lower() == _ENDING:
        return True
    try:
        if os.fspath(path) == "-" or not Path(path).is_file():  # a pipe would lose what is read here
            return False
        with Path(path).open("rb") as file:
            return _is_ours(file.read(_NAME_AT + len(_MANIFEST)))
    except (OSError, ValueError):  # the reader says why
        return False


def _is_ours(beginning: bytes) -> bool:
    return beginning.startswith(_HEAD) and beginning[_NAME_AT:].startswith(_MANIFEST.encode())


def _old(name: str, data: bytes) -> SteelyardError:
    """The error for a file that an older version saved, or for another Arrow file."""
    try:
        head = pl.read_ipc(BytesIO(data), columns=["version", "steelyard"]).row(0, named=True)
    except _BROKEN:
        return writing.not_saved(name=name)
    return _other(name, head["steelyard"], str(head["version"]))


def _other(name: str, by: Any, found: str) -> SteelyardError:
    return writing.saved_otherwise(name=name, by=str(by), found=found, here=VERSION, wanted=FORM)


def _numbers(version: str) -> tuple[int, ...]:
    """Versions in their order.

    >>> _numbers("1.10") > _numbers("1.9")
    True
    """
    return tuple(int(part) for part in re.findall(r"\d{1,9}", version)) or (-1,)


def _content(given: object) -> tuple[str, bytes]:
    """The name and the bytes of a file."""
    if not isinstance(given, str | PathLike):
        what, remedy = say("the name of a file"), say("name what result.save wrote: 'run.steelyard'")
        raise must_be(what, say("text or a path"), given, remedy=remedy, kind=ReadError)
    path = Path(given)
    name = str(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        siblings = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
        raise opening.file_not_found(
            name, folder=str(path.parent), siblings=siblings, wanted=path.name
        ) from None
    except PermissionError:
        raise opening.permission_denied(name=name) from None
    except (OSError, ValueError) as error:  # a folder; a name that no file can have
        reason = reason_of(error) if isinstance(error, OSError) else str(error)
        raise opening.unreadable(name=name, reason=reason) from None
    if not data:
        raise opening.empty_file(name=name)
    return name, data
