"""The search: every profile as it is, then one choice changed, then two."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

from steelyard import conventions, spec
from steelyard.conventions import plain
from steelyard.metrics import Metric
from steelyard.metrics.base import MetricRequest
from steelyard.search.claim import Change, Claim, ClaimTarget, Start, starts
from steelyard.search.facts import Facts, Trials
from steelyard.spec import Profile
from steelyard.text.errors import MetricError, SteelyardError

_SAME = 12  # decimals of values that are the same
Convention = tuple[Metric, ...]  # the metric of each claim, every field filled
Way = tuple[Start, float, Metric]  # to a value


@dataclass(frozen=True)
class Candidate:
    """A profile with some changes, and the ways in which its library has the metric of each claim.

    A match has one way for each claim: the texts that ask for it, their values, and the changes in words.
    """

    profile: Profile
    ways: tuple[tuple[Start, ...], ...]
    changes: tuple[Change, ...] = ()
    texts: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    # a field: its value, and what that means
    changed: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    fields: tuple[frozenset[str], ...] = ()  # the changed fields that the metric of each claim has

    @property
    def rounded(self) -> tuple[float, ...]:
        """The values without the rounding of sums, so that conventions that come to the same are equal."""
        return tuple(round(value, _SAME) for value in self.values)

    @property
    def place(self) -> tuple[int, int, str]:
        """Fewest changes first, then the best known library."""
        return len(self.changed), self.profile.place, self.profile.name


@dataclass(frozen=True)
class Search:
    """Claims, what they mean, and the values that were measured for them."""

    claims: Sequence[Claim]
    targets: Sequence[ClaimTarget]
    values: Trials
    by_data: Mapping[str, Any]
    _starts: dict[str, Metric] = field(default_factory=dict)
    _asked: dict[tuple[int, str, tuple[Change, ...]], MetricRequest | None] = field(default_factory=dict)

    @property
    def facts(self) -> Facts:
        return self.values.facts

    @cached_property
    def profiles(self) -> list[Candidate]:
        """Every profile that has all metrics of the claims, as it is; the best known library first."""
        candidates = []
        for profile in sorted(spec.profiles().values(), key=lambda profile: (profile.place, profile.name)):
            ways = tuple(tuple(starts(target, profile, self.by_data)) for target in self.targets)
            if not all(ways):
                continue
            alone = [((way,),) for way in ways[0]] if len(ways) == 1 else [ways]
            candidates += [Candidate(profile, several) for several in alone]
        return candidates

    def with_changes(self, n: int) -> list[Candidate]:
        """Every profile with ``n`` changes; of profiles that are the same here one, the default first."""
        if not n:
            return self.profiles
        first: dict[tuple[Convention, ...], Candidate] = {}
        for candidate in sorted(self.profiles, key=lambda candidate: not candidate.profile.is_edition):
            first.setdefault(tuple(tuple(map(self._settled, way)) for way in candidate.ways), candidate)
        return [
            replace(candidate, changes=changes)
            for candidate in first.values()
            for changes in self._changes(candidate, n)
        ]

    def _changes(self, candidate: Candidate, n: int) -> Iterator[tuple[Change, ...]]:
        every: dict[Change, None] = {}
        for way, target in zip(candidate.ways, self.targets, strict=True):
            for start in way:
                every |= dict.fromkeys(choices(self._settled(start), target.fixed, self.facts))
        for several in combinations(every, n):
            if len({name for name, _ in several}) == n:
                yield several

    def _settled(self, start: Start) -> Metric:
        """A start with one value for each field that nothing depends on, whatever else is changed."""
        if start.text not in self._starts:
            self._starts[start.text] = self.facts.settled(start.asked, for_good=True)
        return self._starts[start.text]

    def asked(self, claim: int, start: Start, changes: tuple[Change, ...]) -> MetricRequest | None:
        """What is measured for a claim, by its place; None where the choices mean nothing together."""
        key = (claim, start.text, changes)
        if key not in self._asked:
            applied = _applied(start, self.targets[claim], changes)
            try:
                metric = self._settled(start).replace(**applied)
            except MetricError:
                self._asked[key] = None
            else:
                asked = replace(start.asked, metric=metric, stated=start.asked.stated | set(applied))
                self._asked[key] = replace(asked, metric=self.values.settled(asked))
        return self._asked[key]

    def measure_fitting(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Measure claim by claim, for the candidates that give all claims before; return those that fit."""
        fitting = list(candidates)
        for at, claim in enumerate(self.claims):
            self.values.measure(self.wanted(fitting, at))
            fitting = [candidate for candidate in fitting if self._way(candidate, at, claim) is not None]
        return fitting

    def wanted(self, candidates: Iterable[Candidate], alone: int | None = None) -> Iterator[MetricRequest]:
        """All that these candidates ask for; ``alone`` for one claim, by its place."""
        for candidate in candidates:
            for claim, way in enumerate(candidate.ways):
                for start in way if alone in (None, claim) else ():
                    asked = self.asked(claim, start, candidate.changes)
                    if asked is not None:
                        yield asked

    def found(self, candidates: Iterable[Candidate], claims: Sequence[Claim]) -> list[Candidate]:
        """The candidates that give every claimed value, each with no change more than it needs.

        One stands for all profiles that come to the same with the same changes, and for all names that one
        library has for the same values.
        """
        matches: dict[object, Candidate] = {}
        for candidate in candidates:
            ways = self._fitting(candidate, claims)
            if not ways or self._needless(candidate, claims):
                continue
            if match := self._worded(candidate, ways):
                key = match.rounded, tuple(match.changed.items()) or candidate.profile.name
                matches.setdefault(key, match)
        return list(matches.values())

    def _fitting(self, candidate: Candidate, claims: Sequence[Claim]) -> list[Way] | None:
        ways = []
        for at, claim in enumerate(claims):
            way = self._way(candidate, at, claim)
            if way is None:
                return None
            ways.append(way)
        return ways

    def _way(self, candidate: Candidate, at: int, claim: Claim) -> Way | None:
        """The first way that gives a claim, by its place; None where there is none."""
        exact = candidate.profile.exact
        return next((way for way in self._known(candidate, at) if claim.fits(way[1], exact)), None)

    def _known(self, candidate: Candidate, at: int) -> Iterator[Way]:
        """The ways to a claim, by its place, that have a value."""
        for start in candidate.ways[at]:
            asked = self.asked(at, start, candidate.changes)
            if asked is not None and not math.isnan(value := self.values.of(asked)):
                yield start, value, asked.metric

    def _needless(self, candidate: Candidate, claims: Sequence[Claim]) -> bool:
        fewer = (some for n in range(len(candidate.changes)) for some in combinations(candidate.changes, n))
        return any(self._fitting(replace(candidate, changes=some), claims) is not None for some in fewer)

    def nearest(self, candidates: Iterable[Candidate], n: int) -> list[Candidate]:
        """The conventions with the nearest values, those that give most of the claims first."""
        scored: dict[Convention, tuple[tuple[float, float, int], Candidate, list[Way]]] = {}
        for candidate in candidates:
            known = [list(self._known(candidate, at)) for at in range(len(self.claims))]
            if not all(known):
                continue
            ways = [
                min(some, key=lambda way: abs(way[1] - claim.value))
                for some, claim in zip(known, self.claims, strict=True)
            ]
            key = tuple(metric for _, _, metric in ways)
            if key not in scored:
                scored[key] = (self._distance(candidate, ways), candidate, ways)
        distinct: dict[tuple[float, ...], Candidate] = {}
        for _, candidate, ways in sorted(scored.values(), key=lambda entry: entry[0]):
            if match := self._worded(candidate, ways):
                distinct.setdefault(match.rounded, match)
            if len(distinct) == n:
                break
        return list(distinct.values())

    def _distance(self, candidate: Candidate, ways: Sequence[Way]) -> tuple[float, float, int]:
        pairs = [(claim, value) for claim, (_, value, _) in zip(self.claims, ways, strict=True)]
        missed = sum(not claim.fits(value, candidate.profile.exact) for claim, value in pairs)
        off = max(abs(value - claim.value) / max(abs(claim.value), claim.half) for claim, value in pairs)
        return missed, off, len(candidate.changes)

    def _worded(self, candidate: Candidate, ways: Sequence[Way]) -> Candidate | None:
        """A candidate with the texts that ask for it; None where they would be refused."""
        texts: list[str] = []
        fields: list[frozenset[str]] = []
        changed: dict[str, tuple[str, str | None]] = {}
        for (start, _, _), target in zip(ways, self.targets, strict=True):
            changes = _applied(start, target, candidate.changes)
            try:
                text, metric = start.changed(changes)
            except MetricError:
                return None
            texts.append(text)
            fields.append(frozenset(changes))
            changed |= {name: (plain(metric.values()[name]), metric.meaning(name)) for name in changes}
        values = tuple(value for _, value, _ in ways)
        return replace(candidate, texts=tuple(texts), values=values, changed=changed, fields=tuple(fields))

    def refusals(self) -> dict[str, SteelyardError]:
        """The profiles that have the metrics and refuse this data, each with its reason."""
        refused: dict[str, SteelyardError] = {}
        for candidate in self.profiles:
            for at, way in enumerate(candidate.ways):
                asked = [known for start in way if (known := self.asked(at, start, ()))]
                whys = [self.values.why_refused(metric) for metric in asked]
                if whys and all(whys) and whys[0] is not None:
                    refused.setdefault(candidate.profile.name, whys[0])
        return refused


