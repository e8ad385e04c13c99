"""The values of a result as one flat mapping, for experiment trackers."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import polars as pl

from steelyard.messages.errors import writing

_LONGEST = 250  # characters of a name that MLflow stores


def flat_values(rows: pl.DataFrame, by: Sequence[str]) -> dict[str, float]:
    """Every finite value under a name of letters, digits and ``_ - . /`` and spaces; none has two values.

    >>> rows = pl.DataFrame({"site": [None, "x"], "metric": ["ndcg@10", "ndcg@10"], "value": [0.5, 1.0]})
    >>> flat_values(rows, ["site"])
    {'ndcg_10': 0.5, 'ndcg_10/site/x': 1.0}
    """
    columns = [name for name in (*by, "class", "predicted") if name in rows.columns]
    named: dict[str, float] = {}
    sources: dict[str, list[str]] = {}
    for row in rows.iter_rows(named=True):
        parts = [row["metric"]]
        for column in columns:
            parts += [column, row[column]] if row[column] is not None else []
        name = "/".join(map(_name_part, parts))
        if len(name) > _LONGEST:
            raise writing.flat_name_too_long(name=name, n=len(name), most=_LONGEST)
        if name in sources:
            raise writing.flat_names_equal(name=name, one=" / ".join(sources[name]), other=" / ".join(parts))
        sources[name] = parts
        named[name] = row["value"]
    return {name: value for name, value in named.items() if math.isfinite(value)}


def _name_part(text: str) -> str:
    """A text with ``_`` for everything that trackers refuse in names; MLflow reads ``.`` and ``..`` as paths.

    >>> _name_part("ndcg(gain=exp2)@10"), _name_part("a/b"), _name_part("(none)"), _name_part("..")
    ('ndcg_gain_exp2_10', 'a_b', 'none', '_')
    """
    kept = re.sub(r"[^\w. -]+", "_", text).strip("_")
    return kept if kept.strip(".") else "_"
