"""The standard streams, the terminal, and signals: results go to stdout, messages to stderr."""

from __future__ import annotations

import codecs
import errno
import json
import os
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO, TextIOWrapper, UnsupportedOperation
from pathlib import Path
from types import FrameType
from typing import TextIO

import click

from steelyard.printable import visible, visible_lines
from steelyard.text import say
from steelyard.text.errors import SteelyardError, writing
from steelyard.text.errors.forms import reason_of

_READABLE = "steelyard.readable"
_STAND_INS = {
    **{"→": "->", "↓": "v", "…": "...", "·": "-", "–": "-", "—": "--", "−": "-", "×": "x", "∞": "inf"},
    **{"≥": ">=", "≤": "<=", "≠": "!=", "≈": "~", "Σ": "sum", "√": "sqrt", "²": "^2", "━": "="},
}


def prepare() -> None:
    """Replace streams that the shell has closed, and show what a stream cannot encode by a readable stand-in.

    No file may get the number of a closed stream. Writing to a closed stdout fails.
    """
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - till the end
    if sys.stdout is None:
        refusing = os.open(os.devnull, os.O_RDONLY)
        sys.stdout = TextIOWrapper(FileIO(refusing, "w"), encoding="utf-8", write_through=True)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - till the end
    codecs.register_error(_READABLE, _stand_in)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_READABLE)


def tell(text: str) -> None:
    try:
        click.echo(visible_lines(text), file=sys.stderr)
    except OSError:
        drop(sys.stderr)


def tell_written(path: object, lang: str) -> None:
    tell(say("written: {path}", path=visible(str(path))).render(lang))


def show(text: str) -> None:
    click.echo(visible_lines(text), file=sys.stdout)


def show_fields(lines: bytes) -> None:
    """Print lines of fields between tabs."""
    fields = lines.decode(errors="backslashreplace").split("\t")
    click.echo("\t".join(map(visible_lines, fields)), nl=False, file=sys.stdout)


def give(text: str, form: str) -> None:
    """Print a form of a result; only a terminal gets unprintable characters spelt out.

    If standard output cannot encode a character, JSON, HTML and Markdown escape it; CSV and LaTeX are
    refused.
    """
    if form == "table" or sys.stdout.isatty():
        return show(text)
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError as error:
        if form == "json":
            text = re.sub(r"[^\x00-\x7f]", lambda found: json.dumps(found[0])[1:-1], text)
        elif form in ("html", "markdown"):
            text = text.encode(encoding, "xmlcharrefreplace").decode(encoding)
        else:
            raise writing.cannot_encode(
                encoding=encoding, character=ascii(error.object[error.start])
            ) from None
    return click.echo(text, file=sys.stdout)


def check_output() -> None:
    """Refuse a standard output that is closed before any work is done."""
    try:
        os.write(sys.stdout.fileno(), b"")
    except UnsupportedOperation:  # no descriptor is behind it
        return
    except OSError as error:
        raise refused(error) from None


def refused(error: OSError) -> SteelyardError:
    why = say("it is closed") if error.errno == errno.EBADF else reason_of(error)
    return writing.cannot_write(what=say("standard output"), why=why)


def drop(stream: TextIO) -> None:
    """Discard what a stream could not write; Python would try again at exit and end with code 120."""
    with suppress(OSError, ValueError):
        output = stream.fileno()
        os.dup2(os.open(os.devnull, os.O_WRONLY), output)


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    r"""The stand-ins for characters that an encoding lacks: ``->`` for an arrow, ``\u4e2d`` for 中."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_STAND_INS.get(letter) or ascii(letter)[1:-1] for letter in lacking), error.end


def width(stream: TextIO) -> int | None:
    """The characters in a line of the terminal; None if ``stream`` is no terminal."""
    if not stream.isatty():
        return None
    with suppress(OSError, ValueError):
        if not os.environ.get("COLUMNS") and (columns := os.get_terminal_size(stream.fileno()).columns):
            return columns
    return shutil.get_terminal_size().columns


def has_colours(stream: TextIO) -> bool:
    """Whether to use colours: on a terminal that has them, unless ``NO_COLOR`` is set."""
    dumb = os.environ.get("TERM", "") in ("", "dumb")
    return stream.isatty() and not os.environ.get("NO_COLOR") and (os.name == "nt" or not dumb)


# --- signals that end a process, while it has something to tidy up

_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
interrupts: list[int] = []  # Ctrl-C may come out of an import, or of compiled code, as another exception


def note_interrupts() -> None:
    """Let Ctrl-C raise KeyboardInterrupt and be recorded, unless it is ignored."""
    interrupts.clear()
    if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, signal.SIG_DFL):
        signal.signal(signal.SIGINT, _interrupt)


def end_at_once() -> None:
    """Let another Ctrl-C end the process without a message."""
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

    Further signals are ignored then. Signals that are ignored (``nohup``) or not handled by Python stay so.
    """
    before = {number: signal.getsignal(number) for number in _ENDING}
    caught = [number for number, handler in before.items() if handler not in (signal.SIG_IGN, None)]

    def unwind(number: int, _: FrameType | None) -> None:
        for other in caught:
            signal.signal(other, signal.SIG_IGN)
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
