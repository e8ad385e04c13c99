"""Notes and conventions of a result in Chinese, as far as their forms are known."""

from __future__ import annotations

import re
from collections.abc import Sequence

from steelyard.messages import catalogue
from steelyard.report.charts.words import Words

_N = r"([\d,]+)"
_SHARE = r"(less than 0\.1%|[\d.]+%)"
_LABEL = r"\w+(?:\([^()]*\))?(?:@\d+)?"
_MORE = r"(?: and [\d,]+ more)?"
_LABELS = rf"({_LABEL}(?:, {_LABEL})*{_MORE})"
_COUNTS = rf"{_LABEL} [\d,]+(?:, {_LABEL} [\d,]+)*"
_OF_LISTS = rf"{_N} of (the first |){_N} lists?"
_FATES = {
    "left out": "不计入",
    "counted as empty lists": "按空列表计",
    "counted as having nothing relevant": "按没有相关物品计",
}
_FATE = f"({'|'.join(_FATES)})"
_TIED = rf"{_SHARE} of rows are tied with another row of their query"
_RANGES = rf"([^;]+? within \S+ – [\d.]+(?:, [^;]+? within \S+ – [\d.]+)*{_MORE})"
_BY_ITEM = rf"{_LABEL} is \S+ by item_desc and \S+ by item_asc"

_PARTS = [
    (r" within (\S+) – (\S+?)(?=,| and |$)", r" 在 \1 – \2 之间"),
    (r" is (\S+) by item_desc and (\S+?) by item_asc", r" 按 item_desc 为 \1、按 item_asc 为 \2"),
    (r"(之间|、按 item_asc 为 [^\s,]+), ", r"\1，"),
    (r" and ([\d,]+) more$", r"，另有 \1 个"),
    (r"\bundefined\b", "无定义"),
    (r"less than 0\.1%", "不到 0.1%"),
]
_TIES = [
    (rf"their order alone moves {_RANGES}", "仅其次序就使 {0}变动"),
    (rf"how far their order moves {_LABELS} is not known", "其次序对 {0} 的影响未知"),
    (
        rf"({_BY_ITEM}(?:, {_BY_ITEM})*{_MORE}), and other orders may lie beyond",
        "{0}，其他次序可能超出此范围",
    ),
    (r"their order moves no value by 0\.0001", "其次序对任何数值的影响不到 0.0001"),
    (rf"their order moves no value of {_LABELS} by 0\.0001", "其次序对 {0} 的影响不到 0.0001"),
    (
        rf"their order moves no value on the whole by 0\.0001, but ({_LABEL}) in slices: {_RANGES}",
        "其次序对任何总体数值的影响不到 0.0001，但使 {0} 在切片中变动：{1}",
    ),
]

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
        rf"{_LABELS} (?:is|are) undefined for {_N} quer(?:y|ies) \((.*)\) and leaves? (?:it|them) out\.",
        "{0} 对 {1} 个查询（{2}）无定义，未计入平均。",
    ),
    (
        rf"the metrics cover different numbers of queries \(({_COUNTS})\): compare them with care\.",
        "各指标覆盖的查询数不同（{0}），比较时请留意。",
    ),
    (
        rf"the metrics cover different queries \(({_COUNTS})\): compare them with care\.",
        "各指标覆盖的查询不同（{0}），比较时请留意。",
    ),
    (
        rf"the lists were ranked under (\d+) conventions: ({_LABEL}(?:(?:, | \| ){_LABEL})*)\.",
        "列表按 {0} 种约定排序：{1}。",
    ),
    (
        rf"{_N} quer(?:y|ies) of the truth without predictions: {_FATE}\.",
        "真值中有 {0} 个查询没有预测：{1}。",
    ),
    (
        rf"{_N} quer(?:y|ies) of the predictions without truth: {_FATE}\.",
        "预测中有 {0} 个查询没有真值：{1}。",
    ),
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
        rf"{_TIED}: each value of {_LABELS} is the mean over their orders\.",
        "{0} 的行与同查询的其他行并列：{1} 的每个数值是各种次序的平均。",
    ),
    (
        r"no judged item is relevant: the highest grade is (\S+) and rel is ([\d.]+)\.",
        "没有相关的已标注物品：最高等级为 {0}，而 rel 为 {1}。",
    ),
    (
        r"no judged item is relevant: the highest grade is (\S+) and rel is ([\d.]+); "
        r"set rel, for example rel=(\S+)\.",
        "没有相关的已标注物品：最高等级为 {0}，而 rel 为 {1}；请设置 rel，例如 rel={2}。",
    ),
    (
        r"every judged item is relevant: grades are (\S+) to (\S+) and rel is (\S+); "
        r"did you mean rel=(\S+)\?",
        "所有已标注物品都相关：等级为 {0} 至 {1}，rel 为 {2}；是否应为 rel={3}？",
    ),
    (
        rf"({_LABEL}) rests on all {_N} groups; those with one class only count (\S+): "
        rf"{_N} all positive, {_N} all negative\.",
        "{0} 基于全部 {1} 个分组；只有一种类别的分组计为 {2}：{3} 个全为正，{4} 个全为负。",
    ),
    (
        rf"({_LABEL}) rests on {_N} of {_N} groups, {_SHARE} of rows; "
        rf"groups with one class only are left out: {_N} all positive, {_N} all negative\.",
        "{0} 基于 {2} 个分组中的 {1} 个，占 {3} 的行；只有一种类别的分组未计入：{4} 个全为正，{5} 个全为负。",
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
    (
        rf"column '(.*)' orders {_OF_LISTS} otherwise than the scores, which count; "
        r"order=rank takes the ranks\.",
        "在{2}{3} 个列表中，有 {1} 个按列 '{0}' 的次序与按分数的不同；以分数为准，order=rank 则以名次为准。",
    ),
    (
        rf"the scores of {_OF_LISTS} rise from row to row, and the highest counts as best: if they are "
        r"distances, give their negatives, or order=given for the order of rows\.",
        "在{1}{2} 个列表中，有 {0} 个的分数逐行上升，而最高分视为最好：若为距离，请取其负值，"
        "或以 order=given 按行的次序。",
    ),
    (
        r"predictions and truth are one object: every value is its own prediction\.",
        "预测与真值是同一个对象：每个值都是对自身的预测。",
    ),
    (
        rf"the scores have two values only, (\S+) and (\S+): if they are predicted classes, "
        rf"give the scores behind them for {_LABELS}\.",
        "得分只有两个值，{0} 和 {1}：若为预测的类别，请为 {2} 给出其背后的得分。",
    ),
    (
        rf"({_LABEL}) is infinite: squared errors are more than a number can hold; rmse is not squared\.",
        "{0} 为无穷大：平方误差超出数的范围；rmse 不是平方。",
    ),
    (
        r"Numba cannot be imported \((.*)\): large tables take longer, and the numbers are the same\.",
        "无法导入 Numba（{0}）：大表耗时更长，数值不变。",
    ),
    (
        r"the process was forked while Numba was being loaded: large tables take longer, "
        r"and the numbers are the same\.",
        "进程在加载 Numba 时被 fork：大表耗时更长，数值不变。",
    ),
]
_ENGLISH = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")


