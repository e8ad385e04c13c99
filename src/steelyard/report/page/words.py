"""Every word of the page in its two languages."""

from __future__ import annotations

import unicodedata

from steelyard.aggregate.slices import WHOLE
from steelyard.report.charts.words import Words

PAGE = {
    "skip": Words("Skip to the numbers", "跳到数值"),
    "report": Words("Evaluation report", "评估报告"),
    "contents": Words("Contents", "目录"),
    "settings": Words("View", "显示"),
    "dark": Words("Dark", "深色"),
    "good": Words("Good:", "良好："),
    "warning": Words("Warning:", "注意："),
    "systems": Words("Systems", "系统"),
    "against": Words("against", "对照"),
    "numbers": Words("Numbers", "数值"),
    "readings": Words("What the numbers say together", "数值合起来说明什么"),
    "notes": Words("What to know before trusting them", "采信之前须知"),
    "more_notes": Words("{0} more notes: result.notes has all.", "另有 {0} 条说明，见 result.notes。"),
    "more": Words("Scroll sideways for more →", "左右滑动查看更多 →"),
    "conventions": Words("Conventions", "约定"),
    "metric": Words("metric", "指标"),
    "value": Words("value", "数值"),
    "interval": Words("95 % interval", "95% 区间"),
    "n": Words("n", "数量"),
    "undefined": Words("undefined", "无定义"),
    "and_more": Words("{0} and {1} more", "{0} 等，另有 {1} 个"),
    "undefined_here": Words("{0} undefined", "{0} 个无定义"),
    "queries": Words("queries", "查询数"),
    "rows": Words("rows", "行数"),
    "groups": Words("groups", "分组数"),
    "unit_queries": Words("queries", "查询"),
    "unit_rows": Words("rows", "行"),
    "unit_groups": Words("groups", "分组"),
    "higher": Words("higher is better", "越高越好"),
    "lower": Words("lower is better", "越低越好"),
    "nearest_1": Words("1 is right", "等于 1 为准"),
    "best": Words("best of its row", "本行最佳"),
    "best_is_marked": Words(
        "The best value of a row is marked ●. Whether a difference is more than chance is not tested here.",
        "● 标记每行的最佳值；差异是否超出偶然，此处未作检验。",
    ),
    "other_conventions": Words(
        "{0}: the systems were measured under different conventions ({1}), so none is marked best.",
        "{0}：各系统的约定不同（{1}），因此不标最佳。",
    ),
    "other_truth": Words(
        "{0}: the systems were measured against different truth ({1}), so none is marked best.",
        "{0}：各系统对照的真值不同（{1}），因此不标最佳。",
    ),
    "other_queries": Words(
        "{0}: the systems were measured on different queries (all share {1}, each has {2}), "
        "so none is marked best.",
        "{0}：各系统的查询不同（共有 {1} 个，各有 {2} 个），因此不标最佳。",
    ),
    "other_rows": Words(
        "{0}: the systems were measured on different numbers of rows ({1}), so none is marked best.",
        "{0}：各系统的行数不同（{1}），因此不标最佳。",
    ),
    "slices": Words("Slices", "切片"),
    "slices_by": Words("By {0}", "按 {0}"),
    "all": Words(WHOLE, WHOLE.told("zh")),
    "classes": Words("Classes", "类别"),
    "each_class": Words("Each class", "各类别"),
    "class": Words("class", "类别"),
    "left_out_slices": Words(
        "{0} of {1} are shown: the {2} lowest and the {2} highest by {3}. "
        "The other {4} are in result.table(), or --format csv.",
        "共 {1} 个，此处列出 {0} 个：按 {3} 最低和最高各 {2} 个。"
        "其余 {4} 个见 result.table() 或 --format csv。",
    ),
    "left_out_beside": Words(
        "{0} of {1} are shown: the {2} with a value of {3}, and {5} without. "
        "The other {4} are in result.table(), or --format csv.",
        "共 {1} 个，此处列出 {0} 个：有 {3} 值的 {2} 个，无值的 {5} 个。"
        "其余 {4} 个见 result.table() 或 --format csv。",
    ),
    "without_value": Words("{0} of the {1} have no value of {2}.", "{1} 个中有 {0} 个没有 {2} 的值。"),
    "left_out_rows": Words(
        "The first {0} of {1} rows are shown; result.table() has all.",
        "共 {1} 行，此处列出前 {0} 行；全部见 result.table()。",
    ),
    "curves": Words("Curves and distributions", "曲线与分布"),
    "data": Words("Data of this chart", "本图数据"),
    "not_all_drawn": Words(
        "Of the charts of {0} the first {1} of {2} are drawn.", "{0} 的 {2} 幅图仅绘出前 {1} 幅。"
    ),
    "not_drawn": Words("The chart {0} is not drawn: {1}", "图表 {0} 未能绘出：{1}"),
    "every_row": Words("{0} of {1} rows, evenly spaced.", "共 {1} 行，此处等距列出 {0} 行。"),
    "best_and_worst": Words("Queries", "查询"),
    "lowest": Words("Lowest", "最低"),
    "highest": Words("Highest", "最高"),
    "every_query": Words("Every query", "全部查询"),
    "by_metric": Words(
        "By {0}, over {1} queries with a value. Of equals, those with the most relevant items come first.",
        "按 {0}，共 {1} 个有值的查询。数值相同时，相关物品多的在前。",
    ),
    "rank": Words("rank", "排名"),
    "item": Words("item", "物品"),
    "grade": Words("grade", "等级"),
    "unjudged": Words("not judged", "未标注"),
    "found": Words(
        "{0} of {1} relevant items among the first {2}", "前 {2} 个中有 {0} 个相关物品，共 {1} 个"
    ),
    "found_all": Words("{0} of {1} relevant items in the list", "列表中有 {0} 个相关物品，共 {1} 个"),
    "more_items": Words("{0} more items in the list", "列表中还有 {0} 个物品"),
    "no_items": Words("The list is empty.", "列表为空。"),
    "strip": Words(
        "Each list from rank 1 on: the stronger the colour, the higher the grade. Hollow: not judged.",
        "每个列表从第一位开始：颜色越浓，等级越高；空心方格未标注。",
    ),
    "charts": Words("Charts", "图表"),
    "specification_short": Words("Specification", "完整说明"),
    "specification": Words("Specification and tally", "完整说明与计数"),
    "specification_of": Words("Every convention behind each number", "每个数值背后的全部约定"),
    "tally": Words("What was read, and what became of it", "读入了什么，如何处理"),
    "tally_of": Words("The same counts, to copy", "同样的计数，供复制"),
    "counted": Words("what was counted", "计数内容"),
    "count": Words("count", "数量"),
    "copy": Words("Copy", "复制"),
    "copied": Words("Copied", "已复制"),
    "made_by": Words(
        "Made by steelyard {0}. This page is one file and loads nothing from anywhere.",
        "由 steelyard {0} 生成。本页是单个文件，不加载任何外部内容。",
    ),
}

