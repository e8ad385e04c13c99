"""Which of the two runs: the compiled kernel or its NumPy twin."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import cache
from typing import Any, Literal

LARGE = 1_000_000  # rows from which importing Numba and loading a cached kernel pays

Side = Literal["kernel", "twin"]

_forced: ContextVar[Side | None] = ContextVar("steelyard_kernels", default=None)


@contextlib.contextmanager
def forced(side: Side) -> Iterator[None]:
    """Run every kernel, or every twin, whatever the size: for tests and benchmarks."""
    token = _forced.set(side)
    try:
        yield
    finally:
        _forced.reset(token)


def pick(rows: int, kernel: Callable[..., Any], twin: Callable[..., Any]) -> Callable[..., Any]:
    """The compiled kernel for large inputs, the twin for the rest."""
    side = _forced.get() or ("kernel" if rows >= LARGE else "twin")
    return _compiled(kernel) if side == "kernel" else twin


@cache
def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    import numba

    try:
        compiled: Callable[..., Any] = numba.njit(function, cache=True, nogil=True)
    except RuntimeError:  # nowhere to keep a cache: neither the package's folder nor the user's is writable
        compiled = numba.njit(function, nogil=True)
    return compiled
