"""`steelyard metrics`: the catalogue."""

from __future__ import annotations

import dataclasses

import pytest

import steelyard as sy
from steelyard.conventions import ALIGN_FIELDS, AVERAGE_FIELDS, RANK_FIELDS, Labelled
from steelyard.metrics import RankingMetric, by_name
from steelyard.metrics.registry import TASKS
from steelyard.render import catalogue

from ..tables import each_row

NAMES = list(by_name())
RANKINGS = [name for name in NAMES if issubclass(by_name()[name], RankingMetric)]
OTHERS = (*ALIGN_FIELDS, *RANK_FIELDS, *AVERAGE_FIELDS)
OF_ROWS = tuple(field.name for field in dataclasses.fields(Labelled))
SPELT = {"fbeta@k": "f1@k, fbeta(beta=2)@k", "fbeta": "f1, fbeta(beta=2)"}


def blocks(out):
    """The lines of each block under its heading."""
    parts = [part.splitlines() for part in out.rstrip("\n").split("\n\n")]
    return {lines[0]: [line.removeprefix("  ") for line in lines[1:]] for lines in parts}


def test_every_metric_is_listed_with_its_sentence_and_its_chinese_name(steelyard):
    done = steelyard("metrics")
    assert (done.code, done.err) == (0, "")
    listed = blocks(done.out)
    assert list(listed) == [
        "rankings",
        "lists as a whole",
        "rows, classes and ratings",
        "tasks (--task NAME)",
    ]
    rankings, lists, others, _ = listed.values()
    assert len(rankings) + len(lists) + len(others) == len(by_name())
    for name, cls in by_name().items():
        sentence = cls.__doc__.partition("\n")[0].replace("``", "")
        block = {"hits": rankings, "lists": lists}.get(cls.reads, others)
        line = next(line for line in block if sentence in line)
        assert line.startswith((f"{SPELT.get(name, name)} ", f"{name}[@k] "))
        assert line.endswith(sentence)


def test_every_task_is_listed(steelyard):
    out = steelyard("metrics").out
    width = max(map(len, TASKS))
    for name, metrics in TASKS.items():
        assert f"{name:<{width}}  {', '.join(metrics)}" in out


def test_every_task_is_of_metrics_of_one_kind():
    for metrics in TASKS.values():
        asked = [sy.metric(text) for text in metrics]
        assert [str(metric) for metric in asked] == list(metrics)
        assert len({metric.reads in ("hits", "lists") for metric in asked}) == 1


def test_in_chinese(steelyard):
    done = steelyard("metrics", "--lang", "zh")
    assert done.code == 0
    for cls in by_name().values():
        assert cls.zh in done.out
    assert "归一化折损累计增益" in done.out
    assert "How close a ranking" not in done.out
    assert "前 k 个物品中相关物品所占的比例。" in done.out
    assert list(blocks(done.out)) == [
        "排序指标",
        "列表整体指标",
        "逐行、分类与评分指标",
        "任务（--task 名称）",
    ]
    assert "tasks" not in done.out


def declared(cls):
    """Every text that a metric declares for a reader."""
    yield from catalogue.paragraphs(cls)
    for field in dataclasses.fields(cls):
        about = field.metadata
        yield from (*about.get("meaning", {}).values(), *about.get("words", {}).values())
        yield from [about["number"]] if "number" in about else []


def told_in_chinese(steelyard, name):
    cls = by_name()[name]
    done = steelyard("metrics", name, "--lang", "zh")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert cls.zh in lines[0]
    assert lines[2].endswith("。")
    assert [text for text in declared(cls) if text != "k" and text in done.out] == []
    assert [text for text in ("a number", "default", "a mapping") if text in done.out] == []
    own = {field.name for field in dataclasses.fields(cls)} - {*OTHERS, *OF_ROWS}
    assert ("字段（steelyard:2026 的取值在前）" in lines) == bool(own)
    assert "其他阶段的约定" in lines
    fields = {field.name for field in dataclasses.fields(cls)}
    for field in ("ties", "unlabelled"):
        assert (f"  {field}:" in lines) == (field in fields)
    assert "  undefined:" in lines


