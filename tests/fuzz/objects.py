"""Objects of every kind at every door of the library: a value within bounds, or a refusal."""

from __future__ import annotations

from functools import cache
from random import Random

import steelyard as sy
from steelyard.metrics import Metric
from steelyard.render import charts

from .case import Case, VoidError, check_result, check_value, place, rng_of
from .expressions import NAMES, SCALARS, anything, identifier, keywords, metric, table, values
from .grammar import metric_text

_CURVES = ["roc", "precision_recall", "calibration", "gain", "lift", "score_histogram", "ndcg", "recall"]
_CURVES += ["map@3", "x"]
_CHARTS = [*_CURVES, *charts.names()]
_FIELDS = [
    "ties",
    "missing",
    "undefined",
    "depth",
    "mean",
    "rel",
    "k",
    "gain",
    "beta",
    "bins",
    "threshold",
    "average",
]
_METRICS = [
    name
    for name in sy.__all__
    if isinstance(getattr(sy, name), type) and issubclass(getattr(sy, name), Metric)
]
_CALL = (
    "columns",
    "by",
    "classes",
    "exclude",
    "weights",
    "profile",
    "conventions",
    "progress",
    "ties",
    "missing",
)


def draw(seed: int) -> Case:
    rng = rng_of("objects", seed)
    doors = [_evaluate, _evaluate, _evaluate, _of, _of, _explain, _metric, _result, _result, _report]
    line = rng.choice(doors)(rng)
    return Case(line, lambda: _run(line))


def _run(line: str) -> None:
    """Run a line; what it gives is looked at, and what fails before it reaches the library is passed over."""
    names = {**NAMES, **_results()}
    try:
        found = eval(line, names)
    except BaseException as error:  # a panic of Polars is no Exception
        if place(error) is None:
            raise VoidError from error
        raise
    if isinstance(found, sy.Result):
        check_result(found)
    elif isinstance(found, float) and ").of(" in line:
        check_value(eval(line.partition(".of(")[0], names), found)
    else:
        repr(found)


@cache
def _results() -> dict[str, sy.Result]:
    """A result of each kind, of which things are asked."""
    run, truth = {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0}}, {"q": {"b": 1}, "s": {"a": 2}}
    clicks = {"label": [1, 0, 1, 0], "p": [0.8, 0.3, 0.4, 0.6], "user": ["u", "u", "v", "v"]}
    animals = {"label": ["a", "b", "c"], "predicted": ["a", "b", "b"]}
    ratings = {"label": [3, 5, 2, 7], "score": [2.5, 5, 4, 8]}
    return {
        "ranking": sy.evaluate(run, truth, ["mrr", "ndcg@2", "recall@2"]),
        "clicks": sy.evaluate(
            {**clicks, "c": ["a", "b", "a", None]},
            metrics=["auc", "logloss", "gauc"],
            by="c",
            columns={"query": "user"},
        ),
        "animals": sy.evaluate(animals, metrics=["f1(average=none)", "confusion", "accuracy"]),
        "ratings": sy.evaluate(ratings, metrics=["rmse", "r2"]),
    }


def _evaluate(rng: Random) -> str:
    one = anything(rng) if rng.random() < 0.2 else table(rng)
    other = rng.choice(["None", "None", table(rng), table(rng), values(rng), anything(rng)])
    asked = metric(rng) if rng.random() < 0.6 else f"[{metric(rng)}, {metric(rng)}]"
    return f"sy.evaluate({one}, {other}, {asked}{keywords(rng, *_CALL)})"


def _of(rng: Random) -> str:
    if rng.random() < 0.05:
        counts = ", ".join(
            f"{name}={rng.choice(['1', '2', rng.choice(SCALARS)])}" for name in ("tp", "fp", "fn", "tn")
        )
        return f"sy.F1().of_counts({counts})"
    made = metric(rng) if rng.random() < 0.9 else repr(metric_text(rng))
    given = [
        values(rng) if rng.random() < 0.95 else anything(rng) for _ in range(rng.choice([1, 2, 2, 2, 3]))
    ]
    if len(given) == 2 and rng.random() < 0.5:
        given = [f"predictions={given[0]}", f"truth={given[1]}"]
    further = keywords(rng, "weights", "classes") if rng.random() < 0.3 else ""
    return f"sy.metric({made}).of({', '.join(given)}{further})"


