"""Profiles: the conventions of a library or of an edition of the defaults, and the names of its metrics."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from steelyard.metrics import Metric
from steelyard.metrics.base import MetricRequest
from steelyard.metrics.registry import parse
from steelyard.text import say, term
from steelyard.text.errors import MetricError, SteelyardError, asking
from steelyard.text.errors.forms import unknown

_HERE = Path(__file__).parent
FOLDERS = [_HERE / "editions", _HERE / "profiles"]  # a file NAME.toml in one of them is a profile
TABLES = ("conventions", "metrics", "names", "without_cutoff", "with_cutoff", "refused", "faults")
_PLACE = re.compile(r"\\\{([a-z_]+)\\\}")  # a figure of a name, after the name was escaped
_FIGURE = re.compile(r"\{([a-z_]+)\}")
_ARGUMENTS = re.compile(r"\(([^()]*)\)")
_HEAD = re.compile(r"[^(:@{=;.-]*")
Found = TypeVar("Found")
_WHOLE, _NUMBER = r"\d+", r"\d*\.?\d+"


@dataclass(frozen=True, kw_only=True)
class Profile:
    """The conventions of one version of a library.

    Its ``edition`` fills the other fields. An edition is a profile too, with every field of every metric.
    """

    name: str
    source: str
    edition: str
    conventions: Mapping[str, Any]
    metrics: Mapping[str, Mapping[str, Any]]  # by their names, with @k where a cutoff is required
    names: Mapping[str, str] = field(default_factory=dict)  # of the library, such as P_{k}: our text
    without_cutoff: Mapping[str, str] = field(default_factory=dict)
    with_cutoff: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)  # why metrics are not reproduced
    faults: Mapping[str, str] = field(default_factory=dict)  # known faults of a metric, or of "all"
    further: str = ""  # where its other metrics are measured
    library: str = ""  # as its authors write it
    version: str = ""
    proven: bool = False  # whether its numbers are compared with the library itself
    exact: str = "float64"  # how exactly the library computes or prints: float64, float32, 4 (decimals)
    place: int = 99  # among libraries, the best known first

    @property
    def is_edition(self) -> bool:
        return self.edition == self.name

    def fields(self, metric: Metric) -> dict[str, Any]:
        """The fields of a metric; an error if the library has no such metric."""
        name = metric.key()
        if name in self.refused:
            raise asking.refused_by_profile(profile=self.name, label=str(metric), why=self.refused[name])
        if name not in self.metrics and not self.is_edition:
            raise self.lacks(metric)
        other = self.with_cutoff if getattr(metric, "k", None) is None else self.without_cutoff
        if name in other:
            raise asking.other_cutoff(profile=self.name, label=str(metric), remedy=term(other[name]))
        stated = {**self.conventions, **self.metrics.get(name, {})}
        return {field: value for field, value in stated.items() if field in vars(metric)}

    def has(self, metric: Metric) -> bool:
        try:
            self.fields(metric)
        except MetricError:
            return False
        return True

    def lacks(self, metric: Metric | str) -> SteelyardError:
        return asking.not_in_profile(
            self.name, str(metric), sorted(self.metrics), list(self.names), further=self.further
        )


def profiles() -> dict[str, Profile]:
    return _read_all(tuple(FOLDERS))


def profile(name: str) -> Profile:
    """The profile of that name, whatever its case.

    >>> profile("trec_eval").conventions["ties"]
    'item_desc'
    """
    known, folded = profiles(), str(name).casefold()
    if folded not in known:
        by_version = {f"{one.name}:{one.version.partition('.')[0]}": one for one in known.values()}
        if folded in by_version:
            return by_version[folded]
        raise unknown(say("unknown profile '{name}'", name=str(name)), name, sorted(known))
    return known[folded]


@cache
def _read_all(folders: tuple[Path, ...]) -> dict[str, Profile]:
    files = [file for folder in folders for file in sorted(folder.glob("*.toml"))]
    read = {data["name"]: data for data in (tomllib.loads(file.read_text("utf-8")) for file in files)}
    return {name: _made(completed(data, read)) for name, data in read.items()}


def completed(data: Mapping[str, Any], others: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The data of a file, completed from the one that it is ``like``.

    Another version of a library takes everything. Another library takes the conventions, also those of
    metrics that both have, but neither names nor faults.
    """
    if "like" not in data:
        return dict(data)
    base = completed(others[data["like"]], others)
    same = data.get("library", base.get("library")) == base.get("library")
    metrics = {
        name: {**base["metrics"].get(name, {}), **fields} for name, fields in data.get("metrics", {}).items()
    }
    merged = {key: value for key, value in base.items() if same or key in ("edition", "conventions")} | {
        key: value for key, value in data.items() if key not in TABLES
    }
    for key in TABLES:
        merged[key] = {**merged.get(key, {}), **data.get(key, {})}
    merged["metrics"] = {**(base["metrics"] if same else {}), **metrics}
    return merged


def _made(data: Mapping[str, Any]) -> Profile:
    known = {field.name for field in dataclasses.fields(Profile)}
    held = {key: value for key, value in data.items() if key in known}
    return Profile(**{"edition": data["name"], **held})


# --- the names of metrics in libraries: P_10, ndcg_cut_10, roc_auc_score


def own(profile: Profile, text: str) -> list[MetricRequest]:
    """The metrics of a name in a library; empty if it has no such name. A cutoff at its end may be several.

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

    >>> form_in(profile("trec_eval"), "P_10")
    ('P_{k}', {'k': '10'})
    """
    matches = ((name, _pattern(name).fullmatch(as_compared(text))) for name in profile.names)
    return next(((name, match.groupdict()) for name, match in matches if match), ("", {}))


def names_for(profile: Profile, key: str, figures: Mapping[str, str]) -> list[str]:
    """The library's names for a metric that take these figures, with them.

    >>> names_for(profile("trec_eval"), "map", {"k": "10"})[:3]
    ['map', 'gm_map', 'map_cut_10']
    """
    wanted = [name for name, meant in profile.names.items() if _key(meant) == key]
    return [_filled(name, figures) for name in wanted if set(_FIGURE.findall(name)) <= set(figures)]


def forms_of(profile: Profile, text: str) -> list[str]:
    """The forms of the library's names that begin as a text does.

    >>> forms_of(profile("trec_eval"), "P(k=10)")
    ['P_{k}', 'P.{k}']
    """
    head = _head(text)
    return [name for name in profile.names if _head(name) == head]


def spelt_as_theirs(profile: Profile, text: str) -> bool:
    """Whether a text begins with a name of the library with capitals, which ours have not.

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
