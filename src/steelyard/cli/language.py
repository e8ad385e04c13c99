"""``--lang``: the language that a command speaks, by default that of the locale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any

import click

from steelyard.arguments import is_one_of
from steelyard.messages import from_locale, languages
from steelyard.messages.errors.forms import check_language

_OPTION = "--lang"


@dataclass
class Speech:
    """The language of one process; ``stated`` on the command line, where no run file changes it.

    It is known before the arguments are understood, so that it is also told in it that they cannot be.

    >>> Speech.of(["evaluate", "--lang=zh", "--nosuch"])
    Speech(lang='zh', stated=True)
    """

    lang: str = field(default_factory=from_locale)
    stated: bool = False

    @classmethod
    def of(cls, arguments: Sequence[str]) -> Speech:
        """What the arguments of the process ask for."""
        split = [text.split("=", 1) if text.startswith(f"{_OPTION}=") else [text] for text in arguments]
        given = [value for name, value in pairwise(chain(*split)) if name == _OPTION]
        return cls(given[-1], stated=True) if given and given[-1] in languages() else cls()


def lang_option(command: Any) -> Any:
    """The option of every command that prints."""
    option = click.option(
        _OPTION,
        metavar=f"[{'|'.join(languages())}]",
        is_eager=True,
        callback=_spoken,
        help="The language of everything that is said, drawn and reported; without it that of the locale.",
    )
    return option(command)


def speak(context: click.Context, lang: object) -> None:
    """Tell what follows in the language of a run file, unless the command line states another."""
    speech = context.ensure_object(Speech)
    if not speech.stated and is_one_of(lang, languages()):
        speech.lang = str(lang)


def _spoken(context: click.Context, _option: click.Parameter, value: str | None) -> str:
    speech = context.ensure_object(Speech)
    if value is not None:
        check_language(value)
        speech.lang = speech.lang if speech.stated else value
    return speech.lang
