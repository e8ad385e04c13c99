"""What is known of the terminal, if there is one."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from typing import TextIO


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
