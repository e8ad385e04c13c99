"""The conventions that libraries rarely state, as typed fields of the stage where each acts.

``Align`` matches predictions and truth, ``Rank`` orders a list, ``Labelled`` is for rows, ``Average`` for the
mean over queries. Every metric has these fields in addition to its own, so one flat text can state them all.
``Certainty`` is how intervals are made.
"""

from __future__ import annotations

import dataclasses
import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from steelyard.arguments import is_flag, is_one_of, number_of, whole_of
from steelyard.text import say
from steelyard.text.errors.forms import must_be, one_of

Duplicates = Literal["error", "first", "last", "best", "judged_once"]
Missing = Literal["keep", "skip", "error"]
Unexpected = Literal["ignore", "keep", "error"]
Unjudged = Literal["nonrelevant", "drop", "drop_negative"]
Judgements = Literal["all", "retrieved", "mixed"]
Grades = Literal["as_given", "whole", "not_negative", "natural", "binary", "relevant"]
SelfMatch = Literal["keep", "drop"]
Order = Literal["score", "rank", "given"]
Ties = Literal["item_desc", "item_asc", "given", "expected", "optimistic", "pessimistic", "last", "error"]
Scores = Literal["as_given", "float32", "positive"]
ItemOrder = Literal["native", "text"]
Unlabelled = Literal["error", "drop"]
Labels = Literal["any", "one_per_row", "not_many", "two_classes"]
Undefined = Literal["nan", "zero", "half", "one", "error"]
Mean = Literal["arithmetic", "geometric", "median"]
Cutoff = Literal["required", "optional", "never"]


def choice(
    *,
    default: str,
    meaning: Mapping[str, str],
    about: str = "",
    other: Callable[[str, object], str | None] | None = None,
    refusing: Sequence[str] = (),
    lenient: str = "",
) -> Any:
    """A field that takes one of a few words, each with its meaning; ``about`` is the help of its option.

    ``other`` reads other values for the owner of the field, or returns None. ``refusing`` are words, in
    addition to ``error``, that refuse some data; ``lenient`` accepts all data.
    """
    data = {"meaning": dict(meaning), "about": about, "other": other, "lenient": lenient}
    return dataclasses.field(default=default, metadata={**data, "refusing": ("error", *refusing)})


def flag(*, default: bool, meaning: Mapping[str, str], about: str = "") -> Any:
    return dataclasses.field(
        default=default, metadata={"meaning": dict(meaning), "about": about, "flag": True}
    )


def number(
    *,
    default: float | str | None,
    meaning: str,
    above: float = -math.inf,
    at_least: float = -math.inf,
    below: float = math.inf,
    at_most: float = math.inf,
    words: Mapping[str, str] | None = None,
    whole: bool = False,
    tries: Sequence[Any] | Callable[[Any], Sequence[Any]] | None = None,
) -> Any:
    """A field that takes a number within bounds, or one of a few words.

    ``tries`` are the values that an explanation compares, or a function of the measured state; by default the
    words.
    """
    bounds = {"above": above, "at_least": at_least, "below": below, "at_most": at_most}
    return dataclasses.field(
        default=default,
        metadata={"number": meaning, **bounds, "words": dict(words or {}), "whole": whole, "tries": tries},
    )


def tries(field: dataclasses.Field[Any], state: Any) -> list[Any]:
    """The values of a field that an explanation compares with each other."""
    if "meaning" in field.metadata:
        words = list(field.metadata["meaning"])
        return [word == "true" for word in words] if field.metadata.get("flag") else words
    stated = field.metadata.get("tries")
    if stated is not None:
        return list(stated(state) if callable(stated) else stated)
    words = list(field.metadata.get("words", {}))
    return [None if word in ("none", "all") and field.default is None else word for word in words]


_TEXTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def shared_choice(name: str, *, default: str) -> Any:
    """A choice that several metrics share; its words and their meanings are in ``conventions.toml``."""
    return choice(default=default, **_TEXTS[name])


