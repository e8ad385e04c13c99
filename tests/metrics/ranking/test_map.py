"""Mean average precision, by hand."""

from __future__ import annotations

from math import nan

import pytest

import steelyard as sy
from steelyard import MAP

from ..worked import check, check_undefined, table

HITS = [1, 0, 0, 1, 0, 1]  # precision 1/1, 2/4 and 3/6 at its hits
SUM = 1 / 1 + 2 / 4 + 3 / 6

WORKED = [  # metric, grades as ranked, judged grades, value by hand
    (MAP(), HITS, None, SUM / 3),
    (MAP(), HITS, [1] * 5, SUM / 5),
    (MAP(k=4), HITS, None, (1 / 1 + 2 / 4) / 3),
    (MAP(k=1), HITS, None, 1 / 3),
    (MAP(k=60), HITS, None, SUM / 3),
    (MAP(k=6), [1, 1, 1, 0, 0, 0], None, 1),
    (MAP(k=6), [1, 0, 0, 1, 1, 1], None, (1 + 2 / 4 + 3 / 5 + 4 / 6) / 4),
    # at most k can be found
    (MAP(k=4, denominator="achievable"), HITS, [1] * 5, (1 + 2 / 4) / 4),
    (MAP(k=6, denominator="achievable"), HITS, [1] * 5, SUM / 5),
    (MAP(k=2, denominator="achievable"), [1, 1, 0], [1, 1, 1], 1),
    (MAP(denominator="achievable"), HITS, [1] * 5, SUM / 5),
    # only what was found
    (MAP(k=4, denominator="hits"), HITS, [1] * 5, (1 + 2 / 4) / 2),
    (MAP(denominator="hits"), HITS, [1] * 5, SUM / 3),
    (MAP(k=5, denominator="hits"), [1, 1, 0, 0, 0], [1, 1, 1], 1),
    # k itself
    (MAP(k=4, denominator="k"), HITS, [1] * 5, (1 + 2 / 4) / 4),
    (MAP(k=10, denominator="k"), HITS, [1] * 5, SUM / 10),
    (MAP(k=4, denominator="k"), [1, 1], [1, 1], (1 + 1) / 4),
    # what could be shown
    (MAP(k=4, denominator="shown"), [1, 1], [1] * 5, (1 + 1) / 2),
    (MAP(k=1, denominator="shown"), [1, 1], [1] * 5, 1 / 1),
    (MAP(k=4, denominator="shown"), HITS, [1] * 3, (1 + 2 / 4) / 3),
    (MAP(denominator="shown"), [1, 0], [1] * 5, 1 / 2),
    (MAP(denominator="shown"), HITS, [1] * 3, SUM / 3),
    # nothing shown, nothing found, nothing relevant
    *((MAP(k=3, denominator=name), [], [1], 0) for name in ("relevant", "achievable", "hits", "k", "shown")),
    *((MAP(k=3, denominator=name), [0], [1], 0) for name in ("relevant", "achievable", "hits", "k", "shown")),
    *(
        (MAP(k=3, denominator=name), [0], [0], nan)
        for name in ("relevant", "achievable", "hits", "k", "shown")
    ),
    (MAP(), [], [], nan),
    # grades
    (MAP(rel=2), [1, 2, 1, 3], None, (1 / 2 + 2 / 4) / 2),
    (MAP(rel=0.5), [0.5, 0.1, 0.9], None, (1 / 1 + 2 / 3) / 2),
    (MAP(), [-1, 1, 0.5, 1.5], None, (1 / 2 + 2 / 4) / 2),
    # several lists
    (
        MAP(k=6),
        [HITS, [0, 1, 0, 0, 1, 0], [1, 1, 0, 1, 0, 0]],
        None,
        (SUM / 3 + (1 / 2 + 2 / 5) / 2 + (1 + 1 + 3 / 4) / 3) / 3,
    ),
    (MAP(), [[1], [0]], [[1], [0]], 1),
    (MAP(undefined="zero"), [[1], [0]], [[1], [0]], 1 / 2),
]


@table(WORKED)
def test_worked(metric, shown, judged, value):
    check(metric, shown, judged, value)


def test_undefined():
    check_undefined(MAP(k=5), [0, 0], [0])
    check_undefined(MAP(k=5, denominator="hits"), [0, 0], [0])


def test_a_denominator_of_k_needs_a_k():
    for make in (lambda: MAP(denominator="k"), lambda: sy.metric("map(denominator=k)")):
        with pytest.raises(sy.SteelyardError, match="map: denominator=k needs a cutoff") as caught:
            make()
        assert "map(denominator=k)@10" in caught.value.remedy


def test_what_it_declares():
    assert MAP.bounds == (0.0, 1.0)
    assert [MAP(k=3, denominator=name).monotone for name in ("relevant", "achievable", "k", "shown")] == [
        True
    ] * 4
    assert not MAP(denominator="hits").monotone
    assert MAP(denominator="hits").without_expected == ""
