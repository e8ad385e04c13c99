"""Notes, readings, facts and conventions in Chinese: as a Chinese engineer would have written them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.kernels import choose
from steelyard.text import say
from steelyard.text.errors import MetricError

from ..tables import each_row

# a, then b, then c and d tied; a and c are relevant
RUN = {"q": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 1.0}}
TRUTH = {"q": {"a": 1, "c": 1}}
TWO = {"q": {"a": 1.0, "b": 1.0}, "q2": {"a": 1.0}}
THREE = {"q": {"a": 1, "b": 0}, "q2": {"a": 1}, "q3": {"a": 1}}
GROUPS = {"query": ["u", "u", "v"], "label": [1, 0, 1], "score": [0.8, 0.2, 0.7]}
SLICED = pl.DataFrame(
    {
        "query": ["q1", "q1", "q2", "q2"],
        "item": ["a", "b", "a", "b"],
        "score": [1.0, 1.0, 2.0, 1.0],
        "country": [None, None, "DE", "DE"],
    }
)
RANKED = pl.DataFrame(
    {"query": ["q"] * 3, "item": ["a", "b", "c"], "score": [3.0, 2.0, 1.0], "rank": [2, 1, 3]}
)
DISTANCES = pl.DataFrame({"query": ["q"] * 5, "item": [*"abcde"], "score": [0.1, 0.2, 0.3, 0.4, 0.5]})
FIRST = {"q1": {"a": 1}, "q2": {"a": 1}}
ONE = {"q": {"a": 1, "b": 0}}
HALF = "50.0% 的行与同查询的其他行同分"

CASES = {
    "two ranges": (
        (RUN, TRUTH, ["recall@3", "precision@3"]),
        {},
        [
            f"{HALF}；仅同分项的先后就会改变数值：recall@3 在 0.5000 – 1.0000 之间、"
            "precision@3 在 0.3333 – 0.6667 之间。"
        ],
    ),
    "many ranges": (
        (RUN, TRUTH, ["recall@3", "precision@3", "f1@3", "fbeta(beta=2)@3"]),
        {},
        [
            f"{HALF}；仅同分项的先后就会改变数值：recall@3 在 0.5000 – 1.0000 之间、"
            "precision@3 在 0.3333 – 0.6667 之间、f1@3 在 0.4000 – 0.8000 之间等，另有 1 个。"
        ],
    ),
    "by item, undefined": (
        ({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}, "mrr(empty=skip)@1"),
        {},
        [
            "mrr(empty=skip)@1 对 1 个查询（q）无定义，未计入平均。",
            "100.0% 的行与同查询的其他行同分；mrr(empty=skip)@1 按 item_desc 为无定义，"
            "按 item_asc 为 1.0000，其他顺序可能超出此范围。",
        ],
    ),
    "several rankings": (
        (TWO, THREE, ["recall@5", "recall(ties=expected)@5", "mrr(missing=skip)"]),
        {},
        [
            "各指标覆盖的查询数不同（recall@5 3、recall(ties=expected)@5 3、mrr(missing=skip) 2），"
            "比较时请留意。",
            "列表按 3 种约定排序：recall@5 | recall(ties=expected)@5 | mrr(missing=skip)。",
            "标注中有 1 个查询没有预测：按空列表计（recall@5、recall(ties=expected)@5）。",
            "2 个列表短于截断位置 5，读到末尾为止（recall@5、recall(ties=expected)@5）。",
            "标注中有 1 个查询没有预测：不计入（mrr(missing=skip)）。",
            "66.7% 的行与同查询的其他行同分；同分项的先后对 recall@5 的影响不足 0.0001。",
            "66.7% 的行与同查询的其他行同分：recall(ties=expected)@5 的每个数值是各种顺序的平均。",
            "66.7% 的行与同查询的其他行同分；"
            "仅同分项的先后就会改变数值：mrr(missing=skip) 在 0.7500 – 1.0000 之间。",
        ],
    ),
    "slices": (
        (SLICED, FIRST, "mrr"),
        {"by": "country", "weights": {"q1": 1, "q2": 1_000_000}},
        [
            f"{HALF}；同分项的先后对总体数值的影响不足 0.0001，但会改变分组中的 mrr："
            "(无) 在 0.5000 – 1.0000 之间。"
        ],
    ),
    "rel": (
        (RUN, TRUTH, "recall(rel=2)@3"),
        {},
        [
            "recall(rel=2)@3 对 1 个查询（q）无定义，未计入平均。",
            "没有相关的已标注物品：最高等级为 1，而 rel=2；请另设，例如 rel=1。",
            f"{HALF}；同分项的先后对各指标影响不足 0.0001。",
        ],
    ),
    "ranks": (
        (RANKED, {"q": {"a": 1}}, "mrr"),
        {},
        [
            "1 个列表中有 1 个按列 'rank' 排出的顺序与按得分排出的不同；"
            "默认以得分为准，以排名为准请用 order=rank。"
        ],
    ),
    "distances": (
        (DISTANCES, {"q": {"a": 1}}, "mrr"),
        {},
        [
            "1 个列表中有 1 个的得分逐行上升，而得分最高的视为最好：若得分是距离，请取负值，"
            "或用 order=given 按行的顺序。"
        ],
    ),
    "one object": ((ONE, ONE, "mrr"), {}, ["预测与标注是同一个对象：每个值都是对自身的预测。"]),
    "groups left out": (
        (GROUPS, None, "gauc"),
        {},
        [
            "gauc 使用 2 个组中的 1 个（占 66.7% 的行）；只有一个类别的组不计入："
            "1 个全为正样本，0 个全为负样本。"
        ],
    ),
    "groups filled": (
        (GROUPS, None, "gauc(single_class=half)"),
        {},
        [
            "gauc(single_class=half) 使用全部 2 个组；只有一个类别的组计为 0.5："
            "1 个全为正样本，0 个全为负样本。"
        ],
    ),
    "two values": (
        ([1.0, 0.0, 1.0], [1, 0, 0], ["auc", "logloss"]),
        {},
        ["得分只有两个值，0 和 1：若为预测的类别，请为 auc、logloss 提供原始得分。"],
    ),
    "positive class": (
        ({"label": ["no", "yes", "no"], "predicted": ["no", "yes", "yes"]}, None, "precision"),
        {},
        ["precision：正类为 'yes'，即 'no' 和 'yes' 中的第二个。"],
    ),
    "undefined classes": (
        ({"label": ["a", "b", "b"], "predicted": ["a", "a", "c"]}, None, "precision(average=macro)"),
        {},
        ["precision(average=macro)：类别 'b' 无定义，按 0 计入平均（undefined_class=zero）。"],
    ),
    "rows are units, and few": (
        ({"label": [1, 0, 1, 0], "score": [0.8, 0.1, 0.6, 0.4]}, None, "logloss"),
        {"ci": "auto"},
        [
            "置信区间假定各行相互独立；若多行属于同一用户，请指定 unit=列名。",
            "logloss：有效样本量不足 10，置信区间仅供参考。",
        ],
    ),
    "one unit": (
        ({"q": {"a": 1.0}}, {"q": {"a": 1}}, "mrr"),
        {"ci": "auto"},
        ["mrr：没有置信区间，因为只有一个单元（查询、用户或组）有数据。"],
    ),
    "equal units": (
        ({f"q{n}": {"a": 1.0} for n in range(12)}, {f"q{n}": {"a": 1} for n in range(12)}, "dcg@1"),
        {"ci": "auto"},
        ["dcg@1：所有单元的值都相同，因此没有置信区间。"],
    ),
    "another kind": (
        ({f"q{n}": {"a": 1.0} for n in range(12)}, {f"q{n}": {"ab"[n % 2]: 1} for n in range(12)}, "dcg@1"),
        {"ci": "score"},
        ["dcg@1：没有 score 这种置信区间；给出的是适合该指标的一种。"],
    ),
    "biased": (
        ({"label": [1, 0] * 20, "score": [0.9, 0.2, 0.3, 0.4] * 10, "user": list(range(40))}, None, "ks"),
        {"ci": "auto"},
        ["ks：该指标有正偏差，置信区间的实际覆盖率低于标称水平。"],
    ),
    "a heavy unit": (
        (
            {
                "label": [1, 0] * 55,
                "score": [0.7, 0.4] * 54 + [0.6, 0.3],
                "user": [0] * 11 + list(range(1, 100)),
            },
            None,
            "logloss",
        ),
        {"ci": "auto"},
        ["单元 0 占 logloss 的 10.0%：100 个单元的有效样本量为 55.0。"],
    ),
}


@each_row("case", CASES)
def test_notes_are_told_in_chinese(case: str) -> None:
    """The tables are tiny: the notes on their intervals have a test below."""
    (predictions, truth, metrics), options, expected = CASES[case]
    result = sy.evaluate(predictions, truth=truth, metrics=metrics, **{"ci": "none", **options})
    assert [note.render("zh") for note in result.notes] == expected


@pytest.mark.parametrize("why", ["LLVM", "no module named llvmlite"])
def test_missed_kernels_are_told(monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    lacking = "Numba cannot be imported ({why}): large tables take longer, and the numbers are the same."
    monkeypatch.setattr(choose, "LARGE", 1)
    monkeypatch.setattr(choose, "LARGE_WHEN_LOADED", 1)
    monkeypatch.setattr(choose, "_lacking", say(lacking, why=why))
    log = {"label": [1, 0] * 5, "score": np.linspace(0, 1, 10)}
    [note] = sy.evaluate(log, metrics="auc", ci="none").notes
    assert note.render("zh") == f"无法导入 Numba（{why}）：大表耗时更长，数值不变。"


def test_readings_are_told_in_chinese() -> None:
    log = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.95, 0.85]}
    [reading] = sy.evaluate(log, metrics=["auc", "ne", "calibration"]).readings()
    assert reading.render("zh") == (
        "排序良好，但概率有偏差：需要校准（auc 1.0000 ≥ 0.7；ne 1.3212 ≥ 1；"
        "calibration 1.7500 在 0.8–1.25 之外）。"
    )
    assert reading.key == "calibrate"


def test_the_table_and_all_around_it_are_told_in_chinese() -> None:
    result = sy.evaluate(SLICED, FIRST, ["mrr"], by="country", weights={"q1": 1, "q2": 3})
    assert result.to_text(lang="zh").splitlines() == [
        "country  指标    数值     95% 置信区间  查询数  无定义",
        "(全部)   mrr   0.8750  0.0137 – 0.9997       2       0",
        "(无)     mrr   0.5000                –       1       0",
        "DE       mrr   1.0000                –       1       0",
    ]
    assert result.to_markdown(lang="zh").startswith(
        "| country | 指标 | 数值 | 95% 置信区间 | 查询数 | 无定义 |"
    )
    assert [fact.render("zh") for fact in result.facts] == [
        "2 个查询",
        "4 行预测",
        "2 条标注",
        "参与排序的行中 50.0% 未标注",
    ]
    assert " · 查询按权重加权" in result.conventions_line().render("zh")


def test_a_slice_is_never_taken_for_the_whole_in_any_language() -> None:
    table = {"label": [1, 0, 1], "score": [0.9, 0.1, 0.8], "site": ["(全部)", "(无)", "(all)"]}
    result = sy.evaluate(table, metrics="brier", by="site")
    assert result.table()["site"].to_list() == ["(all)", '"(all)"', '"(全部)"', '"(无)"']


def test_a_language_that_does_not_exist_is_refused_with_those_there_are() -> None:
    result = sy.evaluate(RUN, TRUTH, "mrr")
    for ask in (
        lambda lang: result.system(lang=lang),
        lambda lang: result.render("json", lang=lang),
        lambda lang: result.to_text(lang=lang),
    ):
        with pytest.raises(MetricError, match="unknown language 'xx'\nknown: en, zh"):
            ask("xx")
