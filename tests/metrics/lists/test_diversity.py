"""Diversity, by hand."""

from __future__ import annotations

from math import nan, sqrt

import numpy as np
import polars as pl
import pytest
from scipy import sparse

import steelyard as sy
from steelyard import Diversity

from ...tables import each_row
from ..worked import check_lists, check_undefined_lists, list_table

GENRES = {"a": ["war"], "b": ["war"], "c": ["love"], "d": ["love", "war"], "none": []}
VECTORS = {"a": [1.0, 0.0], "b": [0.0, 2.0], "c": [3.0, 3.0], "minus": [-1.0, 0.0], "zero": [0.0, 0.0]}
ANGLE = 1 - 1 / sqrt(2)
DROP = {"featureless": "drop"}
# two columns of categories: a and b agree in one, a and c in none, b and c in one
COLUMNS = pl.DataFrame({"item": ["a", "b", "c"], "genre": ["war", "war", "love"], "land": ["X", "Y", "Y"]})

WORKED = [  # metric, lists, features, value by hand
    (Diversity(k=3), [["a", "b", "c"]], GENRES, (0 + 1 + 1) / 3),
    (Diversity(k=2), [["a", "b", "c"]], GENRES, 0),
    (Diversity(k=2), [["a", "d"]], GENRES, ANGLE),
    (Diversity(k=None), [["a", "b", "c", "d"]], GENRES, (0 + 1 + ANGLE + 1 + ANGLE + ANGLE) / 6),
    # a list each, then the mean; shorter than k
    (Diversity(k=9), [["a", "b"], ["a", "c"], ["a", "d"]], GENRES, (0 + 1 + ANGLE) / 3),
    # vectors: their lengths do not count under cosine, and opposite ones are 2 apart
    (Diversity(k=2), [["a", "b"], ["a", "c"]], VECTORS, (1 + ANGLE) / 2),
    (Diversity(k=2), [["a", "minus"]], VECTORS, 2),
    # other distances
    (Diversity(k=2, distance="jaccard"), [["a", "d"]], GENRES, 1 - 1 / 2),
    (Diversity(k=2, distance="hamming"), [["a", "d"]], GENRES, 1 / 2),
    (Diversity(k=2, distance="euclidean"), [["a", "d"]], GENRES, 1),
    (Diversity(k=3, distance="euclidean"), [["a", "b", "c"]], VECTORS, (sqrt(5) + sqrt(13) + sqrt(10)) / 3),
    (Diversity(k=3, distance="hamming"), [["a", "b", "c"]], COLUMNS, (1 / 2 + 1 + 1 / 2) / 3),
    (Diversity(k=3, distance="jaccard"), [["a", "b", "c"]], COLUMNS, (2 / 3 + 1 + 2 / 3) / 3),
    # a vector of zeros is no feature under cosine, and one like others elsewhere
    (Diversity(k=3, **DROP), [["a", "zero", "b"]], VECTORS, 1),
    (Diversity(k=2, distance="euclidean"), [["a", "zero"]], VECTORS, 1),
    (Diversity(k=2, distance="hamming"), [["a", "zero"]], VECTORS, 1 / 2),
    (Diversity(k=2, distance="jaccard"), [["a", "zero"]], VECTORS, 1),
    # what has no features is left out, after the first k are taken
    (Diversity(k=3, **DROP), [["a", "new", "c", "d"]], GENRES, 1),
    (Diversity(k=3, **DROP), [["a", "none", "c"]], GENRES, 1),
    # a list of one is left out of the mean
    (Diversity(k=2), [["a"], ["a", "c"]], GENRES, 1),
    (Diversity(k=2), [["a"]], GENRES, nan),
    (Diversity(k=2, **DROP), [["a", "new"]], GENRES, nan),
]


@list_table(WORKED)
def test_worked(metric, recs, tables, value):
    check_lists(metric, dict(enumerate(recs)), value, features=tables)


def test_undefined():
    check_undefined_lists(Diversity(k=2), {"u": ["a"]}, features=GENRES)


def test_one_place_has_no_pair():
    with pytest.raises(sy.SteelyardError, match="diversity@1 compares the items of a list with each other"):
        sy.metric("diversity@1")


