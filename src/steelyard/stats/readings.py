"""What numbers mean together, with their figures and thresholds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from steelyard.arguments import slice_value
from steelyard.arrays import Floats
from steelyard.conventions import plain
from steelyard.engine.kept import TOP
from steelyard.engine.scored import Scored
from steelyard.engine.slices import in_sentence, is_whole
from steelyard.printable import Shown, decimal
from steelyard.stats.measured import Measured
from steelyard.text import Message, say, sentences

_SLICE_SHARE = 0.05  # of the rows or queries; smaller slices are ignored
_SLICE_ROWS = 100  # of each class; slices with fewer are ignored
_BEYOND = 2  # standard errors between a figure of a slice and its threshold
_SHOWN_SLICES = 3
_EXACT = 12  # decimals of what is computed here: 0.91 − 0.9 is 0.01, not a little more


@dataclass(frozen=True, kw_only=True)
class _LargeSlice:
    slice: tuple[tuple[str, str | None], ...]  # columns with their values, None where there is none
    name: str
    share: float
    unit: Literal["rows", "queries"]


@dataclass(frozen=True, kw_only=True)
class SliceFigures(_LargeSlice):
    """The values of one slice, and what share of the rows or queries it holds."""

    values: Mapping[str, float]
    errors: Mapping[str, float] = field(default_factory=dict)  # standard errors that are known


@dataclass(frozen=True, kw_only=True)
class InSlice(_LargeSlice):
    """A slice that a reading names, with its figures."""

    figures: tuple[Message, ...]

    @property
    def sentence(self) -> Message:
        return say(
            "{name}, {share:.1%} of rows: {figures}"
            if self.unit == "rows"
            else "{name}, {share:.1%} of queries: {figures}",
            name=self.name,
            share=self.share,
            figures=self.figures,
        )


@dataclass(frozen=True)
class Reading:
    """What some of the figures mean together: good news or a warning.

    ``figures`` are those of the whole. ``slices``, the worst first, are exceptions from good news, or the
    slices that a warning is about.

    >>> print(*readings({"auc": 0.7412, "ne": 1.05}))
    the order is good, the probabilities are off: calibrate (auc 0.7412 ≥ 0.7; ne 1.0500 ≥ 1).
    """

    text: Message
    kind: Literal["good", "warning"]
    figures: tuple[Message, ...]
    slices: tuple[InSlice, ...] = ()

    def __str__(self) -> str:
        return str(self.sentence)

    def render(self, lang: str) -> str:
        """The reading with its figures and the worst of its slices, in a language."""
        return self.sentence.render(lang)

    @property
    def sentence(self) -> Message:
        """The reading with its figures and the worst of its slices."""
        return say("{text} ({figures:;}).", key=self.key, text=self.text, figures=self.extra_figures)

    @property
    def extra_figures(self) -> tuple[Message, ...]:
        """Its figures, the worst slices with theirs, and how many more there are."""
        more = len(self.slices) - _SHOWN_SLICES
        named = [part.sentence for part in self.slices[:_SHOWN_SLICES]]
        return (*self.figures, *named, *((say("and {n} more", n=more),) if more > 0 else ()))

    @property
    def key(self) -> str:
        """The name of the reading for programs."""
        return self.text.key


_sentence = sentences(
    both_serve="ranking and calibration are both good",
    calibrate="the order is good, the probabilities are off: calibrate",
    neither_serves="neither ranking nor calibration is good: check data and features first",
    near_base_rate="little beyond the base rate; perhaps good in some slices: look at them",
    weak_ranking="candidates are there, ranking is weak",
    missed_items="ranking is good, retrieval misses items",
    near_majority="accuracy says nothing here: read precision, recall, pr_auc",
    between_users="most of the AUC comes from differences between users, not within users",
    concentrated_exposure="a few items take most of the exposure: look at the long tail",
    lists_alike="all users see nearly the same items",
    many_outside_catalog="many items are not in the catalogue: check that it is whole, and names items alike",
    at_least="≥ {limit}",
    at_most="≤ {limit}",
    below="< {limit}",
    above="> {limit}",
    within="in {low}–{high}",
    outside="outside {low}–{high}",
    accuracy_minus_majority="|accuracy {accuracy:.4f} − majority share {majority:.4f}| =",
    top_exposure="exposure of the {percent}% of items shown most",
    outside_catalog="share of places outside the catalogue",
)
# by sign: its name, the opposite sign, and whether it holds for a value and two limits
_RELATIONS: dict[str, tuple[str, str, Callable[[float, float, float], bool]]] = {
    "≥": ("at_least", "<", lambda value, low, _: value >= low),
    "≤": ("at_most", ">", lambda value, low, _: value <= low),
    "<": ("below", "≥", lambda value, low, _: value < low),
    ">": ("above", "≤", lambda value, low, _: value > low),
    "in": ("within", "outside", lambda value, low, high: low <= value <= high),
    "outside": ("outside", "in", lambda value, low, high: not low <= value <= high),
}

_Figure = tuple[str | Message, float]  # its name, and its value


class _Condition(NamedTuple):
    of: str  # a figure
    sign: str  # its relation to the limits
    limits: tuple[float, ...]

    def met(self, figures: Mapping[str, _Figure]) -> bool:
        return self.of in figures and self.holds(figures[self.of][1])

    def holds(self, value: float) -> bool:
        return _RELATIONS[self.sign][2](value, self.limits[0], self.limits[-1])

    def words(self, *, holds: bool = True) -> Message:
        """The relation, or its opposite."""
        name, opposite, _ = _RELATIONS[self.sign]
        low, high = (Shown(limit, plain(limit)) for limit in (self.limits[0], self.limits[-1]))
        return _sentence(name if holds else _RELATIONS[opposite][0], limit=low, low=low, high=high)

    def shown(self, name: str | Message, value: float) -> Message:
        """The figure with enough digits to show on which side of the limit it is."""
        holds = self.holds(value)
        texts = (decimal(value, digits) for digits in range(4, 18))
        text = next((text for text in texts if self.holds(float(text)) == holds), str(value))
        number, relation = Shown(value, text), self.words(holds=holds)
        return say("{name} {value} {relation}", key=self.of, name=name, value=number, relation=relation)

    def distance(self, value: float) -> float:
        """The distance of a figure from the nearest limit, as a log ratio."""
        return min(abs(math.log(value / limit)) for limit in self.limits) if value > 0 else math.inf


class _Rule(NamedTuple):
    """A reading: all of ``when`` must hold, and at least one of ``either`` if there are any."""

    text: Message
    about: Literal["clicks", "lists", "classes", "users", "catalog"]
    when: tuple[_Condition, ...]
    either: tuple[_Condition, ...] = ()
    kind: Literal["good", "warning"] = "warning"
    in_slices: bool = False  # whether it names slices in which it holds if it does not hold on the whole

    def met(self, figures: Mapping[str, _Figure]) -> list[_Condition]:
        """The conditions that make it hold; empty if it does not."""
        when = [condition for condition in self.when if condition.met(figures)]
        either = [condition for condition in self.either if condition.met(figures)]
        return [*when, *either] if len(when) == len(self.when) and (either or not self.either) else []


def _of(text: str) -> tuple[_Condition, ...]:
    """The conditions of a text such as ``auc ≥ 0.7, calibration in 0.9–1.1``."""
    rows = [condition.split(" ") for condition in text.split(", ")]
    return tuple(_Condition(of, sign, tuple(map(float, limits.split("–")))) for of, sign, limits in rows)


_OFF = _of("ne ≥ 1, calibration outside 0.8–1.25")
_RULES = (
    _Rule(_sentence("both_serve"), "clicks", _of("auc ≥ 0.7, ne < 1, calibration in 0.9–1.1"), kind="good"),
    _Rule(_sentence("calibrate"), "clicks", _of("auc ≥ 0.7"), either=_OFF, in_slices=True),
    _Rule(_sentence("neither_serves"), "clicks", _of("auc < 0.6, ne ≥ 1"), in_slices=True),
    _Rule(_sentence("near_base_rate"), "clicks", _of("auc < 0.6, ne < 1")),
    _Rule(_sentence("weak_ranking"), "lists", _of("recall@1000 ≥ 0.8, mrr@10 < 0.3"), in_slices=True),
    _Rule(_sentence("missed_items"), "lists", _of("recall@1000 < 0.5, mrr@10 ≥ 0.5"), in_slices=True),
    _Rule(_sentence("near_majority"), "classes", _of("accuracy_minus_majority ≤ 0.01")),
    _Rule(_sentence("between_users"), "users", _of("auc_minus_gauc > 0.05")),
    _Rule(_sentence("concentrated_exposure"), "catalog", _of("top_exposure > 0.5")),
    # of two lists nine items in ten are the same
    _Rule(_sentence("lists_alike"), "catalog", _of("personalization < 0.1"), in_slices=True),
    # of the places of all lists
    _Rule(_sentence("many_outside_catalog"), "catalog", _of("outside_catalog > 0.01")),
)
_READ = {condition.of for rule in _RULES for condition in (*rule.when, *rule.either)}
_READ |= {"rig", "copc", "gauc", "accuracy"}


def readings_of(measured: Sequence[Measured], table: pl.DataFrame, by: Sequence[str]) -> tuple[Reading, ...]:
    values: dict[str, float] = {}
    for one in measured:
        for name, figure in one.metric.extra_figures(one.state).items():
            values.setdefault(name, float(figure[0]))
    majority = values.pop("majority", None)
    values |= {one.label: float(one.whole[0]) for one in measured if not one.entries}
    if not [name for name in values if name in _READ or name.startswith("personalization@")]:
        return ()
    return readings(values, majority, [*_of_rows(measured), *_of_queries(measured, table, by)] if by else ())


def readings(
    values: Mapping[str, float], majority: float | None = None, slices: Sequence[SliceFigures] = ()
) -> tuple[Reading, ...]:
    """What the values over the whole mean together.

    Good news names the slices in which it does not hold; a warning that does not hold on the whole names the
    slices in which it does. Small slices are ignored, and figures within two standard errors of a limit.

    ``values`` have exact labels: ``auc(max_fpr=0.1)`` is not ``auc``. ``rig`` stands in for ``ne``, ``copc``
    for ``calibration``, and ``personalization`` may have any cutoff. ``majority`` is the share of the most
    frequent class.

    >>> [reading.text for reading in readings({"recall@1000": 0.93, "mrr@10": 0.21})]
    ['candidates are there, ranking is weak']
    """
    figures = _figures(values, majority)
    large = [(part, _figures(part.values, None)) for part in slices if part.share >= _SLICE_SHARE]
    made, good = [], set()
    for rule in _RULES:
        text, named = rule.text, tuple[InSlice, ...]()
        met = rule.met(figures)
        if met and rule.kind == "good":
            good.add(rule.about)
            named = _in_slices(rule, large, failing=True)
            if named:
                text = say("{text}, but not in {n} {n:slice|slices}", key=text.key, text=text, n=len(named))
        elif not met and rule.in_slices and rule.about not in good:
            named = _in_slices(rule, large, failing=False)
            text = say("in {n} {n:slice|slices}: {text}", key=text.key, text=text, n=len(named))
        if met or named:
            shown = tuple([condition.shown(*figures[condition.of]) for condition in met])
            made.append(Reading(text, "warning" if named else rule.kind, shown, named))
    return tuple(made)


def _in_slices(
    rule: _Rule, slices: Sequence[tuple[SliceFigures, Mapping[str, _Figure]]], *, failing: bool
) -> tuple[InSlice, ...]:
    """The slices in which a rule fails, or holds, significantly; the furthest from a threshold first."""
    ranked = []
    for part, figures in slices:
        values = {name: value for name, (_, value) in figures.items()}
        clear = set()  # the conditions whose figures are significantly far from the limit
        for condition in (*rule.when, *rule.either):
            if condition.of in values:
                away = min(abs(values[condition.of] - limit) for limit in condition.limits)
                clear |= {condition} if away >= _BEYOND * part.errors.get(condition.of, 0.0) else set()
        if failing:
            named = [one for one in rule.when if one in clear and not one.holds(values[one.of])]
        else:
            named = rule.met(figures)
            if not (clear.intersection(rule.either, named) if rule.either else clear.issuperset(rule.when)):
                continue
        if named:
            furthest = max(condition.distance(values[condition.of]) for condition in named)
            shown = tuple(condition.shown(*figures[condition.of]) for condition in named)
            shown_slice = InSlice(
                slice=part.slice, name=part.name, share=part.share, unit=part.unit, figures=shown
            )
            ranked.append((furthest, part.share, shown_slice))
    return tuple(part for *_, part in sorted(ranked, key=lambda entry: entry[:2], reverse=True))


def _figures(values: Mapping[str, float], majority: float | None) -> dict[str, _Figure]:
    """Every known figure: the values, their substitutes, and differences."""
    known = {label: float(value) for label, value in values.items() if not math.isnan(value)}
    figures: dict[str, _Figure] = {label: (label, value) for label, value in known.items()}
    if "rig" in known:
        figures.setdefault("ne", (say("ne = 1 − rig =", key="ne_from_rig"), 1 - known["rig"]))
    if known.get("copc"):  # where it is 0 nothing happened, and calibration is undefined
        name = say("calibration = 1 / copc =", key="calibration_from_copc")
        figures.setdefault("calibration", (name, round(1 / known["copc"], _EXACT)))
    if {"auc", "gauc"} <= known.keys():
        auc, gauc = known["auc"], known["gauc"]
        name = say("auc {auc:.4f} − gauc {gauc:.4f} =", key="auc_minus_gauc", auc=auc, gauc=gauc)
        figures["auc_minus_gauc"] = (name, round(auc - gauc, _EXACT))
    for label in known:
        if label.startswith("personalization@"):
            figures.setdefault("personalization", figures[label])
    for of in {"top_exposure", "outside_catalog"} & known.keys():
        figures[of] = _sentence(of, percent=TOP), known[of]
    if "accuracy" in known and majority is not None and not math.isnan(majority):
        accuracy = known["accuracy"]
        name = _sentence("accuracy_minus_majority", accuracy=accuracy, majority=majority)
        figures["accuracy_minus_majority"] = name, round(abs(accuracy - majority), _EXACT)
    return figures


def _of_rows(measured: Sequence[Measured]) -> list[SliceFigures]:
    measured = [one for one in measured if one.metric.weighs == "rows"]
    slices = next((one.slices for one in measured if one.slices is not None), None)
    if slices is None:
        return []
    values: dict[str, Floats] = {}
    share = np.zeros(slices.height)
    for one in measured:
        if one.sliced is None or one.entries:
            continue
        state, values[one.label] = one.parts, one.sliced
        share = state.rows / max(int(state.rows.sum()), 1)
        for name, figure in one.metric.extra_figures(state).items():
            values.setdefault(name, figure)
    scored = next((one.parts for one in measured if isinstance(one.parts, Scored)), None)
    large, errors = share >= _SLICE_SHARE, dict[str, Floats]()
    if scored is not None:
        positives, negatives = scored.positives, scored.negatives
        if scored.weight is not None:  # rows of weight 0 apart
            positives = scored.rows_of(scored.label == 1).astype(np.float64)
            negatives = scored.rows - positives
        large &= np.minimum(positives, negatives) >= _SLICE_ROWS
        errors = _standard_errors(values, positives, negatives)
    kept = np.flatnonzero(large).tolist()
    return [
        SliceFigures(
            **_named(row),
            share=float(share[at]),
            unit="rows",
            values={label: float(each[at]) for label, each in values.items()},
            errors={label: float(each[at]) for label, each in errors.items()},
        )
        for at, row in zip(kept, slices[kept].to_dicts(), strict=True)
    ]


def _standard_errors(values: Mapping[str, Floats], positives: Floats, negatives: Floats) -> dict[str, Floats]:
    """The standard errors of the figures of slices.

    For AUC by Hanley and McNeil (1982). For calibration and ne, which divide by the number of positives, the
    figure times the relative error of that number, ``√((1 − rate) / positives)``.

    >>> a_hundred = np.array([100.0])
    >>> _standard_errors({"auc": np.array([0.7])}, a_hundred, a_hundred)["auc"].round(4)
    array([0.0367])
    """
    errors: dict[str, Floats] = {}
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.sqrt(negatives / (positives + negatives) / positives)
        if "auc" in values:
            auc = values["auc"]
            above, below = auc / (2 - auc) - auc**2, 2 * auc**2 / (1 + auc) - auc**2
            spread = auc * (1 - auc) + (positives - 1) * above + (negatives - 1) * below
            errors["auc"] = np.sqrt(np.maximum(spread, 0) / (positives * negatives))
        for of, stand_in in (("calibration", "copc"), ("ne", "rig")):
            if of in values:
                errors[of] = values[of] * relative
            elif stand_in in values:
                known = values[stand_in]
                errors[of] = (1 / known if of == "calibration" else 1 - known) * relative
    return errors


def _of_queries(measured: Sequence[Measured], table: pl.DataFrame, by: Sequence[str]) -> list[SliceFigures]:
    labels = [one.label for one in measured if one.metric.weighs == one.metric.unit == "queries"]
    part = table.filter(table["metric"].is_in(labels))
    whole = is_whole(part, by)
    queries = part["n"] + part["undefined"]
    share = queries / max(queries.filter(whole).max() or 0, 1)
    large = ~whole & (share >= _SLICE_SHARE)
    found: dict[tuple[str, ...], tuple[float, dict[str, float]]] = {}
    for row, held in zip(part.filter(large).to_dicts(), share.filter(large).to_list(), strict=True):
        names = tuple(row[name] for name in by)
        found.setdefault(names, (held, {}))[1][row["metric"]] = row["value"]
    return [
        SliceFigures(**_named(dict(zip(by, names, strict=True))), share=held, unit="queries", values=values)
        for names, (held, values) in found.items()
    ]


def _named(names: Mapping[str, str]) -> dict[str, Any]:
    columns = tuple((column, slice_value(name)) for column, name in names.items())
    return {"slice": columns, "name": in_sentence(names.values())}
