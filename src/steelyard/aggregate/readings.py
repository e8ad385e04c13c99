"""What numbers say together, with the figures and the thresholds that it rests on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from steelyard.conventions import plain

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

_DIGITS = 4
_EXACT = 12  # decimals of what is computed here: 0.91 − 0.9 is 0.01, not a little more


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What some of the figures say together; ``kind`` tells good news from a warning.

    >>> print(*readings({"auc": 0.7412, "ne": 1.05}))
    the order is good, the probabilities are off: calibrate (auc 0.7412 ≥ 0.7; ne 1.0500 ≥ 1).
    """

    text: str
    zh: str
    kind: Literal["good", "warning"]
    figures: tuple[str, ...]

    def __str__(self) -> str:
        return self.told("en")

    def told(self, lang: str) -> str:
        """The reading with its figures, in ``en`` or ``zh``."""
        figures = "; ".join(self.figures)
        return f"{self.zh}（{figures}）。" if lang == "zh" else f"{self.text} ({figures})."


@dataclass(frozen=True)
class _Figure:
    name: str
    value: float


@dataclass(frozen=True)
class _Condition:
    """That a figure stands in a relation to a threshold."""

    of: str
    threshold: str
    holds: Callable[[float], bool]

    def met(self, figures: Mapping[str, _Figure]) -> bool:
        return self.of in figures and self.holds(figures[self.of].value)

    def shown(self, figure: _Figure) -> str:
        """The figure with as many digits as still show that the condition holds."""
        texts = (f"{figure.value:.{digits}f}" for digits in range(_DIGITS, 18))
        text = next((text for text in texts if self.holds(float(text))), str(figure.value))
        return f"{figure.name} {text} {self.threshold}"


@dataclass(frozen=True, kw_only=True)
class _Rule:
    """A row of the table: all of ``when`` must hold, and of ``either``, where it is given, one at least."""

    when: tuple[_Condition, ...]
    either: tuple[_Condition, ...] = ()
    text: str
    zh: str
    kind: Literal["good", "warning"] = "warning"

    def read(self, figures: Mapping[str, _Figure]) -> Reading | None:
        met = [condition for condition in self.either if condition.met(figures)]
        if (self.either and not met) or not all(condition.met(figures) for condition in self.when):
            return None
        shown = tuple(condition.shown(figures[condition.of]) for condition in (*self.when, *met))
        return Reading(text=self.text, zh=self.zh, kind=self.kind, figures=shown)


def _at_least(of: str, limit: float) -> _Condition:
    return _Condition(of, f"≥ {plain(limit)}", lambda value: value >= limit)


def _at_most(of: str, limit: float) -> _Condition:
    return _Condition(of, f"≤ {plain(limit)}", lambda value: value <= limit)


def _below(of: str, limit: float) -> _Condition:
    return _Condition(of, f"< {plain(limit)}", lambda value: value < limit)


def _above(of: str, limit: float) -> _Condition:
    return _Condition(of, f"> {plain(limit)}", lambda value: value > limit)


def _within(of: str, low: float, high: float) -> _Condition:
    return _Condition(of, f"in {plain(low)}–{plain(high)}", lambda value: low <= value <= high)


def _outside(of: str, low: float, high: float) -> _Condition:
    return _Condition(of, f"outside {plain(low)}–{plain(high)}", lambda value: not low <= value <= high)


_RULES = (
    _Rule(
        when=(
            _at_least("auc", GOOD_AUC),
            _below("ne", BASE_RATE_NE),
            _within("calibration", *CALIBRATED),
        ),
        text="order and probabilities both serve",
        zh="排序与概率都可用",
        kind="good",
    ),
    _Rule(
        when=(_at_least("auc", GOOD_AUC),),
        either=(_at_least("ne", BASE_RATE_NE), _outside("calibration", *USABLE_CALIBRATION)),
        text="the order is good, the probabilities are off: calibrate",
        zh="排序良好，但概率有偏差：需要校准",
    ),
    _Rule(
        when=(_below("auc", WEAK_AUC), _at_least("ne", BASE_RATE_NE)),
        text="neither order nor probabilities: look at data and features first",
        zh="排序与概率都不可用：先检查数据和特征",
    ),
    _Rule(
        when=(_below("auc", WEAK_AUC), _below("ne", BASE_RATE_NE)),
        text="little beyond the base rate; perhaps good in some slices: look at them",
        zh="比基准率好不了多少，但在某些切片上或许不错：请逐一查看",
    ),
    _Rule(
        when=(_at_least("recall@1000", HIGH_RECALL), _below("mrr@10", LOW_MRR)),
        text="candidates are there, ranking is weak",
        zh="候选已经召回，但排序偏弱",
    ),
    _Rule(
        when=(_below("recall@1000", LOW_RECALL), _at_least("mrr@10", HIGH_MRR)),
        text="ranking is good, retrieval misses items",
        zh="排序良好，但召回有遗漏",
    ),
    _Rule(
        when=(_at_most("accuracy − majority", NEAR_MAJORITY),),
        text="accuracy says nothing here: read precision, recall, pr_auc",
        zh="准确率在这里说明不了问题：请看精确率、召回率和 pr_auc",
    ),
    _Rule(
        when=(_above("auc − gauc", BETWEEN_USERS),),
        text="differences between users carry the AUC",
        zh="AUC 主要来自用户之间的差异",
    ),
)


def readings(values: Mapping[str, float], majority: float | None = None) -> tuple[Reading, ...]:
    """What the values over the whole say together, as far as there are figures for it.

    ``values`` are found by their exact labels: ``auc(max_fpr=0.1)`` is not ``auc``. ``rig`` stands in for
    ``ne``, and ``copc`` for ``calibration``. ``majority`` is the share of the most frequent class.

    >>> [reading.text for reading in readings({"recall@1000": 0.93, "mrr@10": 0.21})]
    ['candidates are there, ranking is weak']
    """
    figures = _figures(values, majority)
    found = (rule.read(figures) for rule in _RULES)
    return tuple(reading for reading in found if reading is not None)


def _figures(values: Mapping[str, float], majority: float | None) -> dict[str, _Figure]:
    """Every figure that is known: the values themselves, what stands in for them, and differences."""
    known = {label: float(value) for label, value in values.items() if not math.isnan(value)}
    figures = {label: _Figure(label, value) for label, value in known.items()}
    if "rig" in known:
        figures.setdefault("ne", _Figure("ne = 1 − rig =", 1 - known["rig"]))
    if known.get("copc"):  # where it is 0 nothing happened, and calibration is undefined
        calibration = round(1 / known["copc"], _EXACT)
        figures.setdefault("calibration", _Figure("calibration = 1 / copc =", calibration))
    if {"auc", "gauc"} <= known.keys():
        auc, gauc = known["auc"], known["gauc"]
        name = f"auc {auc:.{_DIGITS}f} − gauc {gauc:.{_DIGITS}f} ="
        figures["auc − gauc"] = _Figure(name, round(auc - gauc, _EXACT))
    if "accuracy" in known and majority is not None and not math.isnan(majority):
        accuracy = known["accuracy"]
        name = f"|accuracy {accuracy:.{_DIGITS}f} − majority share {majority:.{_DIGITS}f}| ="
        figures["accuracy − majority"] = _Figure(name, round(abs(accuracy - majority), _EXACT))
    return figures
