"""Values in a file of their own: what it is, in which version, and a check of every byte."""

from __future__ import annotations

import json
import os
import re
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from steelyard.messages import say
from steelyard.messages.errors import ReadError, SteelyardError, opening, writing
from steelyard.messages.errors.forms import must_be
from steelyard.messages.errors.places import reason_of
from steelyard.storage import bounds
from steelyard.storage.sealed import ChangedError, ForeignError, is_sealed, seal, unseal
from steelyard.storage.tree import ChangedMetricError, Classes, UndefinedMetricError, from_tree, to_tree
from steelyard.version import VERSION

_TREE = "tree"
_ENDING = ".steelyard"
_SENSELESS = (
    *(ValueError, TypeError, LookupError, AttributeError, ArithmeticError, MemoryError, RecursionError),
    *(pl.exceptions.PolarsError, pl.exceptions.PanicException),
)
_HEAD = 1 << 16  # bytes, in which the names of the columns stand


def to_bytes(kind: str, version: str, value: Any, classes: Classes) -> bytes:
    """A value as the bytes of its file; ``version`` is ``major.minor``.

    A minor version adds fields that older readers pass over; a major one is for changes that they must not.
    """
    tree, columns = to_tree(value, classes)
    written = pl.Series(_TREE, [json.dumps(tree, allow_nan=False)])
    return seal(kind, version, [written, *(column.implode() for column in columns.values())])


def read(path: str | PathLike[str], kind: str, version: str, classes: Classes) -> Any:
    """The value that a file holds; ``version`` is the one that this code writes."""
    name, data = _content(path)
    try:
        head, frame = unseal(data)
    except ForeignError:
        raise writing.not_saved(name=name) from None
    except ChangedError:
        raise writing.changed(name=name) from None
    if head["kind"] != kind:
        raise writing.holds_another(name=name, found=head["kind"], wanted=kind)
    found, wanted = _numbers(head["version"]), _numbers(version)
    other = writing.saved_otherwise(
        name=name, by=head["steelyard"], found=head["version"], here=VERSION, wanted=version
    )
    if found[0] != wanted[0]:
        raise other
    try:
        text = frame[_TREE][0]
        tree = json.loads(text)
        bounds.check(tree, len(text))
        columns = {column.name: column[0] for column in frame.drop(_TREE)}
        return from_tree(tree, columns, classes)
    except UndefinedMetricError as error:
        raise writing.metric_not_defined(name=name, metric=error.args[0]) from None
    except ChangedMetricError as error:
        metric, there, here = error.args
        raise writing.metric_of_another_kind(name=name, metric=metric, there=there, here=here) from None
    except SteelyardError:
        raise
    except _SENSELESS:
        # the check is right: a later minor version wrote what is known in a way that is not
        raise (other if found > wanted else writing.changed(name=name)) from None


def is_saved(path: str | PathLike[str]) -> bool:
    """Whether a file was saved here, by its beginning, or should have been, by its name."""
    if Path(path).suffix.lower() == _ENDING:
        return True
    try:
        if os.fspath(path) == "-" or not Path(path).is_file():  # a pipe would lose what is read here
            return False
        with Path(path).open("rb") as file:
            return is_sealed(file.read(_HEAD))
    except (OSError, ValueError):  # whoever reads it says why
        return False


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
