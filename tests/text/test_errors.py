"""What is refused, and the remedy, in Chinese: the sentences are written by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import steelyard as sy
from steelyard.cli.inputs import COMMAND_LINE, key_values, stated_once
from steelyard.text import languages
from steelyard.text.errors import SteelyardError

from ..tables import each_row

RUN = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.3}}
JUDGED = {"q1": {"b": 1}, "q2": {"a": 2}}


def ranked(**stated: object) -> sy.Result:
    return sy.evaluate(RUN, JUDGED, ["ndcg@10", "mrr"], **stated)


def clicks() -> sy.Result:
    return sy.evaluate([0.9, 0.2, 0.4], [1, 0, 1], "auc")


REFUSED: list[tuple[Callable[[], object], str, str]] = [
    (
        lambda: sy.metric("ndgc@10"),
        "没有名为 'ndgc@10' 的指标；是否想写 'ndcg@10'？",
        "已知的有：accuracy、auc、",
    ),
    (lambda: sy.metric("coverage"), "'coverage' 需要截断位置", "请写明取前几个：coverage@1、coverage@5"),
    (lambda: sy.metric("ndcg@0"), "k 必须是正整数或 'all'；得到 '0'", "例如 ndcg@10"),
    (lambda: sy.metric("auc@5"), "'auc' 不带截断位置", "请写 'auc'，不带 @"),
    (lambda: sy.metric("mrr(empty=none)"), "mrr：empty 必须是以下之一：'zero'、'skip'；得到 'none'", ""),
    (
        lambda: sy.metric("ndcg(gain=1:x)@5"),
        "ndcg：gain 必须是 'linear'、'exp2'、'binary' 或等级到增益的映射，如 1:3/2:9，其中等级大于 0，"
        "增益不小于 0；得到 '1:x'",
        "",
    ),
    (
        lambda: sy.metric("logloss(clip=0.7)"),
        "logloss：clip 必须是大于 0 且不超过 0.5 的数值，或 'none' 或 'epsilon'；得到 '0.7'",
        "",
    ),
    (
        lambda: sy.metric("ndcg(depth=1.5)@5"),
        "ndcg：depth 必须是大于 0 的整数，或 'none'；得到 '1.5'",
        "",
    ),
    (
        lambda: ranked(profile="trec_evl"),
        "没有名为 'trec_evl' 的约定方案；是否想写 'trec_eval'？",
        "已知的有：",
    ),
    (
        lambda: sy.evaluate(RUN, JUDGED, "mrr@10", profile="trec_eval"),
        "trec_eval 没有 mrr@10",
        "trec_eval 的倒数排名取自整个列表；只看前 10 个请写 mrr(depth=10)，即它的 -M 10",
    ),
    (lambda: ranked(conventions=[]), "conventions 必须是映射，如 {'ties': 'expected'}；得到 []", ""),
    (
        lambda: ranked(progress=3),
        "progress 必须是 True、False 或接收各阶段名称的函数；得到 3",
        "要进度条用",
    ),
    (lambda: ranked()["mrr@5"], "结果中没有 'mrr@5'", "现有：ndcg@10、mrr"),
    (
        lambda: sy.evaluate({"q": {"a": 1, "b": 1}}, {"q": {"a": 1}}, "ndcg(ideal=topk, ties=expected)@10"),
        "ndcg(ties=expected, ideal=topk)@10 在同分时没有期望值：ideal=topk 时，理想排序随同分物品的顺序而变",
        "请为同分物品选定顺序：ties=item_desc、item_asc、given、optimistic 或 pessimistic",
    ),
    (
        lambda: sy.evaluate([0.9, 0.2], [1, 1], "auc(undefined=error)"),
        "auc(undefined=error) 无定义：",
        "请用 undefined=nan 查看何处无定义，或用 zero、one 填上数值",
    ),
    (
        lambda: sy.metric("auc").of([0.5, 0.2], [1, [0, 1]]),
        "标注混有单个值和列表，或列表长短不一：第 2 行是长 2 的列表，而第一行是单个值",
        "请每行给一个值，或给各行等长的矩阵",
    ),
    (
        lambda: ranked().chart("rok"),
        "没有名为 'rok' 的图表；是否想写 'roc'？",
        "已知的有：roc、precision_recall、",
    ),
    (
        lambda: ranked().chart("roc"),
        "图表 'roc' 需要带 0 或 1 标签和得分的行，且正负样本都有，而结果中没有",
        "请加入一个基于标签和得分的指标，例如 auc",
    ),
    (lambda: clicks().chart("roc", bins=3), "图表 'roc' 没有选项 'bins'", "没有任何选项"),
    (lambda: clicks().curve("calibration", bins=0), "calibration：bins 必须是大于 0 且不超过 ", ""),
    (
        lambda: sy.explain("auc", grades=[1, 0]),
        "auc 是逐行指标，不能用于分级列表",
        "请给标签和得分：--labels 1,0,1 --scores 0.9,0.4,0.3",
    ),
    (lambda: ranked().explain("mrr"), "mrr 对 2 个查询各有一个值：请指定一个", "请用 --query ID，"),
    (
        lambda: sy.evaluate({"shoe": ["a"], "shop": ["a"]}, {"shoe": ["a"], "shop": ["a"]}, "mrr").explain(
            "mrr", "shot"
        ),
        "查询 'shot' 未参与评估；是否想写 'shop' 或 'shoe'？",
        "参与评估的有：'shoe' 和 'shop'",
    ),
    (
        lambda: ranked().write(Path("nowhere", "run.json")),
        f"无法写入 {Path('nowhere', 'run.json')}：文件夹 nowhere 不存在",
        "请先创建，或另指定一个",
    ),
    (lambda: ranked().to_json(indent=-1), "indent 必须是 None 或整数；得到 -1", "请取 0 到 "),
    (lambda: ranked().render("jsn"), "没有名为 'jsn' 的格式；是否想写 'json'？", "已知的有：table、json、"),
    (lambda: key_values("--set", ["rel"]), "--set 的写法是 NAME=VALUE；得到 'rel'", "例如 --set rel=2"),
    (
        lambda: stated_once({"ties": "given"}, {"ties": "expected"}, COMMAND_LINE),
        "ties 在命令行上写了两次：'given' 和 'expected'",
        "请只写一次",
    ),
]


@each_row(("call", "reason", "remedy"), REFUSED, ids=[reason for _, reason, _ in REFUSED])
def test_a_refusal_in_chinese(call: Callable[[], object], reason: str, remedy: str) -> None:
    with pytest.raises(SteelyardError) as refused:
        call()
    told = refused.value.render("zh").split("\n")
    assert told[0].startswith(reason)
    assert "".join(told[1:]).startswith(remedy)
    assert bool(told[1:]) == bool(refused.value.remedy)


@pytest.mark.parametrize(
    ("call", "given"),
    [
        (lambda lang: sy.explain("mrr", grades=[0, 1], lang=lang), "fr"),
        (lambda lang: clicks().chart("roc").svg(lang), "fr"),
        (lambda lang: clicks().to_html(lang=lang), "fr"),
    ],
)
def test_a_language_that_is_not_there_is_one_error(call: Callable[[str], object], given: str) -> None:
    with pytest.raises(SteelyardError) as refused:
        call(given)
    assert str(refused.value) == f"unknown language '{given}'\nknown: {', '.join(languages())}"
    assert refused.value.render("zh") == "没有语言 'fr'\n已知的有：en、zh"


def test_a_figure_is_not_taken_for_one_whose_name_begins_alike() -> None:
    error = SteelyardError("'{name}' is empty", remedy="{n} are too few", name="log.csv", n=3)
    assert (set(error.sentence.figures), set(error.hint.figures)) == ({"name"}, {"n"})
