"""A progress bar: on the terminal, or under the cell of a notebook."""

from __future__ import annotations

import html
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from threading import Timer
from typing import Any, TypeAlias

from steelyard.text import ENGLISH, Message, say
from steelyard.text.errors import asking

Tell: TypeAlias = Callable[[Message], object]

_DELAY = 0.5  # seconds before a bar appears on a terminal: short work shows none


@dataclass(frozen=True)
class Bar:
    """A bar in a language; ``progress=True`` is one in English."""

    lang: str = ENGLISH


Progress: TypeAlias = bool | Callable[[str], object] | Bar | None


@contextmanager
def reporting(progress: object, steps: int) -> Iterator[Tell]:
    """The function that gets each of ``steps`` stages: of a bar, of the caller, or one without effect."""
    lang = progress.lang if isinstance(progress, Bar) else ENGLISH
    ipython = sys.modules.get("IPython")  # on a terminal it has no kernel
    if progress is None or progress is False:
        yield _nobody
    elif progress is not True and not isinstance(progress, Bar):
        if not callable(progress) or isinstance(progress, type):
            raise asking.bad_progress(progress)
        yield progress
    elif ipython is not None and getattr(ipython.get_ipython(), "kernel", None) is not None:
        with _under_the_cell(steps, lang) as tell:
            yield tell
    elif sys.stderr is not None and sys.stderr.isatty():
        with _on_the_terminal(steps, lang) as tell:
            yield tell
    else:
        yield _nobody


def _nobody(_stage: Message) -> None:
    pass


@contextmanager
def _under_the_cell(steps: int, lang: str) -> Iterator[Tell]:
    """A bar of plain HTML, so that no further package is needed."""
    from IPython.display import HTML, display

    reached = count()
    cell = display(HTML(""), display_id=True)

    def tell(stage: Message) -> None:
        shown = html.escape(stage.render(lang))
        cell.update(HTML(f'<progress max="{steps}" value="{next(reached)}"></progress> {shown}'))

    try:
        yield tell
    finally:
        cell.update(HTML(""))


@contextmanager
def _on_the_terminal(steps: int, lang: str) -> Iterator[Tell]:
    bar = _Bar(steps, lang)
    timer = Timer(_DELAY, bar.appear)
    timer.start()
    try:
        yield bar.reach
    finally:
        timer.cancel()
        timer.join()
        bar.vanish()


class _Bar:
    def __init__(self, steps: int, lang: str) -> None:
        self._steps, self._lang = steps, lang
        self._reached = 0
        self._stage = say("starting").render(lang)
        self._shown: Any = None

    def reach(self, stage: Message) -> None:
        self._stage, self._reached = stage.render(self._lang), self._reached + 1
        if self._shown is not None:
            self._shown.update(0, description=self._stage, completed=self._reached - 1)

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
