"""A value whose fields are its conventions: what each field takes, and the text form of all of them."""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
from collections.abc import Callable, Mapping
from functools import cache
from html import escape
from operator import attrgetter, itemgetter
from typing import Any, ClassVar, Self

from steelyard.arguments import is_flag, number_of
from steelyard.conventions import ALIGN_FIELDS, AVERAGE_FIELDS, LABELLED_FIELDS, RANK_FIELDS, Cutoff, plain
from steelyard.text import Message, say
from steelyard.text.errors import asking
from steelyard.text.errors.forms import number_in

_LARGEST_WHOLE = 10**15
_BOUNDS = ("above", "at_least", "below", "at_most")
_bounds_of = itemgetter(*_BOUNDS)
_SHARED = {*ALIGN_FIELDS, *RANK_FIELDS, *LABELLED_FIELDS, *AVERAGE_FIELDS}


def check_field(owner: str, field: dataclasses.Field[Any], value: object) -> Any:
    """The value as the field holds it, or an error that lists the allowed values."""
    about = field.metadata
    if "number" in about:
        return _number(owner, field, value)
    meaning = about.get("meaning")
    if meaning is None:
        return None if field.name == "k" and value == "all" else value
    if about.get("other") is not None and (read := about["other"](owner, value)) is not None:
        return read
    if not isinstance(value, str) and (isinstance(value, int) or is_flag(value)):
        value = plain(value) if plain(value) in meaning else value
    if not isinstance(value, str) or value not in meaning:
        raise asking.bad_choice(owner, field.name, value, list(meaning))
    return value == "true" if about.get("flag") else value


def number_kind(field: dataclasses.Field[Any]) -> Message:
    """The numbers that a field takes, in words: a number above 0 and below 1."""
    bounds = {name: field.metadata[name] for name in _BOUNDS}
    stated = {name: plain(bound) for name, bound in bounds.items() if math.isfinite(bound)}
    return number_in(whole=field.metadata["whole"], **stated)


def _number(owner: str, field: dataclasses.Field[Any], value: object) -> Any:
    words, whole = field.metadata["words"], field.metadata["whole"]
    if isinstance(value, str) and value in words:
        return None if value == "none" or (value == "all" and field.default is None) else value
    if value is None and (field.default is None or "none" in words):
        return None
    number = _float(value) if isinstance(value, str) else value
    parsed = float(number) if type(number) is int and abs(number) <= _LARGEST_WHOLE else number_of(number)
    if parsed is None:
        raise asking.bad_value(owner, field.name, value, _allowed(field))
    above, at_least, below, at_most = _bounds_of(field.metadata)
    fits = math.isfinite(parsed) and above < parsed < below and at_least <= parsed <= at_most
    if whole and fits and parsed > _LARGEST_WHOLE:
        most = say("{allowed}, of at most 10^15", allowed=_allowed(field))
        raise asking.bad_value(owner, field.name, value, most)
    if not fits or (whole and not (parsed == number and parsed.is_integer())):
        raise asking.bad_value(owner, field.name, value, _allowed(field))
    return int(parsed) if whole else parsed


def _allowed(field: dataclasses.Field[Any]) -> Message:
    words = field.metadata["words"]
    if not words:
        return number_kind(field)
    listed = [repr(word) for word in words]
    return say("{allowed}, or {words:or}", allowed=number_kind(field), words=listed)


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _read_fields(cls: Any) -> tuple[tuple[dataclasses.Field[Any], Any], ...]:
    """Each field of a class with its default as the field holds it."""
    owner = getattr(cls, "name", cls.__name__)  # the classes that others build on have no name
    return tuple(
        (field, default if default is dataclasses.MISSING else check_field(owner, field, default))
        for field in dataclasses.fields(cls)
        for default in [field.default]
    )


def _field_reader(cls: Any) -> Callable[[Any], Any]:
    return attrgetter(*[field.name for field, _ in _fields_of(cls)])


