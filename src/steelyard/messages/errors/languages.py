"""What a user is told when a language is asked for that nothing can be told in."""

from __future__ import annotations

from steelyard.arguments import is_one_of
from steelyard.messages import languages, say
from steelyard.messages.errors.forms import unknown


def check_language(lang: object) -> None:
    """Refuse a language that there is no catalogue for.

    >>> check_language("fr")
    Traceback (most recent call last):
    steelyard.messages.errors.base.MetricError: unknown language 'fr'
    known: en, zh
    """
    if not is_one_of(lang, languages()):
        raise unknown(say("unknown language '{lang}'", lang=str(lang)), lang, languages())
