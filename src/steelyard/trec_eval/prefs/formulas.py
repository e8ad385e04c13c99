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
    return _mean(some, share_of(fulfilled.astype(np.float64), possible.astype(np.float64)))


def _limited(some: Preferred) -> Floats:
    """The mean share of the judges, were there as many nonrelevant documents as relevant ones."""
    counts = some.counts
    lacking = np.maximum(counts.relevant - counts.nonrelevant, 0)
    fulfilled = np.where(
        counts.relevant < counts.nonrelevant,
        counts.fulfilled_limited,
        counts.fulfilled + counts.relevant_ret * lacking,
    )
    possible = np.where(
        counts.relevant < counts.nonrelevant,
        counts.possible_limited,
        counts.possible + counts.relevant * lacking,
    )
    return _mean_if_all(some, fulfilled, possible)


def _limited_ret(some: Preferred) -> Floats:
    """The same among retrieved documents; what is lacking is possible for every relevant one."""
    counts = some.counts
    lacking = np.maximum(counts.relevant_ret - counts.nonrelevant_ret, 0)
    fulfilled = np.where(
        counts.relevant_ret < counts.nonrelevant_ret,
        counts.fulfilled_limited_ret,
        counts.fulfilled_ret + counts.relevant_ret * lacking,
    )
    possible = np.where(
        counts.relevant_ret < counts.nonrelevant_ret,
        counts.possible_limited_ret,
        counts.possible_ret + counts.relevant * lacking,
    )
    return _mean_if_all(some, fulfilled, possible)


def _mean(some: Preferred, shares: Floats) -> Floats:
    return some.by_topic(shares) / some.by_topic(np.ones(len(shares)))


def _mean_if_all(some: Preferred, fulfilled: Ints, possible: Ints) -> Floats:
    """The mean share; 0 for a topic one of whose judges has no preference, as trec_eval has it."""
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
