"""Text to metric and back: names, fields, cutoffs, and what is said when they cannot be read."""

from __future__ import annotations

from typing import ClassVar

import pytest

import steelyard as sy
from steelyard.conventions import number
from steelyard.spec import metrics as asked

from ..tables import each_row


def parse(text):
    """The metrics of a text."""
    return [one.metric for one in asked(text)]


CANONICAL = [  # written, canonical
    # canonical texts
    ("precision@5", "precision@5"),
    ("recall@5", "recall@5"),
    ("f1@5", "f1@5"),
    ("fbeta(beta=2)@5", "fbeta(beta=2)@5"),
    ("hit_rate@5", "hit_rate@5"),
    ("mrr@5", "mrr@5"),
    ("map@5", "map@5"),
    ("cg@5", "cg@5"),
    ("dcg@5", "dcg@5"),
    ("idcg@5", "idcg@5"),
    ("ndcg@5", "ndcg@5"),
    ("r_precision", "r_precision"),
    # one text per metric
    ("fbeta(beta=1)@5", "f1@5"),
    ("fbeta@5", "f1@5"),
    ("fbeta(beta=1.0, rel=2)@5", "f1(rel=2)@5"),
    ("dcg(discount=none)@5", "cg@5"),
    ("dcg(discount=none)", "cg"),
    ("dcg@all:discount=none", "cg"),
    ("dcg(gain=exp2, discount=none)@5", "cg(gain=exp2)@5"),
    *((f"{name}@all", name) for name in ("map", "mrr", "ndcg", "dcg", "cg", "idcg", "hit_rate")),
    *((name, name) for name in ("map", "mrr", "ndcg", "dcg", "cg", "idcg", "hit_rate")),
    *((f"{name}@all", f"{name}@all") for name in ("precision", "recall", "f1")),
    ("map@ALL", "map"),
    ("ndcg(gain=linear)@5", "ndcg@5"),
    ("mrr(rel=1.0)", "mrr"),
    ("mrr(depth=none)", "mrr"),
    ("mrr()", "mrr"),
    # aliases
    ("ap", "map"),
    ("ap@5", "map@5"),
    ("rr", "mrr"),
    ("rr@5", "mrr@5"),
    ("hr@5", "hit_rate@5"),
    ("hr", "hit_rate"),
    ("hit@5", "hit_rate@5"),
    ("success@5", "hit_rate@5"),
    ("accuracy@5", "hit_rate@5"),
    ("p@5", "precision@5"),
    ("r@5", "recall@5"),
    ("rprec", "r_precision"),
    # Chinese
    ("精确率@5", "precision@5"),
    ("精准率@5", "precision@5"),
    ("查准率@5", "precision@5"),
    ("召回率@5", "recall@5"),
    ("查全率@all", "recall@all"),
    ("F1值@5", "f1@5"),
    ("f1值@5", "f1@5"),
    ("F 值(beta=2)@5", "fbeta(beta=2)@5"),
    ("命中率@5", "hit_rate@5"),
    ("平均倒数排名@5", "mrr@5"),
    ("平均倒数排名", "mrr"),
    ("平均精度均值@5", "map@5"),
    ("累计增益@5", "cg@5"),
    ("折损累计增益@5", "dcg@5"),
    ("理想折损累计增益@5", "idcg@5"),
    ("归一化折损累计增益@5", "ndcg@5"),
    ("R 精确率", "r_precision"),
    # full-width characters
    ("ｎｄｃｇ＠１０", "ndcg@10"),
    (
        "ＮＤＣＧ（ｇａｉｎ＝ｅｘｐ２，ｄｉｓｃｏｕｎｔ＝ｊａｒｖｅｌｉｎ）＠１０",
        "ndcg(gain=exp2, discount=jarvelin)@10",
    ),
    ("召回率＠２０：ｒｅｌ＝２", "recall(rel=2)@20"),
    # case, hyphens, spaces
    ("NDCG@5", "ndcg@5"),
    ("Hit-Rate@5", "hit_rate@5"),
    ("hit rate@5", "hit_rate@5"),
    ("HIT_RATE@5", "hit_rate@5"),
    ("R-Precision", "r_precision"),
    ("  ndcg ( gain = exp2 )  @ 5 ", "ndcg(gain=exp2)@5"),
    ("ndcg(GAIN=Exp2)@5", "ndcg(gain=exp2)@5"),
    ("map(Self-Match=drop)", "map(self_match=drop)"),
    # after a colon, for a shell
    ("ndcg@10:gain=exp2", "ndcg(gain=exp2)@10"),
    ("ndcg@10:gain=exp2,discount=jarvelin", "ndcg(gain=exp2, discount=jarvelin)@10"),
    ("ndcg@10: gain=exp2, discount=jarvelin", "ndcg(gain=exp2, discount=jarvelin)@10"),
    ("map:denominator=hits", "map(denominator=hits)"),
    ("r_precision:rel=2", "r_precision(rel=2)"),
    ("ndcg(gain=exp2)@10:discount=jarvelin", "ndcg(gain=exp2, discount=jarvelin)@10"),
    ("recall@all:rel=2", "recall(rel=2)@all"),
    # mappings
    ("dcg(gain=1:3/2:9)@5", "dcg(gain=1:3/2:9)@5"),
    ("dcg(gain=2:9/1:3)", "dcg(gain=1:3/2:9)"),
    ("dcg@5:gain=1:3/2:9", "dcg(gain=1:3/2:9)@5"),
    ("dcg:gain=1:3/2:9", "dcg(gain=1:3/2:9)"),
    ("dcg@5:gain=1:3/2:9,discount=jarvelin", "dcg(gain=1:3/2:9, discount=jarvelin)@5"),
    ("ndcg(gain=0.5:1)", "ndcg(gain=0.5:1)"),
    # quotes, as one writes them in Python
    ("ndcg(gain='exp2')@5", "ndcg(gain=exp2)@5"),
    ('ndcg(gain="exp2")@5', "ndcg(gain=exp2)@5"),
    # any convention of any stage
    (
        "map(denominator=hits, ties=expected, missing=skip)@10",
        "map(missing=skip, ties=expected, denominator=hits)@10",
    ),
    ("mrr(mean=geometric, floor=0.001)", "mrr(mean=geometric, floor=0.001)"),
    ("mrr(undefined=zero, depth=100)", "mrr(depth=100, undefined=zero)"),
]


