"""Sentence Transformers: the evaluators of retrieval and of reranking, given the scores in place of a model.

InformationRetrievalEvaluator knows sets of relevant ids: the items of grade 1 or more. The evaluators of
reranking are given the list of each judged query, relevant items and others, and score nothing else. An item
that is listed twice is given twice.
"""

import logging
import sys
from types import SimpleNamespace

sys.path = [place for place in sys.path if not place.endswith("runners")] + [sys.path[0]]  # not this file

import numpy as np
import torch
from answering import answer, by_query, relevant
from sentence_transformers import __version__
from sentence_transformers.cross_encoder.evaluation import CrossEncoderRerankingEvaluator
from sentence_transformers.sentence_transformer.evaluation import (
    InformationRetrievalEvaluator,
    RerankingEvaluator,
)

logging.disable()
CUTOFFS = [1, 5, 10]
CARD = SimpleNamespace(set_evaluation_metrics=lambda *_: None)


def ranking(case):
    run = {}
    for query, item, score in case["run"]:
        run.setdefault(query, []).append((item, score))
    truth = {query: set(items) for query, items in by_query(relevant(case["truth"])).items()}
    found = {
        f"{name}@{k}": lambda name=name, k=k: retrieval(run, truth)[f"{name}@{k}"]
        for name in ("accuracy", "precision", "recall", "ndcg", "mrr", "map")
        for k in CUTOFFS
    }
    for kind, asked in (("RerankingEvaluator", reranking), ("CrossEncoderRerankingEvaluator", cross)):
        for name in (f"{name}@{k}" for k in CUTOFFS for name in ("mrr", "ndcg")):
            k = int(name.split("@")[1])
            found[f"{kind}.{name}"] = lambda name=name, asked=asked, k=k: asked(run, truth, k)[name]
        found[f"{kind}.map"] = lambda asked=asked: asked(run, truth, max(CUTOFFS))["map"]
    return found


def retrieval(run, truth):
    items = {item for rows in run.values() for item, _ in rows} | set().union(*truth.values())
    evaluator = InformationRetrievalEvaluator(
        dict.fromkeys(truth, ""),
        dict.fromkeys(sorted(items), ""),
        truth,
        mrr_at_k=CUTOFFS,
        ndcg_at_k=CUTOFFS,
        accuracy_at_k=CUTOFFS,
        precision_recall_at_k=CUTOFFS,
        map_at_k=CUTOFFS,
    )
    lists = [
        [{"corpus_id": item, "score": score} for item, score in run.get(query, [])]
        for query in evaluator.queries_ids
    ]
    found = evaluator.compute_metrics(lists).items()
    return {name.replace("@k", f"@{k}"): value for name, values in found for k, value in values.items()}


def reranking(run, truth, k):
    """A document is its item and its score, which the model hands on."""
    samples = [
        {
            "query": query,
            "positive": [row for row in run[query] if row[0] in relevant],
            "negative": [row for row in run[query] if row[0] not in relevant],
        }
        for query, relevant in truth.items()
        if query in run
    ]
    model = SimpleNamespace(
        encode_query=lambda texts, **_: texts, encode_document=lambda texts, **_: texts, model_card_data=CARD
    )

    def scores(_, rows):
        return torch.tensor([score for _, score in rows], dtype=torch.float64)

    return RerankingEvaluator(samples, at_k=k, similarity_fct=scores)(model)


def cross(run, truth, k):
    samples = [
        {
            "query": query,
            "positive": [row for row in run[query] if row[0] in relevant],
            "documents": run[query],
        }
        for query, relevant in truth.items()
        if query in run
    ]
    model = SimpleNamespace(
        predict=lambda pairs, **_: np.array([score for _, (_, score) in pairs]), model_card_data=CARD
    )
    evaluator = CrossEncoderRerankingEvaluator(samples, at_k=k, always_rerank_positives=False)
    return {name: value for name, value in evaluator(model).items() if not name.startswith("base")}


answer("Sentence Transformers", __version__, {"ranking": ranking})
