"""What a chart says that it leaves out."""

from __future__ import annotations

from steelyard.report.charts.words import Words

SYSTEMS = Words(
    "Drawn are the first {shown} of {n} systems.",
    "仅绘出 {n} 个系统中的前 {shown} 个。",
)
METRICS = Words(
    "Drawn are the first {shown} of {n} metrics.",
    "仅绘出 {n} 个指标中的前 {shown} 个。",
)
CLASSES = Words(
    "The {shown} most frequent of {n:,} classes are shown; the others are together in one row and column.",
    "显示 {n:,} 个类别中最常见的 {shown} 个，其余合为一行一列。",
)
SLICES = Words(
    "{low} slices with the lowest and {high} with the highest values are shown; {left:,} between are not.",
    "显示值最低的 {low} 个和最高的 {high} 个切片，中间的 {left:,} 个未显示。",
)
SLICES_UNDEFINED = Words(
    "{n:,} of {of:,} slices have no finite value and are not shown.",
    "{of:,} 个切片中有 {n:,} 个没有有限值，未显示。",
)
UNDEFINED = Words(
    "Undefined for {n:,} of {of:,} {unit}, which are not shown.",
    "{of:,} 个{unit}中有 {n:,} 个未定义，未显示。",
)
WEIGHTED = Words(
    "Bars count queries; the overall value weighs them.",
    "柱高为查询个数，总体值按权重计算。",
)
ONE_SIDE = Words(
    "In one of the two only, and not shown: {n:,} {unit}.",
    "{n:,} 个{unit}只在其中一方出现，未显示。",
)
SIDES = Words(
    "Higher for {higher:,} {unit}, equal for {equal:,}, lower for {lower:,}.",
    "{higher:,} 个{unit}更高，{equal:,} 个相同，{lower:,} 个更低。",
)
GROUPED = Words(
    "Each bar is the mean of about {each:,} of {n:,} {unit}. "
    "The greatest difference is {high} at {best}, the least {low} at {worst}.",
    "每根柱为 {n:,} 个{unit}中约 {each:,} 个的平均。最大差值 {high}（{best}），最小差值 {low}（{worst}）。",
)
EARLY_LIFT = Words(
    "Lift of less than {share} of the rows is not shown.",
    "选取不足 {share} 的行时的提升度未显示。",
)
AT_THE_EDGE = Words(
    "Bins with a value of 0 stand at the edge of the logarithmic axis: {n:,}.",
    "{n:,} 个值为 0 的分箱画在对数坐标的边缘。",
)
TAIL = Words(
    "Scores below {low}, {share} of the rows, stand in the first bar of the logarithmic axis.",
    "低于 {low} 的得分（占 {share} 的行）计入对数坐标的第一根柱。",
)
INFINITE = Words(
    "Infinite scores stand in the outermost bars.",
    "无穷大的得分计入最外侧的柱。",
)
