"""The search for claimed values: every profile as it is, then one choice changed, then two; its outcome."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

from steelyard import spec
from steelyard.conventions import plain
from steelyard.metrics import Metric
from steelyard.metrics.base import MetricRequest
from steelyard.search.claim import Change, Claim, ClaimTarget, Start, starts
from steelyard.search.facts import Facts, Trials, choices
from steelyard.spec import Profile
from steelyard.text import Message, say
from steelyard.text.errors import MetricError, SteelyardError, asking

MOST_CHANGES = 2
_NEAREST = 5
_CUTOFFS = (1, 3, 5, 10, 20, 50, 100)
_MOST_NAMED = 8
_OF_LISTS = (
    say("another split: other judgements, or other users and queries, than these.", key="other_truth"),
    say(
        "sampled candidates: the metric was taken over a few drawn items, and not over all.",
        key="sampled_candidates",
    ),
    say(
        "other lists: items seen in training removed or not, another depth, another seed of the model.",
        key="other_lists",
    ),
)
_OF_ROWS = (
    say("another split: other rows than these, or other labels.", key="other_rows"),
    say("sampled rows: only some of the negatives were kept, or rows have weights.", key="sampled_rows"),
    say("other scores: before or after calibration, rounded, or of another seed.", key="other_scores"),
)
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
            fewer = (
                some for n in range(len(candidate.changes)) for some in combinations(candidate.changes, n)
            )
            if not ways or any(self._fitting(replace(candidate, changes=some), claims) for some in fewer):
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
                pairs = [(claim, value) for claim, (_, value, _) in zip(self.claims, ways, strict=True)]
                missed = sum(not claim.fits(value, candidate.profile.exact) for claim, value in pairs)
                off = max(
                    abs(value - claim.value) / max(abs(claim.value), claim.half) for claim, value in pairs
                )
                scored[key] = ((missed, off, len(candidate.changes)), candidate, ways)
        distinct: dict[tuple[float, ...], Candidate] = {}
        for _, candidate, ways in sorted(scored.values(), key=lambda entry: entry[0]):
            if match := self._worded(candidate, ways):
                distinct.setdefault(match.rounded, match)
            if len(distinct) == n:
                break
        return list(distinct.values())

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


def takes(metric: Metric, change: Change) -> bool:
    name, value = change
    known = {field.name: field.metadata for field in dataclasses.fields(metric)}
    if name not in known:
        return False
    words = known[name].get("meaning")
    return words is None or plain(value) in words


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """All that a search found; ``nearest`` and ``suspects`` where nothing fits."""

    claims: tuple[Claim, ...]
    matches: tuple[Candidate, ...]
    nearest: tuple[Candidate, ...] = ()
    suspects: tuple[Message, ...] = ()
    notes: tuple[Message, ...] = ()
    profiles: int = 0  # that have every metric of the claims
    conventions: int = 0  # distinct ones that were measured
    changes: int = 0  # the most from a profile that were tried


def searched(searches: Sequence[Search], changes: int | None) -> Outcome:
    """Try the profiles as they are, with one change, and with two if asked for or if nothing was found.

    There is a search for each meaning of the claims. A search ends where another needs fewer changes.
    """
    most = MOST_CHANGES if changes is None else changes
    found: dict[int, list[Candidate]] = {at: [] for at in range(len(searches))}
    few: dict[int, list[Candidate]] = {at: [] for at in found}  # with fewer than two changes
    reached = 0
    for n in range(most + 1):
        if n == MOST_CHANGES and any(found.values()) and changes is None:
            break
        for at in found:
            candidates = searches[at].with_changes(n)
            if n < MOST_CHANGES:
                searches[at].values.measure(searches[at].wanted(candidates))
                few[at] += candidates
            else:  # so many that one claim must narrow them for the next
                candidates = searches[at].measure_fitting(candidates)
            found[at] += searches[at].found(candidates, searches[at].claims)
        found = {at: matches for at, matches in found.items() if matches} or found
        reached = n
    first = next(iter(found))  # the likeliest meaning
    search = searches[first]
    groups: dict[tuple[float, ...], dict[tuple[str, ...], Candidate]] = {}
    every = (match for several in found.values() for match in several)
    for match in sorted(every, key=lambda match: match.place):  # one text may match under two meanings
        groups.setdefault(match.rounded, {}).setdefault(match.texts, match)
    matches = tuple(match for group in groups.values() for match in group.values())
    if not matches:
        _check_measured(search, few[first])
    return Outcome(
        claims=tuple(search.claims),
        matches=matches,
        nearest=() if matches else tuple(search.nearest(few[first], _NEAREST)),
        suspects=() if matches else tuple(_suspects(search, few[first])),
        notes=tuple(_notes(search, matches, reached, changes)),
        profiles=len({one.profile.name for some in searches for one in some.profiles}),
        conventions=len(search.values.found),
        changes=reached,
    )


def _check_measured(search: Search, tried: Sequence[Candidate]) -> None:
    """Refuse a claim that no candidate can measure, with the reason of the default or best known library.

    A claim that a candidate measures without a value is undefined.
    """
    for at, claim in enumerate(search.claims):
        if not all(math.isnan(search.values.of(asked)) for asked in search.wanted(tried, at)):
            continue
        unchanged = sorted(search.profiles, key=lambda candidate: not candidate.profile.is_edition)
        whys = [search.values.why_refused(asked) for asked in search.wanted(unchanged, at)]
        for why in whys:
            raise asking.undefined_here(metric=claim.metric) if why is None or None in whys else why


def _notes(
    search: Search, matches: Sequence[Candidate], reached: int, changes: int | None
) -> Iterator[Message]:
    metrics = [start.asked.metric for one in search.profiles for way in one.ways for start in way]
    idle = []
    for name in search.facts.idle:
        having = [metric for metric in metrics if name in metric.values()]
        if having and all(name in search.facts.idle_of(metric) for metric in having):
            idle.append(name)
    if idle:
        yield say(
            "nothing in this data depends on {fields:and}, so that {fields:it was|they were} not varied.",
            key="idle_fields",
            fields=idle,
        )
    if changes is None and reached < MOST_CHANGES:
        yield say(
            "two changes at once were not tried, since fewer explain it; --changes 2 tries them.",
            key="fewer_changes",
        )
    for name, why in search.refusals().items():
        yield say("{profile} refuses this data: {why}", key="profile_refuses", profile=name, why=why.sentence)
    values = {round(value, _SAME) for value in search.values.found.values() if math.isfinite(value)}
    spread = max(values, default=0.0) - min(values, default=0.0)
    # as many values would be printed so if they were spread evenly over their range
    chance = len(values) * 2 * search.claims[0].half / spread if spread else 0.0
    if len(search.claims) == 1 and chance >= 1 and any(one.changed for one in matches):
        yield say(
            "about {n} of the conventions tried would match so "
            "few digits by chance; give more digits or another claim.",
            key="by_chance",
            n=round(chance),
        )
    yield from unproven(spec.profile(name) for name in sorted({one.profile.name for one in matches}))


def unproven(profiles: Iterable[Profile]) -> Iterator[Message]:
    """A note on the profiles that were never compared with their libraries, if there are any."""
    if names := [one.name for one in profiles if not one.proven and not one.is_edition]:
        yield say(
            "{names:and} {names:was|were} read from the source and not held against the library itself.",
            key="unproven_profile",
            names=names,
        )


def _suspects(search: Search, tried: Sequence[Candidate]) -> Iterator[Message]:
    """What may explain values that no convention gives, what can be checked here first."""
    names = _names(search.found(tried, [claim.scaled(1 / 100) for claim in search.claims]))
    if names:
        yield say(
            "a percentage without its sign: so read, {names} would give it.",
            key="percentage",
            names=names,
        )
    names = _names(search.found(tried, [claim.cut() for claim in search.claims]))
    if names:
        yield say("digits cut off, not rounded: so read, {names} would give it.", key="cut_off", names=names)
    names = _names(_other_cutoffs(search))
    if names:
        yield say("another cutoff: {names} would give it.", key="other_cutoff", names=names)
    yield from _OF_LISTS if any(target.of_lists for target in search.targets) else _OF_ROWS


def _other_cutoffs(search: Search) -> list[Candidate]:
    cut = [target for target in search.targets if target.fixed.get("k") is not None]
    others = []
    for k in _CUTOFFS if cut else ():
        targets = [
            replace(target, fixed={**target.fixed, "k": k}, written="") if target in cut else target
            for target in search.targets
        ]
        others.append(Search(search.claims, targets, search.values, search.by_data))
    # all at once, so that each alignment is made once
    search.values.measure(asked for other in others for asked in other.wanted(other.profiles))
    return [match for other in others for match in other.found(other.profiles, search.claims)]


def _names(matches: Iterable[Candidate]) -> list[str]:
    ordered = sorted(matches, key=lambda match: match.place)
    return [" + ".join(match.texts) for match in ordered][:_MOST_NAMED]
