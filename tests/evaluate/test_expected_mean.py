"""``ties=expected`` with a geometric mean or a median is refused at every door, before anything is read."""

from __future__ import annotations

import math
from itertools import product

import polars as pl
import pytest

import steelyard as sy

# in both queries the relevant item is first or second: 1 or 1/2
TIED = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"a": 1.0, "b": 1.0}}
TRUTH = {"q1": {"a": 1}, "q2": {"a": 1}}
MEANS = ["geometric", "median"]
REFUSED = "has no expected value over ties: with mean={} it is not the mean over all orders"


def refused(mean):
    return pytest.raises(sy.SteelyardError, match=REFUSED.format(mean))


def test_why():
    # over the four orders the geometric mean is 1, √½, √½ and ½; that of the two means of 3/4 is 3/4
    orders = list(product([1, 1 / 2], repeat=2))
    mean_over_orders = sum(math.sqrt(one * other) for one, other in orders) / len(orders)
    assert mean_over_orders != pytest.approx(3 / 4, abs=0.01)
    values = {
        ties: sy.evaluate(TIED, TRUTH, "mrr", ties=ties, mean="geometric")["mrr"]
        for ties in ("item_asc", "item_desc")
    }
    assert values == pytest.approx({"item_asc": 1, "item_desc": 1 / 2}, abs=1e-15)


@pytest.mark.parametrize("mean", MEANS)
def test_every_door_of_python_before_anything_is_read(mean):
    for metrics, call in [
        (f"mrr(ties=expected, mean={mean})", {}),
        ("mrr(ties=expected)", {"mean": mean}),
        (f"mrr(mean={mean})", {"ties": "expected"}),
        (["recall@2", sy.MRR(ties="expected", mean=mean)], {}),
        (sy.MRR(mean=mean), {"conventions": {"ties": "expected"}}),
        (f"trec_eval:mrr(mean={mean}, ties=expected)", {}),
        ("mrr", {"profile": "trec_eval", "ties": "expected", "mean": mean}),
    ]:
        with refused(mean) as caught:
            sy.evaluate("there/is/no/such/file.csv", "nor/this.csv", metrics, **call)
        assert "mean=arithmetic" in caught.value.remedy
        assert "ties=item_desc" in caught.value.remedy
    with refused(mean):
        sy.MRR(ties="expected", mean=mean).of([1, 0])
    with refused(mean):
        sy.explain(f"map(mean={mean})", grades=[1, 0], ties="expected")


@pytest.mark.parametrize("mean", MEANS)
def test_the_command_line_and_its_run_file(mean, tmp_path, steelyard):
    run = tmp_path / "run.toml"
    run.write_text(f'metric = ["mrr"]\nties = "expected"\n[set]\nmean = "{mean}"\n')
    asked = ["evaluate", "no.csv", "--truth", "nor.csv"]
    for further in (
        ["-m", "mrr", "--ties", "expected", "--set", f"mean={mean}"],
        ["-m", f"mrr@10:mean={mean},ties=expected"],
        ["--run-file", str(run)],
    ):
        done = steelyard(*asked, *further)
        assert done.code == 2
        assert REFUSED.format(mean) in done.err
    done = steelyard("explain", "map", "--grades", "1,0", "--set", "ties=expected", "--set", f"mean={mean}")
    assert (done.code, done.out) == (2, "")
    assert REFUSED.format(mean) in done.err


@pytest.mark.parametrize("mean", MEANS)
def test_where_the_data_chose_expected_only_real_ties_are_refused(mean):
    table = pl.DataFrame({"query": [1, 1, 2, 2], "label": [1, 0, 0, 1], "score": [0.9, 0.8, 0.7, 0.6]})
    # no item column: nothing is tied, so that mrr is 1 and 1/2
    value = sy.evaluate(table, metrics="mrr", mean=mean)["mrr"]
    assert value == pytest.approx({"geometric": math.sqrt(1 / 2), "median": 3 / 4}[mean], abs=1e-15)
    with refused(mean):
        sy.evaluate(table.with_columns(score=0.5), metrics="mrr", mean=mean)
    assert sy.evaluate(table.with_columns(score=0.5), metrics="mrr", mean=mean, ties="optimistic")["mrr"] == 1


def test_a_pooled_value_is_a_sum_and_has_its_mean_over_orders():
    # one place of two is read in each query: one of the two relevant items is expected
    metric = "recall(pooling=pooled, mean=median)@1"
    assert sy.evaluate(TIED, TRUTH, metric, ties="expected")[metric] == 1 / 2
