"""Which cases of a product of parameters `make test` runs."""

from __future__ import annotations

from itertools import product

from .products import kept, pairs


def test_of_two_parameters_each_is_changed_alone_and_once_more():
    found = kept(list(product(range(4), range(2))))
    assert found == {(0, 0), (0, 1), (1, 0), (2, 0), (3, 0), (1, 1), (3, 1)}


def test_of_three_parameters_every_pair_of_values_is_there():
    cases = list(product(range(5), range(3), range(2), range(2)))
    found = kept(cases)
    assert {pair for case in found for pair in pairs(case)} == {
        pair for case in cases for pair in pairs(case)
    }
    assert {case for case in cases if sum(value > 0 for value in case) <= 1} <= found
    assert len(found) < len(cases) / 2


def test_a_case_that_was_asked_for_alone_is_run():
    assert kept([(0, 0)]) == {(0, 0)}
