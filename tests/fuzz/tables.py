"""Small sound tables of every kind of task, and the bytes of files that hold them."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import polars as pl

from .odd import NUMBERS, TEXTS

Rows = list[dict[str, Any]]

TEXT_KINDS = ["csv", "tsv", "jsonl", "trec", "txt"]
BINARY_KINDS = ["parquet", "arrow", "feather"]
_RANKINGS = [
    "ndcg@10",
    "map",
    "mrr@10",
    "recall@2",
    "precision@3",
    "hit_rate@1",
    "r_precision",
    "dcg",
    "f1@2",
]
_CLICKS = ["auc", "gauc", "logloss", "calibration", "ece", "ne", "pr_auc", "ks", "brier", "f1", "mcc", "rig"]
_CLASSES = [
    "f1(average=macro)",
    "accuracy",
    "confusion",
    "mcc",
    "precision(average=none)",
    "balanced_accuracy",
]
_RATINGS = ["rmse", "mae", "r2", "mse"]
_TYPES: list[Any] = [
    *(pl.Int8, pl.Int64, pl.UInt64, pl.Float32, pl.Float64, pl.String, pl.Boolean, pl.Categorical, pl.Null),
    *(pl.Binary, pl.Date, pl.Datetime, pl.Duration, pl.Time, pl.Decimal(10, 2), pl.Int128),
    *(pl.List(pl.Int64), pl.Struct({"a": pl.Int64})),
]


@dataclass(frozen=True)
class Task:
    """Tables under the names of their files, and metrics that could be asked of them."""

    tables: dict[str, Rows]
    metrics: Sequence[str]


def task(rng: Random) -> Task:
    """A ranking in two tables, or a log of clicks, classes or ratings in one."""
    match rng.randrange(6):
        case 0:
            return Task({"log": _classes(rng)}, _CLASSES)
        case 1:
            return Task({"log": _ratings(rng)}, _RATINGS)
        case 2 | 3:
            return Task({"log": clicks(rng)}, _CLICKS)
        case _:
            return Task({"run": predictions(rng), "qrels": truth(rng)}, _RANKINGS)


def predictions(rng: Random) -> Rows:
    return [
        {
            "query": _cell(rng, f"q{query}"),
            "item": _cell(rng, f"d{item}"),
            "score": _cell(rng, rng.choice([1.5, 0.5, 2, item])),
            "country": _cell(rng, "JP"),
        }
        for query in range(rng.randint(1, 3))
        for item in range(rng.randint(1, 5))
    ]


def truth(rng: Random) -> Rows:
    return [
        {"query": f"q{query}", "item": _cell(rng, f"d{item}"), "relevance": _cell(rng, rng.choice([0, 1, 2]))}
        for query in range(rng.randint(1, 3))
        for item in range(rng.randint(1, 4))
    ]


def beside(rng: Random, name: str) -> Rows:
    """What each query has seen, or how much it weighs."""
    value = (lambda: ("item", _cell(rng, "d1"))) if name == "exclude" else (lambda: ("weight", _cell(rng, 2)))
    return [{"query": f"q{query}", **dict([value()])} for query in range(rng.randint(1, 3))]


def clicks(rng: Random) -> Rows:
    return [
        {
            "user_id": rng.choice(["u", "v", _cell(rng, "w")]),
            "label": _cell(rng, rng.randint(0, 1)),
            "score": _cell(rng, rng.choice([0.5, 0.25, 0.75, rng.random()])),
            "country": rng.choice(["JP", "FR", None, _cell(rng, "DE")]),
        }
        for _ in range(rng.randint(1, 8))
    ]


def _classes(rng: Random) -> Rows:
    names = rng.sample(["cat", "dog", "emu", "1", rng.choice(TEXTS)], 3)
    return [
        {"label": rng.choice(names), "predicted": rng.choice(names), "country": rng.choice(["JP", "FR"])}
        for _ in range(rng.randint(1, 8))
    ]


def _ratings(rng: Random) -> Rows:
    return [
        {"label": _cell(rng, rng.randint(1, 5)), "score": _cell(rng, rng.uniform(1, 5)), "country": "JP"}
        for _ in range(rng.randint(1, 8))
    ]


def _cell(rng: Random, usual: Any) -> Any:
    return usual if rng.random() < 0.98 else rng.choice([*NUMBERS, *TEXTS, None])


def written(rng: Random, rows: Rows, kind: str) -> bytes:
    """Rows as the bytes of a file of some kind."""
    if kind in BINARY_KINDS:
        return _binary(rng, rows, kind)
    if kind == "jsonl":
        text = "".join(json.dumps(row, ensure_ascii=rng.random() < 0.5) + "\n" for row in rows)
    elif kind in ("trec", "txt"):
        text = _trec(rows)
    else:
        text = _separated(rng, rows, "," if kind == "csv" else "\t")
    return text.encode("utf-8", "surrogatepass")


def _trec(rows: Rows) -> str:
    if "relevance" in rows[0]:
        return "".join(f"{row['query']} 0 {row['item']} {row['relevance']}\n" for row in rows)
    values = [list(row.values()) for row in rows]
    return "".join(f"{one[0]} Q0 {one[1]} {at} {one[2]} tag\n" for at, one in enumerate(values))


def _separated(rng: Random, rows: Rows, separator: str) -> str:
    ends = ["\n"] * 50 + ["\r\n", "\r", "\n\n"]
    lines = [list(rows[0]), *(list(row.values()) for row in rows)]
    shown = [separator.join("" if one is None else str(one) for one in line) for line in lines]
    return "".join(line + rng.choice(ends) for line in shown)


def _binary(rng: Random, rows: Rows, kind: str) -> bytes:
    frame = pl.DataFrame(rows, strict=False, infer_schema_length=None)
    if rng.random() < 0.3:
        name, to = rng.choice(frame.columns), rng.choice(_TYPES)
        try:
            frame = frame.with_columns(pl.col(name).cast(to, strict=False))
        except pl.exceptions.PolarsError:
            frame = frame.with_columns(pl.lit(None, to).alias(name))
    file = io.BytesIO()
    if kind == "parquet":
        frame.write_parquet(file, compression=rng.choice(["uncompressed", "uncompressed", "zstd", "snappy"]))
    elif rng.random() < 0.5:
        frame.write_ipc(file, compression=rng.choice(["uncompressed", "lz4", "zstd"]))
    else:
        frame.write_ipc_stream(file)
    return file.getvalue()


def shown(files: dict[str, bytes]) -> str:
    """Files as a find shows them."""
    return "\n".join(f"{name}: {data!r}" for name, data in files.items())
