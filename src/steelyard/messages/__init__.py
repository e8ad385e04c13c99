"""What a user reads, as values: an English template with its figures, and one catalogue per language."""

from __future__ import annotations

from steelyard.messages.languages import ENGLISH, catalogue, from_locale, languages
from steelyard.messages.message import Message, in_quotes, listed, say, some, term, told

__all__ = [
    "ENGLISH",
    "Message",
    "catalogue",
    "from_locale",
    "in_quotes",
    "languages",
    "listed",
    "say",
    "some",
    "term",
    "told",
]
