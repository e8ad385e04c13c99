"""What a user is told when a metric, a field or a value does not exist."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from steelyard.errors.base import MetricError, brief, nearest

# Metrics that are known by these names elsewhere, and are still to come.
PLANNED = (
    "bpref infap rbp err iprecision iprecision_11pt 11pt judged coverage user_coverage diversity novelty "
    "popularity popularity_lift gini entropy personalization repetition unexpectedness serendipity "
    "miscalibration exposure exposure_ratio"
)
# Metrics of other libraries whose names are no slips of ours.
_ELSEWHERE = frozenset({"mape", "smape", "wape", "mase", "medae", "msle", "rmsle", "mpe", "mbe", "r2"})


def unknown_metric(name: str, known: Sequence[str], *, suffix: str = "") -> MetricError:
    if name.casefold().replace("-", "_") in PLANNED.split():
        return MetricError(
            f"'{name}{suffix}' is not there yet: this version has no such metric",
            remedy=f"there are: {', '.join(sorted(known))}",
        )
    guess = None if name.casefold() in _ELSEWHERE else nearest(name, known)
    hint = f"; did you mean '{guess}{suffix}'?" if guess else ""
    return MetricError(f"unknown metric '{name}{suffix}'{hint}", remedy=f"known: {', '.join(sorted(known))}")


def needs_cutoff(name: str, *, ranking: bool = True) -> MetricError:
    if not ranking:
        return MetricError(f"'{name}' needs a cutoff", remedy=f"say how many count: {name}@1, {name}@5")
    return MetricError(
        f"'{name}' without a cutoff is not a ranking metric; did you mean {name}@100 or {name}@all?",
        remedy=f"@ says how many of each list are read: {name}@10, {name}@all",
    )


def takes_no_cutoff(name: str) -> MetricError:
    return MetricError(f"'{name}' takes no cutoff", remedy=f"write '{name}' without @")


def ambiguous_chinese_precision(suffix: str) -> MetricError:
    return MetricError(
        f"'准确率@{suffix}' is used for two metrics",
        remedy=f"write 精确率@{suffix} for precision@{suffix}; 准确率 alone is accuracy",
    )


def bad_cutoff(text: str) -> MetricError:
    return MetricError(
        f"k must be a positive whole number or 'all'; got '{text}'", remedy="write for example ndcg@10"
    )


def unreadable_metric(text: str) -> MetricError:
    return MetricError(
        f"cannot read '{text}' as a metric",
        remedy="write name(field=value, …)@k, for example ndcg(gain=exp2)@10, or ndcg@10:gain=exp2",
    )


def metrics_in_one_text(text: str, parts: Sequence[str]) -> MetricError:
    options = " ".join(f'-m "{part}"' if "(" in part else f"-m {part}" for part in parts)
    return MetricError(
        f"'{text}' is several metrics in one text",
        remedy=f"give each by itself: {options}, in Python {list(parts)}",
    )


def several_metrics(text: str, count: int) -> MetricError:
    return MetricError(f"'{text}' names {count} metrics where one is meant", remedy="give one cutoff")


def not_a_metric(value: object) -> MetricError:
    shown = f"the class {value.__name__}" if isinstance(value, type) else repr(value)
    return MetricError(
        f"{shown} is not a metric", remedy="give text such as 'ndcg@10' or an object such as NDCG(k=10)"
    )


def unknown_field(owner: str, field: str, known: Iterable[str]) -> MetricError:
    names = sorted(known)
    guess = nearest(field, names)
    hint = f"; did you mean '{guess}'?" if guess else ""
    return MetricError(f"{owner} has no field '{field}'{hint}", remedy=f"it has: {', '.join(names)}")


def field_stated_twice(owner: str, field: str) -> MetricError:
    return MetricError(f"{owner}: '{field}' is stated twice", remedy="state each field once")


def field_is_fixed(owner: str, field: str, value: object) -> MetricError:
    return MetricError(f"{owner} means {field}={value}", remedy=f"leave {field} out, or use the general name")


def bad_value(owner: str, field: str, value: object, allowed: str) -> MetricError:
    return MetricError(f"{owner}: {field} must be {allowed}; got {brief(value)}")


def bad_choice(owner: str, field: str, value: object, choices: Sequence[str]) -> MetricError:
    guess = nearest(str(value), choices)
    return MetricError(
        f"{owner}: {field} must be one of {', '.join(map(repr, choices))}; got {value!r}",
        remedy=f"did you mean {field}={guess}?" if guess else "",
    )


def no_metric_has(field: str, labels: Sequence[str], known: Sequence[str]) -> MetricError:
    guess = nearest(field, known)
    hint = f"; did you mean '{guess}'?" if guess else ""
    return MetricError(
        f"none of {', '.join(labels)} has a convention '{field}'{hint}",
        remedy=f"they have: {', '.join(known)}",
    )


def unknown_profile(name: str, known: Sequence[str]) -> MetricError:
    guess = nearest(name, known)
    hint = f"; did you mean '{guess}'?" if guess else ""
    return MetricError(f"unknown profile '{name}'{hint}", remedy=f"known: {', '.join(known)}")


def not_in_profile(profile: str, label: str, available: Sequence[str], hint: str = "") -> MetricError:
    return MetricError(
        f"{profile} has no {label}", remedy=hint or f"profile {profile} has: {', '.join(available)}"
    )


def unknown_task(name: str, known: Sequence[str]) -> MetricError:
    guess = nearest(name, known)
    hint = f"; did you mean '{guess}'?" if guess else ""
    return MetricError(f"unknown task '{name}'{hint}", remedy=f"known: {', '.join(known)}")


def no_metrics() -> MetricError:
    return MetricError(
        "no metric was asked for",
        remedy="name some: ndcg@10 and mrr@10 for rankings, auc and logloss for clicks, rmse for ratings; "
        "or the usual ones of a task on the command line: --task search, --task ctr, --task rating",
    )


def not_in_result(text: str, labels: Sequence[str]) -> MetricError:
    guess = nearest(text, labels)
    hint = f"; did you mean '{guess}'?" if guess else ""
    return MetricError(f"this result has no '{text}'{hint}", remedy=f"it has: {', '.join(labels)}")


def no_expected_form(label: str, why: str) -> MetricError:
    return MetricError(
        f"{label} has no expected value over ties: {why}",
        remedy="choose an order for ties: ties=item_desc, item_asc, given, optimistic or pessimistic",
    )


def no_expected_mean(label: str, mean: str) -> MetricError:
    return MetricError(
        f"{label} has no expected value over ties: with mean={mean} it is not the mean over all orders",
        remedy="pass mean=arithmetic, or choose an order for ties: ties=item_desc, item_asc, given, "
        "optimistic or pessimistic",
    )


def choice_needs_cutoff(name: str, field: str, value: str) -> MetricError:
    return MetricError(
        f"{name}: {field}={value} needs a cutoff", remedy=f"write for example {name}({field}={value})@10"
    )


def grade_without_gain(label: str, grade: str) -> MetricError:
    return MetricError(
        f"{label}: the truth has grade {grade}, which the gain mapping lacks",
        remedy=f"add it: gain=…/{grade}:GAIN",
    )


def grade_above_maximum(label: str, grade: str, maximum: str) -> MetricError:
    return MetricError(
        f"{label}: the truth has grade {grade}, above max_grade={maximum}",
        remedy=f"set max_grade={grade} or higher",
    )


def gain_overflows(label: str, grade: str) -> MetricError:
    return MetricError(
        f"{label}: with grades up to {grade} the gains add up to more than a number can hold",
        remedy="use smaller grades or gains, gain=linear, or a mapping such as gain=1:3/2:9",
    )


def undefined_query(label: str, query: object, count: int) -> MetricError:
    return MetricError(
        f"{label} is undefined for {count:,} {'query' if count == 1 else 'queries'}, first {query}",
        remedy="pass undefined=nan to count them and leave them out, or zero or one to fill them",
    )


def unreadable_run_file(name: str, why: str) -> MetricError:
    return MetricError(
        f"cannot read the run file {name}: {why}", remedy="a run file is TOML, with the flags as keys"
    )


def unknown_run_key(name: str, key: str, known: Sequence[str]) -> MetricError:
    guess = nearest(key, known)
    hint = f"; did you mean '{guess}'?" if guess else ""
    return MetricError(
        f"{name} has a key '{key}' that is no option{hint}", remedy=f"known: {', '.join(known)}"
    )


def undefined_rows(label: str, why: str) -> MetricError:
    return MetricError(
        f"{label} is undefined: {why}", remedy="pass undefined=nan to see where, or zero or one to fill it"
    )


def name_taken(name: str) -> MetricError:
    return MetricError(f"there is a metric '{name}' already", remedy="give yours another name")


def bad_name(name: object) -> MetricError:
    return MetricError(
        f"{name!r} cannot be the name of a metric",
        remedy='write @sy.register("a_name"), without any of @ ( ) : = ,',
    )


def positional_fields(name: str) -> MetricError:
    return MetricError(f"{name} takes its fields by name", remedy=f"write for example {name}(k=10)")


def wrong_shape(label: str, found: object, n_queries: int) -> MetricError:
    return MetricError(
        f"per_query of {label} must give {n_queries:,} numbers, one per query; got {found}",
        remedy="return an array of floats in the order of ranked.queries, NaN where undefined",
    )


def not_texts(argument: str, value: object) -> MetricError:
    return MetricError(f"{argument} must be text or a list of texts; got {value!r}")


def undefined_pooled(label: str) -> MetricError:
    return MetricError(
        f"{label} is undefined: nothing to divide by in any query", remedy="pass undefined=nan, zero or one"
    )


def bad_progress(value: object) -> MetricError:
    return MetricError(
        f"progress must be True, False or a function that is told of each stage; got {value!r}",
        remedy="pass progress=True for a bar, or for example progress=print",
    )


def not_a_mapping(argument: str, value: object) -> MetricError:
    return MetricError(f"{argument} must be a mapping such as {{'ties': 'expected'}}; got {value!r}")


def nothing_per_query(labels: Sequence[str]) -> MetricError:
    return MetricError(
        f"{', '.join(labels)}: no values of single queries, as they come from all rows at once",
        remedy="ask for a metric of rankings, or for gauc, whose values of groups are given",
    )


def direction_instead(name: str) -> MetricError:
    return MetricError(
        "{name} declares higher_is_better, which is called direction",
        remedy='write direction: ClassVar = "lower" (or "higher", "nearest_1", "none")',
        name=name,
    )
