"""What a user is told when several systems cannot be told apart, or not be handled together."""

from __future__ import annotations

from steelyard.messages.errors.base import MetricError, OutputError

same_name = MetricError.of("""two systems are called '{name}'
    give each a name of its own: {name}_1=…, {name}_2=…""")
same_run = MetricError.of("""{run} is given twice
    name each system once, or give each a name of its own: one={run} other={run}""")
same_file = MetricError.of("""{run} is given twice
    name each system once, or give each a name of its own: {{'one': …, 'other': …}}""")
two_runs = MetricError.of("""{other} is read as the truth of {one}, \
    but it has scores or ranks and no relevance column
    give the truth with --truth FILE; {one} and {other} are then two systems""")
same_column = MetricError.of("""the score column '{name}' is named twice
    name each column once""")
score_column_named = MetricError.of("""columns names a score, and so does scores
    name the columns of scores in scores alone""")
no_column = MetricError.of("""score columns are named by text; got {given}
    write for example scores=["p_old", "p_new"], --scores p_old,p_new""")
one_score_column = MetricError.of("""{n} score columns are named ({names}), \
    and only one system can be explained
    name one of them with scores""")
columns_and_runs = MetricError.of("""there are several runs and several score columns
    give several runs of one score column each, or several score columns of one log""")
saved_alone = OutputError.of("""a file holds one result, and here are {n}
    save each: results['{name}'].save('{name}.steelyard'); on the command line evaluate one at a time""")
