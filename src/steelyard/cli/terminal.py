"""What is known of the terminal, if there is one."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import TextIO


def width(stream: TextIO) -> int | None:
    """How many characters a line of this terminal holds; None where ``stream`` is no terminal."""
    if not stream.isatty():
        return None
    with suppress(OSError, ValueError):
        if not os.environ.get("COLUMNS") and (columns := os.get_terminal_size(stream.fileno()).columns):
            return columns
    return shutil.get_terminal_size().columns


def open_closed_streams() -> None:
    """Let a stream that the shell has closed (``>&-``) lead nowhere, so that it can be used like others."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - till the end
