"""A third language: one file, in which every text stands in brackets."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path

import pytest

from steelyard.text import HINT

from .tool import loaded

LANG = "xx"
_INNERMOST = re.compile("⟦[^⟦⟧]*⟧")


def written(folder: Path) -> Path:
    """The file, with every template that there is."""
    texts = dict.fromkeys(one.text for one in loaded("messages").everything()[0])
    lines = [f"{json.dumps(text)} = {json.dumps(f'⟦{text.partition(HINT)[0]}⟧')}" for text in texts]
    file = folder / f"{LANG}.toml"
    file.write_text("\n".join(["[all]", *lines]), "utf-8")
    return file


def look_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the files of a folder be languages."""
    known = import_module("steelyard.text")
    monkeypatch.setattr(known, "FOLDERS", [*known.FOLDERS, folder])


def outside(text: str) -> str:
    """What stands in no brackets: all that is not told in the language."""
    cut = 1
    while cut:
        text, cut = _INNERMOST.subn("", text)
    return text
