"""The forms that most refusals have, each written once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from steelyard.arguments import is_one_of
from steelyard.text import Message, languages, say
from steelyard.text.errors.base import MetricError, SteelyardError, brief, nearest

Kind = type[SteelyardError]


def with_guess(said: Message, *guesses: str | None) -> Message:
    """A sentence, and after it the names that were likely meant."""
    near = [f"'{guess}'" for guess in guesses if guess]
    return say("{said}; did you mean {near:or}?", said=said, near=near) if near else said


def unknown(
    said: Message,
    name: object,
    known: Iterable[str],
    *,
    kind: Kind = MetricError,
    remedy: Message | None = None,
    suffix: str = "",
) -> SteelyardError:
    """Refuse a name: the nearest of the known ones (but of None), and all of them as the remedy.

    >>> print(unknown(say("unknown task '{name}'", name="serch"), "serch", ["ctr", "search"]))
    unknown task 'serch'; did you mean 'search'?
    known: ctr, search
    """
    names = list(known)
    guess = nearest(name, names)
    hint = say("known: {names}", names=names) if remedy is None else remedy
    return kind(with_guess(said, f"{guess}{suffix}" if guess else None), remedy=hint)


def must_be(
    what: str, allowed: str, value: object, *, remedy: str = "", kind: Kind = MetricError
) -> SteelyardError:
    """Refuse a value of the wrong kind.

    >>> print(must_be("ndcg: k", number_in(whole=True, above=0), 1.5))
    ndcg: k must be a whole number above 0; got 1.5
    """
    said = say("{what} must be {allowed}; got {value}", what=what, allowed=allowed, value=brief(value))
    return kind(said, remedy=remedy)


def number_in(
    *,
    whole: bool = False,
    above: object = None,
    at_least: object = None,
    below: object = None,
    at_most: object = None,
) -> Message:
    """Which numbers are allowed.

    >>> number_in(above=0, below=1)
    'a number above 0 and below 1'
    >>> number_in(at_least=0, at_most=1)
    'a number from 0 to 1'
    """
    number = say("a whole number") if whole else say("a number")
    if at_least is not None:
        return say("{number} from {at_least} to {at_most}", number=number, at_least=at_least, at_most=at_most)
    if above is None:
        return number
    if below is not None:
        return say("{number} above {above} and below {below}", number=number, above=above, below=below)
    if at_most is not None:
        return say(
            "{number} above {above} and at most {at_most}", number=number, above=above, at_most=at_most
        )
    return say("{number} above {above}", number=number, above=above)


def one_of(
    what: str, value: object, choices: Sequence[str], *, field: str = "", kind: Kind = MetricError
) -> SteelyardError:
    """Refuse a word that is none of a few; the remedy is the one that was likely meant.

    >>> print(one_of("ndcg: gain", "exp", ["linear", "exp2"], field="gain"))
    ndcg: gain must be one of 'linear', 'exp2'; got 'exp'
    did you mean gain=exp2?
    """
    guess = nearest(str(value), choices)
    allowed = say("one of {choices}", choices=[repr(one) for one in choices])
    near = f"{field}={guess}" if field else f"'{guess}'"
    remedy = say("did you mean {near}?", near=near) if guess else ""
    return must_be(what, allowed, value, remedy=remedy, kind=kind)


def lengths_differ(
    one: str, other: str, lengths: tuple[int, int], *, remedy: str = "", kind: Kind = MetricError
) -> SteelyardError:
    said = say("{n:,} {one} but {m:,} {other}", one=one, other=other, n=lengths[0], m=lengths[1])
    return kind(said, remedy=remedy)


def check_language(lang: object) -> None:
    if not is_one_of(lang, languages()):
        raise unknown(say("unknown language '{lang}'", lang=str(lang)), lang, languages())
