"""All that is counted of preferences: judge by judge, and pair by pair of documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.arrays import Flags, Floats, Ints
from steelyard.engine.ranked import Ranked
from steelyard.kernels.means import segment_sum
from steelyard.messages.errors import as_trec_eval
from steelyard.trec_eval.files import Preferences
from steelyard.trec_eval.prefs.counts import Counts, counts
from steelyard.trec_eval.prefs.lines import Lines, lines, relevant_and_not, two_levels
from steelyard.trec_eval.prefs.pairs import PairSums, of_lines, of_preferences, pair_sums
from steelyard.trec_eval.prefs.partial import batches
from steelyard.trec_eval.trouble import Trouble


@dataclass(frozen=True)
class Preferred:
    """The preferences of every group, what one judge says of one topic, and of every pair of documents."""

    lines: Lines
    whole: Lines  # those of groups without subgroups
    counts: Counts
    better: Ints  # places of documents that the other groups prefer, where several judged a topic
    worse: Ints
    several: Flags  # topics of which a pair may be judged more than once
    trouble: Trouble | None

    @property
    def n(self) -> int:
        """How many topics there are."""
        return self.lines.n_topics

    def by_topic(self, values: Ints | Floats) -> Floats:
        """Values of groups added up, judge after judge."""
        return segment_sum(values, self.lines.topic, self.n)

    @cached_property
    def pairs(self) -> PairSums:
        """The share of fulfilled preferences of each pair, added up."""
        some, counts = self.lines, self.counts
        retrieved, topic = np.zeros((2, int(some.place.max()) + 1), np.int64)
        retrieved[some.place], topic[some.place] = some.found, some.topic[some.group]
        opinions = of_lines(self.whole.at(self.several[some.topic[self.whole.group]]))
        opinions += of_preferences(self.better, self.worse, retrieved > 0)
        found = pair_sums(opinions, topic, self.n)
        # a pair that is judged once counts 1 or 0, and need not be listed
        once = PairSums(
            fulfilled=self.by_topic(counts.fulfilled),
            fulfilled_ret=self.by_topic(counts.fulfilled_ret),
            pairs=self.by_topic(counts.possible),
            pairs_imp=self.by_topic(counts.possible_imp),
            pairs_ret=self.by_topic(counts.possible_ret),
        )
        return PairSums(*(np.where(self.several, a, b) for a, b in zip(found, once, strict=True)))


def preferred(preferences: Preferences, graded: Ranked) -> Preferred:
    """Count the preferences of the topics that are evaluated."""
    every = lines(preferences.frame, graded)
    whole, partial = every.split()
    several = np.bincount(every.topic, minlength=every.n_topics) > 1
    several[every.topic[whole.group[1:][whole.again]]] = True

    of_groups = np.stack(counts(whole))
    better, worse = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    wrong = [
        (as_trec_eval.two_levels, two_levels(whole)),
        (as_trec_eval.relevant_and_not, relevant_and_not(partial)),
    ]
    for batch in batches(partial):
        of_groups[:, batch.group] = batch.counts()
        one, other = batch.pairs(several[every.topic])
        better.append(one)
        worse.append(other)
        wrong.append((as_trec_eval.preferred_to_itself, batch.preferred_to_itself()))

    told = [(at.group, refusal, at.row) for refusal, at in wrong if at is not None]
    trouble = None
    if told:
        _, refusal, row = min(told, key=lambda one: one[0])
        query, judge, item = preferences.frame.select("query", "judge", "item").row(row)
        trouble = Trouble(query, refusal, {"name": preferences.name, "judge": judge, "item": item})
    return Preferred(
        lines=every,
        whole=whole,
        counts=Counts(*of_groups),
        better=np.concatenate(better),
        worse=np.concatenate(worse),
        several=several,
        trouble=trouble,
    )
