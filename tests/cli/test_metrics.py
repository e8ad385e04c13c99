"""`steelyard metrics`: the catalogue."""

from __future__ import annotations

import dataclasses

import pytest

from steelyard.conventions import ALIGN_FIELDS, AVERAGE_FIELDS, RANK_FIELDS
from steelyard.metrics import by_name
from steelyard.metrics.tasks import TASKS
from steelyard.report import catalogue_zh

NAMES = list(by_name())


def test_every_metric_is_listed_with_its_sentence_and_its_chinese_name(steelyard):
    done = steelyard("metrics")
    assert (done.code, done.err) == (0, "")
    for name, cls in by_name().items():
        sentence = cls.__doc__.partition("\n")[0]
        line = next(line for line in done.out.splitlines() if sentence in line)
        assert line.startswith(("f1@k, fbeta(beta=2)@k ", f"{name}@k ", f"{name}[@k] ", f"{name} "))
        assert line.endswith(cls.zh)


def test_every_task_is_listed(steelyard):
    out = steelyard("metrics").out
    for name, metrics in TASKS.items():
        assert f"{name:<10} {', '.join(metrics)}" in out


def test_in_chinese(steelyard):
    done = steelyard("metrics", "--lang", "zh")
    assert done.code == 0
    for cls in by_name().values():
        assert cls.zh in done.out
    assert "归一化折损累计增益" in done.out
    assert "How close a ranking" not in done.out
    assert "前 k 个物品中相关物品所占的比例。" in done.out
    assert "任务（--task 名称）" in done.out
    assert "tasks" not in done.out


@pytest.mark.parametrize(
    "name", [name for name in NAMES if by_name()[name].__module__.startswith("steelyard.")]
)
def test_every_metric_has_a_chinese_sentence(steelyard, name):
    sentence = catalogue_zh.SENTENCES[name]
    assert sentence.endswith("。")
    done = steelyard("metrics", name, "--lang", "zh")
    lines = done.out.splitlines()
    assert by_name()[name].zh in lines[0]
    assert lines[2] == sentence
    assert lines[4] == "字段（house:2026 的取值在前）"
    assert "其他阶段的约定" in lines
    assert "  ties:" in lines


def test_f1_is_listed(steelyard):
    out = steelyard("metrics").out
    assert any(line.startswith("f1@k, fbeta(beta=2)@k  Precision and recall") for line in out.splitlines())


@pytest.mark.parametrize("name", NAMES)
def test_one_metric_with_every_field_and_value(steelyard, name):
    done = steelyard("metrics", name)
    assert (done.code, done.err) == (0, "")
    cls = by_name()[name]
    assert cls.zh in done.out.splitlines()[0]
    for field in dataclasses.fields(cls):
        assert f"  {field.name}:" in done.out
        for word in field.metadata.get("meaning", {}):
            assert f"    {word} " in done.out
    for field in (*ALIGN_FIELDS, *RANK_FIELDS, *AVERAGE_FIELDS):
        assert f"  {field}:" in done.out


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("f1", "f1@k,"),
        ("ndcg@10", "ndcg[@k]"),
        ("AP", "map[@k]"),
        ("rprec", "r_precision"),
        ("p", "precision@k"),
        ("accuracy", "hit_rate[@k]"),
        ("召回率", "recall@k"),
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
        "       known: retrieval, search, ranking, rerank\n"
    )


def test_an_unknown_metric(steelyard):
    done = steelyard("metrics", "ndgc")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[0] == "error: unknown metric 'ndgc'; did you mean 'ndcg'?"
    assert "known: cg, dcg, f1" in done.err.splitlines()[1]


def test_an_unknown_language(steelyard):
    done = steelyard("metrics", "--lang", "fr")
    assert done.code == 2
    assert "'fr' is not one of 'en', 'zh'" in done.err
