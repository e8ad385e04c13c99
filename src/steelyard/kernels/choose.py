"""Which of the two runs: the compiled kernel or its NumPy twin."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from functools import cache
from itertools import pairwise
from threading import Lock, Thread
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from steelyard.arrays import Ints
from steelyard.text import Message, say

T = TypeVar("T")
LARGE = 600_000  # rows from which importing Numba and loading a cached kernel pays
LARGE_WHEN_LOADED = 50_000  # rows from which a kernel pays once Numba is there
Side = Literal["kernel", "twin"]
_SHARES = 8

_warming: Thread | None = None
_warm = False  # whether the warm-up is over
_loading = Lock()
_called: list[Callable[..., Any]] = []  # what hot loops call, until Numba knows it
_lacking: Message | None = None  # why there are no kernels, once one was wanted
_there = False  # whether Numba has been imported
_forced: ContextVar[Side | None] = ContextVar("steelyard_kernels", default=None)
_missed: ContextVar[set[Message] | None] = ContextVar("steelyard_missed_kernels", default=None)


@contextlib.contextmanager
def forced(side: Side) -> Iterator[None]:
    """Run every kernel, or every twin, whatever the size: for tests and benchmarks."""
    token = _forced.set(side)
    try:
        yield
    finally:
        _forced.reset(token)


def warm_up(kernel: Callable[..., Any], *arguments: object) -> None:
    """Import Numba and load a kernel in the background, while a large table is being read."""
    global _warming
    if _warming is None:
        _warming = Thread(target=_warm_up, args=(kernel, arguments), name="steelyard-warm-up")
        _warming.start()


def _warm_up(kernel: Callable[..., Any], arguments: tuple[object, ...]) -> None:
    global _warm
    if _has_numba():
        _compiled(kernel)(*arguments)
    _warm = True


def use_kernel(rows: int) -> bool:
    """Whether the kernel runs, as for large inputs, or its twin; without Numba it is always the twin."""
    if side := _forced.get():
        return side == "kernel"
    if rows < (LARGE if _warming is None else LARGE_WHEN_LOADED):
        return False
    if _has_numba():
        return True
    missed = _missed.get()
    if missed is not None and _lacking is not None:
        missed.add(_lacking)
    return False


@contextlib.contextmanager
def watched() -> Iterator[set[Message]]:
    """Collect a message where an input inside is large enough for kernels and there are none."""
    missed = set[Message]()
    token = _missed.set(missed)
    try:
        yield missed
    finally:
        _missed.reset(token)


def _has_numba() -> bool:
    """Whether kernels can be compiled; a Numba that cannot be imported must stop nobody."""
    global _lacking, _there
    if not _there and not _lacking:
        try:
            with _loading:
                import numba  # noqa: F401
            _there = True
        except Exception as error:  # too new a Python or NumPy, half an installation: each has its own
            _lacking = say(
                "Numba cannot be imported ({why}): large tables take longer, and the numbers are the same.",
                key="without_numba",
                why=" ".join(str(error).split()),
            )
    return not _lacking


def called_in_loops(function: Callable[..., T]) -> Callable[..., T]:
    """Mark a small function that hot loops call: Numba then compiles it into them, cached as they are."""
    _called.append(function)
    return function


def in_parallel(loop: Callable[..., T], offsets: Ints, *others: Ints) -> Callable[..., list[T]]:
    """Run a compiled loop over shares of the queries, one share for each processor.

    ``offsets`` and ``others`` are cut at the same queries; further arguments are the same for all. Each
    share writes only what belongs to its own queries.
    """
    run = compiled(loop)
    n_queries, n_rows = len(offsets) - 1, int(offsets[-1])
    shares = max(1, min(os.cpu_count() or 1, 8, n_queries))
    cuts = np.searchsorted(offsets, np.linspace(0, n_rows, shares + 1)[1:-1]).tolist()
    bounds = list(pairwise([0, *cuts, n_queries]))

    def every_share(*arguments: object) -> list[T]:
        with ThreadPoolExecutor(len(bounds)) as pool:
            parts = [[array[low : high + 1] for array in (offsets, *others)] for low, high in bounds]
            return list(pool.map(lambda part: run(*part, *arguments), parts))

    return every_share


def row_shares(n_rows: int) -> Ints:
    """Where each share of the rows begins and ends: what ``in_parallel`` deals out."""
    return np.linspace(0, n_rows, _SHARES + 1).astype(np.int64)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The same values, contiguous and not to be written to: one type that kernels are compiled for."""
    kept = np.ascontiguousarray(array).view()
    kept.flags.writeable = False
    return kept


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """A hot loop as machine code; compiled once, then kept on disk."""
    if _warming is not None:
        _warming.join()
    return _compiled(function)


@cache
def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    with _loading:
        import numba
        from numba.extending import register_jitable

        while _called:
            register_jitable(_called.pop())
    try:
        made: Callable[..., Any] = numba.njit(function, cache=True, nogil=True)
    except RuntimeError:  # nowhere to keep a cache: neither the package's folder nor the user's is writable
        made = numba.njit(function, nogil=True)

    ready: set[tuple[object, ...]] = set()  # the types of arguments that there is machine code for

    def run(*arguments: object) -> Any:
        nonlocal made
        types = tuple(map(numba.typeof, arguments))
        if types not in ready:
            with _loading:
                if types not in ready:
                    try:
                        _prepare(made, types)
                    except Exception:  # the cache cannot be written to, or what it holds is spoilt
                        made = numba.njit(function, nogil=True)
                        _prepare(made, types)
                        ready.clear()
                    ready.add(types)
        return made(*arguments)

    return run


def _prepare(made: Callable[..., Any], types: tuple[object, ...]) -> None:
    """Load or make the machine code for these types, so that a call has nothing left but to run it."""
    if hasattr(made, "compile"):  # NUMBA_DISABLE_JIT=1 leaves the loop as it is
        made.compile(types)


def _after_fork() -> None:
    """In a child: what another thread of the parent was loading will never be there."""
    global _lacking, _loading
    if _loading.locked() or (_warming is not None and not _warm):
        _lacking = say(
            "the process was forked while Numba was being loaded: large tables take longer, "
            "and the numbers are the same.",
            key="without_numba",
        )
    _loading = Lock()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_after_fork)
