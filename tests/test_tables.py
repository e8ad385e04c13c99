"""A table that one test compares as a whole."""

from __future__ import annotations

import pytest

from .tables import each_row


def test_every_row_that_differs_is_named_and_the_others_are_not():
    @each_row(
        "number, square", [(1, 1), (2, 5), pytest.param(3, 9, id="three"), pytest.param(4, 15, id="four")]
    )
    def squares(number, square):
        assert number**2 == square

    with pytest.raises(AssertionError, match=r"(?s)2 of 4 rows differ\n1: \(2, 5\)\n.*\n3: four\n") as caught:
        squares()
    assert "three" not in str(caught.value)


def test_what_ought_to_be_refused_and_is_not_differs():
    @each_row("text", ["1", "one"], ids=repr)
    def refused(text):
        with pytest.raises(ValueError, match="invalid literal"):
            int(text)

    with pytest.raises(AssertionError, match=r"1 of 2 rows differ\n0: '1'\n"):
        refused()


@each_row("number", range(3))
def test_fixtures_are_those_of_the_test(tmp_path, number):
    assert tmp_path.is_dir()
    assert number < 3
