"""The published worked examples of the specification, at full precision."""

from __future__ import annotations

import json

import pytest

import steelyard as sy
from steelyard.spec import metrics as asked

from ..tables import each_row
from .worked import tables


def parse(text):
    """The metrics of a text."""
    return [one.metric for one in asked(text)]


HITS_MRR = [[1, 0, 0, 1, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]
HITS_MAP = [[1, 0, 0, 1, 0, 1], [0, 1, 0, 0, 1, 0], [1, 1, 0, 1, 0, 0]]
EIGHT = [3, 2, 3, 0, 1, 2, 3, 0]

EXAMPLES = {  # id: metric, what is given, value
    "recall at 5 and 10": ("recall@5,10", {"hits_in_top_k": [2, 4], "n_relevant": 10}, [0.2, 0.4]),
    "precision at 5 and 10": ("precision@5,10", {"hits_in_top_k": [3, 4]}, [0.6, 0.4]),
    "hit rate, share of users": (
        "hit_rate@3",
        {
            "truth": {"A": [2], "B": [3, 4], "C": [4, 7]},
            "ranked": {"A": [1, 2, 5], "B": [1, 5, 6], "C": [3, 7, 9]},
        },
        0.6666666666666666,
    ),
    "hit rate, pooled": (
        "hit_rate(pooling=pooled)@10",
        {"hits_in_top_k": [6, 5, 4], "n_relevant": [10, 12, 8]},
        0.5,
    ),
    "dcg exp2": ("dcg(gain=exp2)@5", {"grades_as_ranked": [3, 2, 3, 0, 1]}, 12.779642067948915),
    "idcg exp2": ("idcg(gain=exp2)@5", {"judged": [3, 2, 3, 0, 1]}, 13.347184833073596),
    "ndcg exp2": (
        "ndcg(gain=exp2)@5",
        {"grades_as_ranked": [3, 2, 3, 0, 1], "judged": [3, 2, 3, 0, 1]},
        0.9574784666412695,
    ),
    "dcg linear": ("dcg@5", {"grades_as_ranked": [3, 2, 3, 0, 1]}, 6.148712314377457),
    "idcg linear": ("idcg@5", {"judged": [3, 2, 3, 0, 1]}, 6.323465818787765),
    "ndcg linear": (
        "ndcg@5",
        {"grades_as_ranked": [3, 2, 3, 0, 1], "judged": [3, 2, 3, 0, 1]},
        0.9723642841729143,
    ),
    "dcg linear, six shown": ("dcg@6", {"grades_as_ranked": [3, 2, 3, 0, 1, 2]}, 6.861126688593502),
    "idcg linear, eight judged": ("idcg@6", {"judged": EIGHT}, 8.384055178438263),
    "ndcg linear, eight judged": (
        "ndcg@6",
        {"grades_as_ranked": [3, 2, 3, 0, 1, 2], "judged": EIGHT},
        0.8183541904922859,
    ),
    "cg": ("cg@6", {"grades_as_ranked": [3, 2, 3, 0, 1, 2]}, 11),
    "mrr, no hit counts 0": ("mrr@5", {"hits": HITS_MRR}, 0.425),
    "mrr, no hit left out": ("mrr(empty=skip)@5", {"hits": HITS_MRR}, 0.5666666666666667),
    "mrr from ranks": ("mrr@5", {"first_hit_rank": [2, 1, 5]}, 0.5666666666666667),
    "mrr from ranks, no cutoff": ("mrr", {"first_hit_rank": [3, 2, 1]}, 0.6111111111111112),
    "ap per user": (
        "map@6",
        {"hits": HITS_MAP, "n_relevant": [3, 2, 3], "per_query": True},
        [0.6666666666666666, 0.45, 0.9166666666666666],
    ),
    "map": ("map@6", {"hits": HITS_MAP, "n_relevant": [3, 2, 3]}, 0.6777777777777777),
    "ap, front-loaded": ("map@6", {"hits": [[1, 1, 1, 0, 0, 0]], "n_relevant": [3]}, 1.0),
    "ap, four hits": ("map@6", {"hits": [[1, 0, 0, 1, 1, 1]], "n_relevant": [4]}, 0.6916666666666667),
    "ap, one relevant item not found": (
        "map@5",
        {"hits": [[1, 1, 0, 0, 0]], "n_relevant": [3]},
        0.6666666666666666,
    ),
    "ap over hits": ("map(denominator=hits)@5", {"hits": [[1, 1, 0, 0, 0]], "n_relevant": [3]}, 1.0),
    "precision at every rank": (
        "precision@1,2,3,4,5",
        {"hits": [[1, 1, 0, 0, 0]]},
        [1, 1, 0.6666666666666666, 0.5, 0.4],
    ),
    "precision at every rank, longer": (
        "precision@1,2,3,4,5,6",
        {"hits": [[1, 0, 0, 1, 1, 1]]},
        [1, 0.5, 0.3333333333333333, 0.5, 0.6, 0.6666666666666666],
    ),
    "exp2 terms of grade 3 at ranks 1, 2, 3": (
        "dcg(gain=exp2)",
        {"grades_as_ranked": [[3], [0, 3], [0, 0, 3]]},
        [7.0, 4.4165082750002025, 3.5],
    ),
}


def lists(given, ks):
    """The lists of an example, each with its judged grades; hits beyond a cutoff stand at the end."""
    if "truth" in given:
        shown = [[int(item in given["truth"][q]) for item in items] for q, items in given["ranked"].items()]
        return shown, [[1] * len(items) for items in given["truth"].values()]
    if "hits_in_top_k" in given and len(ks) == 1:
        shown = [[0] * (ks[0] - hits) + [1] * hits for hits in given["hits_in_top_k"]]
        return shown, [[1] * n for n in given["n_relevant"]]
    if "hits_in_top_k" in given:  # one list, read to several cutoffs
        first, second = given["hits_in_top_k"]
        (k, longer), more = ks, given["hits_in_top_k"][1] - given["hits_in_top_k"][0]
        shown = [1] * first + [0] * (k - first) + [1] * more + [0] * (longer - k - more)
        return [shown], [[1] * given.get("n_relevant", second)]
    if "first_hit_rank" in given:
        return [[0] * (rank - 1) + [1] for rank in given["first_hit_rank"]], [[1]] * len(
            given["first_hit_rank"]
        )
    if "hits" in given:
        numbers = given.get("n_relevant", [max(sum(hits), 1) for hits in given["hits"]])
        return given["hits"], [[1] * n for n in numbers]
    shown = given.get("grades_as_ranked", given.get("judged"))
    shown = shown if isinstance(shown[0], list) else [shown]
    return shown, [given["judged"]] if "judged" in given else [list(one) for one in shown]


@each_row("name", EXAMPLES)
def test_from_lists(name):
    text, given, value = EXAMPLES[name]
    metrics = parse(text)
    shown, judged = lists(given, [getattr(metric, "k", None) for metric in metrics])
    if len(metrics) > 1:
        found = [metric.of(shown, judged) for metric in metrics]
    elif isinstance(value, list):
        found = [metrics[0].of(one, all_) for one, all_ in zip(shown, judged, strict=True)]
    else:
        found = sy.metric(text).of(shown, judged)
    assert found == pytest.approx(value, rel=1e-12, abs=1e-12)


@each_row("name", EXAMPLES)
def test_from_tables(name):
    text, given, value = EXAMPLES[name]
    ks = [getattr(metric, "k", None) for metric in parse(text)]
    result = sy.evaluate(*tables(*lists(given, ks)), text)
    if len(ks) == 1 and isinstance(value, list):
        found = result.per_query()["value"].to_list()
    else:
        found = result.table()["value"].to_list()
        value = value if isinstance(value, list) else [value]
    assert found == pytest.approx(value, rel=1e-12, abs=1e-12)


def test_hit_rate_from_the_lists_of_users():
    _, given, value = EXAMPLES["hit rate, share of users"]
    assert sy.evaluate(given["ranked"], given["truth"], "hit_rate@3")["hit_rate@3"] == pytest.approx(value)


def test_the_figures_are_those_of_the_specification(shared):
    stored = json.loads((shared / "spec" / "worked_examples.json").read_text("utf-8"))["examples"]
    ours = {
        example["id"]: (example["metric"], example["given"], example["value"])
        for example in stored
        if not example["metric"].endswith("_curve")  # a curve is no metric
        and isinstance(parse(example["metric"])[0], sy.RankingMetric)
    }
    assert ours == EXAMPLES
