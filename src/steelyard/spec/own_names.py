"""The names of metrics in other libraries: ``P_10``, ``ndcg_cut_10``, ``roc_auc_score``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TypeVar

from steelyard.metrics.base import MetricRequest
from steelyard.metrics.registry import parse
from steelyard.spec.data import Profile, profiles
from steelyard.text.errors import MetricError, asking

_PLACE = re.compile(r"\\\{([a-z_]+)\\\}")  # a figure of a name, after the name was escaped
_FIGURE = re.compile(r"\{([a-z_]+)\}")
_ARGUMENTS = re.compile(r"\(([^()]*)\)")
_HEAD = re.compile(r"[^(:@{=;.-]*")
Found = TypeVar("Found")
_WHOLE, _NUMBER = r"\d+", r"\d*\.?\d+"


def own(profile: Profile, text: str) -> list[MetricRequest]:
    """The metrics of a name in a library; empty if it has no such name. A cutoff at its end may be several.

    >>> from steelyard.spec.data import profile
    >>> [str(one.metric) for one in own(profile("trec_eval"), "P_5,10")]
    ['precision@5', 'precision@10']
    >>> own(profile("trec_eval"), "map@10")
    []
    """
    return [
        MetricRequest(one.metric, one.stated, name, one.fixed, called=name)
        for name, meant in _meant(profile, text)
        for one in parse(meant)
    ]


def form_in(profile: Profile, text: str) -> tuple[str, dict[str, str]]:
    """The form of a library's name in its profile, and its figures; empty for another name.

    >>> from steelyard.spec.data import profile
    >>> form_in(profile("trec_eval"), "P_10")
    ('P_{k}', {'k': '10'})
    """
    matches = ((name, _pattern(name).fullmatch(as_compared(text))) for name in profile.names)
    return next(((name, match.groupdict()) for name, match in matches if match), ("", {}))


def names_for(profile: Profile, key: str, figures: Mapping[str, str]) -> list[str]:
    """The library's names for a metric that take these figures, with them.

    >>> from steelyard.spec.data import profile
    >>> names_for(profile("trec_eval"), "map", {"k": "10"})[:3]
    ['map', 'gm_map', 'map_cut_10']
    """
    wanted = [name for name, meant in profile.names.items() if _key(meant) == key]
    return [_filled(name, figures) for name in wanted if set(_FIGURE.findall(name)) <= set(figures)]


def forms_of(profile: Profile, text: str) -> list[str]:
    """The forms of the library's names that begin as a text does.

    >>> from steelyard.spec.data import profile
    >>> forms_of(profile("trec_eval"), "P(k=10)")
    ['P_{k}', 'P.{k}']
    """
    head = _head(text)
    return [name for name in profile.names if _head(name) == head]


def spelt_as_theirs(profile: Profile, text: str) -> bool:
    """Whether a text begins with a name of the library with capitals, which ours have not.

    >>> from steelyard.spec.data import profile
    >>> [spelt_as_theirs(profile("ir_measures"), text) for text in ("RBP(p=0.8)", "rbp(p=0.8)")]
    [True, False]
    """
    written = _HEAD.match(as_compared(text))
    head = written[0] if written else ""
    return head != head.casefold() and any(head == _HEAD.match(name)[0] for name in profile.names)  # type: ignore[index]


def with_fields(profile: Profile, text: str) -> tuple[str, str] | None:
    """The library's name in a text with fields of ours after it, and our text for the same."""
    match = _ARGUMENTS.search(text)
    if match is None or match.end() != len(text.rstrip()):
        return None
    name = text[: match.start()].strip()
    try:
        several = [
            f"{meant}:{match[1]}" for _, meant in _meant(profile, name) if parse(f"{meant}:{match[1]}")
        ]
    except MetricError:
        return None
    return (name, several[0]) if several else None


def with_numbers(text: str, parsed: Callable[[str], Found]) -> Found:
    """The result for a text with numbers for its figures: k is whole, others are whole or a share.

    >>> with_numbers("rbp(p={p})@{k}", lambda text: parse(text)[0].label)
    'rbp(p=0.5)@2'
    """
    whole, share = (_FIGURE.sub(lambda one, n=n: "2" if one[1] == "k" else n, text) for n in ("2", "0.5"))  # type: ignore[misc]
    try:
        return parsed(whole)
    except MetricError:
        return parsed(share)


@cache
def _key(meant: str) -> str:
    return with_numbers(meant, parse)[0].metric.key()


def offered_by(text: str) -> dict[str, str]:
    """The profiles with a metric of that name, best known first, and our text for it."""
    texts: dict[str, str] = {}
    for profile in sorted(profiles().values(), key=lambda profile: (profile.place, profile.name)):
        try:
            meant = [metric for _, metric in _meant(profile, text) if parse(metric)]
        except MetricError:  # refused, or no metric there either
            continue
        if meant:
            texts[profile.name] = meant[0]
    return texts


def _meant(profile: Profile, text: str) -> Iterator[tuple[str, str]]:
    """The library's name with its figures and our text for it, for each cutoff."""
    written = as_compared(text)
    for refused, why in profile.refused.items():
        if _pattern(refused).fullmatch(written):
            raise asking.refused_by_profile(profile=profile.name, label=text.strip(), why=why)
    form, figures = form_in(profile, text)
    for k in figures.get("k", "").split(",") if form else ():
        yield _filled(form, {**figures, "k": k}), _filled(profile.names[form], {**figures, "k": k})


def _filled(template: str, figures: Mapping[str, str]) -> str:
    for name, value in figures.items():
        template = template.replace(f"{{{name}}}", value)
    return template


def _head(name: str) -> str:
    match = _HEAD.match(as_compared(name))
    return match[0].rstrip("_").casefold() if match else ""


def as_compared(text: str) -> str:
    """A name with quotes of one kind, no spaces or empty brackets, and its arguments sorted."""

    def in_order(match: re.Match[str]) -> str:
        arguments = sorted(match[1].split(","), key=lambda argument: argument.partition("=")[0].casefold())
        return f"({','.join(arguments)})" if match[1] else ""

    plain = re.sub(r"\s", "", text).replace('"', "'")
    return _ARGUMENTS.sub(in_order, plain)


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """The pattern of a name with its figures: k whole, several at the end; others numbers."""
    escaped = re.escape(as_compared(name))
    several = rf"{_WHOLE}(?:,{_WHOLE})*" if name.endswith("{k}") else _WHOLE

    def figure(match: re.Match[str]) -> str:
        kind = several if match[1] == "k" else _NUMBER
        return f"(?P<{match[1]}>{kind})"

    return re.compile(_PLACE.sub(figure, escaped), re.IGNORECASE)
