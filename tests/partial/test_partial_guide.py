"""The guide names the state of every metric, and another engine needs no more than two functions."""

from __future__ import annotations

import re

import dask
import polars as pl
import pytest

import steelyard as sy
from steelyard.metrics import by_name


def test_the_state_of_every_metric_is_in_the_guide(root):
    guide = (root / "docs" / "guide" / "partial.md").read_text("utf-8")
    table = guide[guide.index("What each metric keeps") :]
    named = set(re.findall(r"`([a-z0-9_]+(?:@k)?)`", table))
    assert not {name for name, cls in by_name().items() if cls.__module__.startswith("steelyard.")} - named


def reduced(day):
    """What a worker of Dask does with its partition."""
    return sy.partial(day, metrics=["auc", "gauc", "logloss"], by="country", columns={"query": "user"})


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_dask_reduces_the_parts(scheduler):
    log = pl.DataFrame(
        {
            "user": ["u", "u", "v", "v", "w", "w", "x", "x"],
            "label": [1, 0, 1, 0, 0, 1, 1, 0],
            "score": [0.8, 0.3, 0.4, 0.6, 0.2, 0.9, 0.5, 0.1],
            "country": ["DE", "DE", "JP", "JP", "DE", "DE", "JP", "JP"],
        }
    )
    days = [log[:4], log[4:]]
    parts = dask.compute(*(dask.delayed(reduced)(day) for day in days), scheduler=scheduler)
    merged = sy.merge(parts)
    assert merged["auc"] == 14 / 16
    assert merged["auc", {"country": "JP"}] == 2 / 4  # 0.4 and 0.5 against 0.6 and 0.1
    whole = sy.evaluate(log, metrics=["auc", "gauc"], by="country", columns={"query": "user"})
    assert [merged[name] for name in ("auc", "gauc")] == [whole[name] for name in ("auc", "gauc")]
