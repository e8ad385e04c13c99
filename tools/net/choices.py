"""The choices that reproducing other libraries needs; beside the older cases, whose answers stay the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import polars as pl
import tables

import steelyard as sy

Case = Callable[[], Any]

LISTS = ["ndcg@10", "map@10", "mrr", "recall@10", "precision@5", "precision(nothing_relevant=undefined)@5"]
CURVES = [
    f"{name}({field}={choice})"
    for name in ("auc", "pr_auc")
    for field, choices in (
        ("average", ("ovr_weighted", "ovr_micro", "none")),
        ("scores", ("float32",)),
        ("undefined_class", ("zero", "half", "one", "nan")),
    )
    for choice in choices
]
PROBABILITIES = [
    *CURVES,
    *(f"{name}(thresholds=20)" for name in ("auc", "pr_auc")),
    "auc(average=ovo_weighted)",
    *(f"brier(halved={choice})" for choice in ("always", "two_classes", "never")),
    *(f"{name}(binning=width_lower,bins=7)" for name in ("ece", "mce")),
    *(f"top_accuracy(class_ties={choice})@2" for choice in ("first", "last", "optimistic")),
]
CLASSES = [
    *(f"confusion(normalise={choice})" for choice in ("truth", "predicted", "all")),
    *(f"jaccard(average={choice})" for choice in ("micro", "macro", "weighted", "none")),
    *(f"jaccard(average=macro,undefined_class={choice})" for choice in ("one", "skip")),
]
SINGLE = (
    "gauc",
    "logloss",
    "ece",
    "mce",
    "precision",
    "recall",
    "fbeta",
    "specificity",
    "fpr",
    "jaccard",
    "mcc",
)
SINGLE += ("accuracy", "balanced_accuracy", "confusion")
AVERAGED = ("precision", "recall", "fbeta", "specificity", "fpr", "jaccard")


def cases() -> Iterator[tuple[str, Case]]:
    """Every case under its name."""
    yield from _rankings()
    yield from _rows()


def _rankings() -> Iterator[tuple[str, Case]]:
    t = tables.rankings()
    run, qrels = t["run"].drop("country"), t["qrels"]
    doubled = pl.concat([qrels, qrels[5:9].with_columns(pl.col("relevance") + 1)])
    above_zero = run.with_columns(pl.col("score") + 10)
    natural = qrels.filter(pl.col("relevance") >= 0)

    def asked(said: Any = run, true: Any = qrels, **conventions: Any) -> Case:
        return lambda: sy.evaluate(said, true, LISTS, conventions=conventions)

    yield "choice duplicates=last", asked(t["doubled"].drop("country"), duplicates="last")
    yield "choice duplicates=judged_once", asked(true=doubled, duplicates="judged_once")
    yield "choice unjudged=drop_negative", asked(unjudged="drop_negative")
    for grades in ("whole", "relevant"):
        yield f"choice grades={grades}", asked(grades=grades)
    for grades in ("natural", "not_negative"):
        yield f"choice grades={grades}", asked(true=natural, grades=grades)
    yield (
        "choice grades=binary",
        asked(true=natural.with_columns(pl.col("relevance").clip(0, 1)), grades="binary"),
    )
    yield "choice judgements=mixed", asked(judgements="mixed")
    yield (
        "choice err stop=linear",
        lambda: sy.evaluate(run, natural, ["err(stop=linear)@10", "err(decay=0.85)@10"]),
    )
    yield "choice scores=positive", asked(above_zero, scores="positive")
    yield "choice ties=last", asked(ties="last")
    yield "choice undefined=half", asked(undefined="half")
    yield "refused duplicates of the run, judged_once", asked(t["doubled"], duplicates="judged_once")
    for grades in ("natural", "not_negative", "binary"):
        yield f"refused grades={grades}", asked(grades=grades)
    yield "refused scores=positive", asked(scores="positive")


def _rows() -> Iterator[tuple[str, Case]]:
    log, zoo = tables.clicks().drop("weight"), tables.animals().drop("weight")
    untied = log.with_columns(score=pl.col("score").rank("ordinal") / (log.height + 1))
    guessed = {"columns": {"label": "label", "predicted": "guess"}}
    scored = {"columns": {"label": "label", "probability": [f"p_{name}" for name in tables.CLASSES]}}

    def asked(table: Any, metrics: Any, **options: Any) -> Case:
        return lambda: sy.evaluate(table, metrics=metrics, **options)

    for labels in ("one_per_row", "not_many", "two_classes"):
        yield f"choice labels={labels}", asked(untied, f"auc(labels={labels})")
    for strict in ("false", "true"):
        read = [f"{name}(thresholds=20,strict={strict})" for name in ("auc", "pr_auc")]
        yield (
            f"choice thresholds=20, strict={strict}",
            asked(log, [*read, f"auc(thresholds=20,strict={strict},max_fpr=0.3)"]),
        )
    yield (
        "refused thresholds of scores above 1",
        asked(log.with_columns(pl.col("score") + 1), "auc(thresholds=20)"),
    )
    yield "choice equal_scores=error", asked(untied, ["auc(equal_scores=error)", "gauc(equal_scores=error)"])
    for name in ("auc", "gauc"):
        yield f"refused {name} equal_scores=error", asked(log, f"{name}(equal_scores=error)")
    for clip in ("none", "epsilon", "0.05"):
        yield f"choice clip={clip}", asked(log, [f"{name}(clip={clip})" for name in ("logloss", "ne", "rig")])
    yield (
        "choice jaccard of clicks",
        asked(log, ["jaccard(threshold=0.3)", "jaccard(threshold=0.3,strict=true)"]),
    )
    for metric in CLASSES:
        yield f"choice {metric}", asked(zoo, metric, **guessed)
    for name in AVERAGED:
        metric = f"{name}(average=macro,undefined_class=zero_seen)"
        yield f"choice {metric}", asked(zoo, metric, classes=[*tables.CLASSES, "yak"], **guessed)
    for name in SINGLE:
        yield f"choice {name}(scores=float32)", asked(log, f"{name}(scores=float32)")
    for name in ("auc", "pr_auc", "gauc"):
        yield f"choice {name}(row_weights=ignore)", asked(tables.clicks(), f"{name}(row_weights=ignore)")
    for name in (*AVERAGED, "confusion"):
        average = "" if name == "confusion" else "average=none,"
        metric = f"{name}({average}unnamed=other)"
        yield f"choice {metric}", asked(zoo, metric, classes=["cat", "eel"], **guessed)
    for metric in PROBABILITIES:
        yield f"choice {metric}", asked(zoo, metric, classes=list(tables.CLASSES), **scored)
    yield (
        "refused class_ties=error",
        asked(zoo, "top_accuracy(class_ties=error)@1", classes=list(tables.CLASSES), **scored),
    )
    predicted, labels = tables.labels()
    scores = (predicted + np.arange(4) / 10).round(1)
    per_row = ["auc(average=samples)", "pr_auc(average=samples)"]
    yield "choice curves of several labels", lambda: sy.evaluate(scores, labels, ["auc", "pr_auc", *per_row])
    yield (
        "choice jaccard(average=samples)",
        lambda: sy.evaluate(predicted, labels, "jaccard(average=samples)"),
    )
    flat = pl.DataFrame({"label": [4.0, 4.0, 3.0, 3.0], "predicted": [4.0, 4.0, 3.0, 2.0], "site": [*"aabb"]})
    for met in ("met", "met_always"):
        yield f"choice r2(constant_truth={met})", asked(flat, f"r2(constant_truth={met})", by="site")
    for name in ("rmse", "mse", "mae", "r2"):
        for ratings in ("float32", "float32_truth"):
            yield f"choice {name}(ratings={ratings})", asked(flat, f"{name}(ratings={ratings})")
