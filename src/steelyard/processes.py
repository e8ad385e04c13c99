"""Refuse work after a ``fork``: the child has no threads of Polars, and would wait for them for ever.

Whatever uses Polars calls ``check()`` first; in a child whose parent used Polars it is an error.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from threading import Lock

_THREADS = Path("/proc/self/task")  # only Linux has the names of threads
_OF_POLARS = re.compile(r"polars-\d|async-executor")

_used = False  # whether this process has used Polars
_at_fork = False  # whether it had when a fork began
_threads_lost = False  # whether its parent had
_forking = Lock()


def check() -> None:
    global _used
    if _threads_lost:
        from steelyard.text.errors.measuring import forked_too_late

        raise forked_too_late()
    if not _used:
        with _forking:  # never between the two halves of a fork
            _used = True


def _before_fork() -> None:
    global _at_fork
    _forking.acquire()
    _at_fork = _threads_lost or _used or _has_threads_of_polars()


def _after_in_child() -> None:
    global _used, _threads_lost
    _used, _threads_lost = False, _at_fork
    _forking.release()


def _has_threads_of_polars() -> bool:
    if "polars" not in sys.modules or not _THREADS.is_dir():
        return False
    return any(_OF_POLARS.match(_name(thread)) for thread in _THREADS.iterdir())


def _name(thread: Path) -> str:
    try:
        return (thread / "comm").read_text()
    except OSError:  # it has ended
        return ""


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(before=_before_fork, after_in_parent=_forking.release, after_in_child=_after_in_child)
