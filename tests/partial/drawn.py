"""What the laws of merging draw: tables of every kind of metric, and the parts that they are split into."""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np
import polars as pl
from hypothesis import strategies as st

import steelyard as sy
from steelyard import conventions
from steelyard.metrics import by_name
from steelyard.text.errors import SteelyardError

from ..laws.drawn import queries, tables
from ..laws.variants import FURTHER
from ..metrics.test_lists_brute import Case

SHARED = {
    *conventions.ALIGN_FIELDS,
    *conventions.RANK_FIELDS,
    *conventions.LABELLED_FIELDS,
    *conventions.AVERAGE_FIELDS,
}
ROW_KINDS = ("binary", "probabilities", "called", "several", "ratings")
# Values of fields that declare no words and no values to try.
OWN = {"threshold": (0.25,), "p": (0.5,), "thresholds": (200,), "max_fpr": (0.3,), "floor": (1e-3,)}
# Fields that mean something only together.
PAIRS = {
    "ndcg": ({"max_grade": 3.0, "ideal": "full", "gain": "exp2"}, {"k": 2, "ideal": "judged_uncut"}),
    "rbp": ({"max_grade": 3.0, "gain": "exp2"}, {"max_grade": "query", "gain": "exp2"}),
    "hit_rate": ({"pooling": "pooled", "k": 2},),
    "auc": ({"max_fpr": 0.3, "partial": "raw"}, {"thresholds": 200, "strict": True}),
    "pr_auc": ({"rule": "trapezoid", "thresholds": 200},),
    "gauc": ({"weight": "pairs", "single_class": "half"}, {"weight": "uniform", "single_class": "zero"}),
}


def names_of(kind):
    """The registered names of the metrics that read hits, lists, scores, classes or ratings."""
    return [name for name, cls in by_name().items() if of_defaults(cls).need().reads == kind]


def of_defaults(cls, **fields):
    needs_cutoff = cls.at == "required"
    return cls(**({"k": 3} if needs_cutoff else {}) | fields)


RANKINGS, LISTS = names_of("hits"), names_of("lists")
ROWS = [name for kind in ("scores", "classes", "ratings") for name in names_of(kind)]


@cache
def variants(name):
    """A metric with its defaults, and with each value of each of its own fields, one field at a time."""
    cls = by_name()[name]
    changes = [{}, *PAIRS.get(cls.name, ())]
    for field in dataclasses.fields(cls):
        if field.name in SHARED:
            continue
        if field.name == "k":
            changes += [{"k": k} for k in (1, 2, None)]
            continue
        tried = field.metadata.get("tries")
        words = list(field.metadata.get("meaning", ()))
        words = [word == "true" for word in words] if field.metadata.get("flag") else words
        tried = () if callable(tried) else tried or ()
        values = [*words, *field.metadata.get("words", ()), *tried]
        values += [*FURTHER.get(field.name, ()), *OWN.get(field.name, ())]
        values = [value for value in values if value != field.default and ":" not in str(value)]
        changes += [{field.name: value} for value in values]
    made = []
    for change in changes:
        try:
            made.append(of_defaults(cls, **change))
        except SteelyardError:
            continue
    return tuple(dict.fromkeys(made))


def shared_values(name, fields):
    """The metric with each value of the conventions ``fields`` that it has."""
    cls = by_name()[name]
    made = []
    for field in dataclasses.fields(cls):
        if field.name in fields:
            made += [of_defaults(cls, **{field.name: word}) for word in field.metadata["meaning"]]
    return made


CONVENTIONS = {
    "undefined": ("zero", "half", "one", "error"),
    "missing": ("skip", "error"),
    "unexpected": ("keep", "error"),
    "unjudged": ("drop", "drop_negative"),
    "judgements": ("retrieved", "mixed"),
    "grades": ("whole", "not_negative", "natural", "binary", "relevant"),
    "ties": ("item_asc", "given", "expected", "optimistic", "pessimistic", "last", "error"),
    "depth": (1, 2),
    "scores": ("float32", "positive"),
    "item_order": ("text",),
    "mean": ("geometric", "median"),
    "order": ("given",),
    "self_match": ("drop",),
    "duplicates": ("first", "best", "judged_once"),
}
CHOICES = [(field, word) for field, words in CONVENTIONS.items() for word in words]


INTERVALS = ("influence", "t", "score", "bootstrap", "bca")


def with_default_cutoff(names):
    return [variants(name)[0] for name in names]


# --------------------------------------------------------------------------------------- parts


def split(call, key, part_of):
    """The tables of each part: rows by the part of their value of ``key``, and tables of items whole."""
    calls = []
    for part in sorted(set(part_of.values())):
        kept = [value for value, its_part in part_of.items() if its_part == part]
        calls.append({name: of_part(table, key, kept) for name, table in call.items()})
    return calls


def of_part(table, key, kept):
    if isinstance(table, pl.DataFrame) and key in table.columns:
        return table.filter(pl.col(key).is_in(kept))
    return table


