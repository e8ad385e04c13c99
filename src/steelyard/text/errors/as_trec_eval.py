"""What `steelyard trec_eval` says when it stops; each kind of error has the exit code that trec_eval has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from steelyard.text import say
from steelyard.text.errors.base import SteelyardError, nearest
from steelyard.text.errors.forms import Refusal, declared, with_guess

EMPTY = say("it is empty")
_HELP = say("`steelyard trec_eval -h` lists the flags, and with -m all_trec the measures")


class FlagError(SteelyardError):
    """A flag, a measure or a number of files that trec_eval does not take."""

    exit_code: ClassVar[int] = 1


class FileError(SteelyardError):
    """A file or a parameter that trec_eval cannot read."""

    exit_code: ClassVar[int] = 2


class TopicError(SteelyardError):
    """A topic for which trec_eval calculates nothing."""

    exit_code: ClassVar[int] = 4


class NothingInCommonError(SteelyardError):
    """No topic has both judgements and results."""

    exit_code: ClassVar[int] = 7


class ZScoreError(SteelyardError):
    """A file of means and deviations that cannot be read."""

    exit_code: ClassVar[int] = 255


def no_such_measure(name: str, known: Sequence[str]) -> FlagError:
    said = say("trec_eval has no measure '{name}'", name=name)
    stem, _, cutoff = name.rpartition("_")
    if stem in known and cutoff[:1].isdigit():  # as trec_eval prints it, and pytrec_eval takes it
        return FlagError(said, remedy=say("write {written}", written=f"-m {stem}.{cutoff}"))
    return FlagError(with_guess(said, nearest(name, known)), remedy=_HELP)


def __getattr__(name: str) -> Refusal:
    return declared(__name__, name)