def _explain(rng: Random) -> str:
    if rng.random() < 0.3:
        further = keywords(rng, *_CALL[:7], "lang")
        return f"sy.explain({metric(rng)}, {table(rng)}, {table(rng)}, query={identifier(rng)}{further})"
    usual = [
        ["grades"],
        ["grades", "judged"],
        ["labels", "scores"],
        ["labels", "scores", "groups"],
        ["labels", "predicted"],
    ]
    every = ["grades", "judged", "labels", "scores", "predicted", "groups", "weights"]
    names = rng.choice(usual) if rng.random() < 0.7 else rng.sample(every, rng.randint(1, 3))
    arrays = ", ".join(f"{name}={values(rng)}" for name in names)
    return f"sy.explain({metric(rng)}, {arrays}{keywords(rng, 'lang', 'classes', 'profile', 'conventions')})"


def _metric(rng: Random) -> str:
    match rng.randrange(4):
        case 0:
            return f"sy.metric({anything(rng)})"
        case 1:
            return f"sy.{rng.choice(['best_threshold', 'precision_at_recall'])}({values(rng)}, {values(rng)})"
        case _:
            fields = ", ".join(f"{name}={rng.choice(SCALARS)}" for name in rng.sample(_FIELDS, 2))
            return f"sy.{rng.choice(_METRICS)}({fields})"


def _result(rng: Random) -> str:
    result = rng.choice(["ranking", "clicks", "animals", "ratings"])
    there = ["mrr", "auc", "ndcg@2", "f1(average=none)", "confusion", "rmse"]
    asked = repr(rng.choice(there)) if rng.random() < 0.5 else metric(rng)
    curve = repr(rng.choice(_CURVES)) if rng.random() < 0.8 else anything(rng)
    chart = repr(rng.choice(_CHARTS)) if rng.random() < 0.9 else anything(rng)
    other = rng.choice(["ranking", "clicks", "{'a': clicks}", anything(rng)])
    further = keywords(rng, "bins", "k", "metric", "points", "x", "binning")
    path = rng.choice(
        ["'out.json'", "'out.csv'", "'out.tex'", "'out.xyz'", "'a/b.json'", "'.'", "''", anything(rng)]
    )
    query = rng.choice([identifier(rng), anything(rng)])
    return rng.choice(
        [
            f"{result}[{asked}]",
            f"{asked} in {result}",
            f"{result}.curve({curve}{further})",
            f"{result}.curve({curve}, sliced=True{further})",
            f"{result}.curve({curve}, sliced=True).of({anything(rng)})",
            f"{result}.chart({chart}{further})",
            f"{result}.chart({chart}, other={other})",
            f"{result}.charts({other})",
            f"{result}.explain({asked}, {query}{keywords(rng, 'lang')})",
            f"{result}.per_query()",
            f"{result}.write({path}{keywords(rng, 'form')})",
            f"{result}.render({anything(rng)})",
            f"{result}.to_json({anything(rng)})",
            f"{result}.label({asked})",
        ]
    )


def _report(rng: Random) -> str:
    """A page takes a second to make; what is asked for wrongly is refused before it is made."""
    results = rng.choice(["[clicks]", "{}", "{'a': 5}", "{5: None}", "(ranking,)", "None", anything(rng)])
    path = rng.choice(["'out.html'", "''", "'.'", "'a/b.html'", anything(rng)])
    return rng.choice(
        [
            f"sy.report({results}, {path}{keywords(rng, 'title', 'lang')})",
            f"ranking.report({rng.choice(['5', 'None', repr('.'), '[]', repr('')])})",
            f"ranking.report('out.html', lang={rng.choice([repr('xx'), anything(rng)])})",
        ]
    )
