"""What came of a search: the conventions that give the claimed values, or the nearest and what to suspect."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from steelyard import spec
from steelyard.search.claim import Claim, ClaimTarget
from steelyard.search.search import Candidate, Search
from steelyard.spec import Profile
from steelyard.text import Message, say
from steelyard.text.errors import comparing

MOST_CHANGES = 2
_NEAREST = 5
_CUTOFFS = (1, 3, 5, 10, 20, 50, 100)
_MOST_NAMED = 8
_PERCENT = 100.0
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


def check_bounds(claims: Sequence[Claim], targets: Sequence[ClaimTarget]) -> None:
    """Refuse a claim beyond the bounds of its metric."""
    for claim, target in zip(claims, targets, strict=True):
        ends = [target.kind.bounds, target.metric.within()]
        low, high = min(end[0] for end in ends), max(end[1] for end in ends)
        if claim.low > high or claim.high < low:
            share = claim.value / _PERCENT
            as_percentage = "%" not in claim.printed and low <= share <= high
            refusal = comparing.is_percentage if as_percentage else comparing.beyond_bounds
            raise refusal(metric=claim.metric, printed=claim.printed, low=f"{low:g}", high=f"{high:g}")


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
            raise comparing.undefined_here(metric=claim.metric) if why is None or None in whys else why


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
        yield say("{profile} refuses this data: {why}", key="profile_refuses", profile=name, why=why.said)
    chance = _by_chance(search)
    if chance >= 1 and any(one.changed for one in matches):
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


def _by_chance(search: Search) -> float:
    """How many of the values tried would be printed so if they were spread evenly over their range."""
    if len(search.claims) > 1:
        return 0.0
    values = {round(value, 12) for value in search.values.found.values() if math.isfinite(value)}
    spread = max(values, default=0.0) - min(values, default=0.0)
    return len(values) * 2 * search.claims[0].half / spread if spread else 0.0


def _suspects(search: Search, tried: Sequence[Candidate]) -> Iterator[Message]:
    """What may explain values that no convention gives, what can be checked here first."""
    names = _names(search.found(tried, [claim.scaled(1 / _PERCENT) for claim in search.claims]))
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
