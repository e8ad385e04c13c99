"""What a user reads, as values: an English template with its figures, and one catalogue per language."""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any, Literal

from steelyard.printable import Shown

HINT = " // "  # what follows tells two uses of one word apart, and is not shown
LISTS = {
    "": (", ", ", "),
    "and": (", ", " and "),
    "or": (", ", " or "),
    "nor": (" nor ", " nor "),
    ";": ("; ", "; "),
    "·": (" · ", " · "),
    "/": (" | ", " | "),
}
SEPARATORS = (", ", " and ", " or ", " nor ", "; ")

Show = Callable[[str], str]

ENGLISH = "en"
FOLDERS = [Path(__file__).parent]  # a file NAME.toml in one of them is a language
_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")  # as POSIX reads them: the first that is set counts


class Message(str):
    """Something said to a user: English text that knows its template and its figures.

    It is text, and can be told in every language that there is a catalogue for. Figures are numbers, names,
    other messages, or lists of these. In a template ``{n:,}`` is a number, ``{n:row|rows}`` the word for one
    or for many, ``{names}`` a list with commas, ``{names:and}``, ``{names:or}``, ``{names:nor}``,
    ``{names:;}``, ``{names:·}`` and ``{names:/}`` others. Braces that are meant as
    such stand twice, but in a template without figures. ``key`` is the name by which a program knows the
    message.

    >>> said = say("{n:,} {n:query has|queries have} no predictions: {fate}", n=1200,
    ...            fate=say("left out"))
    >>> said
    '1,200 queries have no predictions: left out'
    >>> said.render("zh")
    '标注中有 1,200 个查询没有预测：不计入'
    """

    template: str
    figures: Mapping[str, Any]
    key: str

    def __new__(cls, template: str, figures: Mapping[str, Any] | None = None, key: str = "") -> Message:
        figures = dict(figures or {})
        made = super().__new__(cls, _filled(template, figures, ENGLISH, str))
        made.template, made.figures, made.key = template, figures, key
        return made

    def render(self, lang: str = ENGLISH, shown: Show = str) -> str:
        """The text in a language; ``shown`` is asked how a name from the data is to be written."""
        if lang == ENGLISH:
            return str(self) if shown is str else _filled(self.template, self.figures, lang, shown)
        return _filled(catalogue(lang).get(self.template, self.template), self.figures, lang, shown)

    def to_dict(self) -> dict[str, Any]:
        """The message as plain values: its key, its figures, its text.

        A part that is a message stands there by its key, and its figures beside it; one without a key is
        words for people, and stands in the text alone.
        """
        return {"key": self.key, "figures": _figures(self), "text": str(self)}

    def __reduce__(self) -> tuple[Any, ...]:
        return Message, (self.template, self.figures, self.key)


def say(template: str, /, *, key: str = "", **figures: Any) -> Message:
    """A message from its template and its figures.

    >>> say("{names:and} {names:is|are} unknown", names=["a", "b"])
    'a and b are unknown'
    """
    said = str.__new__(Message, _filled(template, figures, ENGLISH, str))
    said.template, said.figures, said.key = template, figures, key
    return said


def sentences(**declared: str | tuple[str, ...]) -> Callable[..., Message]:
    """Declare messages by name, to be made with the figures that they name; None is no figure.

    Of several templates of one name the first is taken whose figures are all there. The name is the key,
    unless another one is given.

    >>> said = sentences(short=("{n:,} {n:list is|lists are} short ({labels})", "{n:,} {n:list|lists}"))
    >>> said("short", n=2, labels=["mrr"]), said("short", n=1, labels=None)
    ('2 lists are short (mrr)', '1 list')
    """

    def said(which: str, /, *, key: str = "", **figures: Any) -> Message:
        templates = declared[which]
        for template in (templates,) if isinstance(templates, str) else templates:
            named = {name for _, name, _ in _fields(template) if name}
            given = {name: figure for name, figure in figures.items() if name in named and figure is not None}
            if named == given.keys():
                return say(template, key=key or which, **given)
        raise KeyError(which)

    return said


class Term(Message):
    """A text that is declared elsewhere, such as a docstring, and that may hold any signs."""

    def __new__(cls, text: str) -> Term:
        made = str.__new__(cls, text)
        made.template, made.figures, made.key = text, {}, ""
        return made

    def render(self, lang: str = ENGLISH, shown: Show = str) -> str:  # noqa: ARG002 - it has no names
        """As the catalogue of the language has it, else as it stands."""
        return catalogue(lang).get(self.template, self.template)

    def __reduce__(self) -> tuple[Any, ...]:
        return Term, (self.template,)


def term(text: str) -> Message:
    """A text without figures that is declared elsewhere, such as the meaning of a choice or a docstring.

    >>> term("hits in the first n // 2 places")
    'hits in the first n // 2 places'
    """
    return text if isinstance(text, Message) else Term(text)


