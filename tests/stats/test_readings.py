"""What numbers say together: every row of the specification's table, on both sides of each threshold."""

from __future__ import annotations

import dataclasses
import math
import re

import pytest

import steelyard as sy
from steelyard.stats.readings import _RULES, Reading, readings

from ..tables import each_row

SERVES = "ranking and calibration are both good"
CALIBRATE = "the order is good, the probabilities are off: calibrate"
NEITHER = "neither ranking nor calibration is good: check data and features first"
LITTLE = "little beyond the base rate; perhaps good in some slices: look at them"
WEAK_RANKING = "candidates are there, ranking is weak"
MISSES = "ranking is good, retrieval misses items"
NOTHING = "accuracy says nothing here: read precision, recall, pr_auc"
USERS = "most of the AUC comes from differences between users, not within users"
CONCENTRATED = "a few items take most of the exposure: look at the long tail"
ALIKE = "all users see nearly the same items"
OUTSIDE = "many items are not in the catalogue: check that it is whole, and names items alike"

UNDER_07 = math.nextafter(0.7, 0)
UNDER_06 = math.nextafter(0.6, 0)
UNDER_1 = math.nextafter(1, 0)
GOOD = {"auc": 0.74, "ne": 0.87, "calibration": 1.02}

TABLE = [  # values, what they say
    # AUC ≥ 0.7 and NE < 1 with calibration in 0.9–1.1
    (GOOD, [SERVES]),
    (GOOD | {"auc": 0.7}, [SERVES]),
    (GOOD | {"auc": UNDER_07}, []),
    (GOOD | {"ne": UNDER_1}, [SERVES]),
    (GOOD | {"ne": 1}, [CALIBRATE]),
    (GOOD | {"calibration": 0.9}, [SERVES]),
    (GOOD | {"calibration": math.nextafter(0.9, 0)}, []),
    (GOOD | {"calibration": 1.1}, [SERVES]),
    (GOOD | {"calibration": math.nextafter(1.1, 2)}, []),
    # AUC ≥ 0.7 but NE ≥ 1, or calibration outside 0.8–1.25
    (GOOD | {"calibration": 0.8}, []),
    (GOOD | {"calibration": math.nextafter(0.8, 0)}, [CALIBRATE]),
    (GOOD | {"calibration": 1.25}, []),
    (GOOD | {"calibration": math.nextafter(1.25, 2)}, [CALIBRATE]),
    (GOOD | {"calibration": 1.25, "ne": 1.2}, [CALIBRATE]),
    (GOOD | {"calibration": 3, "ne": 1.2}, [CALIBRATE]),
    ({"auc": 0.7, "ne": 1}, [CALIBRATE]),
    ({"auc": 0.7, "calibration": 0.5}, [CALIBRATE]),
    ({"auc": UNDER_07, "ne": 1, "calibration": 0.5}, []),
    # AUC < 0.6 and NE ≥ 1
    ({"auc": 0.52, "ne": 1.1}, [NEITHER]),
    ({"auc": UNDER_06, "ne": 1}, [NEITHER]),
    ({"auc": 0.6, "ne": 1.1}, []),
    ({"auc": 0.52, "ne": math.inf}, [NEITHER]),
    # AUC < 0.6 and NE < 1
    ({"auc": 0.52, "ne": UNDER_1}, [LITTLE]),
    ({"auc": UNDER_06, "ne": 0.99}, [LITTLE]),
    ({"auc": 0.6, "ne": 0.99}, []),
    # recall@1000 ≥ 0.8, mrr@10 < 0.3
    ({"recall@1000": 0.8, "mrr@10": 0.29}, [WEAK_RANKING]),
    ({"recall@1000": math.nextafter(0.8, 0), "mrr@10": 0.29}, []),
    ({"recall@1000": 0.8, "mrr@10": 0.3}, []),
    # recall@1000 < 0.5, mrr@10 ≥ 0.5
    ({"recall@1000": 0.49, "mrr@10": 0.5}, [MISSES]),
    ({"recall@1000": 0.5, "mrr@10": 0.5}, []),
    ({"recall@1000": 0.49, "mrr@10": math.nextafter(0.5, 0)}, []),
    # AUC − GAUC > 0.05, in decimals: 0.65 − 0.6 is 0.05
    ({"auc": 0.65, "gauc": 0.59}, [USERS]),
    ({"auc": 0.65, "gauc": 0.6}, []),
    ({"auc": 0.75, "gauc": 0.7}, []),
    ({"auc": 0.65, "gauc": 0.599999}, [USERS]),
    ({"auc": 0.6, "gauc": 0.7}, []),
    # the 1 % of items shown most take more than half of the exposure
    ({"top_exposure": 0.5}, []),
    ({"top_exposure": math.nextafter(0.5, 1)}, [CONCENTRATED]),
    # personalization at any cutoff < 0.1
    ({"personalization@10": 0.1}, []),
    ({"personalization@10": math.nextafter(0.1, 0)}, [ALIKE]),
    ({"personalization@all": 0.0}, [ALIKE]),
    ({"personalization@10": math.nan}, []),
    ({"personalization(depth=5)@10": 0.0}, []),
    # more than 1 % of the places are outside the catalogue
    ({"outside_catalog": 0.01}, []),
    ({"outside_catalog": 0.0101}, [OUTSIDE]),
    # several at once, in the order of the table
    (GOOD | {"gauc": 0.6, "recall@1000": 0.9, "mrr@10": 0.1}, [SERVES, WEAK_RANKING, USERS]),
]


