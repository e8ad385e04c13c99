"""Saved, sent and merged again: parts give the same result by every way."""

from __future__ import annotations

import pickle
from functools import cache
from itertools import permutations
from random import Random

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy

from ..examples import examples
from ..rows.given import drawn
from .agreement import assert_agree, bytes_of, pickled
from .drawn import rankings

METRICS = ["auc", "logloss", "f1", "ece", "rmse", "pr_auc", "ks", "confusion"]
RANKING = ["ndcg@3", "mrr", "recall@2", "precision(pooling=pooled)@2"]
ROUTES = [lambda part: part, bytes_of, pickled, lambda part: bytes_of(pickled(part))]
N = 5


def log():
    """600 clicks of 40 users."""
    frame = drawn(3)
    return frame.with_columns(query=pl.Series(np.random.default_rng(3).integers(0, 40, 600)))


def rows_of_part(frame, part):
    return frame[part::N]


@cache
def row_parts():
    options = {"by": ["country", "new"], "weights": "w", "whole": "rows"}
    return [sy.partial(rows_of_part(log(), part), metrics=[*METRICS, "gauc"], **options) for part in range(N)]


@cache
def user_parts():
    users = [log().filter(pl.col("query") % N == part) for part in range(N)]
    return [sy.partial(part, metrics=["gauc", *METRICS], by="country") for part in users]


@cache
def ranking_parts():
    random = Random(1)
    parts = []
    for part in range(N):
        queries = [f"q{part}{number}" for number in range(6)]
        run = {query: {f"i{n}": random.choice([1.0, 2.0, 3.0]) for n in range(6)} for query in queries}
        truth = {query: {f"i{n}": random.choice([0, 1, 2]) for n in range(4)} for query in queries}
        by = {query: random.choice(["DE", "JP", None]) for query in queries}
        parts.append(sy.partial(run, truth, RANKING, by=by, ties="expected"))
    return parts


KINDS = {"rows": row_parts, "users": user_parts, "rankings": ranking_parts}
EVERY = pytest.mark.parametrize("kind", list(KINDS))


@EVERY
def test_saved_and_read_in_any_order(kind, tmp_path):
    parts = KINDS[kind]()
    paths = [tmp_path / f"part-{number}.state" for number in range(N)]
    for part, path in zip(parts, paths, strict=True):
        part.save(path)
    flat = sy.merge(parts)
    assert_agree(sy.merge(paths), flat)
    assert_agree(sy.merge(map(str, paths)), flat)
    for order in ([4, 2, 0, 3, 1], [1, 0, 4, 3, 2], [4, 3, 2, 1, 0]):
        mixed = [paths[at] if at % 2 else parts[at] for at in order]
        assert_agree(sy.merge(mixed), flat)


@EVERY
def test_merged_like_a_tree(kind):
    a, b, c, d, e = KINDS[kind]()
    flat = sy.merge([a, b, c, d, e])
    trees = {
        "left": a.merge(b).merge(c).merge(d).merge(e),
        "right": a.merge(b.merge(c.merge(d.merge(e)))),
        "pairs": a.merge(b).merge(c.merge(d), e),
        "at once": a.merge(b, c, d, e),
    }
    for tree in trees.values():
        assert_agree(tree.result(), flat)
    saved = bytes_of(a.merge(b)).merge(bytes_of(bytes_of(c).merge(d)), e)
    assert_agree(saved.result(), flat)
    assert_agree(sy.merge([trees["pairs"]]), flat)


@EVERY
def test_bytes_and_pickles(kind):
    parts = KINDS[kind]()
    flat = sy.merge(parts)
    for route in ROUTES:
        assert_agree(sy.merge([route(part) for part in parts]), flat)
        assert_agree(route(parts[0].merge(*parts[1:])).result(), flat)


@EVERY
def test_the_same_part_gives_the_same_bytes(kind):
    for part in KINDS[kind]():
        assert part.to_bytes() == part.to_bytes() == bytes_of(part).to_bytes()


@EVERY
def test_a_merged_result_is_a_result(kind, tmp_path):
    """It can be saved, loaded, pickled and shown as any other."""
    merged = sy.merge(KINDS[kind]())
    merged.save(tmp_path / "merged.steelyard")
    assert_agree(sy.load(tmp_path / "merged.steelyard"), merged)
    assert_agree(pickle.loads(pickle.dumps(merged)), merged)
    assert merged.to_text()
    assert merged.to_html()
    assert merged.slim().table().equals(merged.table(), null_equal=True)


@EVERY
def test_merging_changes_no_part(kind):
    parts = KINDS[kind]()
    before = [part.to_bytes() for part in parts]
    sy.merge(parts)
    parts[0].merge(parts[1]).result()
    assert [part.to_bytes() for part in parts] == before


def test_what_a_part_says_of_itself():
    parts = row_parts()
    assert repr(parts[0]).startswith("<partial result of 1 part(s): auc, logloss")
    assert repr(parts[0].merge(parts[1])).startswith("<partial result of 2 part(s): auc, logloss")
    assert parts[0].merge().to_bytes() == parts[0].to_bytes()


def test_one_part_may_be_given_alone(tmp_path):
    part = row_parts()[0]
    part.save(tmp_path / "part.state")
    for alone in (part, [part], tmp_path / "part.state", str(tmp_path / "part.state")):
        assert_agree(sy.merge(alone), part.result())


@examples(40)
@given(tables=rankings(), order=st.randoms(use_true_random=False))
def test_rankings_merge_in_any_order(tables, order):
    _, calls, options = tables
    parts = [
        sy.partial(
            call["predictions"],
            call["truth"],
            RANKING,
            **{name: value for name, value in call.items() if name not in ("predictions", "truth")},
            **options,
        )
        for call in calls
    ]
    shuffled = order.sample(parts, len(parts))
    whole = shuffled[0]
    for part in shuffled[1:]:
        whole = order.choice(ROUTES)(whole).merge(order.choice(ROUTES)(part))
    flat, result = sy.merge(parts), whole.result()
    assert_agree(result, flat)


def test_three_parts_in_every_order():
    parts = user_parts()[:3]
    flat = sy.merge(parts)
    for order in permutations(parts):
        assert_agree(sy.merge(order), flat)


def test_a_first_part_without_values():
    """q1 has nothing relevant, so ndcg is undefined; q2 has 1."""
    first, second = (
        sy.partial({query: ["a"]}, {query: {"a": grade}}, "ndcg") for query, grade in (("q1", 0), ("q2", 1))
    )
    assert sy.merge([second, first])["ndcg"] == 1.0
    assert sy.merge([first, second])["ndcg"] == 1.0
