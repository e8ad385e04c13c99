"""The words of the charts, in English and in Chinese."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from steelyard.errors.languages import check_language

Lang = Literal["en", "zh"]
LANGUAGES = ("en", "zh")


@dataclass(frozen=True)
class Words:
    """One thing said in both languages.

    >>> Words("{n} queries", "{n} 个查询").of(n=3)
    Words(en='3 queries', zh='3 个查询')
    >>> print(Words("taken", "选取"))
    taken
    """

    en: str
    zh: str

    def of(self, **values: object) -> Words:
        """The same with values filled in; values that are words are said in the language around them."""
        return Words(*(getattr(self, lang).format(**said(values, lang)) for lang in LANGUAGES))

    def __add__(self, other: Words) -> Words:
        return Words(self.en + other.en, self.zh + other.zh)

    def __str__(self) -> str:
        return self.en


def same(text: str) -> Words:
    """A name, which is the same in both languages."""
    return Words(text, text)


def said(value: Any, lang: str) -> Any:
    """Anything made of mappings and sequences, with its words in one language.

    >>> said({"title": Words("taken", "选取"), "ticks": (0, 1)}, "zh")
    {'title': '选取', 'ticks': [0, 1]}
    """
    check_language(lang)
    if isinstance(value, Words):
        return value.zh if lang == "zh" else value.en
    if isinstance(value, dict):
        return {key: said(one, lang) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [said(one, lang) for one in value]
    return value


# titles
ROC = Words("ROC curve", "ROC 曲线")
PRECISION_RECALL = Words("Precision over recall", "精确率-召回率曲线")
GAIN = Words("Cumulative gain", "累积增益")
LIFT = Words("Lift", "提升度")
CALIBRATION = Words("Calibration", "校准曲线")
SCORE_HISTOGRAM = Words("Scores by label", "正负样本的得分分布")
CONFUSION = Words("Confusion matrix", "混淆矩阵")
METRIC_AT_K = Words("Metrics at every cutoff", "各截断位置的指标")
ONE_AT_K = Words("{metric} at every cutoff", "各截断位置的 {metric}")
PER_QUERY = Words("{metric} by {unit}", "各{unit}的 {metric}")
DIFFERENCE = Words("{metric}: {one} minus {other}", "{metric}：{one} 减 {other}")
SLICES = Words("{metric} by {columns}", "按 {columns} 切片的 {metric}")
EVERY_SLICE = Words("Metrics by {columns}", "按 {columns} 切片的各指标")
GAUC_BY_SIZE = Words("{metric} by size of group", "按组大小的 {metric}")

# axes
FPR = Words("false positive rate", "假阳性率")
TPR = Words("true positive rate", "真阳性率")
RECALL = Words("recall", "召回率")
PRECISION = Words("precision", "精确率")
TAKEN = Words("share of rows taken", "选取的行所占比例")
FOUND = Words("share of positives found", "找到的正样本所占比例")
TIMES = Words("times better than chance", "相对随机的倍数")
SAID = Words("predicted probability", "预测概率")
HAPPENED = Words("observed rate", "实际发生率")
SCORE = Words("score", "得分")
ROWS = Words("rows", "行数")
WEIGHT = Words("weight", "权重")
SHARE_OF_CLASS = Words("share of its class", "占该类的比例")
TRUE_CLASS = Words("true class", "真实类别")
CALLED = Words("predicted class", "预测类别")
CUTOFF = Words("cutoff k", "截断位置 k")
VALUE = Words("value", "值")
COUNTED = Words("{unit}", "{unit}数")
SORTED = Words("{unit}, sorted by difference", "按差值排序的{unit}")
GROUP_SIZE = Words("rows of a group", "组内行数")
SHARE_OF_ROWS = Words("share of rows", "行数占比")

# series, reference lines
CHANCE = Words("chance", "随机")
BASE_RATE = Words("base rate {value}", "基准率 {value}")
POSITIVES = Words("positive", "正样本")
NEGATIVES = Words("negative", "负样本")
OVERALL = Words("overall {value}", "总体 {value}")
MEAN = Words("mean {value}", "平均 {value}")
AREA = Words("{name} · area {area}", "{name} · 面积 {area}")
ONE_AREA = Words("area {area}", "面积 {area}")
OTHERS = Words("({n} others)", "（其余 {n} 类）")

UNITS = {
    "queries": Words("queries", "查询"),
    "groups": Words("groups", "组"),
    "rows": Words("rows", "行"),
}
UNIT = {
    "queries": Words("query", "查询"),
    "groups": Words("group", "组"),
    "rows": Words("row", "行"),
}


def counted(n: int, unit: str) -> Words:
    """The name of what is counted, of one or of many."""
    return UNIT[unit] if n == 1 else UNITS[unit]


# what a point says
PAIR = Words("{x_name} {x}, {y_name} {y}", "{x_name} {x}，{y_name} {y}")
AT_THRESHOLD = Words(", threshold {value}", "，阈值 {value}")
NAMED = Words("{name}: ", "{name}：")
BIN = Words(
    "{low} to {high}: predicted {said}, observed {happened} ({wilson_low} to {wilson_high}), {n} {unit}",
    "{low} 至 {high}：预测 {said}，实际 {happened}（{wilson_low} 至 {wilson_high}），{n} {unit}",
)
IN_BIN = Words("{low} to {high}: {count} ({share})", "{low} 至 {high}：{count}（{share}）")
CELL = Words(
    "{truth} predicted as {called}: {count} ({share})",
    "{truth} 预测为 {called}：{count}（{share}）",
)
AT_K = Words("{metric} at {k}: {value}", "{metric}，k = {k}：{value}")
ONE_VALUE = Words("{name}: {value}", "{name}：{value}")
SPAN = Words("{n} {unit}, {low} to {high}: mean {value}", "{n} 个{unit}，{low} 至 {high}：平均 {value}")
SLICE = Words("{name}: {value}, {n} {unit}", "{name}：{value}，{n} {unit}")
INTERVAL = Words(" ({low} to {high})", "（{low} 至 {high}）")
SIZE = Words(
    "groups of {size}: {value} ({groups} {unit}, {share} of rows)",
    "{size} 行的组：{value}（{groups} 个组，占 {share} 的行）",
)
