"""Some hundred evaluations: every metric and field, every convention, form of input, slice, weight, language.

They are written out as texts, so that the same questions are asked of any version of the package.
"""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import choices
import polars as pl
import tables

import steelyard as sy
from steelyard.metrics import by_name
from steelyard.metrics.lists.base import ListMetric
from steelyard.metrics.registry import task_metrics

Case = Callable[[], Any]


def _texts(several: str) -> list[str]:
    return several.split()


RANKING = _texts("""
precision@5 precision(denominator=retrieved)@10 precision(denominator=achievable)@10 precision@all
precision(pooling=pooled)@5 precision(rel=2)@5 recall@5 recall(denominator=achievable)@10 recall@all
recall(pooling=pooled)@10 recall(rel=2)@10 f1@5 fbeta(beta=2)@10 fbeta(beta=0.5,denominator=retrieved)@10
f1(denominator=achievable)@10 f1(rel=2)@5 hit_rate@3 hit_rate(pooling=pooled)@5 hit_rate(rel=3)@5 hit_rate
mrr mrr@3 mrr(empty=skip)@3 mrr(rel=2)@10 map map@5 map(denominator=achievable)@5 map(denominator=hits)@5
map(denominator=k)@5 map(denominator=shown)@5 map(rel=2)
cg@5 cg(gain=exp2)@5 cg(gain=binary)@5 dcg@5 dcg dcg(gain=exp2)@10
dcg(discount=jarvelin)@10 dcg(gain=1:3/2:4/3:9)@10 idcg@5 idcg(gain=exp2,discount=jarvelin)
ndcg@5 ndcg@10 ndcg dcg(gain=binary)@5 idcg(gain=binary) ndcg(gain=binary)@10
ndcg(gain=exp2)@10 ndcg(gain=1:3/2:4/3:9)@10 ndcg(discount=jarvelin)@10 ndcg(ideal=judged_uncut)@5
ndcg(ideal=judged_shown)@10 ndcg(ideal=retrieved)@5 ndcg(ideal=topk)@5 ndcg(ideal=full)@5
ndcg(ideal=full,max_grade=4)@5 r_precision r_precision(rel=2)
""")

CLICKS = _texts("""
auc auc(max_fpr=0.2) auc(max_fpr=0.2,partial=raw) gauc gauc(weight=clicks)
gauc(weight=pairs) gauc(weight=uniform) gauc(single_class=half) gauc(single_class=zero) pr_auc
pr_auc(rule=trapezoid) pr_auc(rule=trapezoid_first) pr_auc(rule=davis) ks logloss logloss(clip=0.05)
logloss(base=2) ne ne(base_rate=0.2) rig rig(base_rate=0.2) brier calibration copc ece ece(bins=7)
ece(binning=width,bins=7) mce mce(binning=width,bins=7) accuracy accuracy(threshold=0.3,strict=true) precision
precision(threshold=0.3) recall(threshold=0.3) specificity(threshold=0.3) fpr(threshold=0.3,strict=true)
f1(threshold=0.3) fbeta(beta=2,threshold=0.3) balanced_accuracy(threshold=0.3) mcc(threshold=0.3)
confusion(threshold=0.3) f1(threshold=0.3,average=macro) precision(threshold=0.3,average=weighted)
recall(threshold=0.3,average=micro) f1(threshold=0.3,average=none) balanced_accuracy(strict=true)
confusion(strict=true) mcc(strict=true) precision(strict=true) recall(strict=true) specificity(strict=true)
fbeta(beta=2,strict=true)
""")

CLASSES = [
    *("accuracy", "balanced_accuracy", "mcc", "confusion"),
    *(
        f"{name}(average={average})"
        for name in ("precision", "recall", "f1", "specificity", "fpr")
        for average in ("micro", "macro", "weighted", "none")
    ),
    *(f"fbeta(beta=2,average={average})" for average in ("micro", "macro", "weighted", "none")),
    *(
        f"{name}(average=macro,undefined_class={fate})"
        for name in ("precision", "recall", "fbeta", "specificity", "fpr")
        for fate in ("one", "skip")
    ),
]
PROBABILITIES = _texts("""
auc auc(average=ovr_weighted) auc(average=ovo_macro) logloss ece mce top_accuracy@1 top_accuracy@2
top_accuracy(class_ties=first)@2 top_accuracy(class_ties=pessimistic)@2
""")
RATINGS = ["rmse", "mse", "mae", "r2"]

