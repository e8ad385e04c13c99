"""What is in the data: choices about what is not there change nothing, and are not tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from steelyard.align import EncodedGrid, Tally
from steelyard.align.aligned import check_grades
from steelyard.arrays import Floats
from steelyard.claims.starts import Change
from steelyard.conventions import Align
from steelyard.engines.local import Local
from steelyard.engines.rankings import Rankings
from steelyard.engines.rows import Rows
from steelyard.messages.errors import SteelyardError
from steelyard.metrics import Metric

# words that refuse some data, and else mean what another word of their field means
STRICT = {"grades": ("whole", "not_negative", "natural", "binary"), "scores": ("positive",)}
_LENIENT = {
    "duplicates": "first",
    "missing": "keep",
    "unexpected": "keep",
    "unjudged": "nonrelevant",
    "judgements": "all",
    "grades": "as_given",
    "self_match": "keep",
    "ties": "item_desc",
    "scores": "as_given",
    "item_order": "native",
    "depth": None,
}
# rows as they were given have no two at one place, whatever their scores are
_NEVER_TIED: dict[str, Any] = {name: _LENIENT[name] for name in ("ties", "scores", "item_order")}


@dataclass(frozen=True)
class Facts:
    """What a search needs to know of the data beside the values.

    ``idle`` are the fields that nothing depends on, each with the value that stands for all it may have, but
    for those of ``refusing``. Of other fields ``alike`` are single values that come to the same as another.
    """

    idle: Mapping[str, Any] = field(default_factory=dict)
    grades: tuple[float, ...] = ()  # above 0, those that occur
    longest: int | None = None  # of the lists
    refusing: frozenset[Change] = frozenset()
    alike: Mapping[Change, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, engine: Local, kinds: list[type[Metric]]) -> Facts:
        """What tables hold, as far as these metrics read it."""
        known = cls()
        for reader in engine.readers.values():
            if isinstance(reader, Rows):
                idle = {} if reader.tally.unlabelled else {"unlabelled": "error"}
                known = replace(known, idle={**known.idle, **idle})
            first = next((one for one in kinds if one.reads == "hits"), None)
            if isinstance(reader, Rankings) and first is not None:
                found = _of_rankings(reader, first())
                known = replace(found, idle={**known.idle, **found.idle})
        return known

    def settled(self, metric: Metric) -> Metric:
        """The same metric with one value for all that a field may have where nothing depends on it."""
        values = metric.values()
        changes = {
            name: self.idle[name] if name in self.idle else self.alike[name, value]
            for name, value in values.items()
            if (name in self.idle or (name, value) in self.alike) and (name, value) not in self.refusing
        }
        if values.get("order") == "given":
            changes |= _NEVER_TIED
        changes = {name: value for name, value in changes.items() if value != values[name]}
        depth = values.get("depth")
        if depth is not None and self.longest is not None and depth >= self.longest:
            changes["depth"] = None
        return metric.replace(**changes) if changes else metric


def _of_rankings(reader: Rankings, metric: Metric) -> Facts:
    lenient = metric.replace(**{**_LENIENT, **reader.settled()})
    try:
        counted = reader.counted(lenient.need())
    except SteelyardError:  # tables without a query in common: every search will say so
        return Facts()
    tally = counted.tally
    idle: dict[str, Any] = {}
    if not tally.doubled_predictions + tally.doubled_judgements:
        idle["duplicates"] = "first"
    if not tally.queries_missing:
        idle["missing"] = "keep"
    grades = np.unique(reader.tables.grades)
    if not tally.queries_unexpected and (grades >= 1).all():  # grades=relevant leaves queries no other truth
        idle["unexpected"] = "ignore"
    if not tally.unjudged and (grades >= 0).all():
        idle["unjudged"] = "nonrelevant"
    if (grades == 1).all():
        idle["grades"] = "as_given"
    allowed = {word: _allows(word, grades) for word in STRICT["grades"]}
    if _none_matches_itself(reader):
        idle["self_match"] = "keep"
    idle |= _of_order(reader, lenient, tally)
    negative = reader.settled()["order"] == "score" and not (counted.strength > 0).all()
    refusing = {("grades", word) for word, fits in allowed.items() if not fits}
    return Facts(
        idle=idle,
        grades=tuple(grades[grades > 0].tolist()),
        longest=int(counted.retrieved.max(initial=0)),
        refusing=frozenset(refusing | ({("scores", "positive")} if negative else set())),
        alike={("grades", word): "as_given" for word, fits in allowed.items() if fits},
    )


def _allows(word: Any, grades: Floats) -> bool:
    """Whether there are no grades but those that a choice allows."""
    try:
        check_grades(grades, Align(grades=word), "")
    except SteelyardError:
        return False
    return True


def _of_order(reader: Rankings, lenient: Metric, tally: Tally) -> dict[str, Any]:
    """Fields of the order, where scores in single precision have the ties that they had before."""
    idle: dict[str, Any] = {}
    tied = tally.tied
    if reader.settled()["order"] != "score":
        idle["scores"] = "as_given"
    else:
        tied = reader.counted(lenient.replace(scores="float32").need()).tally.tied
        if tied == tally.tied and not tally.doubled_predictions:
            idle["scores"] = "as_given"
    if not tied and not tally.doubled_predictions:
        idle["ties"] = lenient.values()["ties"]
    items = reader.tables.predictions.frame.get_column("item", default=None)
    if "ties" in idle or (items is not None and items.dtype == pl.String):
        idle["item_order"] = "native"
    return idle


def _none_matches_itself(reader: Rankings) -> bool:
    if isinstance(reader.encoded, EncodedGrid):
        return False
    frame = reader.tables.predictions.frame
    if "item" not in frame.columns or frame["query"].dtype != frame["item"].dtype:
        return frame.height > 0 and "item" not in frame.columns
    return not (frame["query"] == frame["item"]).any()
