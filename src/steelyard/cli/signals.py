"""Signals that end a process, while it has something to tidy up."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


interrupts: list[int] = []  # Ctrl-C may come out of an import, or of compiled code, as another exception


def note_interrupts() -> None:
    """Let Ctrl-C raise KeyboardInterrupt, and be known whatever becomes of that; not where it is ignored."""
    interrupts.clear()
    if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, signal.SIG_DFL):
        signal.signal(signal.SIGINT, _interrupt)


def end_at_once() -> None:
    """Let a further Ctrl-C end the process without a word: it is about to end."""
    if signal.getsignal(signal.SIGINT) is _interrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _interrupt(number: int, _: FrameType | None) -> None:
    interrupts.append(number)
    raise KeyboardInterrupt


class _Ended(BaseException):
    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def tidied_up() -> Iterator[None]:
    """Let a signal unwind the work inside before it ends the process, so that no temporary file stays.

    The first one counts: a second Ctrl-C cannot keep the first from tidying up. What was ignored (``nohup``)
    stays ignored, and what was handled by other than Python, which it could not be given back to, stays so.
    """
    before = {number: signal.getsignal(number) for number in _ENDING}
    caught = [number for number, handler in before.items() if handler not in (signal.SIG_IGN, None)]

    def unwind(number: int, _: FrameType | None) -> None:
        for one in caught:
            signal.signal(one, signal.SIG_IGN)
        if number == signal.SIGINT:
            _interrupt(number, None)
        raise _Ended(number)

    for number in caught:
        signal.signal(number, unwind)
    try:
        yield
    except _Ended as ended:
        signal.signal(ended.number, signal.SIG_DFL)
        os.kill(os.getpid(), ended.number)
    finally:
        for number in caught:
            signal.signal(number, before[number])
