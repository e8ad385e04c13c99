"""The standard streams of a process, caught where the system writes them."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Self


@dataclass
class Terminal:
    """Standard output and standard error as two files, below Python: a panic in Rust writes there too."""

    folder: Path

    def __enter__(self) -> Self:
        sys.stdout.flush()
        sys.stderr.flush()
        self.kept = [os.dup(1), os.dup(2)]
        for number, name in ((1, "out"), (2, "err")):
            file = os.open(self.folder / name, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            os.dup2(file, number)
            os.close(file)
        sys.stdout = io.TextIOWrapper(os.fdopen(os.dup(1), "wb"), "utf-8", errors="strict")
        sys.stderr = io.TextIOWrapper(os.fdopen(os.dup(2), "wb"), "utf-8", errors="backslashreplace")
        return self

    def __exit__(self, *_: object) -> None:
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
        for number, kept in enumerate(self.kept, 1):
            os.dup2(kept, number)
            os.close(kept)


def caught() -> tuple[str, str]:
    """What stands on the two streams since the last time; reading empties them."""
    sys.stdout.flush()
    sys.stderr.flush()
    texts = []
    for number in (1, 2):
        length = os.fstat(number).st_size
        texts.append(os.pread(number, length, 0).decode("utf-8", "replace"))
        os.ftruncate(number, 0)
    return texts[0], texts[1]
