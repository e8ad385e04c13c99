"""What a user is told when a gate cannot be judged."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.messages import say
from steelyard.messages.errors.base import MetricError
from steelyard.messages.errors.forms import must_be, unknown

no_rules = MetricError.of("""there is no rule to check
    give one: --max-drop ndcg@10=0.5%, --min auc=0.7, --max logloss=0.31; in Python max_drop={'ndcg@10':
    '0.5%'}, min=…, max=…""")
metrics_of_rules = MetricError.of("""check takes no metrics and no task: its rules name the metrics
    write for example min={'mrr': 0.3}""")
no_baseline = MetricError.of("""max_drop of {metric} needs a baseline to drop from
    name a run or a saved result: --baseline base.steelyard, in Python baseline=…""")
idle_baseline = MetricError.of("""a baseline was given, and no rule compares with it
    add a rule, --max-drop ndcg@10=0.5%, or leave the baseline out""")
idle_mode = MetricError.of("""mode {mode} is a rule on drops, and no rule allows a largest drop
    add a rule, --max-drop ndcg@10=0.5%, or leave the mode out""")
two_modes = MetricError.of("""significant is mode harm, and mode {mode} was given too
    give one of them""")
percent_of_nothing = MetricError.of("""{rule} of {metric} is a value, not a percentage; got {limit}
    write the value itself: 0.7""")
negative_drop = MetricError.of("""max_drop of {metric} must be 0 or more; got {limit}
    a drop is how much worse the value may be: 0.5%, 0.01""")
not_a_share = MetricError.of("""min_coverage must be a share from 0 to 1, or from 0% to 100%; got {limit}
    write for example 0.99 or 99%""")
percent_of_zero = MetricError.of("""the baseline's {metric} is 0, of which {limit} is nothing
    give the largest drop as a number: 0.01""")
no_value_to_check = MetricError.of("""{metric} has no value in what is checked, \
    so that no rule on it can be judged
    the notes of steelyard evaluate say why""")
no_baseline_value = MetricError.of("""{metric} of the baseline is {value}, \
    so that no drop from it can be judged
    the notes of steelyard evaluate say why""")
value_per_class = MetricError.of("""{metric} has a value for each class, and a rule is on one value
    check an average: f1(average=macro)""")
no_worse_side = MetricError.of("""no value of {metric} is worse than another, so that it has no drop
    give the least and the greatest value: min, max""")
baseline_lacks = MetricError.of("""the baseline '{name}' has no {metric}
    it has: {labels}; evaluate the baseline anew with this metric""")
columns_without_baseline = MetricError.of("""there are several score columns ({names}), and no baseline
    name one column, or the baseline and a rule on the drop: --baseline, --max-drop""")
several_checked = MetricError.of("""besides the baseline there are {n} score columns, \
    and one is checked at a time
    name the baseline and one other""")
measured_already = MetricError.of("""{argument} was given, but what is checked is a result, \
    which is measured already
    leave {argument} out, or give the predictions themselves""")


def bad_limit(kind: str, metric: str, given: object) -> MetricError:
    """A limit that is no number."""
    percent = kind in ("max_drop", "min_coverage")
    allowed = say("a number, or a percentage such as 0.5%") if percent else say("a number")
    return must_be(say("{rule} of {metric}", rule=kind, metric=metric), allowed, given)


def not_limits(kind: str, given: object) -> MetricError:
    """Something else than metrics with their limits."""
    example = "{'ndcg@10': '0.5%'}" if kind == "max_drop" else "{'auc': 0.7}"
    return must_be(kind, say("a mapping of metrics to limits, such as {example}", example=example), given)


def baseline_not_among(name: str, columns: Sequence[str]) -> MetricError:
    """A baseline that is none of the score columns that were named."""
    said = say("the baseline '{name}' is none of the score columns", name=name)
    return unknown(said, name, columns, remedy=say("there are: {names}", names=list(columns)))
