"""Devices, pipes and descriptors: outputs that are written to, never truncated and never replaced."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from pathlib import Path

from steelyard.messages import say
from steelyard.messages.errors import writing

_OPEN_FILES = re.compile(r"/dev/fd|/proc/(?P<process>\d+)(?:/task/\d+)?/fd")
_MOST_LINKS = 40  # as many as Linux follows


def is_stream(path: Path) -> bool:
    """Whether a path leads to a device, a pipe, a terminal or a descriptor of a process.

    ``/dev/stdout`` is a descriptor also where the shell has sent it to an ordinary file: ``>> file``.
    """
    return _descriptor(path) is not None or (path.exists() and not path.is_file())


def append(path: Path, content: bytes) -> None:
    """Write to the end of a stream; what was printed before stands before it."""
    for printed in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # none, full or closed: its writer's affair
            printed.flush()
    number = _own(_descriptor(path))
    opened = os.open(path, os.O_WRONLY | os.O_APPEND) if number is None else os.dup(number)
    with os.fdopen(opened, "wb") as stream:
        stream.write(content)


def check_open(path: Path) -> None:
    """Refuse a descriptor that is not open, as ``/dev/fd/9`` mostly is not."""
    if _descriptor(path) is not None and not path.exists():
        raise writing.cannot_write(path, say("nothing is open there"), say("open it, or name a file"))


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


def _own(descriptor: tuple[int | None, int] | None) -> int | None:
    """The number of a descriptor that is one of this process."""
    if descriptor is None or descriptor[0] not in (None, os.getpid()):
        return None
    return descriptor[1]
