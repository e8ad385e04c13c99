"""A result as plain dictionaries and lists: what JSON is written from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from steelyard.arguments import slice_value
from steelyard.engine.protocol import Names, Ranking, Tally
from steelyard.engine.slices import CLASS_COLUMNS, ENDS
from steelyard.measure.certainty import Certainty
from steelyard.measure.measured import COVERAGE
from steelyard.measure.readings import Reading
from steelyard.messages import Message
from steelyard.version import VERSION

SCHEMA_VERSION = 3
HEADER = {"schema_version": SCHEMA_VERSION, "steelyard": VERSION}
_COLUMNS = ("metric", "value", *ENDS, "n", "undefined")


def as_dict(
    *,
    profile: str,
    certainty: Certainty,
    names: Names,
    rows: pl.DataFrame,
    by: Sequence[str],
    units: Mapping[str, str],
    groups: pl.DataFrame,
    spec: Mapping[str, Mapping[str, Any]],
    tally: Tally,
    rankings: Sequence[Ranking],
    readings: Sequence[Reading],
    notes: Sequence[Message],
) -> dict[str, Any]:
    """Everything, as plain Python values; NaN is None."""
    keys = (*by, "metric")
    covered = {
        tuple(row[name] for name in keys): {"groups": {name: row[name] for name in COVERAGE}}
        for row in groups.fill_nan(None).to_dicts()
    }
    # JSON has no other numbers
    finite = [pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in ("value", *ENDS)]
    return {
        **HEADER,
        "profile": profile,
        "certainty": certainty.to_dict(),
        **{name: None if said is None else str(said) for name, said in vars(names).items()},
        "results": [
            {
                **{name: row[name] for name in _COLUMNS},
                **{name: row[name] for name in CLASS_COLUMNS if row.get(name) is not None},
                "unit": units[row["metric"]],
                **covered.get(tuple(row[name] for name in keys), {}),
                "slice": {name: slice_value(row[name]) for name in by if row[name] is not None},
                **_spec_of(row, spec),
            }
            for row in rows.with_columns(finite).to_dicts()
        ],
        "specs": dict(spec),
        "tally": tally.to_dict(),
        "rankings": [{**vars(one.align), **vars(one.rank), "tally": one.tally.to_dict()} for one in rankings],
        "readings": [_reading(one) for one in readings],
        "notes": [note.to_dict() for note in notes],
    }


def _spec_of(row: Mapping[str, Any], spec: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The specification of a row's metric; a value of a class has none, since 500 classes have 250,000."""
    return {} if row.get("class") is not None else {"spec": spec[row["metric"]]}


def _reading(one: Reading) -> dict[str, Any]:
    return {
        **one.text.to_dict(),
        "figures": [figure.to_dict() for figure in one.figures],
        "kind": one.kind,
        "slices": [
            {
                "slice": dict(part.slice),
                "share": part.share,
                "unit": part.unit,
                "figures": [figure.to_dict() for figure in part.figures],
            }
            for part in one.slices
        ],
    }


def comparison_as_dict(
    *,
    systems: Mapping[str, Names],
    baseline: str | None,
    testing: Mapping[str, Any],
    tests: Mapping[str, str],
    rows: pl.DataFrame,
    by: Sequence[str],
    units: Mapping[str, str],
    spec: Mapping[str, Mapping[str, Any]],
    notes: Sequence[Message],
) -> dict[str, Any]:
    """A comparison, as plain Python values; what is not known, or no finite number, is None."""
    numbers = [name for name, kind in rows.schema.items() if kind.is_float()]
    finite = [pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in numbers]
    return {
        **HEADER,
        "systems": [
            {
                "name": name,
                **{role: None if said is None else str(said) for role, said in vars(names).items()},
            }
            for name, names in systems.items()
        ],
        "baseline": baseline,
        "testing": dict(testing),
        "differences": [
            {
                **{name: value for name, value in row.items() if name not in (*by, *CLASS_COLUMNS)},
                **{name: row[name] for name in CLASS_COLUMNS if row.get(name) is not None},
                "test": tests.get(row["metric"]),
                "unit": units[row["metric"]],
                "slice": {name: slice_value(row[name]) for name in by if row[name] is not None},
                **_spec_of(row, spec),
            }
            for row in rows.with_columns(finite).to_dicts()
        ],
        "specs": dict(spec),
        "notes": [note.to_dict() for note in notes],
    }
