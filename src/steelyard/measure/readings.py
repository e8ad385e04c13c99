"""What numbers say together, with the figures and the thresholds that it rests on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from steelyard.conventions import plain
from steelyard.engine.list_summary import TOP
from steelyard.messages import Message, say
from steelyard.printable import Shown, decimal

GOOD_AUC = 0.7
WEAK_AUC = 0.6
BASE_RATE_NE = 1.0  # what always predicting the base rate has
CALIBRATED = (0.9, 1.1)
USABLE_CALIBRATION = (0.8, 1.25)
HIGH_RECALL = 0.8
LOW_RECALL = 0.5
HIGH_MRR = 0.5
LOW_MRR = 0.3
NEAR_MAJORITY = 0.01
BETWEEN_USERS = 0.05
MOST_EXPOSURE = 0.5  # for the 1 percent of items shown most
ALIKE = 0.1  # personalization: of two lists nine items in ten are the same
OUTSIDE_CATALOG = 0.01  # of the places of all lists
SLICE_SHARE = 0.05  # of the rows or queries: what a smaller slice says is too often chance
SLICE_ROWS = 100  # of either class: with fewer the figures of a slice are left aside
BEYOND = 2  # standard errors that a figure of a slice must be beyond its threshold
SHOWN_SLICES = 3

_DIGITS = 4
_EXACT = 12  # decimals of what is computed here: 0.91 − 0.9 is 0.01, not a little more


@dataclass(frozen=True, kw_only=True)
class SliceFigures:
    """The values of one slice, and what share of the rows or queries it holds."""

    slice: tuple[tuple[str, str | None], ...]  # columns with their values, None where there is none
    name: str
    share: float
    unit: Literal["rows", "queries"]
    values: Mapping[str, float]
    errors: Mapping[str, float] = field(default_factory=dict)  # standard errors, as far as they are known


@dataclass(frozen=True, kw_only=True)
class InSlice:
    """A slice that a reading names, with the figures for which it does."""

    slice: tuple[tuple[str, str | None], ...]
    name: str
    share: float
    unit: Literal["rows", "queries"]
    figures: tuple[Message, ...]

    @property
    def said(self) -> Message:
        """The slice, its share and its figures."""
        figures: dict[str, Any] = {"name": self.name, "share": self.share, "figures": self.figures}
        if self.unit == "rows":
            return say("{name}, {share:.1%} of rows: {figures}", **figures)
        return say("{name}, {share:.1%} of queries: {figures}", **figures)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What some of the figures say together; ``kind`` tells good news from a warning.

    ``figures`` are those of the whole. ``slices`` are those in which good news does not hold, or to which a
    warning is confined, the worst first.

    >>> print(*readings({"auc": 0.7412, "ne": 1.05}))
    the order is good, the probabilities are off: calibrate (auc 0.7412 ≥ 0.7; ne 1.0500 ≥ 1).
    """

    text: Message
    kind: Literal["good", "warning"]
    figures: tuple[Message, ...]
    slices: tuple[InSlice, ...] = ()

    def __str__(self) -> str:
        return str(self.said)

    def told(self, lang: str) -> str:
        """The reading with its figures and the worst of its slices, in a language."""
        return self.said.told(lang)

    @property
    def said(self) -> Message:
        """The reading with its figures and the worst of its slices."""
        return say("{text} ({figures:;}).", key=self.key, text=self.text, figures=self.beside)

    @property
    def key(self) -> str:
        """The name by which a program knows it."""
        return self.text.key

    @property
    def beside(self) -> tuple[Message, ...]:
        """What it rests on: its figures, the worst slices with theirs, and how many there are beside them."""
        more = len(self.slices) - SHOWN_SLICES
        named = tuple(one.said for one in self.slices[:SHOWN_SLICES])
        return (*self.figures, *named, *((say("and {n} more", n=more),) if more > 0 else ()))


@dataclass(frozen=True)
class _Figure:
    name: str | Message
    value: float
    error: float = 0.0  # its standard error


