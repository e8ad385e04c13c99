"""Against pytrec_eval: trec_eval 9.0.8's own C code, called live on the same data."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
import pytrec_eval
from hypothesis import given

import steelyard as sy

from ..examples import examples
from ..tables import each_row
from .agreement import TOLERANCE, assert_same, assert_same_means, by_measure, means
from .made import Qrels, Run, collection, small_collections, without_negatives

SEEDS = range(6)
CUTOFFS = (1, 2, 3, 5, 10, 30, 100)

# Our text, and pytrec_eval's measure.
TABLE = [
    ("map", "map"),
    ("ndcg", "ndcg"),
    ("mrr", "recip_rank"),
    ("r_precision", "Rprec"),
    ("precision@all", "set_P"),
    ("recall@all", "set_recall"),
    ("f1@all", "set_F"),
]
for k in CUTOFFS:
    TABLE += [
        (f"map@{k}", f"map_cut_{k}"),
        (f"ndcg@{k}", f"ndcg_cut_{k}"),
        (f"precision@{k}", f"P_{k}"),
        (f"recall@{k}", f"recall_{k}"),
        (f"hit_rate@{k}", f"success_{k}"),
        (f"precision(denominator=achievable)@{k}", f"relative_P_{k}"),
    ]
TEXTS, MEASURES = map(list, zip(*TABLE, strict=True))


def theirs(run: Run, qrels: Qrels, measures=MEASURES, **options) -> dict[str, dict[str, float]]:
    """pytrec_eval's values as ``{measure: {query: value}}``."""
    found = pytrec_eval.RelevanceEvaluator(qrels, set(measures), **options).evaluate(run)
    return {name: {query: values[name] for query, values in found.items()} for name in measures}


def ours(run, qrels, texts=TEXTS, profile="trec_eval", **conventions) -> sy.Result:
    return sy.evaluate(run, qrels, texts, profile=profile, conventions=conventions)


def check(result: sy.Result, peer: dict[str, dict[str, float]]) -> None:
    """Per query, then the means as pytrec_eval takes them: over the queries that it returns."""
    names = list(peer)
    assert_same(by_measure(result, names), peer)
    assert_same_means(
        means(result, names),
        {
            name: pytrec_eval.compute_aggregated_measure(name, list(values.values()))
            for name, values in peer.items()
        },
    )


