"""Spark MLlib: RankingMetrics, and the evaluators of pyspark.ml by the names of their metrics."""

import os

os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")

import pyspark
from answering import answer, items_of, ranked_items
from pyspark.ml.evaluation import (
    BinaryClassificationEvaluator,
    MulticlassClassificationEvaluator,
    RegressionEvaluator,
)
from pyspark.ml.linalg import Vectors
from pyspark.mllib.evaluation import MulticlassMetrics, RankingMetrics
from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.sql.shuffle.partitions", "1")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")
OF_CLASSES = (
    "f1 accuracy weightedPrecision weightedRecall weightedTruePositiveRate weightedFalsePositiveRate "
    "weightedFMeasure"
)


def ranking(case):
    """Every user of either side, each with the list that was shown and the set of what is relevant."""
    shown, relevant = ranked_items(case["run"]), items_of([row for row in case["truth"] if row[2] >= 1])
    users = sorted({query for query, _, _ in case["run"] + case["truth"]})
    pairs = [(shown.get(user, []), relevant.get(user, [])) for user in users]
    metrics = RankingMetrics(spark.sparkContext.parallelize(pairs, 1))
    found = {"meanAveragePrecision": lambda: metrics.meanAveragePrecision}
    for k in (1, 5, 10):
        for name in ("precisionAt", "recallAt", "meanAveragePrecisionAt", "ndcgAt"):
            found[f"{name}({k})"] = lambda name=name, k=k: getattr(metrics, name)(k)
    return found


def with_weights(case, rows, columns):
    """A frame of the rows, and how an evaluator is told of their weights."""
    if case["weight"] is None:
        return spark.createDataFrame(rows, columns), {}
    weighted = [(*row, weight) for row, weight in zip(rows, case["weight"], strict=True)]
    return spark.createDataFrame(weighted, [*columns, "weight"]), {"weightCol": "weight"}


def clicks(case):
    rows = [
        (float(label), score, float(score > 0.5), Vectors.dense([1 - score, score]))
        for label, score in zip(case["label"], case["score"], strict=True)
    ]
    frame, weighted = with_weights(case, rows, ["label", "score", "prediction", "probability"])
    found = {}
    for name in ("areaUnderROC", "areaUnderPR"):
        for stated, bins in (("", {}), ("(numBins=0)", {"numBins": 0})):
            one = BinaryClassificationEvaluator(rawPredictionCol="score", metricName=name, **bins, **weighted)
            found[f"{name}{stated}"] = lambda one=one: one.evaluate(frame)
    return found | of_classes(frame, weighted)


def classes(case):
    number = {name: float(at) for at, name in enumerate(case["classes"])}
    rows = [
        (number[label], number[predicted], Vectors.dense(given))
        for label, predicted, given in zip(case["label"], case["predicted"], case["probability"], strict=True)
    ]
    frame, weighted = with_weights(case, rows, ["label", "prediction", "probability"])
    columns = ["prediction", "label", *weighted.values()]
    matrix = MulticlassMetrics(frame.select(*columns).rdd.map(tuple))
    return of_classes(frame, weighted) | {
        "confusionMatrix": lambda: matrix.confusionMatrix().toArray(),
    }


def of_classes(frame, weighted):
    found = {}
    for name in (*OF_CLASSES.split(), "logLoss"):
        one = MulticlassClassificationEvaluator(metricName=name, **weighted)
        found[name] = lambda one=one: one.evaluate(frame)
    beta = MulticlassClassificationEvaluator(metricName="weightedFMeasure", beta=2.0, **weighted)
    return found | {"weightedFMeasure(beta=2)": lambda: beta.evaluate(frame)}


def ratings(case):
    frame, weighted = with_weights(
        case, list(zip(case["label"], case["predicted"], strict=True)), ["label", "prediction"]
    )
    return {
        name: lambda name=name: RegressionEvaluator(metricName=name, **weighted).evaluate(frame)
        for name in ("rmse", "mse", "mae", "r2")
    }


answer(
    "Spark MLlib",
    pyspark.__version__,
    {"ranking": ranking, "clicks": clicks, "classes": classes, "ratings": ratings},
)
spark.stop()