@each_row(("written", "canonical"), CANONICAL)
def test_one_text_per_metric(written, canonical):
    metric = sy.metric(written)
    assert _fields(str(metric)) == _fields(canonical)
    assert sy.metric(canonical) == metric
    assert sy.metric(str(metric)) == metric


def _fields(text):
    """A text whose fields stand in any order."""
    before, _, rest = text.partition("(")
    inside, _, after = rest.partition(")")
    return before, sorted(inside.split(", ")), after


@each_row(
    ("written", "canonical"),
    [
        ("ndcg@5,10,20", ["ndcg@5", "ndcg@10", "ndcg@20"]),
        ("ndcg@ 5 , 10 ", ["ndcg@5", "ndcg@10"]),
        ("recall@5,all", ["recall@5", "recall@all"]),
        ("map@5,all", ["map@5", "map"]),
        ("ndcg(gain=exp2)@5,10", ["ndcg(gain=exp2)@5", "ndcg(gain=exp2)@10"]),
        ("ndcg@5,10:gain=exp2", ["ndcg(gain=exp2)@5", "ndcg(gain=exp2)@10"]),
        ("查全率@5,10", ["recall@5", "recall@10"]),
    ],
)
def test_several_cutoffs_are_several_metrics(written, canonical):
    assert [str(metric) for metric in parse(written)] == canonical
    with pytest.raises(sy.SteelyardError, match=f"names {len(canonical)} metrics; one is expected"):
        sy.metric(written)


def test_the_cutoffs_may_come_together():
    result = sy.evaluate({"q": {"a": 1.0, "b": 2.0}}, {"q": {"a": 1}}, ["recall@1,2", "mrr"])
    assert list(result) == ["recall@1", "recall@2", "mrr"]