@dataclass(frozen=True)
class _Condition:
    """That a figure stands in a relation to a threshold."""

    of: str
    relation: Message
    missed: Message  # the relation of a figure for which it does not hold
    limits: tuple[float, ...]
    holds: Callable[[float], bool]

    def met(self, figures: Mapping[str, _Figure]) -> bool:
        return self.of in figures and self.holds(figures[self.of].value)

    def failed(self, figures: Mapping[str, _Figure]) -> bool:
        return self.of in figures and not self.holds(figures[self.of].value)

    def clear(self, figure: _Figure) -> bool:
        """Whether the figure is further from the threshold than chance explains."""
        return min(abs(figure.value - limit) for limit in self.limits) >= BEYOND * figure.error

    def shown(self, figure: _Figure) -> Message:
        """The figure with as many digits as still show on which side of the threshold it is."""
        holds = self.holds(figure.value)
        texts = (decimal(figure.value, digits) for digits in range(_DIGITS, 18))
        text = next((text for text in texts if self.holds(float(text)) == holds), str(figure.value))
        return say(
            "{name} {value} {relation}",
            key=self.of,
            name=figure.name,
            value=Shown(figure.value, text),
            relation=self.relation if holds else self.missed,
        )

    def distance(self, value: float) -> float:
        """How far a figure is from the nearest limit: twice is as far as half."""
        return min(abs(math.log(value / limit)) for limit in self.limits) if value > 0 else math.inf


@dataclass(frozen=True, kw_only=True)
class _Rule:
    """A row of the table: all of ``when`` must hold, and of ``either``, where it is given, one at least."""

    when: tuple[_Condition, ...]
    either: tuple[_Condition, ...] = ()
    text: Message
    kind: Literal["good", "warning"] = "warning"
    about: Literal["clicks", "lists", "classes", "users", "catalog"]
    in_slices: bool = False  # whether it is told of slices where it does not hold on the whole

    def read(self, figures: Mapping[str, _Figure]) -> Reading | None:
        met = [condition for condition in self.either if condition.met(figures)]
        if (self.either and not met) or not all(condition.met(figures) for condition in self.when):
            return None
        shown = tuple(condition.shown(figures[condition.of]) for condition in (*self.when, *met))
        return Reading(text=self.text, kind=self.kind, figures=shown)

    def fails_in(self, slices: Sequence[SliceFigures]) -> tuple[InSlice, ...]:
        """The slices for which one of the conditions does not hold, the worst first."""
        return _worst_first(
            (one, [one for one in self.when if one.failed(figures) and one.clear(figures[one.of])], figures)
            for one, figures in _each(slices)
        )

    def holds_in(self, slices: Sequence[SliceFigures]) -> tuple[InSlice, ...]:
        """The slices for which it holds, the worst first."""
        return _worst_first(
            (one, [condition for condition in (*self.when, *self.either) if condition.met(figures)], figures)
            for one, figures in _each(slices)
            if self.read(figures) is not None and self._clear(figures)
        )

    def _clear(self, figures: Mapping[str, _Figure]) -> bool:
        """Whether what is bad about the figures is statistically significant."""
        if self.either:
            return any(one.met(figures) and one.clear(figures[one.of]) for one in self.either)
        return all(one.clear(figures[one.of]) for one in self.when)


def _each(slices: Sequence[SliceFigures]) -> Iterator[tuple[SliceFigures, dict[str, _Figure]]]:
    for one in slices:
        known = _figures(one.values, None)
        yield one, {of: replace(each, error=one.errors.get(of, 0.0)) for of, each in known.items()}


def _worst_first(
    found: Iterable[tuple[SliceFigures, Sequence[_Condition], Mapping[str, _Figure]]],
) -> tuple[InSlice, ...]:
    """Slices with the figures of some conditions, those furthest from a threshold first."""
    ranked = []
    for one, conditions, figures in found:
        if conditions:
            furthest = max(condition.distance(figures[condition.of].value) for condition in conditions)
            shown = tuple(condition.shown(figures[condition.of]) for condition in conditions)
            named = InSlice(slice=one.slice, name=one.name, share=one.share, unit=one.unit, figures=shown)
            ranked.append((furthest, one.share, named))
    return tuple(named for *_, named in sorted(ranked, key=lambda entry: entry[:2], reverse=True))


def _limit(limit: float) -> Shown:
    return Shown(limit, plain(limit))


