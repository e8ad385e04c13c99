"""Paired tests against SciPy, enumeration in plain Python, published examples, and the laws they keep."""

from __future__ import annotations

import math
import warnings
from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy import optimize, stats

from steelyard.kernels.draws import flipped_tails, poisson_weights, unit_keys
from steelyard.stats.testing import (
    bootstrap_means,
    differences,
    effect_size,
    mcnemar,
    percentile_test,
    sign_test,
    t_test,
    tango_limits,
    wilcoxon,
)

from ..tables import each_row

A = np.array([0.33, 0.5, 0.33, 0.5, 0.5, 0.0, 0.25, 0.1, 0.5, 0.33])
B = np.array([0.5, 1.0, 0.33, 0.25, 1.0, 0.0, 0.5, 0.2, 1.0, 0.5])


def t_of(d) -> float:
    n = len(d)
    return float(t_test(d.mean(axis=0), d.var(axis=0, ddof=1) / n, n - 1))


def flips_of(d, draws=100_000) -> float:
    return float(flipped_tails(d[:, None] / len(d), unit_keys(pl.Series(np.arange(len(d)))), draws)[0])


def bootstrap_of(d) -> float:
    return float(percentile_test(bootstrap_means(d, unit_keys(pl.Series(np.arange(len(d)))))))


TESTS = {"t": t_of, "flips": flips_of, "wilcoxon": wilcoxon, "sign": sign_test, "bootstrap": bootstrap_of}


def test_the_worked_example():
    d = differences(A, B)
    assert d.tolist() == [0.17, 0.5, 0, -0.25, 0.5, 0, 0.25, 0.1, 0.5, 0.17]
    assert t_of(d) == pytest.approx(0.03703645561788752, rel=1e-12)
    assert flips_of(d) == 12 / 256
    assert wilcoxon(d) == pytest.approx(0.0625, rel=1e-12)
    assert sign_test(d) == pytest.approx(0.0703125, rel=1e-12)
    assert effect_size(d.mean(), d.var(ddof=1) / 10, 10) == pytest.approx(0.7732964698394945, rel=1e-12)


def test_the_same_beyond_the_units_that_are_gone_through():
    """With four more units without a difference the ranks are as before, and the normal takes over."""
    d = np.concatenate([differences(A, B), np.zeros(4)])
    assert wilcoxon(d) == pytest.approx(0.05685379361224174, rel=1e-12)


def test_paired_areas():
    p = t_test(np.array([11 / 50]), np.array([0.014014837999076395]), np.array([2.5714285714285716]))
    assert p.tolist() == pytest.approx([0.17522276033938405], rel=1e-9)


@each_row(
    ("ahead", "behind", "expected"), [(10, 3, 0.057373046875), (3, 10, 0.057373046875), (5, 5, 1), (0, 0, 1)]
)
def test_mcnemar_by_hand(ahead, behind, expected):
    assert mcnemar(np.array([ahead]), np.array([behind])) == pytest.approx(expected, rel=1e-12)


def test_mcnemar_as_fagerland_lydersen_and_laake_work_it_out():
    """2013, table 1: 1 and 7 children disagree; 18/256 less 8/256."""
    assert sign_test(np.repeat([1.0, -1.0], [1, 7])) == pytest.approx(18 / 256, rel=1e-12)
    assert mcnemar(np.array([1]), np.array([7])) == pytest.approx(10 / 256, rel=1e-12)


def test_tango_as_fagerland_lydersen_and_laake_work_it_out():
    """2014: 21 children, 1 and 7 disagree; Tango's interval is -0.517 to -0.026."""
    low, high = tango_limits(np.array([1]), np.array([7]), np.array([21]), 0.95)
    assert (low.round(3), high.round(3)) == (-0.517, -0.026)


def test_tango_without_disagreement():
    """The score equation is then n d² = z² |d| (1 - |d|)."""
    z = stats.norm.ppf(0.975)
    low, high = tango_limits(np.array([0, 0]), np.array([0, 0]), np.array([10, 1000]), 0.95)
    assert high == pytest.approx(z**2 / (np.array([10, 1000]) + z**2))
    assert low == pytest.approx(-high)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.9999])
