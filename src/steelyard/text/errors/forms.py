"""The forms that most refusals have, each written once."""

from __future__ import annotations

import errno
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from json import JSONDecodeError
from pathlib import Path
from string import Formatter
from typing import Any

from steelyard.arguments import is_one_of
from steelyard.text import Message, languages, say, term
from steelyard.text.errors import base
from steelyard.text.errors.base import MetricError, SteelyardError, brief, nearest, outside, quoted

Kind = type[SteelyardError]


class Refusal:
    r"""A declared error, which is called with the figures that its sentence and its remedy name.

    Its sentence is the first line of a text, its remedy what follows. A figure may name one of ``FORMS``, in
    which it is shown.

    >>> empty = Refusal(MetricError, "{name:repr} is empty\n check the step that wrote it")
    >>> print(empty(name="log.csv"))
    'log.csv' is empty
    check the step that wrote it
    """

    def __init__(self, kind: Kind, text: str) -> None:
        self._kind, (self._sentence, self._remedy) = kind, parts(text)

    def __call__(self, *, remedy: str | None = None, **figures: Any) -> SteelyardError:
        """The error with its figures; ``remedy`` is another remedy than the declared one."""
        forms = {name: form or "" for _, name, form, _ in Formatter().parse(self._sentence + self._remedy)}
        for name in figures.keys() & forms.keys():
            if forms[name] in FORMS:
                figures[name] = FORMS[forms[name]](figures[name])
        return self._kind(self._sentence, remedy=remedy or self._remedy, **figures)


def parts(text: str) -> tuple[str, str]:
    r"""The sentence and the remedy in the text of a declared error; a backslash lets a sentence go on.

    >>> parts("no such file\n    check its name\n    and its folder")
    ('no such file', 'check its name and its folder')
    """
    sentence, _, remedy = text.partition("\n")
    return " ".join(sentence.split()), " ".join(remedy.split())


def declared(module: str, name: str) -> Refusal:
    """What ``__getattr__`` of a module of errors returns: a refusal that `refusals.toml` declares for it."""
    for kind, texts in _declarations()[module.rpartition(".")[2]].items():
        if name in texts:
            return Refusal(vars(sys.modules[module]).get(kind) or vars(base)[kind], texts[name])
    raise AttributeError(f"module '{module}' has no attribute '{name}'")


@cache
def _declarations() -> dict[str, dict[str, dict[str, str]]]:
    return tomllib.loads(Path(__file__).with_name("refusals.toml").read_text("utf-8"))


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


_LONG = 60
_COLUMNS = ("query", "item", "score", "rank", "relevance", "label", "weight", "group", "count")
_CLASSES = ("predicted", "predicted class", "probability")
_TABLES = (
    "predictions",
    "truth",
    "exclude",
    "weights",
    "catalog",
    "features",
    "history",
    "baseline_lists",
    "claims",
)
ROLES = (*_COLUMNS, *_CLASSES, *_TABLES, "item_groups", "row", "column")
WORDS = {role: Message(role, key=role) for role in ROLES}

# What the system says when it refuses, as it says it in English.
_REASONS = {
    errno.ENOENT: say("No such file or directory"),
    errno.EACCES: say("Permission denied"),
    errno.EPERM: say("Operation not permitted"),
    errno.EISDIR: say("Is a directory"),
    errno.ENOTDIR: say("Not a directory"),
    errno.ENOSPC: say("No space left on device"),
    errno.EROFS: say("Read-only file system"),
    errno.ENAMETOOLONG: say("File name too long"),
    errno.EMFILE: say("Too many open files"),
    errno.ELOOP: say("Too many levels of symbolic links"),
    errno.EIO: say("Input/output error"),
}
_TOML = re.compile(
    r"(?P<words>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)", re.DOTALL
)


def word(role: str) -> str:
    """The word for a role, or for a table that was given as an argument.

    >>> word("score").render("zh")
    '得分'
    """
    return WORDS.get(role, role)


def short(value: object) -> str:
    """A value as a message shows it: an id of thousands of characters would hide the message."""
    try:
        text = str(value)
    except ValueError:  # Python writes no integer of more than 4,300 digits
        return say("an integer of thousands of digits")
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"


def shown(value: object) -> str:
    """The same as Python would write it: text in quotes."""
    return repr(short(value)) if isinstance(value, str) else short(value)


def in_quotation(value: object) -> str:
    """The same with quotes around text, whatever signs it holds."""
    return f"'{short(value)}'" if isinstance(value, str) else short(value)


def value_at(place: str, role: str, column: str) -> Message:
    """A value by its place and its role, and by its column where that is called otherwise."""
    if column == role:
        return say("{place}: {role}", place=place, role=word(role))
    return say("{place}: {role} (column '{column}')", place=place, role=word(role), column=short(column))


def at_line(name: str, line: int | None) -> str:
    return name if line is None else say("{name}, line {line:,}", name=name, line=line)


def column_of(column: str, name: str) -> Message:
    return say("column '{column}' of {name}", column=short(column), name=name)


def reason_of(error: OSError) -> str:
    """Why the system refused: as a message where it is a usual reason, else in the system's own words.

    >>> reason_of(FileNotFoundError(errno.ENOENT, "as the system says it")).render("zh")
    '文件或文件夹不存在'
    """
    return _REASONS.get(error.errno or 0) or error.strerror or str(error)


def json_reason(error: JSONDecodeError) -> Message:
    """Where a line is no JSON, and why in the parser's words."""
    return say(
        "{words}: line {line} column {column} (char {char})",
        words=error.msg,
        line=error.lineno,
        column=error.colno,
        char=error.pos,
    )


def toml_reason(error: ValueError) -> str:
    """Where a file is no TOML, and why in the parser's words, which are all that it tells of the place."""
    found = _TOML.fullmatch(str(error))
    if found is None:
        return str(error)
    if found["line"] is None:
        return say("{words} (at end of document)", words=found["words"])
    return say(
        "{words} (at line {line}, column {column})",
        words=found["words"],
        line=int(found["line"]),
        column=int(found["column"]),
    )


def dimensions(shape: Sequence[int]) -> str:
    return " × ".join(map(str, shape))


def result_of(system: str) -> Message:
    return say("this result of '{system}'", system=system) if system else say("this result")


# The forms in which a declared refusal may name a figure, as in "{value:short}".
FORMS: Mapping[str, Callable[[Any], Any]] = {
    "dimensions": dimensions,
    "outside": outside,
    "quotation": in_quotation,
    "quoted": quoted,
    "repr": repr,
    "result": result_of,
    "short": short,
    "str": str,
    "ten": partial(quoted, most=10),
    "term": term,
    "word": word,
}
