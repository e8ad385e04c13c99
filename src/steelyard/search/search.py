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
from steelyard.search.claim import Claim
from steelyard.search.facts import Facts, Trials
from steelyard.search.starts import Change, Meant, Start, starts
from steelyard.spec import Profile
from steelyard.text.errors import MetricError, SteelyardError

_SAME = 12  # decimals of values that are the same
Convention = tuple[Metric, ...]  # the metric of each claim, every field filled
Way = tuple[Start, float, Metric]  # to a value


@dataclass(frozen=True)
class Candidate:
    """A profile with some changes; of each claim the ways in which its library has the metric.

    Once a way is chosen for each claim, it has the texts that ask for them, their values, and in words what
    was changed.
    """

    profile: Profile
    ways: tuple[tuple[Start, ...], ...]
    changes: tuple[Change, ...] = ()
    texts: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    changed: Mapping[str, tuple[str, str | None]] = field(
        default_factory=dict
    )  # a field: its value, in words
    fields: tuple[frozenset[str], ...] = ()  # of each claim, those that its metric has of them

    @property
    def rounded(self) -> tuple[float, ...]:
        """The values, of which only the rounding of sums may differ where conventions come to the same."""
        return tuple(round(value, _SAME) for value in self.values)

    @property
    def place(self) -> tuple[int, int, str]:
        """Fewest changes first, then the best known library; the default profile counts as none."""
        return len(self.changed), self.profile.place, self.profile.name


