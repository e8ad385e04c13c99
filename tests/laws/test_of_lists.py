"""Laws of grades in ranked order: what each metric promises whatever the list."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard.engine.ranked import Ranked
from steelyard.spec import metrics as asked

from ..examples import examples
from ..tables import each_row
from . import reference
from .drawn import FLOAT, WHOLE, at_least, fits, lists, same
from .variants import NAMES, REGISTERED, every_variant, variants


def parse(text):
    """The metrics of a text."""
    return [one.metric for one in asked(text)]


grades = st.sampled_from([WHOLE, FLOAT])


def mapped(metric):
    return ":" in str(getattr(metric, "gain", ""))


def several(some):
    """A few lists, which a metric measures at once."""
    return st.lists(some, min_size=3, max_size=8)


def ranked(drawn, name):
    shown, judged = map(list, zip(*drawn, strict=True))
    return Ranked.of_lists(shown, judged, zeros=REGISTERED[name].needs_judged_zeros)


def each(metric, lists_):
    """The value of every list."""
    return metric.for_truth(lists_.max_grade).each(lists_).tolist()


@pytest.mark.parametrize("name", NAMES)
@examples(6)
@given(data=st.data())
def test_agrees_with_the_formula(name, data):
    pool = data.draw(grades)
    drawn = data.draw(several(lists(pool)))
    all_lists = ranked(drawn, name)
    for metric in variants(name):
        if mapped(metric) and pool is FLOAT:
            continue
        spec = metric.spec()
        values = [reference.value(spec, *one, all_lists.max_grade) for one in drawn]
        assert all(map(same, each(metric, all_lists), values)), metric
        alone = reference.value(spec, *drawn[0], max(drawn[0][1], default=0))
        assert same(metric.of(*drawn[0]), alone), metric


@pytest.mark.parametrize("name", NAMES)
@examples(6)
@given(data=st.data())
def test_within_bounds(name, data):
    pool = data.draw(grades)
    drawn = data.draw(several(lists(pool)))
    all_lists = ranked(drawn, name)
    low, high = REGISTERED[name].bounds
    for metric in variants(name):
        if mapped(metric) and pool is FLOAT:
            continue
        mean = metric.of(*map(list, zip(*drawn, strict=True)))
        for value in (*each(metric, all_lists), mean):
            assert math.isnan(value) or (at_least(value, low) and at_least(high, value)), metric


@pytest.mark.parametrize("name", NAMES)
@examples(6)
@given(data=st.data())
def test_a_perfect_order_of_all_judged_items_is_best(name, data):
    pool = data.draw(grades)
    drawn = data.draw(several(st.lists(st.sampled_from(pool), min_size=1, max_size=8)))
    perfect = ranked([(sorted(shown, reverse=True), shown) for shown in drawn], name)
    given_ = ranked([(shown, shown) for shown in drawn], name)
    for metric in rising(name, set().union(*drawn)):
        assert all(map(at_least, each(metric, perfect), each(metric, given_))), metric


@st.composite
def rises(draw, pool):
    """A list with its judged grades, and the same after a better grade was moved above a worse one."""
    shown, judged = draw(lists(pool, max_size=8).filter(lambda drawn: drawn[0] != sorted(drawn[0])[::-1]))
    places = [(i, j) for j in range(len(shown)) for i in range(j) if shown[i] < shown[j]]
    i, j = draw(st.sampled_from(places))
    moved = list(shown)
    moved[i], moved[j] = moved[j], moved[i]
    return shown, moved, judged


@pytest.mark.parametrize("name", NAMES)
@examples(6)
@given(data=st.data())
def test_a_better_grade_moved_above_a_worse_one_never_lowers(name, data):
    pool = data.draw(grades)
    if REGISTERED[name].needs_judged_zeros:  # which read a negative grade as no judgement
        pool = [grade for grade in pool if grade >= 0]
    drawn = data.draw(several(rises(pool)))
    before = ranked([(shown, judged) for shown, _, judged in drawn], name)
    after = ranked([(moved, judged) for _, moved, judged in drawn], name)
    for metric in rising(name, set().union(*(judged for _, _, judged in drawn))):
        assert all(map(at_least, each(metric, after), each(metric, before))), metric


def rising(name, grades):
    """The forms of a metric that a better order never lowers."""
    return [metric for metric in variants(name) if metric.monotone and fits(metric, grades)]


@each_row("name", [name for name in NAMES if name not in ("infap", "judged@k", "judged")])
def test_every_metric_has_forms_that_rise(name):
    assert len(rising(name, {0, 1})) >= len(variants(name, (2,)))


@pytest.mark.parametrize(
    ("metric", "shown", "swapped"),
    [
        # [1, 0, 1]: 1 and 2/3 over two hits; without the last hit the mean is 1
        (sy.MAP(k=3, denominator="hits"), [1, 0, 0, 1], [1, 0, 1, 0]),
        # [1, 0, 0] has the best order of what it shows, [1, 0, 1] has not
        (sy.NDCG(k=3, ideal="topk"), [1, 0, 0, 1], [1, 0, 1, 0]),
    ],
)
def test_what_is_not_monotone_is_declared_so(metric, shown, swapped):
    assert not metric.monotone
    assert metric.of(swapped) < metric.of(shown)


@pytest.mark.parametrize(
    ("metric", "groups"),
    [
        (sy.NDCG(ideal="retrieved", depth=3), [[1], [0], [1, 0]]),
        (sy.NDCG(k=5, ideal="retrieved", depth=3), [[1], [0], [1, 0]]),
    ],
)
def test_an_ideal_of_what_a_depth_leaves_is_not_monotone(metric, groups):
    # as ideal=topk: [1, 0, 0] is the best order of itself, [1, 0, 1] is not
    better, worse = ([1, 0, 1], [1, 0, 0])
    assert metric.of(better) < metric.of(worse)
    assert not metric.monotone
    assert metric.without_expected


@pytest.mark.parametrize("name", [name for name in NAMES if REGISTERED[name].at != "never"])
@examples(25)
@given(drawn=lists(), beyond=st.integers(min_value=0, max_value=3))
def test_a_cutoff_beyond_everything_is_no_cutoff(name, drawn, beyond):
    shown, judged = drawn
    k = max(len(shown), len(judged), 1) + beyond
    for metric in variants(name, cutoffs=(None,)):
        if getattr(metric, "denominator", "") == "k" or getattr(metric, "ideal", "") == "full":
            continue
        assert same(metric.replace(k=k).of(shown, judged), metric.of(shown, judged)), metric


@examples(100)
@given(
    rank=st.integers(min_value=1, max_value=9),
    n=st.integers(min_value=0, max_value=9),
    k=st.integers(min_value=1, max_value=10),
)
def test_with_one_relevant_item_pairs_of_metrics_agree(rank, n, k):
    shown = [int(place == rank) for place in range(1, n + 1)]
    for left, right in ((sy.HitRate, sy.RecallAt), (sy.MRR, sy.MAP)):
        assert left(k=k).of(shown, judged=[1]) == right(k=k).of(shown, judged=[1])
        assert left().of(shown, judged=[1]) == right().of(shown, judged=[1])


@examples(100)
@given(drawn=lists())
def test_the_reciprocal_rank_of_a_part_is_never_above_that_of_the_whole(drawn):
    for k in (1, 2, 5):
        assert at_least(sy.MRR().of(*drawn), sy.MRR(k=k).of(*drawn))


@pytest.mark.parametrize("name", NAMES)
@examples(20)
@given(data=st.data())
def test_the_mean_does_not_know_the_order_of_lists(name, data):
    drawn = data.draw(st.lists(lists(), min_size=2, max_size=4))
    other = list(drawn)
    Random(data.draw(st.integers(0, 99))).shuffle(other)
    for metric in variants(name, cutoffs=(None, 2)):
        one, two = (metric.of(*([pair[at] for pair in some] for at in (0, 1))) for some in (drawn, other))
        assert same(one, two), metric


def test_text_finds_every_variant_again():
    for metric in every_variant():
        assert parse(str(metric)) == [metric], str(metric)


CONVENTIONS = st.fixed_dictionaries(
    {},
    optional={
        "duplicates": st.sampled_from(["error", "first", "best"]),
        "missing": st.sampled_from(["keep", "skip", "error"]),
        "unexpected": st.sampled_from(["ignore", "keep", "error"]),
        "unjudged": st.sampled_from(["nonrelevant", "drop"]),
        "judgements": st.sampled_from(["all", "retrieved", "mixed"]),
        "self_match": st.sampled_from(["keep", "drop"]),
        "order": st.sampled_from(["score", "rank", "given"]),
        "ties": st.sampled_from(["item_desc", "item_asc", "given", "expected", "optimistic", "pessimistic"]),
        "depth": st.one_of(st.none(), st.integers(1, 10**9)),
        "scores": st.sampled_from(["as_given", "float32"]),
        "item_order": st.sampled_from(["native", "text"]),
        "undefined": st.sampled_from(["nan", "zero", "one", "error"]),
        "mean": st.sampled_from(["arithmetic", "geometric", "median"]),
        "floor": st.floats(min_value=1e-300, max_value=1, exclude_max=True),
    },
)


@examples(150)
@given(data=st.data(), fields=CONVENTIONS)
def test_text_finds_every_convention_again(data, fields):
    name = data.draw(st.sampled_from(NAMES))
    metric = data.draw(st.sampled_from(variants(name))).replace(**fields)
    assert parse(str(metric)) == [metric]
    assert parse(f"steelyard:2026:{metric}") == [metric]
    assert (
        type(metric)(**{key: value for key, value in metric.spec().items() if key not in _OUTSIDE}) == metric
    )


_OUTSIDE = ("metric", "edition")


@examples(100)
@given(
    gains=st.dictionaries(
        st.floats(min_value=1e-6, max_value=1e9, exclude_min=True),
        st.floats(min_value=0, max_value=1e9),
        min_size=1,
        max_size=5,
    ),
    rel=st.floats(min_value=1e-9, max_value=1e9),
    beta=st.floats(min_value=1e-3, max_value=1e3),
)
def test_text_carries_numbers_without_loss(gains, rel, beta):
    for metric in (sy.DCG(gain=gains), sy.MRR(rel=rel), sy.FBetaAt(k=3, beta=beta, rel=rel)):
        assert parse(str(metric)) == [metric]
