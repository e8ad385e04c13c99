"""Rows in, aligned or ranked lists out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl
import pytest

from steelyard import read
from steelyard.conventions import Align, Rank
from steelyard.engine.align import Aligned, align
from steelyard.engine.coding import Encoded, encode
from steelyard.engine.ranked import Ranked, count, settle

Rows = Sequence[tuple[Any, ...]]


def frame(rows: Rows, *columns: str) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=list(columns), orient="row")


def encoded(run: Rows, truth: Rows, exclude: Rows | None = None) -> Encoded:
    """Rows (query, item, score) and (query, item, grade), in numbers."""
    return encode(
        read.predictions(frame(run, "query", "item", "score")),
        read.truth(frame(truth, "query", "item", "relevance")),
        None if exclude is None else read.pairs(frame(exclude, "query", "item")),
    )


@pytest.fixture
def aligned() -> Callable[..., Aligned]:
    def make(
        run: Rows, judged: Rows, /, order: Any = "score", exclude: Rows | None = None, **convention: Any
    ) -> Aligned:
        return align(encoded(run, judged, exclude), Align(**convention), order)

    return make


@pytest.fixture
def ranked() -> Callable[..., Ranked]:
    def make(run: Rows, truth: Rows, **convention: Any) -> Ranked:
        order = Rank(**convention)
        return settle(count(align(encoded(run, truth), Align(), order.order), order, 0.0), order)

    return make