def split_rows(frame, parts):
    """The rows of a frame by the number of their part."""
    numbers = np.asarray(parts)
    return [frame.filter(pl.Series(numbers == part)) for part in sorted(set(numbers.tolist()))]


def numbers_of_parts(values, most=5):
    """A part for each value, 1 to ``most`` parts in all."""
    return st.integers(1, most).flatmap(
        lambda n: st.lists(st.integers(0, n - 1), min_size=len(values), max_size=len(values))
    )


# --------------------------------------------------------------------------------------- rankings


@st.composite
def rankings(draw, *, ties=True, grades=(-1, 0, 1, 2, 3), weighted=None, sliced=None, min_queries=2):
    """The tables of a call, the options that go with them, and those of each part.

    A query may be missing in the predictions or in the truth. Every part has a query with both.
    """
    lists = draw(st.lists(queries(grades, ties=ties), min_size=min_queries, max_size=8))
    predictions, truth = tables(lists)
    names = [f"q{number:02d}" for number in range(len(lists))]
    extra = pl.DataFrame(
        {
            "query": names,
            "country": draw(lists_of(st.sampled_from(["DE", "JP", "fr"]), len(names))),
            "region": [f"r{number // 2}" for number in range(len(names))],
            "weight": draw(lists_of(st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.7]), len(names))),
        }
    )
    by_region = draw(st.booleans())
    key = "region" if by_region else "query"
    unit_of = dict(zip(names, extra[key], strict=True))
    units = list(dict.fromkeys(unit_of.values()))
    part_of = dict(zip(units, draw(numbers_of_parts(units)), strict=True))
    part_of = {query: part_of[unit] for query, unit in unit_of.items()}
    complete = {part_of[query]: query for query in reversed(names)}.values()  # the first query of each part
    fates = draw(lists_of(st.sampled_from(["none", "none", "none", "predictions", "truth"]), len(names)))
    lacking = {query: fate for query, fate in zip(names, fates, strict=True) if query not in complete}
    weighted = draw(st.booleans()) if weighted is None else weighted
    sliced = draw(st.sampled_from(["no", "column", "table"])) if sliced is None else sliced
    known = ["query", *(["country"] if sliced == "column" else []), *(["region"] if by_region else [])]
    call = {}
    for name, frame in {"predictions": predictions, "truth": truth}.items():
        without = [query for query, fate in lacking.items() if fate == name]
        kept = frame.filter(~pl.col("query").is_in(without))
        call[name] = kept
    call["truth"] = call["truth"].join(extra.select(known), on="query", how="left", maintain_order="left")
    if weighted:  # a part without any weight is refused, as a call is
        weight = pl.when(pl.col("query").is_in(list(complete))).then(1.5).otherwise("weight")
        call["weights"] = extra.select("query", weight.alias("weight"))
    if sliced == "table":
        call["by"] = extra.select("query", "country")
    options = {"by": "country"} if sliced == "column" else {}
    options |= {"unit": "region"} if by_region else {}
    return call, split(call, "query", part_of), options


def lists_of(values, n):
    return st.lists(values, min_size=n, max_size=n)


# --------------------------------------------------------------------------------------- lists


def of_users(table, users):
    return {user: had for user, had in table.items() if user in users}


def parts_of_case(case, part_of, *, history):
    """The tables of each part of users; the history is ``whole`` in each part, or ``split`` by users."""
    calls = []
    for part in sorted(set(part_of.values())):
        users = [user for user, its_part in part_of.items() if its_part == part]
        one = {"predictions": of_users(case.recs, users), "truth": of_users(case.truth, users), **case.tables}
        if history == "split":
            one["history"] = of_users(case.history, users)
        calls.append(one)
    return [one for one in calls if one["predictions"] and one["truth"]]


@st.composite
def cases(draw, *, history=None, truth=True):
    """Lists of recommendations with all tables that metrics of lists read, and the same in parts."""
    case = Case(draw(st.integers(0, 10_000)))
    everyone = list(dict.fromkeys([*case.recs, *case.truth, *case.history]))
    history = draw(st.sampled_from(["whole", "split"])) if history is None else history
    parts = draw(numbers_of_parts(everyone))
    # every part has a user with recommendations, judgements and a history
    both = [user for user in case.recs if user in case.truth and user in case.history]
    parts = [min(part, len(both) - 1) for part in parts]
    part_of = dict(zip(everyone, parts, strict=True))
    numbers = sorted(set(parts))
    part_of |= dict(zip(both, numbers, strict=False))
    call = {"predictions": case.recs, "truth": case.truth, **case.tables}
    calls = parts_of_case(case, part_of, history=history)
    return case, call, calls


# --------------------------------------------------------------------------------------- rows

TEXTS = ("cat", "cow", "dog")
SIXTEENTHS = [n / 16 for n in range(17)]


