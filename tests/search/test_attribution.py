"""Parts of a gap: means over orders, by hand and by writing out every order."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.search.profiles import along, drawn_orders, parts_of


def by_orders(n, values):
    """Every order written out; those that pass a combination without a value are left out."""
    steps, counted = [0.0] * n, 0
    for order in permutations(range(n)):
        way = [0]
        for one in order:
            way.append(way[-1] | 1 << one)
        if any(values[made] is None for made in way):
            continue
        counted += 1
        for at, one in enumerate(order):
            steps[one] += values[way[at + 1]] - values[way[at]]
    return [step / counted for step in steps] if counted else None, counted


def test_one_change_carries_everything():
    made = parts_of(1, {0: 0.25, 1: 1.0}.get)
    assert (made.parts.tolist(), made.orders, made.skipped) == ([0.75], 1, 0)


def test_a_combination_that_means_nothing_is_passed_by():
    """Only the second change can come first: it carries 0.2, the first 0.5 after it."""
    made = parts_of(2, {0: 0.0, 1: None, 2: 0.2, 3: 0.7}.get)
    assert made.parts.tolist() == pytest.approx([0.5, 0.2])
    assert (made.orders, made.skipped) == (1, 1)


def test_no_way_at_all():
    assert parts_of(2, {0: 0.0, 1: None, 2: None, 3: 1.0}.get) is None


@given(data=st.data(), n=st.integers(1, 4))
def test_as_every_order_written_out(data, n):
    inner = st.one_of(st.none(), st.floats(0, 1))
    values = data.draw(st.lists(inner, min_size=2**n, max_size=2**n))
    values[0], values[-1] = 0.125, 0.875
    made = parts_of(n, values.__getitem__)
    parts, orders = by_orders(n, values)
    if parts is None:
        assert made is None
    else:
        assert made.parts.tolist() == pytest.approx(parts, abs=1e-12)
        assert made.orders == orders
        assert made.parts.sum() == pytest.approx(0.75)


def test_some_orders_in_place_of_all():
    """Change 1 adds 1 where it is made first, and 0 where change 0 is made before it."""
    values = {0: 0.0, 1: 2.0, 2: 1.0, 3: 2.0}
    one = parts_of(2, values.get, [[1, 0]])
    assert (one.parts.tolist(), one.orders, one.skipped) == ([1.0, 1.0], 1, 0)
    both = parts_of(2, values.get, [[1, 0], [0, 1]])
    assert both.parts.tolist() == parts_of(2, values.get).parts.tolist() == [1.5, 0.5]


def test_drawn_orders_that_lead_through_nothing_are_skipped():
    made = parts_of(2, {0: 0.0, 1: None, 2: 1.0, 3: 4.0}.get, [[1, 0], [0, 1]])
    assert (made.parts.tolist(), made.orders, made.skipped) == ([3.0, 1.0], 1, 1)
    assert parts_of(1, {0: None, 1: 1.0}.get, [[0]]) is None


def test_orders_are_drawn_by_the_seed_and_each_comes_back_to_front():
    orders = drawn_orders(5, 10, seed=3)
    assert orders == drawn_orders(5, 10, seed=3) != drawn_orders(5, 10, seed=4)
    assert [order[::-1] for order in orders[:5]] == orders[5:]
    assert sorted(set(along([[2, 0, 1]]))) == [0, 4, 5, 7]
