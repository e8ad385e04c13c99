"""The profiles of the libraries of search, each against arithmetic by hand."""

from __future__ import annotations

from math import log2, sqrt

import pytest

import steelyard as sy

from ..tables import each_row

# Six relevant items, of which the first and the third of four rows are shown; n is judged, x is not.
RUN = {"q": {"a": 4.0, "x": 3.0, "b": 2.0, "n": 1.0}}
TRUE = {"q": {"a": 3, "b": 1, "c": 2, "d": 1, "e": 1, "f": 3, "n": 0}}

LINEAR = (3 + 1 / 2) / (3 + 3 / log2(3) + 2 / 2 + 1 / log2(5) + 1 / log2(6))
EXP2 = (7 + 1 / 2) / (7 + 7 / log2(3) + 3 / 2 + 1 / log2(5) + 1 / log2(6))
BINARY = (1 + 1 / 2) / (1 + 1 / log2(3) + 1 / 2 + 1 / log2(5) + 1 / log2(6))
AP = (1 / 1 + 2 / 3) / 6
STOP = [7 / 16, 0, 1 / 16]  # of a reader, at grades 3, none and 1, where the highest grade is 4
ERR = STOP[0] + (1 - STOP[0]) * STOP[2] / 3

WORKED = [
    ("trec_eval", "ndcg_cut_5", LINEAR),
    ("trec_eval", "map_cut_5", AP),
    ("trec_eval", "P_5", 2 / 5),
    ("trec_eval", "P.5", 2 / 5),
    ("trec_eval", "recall_5", 2 / 6),
    ("trec_eval", "relative_P_5", 2 / 5),
    ("trec_eval", "relative_P_10", 2 / 6),
    ("trec_eval", "set_P", 2 / 4),
    ("trec_eval:10", "rbp", 0.1 * (3 / 3 + 0.81 * 1 / 3)),
    ("trec_eval:10", "dcg", 3 + 1 / 2),
    ("ir_measures", "nDCG@5", LINEAR),
    ("ir_measures", "nDCG(dcg='exp-log2')@5", EXP2),
    ("ir_measures", 'nDCG(dcg="exp-log2")@5', EXP2),
    ("ir_measures", "ERR@5", ERR),
    ("ir_measures", "RBP(rel=1, p=0.5)", 0.5 * (1 + 0.25)),
    ("ir_measures", "IPrec@0.3", 2 / 3),
    ("ir_measures", "AP(rel=2)", (1 / 1) / 3),
    ("ir_measures", "AP(judged_only=True)", (1 / 1 + 2 / 2) / 6),
    ("ir_measures", "SetF", 2 * (2 / 4) * (2 / 6) / (2 / 4 + 2 / 6)),
    ("ranx", "ndcg@5", LINEAR),
    ("ranx", "ndcg_burges@5", EXP2),
    ("ranx", "map@5", AP),
    ("ranx", "hits", 2),
    ("ranx", "hits@1", 1),
    ("ranx", "precision", 2 / 4),
    ("ranx", "precision@5", 2 / 5),
    ("ranx", "precision@5-l2", 1 / 5),
    ("ranx", "f1@5", 2 * (2 / 5) * (2 / 6) / (2 / 5 + 2 / 6)),
    ("beir", "NDCG@5", LINEAR),
    ("beir", "R_cap@5", 2 / 5),
    ("beir", "Accuracy@1", 1),
    ("sentence_transformers", "ndcg@5", BINARY),
    ("sentence_transformers", "cosine_ndcg@5", BINARY),
    ("sentence_transformers", "map@5", (1 / 1 + 2 / 3) / 5),
    ("sentence_transformers", "accuracy@1", 1),
    ("sentence_transformers", "RerankingEvaluator.map", (1 / 1 + 2 / 3) / 2),
    ("sentence_transformers", "RerankingEvaluator.ndcg@5", (1 + 1 / 2) / (1 + 1 / log2(3))),
    ("elasticsearch", "precision", 2 / 4),
    ("elasticsearch", "precision(k=1, relevant_rating_threshold=2)", 1),
    ("elasticsearch", "recall(k=5)", 2 / 6),
    ("elasticsearch", "dcg", 7 + 1 / 2),
    ("elasticsearch", "dcg(normalize=true)", (7 + 1 / 2) / (7 + 7 / log2(3) + 3 / 2 + 1 / log2(5))),
    ("elasticsearch", "expected_reciprocal_rank(maximum_relevance=4)", ERR),
]


@each_row(("profile", "name", "value"), WORKED)
def test_one_list_by_hand(profile, name, value):
    assert sy.evaluate(RUN, TRUE, name, profile=profile)[name] == pytest.approx(value, rel=1e-12)
    assert sy.evaluate(RUN, TRUE, f"{profile}:{name}")[f"{profile}:{name}"] == pytest.approx(value, rel=1e-12)


