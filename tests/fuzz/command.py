"""The command line in this process, and what it must leave behind."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from steelyard import SteelyardError
from steelyard.cli import main
from steelyard.text import languages, say

from .case import FindError
from .terminal import caught

_ESCAPES = {*map(chr, range(32)), *map(chr, range(0x7F, 0xA0))} - {"\n"}
_BEGINNINGS = tuple(say(text).render(lang) for text in ("error: ", "Usage: ") for lang in languages())


def run_command(arguments: Sequence[str], stdin: bytes = b"", outputs: Sequence[str] = ()) -> None:
    """Exit 0, or 2 with one error on standard error and nothing written; never an escape character there."""
    before = _contents()
    caught()
    code = _left(arguments, stdin)
    _, said = caught()
    if code not in (0, 2):
        raise FindError(f"exit code {code}; {said}")
    if "Traceback (most recent call last)" in said or "panicked at" in said:
        raise FindError(f"a traceback on standard error; {said}")
    if code == 2 and not said.startswith(_BEGINNINGS):
        raise FindError(f"exit code 2 without an error; {said!r}")
    if odd := _ESCAPES & set(said):
        raise FindError(f"control characters on standard error; {sorted(odd)} in {said!r}")
    after = _contents()
    lost = [name for name, data in before.items() if name not in outputs and after.get(name) != data]
    if lost:
        raise FindError(f"an input was changed; {lost}")
    new = set(after) - set(before)
    if code == 2 and new:
        raise FindError(f"refused, yet something was written; {sorted(new)} {said}")
    if code == 2:
        raise SteelyardError(said)
    if not new <= {str(Path(name)) for name in outputs}:
        raise FindError(f"something was written that nobody asked for; {sorted(new)}")


def _left(arguments: Sequence[str], stdin: bytes) -> int:
    """The exit code; what else is raised goes on."""
    held = sys.argv, sys.stdin
    sys.argv = ["steelyard", *arguments]
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
    try:
        main()
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else 1
    finally:
        sys.argv, sys.stdin = held
    return 0


def _contents() -> dict[str, bytes]:
    return {os.path.relpath(path): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}
