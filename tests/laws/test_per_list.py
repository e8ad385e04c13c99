"""Laws of metrics with a value for each list, on random lists, histories and features."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import steelyard as sy

from ..metrics.test_lists_brute import Case

METRICS = [
    "diversity@4",
    "diversity(distance=jaccard)@4",
    "diversity(distance=hamming)@4",
    "diversity(distance=euclidean)@4",
    "novelty@4",
    "novelty(unseen=drop)@4",
    "novelty(normalise=true)@4",
    "popularity@4",
    "popularity(scale=share)@4",
    "popularity_lift@4",
    "repetition@4",
    "unexpectedness@4",
    "unexpectedness(against=history)@4",
    "unexpectedness(distance=euclidean, against=history)@4",
    "serendipity@4",
    "serendipity(surprise=distance)@4",
    "serendipity(rel=2)@4",
    "miscalibration@4",
    "miscalibration(divergence=js)@4",
]
EVERY = pytest.mark.parametrize("metric", METRICS)
SEEDS = pytest.mark.parametrize("seed", range(3))


def evaluated(case, metrics=METRICS, **more):
    return sy.evaluate(case.recs, case.truth, metrics, **case.tables, **more)


def values(result):
    return dict(zip(result, result.table()["value"].to_list(), strict=True))


def same(one, other):
    assert one == pytest.approx(other, rel=1e-11, abs=1e-13, nan_ok=True)


@SEEDS
def test_a_value_of_each_list_and_the_mean_of_those_that_have_one(seed):
    result = evaluated(Case(seed))
    for metric, value in result.items():
        each = [one for name, one in result.per_query()["metric", "value"].iter_rows() if name == metric]
        defined = [one for one in each if not math.isnan(one)]
        low, high = sy.metric(metric).bounds
        assert all(low <= one <= high for one in defined), metric
        same(value, sum(defined) / len(defined))


@SEEDS
def test_the_order_within_the_first_k_changes_nothing(seed):
    case, other = Case(seed), Case(seed)
    other.recs = {user: shown[:4][::-1] + shown[4:] for user, shown in case.recs.items()}
    same(values(evaluated(other)), values(evaluated(case)))


@SEEDS
def test_the_order_of_users_changes_nothing(seed):
    case, other = Case(seed), Case(seed)
    other.recs = dict(reversed(case.recs.items()))
    other.history = dict(reversed(case.history.items()))
    same(values(evaluated(other)), values(evaluated(case)))


@SEEDS
def test_what_stands_below_the_cutoff_changes_nothing(seed):
    case, other = Case(seed), Case(seed)
    other.recs = {user: shown[:4] for user, shown in case.recs.items()}
    same(values(evaluated(other)), values(evaluated(case)))


@SEEDS
def test_every_user_twice_changes_nothing(seed):
    """But how often an item was had doubles, and one that nobody had is rarer among more users."""
    case, other = Case(seed), Case(seed)
    for table in ("recs", "truth", "history"):
        known = getattr(case, table)
        setattr(other, table, known | {f"{user}-again": one for user, one in known.items()})
    now, before = values(evaluated(other)), values(evaluated(case))
    same(now.pop("popularity@4"), 2 * before.pop("popularity@4"))
    every = {item for shown in case.lists().values() for item in shown}
    rarer = {"novelty(normalise=true)@4"}  # its divisor grows
    rarer |= {"novelty@4"} if not all(map(case.users_of, every)) else set()
    for metric in before.keys() - rarer:
        same(now[metric], before[metric])


@SEEDS
def test_other_names_change_nothing(seed):
    """But which of equally popular items would be shown, which the ids decide."""
    case, other = Case(seed), Case(seed)
    name = {item: f"{99 - int(item[1:]):02d}" for item in case.tags}
    other.recs = {f"x{user}": [name[one] for one in shown] for user, shown in case.recs.items()}
    for table in ("truth", "history"):
        known = getattr(case, table)
        renamed = {f"x{u}": {name[i]: n for i, n in had.items()} for u, had in known.items()}
        setattr(other, table, renamed)
    other.tags = {name[item]: tags for item, tags in case.tags.items()}
    other.catalog, other.groups = [name[item] for item in case.catalog], {}
    tables = {"catalog": other.catalog, "features": other.tags, "history": other.history}
    asked = [one for one in METRICS if one != "unexpectedness@4"]
    renamed = sy.evaluate(other.recs, other.truth, asked, **tables)
    same(values(renamed), values(evaluated(case, asked)))


@SEEDS
def test_a_weight_is_so_many_users(seed):
    case = Case(seed)
    weights = {user: at % 3 for at, user in enumerate(dict.fromkeys([*case.recs, *case.truth]))}
    weighted = evaluated(case, weights=weights)
    each = evaluated(case).per_query()
    for metric, value in weighted.items():
        rows = each.filter(metric=metric)["query", "value"].rows()
        several = [one for user, one in rows for _ in range(weights[user]) if not math.isnan(one)]
        same(value, sum(several) / len(several))


@EVERY
@SEEDS
def test_steps_lead_to_the_value_of_every_list(metric, seed):
    case = Case(seed)
    result = evaluated(case, [metric])
    for query, value in result.per_query()["query", "value"].iter_rows():
        made = sy.explain(metric, case.recs, case.truth, query=query, **case.tables)
        same((made.value, made.recomputed()), (value, value))
        for other in made.others:
            alone = sy.evaluate(case.recs, case.truth, other.metric, **case.tables).per_query()
            same(other.value, alone.filter(query=query)["value"].item())
        told = made.to_text("zh")
        assert all(word not in told for word in ("undefined", "which", "distance to", "users who"))


@EVERY
def test_a_list_is_explained_whatever_its_weight_and_its_part_in_the_mean(metric):
    case = Case(0)
    every = dict.fromkeys([*case.recs, *case.truth], 1) | {"u0": 0}
    alone = evaluated(case, [metric]).per_query().filter(query="u0")["value"].item()
    asked = dataclasses.replace(sy.metric(metric), mean="geometric")
    made = sy.explain(asked, case.recs, case.truth, query="u0", weights=every, **case.tables)
    same((made.value, made.recomputed()), (alone, alone))


@pytest.mark.parametrize("distance", ["cosine", "jaccard", "hamming", "euclidean"])
def test_items_that_are_alike_are_not_diverse(distance):
    alike = {item: ["war", "love"] for item in "abcd"}
    vectors = {item: [0.1, 0.7, 0.3] for item in "abcd"}
    for features in (alike, vectors):
        assert sy.Diversity(k=4, distance=distance).of([list("abcd")], features=features) == pytest.approx(0)


def test_many_items_are_told_in_part():
    """Of a long list the first rows are shown, and the arithmetic rests on all of them."""
    random = np.random.default_rng(3)
    items = [f"i{at}" for at in range(60)]
    history = {f"u{at}": random.choice(items, 9, replace=False).tolist() for at in range(20)}
    tags = {item: [f"t{random.integers(40)}"] for item in items}
    for metric in METRICS:
        asked = sy.metric(metric).replace(k=50)
        made = sy.explain(asked, {"u0": items}, {"u0": items[:30]}, features=tags, history=history)
        same(made.recomputed(), made.value)
        assert len(made.steps[0].visible) < 30
        assert made.steps[0].height == 50


@EVERY
def test_a_result_explains_its_lists_in_any_slice(metric):
    case = Case(1)
    every = list(dict.fromkeys([*case.recs, *case.truth]))
    by = {"query": every, "side": ["left" if at % 2 else "right" for at in range(len(every))]}
    result = evaluated(case, [metric], by=by)
    for query, value in result.per_query()["query", "value"].iter_rows():
        made = result.explain(metric, query)
        same((made.value, made.recomputed()), (value, value))
