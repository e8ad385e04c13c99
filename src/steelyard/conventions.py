"""The conventions that libraries rarely state, as typed fields of the stage where each acts.

``Align`` matches predictions and truth, ``Rank`` orders a list, ``Labelled`` is for rows, ``Average`` for the
mean over queries. Every metric has these fields in addition to its own, so one flat text can state them all.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from steelyard.arguments import is_flag

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


def doubled_choice() -> Any:
    return choice(
        default="error",
        about="The same query and item twice.",
        meaning={
            "error": "the same query and item twice is an error",
            "first": "the first of doubled rows counts",
            "last": "the last of doubled rows counts",
            "best": "the doubled row with the best score (or grade) counts",
            "judged_once": "a doubled prediction is an error; the first of doubled judgements counts",
        },
    )


def self_match_choice() -> Any:
    return choice(
        default="keep",
        about="An item whose id is the query's id.",
        meaning={
            "keep": "an item whose id is the query's id is an item like others",
            "drop": "an item whose id is the query's id is removed",
        },
    )


@dataclass(frozen=True, kw_only=True)
class Align:
    """What happens when predictions meet truth."""

    duplicates: Duplicates = doubled_choice()
    missing: Missing = choice(
        default="keep",
        about="A truth query without predictions.",
        meaning={
            "keep": "queries without predictions count as empty lists",
            "skip": "queries without predictions are skipped",
            "error": "queries without predictions are an error",
        },
    )
    unexpected: Unexpected = choice(
        default="ignore",
        lenient="keep",
        about="A predicted query without truth.",
        meaning={
            "ignore": "predicted queries without ground truth are skipped",
            "keep": "predicted queries without ground truth have nothing relevant",
            "error": "predicted queries without ground truth are an error",
        },
    )
    unjudged: Unjudged = choice(
        default="nonrelevant",
        about="A retrieved item without judgement.",
        meaning={
            "nonrelevant": "a retrieved item without judgement is not relevant",
            "drop": "a retrieved item without judgement is removed before ranking",
            "drop_negative": "a retrieved item unjudged or with a grade below 0 is removed before ranking",
        },
    )
    judgements: Judgements = choice(
        default="all",
        about="Which judgements count.",
        meaning={
            "all": "every judgement counts, retrieved or not",
            "retrieved": "only judgements of supplied rows count",
            "mixed": "the same; a list whose items are all relevant, or none of them, is left out",
        },
    )
    grades: Grades = choice(
        default="as_given",
        about="Which grades there may be.",
        refusing=("whole", "not_negative", "natural", "binary"),
        meaning={
            "as_given": "grades as they were given",
            "whole": "a grade that is no whole number is an error",
            "not_negative": "a grade below 0 is an error",
            "natural": "a grade that is no whole number of 0 or more is an error",
            "binary": "a grade other than 0 and 1 is an error",
            "relevant": "a judgement below 1 is left out, and every other counts 1",
        },
    )
    self_match: SelfMatch = self_match_choice()


@dataclass(frozen=True, kw_only=True)
class Rank:
    """How a list is put in order."""

    order: Order = choice(
        default="score",
        about="What puts a list in order.",
        meaning={
            "score": "the highest score stands first",
            "rank": "the lowest value of the rank column stands first",
            "given": "rows stand as they were given",
        },
    )
    ties: Ties = choice(
        default="item_desc",
        about="The order of rows with the same score.",
        meaning={
            "item_desc": "ties by item, descending",
            "item_asc": "ties by item, ascending",
            "given": "ties as they were given",
            "expected": "the mean over all orders of tied items",
            "optimistic": "ties best grade first",
            "pessimistic": "ties worst grade first",
            "last": "each of the tied items has the last place of its tie",
            "error": "a tie with an item of a grade other than 0 is an error",
        },
    )
    depth: int | None = number(
        default=None,
        meaning="only the first N of each list",
        above=0,
        words={"none": "whole lists"},
        whole=True,
    )
    scores: Scores = choice(
        default="as_given",
        about="How scores are compared.",
        refusing=("positive",),
        meaning={
            "as_given": "scores as they were given",
            "float32": "scores compared in single precision",
            "positive": "scores in single precision; one that is not above 0 is an error",
        },
    )
    item_order: ItemOrder = choice(
        default="native",
        about="How ids are compared in ties by item.",
        meaning={
            "native": "integer ids compare as numbers, text by its UTF-8 bytes",
            "text": "all ids compare as text ('9' stands above '10')",
        },
    )


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """What happens to rows before a metric of rows sees them."""

    unlabelled: Unlabelled = choice(
        default="error",
        about="A row whose label is null.",
        meaning={
            "error": "a row without a label is an error",
            "drop": "a row without a label is left out and counted",
        },
    )
    labels: Labels = choice(
        default="any",
        about="Which labels there may be.",
        refusing=("one_per_row", "not_many", "two_classes"),
        meaning={
            "any": "labels of two classes, of many, or several per row",
            "one_per_row": "several labels per row are an error",
            "not_many": "one label per row of more than two classes is an error",
            "two_classes": "labels other than one of two classes per row are an error",
        },
    )


@dataclass(frozen=True, kw_only=True)
class Undefinable:
    """What an undefined value becomes."""

    undefined: Undefined = choice(
        default="nan",
        about="A value that is undefined.",
        meaning={
            "nan": "an undefined value is NaN: counted, and left out of the mean",
            "zero": "an undefined value counts 0",
            "half": "an undefined value counts 0.5",
            "one": "an undefined value counts 1",
            "error": "an undefined value is an error",
        },
    )


@dataclass(frozen=True, kw_only=True)
class Average:
    """How the values of queries become one."""

    mean: Mean = choice(
        default="arithmetic",
        about="How values of queries become one.",
        meaning={
            "arithmetic": "the mean over queries",
            "geometric": "the geometric mean over queries, values below `floor` counting as `floor`",
            "median": "the median over queries",
        },
    )
    floor: float = number(default=1e-5, meaning="the least value in a geometric mean", above=0, below=1)


ALIGN_FIELDS = tuple(field.name for field in dataclasses.fields(Align))
RANK_FIELDS = tuple(field.name for field in dataclasses.fields(Rank))
LABELLED_FIELDS = tuple(field.name for field in dataclasses.fields(Labelled))
AVERAGE_FIELDS = tuple(field.name for stage in (Undefinable, Average) for field in dataclasses.fields(stage))


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
