"""Every sensible form of every registered metric, built from the fields that it declares."""

from __future__ import annotations

import dataclasses
from functools import cache
from itertools import product

from steelyard import conventions
from steelyard.metrics import RankingMetric, by_name
from steelyard.text.errors import SteelyardError

SHARED = {*conventions.ALIGN_FIELDS, *conventions.RANK_FIELDS, "undefined", "mean", "floor"}
CUTOFFS = (None, 1, 2, 3, 5, 40)
MAPPING = "1:3/2:4/3:9"  # grades that the laws draw where a mapping is meant
FURTHER = {
    "rel": (1.0, 2.0),
    "beta": (1.0, 2.0),
    "max_grade": (3.0,),
    "gain": (MAPPING,),
    "decay": (0.85,),
}

REGISTERED = {name: cls for name, cls in by_name().items() if issubclass(cls, RankingMetric)}
NAMES = list(REGISTERED)


@cache
def own_choices(cls):
    """The fields of a metric that are not those of every metric, with the values they take."""
    values = {}
    for field in dataclasses.fields(cls):
        if field.name in SHARED or field.name == "k":
            continue
        taken = [*field.metadata.get("meaning", ()), *field.metadata.get("words", ())]
        taken += FURTHER.get(field.name, ())
        taken = taken or list(field.metadata["tries"] or ())
        assert taken, f"the laws do not know which values {cls.__name__}.{field.name} takes"
        values[field.name] = taken
    return values


@cache
def variants(name, cutoffs=CUTOFFS, **fixed):
    """The metric under every combination of its own fields, where the combination means something."""
    cls = REGISTERED[name]
    fields = {key: values for key, values in own_choices(cls).items() if key not in fixed}
    if "k" in {field.name for field in dataclasses.fields(cls)}:
        fields["k"] = cutoffs
    made = []
    for values in product(*fields.values()):
        stated = fixed | dict(zip(fields, values, strict=True))
        if stated.get("max_grade", "truth") != "truth" and stated.get("ideal", "full") != "full":
            continue
        try:
            made.append(cls(**stated))
        except SteelyardError as error:
            if "needs a cutoff" not in str(error):
                raise
    return tuple(made)


def every_variant(cutoffs=CUTOFFS, **fixed):
    """All variants of all metrics."""
    return [metric for name in NAMES for metric in variants(name, cutoffs, **fixed)]
