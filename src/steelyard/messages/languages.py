"""The languages there are: English in the source, every other as one file of this folder."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

ENGLISH = "en"
FOLDERS = [Path(__file__).parent]  # a file NAME.toml in one of them is a language
_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")  # as POSIX reads them: the first that is set counts


def languages() -> list[str]:
    """Every language that a message can be told in, English first.

    >>> languages()
    ['en', 'zh']
    """
    found = {file.stem for folder in FOLDERS for file in folder.glob("*.toml")}
    return [ENGLISH, *sorted(found - {ENGLISH})]


def catalogue(lang: str) -> Mapping[str, str]:
    """English templates with those of a language; English needs none.

    >>> catalogue("en")
    {}
    >>> catalogue("zh")["; "]
    '；'
    """
    return {} if lang == ENGLISH else _read(lang, tuple(FOLDERS))


def from_locale(environ: Mapping[str, str] = os.environ) -> str:
    """The language of the terminal, as far as there is one; else English.

    >>> from_locale({"LANG": "zh_CN.UTF-8"}), from_locale({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"})
    ('zh', 'en')
    """
    named = next((environ[name] for name in _VARIABLES if environ.get(name)), ENGLISH)
    lang = re.split("[._@-]", named)[0].lower()
    return lang if lang in languages() else ENGLISH


@cache
def _read(lang: str, folders: tuple[Path, ...]) -> Mapping[str, str]:
    file = next((file for folder in folders if (file := folder / f"{lang}.toml").exists()), None)
    if file is None:
        raise ValueError(f"unknown language {lang!r}\nknown: {', '.join(languages())}")
    sections: dict[str, dict[str, Any]] = tomllib.loads(file.read_text("utf-8"))
    return {template: said for section in sections.values() for template, said in section.items()}
