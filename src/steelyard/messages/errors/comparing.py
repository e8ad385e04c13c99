"""What a user is told when systems cannot be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from steelyard.messages import Message, say
from steelyard.messages.errors.base import AlignError, MetricError, quoted
from steelyard.messages.errors.forms import unknown

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


def unknown_baseline(name: object, systems: Iterable[str]) -> MetricError:
    """A baseline that is none of the systems."""
    said = say("the baseline '{name}' is none of the systems", name=str(name))
    names = list(systems)
    return unknown(said, name, names, remedy=say("the systems are {names:and}", names=names))


def unknown_system(name: object, systems: Sequence[str]) -> MetricError:
    """A system that was not compared."""
    said = say("there is no system '{name}'", name=str(name))
    return unknown(said, name, systems, remedy=say("the systems are {names:and}", names=systems))


def marked(names: Sequence[str], marks: Sequence[str | None]) -> Message:
    """The names of truths, with what tells them apart."""
    known = [f"{name} {mark[:8]}" if mark else name for name, mark in zip(names, marks, strict=True)]
    return quoted(known)


test_of_other_samples = MetricError.of("""test {test} does not suit these samples: \
    welch is for independent samples, all others are for pairs
    leave the test out, or see paired (on the command line --unpaired)""")
not_in_pairs = MetricError.of("""independent samples have no queries in common to show
    compare with paired=True on the same data""")
