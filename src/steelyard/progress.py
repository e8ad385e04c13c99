"""A bar while long work goes on: on the terminal, or under the cell of a notebook."""

from __future__ import annotations

import html
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from threading import Timer
from typing import Any, TypeAlias

from steelyard.errors import asking

Say: TypeAlias = Callable[[str], object]

_DELAY = 0.5  # seconds before a bar appears on a terminal: short work shows none


@contextmanager
def told(progress: object, steps: int) -> Iterator[Say]:
    """Whom to tell which of ``steps`` stages the work has reached: a bar, a function, or nobody."""
    if progress is None or progress is False:
        yield _nobody
    elif progress is not True:
        if not callable(progress) or isinstance(progress, type):
            raise asking.bad_progress(progress)
        yield progress
    elif _in_notebook():
        with _under_the_cell(steps) as say:
            yield say
    elif sys.stderr is not None and sys.stderr.isatty():
        with _on_the_terminal(steps) as say:
            yield say
    else:
        yield _nobody


def _nobody(_stage: str) -> None:
    pass


def _in_notebook() -> bool:
    """Whether a notebook's kernel runs this; IPython on a terminal has none."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and getattr(ipython.get_ipython(), "kernel", None) is not None


@contextmanager
def _under_the_cell(steps: int) -> Iterator[Say]:
    """A bar of plain HTML, so that no further package is needed."""
    from IPython.display import HTML, display

    reached = count()
    cell = display(HTML(""), display_id=True)

    def say(stage: str) -> None:
        cell.update(HTML(f'<progress max="{steps}" value="{next(reached)}"></progress> {html.escape(stage)}'))

    try:
        yield say
    finally:
        cell.update(HTML(""))


@contextmanager
def _on_the_terminal(steps: int) -> Iterator[Say]:
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

        stage = TextColumn("{task.description}", markup=False)
        shown = Progress(
            BarColumn(bar_width=24), stage, TimeElapsedColumn(), console=Console(stderr=True), transient=True
        )
        shown.add_task(self._stage, total=self._steps, completed=max(self._reached - 1, 0))
        shown.start()
        self._shown = shown

    def vanish(self) -> None:
        if self._shown is not None:
            self._shown.stop()