TALLY = {
    "predictions": Words("predictions read", "读入的预测行数"),
    "judgements": Words("judgements read", "读入的标注行数"),
    "queries": Words("queries evaluated", "参与评估的查询数"),
    "queries_predicted": Words("queries in the predictions", "预测中的查询数"),
    "queries_judged": Words("queries in the truth", "真值中的查询数"),
    "queries_missing": Words("queries in the truth alone", "只在真值中的查询数"),
    "queries_unexpected": Words("queries in the predictions alone", "只在预测中的查询数"),
    "queries_without_relevant": Words("evaluated queries without a relevant item", "没有相关物品的查询数"),
    "doubled_predictions": Words("predictions that name a (query, item) again", "重复的预测行数"),
    "doubled_judgements": Words("judgements that name a (query, item) again", "重复的标注行数"),
    "masked": Words("rows with a score of −inf: not retrieved", "分数为 −inf、视为未检索的行数"),
    "excluded": Words("rows excluded", "被排除的行数"),
    "self_matched": Words("rows whose item is the query itself: removed", "物品即查询本身、被移除的行数"),
    "unjudged": Words("ranked rows without a judgement", "未标注的排序行数"),
    "retrieved": Words("rows ranked", "参与排序的行数"),
    "hits": Words("ranked rows with a grade other than 0", "等级不为 0 的排序行数"),
    "tied": Words("ranked rows tied with another of their query", "与同查询其他行并列的行数"),
    "tied_hits": Words("of these, with a grade other than 0", "其中等级不为 0 的行数"),
    "rows": Words("rows with a prediction", "有预测的行数"),
    "unlabelled": Words("rows without a label", "没有标签的行数"),
    "weightless": Words("rows of weight 0, which count as none", "权重为 0、视为不存在的行数"),
    "unmatched_predictions": Words("predictions without a label in the truth", "真值中没有标签的预测行数"),
    "unmatched_truth": Words("rows of the truth without a prediction", "没有预测的真值行数"),
}


def say(key: str, *values: object) -> Words:
    """One of the page's phrases, with its blanks filled.

    >>> say("slices_by", "country")
    Words(en='By country', zh='按 country')
    """
    words = PAGE[key]
    told = [isolated(str(value)) for value in values]
    return Words(words.en.format(*told), words.zh.format(*told)) if told else words


def isolated(text: str) -> str:
    """Text that runs from right to left, kept from turning the sentence around it."""
    turned = any(unicodedata.bidirectional(letter) in ("R", "AL", "AN") for letter in text)
    return f"\u2068{text}\u2069" if turned else text
