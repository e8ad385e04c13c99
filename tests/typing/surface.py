"""What a type checker makes of the public names; test_surface_types.py runs mypy on this file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal, assert_type

import numpy as np
import numpy.typing as npt
import polars as pl

import steelyard as sy
from steelyard import MAP, MRR, NDCG, HitRate, PrecisionAt, RankingMetric, RecallAt, Result
from steelyard.engine.protocol import Tally
from steelyard.metrics.curves import Curve
from steelyard.stats.gap import Gap
from steelyard.stats.readings import Reading
from steelyard.text import Message

Floats = npt.NDArray[np.float64]
Ties = Literal["item_desc", "item_asc", "given", "expected", "optimistic", "pessimistic", "last", "error"]


def metrics_are_values() -> None:
    assert_type(sy.metric("ndcg@10"), sy.Metric)
    assert_type(NDCG(k=10), NDCG)
    assert_type(NDCG(k=10).k, int | None)
    assert_type(NDCG(k=10).gain, str)
    assert_type(NDCG(k=10).discount, Literal["log2", "jarvelin"])
    assert_type(NDCG().replace(k=5), NDCG)
    assert_type(MAP(denominator="hits").denominator, Literal["relevant", "achievable", "hits", "k", "shown"])
    assert_type(MRR(ties="expected").ties, Ties)
    assert_type(MRR().rel, float)
    assert_type(RecallAt(k=5).depth, int | None)
    assert_type(MRR().spec(), dict[str, Any])
    assert_type(str(MRR()), str)
    assert_type(HitRate.bounds, tuple[float, float])
    assert_type(PrecisionAt(k=5).of([1, 0, 1]), float)
    assert_type(NDCG().of([[3.0, 2.0], [1.0]], judged=[[3.0], [1.0, 1.0]]), float)
    assert_type(NDCG().per_query(sy.Ranked.of_lists([1.0])), Floats)


def evaluations() -> None:
    run, truth = {"q": {"a": 1.0}}, {"q": {"a": 1}}
    result = sy.evaluate(run, truth, "mrr")
    assert_type(result, Result)
    assert_type(sy.evaluate(run, truth, ["mrr", MRR(), NDCG(k=5)], by=["country"], ties="expected"), Result)
    assert_type(sy.evaluate("log.csv", metrics=("mrr",), columns={"label": "clicked"}, weights="w"), Result)
    assert_type(sy.evaluate([0.9, 0.1], [1, 0], ["auc", sy.F1()]), Result)
    assert_type(sy.explain("mrr", grades=[0, 1]).value, float)
    assert_type(result.explain("mrr", query="q").to_text(lang="zh", width=80), str)
    probabilities = {"probability": ["p_no", "p_yes"]}
    assert_type(sy.evaluate("log.csv", metrics="f1", columns=probabilities, classes=["no", "yes"]), Result)
    assert_type(result.readings(), tuple[Reading, ...])
    assert_type(result.curve("roc"), Curve)
    assert_type(result.to_html(lang="zh"), str)
    sy.report({"one": result}, "report.html", title="One")
    assert_type(result["mrr"], float)
    assert_type(result[MRR()], float)
    assert_type(iter(result), Iterator[str])
    assert_type(len(result), int)
    assert_type(result.table(), pl.DataFrame)
    assert_type(result.per_query(), pl.DataFrame)
    assert_type(result.group_coverage(), pl.DataFrame)
    assert_type(result.gap("mrr", by="country"), Gap)
    assert_type(result.gap(MRR(), by=["country"]).worst.value, float)
    assert_type(sy.Exposure(k=10).of([["a"]], item_groups={"a": "x"}), dict[str, float])
    assert_type(sy.Coverage(k=10).of([["a"]], catalog=["a", "b"]), float)
    assert_type(result.spec(), dict[str, dict[str, Any]])
    assert_type(result.to_dict(), dict[str, Any])
    assert_type(result.to_json(), str)
    assert_type(result.to_csv(), str)
    assert_type(result.to_markdown(), str)
    assert_type(result.to_latex(), str)
    assert_type(result.render("csv"), str)
    assert_type(result.tally, Tally)
    assert_type(result.tally.to_dict(), dict[str, int])
    assert_type(result.notes, tuple[Message, ...])
    assert_type(result.profile, str)
    assert_type(sy.__version__, str)


def errors() -> None:
    try:
        sy.metric("?")
    except sy.SteelyardError as error:
        assert_type(error.message, str)
        assert_type(error.remedy, str)


def own_metric() -> None:
    @sy.register("typed_first")
    class First(RankingMetric):
        """Whether the item at the top is relevant."""

        rel: float = 1.0
        at: ClassVar[Literal["required", "optional", "never"]] = "never"

        def per_query(self, ranked: sy.Ranked) -> Floats:
            return ranked.relevant_in(1, self.rel)

    assert_type(First(rel=2.0).rel, float)


def mistakes() -> None:
    """Each of these is an error, and mypy says so where a needless `ignore` would be one."""
    NDCG(10)  # type: ignore[call-arg, arg-type]
    NDCG(k="10")  # type: ignore[arg-type]
    MRR(ties="random")  # type: ignore[arg-type]
    MRR(gain="exp2")  # type: ignore[call-arg]
    NDCG(k=10).k = 5  # type: ignore[misc]
    sy.evaluate({}, {}, 5)  # type: ignore[arg-type]