def frames(run: Run, qrels: Qrels, kind: type[pl.DataType]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The same as tables, rows in no order."""
    rows = [(query, item, score) for query, shown in run.items() for item, score in shown.items()]
    judged = [(query, item, grade) for query, all_of in qrels.items() for item, grade in all_of.items()]
    ids = pl.col("query", "item").cast(kind)
    return (
        pl.DataFrame(rows, ["query", "item", "score"], orient="row")
        .with_columns(ids)
        .sample(fraction=1, shuffle=True, seed=7),
        pl.DataFrame(judged, ["query", "item", "relevance"], orient="row")
        .with_columns(ids)
        .sample(fraction=1, shuffle=True, seed=8),
    )


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_dicts(seed, level):
    run, qrels = collection(seed)
    check(ours(run, qrels, rel=level), theirs(run, qrels, relevance_level=level))


@pytest.mark.parametrize("integers", [False, True], ids=["text", "integer_looking"])
@pytest.mark.parametrize("seed", SEEDS)
def test_frames_of_text(seed, integers):
    run, qrels = collection(100 + seed, integers=integers)
    check(ours(*frames(run, qrels, pl.String)), theirs(run, qrels))


@pytest.mark.parametrize("seed", SEEDS)
def test_frames_of_integers(seed):
    """Integer ids compare as numbers in the default profile, as text in this one: '9' stands above '10'."""
    run, qrels = collection(200 + seed, integers=True)
    check(ours(*frames(run, qrels, pl.Int64)), theirs(run, qrels))


@pytest.mark.parametrize("integers", [False, True], ids=["text", "integer_looking"])
@pytest.mark.parametrize("seed", SEEDS)
def test_trec_files(tmp_path, seed, integers):
    run, qrels = collection(300 + seed, integers=integers)
    run_file, qrels_file = tmp_path / "bm25.run", tmp_path / "qrels.txt"
    lines = [f"{q} Q0 {d} 1 {score!r} bm25\n" for q, shown in run.items() for d, score in shown.items()]
    run_file.write_text("".join(lines), "utf-8")
    lines = [f"{q} 0 {d} {grade}\n" for q, judged in qrels.items() for d, grade in judged.items()]
    qrels_file.write_text("".join(lines), "utf-8")

    with run_file.open(encoding="utf-8") as file:
        run_read = dict(pytrec_eval.parse_run(file))
    with qrels_file.open(encoding="utf-8") as file:
        qrels_read = dict(pytrec_eval.parse_qrel(file))
    assert (run_read, qrels_read) == (run, qrels)
    check(ours(run_file, qrels_file), theirs(run_read, qrels_read))


@given(drawn=small_collections())
@examples(60)
def test_anything(drawn):
    run, qrels = drawn
    check(ours(run, qrels), theirs(run, qrels))
    check(ours(run, qrels, rel=2), theirs(run, qrels, relevance_level=2))


def test_the_collections_are_as_odd_as_they_should_be():
    seen = dict.fromkeys(["missing", "unexpected", "nothing relevant", "one item", "ties", "float32 ties"], 0)
    grades = set()
    for seed in SEEDS:
        run, qrels = collection(seed)
        seen["missing"] += len(qrels.keys() - run.keys())
        seen["unexpected"] += len(run.keys() - qrels.keys())
        seen["nothing relevant"] += sum(max(judged.values()) == 0 for judged in qrels.values())
        for shown in run.values():
            exact, single = np.array([*shown.values()]), np.array([*shown.values()], np.float32)
            seen["one item"] += len(shown) == 1
            seen["ties"] += len(np.unique(exact)) < len(exact)
            seen["float32 ties"] += len(np.unique(single)) < len(np.unique(exact))
        grades |= {grade for judged in qrels.values() for grade in judged.values()}
        assert all(max(judged.values()) >= 0 for judged in qrels.values())
    assert all(count >= len(SEEDS) for count in seen.values()), seen
    assert grades >= {-2, -1, 0, 1, 2, 3, 7}


@each_row(
    ("shown", "relevant", "rank"),
    [
        ({"9": 1.0, "10": 1.0}, "9", 1),  # text: '9' stands above '10'
        ({"9": 1.0, "10": 1.0}, "10", 2),
        ({"007": 1.0, "7": 1.0}, "7", 1),
        ({"-5": 1.0, "5": 1.0}, "5", 1),
        ({"Z": 1.0, "a": 1.0}, "a", 1),  # no case folding
        ({"z": 1.0, "é": 1.0}, "é", 1),  # bytes, not an alphabet
        ({"～": 1.0, "😀": 1.0}, "😀", 1),  # UTF-8, not UTF-16
        ({"e\u0301": 1.0, "\u00e9": 1.0}, "\u00e9", 1),  # no Unicode normalisation
        ({"a": 1.0, "a\u200b": 1.0}, "a\u200b", 1),  # the longer one
        ({"a": 1.0 + 2e-9, "b": 1.0 + 1e-9}, "a", 2),  # equal in single precision
        ({"a": 2.0**24 + 1, "b": 2.0**24}, "a", 2),
        ({"a": 2.0**24 + 2, "b": 2.0**24}, "a", 1),
        ({"a": 1e-46, "b": 0.0}, "a", 2),
        ({"a": 0.0, "b": -0.0}, "a", 2),
        ({"a": 1e39, "b": 1e38}, "a", 1),  # infinite in single precision
        ({"a": 1e39, "b": 1e40}, "b", 1),
        ({"a": 1e40, "b": 1e39}, "a", 2),
        ({"a": -1e39, "b": -1e40}, "a", 2),
    ],
)
def test_which_of_two_stands_first(shown, relevant, rank):
    run, qrels = {"q": shown}, {"q": {relevant: 1}}
    assert theirs(run, qrels, ["recip_rank"]) == {"recip_rank": {"q": 1 / rank}}
    assert ours(run, qrels, "mrr")["mrr"] == 1 / rank


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("seed", SEEDS)
def test_geometric_mean(seed, level):
    """gm_map is a mean; what pytrec_eval gives for one query is the logarithm that goes into it."""
    run, qrels = collection(400 + seed)
    peer = theirs(run, qrels, ["gm_map"], relevance_level=level)["gm_map"]
    result = ours(run, qrels, ["map(mean=geometric)"], rel=level)
    logs = {
        query: math.log(max(value, 1e-5)) for query, value in by_measure(result, ["gm_map"])["gm_map"].items()
    }
    assert_same({"gm_map": logs}, {"gm_map": peer})
    aggregated = pytrec_eval.compute_aggregated_measure("gm_map", list(peer.values()))
    assert_same_means(means(result, ["gm_map"]), {"gm_map": aggregated})


@pytest.mark.parametrize("beta", [0.5, 2, 3])
def test_the_parameter_of_set_f_is_beta_squared(beta):
    run, qrels = collection(500)
    peer = theirs_set_f(run, qrels, beta**2)
    check(ours(run, qrels, [f"fbeta(beta={beta})@all"]), {"set_F": peer})


def theirs_set_f(run, qrels, x) -> dict[str, float]:
    found = pytrec_eval.RelevanceEvaluator(qrels, {f"set_F.{float(x)}"}).evaluate(run)
    return {query: values["set_F"] for query, values in found.items()}


@pytest.mark.parametrize("seed", SEEDS)
def test_dcg_over_ideal_dcg(seed):
    """pytrec_eval has no dcg of its own (trec_eval has it from 10.0 on): their quotient is its ndcg."""
    assert not {"dcg", "ideal_dcg"} & pytrec_eval.supported_measures
    run, qrels = collection(600 + seed)
    asked = [None, *CUTOFFS]
    names = ["ndcg" if k is None else f"ndcg_cut_{k}" for k in asked]
    at = ["" if k is None else f"@{k}" for k in asked]
    gained = by_measure(
        ours(run, qrels, [f"dcg{k}" for k in at], profile="trec_eval:10", scores="float32"), names
    )
    ideal = by_measure(
        ours(run, qrels, [f"idcg{k}" for k in at], profile="trec_eval:10", scores="float32"), names
    )
    quotient = {
        name: {query: value / ideal[name][query] if value else 0.0 for query, value in gained[name].items()}
        for name in names
    }
    assert_same(quotient, theirs(run, qrels, names))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_profile_in_front_of_a_text(seed):
    """The texts under the default profile, each with `trec_eval:` in front."""
    run, qrels = collection(700 + seed)
    check(sy.evaluate(run, qrels, [f"trec_eval:{text}" for text in TEXTS]), theirs(run, qrels))


@pytest.mark.parametrize("seed", SEEDS)
def test_judged_documents_only(seed):
    run, qrels = collection(800 + seed)
    qrels = without_negatives(qrels)
    check(ours(run, qrels, unjudged="drop"), theirs(run, qrels, judged_docs_only_flag=1))


# Differences that remain, each with its cause.


def test_with_judged_only_trec_eval_removes_negative_judgements_too():
    """form_res_rels.c keeps documents with rel >= 0: -1 means pooled but unjudged there. For us -1 is a
    judgement like others, and only what the truth does not name is removed."""
    run, qrels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"b": -1, "c": 1}}
    peer = theirs(run, qrels, ["recip_rank"], judged_docs_only_flag=1)
    assert peer["recip_rank"] == {"q": 1.0}
    assert ours(run, qrels, "mrr", unjudged="drop")["mrr"] == 1 / 2
    assert ours(run, without_negatives(qrels), "mrr", unjudged="drop")["mrr"] == 1.0


def test_an_empty_list_in_a_dict():
    """pytrec_eval evaluates the query (as 0); for us it has no predictions, and the profile leaves those
    out. In a TREC file there is no such query: trec_eval itself leaves it out."""
    run, qrels = {"q": {"a": 1.0}, "empty": {}}, {"q": {"a": 1}, "empty": {"a": 1}}
    peer = theirs(run, qrels, ["recip_rank"])
    assert peer["recip_rank"] == {"q": 1.0, "empty": 0.0}
    assert by_measure(ours(run, qrels, "mrr"), ["recip_rank"]) == {"recip_rank": {"q": 1.0}}
    assert_same(by_measure(ours(run, qrels, "mrr", missing="keep"), ["recip_rank"]), peer)


def test_a_score_of_minus_infinity():
    """For trec_eval the lowest score there is; for us the mark of an item that was not retrieved."""
    run, qrels = {"q": {"a": 1.0, "b": -math.inf}}, {"q": {"b": 1}}
    assert theirs(run, qrels, ["recip_rank"])["recip_rank"] == {"q": 1 / 2}
    assert ours(run, qrels, "mrr")["mrr"] == 0.0
    lowest = {"q": {"a": 1.0, "b": -1e30}}
    assert ours(lowest, qrels, "mrr")["mrr"] == 1 / 2


def test_scores_as_trec_eval_10_compares_them():
    """9.0.8 and pytrec_eval hold scores in single precision; 10.0 in double: `scores=as_given`."""
    run, qrels = {"q": {"a": 1.0 + 2e-9, "b": 1.0 + 1e-9}}, {"q": {"a": 1}}
    assert abs(theirs(run, qrels, ["recip_rank"])["recip_rank"]["q"] - 1 / 2) <= TOLERANCE
    assert ours(run, qrels, "mrr")["mrr"] == 1 / 2
    assert ours(run, qrels, "mrr", scores="as_given")["mrr"] == 1.0


@pytest.mark.parametrize("seed", SEEDS)
def test_a_binary_gain_is_the_gain_of_binary_judgements(seed):
    """Every grade above 0 as 1, before pytrec_eval sees it."""
    run, qrels = collection(700 + seed)
    flat = {
        query: {item: int(grade > 0) for item, grade in judged.items()} for query, judged in qrels.items()
    }
    texts = ["ndcg(gain=binary)", *(f"ndcg(gain=binary)@{k}" for k in CUTOFFS)]
    measures = ["ndcg", *(f"ndcg_cut_{k}" for k in CUTOFFS)]
    check(ours(run, qrels, texts), theirs(run, flat, measures))
