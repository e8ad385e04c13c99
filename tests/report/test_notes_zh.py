"""Notes in Chinese: a whole sentence, or none."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.kernels import choose
from steelyard.report.page.notes_zh import note

# a, then b, then c and d tied; a and c are relevant
RUN = {"q": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 1.0}}
TRUTH = {"q": {"a": 1, "c": 1}}
TWO = {"q": {"a": 1.0, "b": 1.0}, "q2": {"a": 1.0}}
THREE = {"q": {"a": 1, "b": 0}, "q2": {"a": 1}, "q3": {"a": 1}}
GROUPS = {"query": ["u", "u", "v"], "label": [1, 0, 1], "score": [0.8, 0.2, 0.7]}
SLICED = pl.DataFrame(
    {
        "query": ["q1", "q1", "q2", "q2"],
        "item": ["a", "b", "a", "b"],
        "score": [1.0, 1.0, 2.0, 1.0],
        "country": ["JP", "JP", "DE", "DE"],
    }
)
RANKED = pl.DataFrame(
    {"query": ["q"] * 3, "item": ["a", "b", "c"], "score": [3.0, 2.0, 1.0], "rank": [2, 1, 3]}
)
DISTANCES = pl.DataFrame({"query": ["q"] * 5, "item": [*"abcde"], "score": [0.1, 0.2, 0.3, 0.4, 0.5]})
FIRST = {"q1": {"a": 1}, "q2": {"a": 1}}

ONE = {"q": {"a": 1, "b": 0}}

CASES = {
    "one range": (RUN, TRUTH, "recall@3", {}),
    "two ranges": (RUN, TRUTH, ["recall@3", "precision@3"], {}),
    "many ranges": (RUN, TRUTH, ["recall@3", "precision@3", "map@3", "dcg@3", "ndcg@3"], {}),
    "by item": (RUN, TRUTH, "map(denominator=hits)@3", {}),
    "by item, undefined": ({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}, "mrr(empty=skip)@1", {}),
    "ranges and by item": (RUN, TRUTH, ["recall@3", "map(denominator=hits)@3"], {}),
    "many by item": (RUN, TRUTH, [f"map(denominator=hits)@{k}" for k in (3, 4, 5, 6)], {}),
    "several rankings": (TWO, THREE, ["recall@5", "recall(ties=expected)@5", "mrr(missing=skip)"], {}),
    "slices": (SLICED, FIRST, "mrr", {"by": "country", "weights": {"q1": 1, "q2": 1_000_000}}),
    "rel": (RUN, TRUTH, "recall(rel=2)@3", {}),
    "ranks": (RANKED, {"q": {"a": 1}}, "mrr", {}),
    "distances": (DISTANCES, {"q": {"a": 1}}, "mrr", {}),
    "one object": (ONE, ONE, "mrr", {}),
    "groups left out": (GROUPS, None, "gauc", {}),
    "groups filled": (GROUPS, None, "gauc(single_class=half)", {}),
    "two values": ([1.0, 0.0, 1.0], [1, 0, 0], ["auc", "logloss"], {}),
    "mse": ([1e200, 0.0], [0.0, 1.0], "mse", {}),
}


@pytest.mark.parametrize("case", CASES)
def test_a_note_is_told_in_chinese_whole(case):
    said, true, metrics, options = CASES[case]
    notes = sy.evaluate(said, true, metrics, **options).notes
    assert notes
    for sentence in notes:
        chinese = note(sentence).zh
        assert chinese.endswith("。"), sentence
        assert not re.search(r"[A-Za-z]{2,} [A-Za-z]{2,}", chinese), chinese
        assert not re.search(r"\b(within|and|more|of|is|by|undefined|counted)\b", chinese), chinese


def test_every_range_is_told():
    # recall@3: 1/2 or 1; precision@3: 1/3 or 2/3
    [sentence] = sy.evaluate(RUN, TRUTH, ["recall@3", "precision@3"]).notes
    assert note(sentence).zh == (
        "50.0% 的行与同查询的其他行并列；仅其次序就使 "
        "recall@3 在 0.5000 – 1.0000 之间，precision@3 在 0.3333 – 0.6667 之间变动。"
    )


def test_the_metrics_that_a_note_holds_of_are_named():
    english = "1 query of the truth without predictions: left out (mrr(missing=skip), recall@5)."
    assert note(english).zh == "真值中有 1 个查询没有预测：不计入（mrr(missing=skip), recall@5）。"


def test_how_many_lists_were_looked_at_is_told():
    english = (
        "column 'rank' orders 2 of the first 9 lists otherwise than the scores, which count; "
        "order=rank takes the ranks."
    )
    assert note(english).zh.startswith("在前 9 个列表中，有 2 个按列 'rank' 的次序")


@pytest.mark.parametrize(
    "why", ["Numba cannot be imported (LLVM)", "the process was forked while Numba was being loaded"]
)
def test_missed_kernels_are_told(monkeypatch, why):
    monkeypatch.setattr(choose, "LARGE", 1)
    monkeypatch.setattr(choose, "LARGE_WHEN_LOADED", 1)
    monkeypatch.setattr(choose, "_lacking", why)
    log = {"label": [1, 0] * 5, "score": np.linspace(0, 1, 10)}
    [sentence] = sy.evaluate(log, metrics="auc").notes
    assert note(sentence).zh.endswith("：大表耗时更长，数值不变。")


@pytest.mark.parametrize(
    "english",
    [
        "1 query of the truth without predictions: something new became of it.",
        "50.0% of rows are tied with another row of their query; and something new.",
        "Numba cannot be imported (no module named llvmlite): "
        "large tables take longer, and the numbers are the same.",
    ],
)
def test_what_is_not_known_whole_stays_english(english):
    assert note(english).zh == ""