ERRORS = [  # written, what the message says
    # nearest names
    ("ndgc@10", "unknown metric 'ndgc@10'; did you mean 'ndcg@10'?"),
    ("recal@10", "did you mean 'recall@10'?"),
    ("presicion@5", "did you mean 'precision@5'?"),
    ("mmr", "did you mean 'mrr'?"),
    ("xyzzy@10", "unknown metric 'xyzzy@10'"),
    # the family that @ chooses
    ("r_precision@5", "'r_precision' takes no cutoff"),
    # 准确率 is accuracy, and people use it for precision
    ("准确率@10", "'准确率@10' is used for two metrics"),
    ("准确率@10", "精确率@10"),
    ("准确率＠１０", "精确率@10"),
    # cutoffs
    ("ndcg@0", "k must be a positive whole number or 'all'; got '0'"),
    ("ndcg@-5", "got '-5'"),
    ("ndcg@5.5", "got '5.5'"),
    ("ndcg@10.0", "got '10.0'"),
    ("ndcg@ten", "got 'ten'"),
    ("ndcg@", "k must be a positive whole number"),
    ("ndcg@5,,10", "k must be a positive whole number"),
    ("ndcg@5,0", "got '0'"),
    # fields
    ("ndcg(gian=exp2)@5", "ndcg has no field 'gian'; did you mean 'gain'?"),
    ("ndcg(denominator=k)@5", "ndcg has no field 'denominator'"),
    ("ndcg(k=5)", "ndcg has no field 'k'"),
    ("ndcg(gain=exp)@5", "gain must be one of 'linear'"),
    ("ndcg(gain=exp)@5", "did you mean gain=exp2?"),
    ("map(denominator=hit)@5", "did you mean denominator=hits?"),
    ("map(ties=id)@5", "ties must be one of 'item_desc'"),
    ("mrr(rel=0)", "rel must be a number above 0; got '0'"),
    ("mrr(rel=-1)", "rel must be a number above 0"),
    ("mrr(rel=much)", "rel must be a number above 0"),
    ("mrr(rel=nan)", "rel must be a number above 0"),
    ("mrr(rel=inf)", "rel must be a number above 0"),
    ("mrr(depth=0)", "depth must be a whole number above 0, or 'none'"),
    ("mrr(depth=2.5)", "depth must be a whole number above 0"),
    ("ndcg(gain=exp2, gain=linear)@5", "'gain' is set twice"),
    ("ndcg(gain=exp2)@5:gain=exp2", "'gain' is set twice"),
    ("ndcg(gain=exp2, Gain=exp2)@5", "'gain' is set twice"),
    ("f1(beta=1)@5", "f1 means beta=1"),
    ("dcg(gain=1:3/1:4)", "gain must be 'linear', 'exp2', 'binary' or a mapping"),
    # what is no metric at all
    ("", "cannot read ''"),
    ("@5", "cannot read '@5'"),
    ("ndcg(gain=exp2", "cannot read 'ndcg(gain=exp2'"),
    ("ndcg)@5", "unknown metric 'ndcg)@5'; did you mean 'ndcg@5'?"),
    ("ndcg(gain)@5", "cannot read 'ndcg(gain)@5'"),
    ("ndcg(=exp2)@5", "cannot read"),
    ("ndcg(gain=)@5", "cannot read"),
    ("ndcg@5@10", "k must be a positive whole number"),
    # several in one text
    ("mrr,recall@2", "give each by itself: -m mrr -m recall@2, in Python ['mrr', 'recall@2']"),
    ("recall@5,10, mrr", "-m recall@5,10 -m mrr,"),
    ("ndcg(gain=exp2, ties=expected)@5,map", '-m "ndcg(gain=exp2, ties=expected)@5" -m map,'),
    ("ndcg@5,5x", "k must be a positive whole number or 'all'; got '5x'"),
    # profiles
    ("trek_eval:ndcg@10", "unknown profile 'trek_eval'; did you mean 'trec_eval'?"),
    ("trec_eval:mrr@10", "trec_eval has no mrr@10"),
    ("trec_eval:mrr@10", "mrr(depth=10)"),
    ("trec_eval:cg@10", "trec_eval has no cg@10"),
    ("trec_eval:ndgc@10", "did you mean 'ndcg@10'?"),
]


@each_row(("written", "said"), ERRORS)
def test_what_cannot_be_read(written, said):
    with pytest.raises(sy.SteelyardError) as caught:
        sy.metric(written)
    assert said in str(caught.value)
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, [written])
    assert said in str(caught.value)


def test_an_unknown_name_comes_with_all_names():
    with pytest.raises(sy.SteelyardError) as caught:
        sy.metric("xyzzy")
    for name in ("cg", "dcg", "hit_rate", "map", "mrr", "ndcg", "precision", "r_precision", "recall"):
        assert name in caught.value.remedy


def test_an_unknown_field_comes_with_all_fields():
    with pytest.raises(sy.SteelyardError) as caught:
        sy.metric("ndcg(xyzzy=1)")
    for name in ("gain", "discount", "ideal", "ties", "missing", "undefined"):
        assert name in caught.value.remedy


@each_row("thing", [None, 5, 2.5, b"mrr", ["mrr"], sy.NDCG])
def test_what_is_neither_text_nor_metric(thing):
    with pytest.raises(sy.SteelyardError, match="is not a metric"):
        sy.metric(thing)


def test_nothing_asked_for():
    with pytest.raises(sy.SteelyardError, match="no metric was given"):
        sy.evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, [])