CONVENTIONS: dict[str, list[Any]] = {
    "missing": ["keep", "skip"],
    "unexpected": ["ignore", "keep"],
    "unjudged": ["nonrelevant", "drop"],
    "self_match": ["keep", "drop"],
    "ties": ["item_desc", "item_asc", "given", "expected", "optimistic", "pessimistic"],
    "depth": [1, 5, None],
    "scores": ["as_given", "float32"],
    "item_order": ["native", "text"],
    "undefined": ["nan", "zero", "one"],
    "mean": ["arithmetic", "geometric", "median"],
    "order": ["given"],
    "floor": [0.01],
}
SOME = ["ndcg@10", "map@10", "mrr", "recall@10", "precision@5"]
REFUSED = {
    "missing": "error",
    "unexpected": "error",
    "duplicates": "error",
    "ties": "error",
    "undefined": "error",
}


def _later(family: type[sy.Metric]) -> Iterator[str]:
    """The metrics that the texts above do not name, with every choice of their own fields."""
    asked = [*RANKING, *CLICKS, *CLASSES, *PROBABILITIES, *RATINGS]
    known = {type(sy.metric(text)) for text in asked}
    for cls in by_name().values():
        if cls in known or not issubclass(cls, family):
            continue
        cutoff = {"k": 5} if cls.at != "never" else {}
        yield str(cls(**cutoff))
        for field in cls.own_fields():
            for word in list(field.metadata.get("meaning", ()))[1:]:
                yield str(cls(**{**cutoff, field.name: word})).replace(", ", ",")


def cases() -> Iterator[tuple[str, Case]]:
    """Every case under its name."""
    yield from _rankings()
    yield from _forms_of_rankings()
    yield from _lists()
    yield from _rows()
    yield from _forms_of_rows()
    yield from _explanations()
    yield from choices.cases()


def _rankings() -> Iterator[tuple[str, Case]]:
    t = tables.rankings()
    run, truth = t["run"], t["truth"]
    plain = run.drop("country")

    def asked(metrics: Any, said: Any = plain, true: Any = t["qrels"], **options: Any) -> Case:
        return lambda: sy.evaluate(said, true, metrics, **options)

    for metric in [*RANKING, *_later(sy.RankingMetric)]:
        yield f"ranking {metric}", asked(metric)
    yield "ranking all at once", asked(RANKING)
    yield "ranking by country", asked(RANKING, true=truth, by="country")
    yield "ranking by country of the run", asked(SOME, run, by="country")
    yield "ranking weighted", asked(RANKING, weights=t["weights"])
    yield "ranking weighted by country", asked(SOME, true=truth, by="country", weights=t["weights"])
    for mean in ("geometric", "median"):
        yield f"ranking weighted {mean}", asked(SOME, weights=t["weights"], mean=mean)
    for name, values in CONVENTIONS.items():
        for value in values:
            yield f"convention {name}={value}", asked(SOME, conventions={name: value})
    for name, value in REFUSED.items():
        said = t["doubled"] if name == "duplicates" else plain
        yield f"refused {name}={value}", asked(SOME, said, conventions={name: value})
    for value in ("first", "best"):
        yield f"convention duplicates={value}", asked(SOME, t["doubled"], duplicates=value)
    yield "convention judgements", asked("map(judgements=retrieved)@10")
    yield "convention several", asked([f"mrr(ties={ties})" for ties in CONVENTIONS["ties"]])
    yield (
        "profile trec_eval",
        asked(["ndcg@10", "map", "recall@10", "precision@5", "r_precision"], profile="trec_eval"),
    )
    yield "profile in a text", asked(["trec_eval:ndcg@10", "ndcg@10"])
    yield "exclude", asked(SOME, exclude=t["seen"])
    yield "order by rank", asked(SOME, t["ranked"].drop("country"))
    yield "chinese names", asked(["归一化折损累计增益@10", "召回率@5", "F1值@5"])


