"""What a result keeps of lists as a whole: counted by hand, and against plain loops."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.engine import kept
from steelyard.engine.kept import ListSummary, summary_of

FILMS = ["a", "b", "c", "d", "e"]
RECS = {"u": ["a", "b", "x"], "v": ["a", "c"], "w": ["c", "a"]}


def summary(recs, metric="coverage@3", **given):
    result = sy.evaluate(recs, metrics=metric, **given)
    return ListSummary.of(result.measured[0].state, result.measured[0].metric.k)


def test_counted_by_hand():
    """a stands in three lists, c in two, b in one; d and e in none; x is not in the catalogue."""
    found = summary(RECS, catalog=FILMS)
    assert (found.places, found.outside, found.n_items, found.k) == (7, 1, 5, 3)
    assert (found.exposure.tolist(), found.items.tolist()) == ([1, 2, 3], [1, 1, 1])
    assert found.covered.tolist() == [2, 3]  # a and c at the top, b below; the third place shows x alone
    share, taken = found.lorenz
    assert share.tolist() == [0, 2 / 5, 3 / 5, 4 / 5, 1]
    assert taken == pytest.approx([0, 0, 1 / 6, 3 / 6, 1])
    assert math.isnan(found.top_exposure)  # 1 % of five films is not one


def test_the_cutoff_is_that_of_the_metric():
    found = summary(RECS, "coverage@1", catalog=FILMS)
    assert (found.places, found.outside) == (3, 0)
    assert (found.exposure.tolist(), found.items.tolist(), found.covered.tolist()) == ([1, 2], [1, 1], [2])


def test_weights_count_as_often_and_a_weight_of_0_not_at_all():
    found = summary(RECS, catalog=FILMS, weights={"u": 0, "v": 1, "w": 2})
    assert found.items.tolist() == [2]  # a and c: 1 + 2 each; b is shown to nobody who counts
    assert found.covered.tolist() == [2, 2]


def test_nothing_shown_and_no_catalogue():
    nothing = summary({"u": ["x"]}, catalog=FILMS)
    assert [len(part) for part in nothing.lorenz] == [0, 0]
    assert math.isnan(nothing.top_exposure)
    without = summary(RECS, "personalization@3")
    assert (without.n_items, len(without.first), without.places) == (0, 0, 7)


def test_the_items_shown_most():
    """Of 200 films two are 1 %: they take 5 and 3 of 10 places."""
    recs = {f"u{n}": ["a"] if n < 5 else ["b"] if n < 8 else [f"film {n}"] for n in range(10)}
    films = ["a", "b", *(f"film {n}" for n in range(198))]
    assert summary(recs, catalog=films).top_exposure == pytest.approx(8 / 10)


def test_categories_are_means_over_users():
    """u had war alone and gets half war; v had war once and love three times, and gets love."""
    genres = {"a": ["war"], "b": ["love"], "c": ["love"], "d": ["sf", "war"]}
    history = pl.DataFrame({"query": ["u", "v", "v"], "item": ["a", "a", "b"], "count": [9, 1, 3]})
    recs = {"u": ["a", "b"], "v": ["c"], "w": ["d"]}  # w had nothing: his list is no measure
    found = summary(recs, "miscalibration@2", features=genres, history=history).categories
    assert found is not None
    assert dict(zip(found["category"], found["history"], strict=True)) == pytest.approx(
        {"war": (1 + 1 / 4) / 2, "love": (0 + 3 / 4) / 2, "sf": 0}
    )
    assert dict(zip(found["category"], found["lists"], strict=True)) == pytest.approx(
        {"war": (1 / 2 + 0) / 2, "love": (1 / 2 + 1) / 2, "sf": 0}
    )
    assert found["category"].to_list() == ["war", "love", "sf"]


@pytest.mark.parametrize("seed", range(3))
def test_against_plain_loops(seed):
    rng = np.random.default_rng(seed)
    films = [f"f{n}" for n in range(150)]
    recs = {
        f"u{n}": rng.choice([*films, "gone"], rng.integers(0, 9), replace=False).tolist() for n in range(80)
    }
    recs["u0"] = ["gone", films[0]]
    shown, first = Counter(), defaultdict(lambda: 99)
    for films_of_user in recs.values():
        for rank, film in enumerate(films_of_user[:6], 1):
            if film in films:
                shown[film] += 1
                first[film] = min(first[film], rank)
    found = summary(recs, "gini@6", catalog=films)
    assert dict(zip(found.exposure, found.items, strict=True)) == Counter(shown.values())
    assert found.covered.tolist() == [sum(rank <= k for rank in first.values()) for k in range(1, 7)]
    ordered = sorted(shown.values(), reverse=True)
    assert found.top_exposure == pytest.approx(ordered[0] / sum(ordered))
    share, taken = found.lorenz
    gini = 1 - 2 * float(np.sum(np.diff(share) * (taken[1:] + taken[:-1]) / 2))
    result = sy.evaluate(recs, metrics=["gini@6", "coverage@6"], catalog=films)
    assert gini == pytest.approx(result["gini@6"])
    assert found.covered[-1] / 150 == result["coverage@6"]


def test_many_different_exposures_keep_their_leading_digits(monkeypatch):
    weights = {f"u{n}": 1 + n / 1000 for n in range(500)}
    recs = {user: [f"f{n}"] for n, user in enumerate(weights)}
    films = [f"f{n}" for n in range(500)]
    exact = summary(recs, catalog=films, weights=weights)
    monkeypatch.setattr(kept, "_MOST_EXPOSURES", 100)
    monkeypatch.setattr(kept, "_LEADING", 64)
    short = summary(recs, catalog=films, weights=weights)
    assert len(exact.items) == 500
    assert len(short.items) <= 64
    assert short.items.sum() == 500
    assert short.top_exposure == pytest.approx(exact.top_exposure, rel=1 / 64)


def test_of_very_many_rows_a_result_keeps_this_and_no_rows(monkeypatch, tmp_path):
    def evaluated():
        return sy.evaluate(
            RECS, metrics=["coverage@3", "personalization@2"], catalog=FILMS, by={"u": "DE", "v": "JP"}
        )

    whole = evaluated()
    monkeypatch.setattr(kept, "KEPT", 3)
    result = evaluated()
    assert [type(one.state) for one in result.measured] == [ListSummary, ListSummary]
    assert [one.size for one in result.measured] == [3, 3]
    assert result.measured[1].state.k == 2
    result.save(tmp_path / "run")
    loaded = sy.load(tmp_path / "run")
    for name in ("long_tail", "coverage_at_k"):
        assert loaded.chart(name).spec() == result.chart(name).spec() == whole.chart(name).spec()
    assert loaded.to_html() == result.to_html() == whole.to_html()
    assert loaded.charts() == whole.charts()


def test_of_another_state_there_is_none():
    assert summary_of(sy.evaluate([0.8, 0.2], [1, 0], "auc").measured[0].state, 10) is None