_fields_of: Callable[[Any], tuple[tuple[dataclasses.Field[Any], Any], ...]] = cache(_read_fields)
values_of: Callable[[Any], Callable[[Any], Any]] = cache(_field_reader)


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Fields:
    """A frozen value whose fields are its conventions: checked when it is made, with one text form."""

    name: ClassVar[str]
    zh: ClassVar[str] = ""
    at: ClassVar[Cutoff] = "optional"
    renamed: ClassVar[Mapping[str, tuple[str, Any]]] = {}  # its name where a field has a value: f1 for beta 1

    def __post_init__(self) -> None:
        held, cls = vars(self), type(self)
        for field, default in _fields_of(cls):
            value = held[field.name]
            if value is not field.default:
                held[field.name] = check_field(getattr(cls, "name", cls.__name__), field, value)
            elif value is not default:
                held[field.name] = default
        self._check()

    def _check(self) -> None:
        """Refuse combinations of fields that mean nothing."""

    def values(self) -> dict[str, Any]:
        held = vars(self)
        return {field.name: held[field.name] for field, _ in _fields_of(type(self))}

    def normalised(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Values for some fields as the fields would hold them."""
        held, known = vars(self), self.__dataclass_fields__
        return {
            name: value
            if type(value) is type(held[name]) and value == held[name]
            else check_field(self.name, known[name], value)
            for name, value in fields.items()
        }

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed; only what changes is checked."""
        if type(self).__post_init__ is not Fields.__post_init__ or not changes.keys() <= vars(self).keys():
            return type(self)(**{**self.values(), **changes})
        held = vars(self)
        changed = {name: value for name, value in self.normalised(changes).items() if value is not held[name]}
        if not changed:
            return self
        copy = object.__new__(type(self))
        vars(copy).update(self.values(), **changed)
        copy._check()
        return copy

    def differing(self, baseline: Mapping[str, object] | None = None) -> dict[str, Any]:
        """The fields that differ from ``baseline``, or from their defaults where it has none."""
        held, others = vars(self), baseline or {}
        return {
            field.name: held[field.name]
            for field, _ in _fields_of(type(self))
            if held[field.name] != others.get(field.name, field.default)
        }

    def text(self, baseline: Mapping[str, object] | None = None) -> str:
        """The text form, with the fields that differ from ``baseline`` (the defaults)."""
        fields, name = self.differing(baseline), self.name
        for other, (field, value) in self.renamed.items():
            if getattr(self, field) == value:
                fields.pop(field, None)
                name = other
        fields.pop("k", None)
        inside = ", ".join([f"{field}={plain(value)}" for field, value in fields.items()])
        k = getattr(self, "k", None)
        at = f"@{k}" if k is not None else "@all" if self.at == "required" else ""
        return f"{name}({inside}){at}" if inside else f"{name}{at}"

    __str__ = text

    @property
    def short_name(self) -> str:
        """The name in text, without fields and cutoff."""
        return str(self).partition("(")[0].partition("@")[0]

    def meaning(self, name: str) -> str | None:
        """The meaning of a field's value in words; None for a number."""
        words: Mapping[str, str] = self.__dataclass_fields__[name].metadata.get("meaning", {})
        return words.get(plain(getattr(self, name)))

    @classmethod
    def own_fields(cls) -> list[dataclasses.Field[Any]]:
        """The fields that are not those of every metric."""
        return [field for field in dataclasses.fields(cls) if field.name not in _SHARED]

    def _repr_html_(self) -> str:
        return html(self)

    def __repr__(self) -> str:
        shown = sorted(self.differing().items(), key=lambda item: item[0] != "k")
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in shown)})"


_CODE = re.compile("``(.+?)``", re.DOTALL)


def html(metric: Fields) -> str:
    """The name, the sentence, the formula and the fields as HTML, whatever they contain."""
    description = escape((inspect.getdoc(type(metric)) or "").partition("\nExamples\n")[0].strip())
    paragraphs = _CODE.sub(r"<code>\1</code>", description).split("\n\n")
    rows = "".join(_row(field, getattr(metric, field.name)) for field in dataclasses.fields(metric))
    return (
        f"<div><p><b>{escape(f'{metric} {metric.zh}'.strip())}</b></p>"
        f"{''.join(f'<p>{paragraph}</p>' for paragraph in paragraphs)}"
        f"<table><thead><tr><th>field</th><th>value</th><th>meaning</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(field: dataclasses.Field[Any], value: object) -> str:
    cells = "".join(
        f'<td style="text-align:left">{escape(cell)}</td>'
        for cell in (field.name, plain(value), value_meaning(field, value))
    )
    return f"<tr>{cells}</tr>"


def value_meaning(field: dataclasses.Field[Any], value: object) -> str:
    """The meaning of a field's value; a number has the meaning of its field."""
    words: Mapping[str, str] = field.metadata.get("meaning") or field.metadata.get("words", {})
    word = "all" if field.name == "k" and value is None else plain(value)
    if word not in words and field.name == "gain":
        return say("a mapping from grade to gain")
    return words.get(word) or str(field.metadata.get("number", ""))