def _forms_of_rankings() -> Iterator[tuple[str, Case]]:
    t = tables.rankings()
    run, truth = t["run"].drop("country"), t["qrels"]

    def written(ending: str, other: str, change: Callable[[Any], Any] = lambda frame: frame) -> Case:
        def evaluate() -> Any:
            with tempfile.TemporaryDirectory() as folder:
                said, true = Path(folder, f"run.{ending}"), Path(folder, f"qrels.{other}")
                _write(change(run), said)
                _write(change(truth), true)
                return sy.evaluate(said, true, SOME)

        return evaluate

    for ending in ("csv", "tsv", "csv.gz", "jsonl", "parquet", "arrow", "trec"):
        yield f"form {ending}", written(ending, ending)
    yield "form csv against parquet, whole ids", written("csv", "parquet", tables.integer_ids)
    yield "form parquet against csv, whole ids", written("parquet", "csv", tables.integer_ids)
    scores, grades = tables.matrices()
    as_dicts = [
        {
            query: dict(zip(part["item"], part[value], strict=True))
            for (query,), part in frame.group_by("query", maintain_order=True)
        }
        for frame, value in ((run, "score"), (truth, "relevance"))
    ]
    as_lists = {
        query: part["item"].to_list() for (query,), part in run.group_by("query", maintain_order=True)
    }
    joined = run.join(truth, on=["query", "item"], how="left").with_columns(pl.col("relevance").fill_null(0))
    whole = tables.integer_ids
    forms: dict[str, tuple[Any, ...]] = {
        "lazy": (run.lazy(), truth.lazy()),
        "pandas": (run.to_pandas(), truth.to_pandas()),
        "pyarrow": (run.to_arrow(), truth.to_arrow()),
        "dicts": tuple(as_dicts),
        "lists": (as_lists, as_dicts[1]),
        "one table": (joined,),
        "one table without items": (joined.drop("item"),),
        "integers": (whole(run), whole(truth)),
        "matrices": (scores, grades),
        "matrices of float32": (scores.astype("float32"), grades.astype(bool)),
    }
    for name, given in forms.items():
        yield f"form {name}", lambda given=given: sy.evaluate(*given, metrics=SOME)
    yield "form sparse", lambda: sy.evaluate(*_sparse(scores, grades), SOME)
    for ties in CONVENTIONS["ties"]:
        yield f"form matrices ties={ties}", lambda ties=ties: sy.evaluate(scores, grades, SOME, ties=ties)


def _lists() -> Iterator[tuple[str, Case]]:
    t, beside = tables.rankings(), tables.beside_lists()
    run = t["run"].drop("country")
    vectors = beside | {"features": tables.vectors()}
    every = list(_later(ListMetric))

    def asked(metrics: Any, true: Any = t["qrels"], **options: Any) -> Case:
        return lambda: sy.evaluate(run, true, metrics, **(beside | options))

    for metric in every:
        known = vectors if "euclidean" in metric else beside
        yield f"lists {metric}", asked(metric, **known)
        query = None if issubclass(type(sy.metric(metric)), sy.AllListsMetric) else "q02"
        yield (
            f"explain lists {metric}",
            lambda metric=metric, known=known, query=query: sy.explain(
                metric, run, t["qrels"], query=query, **known
            ),
        )
    several = [metric for metric in every if "euclidean" not in metric]
    without = {
        table: [one for one in several if table not in sy.metric(one).needed_tables()]
        for table in ("truth", "catalog")
    }
    yield "lists all at once", asked(several)
    yield "lists by country", asked(several, t["truth"], by="country")
    queries = sorted({*run["query"], *t["qrels"]["query"]})
    weights = {query: float(place % 4) for place, query in enumerate(queries)}
    yield "lists weighted", asked(several, weights=weights)
    yield "lists without truth", asked(without["truth"], None)
    yield "lists without a catalogue", asked(without["catalog"], catalog=None)


def _rows() -> Iterator[tuple[str, Case]]:
    log, zoo, stars = tables.clicks(), tables.animals(), tables.ratings()
    unweighted = log.drop("weight")

    def asked(table: Any, metrics: Any, **options: Any) -> Case:
        return lambda: sy.evaluate(table, metrics=metrics, **options)

    for metric in [*CLICKS, *_later(sy.RowMetric)]:
        yield f"clicks {metric}", asked(unweighted, metric)
    yield "clicks all at once", asked(unweighted, CLICKS)
    yield "clicks weighted", asked(log, CLICKS, weights="weight")
    yield "clicks by country", asked(unweighted, CLICKS, by="country")
    yield "clicks by country and device", asked(log, CLICKS, by=["country", "device"], weights="weight")
    yield "clicks by user", asked(unweighted, ["auc", "logloss", "calibration"], by="user_id")
    yield (
        "clicks in single precision",
        asked(unweighted.with_columns(pl.col("score").cast(pl.Float32)), CLICKS),
    )
    gaps = unweighted.with_columns(
        pl.when(pl.int_range(pl.len()) % 9 > 0).then(pl.col("clicked")).alias("clicked")
    )
    yield "clicks unlabelled=drop", asked(gaps, ["auc", "gauc", "logloss"], unlabelled="drop")
    yield "clicks unlabelled=error", asked(gaps, ["auc"])
    named = {"columns": {"label": "label", "predicted": "guess"}}
    yield "classes", asked(zoo.drop("weight"), CLASSES, **named)
    yield "classes weighted by country", asked(zoo, CLASSES, by="country", weights="weight", **named)
    yield "classes named", asked(zoo.drop("weight"), CLASSES, classes=["eel", "dog", "cat", "ant"], **named)
    p = {
        "columns": {"label": "label", "probability": ["p_cat", "p_dog", "p_eel"]},
        "classes": list(tables.CLASSES),
    }
    for metric in PROBABILITIES:
        yield f"probabilities {metric}", asked(zoo.drop("weight"), metric, **p)
    yield (
        "probabilities weighted by country",
        asked(zoo, PROBABILITIES, by="country", weights="weight", **p),
    )
    yield "ratings", asked(stars, RATINGS)
    yield "ratings by country", asked(stars, RATINGS, by="country")
    for name, of_task in (("ctr", unweighted), ("rating", stars), ("classification", unweighted)):
        yield f"task {name}", asked(of_task, task_metrics(name))