def texts(values, majority=None):
    return [reading.text for reading in readings(values, majority)]


@each_row(("values", "said"), TABLE, ids=[str(values) for values, _ in TABLE])
def test_the_table(values, said):
    assert texts(values) == said


@each_row(
    ("accuracy", "majority", "near"),
    [
        (0.9, 0.9, True),
        (0.91, 0.9, True),
        (0.89, 0.9, True),
        (0.9101, 0.9, False),
        (0.8899, 0.9, False),
        (0.9, None, False),
        (0.9, math.nan, False),
        (math.nan, 0.9, False),
    ],
)
def test_accuracy_beside_the_majority(accuracy, majority, near):
    assert texts({"accuracy": accuracy}, majority) == ([NOTHING] if near else [])


def test_a_majority_without_accuracy():
    assert readings({}, 0.9) == ()


@pytest.mark.parametrize("label", GOOD)
def test_a_figure_that_is_not_there_or_undefined(label):
    assert texts({name: value for name, value in GOOD.items() if name != label}) == []
    assert texts(GOOD | {label: math.nan}) == []


@each_row(
    "values",
    [
        {"auc": 0.9, "gauc": math.nan},
        {"auc": math.nan, "gauc": 0.5},
        {"gauc": 0.5},
        {"recall@1000": 0.9},
        {"mrr@10": 0.1},
        {"recall@1000": 0.9, "mrr@10": math.nan},
        {"auc": 0.5},
        {"ne": 2},
        {"auc": 0.9, "ne": math.nan, "calibration": math.nan},
        {},
    ],
    ids=str,
)
def test_a_half_says_nothing(values):
    assert readings(values) == ()


def test_one_of_two_conditions_is_enough_where_the_other_is_undefined():
    assert texts({"auc": 0.9, "ne": math.nan, "calibration": 2}) == [CALIBRATE]
    assert texts({"auc": 0.9, "ne": 1.5, "calibration": math.nan}) == [CALIBRATE]


def test_other_conventions_are_other_figures():
    assert readings({"auc(max_fpr=0.1)": 0.9, "ne": 1.5}) == ()
    assert readings({"auc": 0.9, "ne(base_rate=0.1)": 1.5}) == ()
    assert readings({"auc": 0.9, "rig(base_rate=0.1)": -1}) == ()
    assert readings({"auc": 0.9, "gauc(weight=uniform)": 0.5}) == ()
    assert readings({"recall@100": 0.9, "mrr@10": 0.1}) == ()
    assert readings({"recall(missing=skip)@1000": 0.9, "mrr@10": 0.1}) == ()
    assert readings({"accuracy(threshold=0.3)": 0.9}, 0.9) == ()


