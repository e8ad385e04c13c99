"""A process made by ``fork`` has none of its parent's threads, and Polars would wait for its own for ever.

What needs them says so with ``check()``, and is refused at once in a child whose parent had them.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from threading import Lock

_THREADS = Path("/proc/self/task")  # Linux alone tells the names of threads
_OF_POLARS = re.compile(r"polars-\d|async-executor")

_used = False  # whether anything here has asked Polars to work, in this process
_found = False  # whether Polars was at work when a fork began
_threads_lost = False  # whether it was at work in the parent of this process
_forking = Lock()


def check() -> None:
    global _used
    if _threads_lost:
        from steelyard.text.errors.measuring import forked_too_late

        raise forked_too_late()
    if not _used:
        with _forking:  # never between a look at this process and its fork
            _used = True


def _before_fork() -> None:
    global _found
    _forking.acquire()
    _found = _threads_lost or _used or _has_threads_of_polars()


def _after_in_child() -> None:
    global _used, _threads_lost
    _used, _threads_lost = False, _found
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
