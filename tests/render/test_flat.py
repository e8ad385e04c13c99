"""`result.flat()`: names and values that experiment trackers accept."""

from __future__ import annotations

import posixpath
import re

import pytest

import steelyard as sy

# what MLflow 3 checks of a name: its characters, its length, and that no path is written in two ways
ACCEPTED = re.compile(r"[/\w.\- :]{1,250}")
ODD = ["a=b, c", "x@y", "(z)", "日本", "1.5", "New York", "π%", "q:r", "new\nline", ""]


def accepted(name: str) -> bool:
    return bool(ACCEPTED.fullmatch(name)) and posixpath.normpath(name) == name and name[0] not in "./"


def log(countries) -> dict[str, list]:
    n = len(countries)
    return {
        "label": [1, 0] * n,
        "score": [0.8, 0.2] * n,
        "country": [one for one in countries for _ in range(2)],
    }


def test_metrics():
    run, truth = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}
    result = sy.evaluate(run, truth, ["mrr", "precision(ties=expected)@1,2", "trec_eval:P_5"])
    assert result.flat() == {
        "mrr": 1 / 2,
        "precision_ties_expected_1": 0.0,
        "precision_ties_expected_2": 1 / 2,
        "trec_eval_P_5": 1 / 5,
    }


def test_slices_and_classes():
    result = sy.evaluate(log(["JP", "DE"]), metrics=["auc", "f1(average=none)", "confusion"], by="country")
    found = result.flat()
    assert found["auc"] == found["auc/country/JP"] == 1.0
    assert found["f1_average_none/class/1"] == 1.0
    assert found["confusion/country/DE/class/0/predicted/1"] == 0.0
    assert len(found) == result.table().height


@pytest.mark.parametrize("values", [ODD, [".."], ["."], ["/"], ["../x"], ["a//b"]])
def test_every_name_is_accepted(values):
    found = sy.evaluate(log(values), metrics="auc", by="country").flat()
    assert len(found) == len(values) + 1
    assert [name for name in found if not accepted(name)] == []


def test_names_keep_letters_of_every_script_digits_points_and_spaces():
    found = sy.evaluate(log(ODD), metrics="auc", by="country").flat()
    assert {"auc/country/日本", "auc/country/1.5", "auc/country/New York"} <= found.keys()


def test_undefined_and_infinite_values_are_left_out():
    rows = {"label": [0, 0, 1], "score": [0.1, 0.2, 0.3], "site": ["a", "a", "b"]}
    result = sy.evaluate(rows, metrics=["auc", "calibration"], by="site")
    assert result.flat().keys() == {"auc", "calibration", "calibration/site/b"}


def test_two_values_of_one_name():
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(log(["a/b", "a_b"]), metrics="auc", by="country").flat()
    assert str(caught.value).splitlines() == [
        "'auc / country / a/b' and 'auc / country / a_b' have the same flat name 'auc/country/a_b'",
        "rename one of the slices or columns, or use result.table()",
    ]


def test_a_name_that_is_too_long():
    with pytest.raises(sy.SteelyardError, match="has 312 characters; at most 250 are allowed"):
        sy.evaluate(log(["x" * 300]), metrics="auc", by="country").flat()