@dataclass(frozen=True, kw_only=True)
class Align:
    """What happens when predictions meet truth."""

    duplicates: Duplicates = shared_choice("duplicates", default="error")
    missing: Missing = shared_choice("missing", default="keep")
    unexpected: Unexpected = shared_choice("unexpected", default="ignore")
    unjudged: Unjudged = shared_choice("unjudged", default="nonrelevant")
    judgements: Judgements = shared_choice("judgements", default="all")
    grades: Grades = shared_choice("grades", default="as_given")
    self_match: SelfMatch = shared_choice("self_match", default="keep")


@dataclass(frozen=True, kw_only=True)
class Rank:
    """How a list is put in order."""

    order: Order = shared_choice("order", default="score")
    ties: Ties = shared_choice("ties", default="item_desc")
    depth: int | None = number(
        default=None,
        meaning="only the first N of each list",
        above=0,
        words={"none": "whole lists"},
        whole=True,
    )
    scores: Scores = shared_choice("scores", default="as_given")
    item_order: ItemOrder = shared_choice("item_order", default="native")


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """What happens to rows before a metric of rows sees them."""

    unlabelled: Unlabelled = shared_choice("unlabelled", default="error")
    labels: Labels = shared_choice("labels", default="any")


@dataclass(frozen=True, kw_only=True)
class Undefinable:
    """What an undefined value becomes."""

    undefined: Undefined = shared_choice("undefined", default="nan")


@dataclass(frozen=True, kw_only=True)
class Average:
    """How the values of queries become one."""

    mean: Mean = shared_choice("mean", default="arithmetic")
    floor: float = number(default=1e-5, meaning="the least value in a geometric mean", above=0, below=1)


ALIGN_FIELDS = tuple(field.name for field in dataclasses.fields(Align))
RANK_FIELDS = tuple(field.name for field in dataclasses.fields(Rank))
LABELLED_FIELDS = tuple(field.name for field in dataclasses.fields(Labelled))
AVERAGE_FIELDS = tuple(field.name for stage in (Undefinable, Average) for field in dataclasses.fields(stage))


INTERVAL_KINDS = ("auto", "none", "influence", "score", "t", "bootstrap", "bca")


def alpha_of(level: float) -> float:
    """The significance level of a confidence level, without the rounding error of the subtraction.

    >>> alpha_of(0.95)
    0.05
    """
    return round(1 - level, 12)


@dataclass(frozen=True, kw_only=True)
class Certainty:
    """The confidence intervals of a call: their kind, level and units."""

    ci: str = "auto"
    level: float = 0.95
    unit: str | None = None  # the column of resampling units
    seed: int = 0
    replicates: int = 1000

    @classmethod
    def of(
        cls, ci: Any = "auto", level: Any = 0.95, unit: Any = None, seed: Any = 0, replicates: Any = 1000
    ) -> Certainty:
        if not is_one_of(ci, INTERVAL_KINDS):
            raise one_of("ci", ci, INTERVAL_KINDS)
        share = number_of(level)
        if share is None or not 0 < share < 1:
            remedy: str = ""
            if share is not None and 1 < share < 100:
                remedy = say("write {share:g} for {percent:g} %", share=share / 100, percent=share)
            raise must_be("level", say("a number between 0 and 1, such as 0.95"), level, remedy=remedy)
        if unit is not None and (not isinstance(unit, str) or not unit):
            raise must_be("unit", say("the name of a column"), unit)
        start = whole_of(seed)
        if start is None or not 0 <= start < 2**64:
            raise must_be("seed", say("a whole number from 0 to 2**64 - 1"), seed)
        draws = whole_of(replicates)
        if draws is None or not 100 <= draws <= 1_000_000:
            raise must_be("replicates", say("a whole number from 100 to 1,000,000"), replicates)
        return cls(ci=ci, level=share, unit=unit, seed=start, replicates=draws)

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


def plain(value: object) -> str:
    """The value of a field as text: 1 for 1.0, none for None, true for True."""
    if isinstance(value, str):
        return value
    if value is None:
        return "none"
    if is_flag(value):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
