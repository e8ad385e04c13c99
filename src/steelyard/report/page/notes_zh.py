"""Notes and conventions of a result in Chinese, as far as their forms are known."""

from __future__ import annotations

import re

from steelyard.report.charts.words import Words
from steelyard.report.meanings_zh import MEANINGS

_N = r"([\d,]+)"
_SHARE = r"([\d.]+%)"
_FATES = {
    "left out": "不计入",
    "counted as empty lists": "按空列表计",
    "counted as having nothing relevant": "按没有相关物品计",
}
_TIED = rf"{_SHARE} of rows are tied with another row of their query"

_CONVENTIONS = [
    (r"queries and rows weighted by (.*)", "查询和行按 {0} 加权"),
    (r"queries weighted by (.*)", "查询按 {0} 加权"),
    (r"rows weighted by (.*)", "行按 {0} 加权"),
    (r"without the items of (.*)", "不含 {0} 中的物品"),
]

_FORMS: list[tuple[str, str]] = [
    (
        rf"all metrics are undefined for {_N} quer(?:y|ies) \((.*)\) and leave (?:it|them) out\.",
        "所有指标对 {0} 个查询（{1}）无定义，未计入平均。",
    ),
    (
        rf"(.*) (?:is|are) undefined for {_N} quer(?:y|ies) \((.*)\) and leaves? (?:it|them) out\.",
        "{0} 对 {1} 个查询（{2}）无定义，未计入平均。",
    ),
    (
        r"the metrics cover different numbers of queries \((.*)\): compare them with care\.",
        "各指标覆盖的查询数不同（{0}），比较时请留意。",
    ),
    (
        r"the metrics cover different queries \((.*)\): compare them with care\.",
        "各指标覆盖的查询不同（{0}），比较时请留意。",
    ),
    (r"the lists were ranked under (\d+) conventions: (.*)\.", "列表按 {0} 种约定排序：{1}。"),
    (rf"{_N} quer(?:y|ies) of the truth without predictions: (.*)\.", "真值中有 {0} 个查询没有预测：{1}。"),
    (rf"{_N} quer(?:y|ies) of the predictions without truth: (.*)\.", "预测中有 {0} 个查询没有真值：{1}。"),
    (
        rf"{_N} predictions? names? a \(query, item\) again: one counts\.",
        "{0} 行预测重复指向同一（查询，物品）：只计一次。",
    ),
    (
        rf"{_N} judgements? names? a \(query, item\) again: one counts\.",
        "{0} 条标注重复指向同一（查询，物品）：只计一次。",
    ),
    (
        rf"{_N} predictions? and {_N} judgements? name a \(query, item\) again: one counts\.",
        "{0} 行预测和 {1} 条标注重复指向同一（查询，物品）：只计一次。",
    ),
    (rf"{_N} rows? without judgement: removed before ranking\.", "{0} 行没有标注，排序前已移除。"),
    (rf"{_N} rows? with a score of -inf: not retrieved\.", "{0} 行的分数为 -inf，视为未检索。"),
    (rf"{_N} rows? excluded\.", "排除了 {0} 行。"),
    (rf"{_N} rows? whose item is the query itself: removed\.", "{0} 行的物品就是查询本身，已移除。"),
    (
        rf"{_N} lists? (?:is|are) shorter than the cutoff (\d+): read to the end\.",
        "{0} 个列表短于截断位置 {1}，读到末尾为止。",
    ),
    (
        rf"{_TIED}: each value is the mean over their orders\.",
        "{0} 的行与同查询的其他行并列：每个数值是各种次序的平均。",
    ),
    (
        rf"{_TIED}; their order alone moves (.*) within (\S+) – (\S+)\.",
        "{0} 的行与同查询的其他行并列；仅其次序就使 {1} 在 {2} – {3} 之间变动。",
    ),
    (
        rf"{_TIED}; their order moves no value by 0\.0001\.",
        "{0} 的行与同查询的其他行并列；其次序对任何数值的影响不到 0.0001。",
    ),
    (
        r"no judged item is relevant: the highest grade is (\S+) and rel is ([\d.]+)\.",
        "没有相关的已标注物品：最高等级为 {0}，而 rel 为 {1}。",
    ),
    (
        r"every judged item is relevant: grades are (\S+) to (\S+) and rel is (\S+); "
        r"did you mean rel=(\S+)\?",
        "所有已标注物品都相关：等级为 {0} 至 {1}，rel 为 {2}；是否应为 rel={3}？",
    ),
    (
        rf"gauc(.*) rests on {_N} of {_N} groups, {_SHARE} of rows; groups with one class only are left out: "
        rf"{_N} all positive, {_N} all negative\.",
        "gauc{0} 基于 {2} 个分组中的 {1} 个，占 {3} 的行；"
        "只有一种类别的分组未计入：{4} 个全为正，{5} 个全为负。",
    ),
    (rf"{_N} rows? without a label: left out\.", "{0} 行没有标签，未计入。"),
    (rf"{_N} rows? of weight 0: as if not there\.", "{0} 行权重为 0，视为不存在。"),
    (rf"{_N} rows? with a score of -inf: the lowest score there is\.", "{0} 行得分为 -inf，即最低分。"),
    (rf"{_N} predictions? without a label in the truth: left out\.", "{0} 行预测在真值中没有标签，未计入。"),
    (rf"{_N} rows? of the truth without a prediction: left out\.", "{0} 行真值没有预测，未计入。"),
    (
        rf"{_N} slices? \((.*)\) ha(?:s|ve) no row with a label and a weight\.",
        "{0} 个切片（{1}）没有同时带标签和权重的行。",
    ),
]


def note(sentence: str) -> Words:
    """A note in both languages, or in English alone.

    >>> note("12 queries of the predictions without truth: left out.").zh
    '预测中有 12 个查询没有真值：不计入。'
    >>> note("something new.")
    Words(en='something new.', zh='')
    """
    for form, zh in _FORMS:
        if found := re.fullmatch(form, sentence, re.DOTALL):
            return Words(sentence, zh.format(*(_FATES.get(part, part) for part in found.groups())))
    return Words(sentence, "")


def convention(line: str) -> Words:
    """The line of conventions, phrase by phrase; a field with its value is the same in both languages.

    >>> convention("house:2026 · ties by item, descending · gain=exp2 (ndcg@3)").zh
    'house:2026 · 同分按物品降序 · gain=exp2（ndcg@3）'
    """
    return Words(line, " · ".join(map(_phrase, line.split(" · "))))


def _phrase(phrase: str) -> str:
    if phrase in MEANINGS:
        return MEANINGS[phrase]
    for form, zh in _CONVENTIONS:
        if found := re.fullmatch(form, phrase, re.DOTALL):
            return zh.format(*found.groups())
    for said, zh in MEANINGS.items():
        if phrase.startswith(f"{said} (") and phrase.endswith(")"):
            return f"{zh}（{phrase[len(said) + 2 : -1]}）"
    found = re.fullmatch(r"(\w+=\S+) \((.*)\)", phrase, re.DOTALL)
    return f"{found[1]}（{found[2]}）" if found else phrase
