"""What a user is told where a process cannot do what it is asked for."""

from __future__ import annotations

from steelyard.errors.base import SteelyardError


def forked_too_late() -> SteelyardError:
    return SteelyardError(
        "this process was made by fork when Polars was at work in its parent: "
        "it has none of Polars' threads, and would wait for them for ever",
        remedy='start processes with spawn or forkserver, as in multiprocessing.get_context("spawn"), '
        "or fork before the first evaluation",
    )