def test_rig_stands_in_for_ne():
    assert texts({"auc": 0.5, "rig": 0}) == [NEITHER]
    assert texts({"auc": 0.5, "rig": math.nextafter(0, 1)}) == [NEITHER]  # 1 minus that is 1
    assert texts({"auc": 0.5, "rig": 0.001}) == [LITTLE]
    assert texts({"auc": 0.5, "rig": math.nan}) == []
    assert texts({"auc": 0.5, "rig": 0.2, "ne": 1.2}) == [NEITHER]


@each_row(
    ("copc", "said"),
    [
        (1, [SERVES]),
        (1 / 0.9, [SERVES]),
        (1 / 1.1, [SERVES]),
        (1 / 0.85, []),
        (1 / 0.8, []),
        (1 / 1.25, []),
        (1 / 1.26, [CALIBRATE]),
        (1 / 0.79, [CALIBRATE]),
        (0, []),
        (math.nan, []),
    ],
)
def test_copc_stands_in_for_calibration(copc, said):
    assert texts({"auc": 0.8, "ne": 0.9, "copc": copc}) == said
    assert texts({"auc": 0.8, "ne": 0.9, "copc": copc, "calibration": 1}) == [SERVES]


FIGURES = [  # values, majority, the figures of the only reading
    (
        {"auc": 0.7412, "ne": 0.8731, "calibration": 1.021},
        None,
        ("auc 0.7412 ≥ 0.7", "ne 0.8731 < 1", "calibration 1.0210 in 0.9–1.1"),
    ),
    ({"auc": 0.7, "ne": 1.5, "calibration": 1}, None, ("auc 0.7000 ≥ 0.7", "ne 1.5000 ≥ 1")),
    (
        {"auc": 0.7, "ne": 0.5, "calibration": 1.3},
        None,
        ("auc 0.7000 ≥ 0.7", "calibration 1.3000 outside 0.8–1.25"),
    ),
    (
        {"auc": 0.7, "ne": 1, "calibration": 0.2},
        None,
        ("auc 0.7000 ≥ 0.7", "ne 1.0000 ≥ 1", "calibration 0.2000 outside 0.8–1.25"),
    ),
    ({"auc": 0.5, "rig": -0.25}, None, ("auc 0.5000 < 0.6", "ne = 1 − rig = 1.2500 ≥ 1")),
    (
        {"auc": 0.8, "copc": 0.5},
        None,
        ("auc 0.8000 ≥ 0.7", "calibration = 1 / copc = 2.0000 outside 0.8–1.25"),
    ),
    ({"recall@1000": 0.93, "mrr@10": 0.21}, None, ("recall@1000 0.9300 ≥ 0.8", "mrr@10 0.2100 < 0.3")),
    ({"accuracy": 0.9512}, 0.95, ("|accuracy 0.9512 − majority share 0.9500| = 0.0012 ≤ 0.01",)),
    ({"auc": 0.7412, "gauc": 0.668}, None, ("auc 0.7412 − gauc 0.6680 = 0.0732 > 0.05",)),
    # never a figure that its own threshold contradicts
    ({"auc": 0.5999999, "ne": 2}, None, ("auc 0.5999999 < 0.6", "ne 2.0000 ≥ 1")),
    ({"auc": 0.65, "gauc": 0.599999}, None, ("auc 0.6500 − gauc 0.6000 = 0.050001 > 0.05",)),
    ({"auc": UNDER_06, "ne": math.inf}, None, ("auc 0.5999999999999999 < 0.6", "ne inf ≥ 1")),
]


@each_row(("values", "majority", "figures"), FIGURES, ids=[str(row[0]) for row in FIGURES])
def test_the_figures_and_their_thresholds(values, majority, figures):
    (reading,) = readings(values, majority)
    assert reading.figures == figures