def _applied(start: Start, target: ClaimTarget, changes: tuple[Change, ...]) -> dict[str, Any]:
    return {
        name: value
        for name, value in changes
        if name not in target.fixed and takes(start.asked.metric, (name, value))
    }


_DEPTHS = (100, 1000)
_MOST_GRADES = 20
_UNTRIED = ("k", "floor")


def choices(metric: Metric, fixed: Collection[str], facts: Facts) -> list[Change]:
    """Every other value of each field that may change, without those that refuse data or change nothing."""
    untried = {*fixed, *_UNTRIED, *facts.idle_of(metric)}
    return [
        (field.name, value)
        for field in dataclasses.fields(metric)
        if field.name not in untried
        for value in _values(metric, field, facts)
        if value != getattr(metric, field.name)
    ]


def takes(metric: Metric, change: Change) -> bool:
    name, value = change
    known = {field.name: field.metadata for field in dataclasses.fields(metric)}
    if name not in known:
        return False
    words = known[name].get("meaning")
    return words is None or plain(value) in words


def _values(metric: Metric, field: dataclasses.Field[Any], facts: Facts) -> list[Any]:
    if field.name == "rel":
        return list(facts.grades[:_MOST_GRADES])
    if field.name == "depth":
        depths = sorted({*_DEPTHS, *([metric.values()["k"]] if metric.values().get("k") else [])})
        return [None, *(depth for depth in depths if facts.longest is None or depth < facts.longest)]
    if field.name == "order":
        return ["given"]
    if callable(field.metadata.get("tries")):
        return []
    tried = conventions.tries(field, None)
    return [value for value in tried if value not in field.metadata.get("refusing", ("error",))]