@pytest.mark.parametrize(
    ("ahead", "behind", "n"), [(7, 1, 21), (0, 4, 9), (43, 8, 100), (2, 2, 5), (5, 0, 5)]
)
def test_tango_by_inverting_the_score_test(ahead, behind, n, level):
    """The likelihood under a difference is maximised numerically, and the score test inverted by a root."""

    def score(delta):
        def against(q):  # the log-likelihood of the share of units where the baseline alone has a hit
            chances = np.array([q + delta, q, 1 - 2 * q - delta])
            counts = np.array([ahead, behind, n - ahead - behind])
            return -np.sum(np.where(counts > 0, counts * np.log(np.maximum(chances, 1e-300)), 0.0))

        span = (max(0.0, -delta), (1 - delta) / 2)
        q = optimize.minimize_scalar(against, bounds=span, method="bounded", options={"xatol": 1e-13}).x
        return (ahead - behind - n * delta) / np.sqrt(n * (2 * q + delta - delta**2))

    z, difference = stats.norm.ppf((1 + level) / 2), (ahead - behind) / n
    wanted = [
        end
        if end == difference
        else optimize.brentq(
            lambda d, sign=sign: score(d) + sign * z, end * (1 - 1e-9), difference * (1 - 1e-9)
        )
        for end, sign in ((-1, -1), (1, 1))
    ]
    found = [
        float(end[0]) for end in tango_limits(np.array([ahead]), np.array([behind]), np.array([n]), level)
    ]
    assert found == pytest.approx(wanted, abs=1e-6)


def test_published_sign_tests_of_retrieval():
    """Smucker, Allan and Carterette 2007: 29 of 50 topics, and 25 of 43 where ties are 0.01."""
    assert sign_test(np.repeat([1.0, -1.0], [29, 21])).round(4) == 0.3222
    assert sign_test(np.repeat([1.0, -1.0, 0.0], [25, 18, 7])).round(4) == 0.3604


def test_a_published_comparison_of_retrieval():
    """Tague in Sparck Jones 1981, page 96: ten queries, 7 signs to 3, and differences that t does not find.

    Below 2 or above 8 are 0.022, below 3 or above 7 are 0.1.
    """
    d = np.array([0.11, 0.01, 0.01, -0.02, 0.02, 0.47, 0.11, -0.01, 0.01, -0.07])
    assert sign_test(np.repeat([1.0, -1.0], [9, 1])).round(3) == 0.021  # 22/1024; the book rounds up
    assert sign_test(np.repeat([1.0, -1.0], [8, 2])).round(1) == 0.1
    assert sign_test(d) == pytest.approx(2 * (1 + 10 + 45 + 120) / 1024, rel=1e-12)
    assert t_of(d) == pytest.approx(stats.ttest_1samp(d, 0).pvalue, rel=1e-12)
    assert t_of(d) > 0.05


@pytest.mark.parametrize("n", [2, 3, 10, 50, 1000])
def test_t_of_scipy(n):
    rng = np.random.default_rng(n)
    for _ in range(30):
        one, other = rng.random(n), rng.random(n) + rng.normal(0, 0.2)
        assert t_of(other - one) == pytest.approx(stats.ttest_rel(other, one).pvalue, rel=1e-11)


def cases():
    """Differences without ties, with ties, with zeros, and with both, of few and of many units.

    Few of those with up to 13 units: SciPy goes through all signs in a second or so.
    """
    rng = np.random.default_rng(12)
    for n in [1, 2, 3, 5, 6, 7, 8, 13, 14, 15, 16, 17, 20, 30, 49, 50, 51, 52, 80, 300]:
        for digits in (None, 1, 0):
            for _ in range(1 if n <= 13 else 10):
                d = rng.normal(rng.normal(0, 0.5), 1.5, n)
                yield d if digits is None else np.round(d, digits)
                if n < 9 or n > 13:
                    yield np.where(rng.random(n) < 0.3, 0.0, d)
                    yield np.where(d == 0, 1.0, np.round(np.abs(d) + 0.1, 1) * rng.choice([-1, 1], n))


def test_wilcoxon_of_scipy():
    found = expected = 0
    for d in cases():
        if not d.any():
            assert wilcoxon(d) == 1
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = stats.wilcoxon(d).pvalue
        assert wilcoxon(d) == pytest.approx(theirs, rel=1e-11), d
        found, expected = found + 1, expected + theirs
    assert found > 400
    assert 0.1 < expected / found < 0.9


def test_wilcoxon_by_going_through_all_signs():
    for d in ([1, 2, -3, 4, 4, 0, -4], [0.5, 0.5, 0.5], [2, -1, 0, 0], [3], [1, 1, -1, -1, 2, 2]):
        sizes = sorted(abs(one) for one in d if one)
        rank = {size: np.mean([at + 1 for at, one in enumerate(sizes) if one == size]) for size in sizes}
        ranks = [rank[abs(one)] for one in d if one]
        seen = sum(rank[abs(one)] for one in d if one > 0)
        sums = [
            sum(r for r, plus in zip(ranks, signs, strict=True) if plus)
            for signs in product((0, 1), repeat=len(ranks))
        ]
        expected = min(1, 2 * min(np.mean([s >= seen for s in sums]), np.mean([s <= seen for s in sums])))
        assert wilcoxon(np.array(d, float)) == pytest.approx(expected, rel=1e-12)