def test_as_one_sentence():
    (reading,) = readings({"auc": 0.7412, "ne": 0.8731, "calibration": 1.021})
    assert str(reading) == (
        "ranking and calibration are both good "
        "(auc 0.7412 ≥ 0.7; ne 0.8731 < 1; calibration 1.0210 in 0.9–1.1)."
    )


def test_what_a_reading_is():
    (reading,) = readings(GOOD)
    assert isinstance(reading, Reading)
    assert reading.kind == "good"
    assert reading.text.render("zh") == "排序与概率都好"
    with pytest.raises(dataclasses.FrozenInstanceError):
        reading.text = ""


def test_only_one_row_is_good_news_and_every_row_is_said_in_chinese():
    rules = _RULES
    assert [rule.text for rule in rules if rule.kind == "good"] == [SERVES]
    assert {rule.text for rule in rules} == {text for _, said in TABLE for text in said} | {NOTHING}
    assert all(re.search(r"[\u4e00-\u9fff]", rule.text.render("zh")) for rule in rules)
    assert len({rule.text.render("zh") for rule in rules}) == len(rules)
    assert len({rule.text.key for rule in rules}) == len(rules)


# sentences of the specification that words.md has in plainer words
PLAIN = {
    "order and probabilities both serve": "ranking and calibration are both good",
    "neither order nor probabilities: look at data and features first": (
        "neither ranking nor calibration is good: check data and features first"
    ),
    "differences between users carry the AUC": (
        "most of the AUC comes from differences between users, not within users"
    ),
}


def test_the_rows_are_those_of_the_specification(shared):
    page = (shared / "spec" / "metrics.md").read_text("utf-8")
    table = page.partition("## Reading numbers together")[2].partition("`--task`")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    of_numbers = [rule.text for rule in _RULES if rule.about != "catalog"]
    assert of_numbers == [PLAIN.get(reading, reading) for _, reading in rows[1:]]
    assert [rule.text for rule in _RULES][len(of_numbers) :] == [CONCENTRATED, ALIKE, OUTSIDE]


def test_what_lists_say_together():
    """Of 200 films one stands first in all of three lists, and one place of four names no film."""
    films = [f"f{n:03}" for n in range(200)]
    recs = {"u": [films[0], films[1]], "v": [films[0]], "w": [films[0]]}
    recs = {user: [*some, "gone"] if user == "u" else some for user, some in recs.items()}
    result = sy.evaluate(recs, metrics=["coverage@3", "personalization@1"], catalog=films)
    assert [reading.key for reading in result.readings()] == [
        "concentrated_exposure",
        "lists_alike",
        "many_outside_catalog",
    ]
    assert [str(figure) for reading in result.readings() for figure in reading.figures] == [
        "exposure of the 1% of items shown most 1.0000 > 0.5",
        "personalization@1 0.0000 < 0.1",
        "share of places outside the catalogue 0.2000 > 0.01",
    ]
    assert result.readings()[0].render("zh") == (
        "少数物品占去大部分曝光：请看长尾图（展示最多的 1% 物品的曝光占比 1.0000 > 0.5）。"
    )
    assert result.to_dict()["readings"][2]["figures"][0]["figures"] == {
        "value": 0.2,
        "relation": "above",
        "limit": 0.01,
    }


def test_lists_that_are_alike_in_one_slice_alone():
    """Ten users of one country get the same, ten of another nothing in common."""
    recs = {f"d{n}": ["a", "b", "c", "d"] for n in range(10)} | {
        f"j{n}": [f"j{n}", f"k{n}"] for n in range(10)
    }
    by = {user: "DE" if user.startswith("d") else "JP" for user in recs}
    result = sy.evaluate(recs, metrics="personalization@4", by=by)
    told = [str(reading) for reading in result.readings() if reading.key == "lists_alike"]
    assert told == [
        "in 1 slice: all users see nearly the same items "
        "(DE, 50.0% of queries: personalization@4 0.0000 < 0.1)."
    ]
