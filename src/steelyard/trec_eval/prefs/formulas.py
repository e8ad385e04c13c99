"""The measures of preferences: how many are fulfilled, over all of them, judge by judge, or pair by pair."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from steelyard.arrays import Floats, Ints
from steelyard.trec_eval.gains import share_of
from steelyard.trec_eval.prefs.preferred import Preferred


def _simple(some: Preferred, fulfilled: Ints, possible: Ints) -> Floats:
    """The share of all preferences that is fulfilled."""
    return share_of(some.by_topic(fulfilled), some.by_topic(possible))


def _by_judge(some: Preferred, fulfilled: Ints, possible: Ints) -> Floats:
    """The mean share of the judges; one without preferences counts 0."""
    shares = share_of(fulfilled.astype(np.float64), possible)
    return some.by_topic(shares) / some.by_topic(np.ones(len(shares)))


def _limited(some: Preferred) -> Floats:
    """The mean share of the judges, were there as many nonrelevant documents as relevant ones."""
    counts = some.counts
    return _with_as_many(
        some,
        counts.relevant - counts.nonrelevant,
        (counts.fulfilled, counts.possible),
        (counts.fulfilled_limited, counts.possible_limited),
    )


def _limited_ret(some: Preferred) -> Floats:
    """The same among retrieved documents."""
    counts = some.counts
    return _with_as_many(
        some,
        counts.relevant_ret - counts.nonrelevant_ret,
        (counts.fulfilled_ret, counts.possible_ret),
        (counts.fulfilled_limited_ret, counts.possible_limited_ret),
    )


def _with_as_many(
    some: Preferred, lacking: Ints, every: tuple[Ints, Ints], limited: tuple[Ints, Ints]
) -> Floats:
    """Those that are lacking stand behind all that were retrieved; below 0 they are too many.

    A topic one of whose judges has no preference left is 0, as trec_eval has it.
    """
    fulfilled = np.where(lacking < 0, limited[0], every[0] + some.counts.relevant_ret * lacking)
    possible = np.where(lacking < 0, limited[1], every[1] + some.counts.relevant * lacking)
    none = some.by_topic((possible == 0).astype(np.float64)) > 0
    return np.where(none, 0.0, _by_judge(some, fulfilled, possible))


OF_PREFERENCES: dict[str, Callable[[Preferred], Floats]] = {
    "prefs_num_prefs_poss": lambda some: some.by_topic(some.counts.possible),
    "prefs_num_prefs_ful": lambda some: some.by_topic(some.counts.fulfilled),
    "prefs_num_prefs_ful_ret": lambda some: some.by_topic(some.counts.fulfilled_ret),
    "prefs_simp": lambda some: _simple(some, some.counts.fulfilled, some.counts.possible),
    "prefs_pair": lambda some: share_of(some.pairs.fulfilled, some.pairs.pairs),
    "prefs_avgjg": lambda some: _by_judge(some, some.counts.fulfilled, some.counts.possible),
    "prefs_avgjg_Rnonrel": _limited,
    "prefs_simp_ret": lambda some: _simple(some, some.counts.fulfilled_ret, some.counts.possible_ret),
    "prefs_pair_ret": lambda some: share_of(some.pairs.fulfilled_ret, some.pairs.pairs_ret),
    "prefs_avgjg_ret": lambda some: _by_judge(some, some.counts.fulfilled_ret, some.counts.possible_ret),
    "prefs_avgjg_Rnonrel_ret": _limited_ret,
    "prefs_simp_imp": lambda some: _simple(some, some.counts.fulfilled, some.counts.possible_imp),
    "prefs_pair_imp": lambda some: share_of(some.pairs.fulfilled, some.pairs.pairs_imp),
    "prefs_avgjg_imp": lambda some: _by_judge(some, some.counts.fulfilled, some.counts.possible_imp),
}