def note(sentence: str) -> Words:
    """A note in both languages, or in English alone.

    >>> note("12 queries of the predictions without truth: left out.").zh
    '预测中有 12 个查询没有真值：不计入。'
    >>> note("something new.")
    Words(en='something new.', zh='')
    """
    zh = _in_chinese(sentence)
    if not zh and (held := re.fullmatch(rf"(.*) \({_LABELS}\)\.", sentence, re.DOTALL)):
        whole = _in_chinese(f"{held[1]}.")
        zh = whole and f"{whole[:-1]}（{held[2]}）。"
    return Words(sentence, "" if _ENGLISH.search(zh) else zh)  # half a translation is none


def _in_chinese(sentence: str) -> str:
    if found := re.fullmatch(rf"{_TIED}; (.*)\.", sentence, re.DOTALL):
        share, said = found.groups()
        clauses = [_formed(clause, _TIES) for clause in said.split("; ")]
        tied = f"{_part(share)} 的行与同查询的其他行并列"
        return "；".join([tied, *clauses]) + "。" if all(clauses) else ""
    return _formed(sentence, _FORMS)


def _formed(sentence: str, forms: Sequence[tuple[str, str]]) -> str:
    for form, zh in forms:
        if found := re.fullmatch(form, sentence, re.DOTALL):
            return zh.format(*map(_part, found.groups()))
    return ""


def _part(text: str) -> str:
    if text in _FATES:
        return _FATES[text]
    if text == "the first ":
        return "前 "
    for form, zh in _PARTS:
        text = re.sub(form, zh, text)
    return text


def convention(line: str) -> Words:
    """The line of conventions, phrase by phrase; a field with its value is the same in both languages.

    >>> convention("house:2026 · ties by item, descending · gain=exp2 (ndcg@3)").zh
    'house:2026 · 同分按物品降序 · gain=exp2（ndcg@3）'
    """
    return Words(line, " · ".join(map(_phrase, line.split(" · "))))


def _phrase(phrase: str) -> str:
    meanings = catalogue("zh")
    if phrase in meanings:
        return meanings[phrase]
    for form, zh in _CONVENTIONS:
        if found := re.fullmatch(form, phrase, re.DOTALL):
            return zh.format(*found.groups())
    for said, zh in meanings.items():
        if phrase.startswith(f"{said} (") and phrase.endswith(")"):
            return f"{zh}（{phrase[len(said) + 2 : -1]}）"
    found = re.fullmatch(r"(\w+=\S+) \((.*)\)", phrase, re.DOTALL)
    return f"{found[1]}（{found[2]}）" if found else phrase
