"""The file of a saved result: a zip of parquet tables and ``manifest.json``."""

from __future__ import annotations

import hashlib
import json
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from steelyard.engine.coding import Encoded, EncodedGrid, encode, encode_labelled
from steelyard.engine.influence import Influence, Sampled
from steelyard.engine.memory import Lists, bare
from steelyard.engine.protocol import Names, Ranking, Tally
from steelyard.read import Table
from steelyard.result.stored import (
    ChangedMetricError,
    Home,
    TableReader,
    TableWriter,
    UndefinedMetricError,
    from_json,
    to_json,
)
from steelyard.spec import Plan
from steelyard.stats.intervals import Limits
from steelyard.stats.measured import Measured, TieRange
from steelyard.stats.readings import Reading
from steelyard.text import say
from steelyard.text.errors import ReadError, SteelyardError, reading, writing
from steelyard.text.errors.forms import must_be, reason_of
from steelyard.version import VERSION

T = TypeVar("T")

FORM = "7.0"  # major.minor: a minor version adds what older readers ignore, a major one what they must not
_ENDING = ".steelyard"
_MANIFEST = "manifest.json"
_HEAD = b"PK\x03\x04"
_OLD = b"ARROW1"  # how files of the forms before 6.0 begin
_NAME_AT = 30  # bytes before the name of the first file in a zip
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, MemoryError),
    *(ValueError, TypeError, LookupError, AttributeError, ArithmeticError),
    *(pl.exceptions.PolarsError, pl.exceptions.PanicException),
)


def to_bytes(fields: Mapping[str, Any]) -> bytes:
    """The fields of a result as the bytes of a file; the same fields give the same bytes."""
    manifest, tables = to_tables(fields)
    return packed(manifest, tables, kind="result", form=FORM)


def packed(
    manifest: Mapping[str, Any], tables: Mapping[str, Mapping[str, pl.Series]], *, kind: str, form: str
) -> bytes:
    """A manifest and tables as the bytes of one file, with a checksum of each table."""
    head = {"kind": kind, "version": form, "steelyard": VERSION}
    files = {}
    for name, columns in tables.items():
        out = BytesIO()
        try:
            pl.DataFrame(columns).write_parquet(out, statistics=False)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):  # a type that parquet lacks
            types = ", ".join({str(column.dtype): None for column in columns.values()})
            raise writing.cannot_hold(type=f"table of {types}") from None
        files[f"{name}.parquet"] = out.getvalue()
    manifest = {**head, "sums": _sums(files), **manifest}
    files = {_MANIFEST: json.dumps(manifest, allow_nan=False, indent=1).encode(), **files}
    whole = BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)  # of no date
            info.compress_type = zipfile.ZIP_DEFLATED if name == _MANIFEST else zipfile.ZIP_STORED
            archive.writestr(info, data)
    return whole.getvalue()


def read(path: str | PathLike[str]) -> dict[str, Any]:
    """The fields of the result that a file holds."""
    name, data = content(path)
    if data.startswith(_OLD):
        raise _old(name, data)
    return unpacked(data, name, kind="result", form=FORM, made=from_tables)


def unpacked(data: bytes, name: str, *, kind: str, form: str, made: Callable[[Any, Any], T]) -> T:
    """What the bytes of a file hold, made of its manifest and its tables once both are known to be whole."""
    if not _is_ours(data):
        raise writing.not_saved(name=name)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            files = {file: archive.read(file) for file in archive.namelist()}
        manifest = json.loads(files.pop(_MANIFEST))
        found, there = str(manifest["version"]), str(manifest["kind"])
    except (*_BROKEN, RecursionError):
        raise writing.changed(name=name) from None
    if there != kind:
        raise writing.saved_of_another_kind(name=name, found=there, wanted=kind)
    other = writing.saved_otherwise(
        name=name, by=str(manifest.get("steelyard")), found=found, here=VERSION, wanted=form
    )
    if _numbers(found)[0] != _numbers(form)[0]:
        raise other
    if manifest.get("sums") != _sums(files):
        raise writing.changed(name=name)
    try:
        tables = {
            one.removesuffix(".parquet"): pl.read_parquet(BytesIO(table)) for one, table in files.items()
        }
        return made(manifest, tables)
    except UndefinedMetricError as error:
        raise writing.metric_not_defined(name=name, metric=error.args[0]) from None
    except ChangedMetricError as error:
        metric, there, here = error.args
        raise writing.metric_of_another_kind(name=name, metric=metric, there=there, here=here) from None
    except SteelyardError:
        raise
    except (*_BROKEN, RecursionError):  # a later minor version may use what this one cannot read
        raise (other if _numbers(found) > _numbers(form) else writing.changed(name=name)) from None


