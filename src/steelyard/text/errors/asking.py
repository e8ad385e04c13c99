"""Errors for the case that what was asked for does not exist, or cannot be understood."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import ClassVar

from steelyard.text import listed, say, term
from steelyard.text.errors.base import MetricError, OutputError, SteelyardError, brief
from steelyard.text.errors.forms import must_be, one_of, unknown

_SLICES = 20  # how many are named
_OWN_NAMES = 10  # likewise, of those that a library has
# Fields that had another name once.
_RENAMED = {"truth": "judgements"}
# Metrics of other libraries whose names are no slips of ours.
_ELSEWHERE = frozenset({"mape", "smape", "wape", "mase", "medae", "msle", "rmsle", "mpe", "mbe", "r2"})
_EXAMPLES = {"--set": "rel=2", "--columns": "query=user_id"}


class FaultError(SteelyardError):
    """A command that ended for a reason other than what it was given."""

    exit_code: ClassVar[int] = 70  # EX_SOFTWARE of sysexits.h; 1 is a gate that failed


no_metrics = MetricError.of("""no metric was asked for
    name some: ndcg@10 and mrr@10 for rankings, auc and logloss for clicks, rmse for ratings; or a task:
    task='search', task='ctr', task='rating' (--task on the command line)""")
task_without_tables = MetricError.of("""task '{task}' has no table that it needs
    give {tables:or}, or several of them""")
takes_no_cutoff = MetricError.of("""'{name}' takes no cutoff
    write '{name}' without @""")
ambiguous_chinese_precision = MetricError.of("""'准确率@{k}' is used for two metrics
    write 精确率@{k} for precision@{k}; 准确率 alone is accuracy""")
choice_needs_cutoff = MetricError.of("""{name}: {field}={value} needs a cutoff
    write for example {name}({field}={value})@10""")
level_above_relevant = MetricError.of("""{label}: with grades=relevant every grade is 1, \
    and nothing reaches rel={rel}
    leave the judgements below {rel} out of the truth, or write grades=as_given""")
unreadable_metric = MetricError.of("""cannot read '{text}' as a metric
    write name(field=value, …)@k, for example ndcg(gain=exp2)@10, or ndcg@10:gain=exp2""")
metric_too_long = MetricError.of("""the metric '{text}…' has {n:,} characters; at most {most:,} are read
    write several metrics as a list, or as several -m""")
several_metrics = MetricError.of("""'{text}' names {n} metrics where one is meant
    give one cutoff""")
field_stated_twice = MetricError.of("""{owner}: '{field}' is stated twice
    state each field once""")
field_is_fixed = MetricError.of("""{owner} means {field}={value}
    leave {field} out, or write {general}({field}=…)""")
stated_twice = MetricError.of("""{name} is stated twice {where}, as '{one}' and as '{other}'
    state it once""")
sliced_twice = MetricError.of("""by names the column '{column}' twice
    name each column once""")
result_column = MetricError.of("""by names a column '{column}', which the table of results has itself
    rename that column of your table""")
name_taken = MetricError.of("""there is a metric '{name}' already
    give yours another name""")
positional_fields = MetricError.of("""{name} takes its fields by name
    write for example {name}(k=10)""")
unfinished = MetricError.of("""{name} does not define {method}
    write {written} in the class {name}""")
reads_otherwise = MetricError.of("""{name} reads '{reads}', and has {methods:and} from {base}, \
    which reads '{other}'
    derive {name} from sy.Metric, and define need, measure and covered""")
direction_instead = MetricError.of("""{name} declares higher_is_better, which is called direction
    write direction: ClassVar = "lower" (or "higher", "nearest_1", "none")""")
name_of_a_library = MetricError.of("""'{text}' is a name of {profile}
    write {profile}:{text} for its number, or {meant} for that of this profile""")
two_profiles = MetricError.of("""two profiles stand in front of '{text}', {one} and {other}
    one may stand there: {one}:{text} or {other}:{text}""")
name_takes_no_fields = MetricError.of("""'{name}' is a name of {profile}, and takes no fields
    write {profile}:{ours}""")
only_a_profile = MetricError.of("""'{profile}' is a profile, and no metric follows it
    write for example {profile}:map, or give it as the profile of the call""")
written_otherwise = MetricError.of("""cannot read '{text}' as a name of {profile}
    it is written {forms:or}""")
no_slices_of = MetricError.of("""there are no slices to compare {metric} between
    evaluate with by=, the columns to slice by""")
sliced_by_more = MetricError.of("""{metric} is sliced by {columns:and} together, \
    and has no values by {asked:and} alone
    evaluate with by={asked}""")
no_better_side = MetricError.of("""no value of {metric} is better than another, \
    so that its slices have no best and no worst
    read them from result.table()""")
no_slice_has_value = MetricError.of("""{metric} has no value in any of {n:,} {n:slice|slices}
    read why in result.table() and the notes""")
refused_by_profile = MetricError.of("""{profile}: {label} is not reproduced: {why}
    ask for the metric without that profile""").given(why=term)
other_cutoff = MetricError.of("{profile} has no {label}")
needs_cutoff = MetricError.of("""'{name}' needs a cutoff
    say how many count: {name}@1, {name}@5""")
ranking_needs_cutoff = MetricError.of("""'{name}' without a cutoff is not a ranking metric; \
    did you mean {name}@100 or {name}@all?
    @ says how many of each list are read: {name}@10, {name}@all""")
nothing_per_query = MetricError.of("""{labels}: no values of single queries, \
    as they come from all rows at once
    ask for a metric of rankings, or for gauc, whose values of groups are given""")
bad_name = MetricError.of("""{name} cannot be the name of a metric
    write @sy.register("a_name"), without any of @ ( ) : = ,""").given(name=repr)
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
our_fault = FaultError.of("""this is a bug in Steelyard, not a mistake in your input
    report it with the lines above""")
out_of_memory = FaultError.of("""there is not enough memory
    evaluate fewer rows or fewer metrics at once, or use a machine with more memory""")
not_taken = MetricError.of("""{option} takes {wanted}; got '{text}'
    write for example {example}""")
chart_of_two = MetricError.of("""the chart '{name}' shows two results, and `steelyard evaluate` has one
    in Python: result.chart('{name}', other=...)""")
chart_of_several = MetricError.of("""the chart '{name}' shows several results, \
    and `steelyard evaluate` has one
    in Python: result.chart('{name}', other=...)""")
takes_no_metric = MetricError.of("""the chart '{name}' shows no single metric
    write {name}=FILE""")
unreadable_run_file = MetricError.of("""cannot read the run file {file}: {why}
    a run file is TOML, with the flags as keys""")
run_file_inside = MetricError.of("""{file} names a run file itself
    write the keys of both into one file""")


def unknown_metric(name: str, known: Iterable[str], *, suffix: str = "") -> SteelyardError:
    names, asked = sorted(known), f"{name}{suffix}"
    slip = None if name.casefold() in _ELSEWHERE else name
    return unknown(say("unknown metric '{name}'", name=asked), slip, names, suffix=suffix)


def metrics_in_one_text(text: str, parts: Sequence[str]) -> MetricError:
    return MetricError.of("""'{text}' is several metrics in one text
        give each by itself: {options}, in Python {parts}""")(
        text=text,
        options=" ".join(f'-m "{part}"' if "(" in part else f"-m {part}" for part in parts),
        parts=str(list(parts)),
    )


def not_a_metric(value: object) -> MetricError:
    shown = say("the class {name}", name=value.__name__) if isinstance(value, type) else repr(value)
    return MetricError.of("""{value} is not a metric
        give text such as 'ndcg@10' or an object such as NDCG(k=10)""")(value=shown)


def unknown_field(owner: str, field: str, known: Iterable[str]) -> SteelyardError:
    names = sorted(known)
    said = say("{owner} has no field '{field}'", owner=owner, field=field)
    return unknown(said, _RENAMED.get(field, field), names, remedy=say("it has: {names}", names=names))


def no_metric_has(field: str, labels: Sequence[str], known: Sequence[str]) -> SteelyardError:
    if len(labels) == 1:
        said = say("{label} has no convention '{field}'", label=labels[0], field=field)
        remedy = say("it has: {names}", names=list(known))
    else:
        said = say("none of {labels} has a convention '{field}'", labels=list(labels), field=field)
        remedy = say("they have: {names}", names=list(known))
    return unknown(said, _RENAMED.get(field, field), known, remedy=remedy)


def bad_value(owner: str, field: str, value: object, allowed: str) -> SteelyardError:
    return must_be(say("{owner}: {field}", owner=owner, field=field), allowed, value)


def bad_choice(owner: str, field: str, value: object, choices: Sequence[str]) -> SteelyardError:
    return one_of(say("{owner}: {field}", owner=owner, field=field), value, choices, field=field)


def not_in_profile(
    profile: str, label: str, metrics: Sequence[str], own: Sequence[str], *, further: str = ""
) -> MetricError:
    """``metrics`` are those that the library has by our names; of its own the nearest are told."""
    by_letters = {one.lower(): one for one in own}
    near = get_close_matches(label.lower(), by_letters, n=_OWN_NAMES, cutoff=0.0)
    has = say(
        "profile {profile} has: {names}; the nearest of its own names: {own}; "
        "steelyard profiles {profile} lists all",
        profile=profile,
        names=list(metrics),
        own=[by_letters[one] for one in near],
    )
    if further:
        has = say("{has}; {further}", has=has, further=term(further))
    return MetricError.of("{profile} has no {label}")(profile=profile, label=label, remedy=has)


def not_in_result(text: str, labels: Sequence[str]) -> SteelyardError:
    said = say("this result has no '{label}'", label=text)
    return unknown(said, text, labels, remedy=say("it has: {names}", names=list(labels)))


def not_slice_columns(asked: object, by: Sequence[str]) -> SteelyardError:
    said = say("{column} is no column that this result is sliced by", column=brief(asked))
    return unknown(said, asked, by)


def not_a_slice(at: object, by: Sequence[str]) -> SteelyardError:
    if not by:
        return MetricError.of("""this result has no slices; got {at}
            evaluate with by=, the columns to slice by""")(at=brief(at))
    allowed = say("a mapping of {columns:and} to {columns:its value|their values}", columns=list(by))
    return must_be(say("the slice"), allowed, at)


def no_such_slice(column: str, value: str | None, names: Sequence[str]) -> SteelyardError:
    said = say("there is no slice {column}={value}", column=column, value=str(value))
    remedy = say("there are: {names}", names=listed(sorted(names), _SLICES))
    return unknown(said, value, names, remedy=remedy)


def bad_progress(value: object) -> SteelyardError:
    allowed = say("True, False or a function that is told of each stage")
    remedy = say("pass progress=True for a bar, or for example progress=print")
    return must_be("progress", allowed, value, remedy=remedy)


def task_not_in_profile(
    task: str, profile: str, missing: Sequence[str], others: Sequence[str]
) -> MetricError:
    remedy = say("leave out the profile {profile}", profile=profile)
    if others:
        remedy = say(
            "name metrics instead of the task: {others}; or leave out the profile {profile}",
            others=others,
            profile=profile,
        )
    return MetricError.of("task '{task}' includes {missing}, which {profile} does not have")(
        task=task, missing=missing, profile=profile, remedy=remedy
    )


def not_key_value(option: str, text: str) -> MetricError:
    example = _EXAMPLES.get(option, "NAME=VALUE")
    return not_taken(option=option, wanted="NAME=VALUE", text=text, example=f"{option} {example}")


def not_chart_and_file(text: str) -> MetricError:
    example = say("--chart roc=roc.svg, or --chart 'slices(auc)=slices.png'")
    return not_taken(option="--chart", wanted="NAME=FILE", text=text, example=example)