def _forms_of_rows() -> Iterator[tuple[str, Case]]:
    log, stars = tables.clicks().drop("weight"), tables.ratings()
    metrics = ["auc", "gauc", "logloss", "ece", "f1(threshold=0.3)"]
    said, true = (
        stars.select("user_id", "item_id", "prediction"),
        stars.select("user_id", "item_id", "rating"),
    )
    t = tables.rankings()
    mixed = (
        t["run"]
        .drop("country")
        .join(t["qrels"], on=["query", "item"])
        .with_columns(pl.col("relevance").clip(0, 1))
    )
    guessed, labels = tables.labels()
    forms: dict[str, tuple[tuple[Any, ...], Any]] = {
        "pandas": ((log.to_pandas(),), metrics),
        "lazy": ((log.lazy(),), metrics),
        "columns": ((log.to_dict(as_series=False),), metrics),
        "arrays": ((log["score"].to_numpy(), log["clicked"].to_numpy()), ["auc", "logloss"]),
        "lists": ((log["score"].to_list(), log["clicked"].to_list()), ["auc", "logloss"]),
        "two tables": ((said, true), RATINGS),
        "rankings and rows": ((mixed,), ["ndcg@10", "auc", "gauc"]),
        "several labels": ((guessed, labels), ["f1(average=macro)", "f1(average=micro)", "accuracy"]),
        "several labels, the mean over rows": (
            (guessed, labels),
            [f"{name}(average=samples)" for name in ("precision", "recall", "f1", "specificity", "fpr")],
        ),
    }
    for name, (given, asked) in forms.items():
        yield f"rows of {name}", lambda given=given, asked=asked: sy.evaluate(*given, metrics=asked)
    for name in ("roc", "precision_recall", "calibration", "gain", "lift", "score_histogram"):
        yield f"curve {name}", lambda name=name: sy.evaluate(log, metrics="auc").curve(name)


def _explanations() -> Iterator[tuple[str, Case]]:
    log = tables.clicks()[:25]
    t = tables.rankings()
    stars = tables.ratings()[:12]
    zoo = tables.animals()[:20]
    y, p = log["clicked"].to_list(), log["score"].to_list()
    for metric in [*RANKING, *_later(sy.RankingMetric)]:
        yield (
            f"explain {metric}",
            lambda metric=metric: sy.explain(metric, grades=[3, 0, 2, 0, 1, 0], judged=[3, 2, 2, 1, 1]),
        )
    for metric in CLICKS:
        groups = {"groups": log["user_id"].to_list()} if "gauc" in metric else {}
        yield (
            f"explain {metric}",
            lambda metric=metric, groups=groups: sy.explain(metric, labels=y, scores=p, **groups),
        )
    for metric in CLASSES:
        yield (
            f"explain {metric} of classes",
            lambda metric=metric: sy.explain(
                metric, labels=zoo["label"].to_list(), predicted=zoo["guess"].to_list()
            ),
        )
    for metric in RATINGS:
        yield (
            f"explain {metric}",
            lambda metric=metric: sy.explain(
                metric, labels=stars["rating"].to_list(), scores=stars["prediction"].to_list()
            ),
        )
    for metric in SOME:
        yield (
            f"explain {metric} of a query",
            lambda metric=metric: sy.explain(metric, t["run"].drop("country"), t["qrels"], query="q02"),
        )


def _sparse(scores: Any, grades: Any) -> tuple[Any, Any]:
    import numpy as np
    from scipy import sparse

    kept = np.where(np.isfinite(scores), scores, 0)
    return sparse.csr_matrix(kept), sparse.csr_matrix(grades)


def _write(frame: Any, path: Path) -> None:
    ending = path.name.partition(".")[2]
    if ending == "csv":
        frame.write_csv(path)
    elif ending == "tsv":
        frame.write_csv(path, separator="\t")
    elif ending == "csv.gz":
        path.write_bytes(gzip.compress(frame.write_csv().encode(), mtime=0))
    elif ending == "jsonl":
        frame.write_ndjson(path)
    elif ending == "parquet":
        frame.write_parquet(path)
    elif ending == "arrow":
        frame.write_ipc(path)
    else:
        form = "{} Q0 {} 1 {} net" if "score" in frame.columns else "{} 0 {} {}"
        path.write_text("\n".join(form.format(*row) for row in frame.rows()) + "\n", "utf-8")