def test_sign_of_scipy():
    rng = np.random.default_rng(5)
    for n in [1, 2, 3, 7, 20, 101, 1000, 20_001]:
        d = np.round(rng.normal(0.1, 1, n))
        m = np.count_nonzero(d)
        theirs = stats.binomtest(np.count_nonzero(d > 0), m).pvalue if m else 1
        assert sign_test(d) == pytest.approx(theirs, rel=1e-11)


def test_columns_are_tests_of_their_own():
    rng = np.random.default_rng(9)
    for n in (8, 30, 60):
        d = np.round(rng.normal(0.2, 1, (n, 12)), 1)
        d[:, :4] = rng.normal(0.2, 1, (n, 4))
        d[:, 4] = 0
        for test in (wilcoxon, sign_test):
            assert test(d).tolist() == [float(test(d[:, at])) for at in range(12)]
        keys = unit_keys(pl.Series(np.arange(n)))
        means = bootstrap_means(d, keys, replicates=300)
        alone = np.stack([bootstrap_means(d[:, at], keys, replicates=300) for at in range(12)], axis=1)
        assert means == pytest.approx(alone, rel=1e-13)
        assert percentile_test(means).tolist() == percentile_test(alone).tolist()


def test_means_of_replicates():
    rng = np.random.default_rng(2)
    d, keys, weights = rng.normal(0.1, 1, 25), unit_keys(pl.Series(np.arange(25))), rng.random(25)
    counts = poisson_weights(4, keys, 0, 50).astype(float)
    assert bootstrap_means(d, keys, None, 50, 4) == pytest.approx(d @ counts / counts.sum(axis=0))
    heavy = counts * weights[:, None]
    assert bootstrap_means(d, keys, weights, 50, 4) == pytest.approx(d @ heavy / heavy.sum(axis=0))


def test_replicates_without_a_unit_are_left_out():
    keys = unit_keys(pl.Series(["a"]))
    means = bootstrap_means(np.array([0.5]), keys, replicates=1000)
    empty = np.isnan(means)
    assert empty.sum() == (poisson_weights(0, keys, 0, 1000) == 0).sum()
    assert percentile_test(means) == 2 / (1000 - empty.sum() + 1)


def test_the_bootstrap_has_the_spread_of_the_mean():
    d = np.random.default_rng(3).normal(0, 1, 500)
    means = bootstrap_means(d, unit_keys(pl.Series(np.arange(500))), replicates=4000)
    assert means.mean() == pytest.approx(d.mean(), abs=4 * d.std() / math.sqrt(500 * 4000))
    assert means.std() == pytest.approx(d.std() / math.sqrt(500), rel=0.05)


@pytest.mark.parametrize("n", [3, 12, 40, 300])
@pytest.mark.parametrize("name", TESTS)
def test_laws(name, n):
    """Swapping, a system against itself, adding a constant, and the order of the units."""
    test = TESTS[name]
    rng = np.random.default_rng(n)
    one, other = np.round(rng.random(n), 1), np.round(rng.random(n) + 0.1, 1)
    p = float(test(differences(one, other)))
    assert 0 < p <= 1
    assert float(test(differences(other, one))) == pytest.approx(p, rel=1e-12)
    assert float(test(differences(one, one))) == 1
    assert float(test(differences(one + 0.3, other + 0.3))) == pytest.approx(p, abs=1e-9)
    assert float(test(differences(one + 1 / 3, other + 1 / 3))) == pytest.approx(p, abs=1e-9)
    if name not in ("flips", "bootstrap"):  # whose draws belong to units
        order = rng.permutation(n)
        assert float(test(differences(one, other)[order])) == pytest.approx(p, rel=1e-12)


def test_means_of_replicates_in_any_order_of_rows():
    rng = np.random.default_rng(8)
    d, keys, order = rng.normal(0, 1, (90, 2)), unit_keys(pl.Series(np.arange(90))), rng.permutation(90)
    assert bootstrap_means(d, keys).tobytes() == bootstrap_means(d[order], keys[order]).tobytes()


def test_rounding_is_by_the_largest_value():
    assert differences(np.array([0.1, 0.2, 0.7]), np.array([0.4, 0.5, 1.0])).tolist() == [0.3, 0.3, 0.3]
    assert differences(np.array([1e6, 1.0]), np.array([1e6, 1.0 + 1e-7])).tolist() == [0, 0]
    assert differences(np.array([0.5, 1.0]), np.array([0.5, 1.0 + 1e-7]))[1] == pytest.approx(1e-7, abs=1e-12)


def test_no_variance():
    found = t_test(np.array([0.0, 0.1, -0.1, np.nan, 0.1]), np.array([0, 0, 0, 1, np.nan]), np.full(5, 9.0))
    assert found[:3].tolist() == [1, 0, 0]
    assert np.isnan(found[3:]).all()
