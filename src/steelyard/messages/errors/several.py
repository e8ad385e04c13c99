"""What a user is told when several systems cannot be told apart, or not be handled together."""

from __future__ import annotations

from steelyard.messages import say
from steelyard.messages.errors.base import MetricError, OutputError, Refusal

same_name = Refusal(
    MetricError,
    "two systems are called '{name}'",
    remedy="give each a name of its own: {name}_1=…, {name}_2=…",
)
same_run = Refusal(
    MetricError,
    "{run} is given twice",
    remedy="name each system once, or give each a name of its own: one={run} other={run}",
)
same_file = Refusal(
    MetricError,
    "{run} is given twice",
    remedy="name each system once, or give each a name of its own: {{'one': …, 'other': …}}",
)
two_runs = Refusal(
    MetricError,
    "{other} is read as the truth of {one}, but it has scores or ranks and no relevance column",
    remedy="give the truth with --truth FILE; {one} and {other} are then two systems",
)
same_column = Refusal(MetricError, "the score column '{name}' is named twice", remedy="name each column once")
score_column_named = Refusal(
    MetricError,
    "columns names a score, and so does scores",
    remedy="name the columns of scores in scores alone",
)
no_column = Refusal(
    MetricError,
    "score columns are named by text; got {given}",
    remedy=say('write for example scores=["p_old", "p_new"], --scores p_old,p_new'),
)
one_score_column = Refusal(
    MetricError,
    "{n} score columns are named ({names}), and only one system can be explained",
    remedy="name one of them with scores",
)
columns_and_runs = Refusal(
    MetricError,
    "there are several runs and several score columns",
    remedy="give several runs of one score column each, or several score columns of one log",
)
saved_alone = Refusal(
    OutputError,
    "a file holds one result, and here are {n}",
    remedy="save each: results['{name}'].save('{name}.steelyard'); "
    "on the command line evaluate one at a time",
)