@dataclass(frozen=True)
class Search:
    """Claims, what they mean, and the values that were measured for them."""

    claims: Sequence[Claim]
    meant: Sequence[Meant]
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
        made = []
        for one in sorted(spec.profiles().values(), key=lambda profile: (profile.place, profile.name)):
            ways = tuple(tuple(starts(meant, one, self.by_data)) for meant in self.meant)
            if not all(ways):
                continue
            alone = [((way,),) for way in ways[0]] if len(ways) == 1 else [ways]
            made += [Candidate(one, several) for several in alone]
        return made

    def with_changes(self, n: int) -> list[Candidate]:
        """Every profile with ``n`` changes; where some are the same here, the default or the best known."""
        if not n:
            return self.profiles
        first: dict[tuple[Convention, ...], Candidate] = {}
        for one in sorted(self.profiles, key=lambda one: not one.profile.is_edition):
            first.setdefault(tuple(tuple(map(self._settled, way)) for way in one.ways), one)
        return [replace(one, changes=changes) for one in first.values() for changes in self._changes(one, n)]

    def _changes(self, one: Candidate, n: int) -> Iterator[tuple[Change, ...]]:
        every: dict[Change, None] = {}
        for way, meant in zip(one.ways, self.meant, strict=True):
            for start in way:
                every |= dict.fromkeys(choices(self._settled(start), meant.fixed, self.facts))
        for several in combinations(every, n):
            if len({name for name, _ in several}) == n:
                yield several

    def _settled(self, start: Start) -> Metric:
        """A start with what nothing depends on settled, whatever else is changed."""
        if start.text not in self._starts:
            self._starts[start.text] = self.facts.settled(start.asked, for_good=True)
        return self._starts[start.text]

    def asked(self, claim: int, start: Start, changes: tuple[Change, ...]) -> MetricRequest | None:
        """What is measured for a claim, by its place; None where the choices mean nothing together."""
        key = (claim, start.text, changes)
        if key not in self._asked:
            self._asked[key] = self._made(start, _applied(start, self.meant[claim], changes))
        return self._asked[key]

    def _made(self, start: Start, changes: Mapping[str, Any]) -> MetricRequest | None:
        try:
            metric = self._settled(start).replace(**changes)
        except MetricError:
            return None
        asked = replace(start.asked, metric=metric, stated=start.asked.stated | set(changes))
        return replace(asked, metric=self.values.settled(asked))

    def measure_fitting(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Measure claim by claim, for the candidates that give all claims before; return those that fit."""
        fitting = list(candidates)
        for at, claim in enumerate(self.claims):
            self.values.measure(self.wanted(fitting, at))
            fitting = [one for one in fitting if self._way(one, at, claim) is not None]
        return fitting

    def wanted(self, candidates: Iterable[Candidate], alone: int | None = None) -> Iterator[MetricRequest]:
        """All that these candidates ask for; ``alone`` for one claim, by its place."""
        for one in candidates:
            for claim, way in enumerate(one.ways):
                for start in way if alone in (None, claim) else ():
                    asked = self.asked(claim, start, one.changes)
                    if asked is not None:
                        yield asked

    def found(self, candidates: Iterable[Candidate], claims: Sequence[Claim]) -> list[Candidate]:
        """The candidates that give every claimed value, each with no change more than it needs.

        Of profiles that come to the same with the same changes, one stands for all; and of names
        that one library has for the same values, one.
        """
        matches: dict[object, Candidate] = {}
        for one in candidates:
            fitting = self._fitting(one, claims)
            if fitting and not self._needless(one, claims) and (match := self._told(one, fitting)):
                matches.setdefault((match.rounded, tuple(match.changed.items()) or one.profile.name), match)
        return list(matches.values())

    def _fitting(self, one: Candidate, claims: Sequence[Claim]) -> list[Way] | None:
        found = []
        for at, claim in enumerate(claims):
            way = self._way(one, at, claim)
            if way is None:
                return None
            found.append(way)
        return found

    def _way(self, one: Candidate, at: int, claim: Claim) -> Way | None:
        """The first way that gives a claim, by its place; None where there is none."""
        exact = one.profile.exact
        return next((way for way in self._known(one, at) if claim.fits(way[1], exact)), None)

    def _known(self, one: Candidate, at: int) -> Iterator[Way]:
        """The ways to a claim, by its place, that have a value."""
        for start in one.ways[at]:
            asked = self.asked(at, start, one.changes)
            if asked is not None and not math.isnan(value := self.values.of(asked)):
                yield start, value, asked.metric

    def _needless(self, one: Candidate, claims: Sequence[Claim]) -> bool:
        fewer = (some for n in range(len(one.changes)) for some in combinations(one.changes, n))
        return any(self._fitting(replace(one, changes=some), claims) is not None for some in fewer)

    def nearest(self, candidates: Iterable[Candidate], n: int) -> list[Candidate]:
        """The conventions whose values come nearest, those that give most of the claims first."""
        scored: dict[Convention, tuple[tuple[float, float, int], Candidate, list[Way]]] = {}
        for one in candidates:
            known = [list(self._known(one, at)) for at in range(len(self.claims))]
            if not all(known):
                continue
            ways = [
                min(some, key=lambda way: abs(way[1] - claim.value))
                for some, claim in zip(known, self.claims, strict=True)
            ]
            key = tuple(metric for _, _, metric in ways)
            if key not in scored:
                scored[key] = (self._far(one, ways), one, ways)
        distinct: dict[tuple[float, ...], Candidate] = {}
        for _, one, ways in sorted(scored.values(), key=lambda entry: entry[0]):
            if match := self._told(one, ways):
                distinct.setdefault(match.rounded, match)
            if len(distinct) == n:
                break
        return list(distinct.values())

    def _far(self, one: Candidate, ways: Sequence[Way]) -> tuple[float, float, int]:
        pairs = [(claim, value) for claim, (_, value, _) in zip(self.claims, ways, strict=True)]
        missed = sum(not claim.fits(value, one.profile.exact) for claim, value in pairs)
        off = max(abs(value - claim.value) / max(abs(claim.value), claim.half) for claim, value in pairs)
        return missed, off, len(one.changes)

    def _told(self, one: Candidate, ways: Sequence[Way]) -> Candidate | None:
        """A candidate with the texts that ask for it; None where they would be refused."""
        texts: list[str] = []
        fields: list[frozenset[str]] = []
        changed: dict[str, tuple[str, str | None]] = {}
        for (start, _, _), meant in zip(ways, self.meant, strict=True):
            changes = _applied(start, meant, one.changes)
            try:
                text, metric = start.changed(changes)
            except MetricError:
                return None
            texts.append(text)
            fields.append(frozenset(changes))
            changed |= {name: (plain(metric.values()[name]), metric.meaning(name)) for name in changes}
        values = tuple(value for _, value, _ in ways)
        return replace(one, texts=tuple(texts), values=values, changed=changed, fields=tuple(fields))

    def refusals(self) -> dict[str, SteelyardError]:
        """The profiles that have the metrics and refuse this data, each with its reason."""
        found: dict[str, SteelyardError] = {}
        for one in self.profiles:
            whys = [
                [self.values.why_refused(asked) for start in way if (asked := self.asked(at, start, ()))]
                for at, way in enumerate(one.ways)
            ]
            for why in whys:
                if why and all(why) and why[0] is not None:
                    found.setdefault(one.profile.name, why[0])
        return found


def _applied(start: Start, meant: Meant, changes: tuple[Change, ...]) -> dict[str, Any]:
    return {
        name: value
        for name, value in changes
        if name not in meant.fixed and takes(start.asked.metric, (name, value))
    }


_DEPTHS = (100, 1000)
_MOST_GRADES = 20
_UNTRIED = ("k", "floor")


def choices(metric: Metric, fixed: Collection[str], facts: Facts) -> list[Change]:
    """Every other value of each field that may change, but for those that refuse data or change nothing."""
    found, idle = [], facts.idle_of(metric)
    for one in dataclasses.fields(metric):
        if one.name in fixed or one.name in _UNTRIED or one.name in idle:
            continue
        now = getattr(metric, one.name)
        found += [(one.name, value) for value in _values(metric, one, facts) if value != now]
    return found


def takes(metric: Metric, change: Change) -> bool:
    name, value = change
    known = next((one for one in dataclasses.fields(metric) if one.name == name), None)
    if known is None:
        return False
    words = known.metadata.get("meaning")
    return words is None or conventions.plain(value) in words


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
