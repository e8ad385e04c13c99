"""What holds of metrics of all lists together, whatever the lists."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy

from ..examples import examples

CATALOG = list("abcdefgh")
GROUPS = {item: "xyz"[place % 3] for place, item in enumerate(CATALOG)}
TABLES = {"catalog": CATALOG, "item_groups": GROUPS}
EVERY = ["coverage@3", "user_coverage@3", "gini@3", "entropy@3", "personalization@3", "exposure@3"]
DISCOUNTED = [f"{name}(exposure=discounted)@3" for name in ("gini", "entropy", "exposure")]

# lists of items, two of them outside the catalogue, each item once
shown = st.lists(st.sampled_from([*CATALOG, "y", "z"]), min_size=1, max_size=6, unique=True)
some_lists = st.lists(shown, min_size=1, max_size=6).map(lambda lists: dict(enumerate(lists)))


def values(lists, metrics, **options):
    """The values of metrics, one or several of each."""
    return sy.evaluate(lists, metrics=metrics, **(TABLES | options)).table()["value"].to_list()


def near(found):
    return pytest.approx(found, rel=1e-12, abs=1e-12, nan_ok=True)


@examples(40)
@given(some_lists)
def test_values_lie_within_their_bounds(lists):
    result = sy.evaluate(lists, metrics=[*EVERY, *DISCOUNTED], **TABLES)
    for row in result.table().to_dicts():
        low, high = sy.metric(row["metric"]).bounds
        assert math.isnan(row["value"]) or low <= row["value"] <= high, row["metric"]


@examples(40)
@given(some_lists)
def test_coverage_never_falls_with_k(lists):
    found = sy.evaluate(lists, metrics="coverage@1,2,3,4,5,6,7", **TABLES).table()["value"].to_list()
    assert found == sorted(found)
    assert found[-1] == found[-2]  # no list is longer


@examples(40)
@given(some_lists, st.integers(2, 3))
def test_every_user_several_times(lists, copies):
    names = ["coverage@3", "user_coverage@3", "gini@3", "entropy@3", "exposure@3", *DISCOUNTED]
    several = dict(enumerate([*lists.values()] * copies))
    assert values(several, names) == near(values(lists, names))


@examples(40)
@given(some_lists, st.randoms(use_true_random=False))
def test_places_count_only_where_they_are_discounted(lists, random):
    moved = {user: random.sample(items[:3], len(items[:3])) + items[3:] for user, items in lists.items()}
    assert values(moved, EVERY) == near(values(lists, EVERY))


def test_discounted_places_count():
    for name in DISCOUNTED:
        one, other = ({0: items, 1: ["a"]} for items in (["a", "b"], ["b", "a"]))
        assert values(one, name) != near(values(other, name))


@given(shown, st.integers(2, 6))
def test_one_list_for_all(items, users):
    value = sy.evaluate(dict.fromkeys(range(users), items), metrics="personalization@3")["personalization@3"]
    assert value == pytest.approx(0, abs=1e-12)


@given(st.lists(st.integers(1, 5), min_size=2, max_size=5))
def test_disjoint_lists(lengths):
    lists = {user: [f"{user}-{place}" for place in range(n)] for user, n in enumerate(lengths)}
    value = sy.evaluate(lists, metrics="personalization@3")["personalization@3"]
    assert value == pytest.approx(1, abs=1e-12)


@given(st.integers(2, 8), st.integers(1, 3))
def test_even_exposure(n, times):
    """Each of n items stands alone in as many lists."""
    lists = dict(enumerate(CATALOG[:n] * times))
    asked = ["gini@1", "entropy@1", "entropy(normalise=true)@1", "entropy(base=2)@1"]
    found = sy.evaluate({user: [item] for user, item in lists.items()}, metrics=asked, catalog=CATALOG[:n])
    even = [0, math.log(n), 1, math.log2(n)]
    assert list(dict(found).values()) == pytest.approx(even, abs=1e-12)


@examples(40)
@given(some_lists)
def test_shares_add_up(lists):
    for name in ("exposure@3", "exposure(exposure=discounted)@3"):
        total = math.fsum(sy.evaluate(lists, metrics=name, **TABLES).table()["value"].to_list())
        assert math.isnan(total) or total == pytest.approx(1, rel=1e-12)


@examples(40)
@given(some_lists)
def test_the_steps_lead_to_the_value(lists):
    result = sy.evaluate(lists, metrics=[*EVERY, *DISCOUNTED], **TABLES)
    for label, _ in result.metrics:
        made = result.explain(label)
        assert made.recomputed_values() == near(made.values)


@examples(40)
@given(some_lists)
def test_names_do_not_matter(lists):
    """Lists stand in the order given, so that no tie asks for names."""
    renamed = {f"u{user}": [f"{item}!" for item in items] for user, items in reversed(lists.items())}
    tables = {
        "catalog": [f"{item}!" for item in reversed(CATALOG)],
        "item_groups": {f"{item}!": group for item, group in GROUPS.items()},
    }
    every = [*EVERY, *DISCOUNTED]
    assert values(renamed, every, **tables) == near(values(lists, every))
