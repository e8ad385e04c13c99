"""What is refused of files, columns, rows and classes, in Chinese: the sentences are written by hand."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.engine.columns import checked_probabilities
from steelyard.metrics.classes.thresholds import precision_at_recall
from steelyard.text.errors import SteelyardError

from ..tables import each_row

RUN = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.3}}
JUDGED = {"q1": {"b": 1}, "q2": {"a": 2}}
ROWS = {"label": [1, 0, 1], "score": [0.9, 0.2, 0.4]}


def refused(asked: Callable[[], object]) -> SteelyardError:
    with pytest.raises(SteelyardError) as caught:
        asked()
    return caught.value


def ranked(predictions: Any = RUN, truth: Any = JUDGED, **stated: Any) -> sy.Result:
    return sy.evaluate(predictions, truth, "ndcg@10", **stated)


def rows(metric: str = "auc", *, data: Mapping[str, Any] = ROWS, **stated: Any) -> sy.Result:
    return sy.evaluate(pl.DataFrame(data), metrics=metric, **stated)


REFUSED: list[tuple[Callable[[], object], str, str]] = [
    (
        lambda: ranked({"q1": {"a": float("nan")}}),
        "预测，查询 'q1'、物品 'a'：得分为 'nan'",
        "请删除该行，或补全该值；NaN 无法比较",
    ),
    (
        lambda: ranked(pl.DataFrame({"query": ["q"], "item": ["a"], "points": [0.5]})),
        "预测没有可作得分的列：现有的列是 'query'、'item' 和 'points'",
        '请指明是哪一列：--columns score=NAME，在 Python 中为 columns={"score": "NAME"}；'
        "如果行已有序，也可用 --order given",
    ),
    (
        lambda: ranked({"p1": {"a": 1.0}}),
        "预测的查询都不在标注中：前者如 'p1'，后者如 'q1' 和 'q2'",
        "请检查两边查询的写法是否一致，以及哪一列是查询（query=NAME）",
    ),
    (
        lambda: ranked({"q1": {"a": 1.0}}, missing="error"),
        "标注中有 1 个查询在预测中没有预测：q2",
        "传入 missing=keep 将其按空列表计入，或传入 skip 不计入",
    ),
    (
        lambda: ranked(by="country"),
        "预测和标注中没有可用来分组的列 'country'",
        "现有的列：item、query、relevance、score",
    ),
    (
        lambda: ranked(columns={"item": "sku"}),
        "预测和标注都没有列 'sku'（指定为 item）",
        "现有的列是 'query'、'item'、'score' 和 'relevance'",
    ),
    (
        lambda: ranked(columns={"qurey": "user"}),
        "columns 中有未知的角色 'qurey'；是否想写 'query'？",
        "角色有 'query'、'item'、'score'、'rank'、'relevance'、'weight'、'predicted'、"
        "'probability'、'count'、'group'、'feature' 和 'label'，可单独写，"
        "或写作 'predictions.query'、'truth.query'",
    ),
    (
        lambda: ranked(np.ones((2, 2)), np.ones((2, 3))),
        "得分矩阵的形状为 (2, 2)，标签矩阵为 (2, 3)",
        "请给出两个形状相同的矩阵；行为查询，列为物品",
    ),
    (lambda: ranked(7), "预测的类型为 int，不是表", "表可以是路径、文件夹、通配符、URL 或它们的列表；"),
    (lambda: ranked("rum.csv"), "rum.csv 不存在", "请检查写法，以及文件是否在当前文件夹中"),
    (
        lambda: ranked(weights={"q1": 1.0}),
        "有 1 个查询在权重中没有权重，第一个是 q2",
        "请给每个参与评估的查询一个权重，0 表示不计入",
    ),
    (
        lambda: rows(data={**ROWS, "label": [1, 2, 0]}),
        "预测第 2 行数据：标签为 2，而标签必须是 0 和 1；现有 0、1 和 2",
        '请改为 0 和 1，或列出两个类别，正类在后（classes=["no", "yes"]，--classes no,yes），'
        "或使用分类或评分指标",
    ),
    (
        lambda: rows(data={**ROWS, "label": [1, None, None]}),
        "预测第 2 行数据：标签为空，另有 1 行也是如此",
        "请补全，或传入 unlabelled=drop（--unlabelled drop）不计入这些行，并记录行数",
    ),
    (
        lambda: rows("logloss", data={**ROWS, "score": [0.9, -3.0, 4.0]}),
        "预测第 2 行数据：得分为 -3，而 logloss 需要 [0, 1] 内的概率（得分范围为 -3 至 4）",
        "请给出概率；它们像是 logit：请用 1 / (1 + exp(-score)) 转换",
    ),
    (
        lambda: rows("gauc", data=ROWS),
        "预测没有可作查询的列：现有的列是 'label' 和 'score'",
        "请指明是哪一列：",
    ),
    (
        lambda: sy.metric("gauc").of([0.5, 0.1], [1, 0]),
        "gauc 需要每行的组",
        '请给出带组列的表，columns={"query": "user_id"}，或向 .of 传入 groups',
    ),
    (
        lambda: sy.metric("auc").of([0.5, 0.1], [1, 0, 1]),
        "预测有 2 个，而标签有 3 个",
        "请为每个标签给一个预测",
    ),
    (
        lambda: sy.metric("f1").of(predictions=["a", "b", "b"], truth=["a", "b", "c"]),
        "f1 需要两个类别；现有 3 个：'a'、'b' 和 'c'",
        "请选择如何把各类别合为一个值：average=micro、macro、weighted、none",
    ),
    (
        lambda: sy.metric("accuracy").of(predictions=[1, 2], truth=["a", "b"]),
        "类别有的是文本，有的是整数",
        "标签、预测和 classes 请全用文本，或全用整数",
    ),
    (
        lambda: precision_at_recall([0.5, 0.1], [1, 0], recall=2),
        "recall 必须是大于 0 且不超过 1 的数；得到 2",
        "",
    ),
    (
        lambda: checked_probabilities(np.array([[0.5, 0.2]])),
        "第 1 行数据：概率之和为 0.7，不是 1（容差 0.001）",
        "若是份额或有舍入，请把每行除以其和；若是 logit，请用 softmax",
    ),
]


@each_row(("asked", "said", "remedy"), REFUSED)
def test_what_is_refused_is_told_in_chinese(asked: Callable[[], object], said: str, remedy: str) -> None:
    error = refused(asked)
    assert error.sentence.render("zh") == said
    assert error.hint.render("zh").startswith(remedy)
    assert bool(error.hint) == bool(remedy)
    assert pickle.loads(pickle.dumps(error)).render("zh") == error.render("zh")


FILES = [
    ("a.csv", b"query,item,score\nq,a,x\n", "a.csv 第 1 行数据：得分为 'x'，不是数字"),
    ("a.csv", b"query,item,score\nq,a,\xff\n", "a.csv 第 2 行：字节不是 UTF-8 文本"),
    ("a.csv", b"", "a.csv 是空的"),
    ("a.jsonl", b"[1]\n", "a.jsonl 第 1 行：不是 JSON 对象（是其他 JSON 值）"),
    ("a.parquet", b"query", "a.parquet 不是有效的 parquet 文件：开头不符"),
    ("a.xlsx", b"PK\x03\x04", "a.xlsx：不支持 .xlsx 文件"),
    ("a.csv", b"PK\x03\x04", "a.csv 是 zip 压缩包或电子表格，不支持读取"),
    (
        "a.run",
        b"q1 Q0 a 1\n",
        "a.run 第 1 行：TREC run 有 6 列（query Q0 item rank score tag），而这一行有 4 列：'q1 Q0 a 1'",
    ),
    ("a.csv", b"q,d,0.5\n", "a.csv 似乎没有表头：第一行是 'q'、'd' 和 '0.5'"),
]


@pytest.mark.parametrize(("name", "content", "said"), FILES)
def test_a_file_is_refused_in_chinese(
    name: str, content: bytes, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(content)
    assert refused(lambda: ranked(name)).sentence.render("zh") == said


@pytest.mark.parametrize(
    ("labels", "scores", "place"),
    [
        ([1, 3], [0.5, 0.1], "truth, row 2"),  # a label stands in the truth
        ([1, 0], [0.5, 1.5], "predictions, row 2"),  # a score in the predictions
    ],
)
def test_a_row_is_placed_in_the_table_that_holds_the_value(
    labels: list[int], scores: list[float], place: str
) -> None:
    said, true = ({"query": ["u", "v"]} for _ in range(2))
    predictions = pl.DataFrame({**said, "score": scores})
    truth = pl.DataFrame({**true, "label": labels})
    error = refused(lambda: sy.evaluate(predictions, truth, "logloss"))
    assert error.message.startswith(f"{place}: ")