@each_row("k", [0, -1, 2.5, "five", True, float("inf"), float("nan")])
def test_a_cutoff_is_a_positive_whole_number(k):
    with pytest.raises(sy.SteelyardError, match="ndcg: k must be a whole number above 0, or 'all'"):
        sy.NDCG(k=k)


def test_a_cutoff_may_be_all():
    assert sy.NDCG(k="all") == sy.NDCG(k=None) == sy.NDCG()
    assert sy.NDCG(k=5.0) == sy.NDCG(k=5)
    assert sy.NDCG(k="all").k is None
    assert sy.metric("map@all").k is None


def test_a_profile_may_stand_in_front():
    metric = sy.metric("trec_eval:ndcg@10")
    assert (metric.k, metric.missing, metric.undefined) == (10, "skip", "zero")
    assert (metric.scores, metric.item_order, metric.ties) == ("float32", "text", "item_desc")
    assert sy.metric("trec_eval:map:rel=2").rel == 2
    assert sy.metric("trec_eval:map(missing=keep)").missing == "keep"
    assert sy.metric("trec_eval : ndcg@10") == metric
    assert [m.k for m in parse("trec_eval:ndcg@5,10")] == [5, 10]
    assert sy.metric("steelyard:2026:ndcg(gain=exp2)@10") == sy.NDCG(k=10, gain="exp2")
    assert sy.metric("trec_eval:召回率@10").name == "recall"


def test_a_profile_and_a_field_are_told_apart():
    assert sy.metric("map:denominator=hits") == sy.MAP(denominator="hits")
    assert sy.metric("dcg:gain=1:3/2:9") == sy.DCG(gain={1: 3, 2: 9})
    assert sy.metric("trec_eval:ndcg:gain=1:3/2:9").gain == "1:3/2:9"


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "fbeta(beta=2)"])
def test_without_a_cutoff_it_is_no_metric_of_a_ranking(name):
    assert not isinstance(sy.metric(name), sy.RankingMetric)
    short = name.partition("(")[0]
    with pytest.raises(sy.SteelyardError, match=f"did you mean {short}@100 or {short}@all"):
        sy.evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, name)


def test_a_metric_of_rows_is_computed_on_the_matched_rows():
    """Of the judged items only; b is not judged, so it is no row: (1 > 0 and 1 > 0) of two pairs."""
    run = {"q": {"a": 3.0, "b": 2.5, "c": 2.0}, "r": {"a": 1.0}}
    result = sy.evaluate(run, {"q": {"a": 1, "c": 0, "z": 0}, "r": {"a": 0}}, "auc")
    assert result["auc"] == 2 / 2
    assert "1 prediction without a label in the truth: left out." in result.notes
    assert "1 row of the truth without a prediction: left out." in result.notes


def test_a_number_with_a_decimal_point_may_state_a_field():
    @sy.register("share")
    class Share(sy.RankingMetric):
        """A metric with a level between 0 and 1."""

        level: float = number(default=0.5, meaning="a level", at_least=0, at_most=1)
        at: ClassVar = "never"
        decimal_at: ClassVar = "level"

        def per_query(self, ranked):
            return ranked.judged

    assert sy.metric("share@0.25") == sy.metric("share(level=0.25)") == Share(level=0.25)
    assert str(sy.metric("share@0.25:depth=5")) == "share(depth=5, level=0.25)"
    assert [m.level for m in parse("share@0.0, 0.5,1.0")] == [0, 0.5, 1]
    for text in ("share@1", "share@0", "share@all", "share@0.5,1", "share@"):
        with pytest.raises(sy.SteelyardError, match="level must be a number with a decimal point; got"):
            sy.metric(text)
    with pytest.raises(sy.SteelyardError, match="'level' is set twice"):
        sy.metric("share(level=0.5)@0.25")
    for text in ("share@1.5", "share(level=-0.1)", "share(level=nan)"):
        with pytest.raises(sy.SteelyardError, match="level must be a number from 0 to 1; got"):
            sy.metric(text)


@pytest.mark.parametrize("text", ["ndcg({})", "{}", "ndcg@{}", "trec_eval:{}"])
def test_a_text_that_is_too_long_is_refused(text):
    with pytest.raises(sy.SteelyardError, match="at most 5,000 are read"):
        sy.metric(text.format("," * 100_000))
    with pytest.raises(sy.SteelyardError):
        sy.metric(text.format("," * 4_900))
    with pytest.raises(sy.SteelyardError):
        sy.metric(text.format("x" + " " * 4_900 + "("))