@each_row(
    ("features", "shown", "message"),
    [
        (GENRES, ["a", "new", "older", "c"], "2 of the 4 items shown have no features in features, first"),
        (GENRES, ["a", "none"], "1 of the 2 items shown has no features in features, first none"),
        (
            VECTORS,
            ["a", "zero"],
            "1 of the 2 items shown has features that are all 0 in features, first zero",
        ),
        ({"a": [1.0, float("nan")], "b": [1.0, 1.0]}, ["a", "b"], "feature 'features' is nan"),
        ({"a": [1.0, 2.0], "b": [1.0]}, ["a", "b"], "a vector of 1, and the first one is of 2"),
    ],
)
def test_refused(features, shown, message):
    with pytest.raises(sy.SteelyardError, match=message):
        Diversity(k=4).of({"u": shown}, features=features)


def test_a_doubled_item_is_refused_or_counts_once():
    with pytest.raises(sy.SteelyardError, match="repeats a \\(query, item\\)"):
        Diversity(k=3).of({"u": ["a", "a", "c"]}, features=GENRES)
    assert Diversity(k=3, duplicates="first").of({"u": ["a", "a", "c"]}, features=GENRES) == 1


def test_items_outside_the_catalogue_count_nowhere():
    result = sy.evaluate({"u": ["a", "c", "b"]}, metrics="diversity@3", features=GENRES, catalog=["a", "b"])
    assert result["diversity@3"] == 0


def test_every_form_of_features_gives_the_same():
    rows = np.array([[1, 0, 2], [0, 1, 1], [1, 1, 0]])
    items = ["a", "b", "c"]
    forms = [
        (rows.astype(float), items),
        (sparse.csr_matrix(rows), items),
        pl.DataFrame({"item": items, "vector": rows.astype(float).tolist()}),
        pl.DataFrame({"item": items, **{f"x{at}": rows[:, at] for at in range(3)}}),
        dict(zip(items, rows.tolist(), strict=True)),
    ]
    far = [1 - 2 / sqrt(10), 1 - 1 / sqrt(10), 1 - 1 / 2]
    for features in forms:
        assert Diversity(k=3).of([items], features=features) == pytest.approx(sum(far) / 3, rel=1e-14)


def test_its_steps():
    made = sy.explain("diversity@3", {"u": ["a", "b", "c"]}, features=GENRES)
    # a is 0 from b and 1 from c, and so on
    assert made.steps[0].column("distance to the others").cells == pytest.approx((1 / 2, 1 / 2, 1))
    assert made.steps[0].column("item").cells == ("a", "b", "c")
    assert "diversity = 2 / 3 = 0.6667" in made.to_text()
    assert "到其余物品的距离" in made.to_text("zh")


def test_an_item_that_lacks_a_category_is_not_compared_by_hamming():
    table = pl.DataFrame({"item": ["a", "b", "c"], "genre": ["war", "war", "sf"], "land": [None, "Y", "Y"]})
    lists = {"u": ["a", "b", "c"]}
    with pytest.raises(
        sy.SteelyardError, match="1 of the 3 items shown has no features in features, first a"
    ):
        sy.evaluate(lists, metrics="diversity(distance=hamming)@3", features=table)
    left = sy.evaluate(lists, metrics="diversity(distance=hamming, featureless=drop)@3", features=table)
    assert next(iter(left.items()))[1] == 1 / 2  # b and c: one of two columns differs
    assert sy.explain("diversity(distance=jaccard)@2", {"u": ["a", "b"]}, features=table).value == 1 / 2


@each_row(
    ("features", "tried"),
    [
        (GENRES, ["distance=jaccard", "distance=hamming", "distance=euclidean"]),
        ({"a": [1, 0], "b": [0, 2]}, ["distance=jaccard", "distance=hamming", "distance=euclidean"]),
        ({"a": [0.5, 0.1], "b": [0.2, 2.0]}, ["distance=euclidean"]),
        ({"a": [0.5, 1.0], "b": [0.0, 2.0]}, ["distance=euclidean"]),
    ],
)
def test_distances_that_mean_nothing_are_not_tried(features, tried):
    made = sy.explain("diversity@2", {"u": ["a", "b"]}, features=features)
    assert [other.text for other in made.others] == tried


def test_what_is_left_out_is_told():
    made = sy.explain("diversity(featureless=drop)@3", {"u": ["a", "new", "c"]}, features=GENRES)
    assert [note.key for note in made.notes] == ["featureless"]
    assert "featureless=drop" in made.to_text()
    outside = sy.explain("diversity@2", {"u": ["a", "c"]}, features=GENRES, catalog=["a"])
    assert [note.key for note in outside.notes] == ["outside_catalog", "undefined"]


def test_what_it_declares():
    assert Diversity.direction == "higher"
    assert str(sy.metric("多样性@5")) == "diversity@5"