def test_the_chinese_of_a_metric_as_a_reader_has_it(steelyard):
    assert steelyard("metrics", "ndcg", "--lang", "zh").out.splitlines()[:13] == [
        "ndcg[@k]  归一化折损累计增益",
        "",
        "排序与该查询分级物品的最佳顺序有多接近：DCG 除以理想 DCG。",
        "",
        "DCG 是前 k 个物品的 gain(等级) / log2(排名 + 1) 之和；"
        "nDCG 再除以 ideal 所指物品按最佳顺序排列的 DCG。后者为 0 时无定义。",
        "",
        "字段（steelyard:2026 的取值在前）",
        "  k: 数值：读取每个列表的前 k 个；all = 整个列表",
        "  gain:",
        "    linear        等级本身（Järvelin 与 Kekäläinen 2002）",
        "    exp2          2^等级 - 1（Burges 等 2005）",
        "    binary        大于 0 的等级一律为 1",
        "    1:3/2:9       从等级到增益的映射",
    ]
    lines = steelyard("metrics", "f1", "--lang", "zh").out.splitlines()
    assert "  threshold: 数值，默认 0.5：得分不低于此值为正" in lines
    assert "    samples       多标签时逐行计算，再对行取平均（样本平均）" in lines


def test_a_metric_of_ones_own_is_told_as_it_is_written(steelyard):
    @sy.register("luck")
    class Luck(sy.RankingMetric):
        """How lucky a list is."""

        def per_query(self, ranked):
            return ranked.judged

    assert steelyard("metrics", "luck", "--lang", "zh").out.splitlines()[2] == "How lucky a list is."


def test_f1_is_listed(steelyard):
    lines = steelyard("metrics").out.splitlines()
    assert any(
        line.startswith("  f1@k, fbeta(beta=2)@k  Precision and recall of the first") for line in lines
    )
    assert any(line.startswith("  f1, fbeta(beta=2)  Precision and recall in one") for line in lines)


@each_row("name", NAMES)
def test_one_metric_with_every_field_and_value(steelyard, name):
    done = steelyard("metrics", name)
    assert (done.code, done.err) == (0, "")
    cls = by_name()[name]
    assert cls.zh not in done.out
    for field in dataclasses.fields(cls):
        assert f"  {field.name}:" in done.out
        for word in field.metadata.get("meaning", {}):
            assert f"    {word} " in done.out
    for field in OTHERS if name in RANKINGS else ["undefined"]:
        assert f"  {field}:" in done.out
    told_in_chinese(steelyard, name)


def test_the_cutoff_chooses_between_metrics_of_one_name(steelyard):
    ranking, classes = steelyard("metrics", "precision@k").out, steelyard("metrics", "precision").out
    assert "What share of the first k items is relevant." in ranking
    assert "  ties:" in ranking
    assert "What share of the rows called positive is positive." in classes
    assert "  threshold:" in classes
    assert "  ties:" not in classes


def test_a_metric_without_fields_has_no_heading_for_them(steelyard):
    assert "fields (steelyard:2026 first)" not in steelyard("metrics", "ks").out
    assert "fields (steelyard:2026 first)" in steelyard("metrics", "auc").out


@each_row(
    ("alias", "name"),
    [
        ("f1", "f1,"),
        ("f1@5", "f1@k,"),
        ("ndcg@10", "ndcg[@k]"),
        ("AP", "map[@k]"),
        ("rprec", "r_precision"),
        ("p", "precision@k"),
        ("accuracy", "accuracy"),
        ("accuracy@5", "hit_rate[@k]"),
        ("召回率", "recall"),
        ("召回率@k", "recall@k"),
        ("roc_auc", "auc"),
        ("uauc", "gauc"),
        ("准确率", "accuracy"),
        ("top_accuracy", "top_accuracy@k"),
        ("Hit-Rate", "hit_rate[@k]"),
    ],
)
def test_one_metric_by_another_name(steelyard, alias, name):
    done = steelyard("metrics", alias)
    assert done.code == 0, done.err
    assert done.out.splitlines()[0].split()[0] == name


def test_a_task(steelyard):
    assert steelyard("metrics", "--task", "ranking").out.splitlines() == list(TASKS["ranking"])
    done = steelyard("metrics", "--task", "rankin")
    assert done.code == 2
    assert done.err == (
        "error: unknown task 'rankin'; did you mean 'ranking'?\n"
        "       known: retrieval, search, ranking, rerank, recommendation, ctr, classification, rating\n"
    )


def test_an_unknown_metric(steelyard):
    done = steelyard("metrics", "ndgc")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[0] == "error: unknown metric 'ndgc'; did you mean 'ndcg'?"
    assert "known: accuracy, " in done.err.splitlines()[1]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("auc@5", "error: 'auc' takes no cutoff"),
        ("准确率@5", "error: '准确率@5' is used for two metrics"),
        ("ndgc@5", "error: unknown metric 'ndgc@5'; did you mean 'ndcg@5'?"),
    ],
)
def test_a_cutoff_where_there_is_none(steelyard, name, said):
    done = steelyard("metrics", name)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[0] == said
