"""The fields of a result as a manifest and tables, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from steelyard.engine.coding import Encoded, encode, encode_labelled
from steelyard.engine.grid import EncodedGrid
from steelyard.engine.influence import Drawn
from steelyard.engine.memory import Lists, bare
from steelyard.read import Table
from steelyard.result.saved.plain import from_json, to_json
from steelyard.result.saved.tables import Home, TableReader, TableWriter
from steelyard.stats.intervals import Limits
from steelyard.stats.measured import Measured, TieRange

_PLAIN = ("plan", "names", "rankings", "tally", "max_grade", "facts", "said", "notes", "fingerprints")
# The columns of the table `certainty`: the fields of Limits with a number for each value.
_LIMITS = {
    "standard_error": "error",
    "units": "units",
    "effective_units": "effective",
    "effective_units_used": "fewest",
    "too_few": "scarce",
    "largest_share": "share",
    "equal_share": "equal",
    "largest_unit": "largest",
    "empty_draws": "empty",
}
_OF_TABLE = ("name", "untyped", "listed", "columns")


def to_tables(fields: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, pl.Series]]]:
    """The manifest of a result, and its tables by name."""
    writer = TableWriter()
    measured: Sequence[Measured] = fields["measured"]
    writer.frame("values", fields["rows"])
    writer.frame("certainty", pl.concat([_certainty(*part) for one in measured for part in _parts(one)]))
    metrics = [_metric(one, writer) for one in measured]
    manifest = {
        **{name: to_json(fields[name]) for name in _PLAIN},
        "metrics": metrics,
        "lists": _lists(fields["lists"], writer),
        "slice_coverage": {
            role: writer.frame("slices", one) for role, one in fields["slice_coverage"].items()
        },
        "states": writer.objects,
    }
    return manifest, writer.tables


def from_tables(manifest: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]) -> dict[str, Any]:
    """The fields of the result again."""
    reader = TableReader(tables, manifest["states"])
    rows, certainty = tables["values"], tables["certainty"]
    measured, at = [], 0
    for node in manifest["metrics"]:
        one, n = _measured(node, reader, rows[at:], certainty[at:])
        measured.append(one)
        at += n
    if at != rows.height:
        raise ValueError("rows of no metric")
    return {
        **{name: from_json(manifest[name]) for name in _PLAIN},
        "rows": rows,
        "measured": tuple(measured),
        "lists": _kept_lists(manifest["lists"], tables),
        "slice_coverage": {role: tables[name] for role, name in manifest["slice_coverage"].items()},
    }


def _parts(one: Measured) -> list[tuple[int, Limits | None]]:
    """How many values the whole has, and how many the slices; each with its limits."""
    sliced = [] if one.sliced is None else [(one.sliced.size, one.sliced_limits)]
    return [(one.whole.size, one.limits), *sliced]


def _certainty(n: int, limits: Limits | None) -> pl.DataFrame:
    values = {name: None if limits is None else getattr(limits, field) for name, field in _LIMITS.items()}
    nothing = {name: [None] * n for name, column in values.items() if column is None}
    types = {"largest_unit": pl.Int64, "units": pl.Int64, "too_few": pl.Boolean, "empty_draws": pl.Int64}
    schema = {name: types.get(name, pl.Float64) for name in _LIMITS}
    return pl.DataFrame({**values, **nothing}, schema=schema)


def _metric(one: Measured, writer: TableWriter) -> dict[str, Any]:
    state, parts = writer.state(one.state), writer.state(one.parts)
    homes: Home = {}
    units = None
    if one.units is not None and one.each is not None:  # the values are a column beside the names
        names = writer.column("units", "unit", one.units, homes)
        homes["units", len(one.units)] = names["column"][0]
        units = {"names": names, "values": writer.column("units", one.label, one.each, homes)}
    # of the rows, where they are kept, influence is made again
    left = () if isinstance(one.state, Drawn) else one.left
    return {
        "label": one.label,
        "metric": to_json(one.metric),
        "entries": to_json(one.entries),
        "state": state,
        "parts": parts,
        "units": units,
        "slices": None if one.slices is None else writer.frame("slices", one.slices),
        "rests_on": None if one.support is None else writer.frame("slices", one.support),
        "thresholded": one.thresholded,
        "unit": one.drawn,
        "whole": _shape(one.whole, one.limits, one.ties),
        "sliced": None if one.sliced is None else _shape(one.sliced, one.sliced_limits, one.sliced_ties),
        "influence": [writer.state(found, dict(homes), f"{one.label} ") for found in left],
    }


def _shape(values: Any, limits: Limits | None, ties: TieRange | None) -> dict[str, Any]:
    known = (
        None if limits is None else {"kind": limits.kind, "left_out": limits.left_out, "draws": limits.draws}
    )
    return {"shape": list(values.shape), "interval": known, "ties": ties is not None}


def _measured(
    node: Mapping[str, Any], reader: TableReader, rows: pl.DataFrame, certainty: pl.DataFrame
) -> tuple[Measured, int]:
    tables, units = reader.tables, node["units"]
    whole, limits, ties, n = _values(node["whole"], rows, certainty)
    sliced = sliced_limits = sliced_ties = None
    if node["sliced"] is not None:
        sliced, sliced_limits, sliced_ties, n_sliced = _values(node["sliced"], rows[n:], certainty[n:])
        n += n_sliced
    one = Measured(
        label=node["label"],
        metric=from_json(node["metric"]),
        state=reader.state(node["state"]),
        whole=whole,
        each=None if units is None else reader.column(units["values"]),
        units=None if units is None else reader.column(units["names"]),
        parts=reader.state(node["parts"]),
        sliced=sliced,
        entries=from_json(node["entries"]),
        slices=None if node["slices"] is None else tables[node["slices"]],
        support=None if node["rests_on"] is None else tables[node["rests_on"]],
        thresholded=node["thresholded"],
        limits=limits,
        sliced_limits=sliced_limits,
        drawn=node["unit"],
        left=tuple(map(reader.state, node["influence"])) or (None, None),
        ties=ties,
        sliced_ties=sliced_ties,
    )
    return one, n


def _values(
    node: Mapping[str, Any], rows: pl.DataFrame, certainty: pl.DataFrame
) -> tuple[Any, Any, Any, int]:
    """Some values with their limits, their range by ties, and how many rows of the tables they take."""
    n = int(np.prod(node["shape"]))
    rows, certainty = rows[:n], certainty[:n]
    limits = ties = None
    if node["interval"] is not None:
        found: dict[str, Any] = {field: certainty[name] for name, field in _LIMITS.items()}
        empty = found.pop("empty")
        limits = Limits(
            **node["interval"],
            low=_numbers(rows["ci_low"]),
            high=_numbers(rows["ci_high"]),
            **{field: column.to_numpy() for field, column in found.items()},
            empty=None if empty.null_count() else empty.to_numpy(),
        )
    if node["ties"]:
        low, high, values = (rows[name] for name in ("tie_low", "tie_high", "value"))
        touched = low.is_not_null().to_numpy()
        ties = TieRange(
            low=low.fill_null(values).to_numpy(), high=high.fill_null(values).to_numpy(), touched=touched
        )
    return rows["value"].to_numpy().reshape(node["shape"]), limits, ties, n


def _numbers(column: pl.Series) -> Any:
    return column.fill_null(float("nan")).to_numpy()


def _lists(lists: Lists | None, writer: TableWriter) -> dict[str, Any] | None:
    """The lists as the two tables that they were made of."""
    if lists is None:
        return None
    encoded = lists.encoded
    if isinstance(encoded, EncodedGrid):
        encoded = encoded.encoded(np.arange(len(encoded.queries)))
    # without items there is one table, whose rows are their own judgements
    sides = [encoded.predictions, encoded.truth][: 1 + encoded.predictions.has_items]
    frames = [bare(side).table.frame for side in sides]
    if encoded.excluded is not None:
        of_row = np.zeros(frames[0].height, bool)
        of_row[encoded.predictions.rows(np.flatnonzero(encoded.excluded))] = True
        frames[0] = frames[0].with_columns(pl.Series("excluded", of_row))
    return {
        "max_grade": to_json(lists.max_grade),
        "some": lists.some,
        "tables": [
            {
                "table": writer.frame("lists", frame),
                **{name: to_json(getattr(side.table, name)) for name in _OF_TABLE},
            }
            for side, frame in zip(sides, frames, strict=True)
        ],
    }


def _kept_lists(node: Mapping[str, Any] | None, frames: Mapping[str, pl.DataFrame]) -> Lists | None:
    if node is None:
        return None
    tables = [
        Table(
            frame=frames[side["table"]].drop("excluded", strict=False),
            extra=pl.DataFrame(),
            **{name: from_json(side[name]) for name in _OF_TABLE},
        )
        for side in node["tables"]
    ]
    encoded: Encoded = encode(*tables) if len(tables) > 1 else encode_labelled(*tables)
    first = frames[node["tables"][0]["table"]]
    if "excluded" in first.columns:
        of_row, side = first["excluded"].to_numpy(), encoded.predictions
        vars(encoded)["excluded"] = of_row[side.rows(np.arange(len(side.key)))]
    return Lists(encoded=encoded, max_grade=from_json(node["max_grade"]), some=node["some"])
