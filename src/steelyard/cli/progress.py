"""A progress bar on the terminal while long work goes on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

_DELAY = 0.5  # seconds before a bar appears: short work shows none


@contextmanager
def progress(steps: int) -> Iterator[Callable[[str], None]]:
    """Show on stderr, if that is a terminal, which of ``steps`` stages the work has reached."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    bar = _Bar(steps)
    timer = Timer(_DELAY, bar.appear)
    timer.start()
    try:
        yield bar.reach
    finally:
        timer.cancel()
        timer.join()
        bar.vanish()


class _Bar:
    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._reached = 0
        self._stage = "starting"
        self._shown: Any = None

    def reach(self, stage: str) -> None:
        self._stage, self._reached = stage, self._reached + 1
        if self._shown is not None:
            self._shown.update(0, description=stage, completed=self._reached - 1)

    def appear(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (BarColumn(bar_width=24), TextColumn("{task.description}"), TimeElapsedColumn())
        shown = Progress(*columns, console=Console(stderr=True), transient=True)
        shown.add_task(self._stage, total=self._steps, completed=max(self._reached - 1, 0))
        shown.start()
        self._shown = shown

    def vanish(self) -> None:
        if self._shown is not None:
            self._shown.stop()
