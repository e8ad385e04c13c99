"""What keeps a topic from being evaluated."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.messages.errors.as_trec_eval import TopicError
from steelyard.messages.errors.base import Refusal


@dataclass(frozen=True)
class Trouble:
    """A topic for which nothing can be calculated, and why."""

    query: str
    refusal: Refusal[TopicError]
    figures: dict[str, str]

    def told(self, measure: str) -> TopicError:
        """The error, by the first measure that is asked for."""
        return self.refusal(query=self.query, measure=measure, **self.figures)
