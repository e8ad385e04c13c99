"""Which cases of a product of parameters `make test` runs."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from .products import kept


def test_of_two_parameters_every_value_is_there_and_the_first_of_both():
    assert kept((4, 2)) == {(0, 0), (0, 1), (1, 0), (2, 1), (3, 0)}
    # the same values twice: with each other as well
    assert kept((3, 3)) == {(0, 0), (0, 1), (1, 2), (2, 0)}


def test_of_three_parameters_each_is_changed_alone_and_all_are_changed_together():
    sizes = (5, 3, 2, 2)
    cases, found = list(product(*map(range, sizes))), kept(sizes)
    assert {case for case in cases if sum(value > 0 for value in case) <= 1} <= found
    assert {(1, 2, 1, 0), (2, 0, 0, 1), (3, 1, 1, 0), (4, 2, 0, 1)} <= found
    assert len(found) < len(cases) / 4


def test_a_case_keeps_its_mark_in_any_selection_unless_it_is_named(root):
    path = Path(__file__).relative_to(root)
    for argument, chosen, expected in (
        (path, "product_of_two", {"0-0", "0-1", "1-0", "2-1"}),
        (path, "product_of_two and 2-", {"2-1"}),
        (f"{path}::test_a_product_of_two[2-0]", "product_of_two", {"2-0"}),
    ):
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", "-m", "not long"]
        done = subprocess.run(
            [*command, "-k", chosen, str(argument)], cwd=root, capture_output=True, text=True
        )
        found = {name[:-1] for name in re.findall(r"test_a_product_of_two\[(.*)", done.stdout)}
        assert found == expected, done.stdout + done.stderr


@pytest.mark.parametrize("second", range(2))
@pytest.mark.parametrize("first", range(3))
def test_a_product_of_two(first, second):
    """Cases for the test above."""
    assert 0 <= second < 2
    assert 0 <= first < 3
