"""What an explanation says, in English and in Chinese; numbers and names are filled in."""

from __future__ import annotations

from collections.abc import Mapping

from steelyard.arguments import is_one_of
from steelyard.errors import explaining
from steelyard.explain.rows_words import ROW_WORDS
from steelyard.messages import term

LANGUAGES = ("en", "zh")

WORDS: dict[str, tuple[str, str]] = {
    # headings
    "title": ("{metric} of {query}", "{metric}，查询 {query}"),
    "formula": ("formula", "公式"),
    "conventions": ("conventions", "约定"),
    "list": ("as ranked", "实际排序"),
    "ideal": ("best order", "理想排序"),
    "first": ("where the first hit may stand", "首个命中可能的位置"),
    "cut": ("how many hits there may be", "可能的命中数"),
    "others": ("other choices", "其他选择"),
    "choice": ("choice", "选择"),
    "meaning": ("meaning", "含义"),
    "gain_mapping": ("a mapping from grade to gain", "等级到增益的映射"),
    "same": ("the same with", "以下选择结果相同："),
    "sum_of": ("sum of {column}", "{column} 的总和"),
    # columns
    "rank": ("rank", "排名"),
    "item": ("item", "物品"),
    "grade": ("grade", "等级"),
    "gain": ("gain", "增益"),
    "discount": ("discount", "折损"),
    "contribution": ("gain × discount", "增益 × 折损"),
    "share": ("in first k", "前 k 内的概率"),
    "gain_share": ("gain × share", "增益 × 概率"),
    "running": ("running", "累计"),
    "hit": ("hit", "命中"),
    "hit_rank": ("rank of hit", "命中排名"),
    "hits_so_far": ("hits so far", "累计命中"),
    "precision_here": ("precision here", "该处精确率"),
    "chance": ("chance", "概率"),
    "reciprocal": ("1 / rank", "1 / 排名"),
    "chance_reciprocal": ("chance / rank", "概率 / 排名"),
    "mean": ("average precision", "平均精度"),
    "chance_mean": ("chance × average precision", "概率 × 平均精度"),
    # numbers in lines
    "value": ("value", "值"),
    "result": ("value", "值"),
    "sum": ("sum", "合计"),
    "dcg": ("DCG", "DCG"),
    "ideal_dcg": ("ideal DCG", "理想 DCG"),
    "hits": ("hits", "命中数"),
    "k": ("k", "k"),
    "items_shown": ("items shown", "展示的物品数"),
    "relevant": ("relevant items", "相关物品数"),
    "achievable": ("relevant items, at most k", "相关物品数（不超过 k）"),
    "relevant_shown": ("relevant items, at most those shown", "相关物品数（不超过展示数）"),
    "precisions": ("sum of precisions", "精确率之和"),
    "precision": ("precision", "精确率"),
    "recall": ("recall", "召回率"),
    "beta": ("beta", "beta"),
    "first_rank": ("rank of the first hit", "首个命中的排名"),
    "undefined": ("undefined", "无定义"),
    # sentences
    "no_steps": (
        "no steps are known for {metric}: what it was measured on and its value are all that can be shown.",
        "{metric} 没有登记分步计算：这里只列出测量所用的数据和结果。",
    ),
    "hidden_rows": (
        "… rows without a grade that counts, not shown: {rows}",
        "… 未列出的无得分行：{rows}",
    ),
    "hidden_rows_and_hits": (
        "… rows not shown: {rows}, {hits} of them with a grade that counts",
        "… 未列出的行：{rows}，其中有得分的：{hits}",
    ),
    "list_facts": (
        "items shown {shown} · judged {judged} · with a grade above 0: {graded}",
        "展示的物品 {shown} · 已判定 {judged} · 等级大于 0：{graded}",
    ),
    "empty_list": ("nothing was shown for this query.", "该查询没有展示任何物品。"),
    "below_cutoff": (
        "items below the cutoff, which are not read: {items}.",
        "截断位置之后、未计入的物品：{items}。",
    ),
    "unjudged_items": (
        "items without a judgement (–): {items} of the {read} that are read; they count as not relevant.",
        "未判定的物品（–）：计入的 {read} 个中有 {items} 个，按不相关处理。",
    ),
    "open_ties": (
        "a range of ranks is a tie: each of its items stands at each of its places with the same chance, and "
        "the row has the mean over them.",
        "排名为区间表示同分：其中每个物品以相同的概率出现在每个位置，该行取平均值。",
    ),
    "not_retrieved": (
        "graded items that were judged but not shown: {items}.",
        "已判定有等级但没有展示的物品：{items}。",
    ),
    "uncertain_hits": (
        "the cutoff divides a tie, so that the number of hits depends on its order.",
        "截断位置落在同分之中，命中数取决于同分的顺序。",
    ),
    "no_hit_zero": ("no hit among what is read: the value is 0.", "计入的物品中没有命中：值为 0。"),
    "no_hit_skipped": (
        "no hit among what is read: the query is left out (empty=skip).",
        "计入的物品中没有命中：该查询不计入（empty=skip）。",
    ),
    "undefined_relevant": (
        "there is no relevant item, so that the value is undefined.",
        "没有相关物品，因此值无定义。",
    ),
    "undefined_ideal": (
        "the best order is worth 0, so that the value is undefined.",
        "理想排序的得分为 0，因此值无定义。",
    ),
    "undefined_empty": (
        "nothing was shown, so that the value is undefined.",
        "没有展示任何物品，因此值无定义。",
    ),
    "filled": (
        "an undefined value counts {value} here (undefined={choice}).",
        "无定义的值在这里按 {value} 计（undefined={choice}）。",
    ),
    **ROW_WORDS,
}


def say(key: str, lang: str, values: Mapping[str, object] | None = None) -> str:
    """A word or a sentence in a language; what has no entry, such as the name of a class, is itself.

    >>> say("gain", "zh"), say("below_cutoff", "en", {"items": 1200})
    ('增益', 'items below the cutoff, which are not read: 1,200.')
    """
    if key not in WORDS:
        return key
    found = WORDS[key][LANGUAGES.index(lang)]
    return found.format(**{name: _filled(value) for name, value in (values or {}).items()})


def check_language(lang: object) -> None:
    """Refuse a language that there are no words for."""
    if not is_one_of(lang, LANGUAGES):
        raise explaining.unknown_language(lang, LANGUAGES)


def meaning(text: str, lang: str) -> str:
    """What a choice means, in a language; one of a user's own metric is told as it is written."""
    return term(text).told(lang)


def _filled(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