def _than(relation: str, limit: float) -> Message:
    """On which side of a limit a figure is, by the name that a program knows it by."""
    return {
        "at_least": say("≥ {limit}", key="at_least", limit=_limit(limit)),
        "at_most": say("≤ {limit}", key="at_most", limit=_limit(limit)),
        "below": say("< {limit}", key="below", limit=_limit(limit)),
        "above": say("> {limit}", key="above", limit=_limit(limit)),
    }[relation]


def _at_least(of: str, limit: float) -> _Condition:
    return _Condition(
        of, _than("at_least", limit), _than("below", limit), (limit,), lambda value: value >= limit
    )


def _at_most(of: str, limit: float) -> _Condition:
    return _Condition(
        of, _than("at_most", limit), _than("above", limit), (limit,), lambda value: value <= limit
    )


def _below(of: str, limit: float) -> _Condition:
    return _Condition(
        of, _than("below", limit), _than("at_least", limit), (limit,), lambda value: value < limit
    )


def _above(of: str, limit: float) -> _Condition:
    return _Condition(
        of, _than("above", limit), _than("at_most", limit), (limit,), lambda value: value > limit
    )


def _within(of: str, low: float, high: float) -> _Condition:
    shown = _limit(low), _limit(high)
    return _Condition(
        of,
        say("in {low}–{high}", key="within", low=shown[0], high=shown[1]),
        say("outside {low}–{high}", key="outside", low=shown[0], high=shown[1]),
        (low, high),
        lambda value: low <= value <= high,
    )


def _outside(of: str, low: float, high: float) -> _Condition:
    inside = _within(of, low, high)
    return replace(
        inside, relation=inside.missed, missed=inside.relation, holds=lambda value: not low <= value <= high
    )


_RULES = (
    _Rule(
        when=(
            _at_least("auc", GOOD_AUC),
            _below("ne", BASE_RATE_NE),
            _within("calibration", *CALIBRATED),
        ),
        text=say("order and probabilities both serve", key="both_serve"),
        kind="good",
        about="clicks",
    ),
    _Rule(
        when=(_at_least("auc", GOOD_AUC),),
        either=(_at_least("ne", BASE_RATE_NE), _outside("calibration", *USABLE_CALIBRATION)),
        text=say("the order is good, the probabilities are off: calibrate", key="calibrate"),
        about="clicks",
        in_slices=True,
    ),
    _Rule(
        when=(_below("auc", WEAK_AUC), _at_least("ne", BASE_RATE_NE)),
        text=say("neither order nor probabilities: look at data and features first", key="neither_serves"),
        about="clicks",
        in_slices=True,
    ),
    _Rule(
        when=(_below("auc", WEAK_AUC), _below("ne", BASE_RATE_NE)),
        text=say(
            "little beyond the base rate; perhaps good in some slices: look at them", key="near_base_rate"
        ),
        about="clicks",
    ),
    _Rule(
        when=(_at_least("recall@1000", HIGH_RECALL), _below("mrr@10", LOW_MRR)),
        text=say("candidates are there, ranking is weak", key="weak_ranking"),
        about="lists",
        in_slices=True,
    ),
    _Rule(
        when=(_below("recall@1000", LOW_RECALL), _at_least("mrr@10", HIGH_MRR)),
        text=say("ranking is good, retrieval misses items", key="missed_items"),
        about="lists",
        in_slices=True,
    ),
    _Rule(
        when=(_at_most("accuracy_minus_majority", NEAR_MAJORITY),),
        text=say("accuracy says nothing here: read precision, recall, pr_auc", key="near_majority"),
        about="classes",
    ),
    _Rule(
        when=(_above("auc_minus_gauc", BETWEEN_USERS),),
        text=say("differences between users carry the AUC", key="between_users"),
        about="users",
    ),
    _Rule(
        when=(_above("top_exposure", MOST_EXPOSURE),),
        text=say("a few items take most of the exposure: look at the long tail", key="concentrated_exposure"),
        about="catalog",
    ),
    _Rule(
        when=(_below("personalization", ALIKE),),
        text=say("everybody is shown much the same", key="lists_alike"),
        about="catalog",
        in_slices=True,
    ),
    _Rule(
        when=(_above("outside_catalog", OUTSIDE_CATALOG),),
        text=say(
            "many items are not in the catalogue: check that it is whole, and names items alike",
            key="many_outside_catalog",
        ),
        about="catalog",
    ),
)


