"""More units than a part keeps one by one: buckets of units give exact values and close standard errors."""

from __future__ import annotations

from math import sqrt

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.engine import partial_units

from .agreement import bytes_of
from .drawn import split_rows

N, USERS, BUCKETS = 4000, 800, 512
# metrics that are made of sums over rows, by what they read
SUMS = {
    "scores": ["logloss", "brier", "calibration", "ne", "f1", "precision", "accuracy", "mcc", "rmse", "mae"],
    "ratings": ["mse", "r2", "mae"],
    "classes": ["accuracy", "recall(average=macro)", "f1(average=macro)", "balanced_accuracy"],
}
# The variance of B buckets has B degrees of freedom, so a standard error has a relative error of 1 / √2B.
# Four of them are allowed; 800 units fill about 400 of 512 buckets.
NEAR = 4 / sqrt(2 * 400)


@pytest.fixture(autouse=True)
def few_units(monkeypatch):
    monkeypatch.setattr(partial_units, "MOST_UNITS", 50)
    monkeypatch.setattr(partial_units, "BUCKETS", BUCKETS)


def log(kind, *, users=True, weighted=False):
    random = np.random.default_rng(8)
    user = random.integers(0, USERS, N)
    taste = random.normal(0, 0.15, USERS)[user]  # rows of a user are alike
    chance = np.clip(random.beta(2, 3, N) + taste, 0.02, 0.98)
    columns = {"country": np.where(user % 3 == 0, "JP", "DE")}
    if kind == "scores":
        columns |= {"label": (random.random(N) < chance).astype(int), "score": chance.round(3)}
    elif kind == "ratings":
        truth = random.integers(1, 6, N).astype(float)
        columns |= {"label": truth, "score": truth + random.normal(0, 1, N) + 2 * taste}
    else:
        truth = random.choice(list("abc"), N)
        columns |= {"label": truth, "predicted": np.where(random.random(N) < chance, truth, "a")}
    if users:
        columns["query"] = [f"u{one}" for one in user]
    if weighted:
        columns["w"] = random.choice([0.0, 0.5, 1.0, 2.0], N)
    return pl.DataFrame(columns)


def options_of(frame, kind):
    options = {"metrics": SUMS[kind], "by": "country"}
    if "w" in frame.columns:
        options["weights"] = "w"
    return options


def splits(frame, whole):
    if whole == "units":
        return split_rows(frame, [hash_of(user) % 3 for user in frame["query"]])
    return split_rows(frame, np.arange(frame.height) % 3)


def hash_of(user):
    return int(user[1:])


def assert_close(merged, whole, near=NEAR):
    """Values agree to rounding, and standard errors to the error of their estimate."""
    one, other = merged.certainty(), whole.certainty()
    assert one.select("country", "metric").equals(other.select("country", "metric"))
    for column in ("value", "level"):
        assert one[column].to_list() == pytest.approx(other[column].to_list(), rel=1e-12, nan_ok=True)
    assert one["standard_error"].to_list() == pytest.approx(other["standard_error"].to_list(), rel=near)
    for column in ("n", "undefined"):
        assert merged.table()[column].equals(whole.table()[column])
    assert merged.tally == whole.tally


@pytest.mark.parametrize("whole", ["units", "rows"])
@pytest.mark.parametrize("kind", list(SUMS))
@pytest.mark.parametrize("weighted", [False, True])
def test_users(kind, whole, weighted):
    frame = log(kind, weighted=weighted)
    options = options_of(frame, kind)
    parts = [sy.partial(part, whole=whole, **options) for part in splits(frame, whole)]
    assert_close(sy.merge(parts), sy.evaluate(frame, **options))


@pytest.mark.parametrize("kind", list(SUMS))
def test_rows_that_are_units(kind):
    frame = log(kind, users=False)
    options = options_of(frame, kind)
    parts = [sy.partial(part, whole="rows", **options) for part in splits(frame, "rows")]
    merged = sy.merge(parts)
    # 4000 rows fill 512 buckets
    assert_close(merged, sy.evaluate(frame, **options), near=4 / sqrt(2 * BUCKETS))
    assert set(merged.certainty()["unit"]) == {"rows"}


def test_few_units_and_many_units_merge():
    """A part with ten users, one with 790: the units of both are put into buckets."""
    frame = log("scores")
    few = pl.Series([hash_of(user) < 10 for user in frame["query"]])
    options = options_of(frame, "scores")
    parts = [sy.partial(frame.filter(rows), **options) for rows in (few, ~few)]
    right = sy.evaluate(frame, **options)
    for some in (parts, parts[::-1], [bytes_of(part) for part in parts]):
        assert_close(sy.merge(some), right)


def test_parts_with_few_units_that_are_many_together():
    frame = log("scores").filter(pl.col("query").is_in([f"u{n}" for n in range(120)]))
    options = options_of(frame, "scores") | {"by": ()}
    parts = [
        sy.partial(part, **options)
        for part in split_rows(frame, [hash_of(user) % 3 for user in frame["query"]])
    ]
    merged, right = sy.merge(parts), sy.evaluate(frame, **options)
    assert dict(merged) == pytest.approx(dict(right), rel=1e-12)
    # 120 users in 512 buckets
    one, other = (result.certainty()["standard_error"].to_list() for result in (merged, right))
    assert one == pytest.approx(other, rel=4 / sqrt(2 * 107))


def test_buckets_merge_like_a_tree():
    frame = log("scores", weighted=True)
    options = options_of(frame, "scores")
    a, b, c = (sy.partial(part, whole="rows", **options) for part in splits(frame, "rows"))
    flat = sy.merge([a, b, c]).certainty()
    for tree in (a.merge(b).merge(c), a.merge(b.merge(c)), bytes_of(bytes_of(a.merge(c)).merge(b))):
        found = tree.result().certainty()
        for column in ("value", "standard_error", "ci_low", "ci_high"):
            assert found[column].to_list() == pytest.approx(flat[column].to_list(), rel=1e-9)


def test_the_order_of_scores_needs_all_rows():
    """auc keeps its rows, and its users one by one."""
    frame = log("scores")
    parts = [sy.partial(part, metrics=["auc", "ks"]) for part in splits(frame, "units")]
    merged, right = sy.merge(parts), sy.evaluate(frame, metrics=["auc", "ks"])
    assert merged["auc"] == right["auc"]
    assert merged.certainty()["units"].to_list() == right.certainty()["units"].to_list()


def test_parts_stay_small():
    """4000 rows of 800 users take no more than the entries of 512 buckets."""
    frame = log("ratings")
    part = sy.partial(frame, metrics=["mse"], whole="rows")
    assert part.states.rows is not None
    assert sum(piece.state.n_rows for piece in part.states.rows.pieces) <= BUCKETS


@pytest.mark.parametrize("users", [True, False])
def test_a_note_says_that_units_share_buckets(users):
    frame = log("scores", users=users)
    result = sy.partial(frame, metrics="logloss", whole="rows").result()
    (note,) = [note for note in result.notes if note.key == "buckets"]
    assert note.render().startswith("intervals put units into ")
    assert note.figures["share"] == pytest.approx((2 * note.figures["n"]) ** -0.5)
    assert not [note for note in sy.evaluate(frame, metrics="logloss").notes if note.key == "buckets"]