def _sums(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


def is_saved(path: str | PathLike[str]) -> bool:
    """Whether a file is a saved result, by its beginning, or should be one, by its name."""
    if Path(path).suffix.lower() == _ENDING:
        return True
    try:
        if os.fspath(path) == "-" or not Path(path).is_file():  # a pipe would lose what is read here
            return False
        with Path(path).open("rb") as file:
            return _is_ours(file.read(_NAME_AT + len(_MANIFEST)))
    except (OSError, ValueError):  # the reader says why
        return False


def _is_ours(beginning: bytes) -> bool:
    return beginning.startswith(_HEAD) and beginning[_NAME_AT:].startswith(_MANIFEST.encode())


def _old(name: str, data: bytes) -> SteelyardError:
    """The error for a file that an older version saved, or for another Arrow file."""
    try:
        head = pl.read_ipc(BytesIO(data), columns=["version", "steelyard"]).row(0, named=True)
    except _BROKEN:
        return writing.not_saved(name=name)
    by, found = str(head["steelyard"]), str(head["version"])
    return writing.saved_otherwise(name=name, by=by, found=found, here=VERSION, wanted=FORM)


def _numbers(version: str) -> tuple[int, ...]:
    """A version as numbers, so that 1.10 is above 1.9."""
    return tuple(int(part) for part in re.findall(r"\d{1,9}", version)) or (-1,)


def content(given: object) -> tuple[str, bytes]:
    if not isinstance(given, str | PathLike) or not str(given).strip():
        what, remedy = say("the name of a file"), say("name what result.save wrote: 'run.steelyard'")
        raise must_be(what, say("text or a path"), given, remedy=remedy, kind=ReadError)
    path = Path(given)
    name = str(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        siblings = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
        raise reading.file_not_found(
            name, folder=str(path.parent), siblings=siblings, wanted=path.name
        ) from None
    except PermissionError:
        raise reading.permission_denied(name=name) from None
    except IsADirectoryError:
        raise reading.is_folder(name=name, pattern=f"{name}/*") from None
    except (OSError, ValueError) as error:  # a name that no file can have
        reason = reason_of(error) if isinstance(error, OSError) else str(error)
        raise reading.unreadable(name=name, reason=reason) from None
    if not data:
        raise reading.empty_file(name=name)
    return name, data


# The fields of a result that are no tables: their key in the manifest, and their class or type.
_KEYS: dict[str, tuple[str, type]] = {
    "plan": ("plan", Plan),
    "names": ("tables", Names),
    "rankings": ("rankings", Ranking),
    "tally": ("tally", Tally),
    "max_grade": ("highest_grade", float),
    "facts": ("facts", tuple),
    "conclusions": ("readings", Reading),
    "notes": ("notes", tuple),
    "fingerprints": ("fingerprints", dict),
}
_SEVERAL = (Ranking, Reading)
_WITH_FIELDS = (Plan, Names, Tally, *_SEVERAL)
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
    sizes = [  # of the whole and of the slices of each metric
        (values.size, limits)
        for metric in measured
        for values, limits in ((metric.whole, metric.limits), (metric.sliced, metric.sliced_limits))
        if values is not None
    ]
    writer.frame("certainty", pl.concat([_certainty(n, limits) for n, limits in sizes]))
    metrics = [_metric(metric, writer) for metric in measured]
    manifest = {
        **{
            key: writer.part(fields[name]) if kind in _WITH_FIELDS else to_json(fields[name])
            for name, (key, kind) in _KEYS.items()
        },
        "metrics": metrics,
        "lists": _lists(fields["lists"], writer),
        "slice_coverage": {
            role: writer.frame("slices", frame) for role, frame in fields["slice_coverage"].items()
        },
        "states": writer.states,
    }
    return manifest, writer.tables


def from_tables(manifest: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]) -> dict[str, Any]:
    """The fields of the result again; ValueError or TypeError if manifest and tables do not fit."""
    reader = TableReader(tables, manifest["states"])
    rows, certainty = tables["values"], tables["certainty"]
    measured, at = [], 0
    for node in manifest["metrics"]:
        metric, n = _measured(node, reader, rows[at:], certainty[at:])
        measured.append(metric)
        at += n
    if not measured or at != rows.height:
        raise ValueError("rows of no metric")
    plain = {}
    for name, (key, kind) in _KEYS.items():
        node = manifest[key]
        plain[name] = reader.part(kind, node) if kind in _WITH_FIELDS else from_json(node)
        if not isinstance(plain[name], tuple if kind in _SEVERAL else kind):
            raise TypeError(key)
    return {
        **plain,
        "rows": rows,
        "measured": tuple(measured),
        "lists": _kept_lists(manifest["lists"], tables),
        "slice_coverage": {role: tables[name] for role, name in manifest["slice_coverage"].items()},
    }


def _certainty(n: int, limits: Limits | None) -> pl.DataFrame:
    columns = {name: limits and getattr(limits, field) for name, field in _LIMITS.items()}
    nothing = {name: [None] * n for name, column in columns.items() if column is None}
    types = {"largest_unit": pl.Int64, "units": pl.Int64, "too_few": pl.Boolean, "empty_draws": pl.Int64}
    schema = {name: types.get(name, pl.Float64) for name in _LIMITS}
    return pl.DataFrame({**columns, **nothing}, schema=schema)


def _metric(one: Measured, writer: TableWriter) -> dict[str, Any]:
    state, parts = writer.state(one.state), writer.state(one.parts)
    homes: Home = {}
    units = None
    if one.units is not None and one.each is not None:  # the values are a column beside the names
        names = writer.column("units", "unit", one.units, homes)
        homes["units", len(one.units)] = names["column"][0]
        units = {"names": names, "values": writer.column("units", one.label, one.each, homes)}
    # of the rows, where they are kept, influence is made again
    left = () if isinstance(one.state, Sampled) else one.left
    return {
        "label": one.label,
        "metric": to_json(one.metric),
        "classes": to_json(one.entries),
        "state": state,
        "state_of_slices": parts,
        "units": units,
        "slices": writer.frame("slices", one.slices),
        "support": writer.frame("slices", one.support),
        "thresholded": one.thresholded,
        "unit": one.drawn,
        "whole": _shape(one.whole, one.limits, one.ties),
        "sliced": None if one.sliced is None else _shape(one.sliced, one.sliced_limits, one.sliced_ties),
        "influence": [writer.part(influence, dict(homes), f"{one.label} ") for influence in left],
    }


def _shape(values: Any, limits: Limits | None, ties: TieRange | None) -> dict[str, Any]:
    known = (
        None if limits is None else {"kind": limits.kind, "left_out": limits.left_out, "draws": limits.draws}
    )
    return {"shape": list(values.shape), "interval": known, "ties": ties is not None}


def _measured(
    node: Mapping[str, Any], reader: TableReader, rows: pl.DataFrame, certainty: pl.DataFrame
) -> tuple[Measured, int]:
    units = node["units"]
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
        parts=reader.state(node["state_of_slices"]),
        sliced=sliced,
        entries=from_json(node["classes"]),
        slices=reader.frame(node["slices"]),
        support=reader.frame(node["support"]),
        thresholded=node["thresholded"],
        limits=limits,
        sliced_limits=sliced_limits,
        drawn=node["unit"],
        left=tuple(reader.part(Influence, one) for one in node["influence"]) or (None, None),
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
            low=_floats(rows["ci_low"]),
            high=_floats(rows["ci_high"]),
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


def _floats(column: pl.Series) -> Any:
    return column.fill_null(float("nan")).to_numpy()


def _lists(lists: Lists | None, writer: TableWriter) -> dict[str, Any] | None:
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
        "highest_grade": to_json(lists.max_grade),
        "only_some": lists.some,
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
    return Lists(encoded=encoded, max_grade=from_json(node["highest_grade"]), some=node["only_some"])
