"""What an explanation says in another language: nothing of it is English, and one file is a language."""

from __future__ import annotations

import re

import pytest

import steelyard as sy

from ...third_language import outside

LIST_METRICS = (
    *("ndcg@3", "ndcg(ideal=full)@3", "map@2", "map(denominator=hits)@2", "mrr", "mrr@1", "hit_rate@2"),
    *("precision@3", "recall@3", "f1@2", "r_precision", "cg", "dcg", "idcg"),
)
KNOWN = re.compile(
    r"Järvelin|Kekäläinen|Burges|McClish|DCG|nDCG|log2|min|max|beta|ideal=full|undefined=\w+|empty=\w+|f1|R\b|k\b"
)
RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 2.0, "d": 1.0}, "q2": {"a": 1.0}, "q3": {}}
TRUTH = {"q1": {"b": 2, "c": 1, "z": 3, "d": 0}, "q2": {"b": 0}, "q3": {"a": 1}}
CLICKS = {"labels": [1, 1, 0, 0], "scores": [0.8, 0.5, 0.5, 0.1], "groups": ["u", "u", "u", "v"]}
LETTERS = {"labels": list("aabbc"), "predicted": list("abbbc")}
EXPLAINED = [
    *(("ndcg@2", {"grades": [0, 2, 1], "judged": [2, 2, 1]}), ("mrr", {"grades": [0, 1]})),
    *(("fbeta(beta=2)@2", {"grades": [1, 0, 1]}), ("map(undefined=zero)", {"grades": [0, 0]})),
    *((name, CLICKS) for name in ("auc", "auc(max_fpr=0.5)", "roc", "gauc", "ks", "pr_auc", "ece", "copc")),
    *(("logloss(base=2)", {**CLICKS, "weights": [1, 2, 1, 1]}), ("rig", CLICKS), ("brier", CLICKS)),
    *((name, LETTERS) for name in ("confusion", "accuracy", "balanced_accuracy", "mcc", "f1(average=macro)")),
    *((name, {"labels": [1, 0, 3], "scores": [0.9, 0.4, 2.3]}) for name in ("r2", "mae", "rmse")),
]


@pytest.mark.parametrize("metric", LIST_METRICS)
@pytest.mark.parametrize("ties", ["expected", "item_desc"])
def test_chinese_has_no_english_left(metric, ties):
    asked = sy.metric(metric)
    result = sy.evaluate({key: value for key, value in RUN.items() if value}, TRUTH, asked, ties=ties)
    for query in ("q1", "q2", "q3"):
        told = result.explain(metric, query, lang="zh").to_text()
        rest = re.sub(r"[a-z_0-9]+\([^)]*\)(@\d+)?|[a-z_0-9]+@\d+", "", told)  # metrics as text
        rest = re.sub(r"\b\w+=[\w.:/]+", "", rest)  # fields with their choice
        rest = KNOWN.sub("", rest.replace(asked.name, "").replace(query, ""))
        rest = re.sub(r"^  \S+ +[abcdz] ", "", rest, flags=re.MULTILINE)  # items
        assert not re.findall(r"[A-Za-z]{2,}", rest), told


def test_a_list_in_chinese():
    told = sy.explain("fbeta(beta=2)@2", grades=[1, 0, 1], judged=[1, 1, 1, 0], lang="zh").to_markdown()
    for line in (
        "展示的物品 3 · 已标注 4 · 等级大于 0：3",
        "- 精确率 = 命中数 / k",
        "- 召回率 = 命中数 / 相关物品数",
        "- fbeta = (1 + beta^2) × 命中数 / (beta^2 × 相关物品数 + k)",
        "**实际排序**",
        "| 排名 | 等级 | 命中 | 累计 |",
        "| 1 | 1 | 1 | 1 |",
        "|  | 命中数 | 1 |  |",
        "- 精确率 = 1 / 2 = 0.5000",
        "- 截断位置之后、未计入的物品：1。",
    ):
        assert line in told.splitlines(), told


def test_rows_in_chinese():
    told = sy.explain("gauc", **CLICKS, lang="zh").to_markdown()
    for line in (
        "行 4 · 正样本 2 · 负样本 2",
        "- gauc = 权重 × AUC 的总和 / 权重之和",
        "- 权重之和 = 权重的总和",
        "**逐组**",
        "| 组 | 行数 | 正样本 | 负样本 | AUC | 权重 | 权重 × AUC |",
        "以下选择结果相同：weight=clicks、weight=pairs、weight=uniform",
    ):
        assert line in told.splitlines(), told
    assert "只有一个类别的组不计入：0 个全为正样本，1 个全为负样本。" in told
    half = sy.explain("gauc(single_class=half)", **CLICKS, lang="zh").to_text()
    assert "只有一个类别的组计为 0.5：0 个全为正样本，1 个全为负样本。" in half
    bits = sy.explain("logloss(base=2)", **CLICKS, weights=[1, 2, 1, 1], lang="zh").to_markdown()
    assert "| 行 | 标签 | 预测概率 | 实际结果的概率 | 权重 | 代价（比特） | 权重 × 比特 |" in bits
    pairs = sy.explain(
        "auc(average=ovo_macro)", labels=["a", "b"], scores=[[0.6, 0.4], [0.3, 0.7]], lang="zh"
    )
    assert "| 类别对 | AUC |" in pairs.to_markdown()


@pytest.mark.parametrize(("metric", "given"), EXPLAINED)
def test_a_third_language_is_one_file(metric, given, third_language):
    told = sy.explain(metric, **given, lang=third_language).to_markdown()
    assert "⟦" in told
    rest = re.sub(r"\b\w+=\S+", "", outside(told).replace("\\", ""))  # fields with their choice
    names = {*re.findall(r"\w+", metric), "fbeta", "sqrt", "log", "min"}
    assert set(re.findall(r"[A-Za-z_]{2,}", rest)) <= names, told


def test_a_language_that_there_is_not(third_language):
    with pytest.raises(sy.SteelyardError, match="unknown language 'fr'") as caught:
        sy.explain("mrr", grades=[1], lang="fr")
    assert caught.value.remedy == "known: en, xx, zh"
    with pytest.raises(sy.SteelyardError, match="unknown language"):
        sy.explain("mrr", grades=[1]).to_text(["zh"])
