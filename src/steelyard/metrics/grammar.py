"""Text to metric: ``name(field=value, …)@k``, ``name@k:field=value``, ``name@5,10,20``, ``name@0.5``."""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from typing import Any

from steelyard.conventions import plain
from steelyard.messages import say
from steelyard.messages.errors import MetricError, asking
from steelyard.messages.errors.forms import must_be
from steelyard.metrics.asked import Asked
from steelyard.metrics.registry import decimal_at, find, folded, names

_METRIC = re.compile(
    r"""^\s*(?P<name>[^\s(@:][^(@:]*?)\s*
        (?:\(\s*(?P<inside>[^)]*)\))?\s*
        (?:@\s*(?P<cutoffs>[^:()]*?)\s*)?
        (?::\s*(?P<after>[^()]*))?\s*$""",
    re.VERBOSE,
)
_PROFILE = re.compile(r"^\s*(?P<profile>[\w.]+(?::\d+)?)\s*:\s*(?P<rest>[^\s:=(@]+\s*([(@:].*)?)$", re.DOTALL)
_BETWEEN = re.compile(r",(?![^(]*\))(?!\s*(?:\d+(?:\.\d+)?|all)\s*(?:,|$))")
_LONGEST, _SHOWN = 5000, 40  # characters of a text, and of one that is too long
_CUTOFF = re.compile(r"[+-]?\d+(\.\d*)?")
_NAME_END = re.compile(r"[(@:]")
_DECIMAL = re.compile(r"\d+\.\d+")


def split_profile(text: str) -> tuple[str | None, str]:
    """A profile in front of a metric, if there is one.

    >>> split_profile("trec_eval:ndcg@10")
    ('trec_eval', 'ndcg@10')
    >>> split_profile("map:denominator=hits")
    (None, 'map:denominator=hits')
    """
    normal = _normal(text)
    match = _PROFILE.match(normal)
    return (match["profile"], match["rest"]) if match else (None, normal)


def parse(text: str) -> list[Asked]:
    """The metrics a text names, one per cutoff, with the fields that it states.

    >>> [str(one.metric) for one in parse("NDCG@5,10:gain=exp2")]
    ['ndcg(gain=exp2)@5', 'ndcg(gain=exp2)@10']
    >>> [(str(one.metric), sorted(one.stated)) for one in parse("召回率@20")]
    [('recall@20', ['k'])]
    """
    normal = _normal(text)
    try:
        return _parsed(normal)
    except MetricError:
        parts = _apart(normal)
        if len(parts) > 1 and all(map(_is_metric, parts)):
            raise asking.metrics_in_one_text(text, parts) from None
        raise


def is_name(text: str) -> bool:
    """Whether a text begins with the name of a metric, whatever its fields and its cutoff are.

    >>> is_name("ndcg(gian=exp2)@10"), is_name("ndcg_cut@10")
    (True, False)
    """
    return folded(_NAME_END.split(text, maxsplit=1)[0]) in names()


def _normal(text: str) -> str:
    """A text in its usual letters, with single spaces: patterns take long for many.

    One that is longer than any metric's is refused before it is searched.
    """
    if len(text) > _LONGEST:
        raise asking.metric_too_long(text=text[:_SHOWN], n=len(text), most=_LONGEST)
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text))


def _parsed(text: str) -> list[Asked]:
    match = _METRIC.match(text)
    if not match:
        raise asking.unreadable_metric(text=text)
    fields = _fields(text, match["inside"], match["after"]) if match["inside"] or match["after"] else {}
    at = match["cutoffs"]
    if at is None:
        return [_made(match["name"], None, "", fields)]
    field = decimal_at(match["name"])
    if field in fields:
        raise asking.field_stated_twice(owner=text, field=field)
    if field:
        numbers = [_decimal(match["name"], field, part.strip()) for part in at.split(",")]
        return [_made(match["name"], None, "", fields | {field: one}) for one in numbers]
    cutoffs = [_cutoff(part) for part in at.split(",")]
    return [_made(match["name"], k, f"@{at}", fields) for k in cutoffs]


def _apart(text: str) -> list[str]:
    """The texts between commas, but for commas of fields and of cutoffs."""
    return [part.strip() for part in _BETWEEN.split(text)]


def _is_metric(text: str) -> bool:
    try:
        return bool(_parsed(text))
    except MetricError:
        return False


def _made(name: str, k: int | str | None, suffix: str, fields: dict[str, str]) -> Asked:
    entry = find(name, cutoff=k is not None, suffix=suffix)
    fields = {entry.metric.also_called.get(key, key): value for key, value in fields.items()}
    for (key, word), other in entry.metric.instead.items():
        if fields.get(key) == word:
            entry = find(other, cutoff=k is not None)
            fields = {field: value for field, value in fields.items() if field != key}
    for key, value in entry.fixed.items():
        if key in fields:
            raise asking.field_is_fixed(
                owner=entry.name, field=key, value=plain(value), general=entry.metric.name
            )
    known = {field.name for field in dataclasses.fields(entry.metric)} - {"k"}
    for key in fields:
        if key not in known:
            raise asking.unknown_field(entry.metric.name, key, known)
    stated: dict[str, Any] = {**fields, **entry.fixed}
    if k is not None:
        stated["k"] = k
    metric = entry.metric(**stated)
    return Asked(metric, frozenset(stated), entry.name if entry.fixed else str(metric), entry.fixed)


def _cutoff(text: str) -> int | str:
    part = text.strip().casefold()
    if part == "all":
        return part
    if not _CUTOFF.fullmatch(part) or not float(part).is_integer() or "." in part or int(part) < 1:
        allowed, remedy = say("a positive whole number or 'all'"), say("write for example ndcg@10")
        raise must_be("k", allowed, text.strip(), remedy=remedy)
    return int(part)


def _decimal(name: str, field: str, text: str) -> str:
    if not _DECIMAL.fullmatch(text):
        allowed, remedy = say("a number with a decimal point"), say("write for example {name}@0.5", name=name)
        raise must_be(field, allowed, text, remedy=remedy)
    return text


def _fields(text: str, *parts: str | None) -> dict[str, str]:
    fields: dict[str, str] = {}
    for part in parts:
        if part is None or not part.strip():
            continue
        for assignment in part.split(","):
            key, equals, value = (piece.strip() for piece in assignment.partition("="))
            if not (equals and key and value):
                raise asking.unreadable_metric(text=text)
            key = folded(key)
            if key in fields:
                raise asking.field_stated_twice(owner=text, field=key)
            fields[key] = value.strip("'\"").casefold()
    return fields