@st.composite
def rows(draw, kind, *, weighted=None, keyed=None, max_rows=30, zeros=True):
    """A frame of rows of one kind, and the options that go with it.

    Kinds: ``binary`` scores, ``probabilities`` of three classes, ``called`` classes, ``several`` labels a
    row, ``ratings``. ``zeros`` says that weights may be 0.
    """
    n = draw(st.integers(2, max_rows))
    keyed = draw(st.booleans()) if keyed is None else keyed
    weighted = draw(st.booleans()) if weighted is None else weighted
    columns, options = {}, {}
    if keyed:
        columns["query"] = draw(lists_of(st.sampled_from(["u1", "u2", "u3", "u4", "u5"]), n))
        if draw(st.booleans()):
            region = {f"u{number}": f"r{number // 2}" for number in range(1, 6)}
            columns["region"] = [region[user] for user in columns["query"]]
            options["unit"] = "region"
    if draw(st.booleans()):
        columns["country"] = draw(lists_of(st.sampled_from(["DE", "JP", "fr", None]), n))
        options["by"] = "country"
    if weighted:
        weights = draw(lists_of(st.sampled_from([0.0 if zeros else 0.7, 0.3, 1.0, 2.0]), n))
        columns["w"] = [max(weights[0], 0.3), *weights[1:]]
        options["weights"] = "w"
    if kind == "binary":
        columns["label"] = draw(lists_of(st.integers(0, 1), n))
        columns["score"] = draw(lists_of(st.sampled_from(SIXTEENTHS), n))
    elif kind == "probabilities":
        columns["label"] = draw(lists_of(st.sampled_from(TEXTS), n))
        shares = np.array(draw(lists_of(st.tuples(*[st.integers(1, 4)] * 3), n)), float)
        shares /= shares.sum(axis=1, keepdims=True)
        columns |= {f"p_{name}": shares[:, at].tolist() for at, name in enumerate(TEXTS)}
        options["columns"] = {"probability": [f"p_{name}" for name in TEXTS]}
        options["classes"] = list(TEXTS)
    elif kind == "called":
        for name in ("label", "predicted"):
            columns[name] = draw(lists_of(st.sampled_from(TEXTS), n))
        if draw(st.booleans()):
            options["classes"] = list(TEXTS)
    elif kind == "several":
        labels = st.tuples(*[st.integers(0, 1)] * 3).map(list)
        columns |= {name: draw(lists_of(labels, n)) for name in ("label", "predicted")}
        scores = st.tuples(*[st.sampled_from(SIXTEENTHS)] * 3).map(list)
        columns["probs"] = draw(lists_of(scores, n))
    else:
        columns["label"] = draw(lists_of(st.sampled_from([0.5, 1.0, 2.0, 3.5, 5.0]), n))
        columns["score"] = draw(lists_of(st.sampled_from([0.0, 0.7, 1.0, 2.5, 4.1]), n))
    frame = pl.DataFrame(columns)
    if keyed:
        options.setdefault("columns", {})
        options["columns"] = {**options["columns"], "query": "query"}
    return frame, options


@st.composite
def split_of_rows(draw, frame, options, whole):
    """The parts of a frame of rows: whole units, or any rows."""
    key = options.get("unit", "query")
    if whole == "rows" or key not in frame.columns:
        parts = split_rows(frame, draw(numbers_of_parts(range(frame.height))))
    else:
        units = frame[key].unique(maintain_order=True).to_list()
        part_of = dict(zip(units, draw(numbers_of_parts(units)), strict=True))
        parts = split_rows(frame, [part_of[unit] for unit in frame[key]])
    weight = options.get("weights")
    if weight is not None and any(part[weight].sum() == 0 for part in parts):
        return [frame]  # a part without weight is refused, as a call is
    return parts


def sample(kind):
    """Eight rows of a kind with every class, and no score that a positive and a negative share."""
    label = [1, 0, 1, 0, 1, 1, 0, 0]
    texts = [TEXTS[number % 3] for number in range(8)]
    several = [[number % 2, number // 2 % 2, number // 4] for number in range(8)]
    shares = {f"p_{name}": [1 / 3] * 8 for name in TEXTS}
    tables = {
        "binary": {"label": label, "score": [number / 16 for number in range(1, 9)]},
        "probabilities": {"label": texts, **shares},
        "called": {"label": texts, "predicted": texts[::-1]},
        "several": {"label": several, "predicted": several[::-1], "probs": [[0.1, 0.5, 0.7]] * 8},
        "ratings": {"label": [1.0, 2.5] * 4, "score": [2.0, 3.0] * 4},
    }
    options = {"columns": {"probability": list(shares)}} if kind == "probabilities" else {}
    return pl.DataFrame({**tables[kind], "query": list("aabbccdd")}), options


@cache
def fitting(name, kind):
    """The variants of a metric that such rows have a value for."""
    frame, options = sample(kind)
    made = []
    for metric in variants(name):
        try:
            sy.evaluate(frame, metrics=metric, **options)
        except (SteelyardError, AttributeError):  # gauc of several classes ends in an AttributeError
            continue
        made.append(metric)
    return tuple(made)


@cache
def kinds_of(name):
    """The kinds of rows that a metric reads."""
    return tuple(kind for kind in ROW_KINDS if fitting(name, kind))
