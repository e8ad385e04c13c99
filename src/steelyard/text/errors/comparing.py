"""Errors for the case that systems, claims, gates or profiles cannot be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from steelyard.text import Message, say
from steelyard.text.errors.base import AlignError, ColumnError, MetricError, ReadError, SteelyardError, quoted
from steelyard.text.errors.forms import must_be, unknown

_REMEDY = say("name two: --profiles recbole,trec_eval; in Python profiles=('recbole', 'trec_eval')")

one_system = MetricError.of("""there is one system only, '{name}', and nothing to compare it with
    give another one: steelyard compare old.run new.run --truth qrels.txt -m ndcg@10; in Python
    sy.compare({'old': …, 'new': …}, truth, metrics)""")
no_system = MetricError.of("""there is no system to compare
    give two at least: sy.compare({'old': …, 'new': …}, truth, metrics)""")
not_systems = MetricError.of("""systems must be {{name: run}}, a list of runs or results, \
    or one log with scores=[…]; got {type}
    write for example sy.compare({'old': old, 'new': new}, truth, metrics); on the command line steelyard
    compare log.csv --scores p_old,p_new""")
one_run = MetricError.of("""systems must be {{name: run}}; this is one run: '{name}' is a query of it
    give each run its name: sy.compare({'old': old, 'new': new}, truth, metrics)""")
nothing_asked = MetricError.of("""no metric was asked for
    name some: ndcg@10 and mrr@10 for rankings, auc and logloss for clicks, rmse for ratings""")
own_intervals = MetricError.of("""compare has no ci: the interval of a difference goes with its test
    take another test or level: --test bootstrap, --level 0.9; in Python test='bootstrap', level=0.9""")
too_many_names = MetricError.of("""a difference is named by a metric, a system, \
    its baseline and perhaps a slice; got {n} names
    write for example cmp['mrr', 'new', 'old']""")
already_measured = MetricError.of("""{argument} was given, but the systems are results, \
    which are measured already
    leave {argument} out, or give the runs themselves""")
columns_of_scores = MetricError.of("""scores must be the names of two columns at least; got {value}
    write for example --scores p_old,p_new, in Python scores=['p_old', 'p_new']""")
scores_of_arrays = MetricError.of("""scores names columns of a table, and arrays have none
    give the arrays under their names: sy.compare({'old': old, 'new': new}, labels, metrics)""")
no_common_metric = MetricError.of("""no metric was measured for all of {systems}
    measure the same metrics for all systems: '{first}' has {has:and}""")
other_convention = MetricError.of("""{metric} was measured under another convention for '{other}' than for \
    '{one}': {fields:and}
    measure all systems with the same conventions and the same profile""")
other_truth = AlignError.of("""'{one}' and '{other}' were measured against different truth ({marks})
    measure all systems against the same truth, labels inside logs in the same rows, or compare
    independent samples: paired=False (--unpaired on the command line)""")
other_named_classes = MetricError.of("""'{one}' was measured with the classes {classes}, \
    but '{other}' with {others}
    name the same classes in the same order for all systems: classes=[…]""")
other_slices = MetricError.of("""'{one}' is sliced by {columns}, but '{other}' by {others}
    slice all systems by the same columns""")
other_units = MetricError.of("""the units of '{one}' are {unit}, but those of '{other}' are {units}
    give all systems the same unit=""")
only_one_has = MetricError.of("""'{one}' was measured with {argument}, but '{other}' without
    give all systems the same {argument}""")
not_the_same = MetricError.of("""'{one}' and '{other}' were measured with different {argument}
    give all systems the same {argument}, or compare independent samples: paired=False (--unpaired on the
    command line)""")
other_slice_members = AlignError.of("""'{one}' and '{other}' have the same query or row in different slices \
    by {columns:and}
    give each query or row the same slice in all systems, or compare independent samples: paired=False
    (--unpaired on the command line)""")
not_the_same_units = AlignError.of("""'{one}' and '{other}' were measured on different users, \
    queries or rows ({n:,} and {m:,})
    measure all systems on the same ones, or compare independent samples: paired=False (--unpaired on the
    command line)""")
other_members = AlignError.of("""query '{query}' belongs to {column} '{unit}' in '{one}', \
    but to '{units}' in '{other}'
    give each query the same {column} in all systems, or take another unit=""")
other_classes = MetricError.of("""{metric} has other classes for '{other}' than for '{one}'
    name the classes for all systems: classes=[…]""")
nothing_shared = AlignError.of("""'{one}' and '{other}' have no unit in common that {metric} has a value for
    check that both are of the same queries, users or rows, and name them the same way""")
nothing_shared_in_slices = AlignError.of("""no slice by {columns:and} has a unit in common in '{one}' and \
    '{other}' that {metric} has a value for
    slice both by the same values for each query: those of the truth, or of one table (by=)""")
units_differ = AlignError.of("""{metric} of '{other}' and '{one}' does not rest on the same units, \
    and it cannot be measured again on those that both have
    give both systems predictions for the same queries, users or rows""")
rows_differ = AlignError.of("""'{one}' has {n:,} rows and '{other}' {m:,}, and nothing names them
    name what both are measured on: unit=NAME, or give the same rows in the same order""")
rows_unnamed = AlignError.of("""nothing says which rows of '{one}' and '{other}' are the same
    name the column that does: unit=NAME""")
only_auc = MetricError.of("""DeLong's test is one of auc; {metric} is another metric
    leave the test to each metric (test=auto), or take t, randomisation or wilcoxon""")
not_per_unit = MetricError.of("""{metric} cannot be tested with {test}, \
    since nobody knows what each unit adds to it
    take test=auto or test=bootstrap""")
weighted_hits = MetricError.of("""{metric} cannot be tested with mcnemar, \
    since its units have different weights
    take test=auto, or measure without weights""")
not_compared = MetricError.of("""no difference of this comparison has '{system}' in this place
    name {names:or}""")
several_differences = MetricError.of("""there are {n} differences of {metric}
    name the system, and its baseline where there are several: cmp['{metric}', SYSTEM, BASELINE]""")
class_not_named = MetricError.of("""{metric} has a difference for each class
    name the class: cmp['{metric}', {{'{column}': '{name}'}}]""")
not_a_difference = MetricError.of("""difference must be a number other than 0; got {value}
    write for example 0.01""")
no_units_to_move = MetricError.of("""{metric} has no value for each unit, so none moved
    ask for a metric over queries, such as ndcg@10""")
test_of_other_samples = MetricError.of("""test {test} does not suit these samples: \
    welch is for independent samples, all others are for pairs
    leave the test out, or see paired (on the command line --unpaired)""")
not_in_pairs = MetricError.of("""independent samples have no queries in common to show
    compare with paired=True on the same data""")
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
nothing_claimed = MetricError.of("""nothing is claimed
    give a metric and its value: --claim map@10=0.302; in Python {'map@10': 0.302}""")
pairs_given = MetricError.of("""claims are a list of pairs
    give a mapping: {given}""")
too_many_claims = MetricError.of("""there are more than {most} claims
    choose those with the most digits; a few metrics tell conventions apart""")
claimed_twice = MetricError.of("""two values are claimed for {metric}: {one} and {other}
    claim one; the numbers of two systems are two questions""")
too_many_digits = MetricError.of("""the claim for {metric} has {n} digits, \
    and more than {most} cannot be told apart
    write {rounded}""")
beyond_numbers = MetricError.of("""{printed}, which is claimed for {metric}, \
    is too large or has too many decimals to be told from others
    write the value as it was printed: 0.302""")
undefined_here = MetricError.of("""{metric} is undefined on this data, under every convention that was tried
    the number is of other data; evaluate tells why there is none here""")
beyond_bounds = MetricError.of("""{metric} is never {printed}: its values are from {low} to {high}
    check the number, and that this is the metric it was printed for""")
is_percentage = MetricError.of("""{metric} is never {printed}: its values are from {low} to {high}
    if it is a percentage, write it as one: --claim {metric}={printed}%""")
column_missing = ColumnError.of("""{name} has no column '{column}'; it has {columns}
    a table of claims has the columns metric and value""")
claims_of_two_profiles = MetricError.of("""one claim starts from {one} and another from {other}: \
    no library prints both
    name one profile, or none; or search for each by itself""")
semicolons = ColumnError.of("""{name} has its columns separated by semicolons
    separate them by commas: metric,value""")
empty_claims = ReadError.of("""{name} claims nothing: it has no row
    write a metric and a value in each row""")
claimed_of_classes = MetricError.of("""{metric} has a value for each class, and a claim is on one value
    claim an average: f1(average=macro)=0.71""")
not_two = MetricError.of("a difference is one of two profiles, and {n} {n:is|are} named", remedy=_REMEDY)
same_twice = MetricError.of("""{name} is named twice, and does not differ from itself
    name another profile beside it; steelyard:2026 is one too""")
value_of_each_class = MetricError.of("""{metric} has a value for each class, \
    and a difference is one of single values
    ask for an average: f1(average=macro)""")


def unknown_system(name: object, systems: Iterable[str], *, baseline: bool = False) -> SteelyardError:
    named = say("there is no system '{name}'", name=str(name))
    said = say("the baseline '{name}' is none of the systems", name=str(name)) if baseline else named
    names = list(systems)
    return unknown(said, name, names, remedy=say("the systems are {names:and}", names=names))


def marked(names: Sequence[str], marks: Sequence[str | None]) -> Message:
    known = [f"{name} {mark[:8]}" if mark else name for name, mark in zip(names, marks, strict=True)]
    return quoted(known)


def bad_limit(kind: str, metric: str, given: object) -> SteelyardError:
    percent = kind in ("max_drop", "min_coverage")
    allowed = say("a number, or a percentage such as 0.5%") if percent else say("a number")
    return must_be(say("{rule} of {metric}", rule=kind, metric=metric), allowed, given)


def not_limits(kind: str, given: object) -> SteelyardError:
    example = "{'ndcg@10': '0.5%'}" if kind == "max_drop" else "{'auc': 0.7}"
    return must_be(kind, say("a mapping of metrics to limits, such as {example}", example=example), given)


def baseline_not_among(name: str, columns: Sequence[str]) -> SteelyardError:
    said = say("the baseline '{name}' is none of the score columns", name=name)
    return unknown(said, name, columns, remedy=say("there are: {names}", names=list(columns)))


def metric_not_text(given: object) -> SteelyardError:
    return must_be(say("the metric of a claim"), say("text such as 'map@10'"), given)


def value_not_number(metric: str, given: object) -> SteelyardError:
    return must_be(say("the value claimed for {metric}", metric=metric), say("a number such as 0.302"), given)


def in_row(name: str, row: int, error: SteelyardError) -> SteelyardError:
    return type(error)(
        say("{name}, row {row:,}: {said}", name=name, row=row, said=error.said), remedy=error.hint
    )


def not_two_names(given: object) -> SteelyardError:
    return must_be("profiles", say("the names of two profiles"), given, remedy=_REMEDY)


def under_profile(profile: str, error: SteelyardError) -> SteelyardError:
    return type(error)(say("{profile}: {said}", profile=profile, said=error.said), remedy=error.hint)