def listed(
    items: Sequence[Any], most: int | None = None, number: int | None = None, *, last: Literal["", "and"] = ""
) -> Message:
    """The first few of ``number``, and how many more there are; ``last`` stands before the last of all.

    >>> listed(["a", "b", "c", "d"], 3), listed(["a", "b", "c"], 3), listed(["a", "b", "c"], last="and")
    ('a, b, c and 1 more', 'a, b, c', 'a, b and c')
    """
    count = len(items) if number is None else number
    if most is not None and count > most:
        return say("{items} and {n:,} more", items=tuple(items[:most]), n=count - most)
    return say("{items:and}" if last else "{items}", items=tuple(items))


def some(items: Sequence[Any], most: int, number: int | None = None) -> Message:
    """The first few of ``number``, and a sign where there are more.

    >>> some(["a", "b", "c", "d"], 3)
    'a, b, c, …'
    """
    more = (len(items) if number is None else number) > most
    return say("{items}, …" if more else "{items}", items=tuple(items[:most]))


def in_quotes(name: str) -> Message:
    """A name in quotes; to a program it is the name."""
    return say("'{items}'", items=name)


def in_language(value: Any, lang: str, shown: Show = str) -> Any:
    """Anything made of mappings and sequences, with its messages in one language.

    >>> in_language({"title": say("lists"), "ticks": (0, 1)}, "en")
    {'title': 'lists', 'ticks': [0, 1]}
    """
    if isinstance(value, Message):
        return value.render(lang, shown)
    if isinstance(value, Mapping):
        return {key: in_language(one, lang, shown) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [in_language(one, lang, shown) for one in value]
    return value


def _filled(template: str, figures: Mapping[str, Any], lang: str, shown: Show) -> str:
    if not figures:  # a text that is no template may have braces of its own
        return template.partition(HINT)[0]
    plain = lang == ENGLISH and shown is str
    text, figure = "", None
    for before, name, form in _fields(template):
        text = text + before if text.isascii() or not _are_words(figure) else _meeting(text, before)
        if name is None:
            continue
        figure = figures[name]
        kind = type(figure)
        if isinstance(form, tuple):
            number = len(figure) if isinstance(figure, list | tuple) else figure
            filled = form[0] if number == 1 else form[1]
        elif kind is int or kind is float:
            filled = format(figure, form)
        elif plain and (kind is str or kind is Message):
            filled = figure
        else:
            filled = _formed(figure, form, lang, shown)
        text = text + filled if text.isascii() or not _are_words(figure) else _meeting(text, filled)
    return text


@cache
def _fields(template: str) -> list[tuple[str, str | None, str | tuple[str, ...]]]:
    """The parts of a template: a text, the name of the figure after it, and the form of that."""
    parts = Formatter().parse(template.partition(HINT)[0])
    forms = [(before, name, form or "") for before, name, form, _ in parts]
    return [(before, name, tuple(form.split("|")) if "|" in form else form) for before, name, form in forms]


def _meeting(left: str, right: str) -> str:
    """A message beside the words around it: the space that sets a name apart has no place among Chinese.

    >>> _meeting("run.csv", " 没有行"), _meeting("预测", " 没有行")
    ('run.csv 没有行', '预测没有行')
    """
    if left.endswith(" ") and _is_han(left[-2:-1]) and _is_han(right[:1]):
        return left[:-1] + right
    return left + (
        right[1:] if right.startswith(" ") and _is_han(left[-1:]) and _is_han(right[1:2]) else right
    )


def _are_words(figure: Any) -> bool:
    several = figure if isinstance(figure, list | tuple) else [figure]
    return all(isinstance(getattr(one, "text", one), Message) for one in several)


def _is_han(sign: str) -> bool:
    return "\u4e00" <= sign <= "\u9fff"


def _formed(value: Any, form: str, lang: str, shown: Show) -> str:
    if isinstance(value, list | tuple):
        texts = [_formed(item, "", lang, shown) for item in value]
        return _joined(texts, *LISTS[form], lang)
    if isinstance(value, Message):
        return value.render(lang, shown)
    if isinstance(value, Shown):
        return in_language(value.text, lang, shown)  # type: ignore[no-any-return]
    return shown(value) if isinstance(value, str) else format(value, form)


def _joined(texts: Sequence[str], separator: str, last: str, lang: str) -> str:
    if len(texts) < 2:
        return "".join(texts)
    if lang == ENGLISH:
        return separator.join(texts[:-1]) + last + texts[-1]
    words = catalogue(lang)
    separator, last = words.get(separator, separator), words.get(last, last)
    joined = texts[0]
    for place, text in enumerate(texts[1:], 2):
        joined = _meeting(_meeting(joined, last if place == len(texts) else separator), text)
    return joined


def _figures(message: Message) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in message.figures.items():
        if not isinstance(value, Message):
            found[name] = _plain(value)
        elif value.key:
            found |= _figures(value) if value.key == message.key else {name: value.key, **_figures(value)}
        elif "items" in value.figures:
            found[name] = _plain(value.figures["items"])
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, Message):
        return {"key": value.key, **_figures(value)} if value.key else _plain(value.figures.get("items"))
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value


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
