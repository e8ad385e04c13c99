"""Fewer points, the same area."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import SteelyardError
from steelyard.engine.ranked import Ranked
from steelyard.metrics.curves import curve, scored, simplify

from ...tables import each_row
from .drawn import in_segments, random_rows


def trapezoid(frame):
    return np.trapezoid(frame["y"].to_numpy(), frame["x"].to_numpy())


def frame_of(x, y):
    return pl.DataFrame({"row": np.arange(len(x)), "x": np.asarray(x, float), "y": np.asarray(y, float)})


def check(frame, points, tolerance):
    done = simplify(frame, "x", "y", points, tolerance)
    small = done.frame
    assert abs(trapezoid(small) - trapezoid(frame)) <= tolerance + 1e-12 * (1 + abs(trapezoid(frame)))
    assert abs(done.moved) <= tolerance
    assert (small.height > points) == bool(done.note)
    assert small.row(0) == frame.row(0)
    assert small.row(-1) == frame.row(-1)
    assert small["row"].is_sorted()
    assert small["row"].n_unique() == small.height
    assert small.equals(frame[small["row"]])
    return done


values = st.floats(-10, 10, allow_subnormal=False)


@given(
    y=st.lists(values, min_size=1, max_size=120),
    points=st.integers(2, 40),
    tolerance=st.sampled_from([0.0, 1e-6, 1e-3, 0.1]),
    sort=st.booleans(),
    data=st.data(),
)
def test_the_bound_holds(y, points, tolerance, sort, data):
    x = data.draw(st.lists(st.floats(0, 1), min_size=len(y), max_size=len(y)))
    check(frame_of(sorted(x), sorted(y) if sort else y), points, tolerance)


@pytest.mark.parametrize("shape", ["noise", "walk", "convex", "steps", "line", "spikes"])
def test_a_million_points(shape):
    n, rng = 1_000_000, np.random.default_rng(7)
    x = np.sort(rng.random(n))
    y = {
        "noise": rng.random(n),
        "walk": np.cumsum(rng.standard_normal(n)) / n**0.5,
        "convex": np.exp(20 * x - 20),
        "steps": np.floor(x * 300) / 300,
        "line": x,
        "spikes": (np.arange(n) % 100_000 == 5).astype(float),
    }[shape]
    done = check(frame_of(x, y), 1000, 1e-4)
    assert done.note is None


@pytest.mark.parametrize("name", ["roc", "precision_recall", "gain", "lift"])
@pytest.mark.parametrize("ties", [False, True])
def test_curves_of_many_rows(name, ties):
    label, score, weight = random_rows(300_000, weighted=True)
    if ties:
        score = np.where(score < 0.1, 0.1, np.round(score, 4))
    whole = curve(name, scored(predictions=score, truth=label, weights=weight))
    small = whole.simplified()
    assert whole.frame.height > 5_000
    assert small.frame.height <= 1000
    assert small.area() == pytest.approx(whole.area(), abs=1e-4)
    assert small.notes == whole.notes
    assert small.joined == "line"
    assert whole.points().equals(small.frame)


@pytest.mark.parametrize("name", ["roc", "precision_recall"])
def test_a_simplified_curve_stays_close_everywhere(name):
    label, score, _ = random_rows(300_000)
    whole = curve(name, scored(predictions=score, truth=label)).as_line()
    small = whole.simplified()
    at = np.linspace(0.01, 0.99, 500)
    heights = [np.interp(at, one.frame[one.x], one.frame[one.y]) for one in (whole, small)]
    assert np.abs(heights[0] - heights[1]).max() < 0.005


def test_too_few_points_for_the_area_are_more_with_a_note():
    x = np.linspace(0, 1, 1001)
    done = check(frame_of(x, np.sin(20 * x)), 3, 1e-4)
    assert done.frame.height < 1001
    assert done.note.startswith(f"kept {done.frame.height} points instead of 3")
    label, score, _ = random_rows(3_000)
    found = curve("roc", scored(predictions=score, truth=label)).simplified(points=2)
    assert found.notes[0].startswith("roc: kept ")


def test_no_tolerance_keeps_what_matters():
    """A straight line is its ends; a bend of any size is kept."""
    x = np.arange(9) / 8  # exact in binary
    assert check(frame_of(x, x), 2, 0.0).frame.height == 2
    bent = x.copy()
    bent[3] += 1 / 64
    assert 3 in check(frame_of(x, bent), 4, 0.0).frame["row"]


def test_few_points_stay_as_they_are():
    frame = frame_of([0, 1, 2], [np.nan, 1, 2])
    assert simplify(frame, "x", "y", 3).frame is frame


def test_the_axis_of_k_is_longer_than_1():
    lists = np.random.default_rng(0).integers(0, 2, (3, 3_000)).tolist()
    found = curve("precision_recall_at", Ranked.of_lists(lists))
    assert found.points().height == 1000


def test_each_segment_has_its_points():
    label, score, _ = random_rows(20_000)
    segment = np.arange(20_000) % 2
    found = curve("roc", in_segments(label, score, None, segment, 2))
    small = found.simplified(200)
    assert small.frame["segment"].value_counts()["count"].to_list() == [200, 200]
    for one in (0, 1):
        assert small.of(one).area() == pytest.approx(found.of(one).area(), abs=1e-4)
    with pytest.raises(SteelyardError, match="'roc' holds 2 curves"):
        small.area()


@each_row(
    ("options", "message"),
    [
        ({"points": 1}, "points must be a whole number above 1; got 1"),
        ({"points": 2, "tolerance": -1}, "tolerance must be 0 or more; got -1"),
        ({"points": 2, "tolerance": np.nan}, "tolerance must be 0 or more"),
        ({"points": 2}, "column 'y', row 2 is not a finite number"),
    ],
)
def test_what_it_refuses(options, message):
    with pytest.raises(SteelyardError, match=message):
        simplify(frame_of([0, 1, 2], [0, np.nan, 1]), "x", "y", **options)
