"""The standard streams and the terminal: talk on stderr, data on stdout, whatever they can show."""

from __future__ import annotations

import codecs
import errno
import json
import os
import re
import shutil
import sys
from contextlib import suppress
from io import FileIO, TextIOWrapper, UnsupportedOperation
from pathlib import Path
from typing import TextIO

import click

from steelyard.printable import visible, visible_lines
from steelyard.text import say
from steelyard.text.errors import SteelyardError, writing
from steelyard.text.errors.places import reason_of

_READABLE = "steelyard.readable"
_STAND_INS = {
    **{"→": "->", "↓": "v", "…": "...", "·": "-", "–": "-", "—": "--", "−": "-", "×": "x", "∞": "inf"},
    **{"≥": ">=", "≤": "<=", "≠": "!=", "≈": "~", "Σ": "sum", "√": "sqrt", "²": "^2", "━": "="},
}


def prepare() -> None:
    """Let every stream be one that can be used, and show what it cannot encode by a readable stand-in.

    A stream that the shell has closed is put in its place, so that no file gets its number: nothing comes
    from stdin, what is said on stderr is lost, and what is written to stdout fails.
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
    tell(say("written: {path}", path=visible(str(path))).told(lang))


def show(text: str) -> None:
    click.echo(visible_lines(text), file=sys.stdout)


def show_fields(lines: bytes) -> None:
    """Print lines of fields between tabs, whatever they hold."""
    fields = lines.decode(errors="backslashreplace").split("\t")
    click.echo("\t".join(map(visible_lines, fields)), nl=False, file=sys.stdout)


def give(text: str, form: str) -> None:
    """Print a form of a result; what programs read is not changed, except where a terminal shows it.

    Where standard output has an encoding other than UTF-8, JSON, HTML and Markdown spell out what it lacks;
    in CSV and LaTeX that would be another text, and is refused.
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
    """Discard what a stream could not write; Python would try again at exit, and end with code 120."""
    with suppress(OSError, ValueError):
        output = stream.fileno()
        os.dup2(os.open(os.devnull, os.O_WRONLY), output)


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    r"""What is shown for characters that an encoding lacks: ``->`` for an arrow, ``\u4e2d`` for 中."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_STAND_INS.get(one) or ascii(one)[1:-1] for one in lacking), error.end


def width(stream: TextIO) -> int | None:
    """How many characters a line of this terminal holds; None where ``stream`` is no terminal."""
    if not stream.isatty():
        return None
    with suppress(OSError, ValueError):
        if not os.environ.get("COLUMNS") and (columns := os.get_terminal_size(stream.fileno()).columns):
            return columns
    return shutil.get_terminal_size().columns


def has_colours(stream: TextIO) -> bool:
    """Whether colours may be shown: on a terminal that has them, to somebody who has not refused them."""
    dumb = os.environ.get("TERM", "") in ("", "dumb")
    return stream.isatty() and not os.environ.get("NO_COLOR") and (os.name == "nt" or not dumb)
