"""When a merged result is the result of all data: every number, name and sentence of both."""

from __future__ import annotations

import math
import pickle
import re

import polars as pl

import steelyard as sy
from steelyard.engine.protocol import OF_LISTS

EXACT = ("auc", "gauc")  # metrics of rows whose unweighted values agree to the last bit
APPROXIMATE = ("auc", "pr_auc", "ks")  # metrics whose interval limits may differ by a share of the width
SUMS, LIMITS, SHARE_OF_WIDTH = 1e-12, 1e-9, 1e-3
SMALL = 1e-13  # what rounding leaves of a value that is 0
# What a part is refused for and all data is not: alone it has no row, weight or grade that counts.
ALONE = (
    "has no rows",
    "no query of predictions is in truth",
    "all weights in weights are 0",
    "all weights in column",
    "truth has no grade of 1 or more",
)


def assert_agree(merged, whole, *, fingerprints=True, approximate=APPROXIMATE):
    """Fail with every difference between a merged result and the result of all data."""
    found = [*differences(merged, whole, fingerprints=fingerprints, approximate=approximate)]
    assert not found, "\n".join(["merged parts differ from all data:", *found])


def differences(merged, whole, *, fingerprints=True, approximate=APPROXIMATE):
    exact = {label: is_exact(metric, weighted=whole.names.weights) for label, metric in whole.metrics}
    yield from of_tables("table", merged.table(), whole.table(), exact, approximate)
    for name in ("per_query", "group_coverage", "certainty"):
        tables = [frame_of(result, name) for result in (merged, whole)]
        if isinstance(tables[0], str) or isinstance(tables[1], str):
            if not (isinstance(tables[0], str) and tables[0] == tables[1]):
                yield f"{name}: {tables[0]!s} ≠ {tables[1]!s}"
        else:
            yield from of_tables(name, *tables, exact, approximate)
    plain = {
        "tally": lambda result: (result.tally.to_dict(), sorted(result.tally.held)),
        "notes": lambda result: rendered(result.notes),
        "facts": lambda result: [fact.render() for fact in result.facts],
        "readings": lambda result: [(str(one.text), *map(str, one.figures)) for one in result.readings()],
        "conventions": lambda result: result.conventions_line().render(),
        "spec": lambda result: result.spec(),
        "highest grade": lambda result: result.max_grade,
        "units": lambda result: result.units(),
        "names": lambda result: result.names,
        "rankings": lambda result: result.rankings,
        "slice columns": lambda result: result.by,
        "roles of fingerprints": lambda result: list(result.fingerprints),
    }
    if fingerprints:
        plain["fingerprints"] = lambda result: result.fingerprints
    for name, read in plain.items():
        one, other = read(merged), read(whole)
        if one != other:
            yield f"{name}: {one} ≠ {other}"
    if list(merged.slice_coverage) != list(whole.slice_coverage):
        yield f"slice_coverage: {list(merged.slice_coverage)} ≠ {list(whole.slice_coverage)}"
    else:
        for role, frame in whole.slice_coverage.items():
            title = f"slice_coverage of {role}"
            yield from of_tables(title, merged.slice_coverage[role], frame, exact, approximate)


def rendered(notes):
    """Notes as text, without the example items, which are those of the first part."""
    return [re.sub(r"items such as '.*' against '.*';", "items …;", note.render()) for note in notes]


def is_exact(metric, *, weighted):
    whole = getattr(metric, "max_fpr", None) is None  # a part of the area is a sum
    return not weighted and (metric.need().reads in OF_LISTS or (metric.name in EXACT and whole))


def frame_of(result, name):
    """A table of a result, or the sentence that refuses it."""
    try:
        return getattr(result, name)()
    except sy.SteelyardError as error:
        return error.sentence


def of_tables(title, merged, whole, exact, approximate):
    """The cells that differ, each with its row; ``exact`` are labels whose values agree to the last bit.

    ``approximate`` are the metrics whose interval limits may differ by a share of the width.
    """
    if merged.schema != whole.schema or merged.height != whole.height:
        yield f"{title}: {merged.schema} of {merged.height} ≠ {whole.schema} of {whole.height} rows"
        return
    for column, kind in whole.schema.items():
        if kind not in (pl.Float64, pl.Float32):
            if not merged[column].equals(whole[column], null_equal=True):
                yield f"{title}, {column}: {merged[column].to_list()} ≠ {whole[column].to_list()}"
            continue
        for row, right in zip(merged.to_dicts(), whole.to_dicts(), strict=True):
            label = row.get("metric", "")
            one, other = row[column], right[column]
            tolerance = tolerances(column, label, right, approximate, exact=exact.get(label, False))
            if not near(one, other, tolerance):
                names = [str(value) for value in row.values() if isinstance(value, str)]
                yield f"{title}, {column} of {' '.join(names)}: {one!r} ≠ {other!r}"


def tolerances(column, label, row, approximate, *, exact):
    """The relative and the absolute tolerance of a cell."""
    if column in ("ci_low", "ci_high", "standard_error", "effective_units"):
        width = [row.get(name) for name in ("ci_low", "ci_high")]
        wide = label.split("(")[0] in approximate and None not in width
        if column.startswith("ci") and wide and math.isfinite(width[1] - width[0]):
            return LIMITS, max(SHARE_OF_WIDTH * (width[1] - width[0]), SMALL)
        return LIMITS, LIMITS * 1e-3
    return (0.0, 0.0) if exact else (SUMS, SMALL)


def near(one, other, tolerance):
    if one is None or other is None:
        return one is None and other is None
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return one == other or math.isclose(one, other, rel_tol=tolerance[0], abs_tol=tolerance[1])


def evaluated(call, metrics, **options):
    """The result of a call, or the error that refuses it."""
    try:
        return sy.evaluate(call.get("predictions"), call.get("truth"), metrics, **rest(call), **options)
    except sy.SteelyardError as error:
        return error


def parts_of(calls, metrics, **options):
    """The partial result of each call."""
    return [
        sy.partial(call.get("predictions"), call.get("truth"), metrics, **rest(call), **options)
        for call in calls
    ]


def rest(call):
    return {name: value for name, value in call.items() if name not in ("predictions", "truth")}


def check(call, calls, metrics, *, whole="units", fingerprints=True, refusable=False, **options):
    """Whether merged parts give the result of all data.

    ``call`` are the tables of all data, ``calls`` those of each part. ``refusable`` says that all data may be
    an error; then merging must be one too.
    """
    metrics = list(metrics)
    right = evaluated(call, metrics, **options)
    if isinstance(right, sy.SteelyardError):
        if not refusable:
            raise right
        if len(metrics) > 1:  # the others have values
            rules = {"whole": whole, "fingerprints": fingerprints, "refusable": True}
            for metric in metrics:
                check(call, calls, [metric], **rules, **options)
            return
        try:
            sy.merge(parts_of(calls, metrics, whole=whole, **options))
        except sy.SteelyardError:
            return
        raise AssertionError(f"{metrics[0]} is refused for all data and not for parts: {right}")
    try:
        parts = parts_of(calls, metrics, whole=whole, **options)
    except sy.SteelyardError as error:
        if any(said in error.sentence for said in ALONE):
            return
        raise
    merged = sy.merge(parts)
    assert_agree(merged, right, fingerprints=fingerprints)


def bytes_of(part):
    """A part after a way through a file."""
    return sy.Partial.of_bytes(part.to_bytes())


def pickled(part):
    return pickle.loads(pickle.dumps(part))
