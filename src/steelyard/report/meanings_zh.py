"""What each choice of a field means, in Chinese, by its English wording."""

from __future__ import annotations

MEANINGS = {
    # gains and ideals
    "the grade itself (Järvelin and Kekäläinen 2002)": "等级本身（Järvelin 与 Kekäläinen 2002）",
    "2^grade - 1 (Burges et al. 2005)": "2^等级 - 1（Burges 等 2005）",
    "1 for every grade above 0": "大于 0 的等级一律为 1",
    "1 / log2(rank + 1)": "1 / log2(排名 + 1)",
    "1 for ranks 1 and 2, then 1 / log2(rank) (Järvelin and Kekäläinen 2002)": (
        "排名 1 和 2 为 1，之后为 1 / log2(排名)（Järvelin 与 Kekäläinen 2002）"
    ),
    "all judged items, best first, cut at k": "全部已判定物品，从高到低，取前 k 个",
    "all judged items, best first, not cut": "全部已判定物品，从高到低，不截断",
    "all judged items, best first, cut at the number shown": "全部已判定物品，从高到低，取与展示数相同的个数",
    "all items shown, best first, cut at k": "展示的全部物品，从高到低，取前 k 个",
    "only the k items shown, reordered": "仅展示的前 k 个物品，重新排序",
    "k items of max_grade": "k 个最高等级的物品",
    "the highest grade there is, for ideal=full": "最高等级，用于 ideal=full",
    "the highest grade in the whole truth": "全部标注中的最高等级",
    # counts
    "reads the first k of each list": "读取每个列表的前 k 个",
    "whole lists": "整个列表",
    "a judged item is relevant when its grade is at least this": "等级不低于此值的已判定物品为相关",
    "the mean over queries": "对查询取平均",
    "sums over all queries, then one division": "对全部查询求和后相除一次",
    "k, even where fewer items were shown": "k，即使展示的物品更少",
    "the items shown, at most k": "展示的物品数，不超过 k",
    "the relevant items there are, at most k": "相关物品数，不超过 k",
    "the relevant items there are": "相关物品数",
    "the relevant items among the first k": "前 k 个中的相关物品数",
    "k": "k",
    "the relevant items there are, at most the items shown": "相关物品数，不超过展示数",
    "how many times recall weighs as much as precision": "召回率的权重是精确率的多少倍",
    "the share of queries with a hit": "有命中的查询所占的比例",
    "all hits over all relevant items, one value": "全部命中除以全部相关物品，得一个值",
    "a query without a hit in the first k counts 0": "前 k 个没有命中的查询计 0",
    "a query without a hit in the first k is left out and counted as undefined": (
        "前 k 个没有命中的查询不计入，算作无定义"
    ),
    # rows
    "exact": "精确值",
    "the error that may be left": "允许的误差",
    "the whole curve": "整条曲线",
    "the false positive rate up to which the curve counts": "曲线计入到此假阳性率为止",
    "the area up to max_fpr on a scale from 0.5 (chance) to 1 (McClish 1989)": (
        "max_fpr 以内的面积，换算为 0.5（随机）到 1（McClish 1989）"
    ),
    "the area up to max_fpr itself": "max_fpr 以内的面积本身",
    "each class against the rest, then the plain mean over classes": "每个类别对其余类别，再对类别取平均",
    "each class against the rest, then the mean by the classes' share of the rows": (
        "每个类别对其余类别，再按类别行数占比加权平均"
    ),
    "each two classes against each other, both ways, then the mean (Hand and Till 2001)": (
        "类别两两双向比较，再取平均（Hand 与 Till 2001）"
    ),
    "how many bins": "分箱数",
    "bins of equal weight; equal scores are never split": "各箱权重相等，同分不拆开",
    "bins of equal width from 0 to 1; a bin owns its upper border, the first one 0 too": (
        "从 0 到 1 等宽分箱；每箱含其上界，首箱也含 0"
    ),
    "a group weighs as many rows as it has": "每组的权重为其行数",
    "a group weighs as many positives as it has": "每组的权重为其正样本数",
    "a group weighs as many pairs of a positive and a negative as it has": "每组的权重为其正负样本对数",
    "every group weighs the same": "各组权重相同",
    "a group with one class only is left out and counted": "只有一个类别的组不计入，但计数",
    "a group with one class only counts 0.5": "只有一个类别的组计 0.5",
    "a group with one class only counts 0": "只有一个类别的组计 0",
    "the least probability that what happened is taken to have had": "实际结果的概率至少取此值",
    "no clipping: a certain error costs infinity": "不截断：确定的错误代价为无穷大",
    "in nats": "以奈特为单位",
    "in bits": "以比特为单位",
    "the share of positives to compare with": "用来比较的正样本比例",
    "the share of positives in these rows": "这些行中的正样本比例",
    "average precision: each step in recall times the precision after it": (
        "平均精度：召回率的每一步乘以其后的精确率"
    ),
    "straight lines, the first from recall 0 and precision 1": "折线，起点为召回率 0、精确率 1",
    "straight lines, the first level with the first precision": "折线，首段与第一个精确率持平",
    "precision interpolated by counts (Davis and Goadrich 2006)": (
        "按计数插值精确率（Davis 与 Goadrich 2006）"
    ),
    # classes
    "a score of at least this is positive": "得分不低于此值为正",
    "a score at the threshold is positive": "得分等于阈值为正",
    "it is negative": "得分等于阈值为负",
    "the positive class alone: the second of two": "仅正类：两个类别中的第二个",
    "counts of all classes added up, then one division (微平均)": "各类别计数相加后相除一次（微平均）",
    "the plain mean over classes (宏平均)": "对类别取平均（宏平均）",
    "the mean over classes by their share of the rows (加权平均)": "按类别行数占比加权平均（加权平均）",
    "the mean over rows of several labels, each row's labels counted by themselves (样本平均)": (
        "多标签时逐行计算，再对行取平均（样本平均）"
    ),
    "one value per class": "每个类别一个值",
    "an undefined class counts 0 in an average, and a note says so": "平均时无定义的类别计 0，并加注说明",
    "an undefined class counts 1 in an average": "平均时无定义的类别计 1",
    "an undefined class is left out of an average": "平均时不计入无定义的类别",
    "the right class counts its expected share": "正确类别按期望份额计入",
    "the first classes in order stand above the others": "顺序在前的类别排在前面",
    "the right class stands below the others": "正确类别排在其余同概率类别之后",
    "how many of the most probable classes count": "计入概率最高的多少个类别",
    "all classes": "全部类别",
    # stages
    "the same query and item twice is an error": "同一查询和物品重复出现时报错",
    "the first of doubled rows counts": "重复行取第一行",
    "the doubled row with the best score (or grade) counts": "重复行取得分（或等级）最高的一行",
    "a truth query without predictions is an empty list": "有标注而无预测的查询视为空列表",
    "a truth query without predictions is left out": "有标注而无预测的查询不计入",
    "a truth query without predictions is an error": "有标注而无预测的查询报错",
    "a predicted query without truth is left out": "有预测而无标注的查询不计入",
    "a predicted query without truth has nothing relevant": "有预测而无标注的查询没有相关物品",
    "a predicted query without truth is an error": "有预测而无标注的查询报错",
    "a retrieved item without judgement is not relevant": "未判定的物品视为不相关",
    "a retrieved item without judgement is removed before ranking": "未判定的物品在排序前去除",
    "every judgement counts, retrieved or not": "全部标注都计入，无论是否被检索到",
    "only judgements of supplied rows count": "只计入已给出行的标注",
    "an item whose id is the query's id is an item like others": "与查询同名的物品照常计入",
    "an item whose id is the query's id is removed": "与查询同名的物品去除",
    "the highest score stands first": "得分最高的排在最前",
    "the lowest value of the rank column stands first": "排名列的值最小的排在最前",
    "rows stand as they were given": "按给出的顺序排列",
    "ties by item, descending": "同分按物品降序",
    "ties by item, ascending": "同分按物品升序",
    "ties as they were given": "同分按给出的顺序",
    "the mean over all orders of tied items": "对同分物品的所有顺序取平均",
    "ties best grade first": "同分等级高者在前",
    "ties worst grade first": "同分等级低者在前",
    "a tie with an item of a grade other than 0 is an error": "与等级不为 0 的物品同分时报错",
    "only the first N of each list": "只取每个列表的前 N 个",
    "scores as they were given": "得分按原样比较",
    "scores compared in single precision": "得分按单精度比较",
    "integer ids compare as numbers, text by its UTF-8 bytes": "整数编号按数值比较，文本按 UTF-8 字节比较",
    "all ids compare as text ('9' stands above '10')": "所有编号按文本比较（'9' 排在 '10' 之前）",
    "a row without a label is an error": "没有标签的行报错",
    "a row without a label is left out and counted": "没有标签的行不计入，但计数",
    "an undefined value is NaN: counted, and left out of the mean": "无定义的值为 NaN：计数，不计入平均",
    "an undefined value counts 0": "无定义的值计 0",
    "an undefined value counts 1": "无定义的值计 1",
    "an undefined value is an error": "无定义的值报错",
    "an undefined average is NaN": "无定义的平均值为 NaN",
    "an undefined average counts 0": "无定义的平均值计 0",
    "an undefined average counts 1": "无定义的平均值计 1",
    "an undefined average is an error": "无定义的平均值报错",
    "the geometric mean over queries, values below `floor` counting as `floor`": (
        "对查询取几何平均，低于 `floor` 的值按 `floor` 计"
    ),
    "the median over queries": "对查询取中位数",
    "the least value in a geometric mean": "几何平均中的最小值",
}