def test_what_a_short_list_is_worth_to_elasticsearch():
    """The figures of elastic/elasticsearch#154362: one of five perfect items, or all from rank 6."""
    truth = {query: dict.fromkeys("abcde", 3) for query in ("one", "late")}
    run = {"one": ["a"], "late": [*"uvwxy", *"abcde"]}
    result = sy.evaluate(run, truth, "dcg(normalize=true)", profile="elasticsearch")
    values = dict(result.per_query().select("query", "value").iter_rows())
    assert values["one"] == 1
    assert round(values["late"], 2) == 0.54
    assert any("cuts the ideal at the number of hits returned" in note for note in result.notes)


# q2 has no list, and q1 lists itself; a and b are tied.
SEVERAL = {"q1": {"q1": 3.0, "a": 2.0, "b": 2.0}}
JUDGED = {"q1": {"a": 1}, "q2": {"a": 1}}


@each_row(
    ("name", "value"),
    [
        ("MAP@10", 1 / 2),  # q1 removed, b before a; q2 left out
        ("MRR@10", (1 / 2 + 0) / 2),  # q1 stays, a before b as given; q2 counts 0
        ("Accuracy@2", (1 + 0) / 2),
        ("R_cap@1", (0 + 0) / 2),
    ],
)
def test_one_table_of_beir_covers_different_queries_and_orders(name, value):
    assert sy.evaluate(SEVERAL, JUDGED, name, profile="beir")[name] == pytest.approx(value)


@each_row(
    ("profile", "name", "said"),
    [
        ("ranx", "bpref", "ranx: bpref is not reproduced: the value of ranx is NaN for a whole run"),
        ("ranx", "rbp.95", "the truth has grade 3, above max_grade=1"),
        ("beir", "Hole@10", "beir: Hole@10 is not reproduced: BEIR counts an item as a hole"),
        ("ir_measures", "SetF(beta=2)", "write fbeta(beta=1.4142135623730951)@all for its number"),
        ("elasticsearch", "map", "elasticsearch has no map"),
        ("sentence_transformers", "bpref", "sentence_transformers has no bpref"),
    ],
)
def test_what_is_refused(profile, name, said):
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(RUN, TRUE, name, profile=profile)
    assert said in str(caught.value)


def test_the_f_that_ir_measures_calls_f2():
    """P 2/4 and R 2/6 with x = 2 in the formula of trec_eval: (x + 1)·P·R / (x·P + R)."""
    own = f"fbeta(beta={sqrt(2)})@all"
    value = 3 * (2 / 4) * (2 / 6) / (2 * (2 / 4) + 2 / 6)
    assert sy.evaluate(RUN, TRUE, own, profile="trec_eval")[own] == pytest.approx(value)


def test_ranx_refuses_ties_of_relevant_items_only():
    tied = {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 2.0}}
    assert sy.evaluate(tied, {"q": {"d": 1}}, "mrr", profile="ranx")["mrr"] == 1
    with pytest.raises(sy.SteelyardError, match="tied with another row"):
        sy.evaluate(tied, {"q": {"a": 1}}, "mrr", profile="ranx")


def test_what_sentence_transformers_evaluates():
    """q has its relevant item second, by id; r has none and is left out; s has no list and counts 0."""
    run = {"q": {"b": 1.0, "a": 1.0}, "r": {"a": 1.0}}
    truth = {"q": {"b": 1, "a": 0}, "r": {"a": 0}, "s": {"a": 2}}
    result = sy.evaluate(run, truth, ["mrr@10", "precision@1"], profile="sentence_transformers")
    assert result["mrr@10"] == (1 / 2 + 0) / 2
    assert result["precision@1"] == 0


def test_ties_of_lists_that_are_reranked():
    """Two of three tied items are relevant: for AP both stand third, nDCG averages the orders."""
    run, truth = {"q": dict.fromkeys("abc", 1.0), "s": {"z": 1.0}}, {"q": {"a": 1, "b": 1}, "s": {"y": 1}}
    share = (1 + 1 / log2(3) + 1 / 2) / 3  # what a relevant item adds, wherever it stands
    values = {"map": 2 / 3, "ndcg@3": 2 * share / (1 + 1 / log2(3))}
    for name, value in values.items():
        own, cross = f"RerankingEvaluator.{name}", f"CrossEncoderRerankingEvaluator.{name}"
        result = sy.evaluate(run, truth, [own, cross], profile="sentence_transformers")
        assert result[own] == pytest.approx(value)  # nothing of s is relevant: it is left out
        assert result[cross] == pytest.approx((value + 0) / 2)
    with pytest.raises(sy.SteelyardError, match="tied with another row"):
        sy.evaluate(run, truth, "RerankingEvaluator.mrr@3", profile="sentence_transformers")
