"""A result as plain dictionaries and lists: what JSON is written from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from steelyard.arguments import slice_value
from steelyard.engine.slices import CLASS_COLUMNS, ENDS
from steelyard.stats.measured import COVERAGE, group_coverage
from steelyard.stats.readings import Reading
from steelyard.version import VERSION

SCHEMA_VERSION = 3
HEADER = {"schema_version": SCHEMA_VERSION, "steelyard": VERSION}
_COLUMNS = ("metric", "value", *ENDS, "n", "undefined")


def as_dict(result: Any) -> dict[str, Any]:
    """Everything of a ``Result``, as plain Python values; NaN is None."""
    rows, by, units, spec = result.rows, result.by, result.units(), result.spec()
    groups = group_coverage(result.measured, by)
    keys = (*by, "metric")
    covered = {
        tuple(row[name] for name in keys): {"groups": {name: row[name] for name in COVERAGE}}
        for row in groups.fill_nan(None).to_dicts()
    }
    # JSON has no other numbers
    finite = [pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in ("value", *ENDS)]
    return {
        **HEADER,
        "profile": result.profile,
        "certainty": result.plan.certainty.to_dict(),
        **{name: None if said is None else str(said) for name, said in vars(result.names).items()},
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
        "specs": spec,
        "tally": result.tally.to_dict(),
        "rankings": [
            {**vars(one.align), **vars(one.rank), "tally": one.tally.to_dict()} for one in result.rankings
        ],
        "readings": [_reading(one) for one in result.said],
        "notes": [note.to_dict() for note in result.notes],
    }


def _spec_of(row: Mapping[str, Any], spec: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The specification of a row's metric; a value of a class has none, since 500 classes have 250,000."""
    return {} if row.get("class") is not None else {"spec": spec[row["metric"]]}


def _reading(reading: Reading) -> dict[str, Any]:
    return {
        **reading.text.to_dict(),
        "figures": [figure.to_dict() for figure in reading.figures],
        "kind": reading.kind,
        "slices": [
            {
                "slice": dict(part.slice),
                "share": part.share,
                "unit": part.unit,
                "figures": [figure.to_dict() for figure in part.figures],
            }
            for part in reading.slices
        ],
    }


def comparison_as_dict(
    compared: Any, rows: pl.DataFrame, first: Any, tests: tuple[int, int]
) -> dict[str, Any]:
    """Everything of a ``Comparison``, as plain Python values; what is not known, or not finite, is None.

    ``first`` is the result of its first system.
    """
    by, units, spec = first.by, first.units(), first.spec()
    numbers = [name for name, kind in rows.schema.items() if kind.is_float()]
    finite = [pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in numbers]
    return {
        **HEADER,
        "systems": [
            {
                "name": name,
                **{role: None if said is None else str(said) for role, said in vars(one.names).items()},
            }
            for name, one in compared.results.items()
        ],
        "baseline": compared.baseline,
        "testing": compared.testing.to_dict() | dict(zip(("tests", "tests_in_slices"), tests, strict=True)),
        "differences": [
            {
                **{name: value for name, value in row.items() if name not in (*by, *CLASS_COLUMNS)},
                **{name: row[name] for name in CLASS_COLUMNS if row.get(name) is not None},
                "test": compared.tests.get(row["metric"]),
                "unit": units[row["metric"]],
                "slice": {name: slice_value(row[name]) for name in by if row[name] is not None},
                **_spec_of(row, spec),
            }
            for row in rows.with_columns(finite).to_dicts()
        ],
        "specs": spec,
        "notes": [note.to_dict() for note in compared.notes],
    }