def readings(
    values: Mapping[str, float], majority: float | None = None, slices: Sequence[SliceFigures] = ()
) -> tuple[Reading, ...]:
    """What the values over the whole say together, as far as there are figures for it.

    Good news names the slices in which it does not hold; a warning that does not hold on the whole is told of
    the slices in which it does. Slices with less than ``SLICE_SHARE`` of the rows or queries are left aside,
    and figures that are not beyond a threshold by ``BEYOND`` of their standard errors.

    ``values`` are found by their exact labels: ``auc(max_fpr=0.1)`` is not ``auc``. ``rig`` stands in for
    ``ne``, and ``copc`` for ``calibration``; of ``personalization`` any cutoff serves. ``top_exposure`` and
    ``outside_catalog`` are what metrics of lists tell beside. ``majority`` is the share of the most frequent
    class.

    >>> [reading.text for reading in readings({"recall@1000": 0.93, "mrr@10": 0.21})]
    ['candidates are there, ranking is weak']
    """
    figures = _figures(values, majority)
    large = [one for one in slices if one.share >= SLICE_SHARE]
    found, good = [], set()
    for rule in _RULES:
        reading = rule.read(figures)
        if reading is not None and rule.kind == "good":
            good.add(rule.about)
            reading = _qualified(reading, rule.fails_in(large))
        elif reading is None and rule.in_slices and rule.about not in good:
            reading = _confined(rule, rule.holds_in(large))
        if reading is not None:
            found.append(reading)
    return tuple(found)


def _qualified(reading: Reading, slices: tuple[InSlice, ...]) -> Reading:
    """Good news with the slices in which it does not hold: then it is a warning."""
    if not slices:
        return reading
    text = say("{text}, but not in {n} {n:slice|slices}", key=reading.key, text=reading.text, n=len(slices))
    return replace(reading, text=text, kind="warning", slices=slices)


def _confined(rule: _Rule, slices: tuple[InSlice, ...]) -> Reading | None:
    """A warning that holds in some slices alone."""
    if not slices:
        return None
    text = say("in {n} {n:slice|slices}: {text}", key=rule.text.key, text=rule.text, n=len(slices))
    return Reading(text=text, kind=rule.kind, figures=(), slices=slices)


def _figures(values: Mapping[str, float], majority: float | None) -> dict[str, _Figure]:
    """Every figure that is known: the values themselves, what stands in for them, and differences."""
    known = {label: float(value) for label, value in values.items() if not math.isnan(value)}
    figures = {label: _Figure(label, value) for label, value in known.items()}
    if "rig" in known:
        figures.setdefault("ne", _Figure(say("ne = 1 − rig =", key="ne_from_rig"), 1 - known["rig"]))
    if known.get("copc"):  # where it is 0 nothing happened, and calibration is undefined
        calibration = round(1 / known["copc"], _EXACT)
        figures.setdefault(
            "calibration", _Figure(say("calibration = 1 / copc =", key="calibration_from_copc"), calibration)
        )
    if {"auc", "gauc"} <= known.keys():
        auc, gauc = known["auc"], known["gauc"]
        name = say("auc {auc:.4f} − gauc {gauc:.4f} =", key="auc_minus_gauc", auc=auc, gauc=gauc)
        figures["auc_minus_gauc"] = _Figure(name, round(auc - gauc, _EXACT))
    alike = next((label for label in known if label.startswith("personalization@")), None)
    if alike is not None:
        figures["personalization"] = _Figure(alike, known[alike])
    if "top_exposure" in known:
        name = say("exposure of the {percent}% of items shown most", key="top_exposure", percent=TOP)
        figures["top_exposure"] = _Figure(name, known["top_exposure"])
    if "outside_catalog" in known:
        name = say("share of places outside the catalogue", key="outside_catalog")
        figures["outside_catalog"] = _Figure(name, known["outside_catalog"])
    if "accuracy" in known and majority is not None and not math.isnan(majority):
        accuracy = known["accuracy"]
        gap = say(
            "|accuracy {accuracy:.4f} − majority share {majority:.4f}| =",
            key="accuracy_minus_majority",
            accuracy=accuracy,
            majority=majority,
        )
        figures["accuracy_minus_majority"] = _Figure(gap, round(abs(accuracy - majority), _EXACT))
    return figures
