"""What explanations of rows, classes and ratings say, in English and in Chinese."""

from __future__ import annotations

_TABLES = {
    "rows_table": ("row by row", "逐行"),
    "score_steps": ("from the highest score down", "得分从高到低"),
    "class_curves": ("class by class", "逐类别"),
    "group_steps": ("group by group", "逐组"),
    "bin_steps": ("bin by bin", "逐箱"),
    "class_counts": ("right and wrong", "对错计数"),
    "right_rows": ("rows with all labels right", "全部标签正确的行"),
    "confusion_matrix": ("confusion matrix", "混淆矩阵"),
}
_COLUMNS = {
    # rows
    "row": ("row", "行"),
    "label": ("label", "标签"),
    "said": ("predicted", "预测概率"),
    "given": ("p(label)", "实际结果的概率"),
    "cost": ("cost", "代价"),
    "cost_bits": ("cost in bits", "代价（比特）"),
    "weight": ("weight", "权重"),
    "miss": ("error", "误差"),
    "squared_miss": ("squared error", "平方误差"),
    "absolute_miss": ("absolute error", "绝对误差"),
    "squared_off_mean": ("(truth - mean)²", "(真实值 - 均值)²"),
    "true_rating": ("truth", "真实值"),
    "said_rating": ("prediction", "预测值"),
    "weighted_cost": ("weight × cost", "权重 × 代价"),
    "weighted_cost_bits": ("weight × bits", "权重 × 比特"),
    "weighted_said": ("weight × predicted", "权重 × 预测概率"),
    "weighted_label": ("weight × label", "权重 × 标签"),
    "weighted_squared_miss": ("weight × squared error", "权重 × 平方误差"),
    "weighted_absolute_miss": ("weight × absolute error", "权重 × 绝对误差"),
    "weighted_squared_off_mean": ("weight × (truth - mean)²", "权重 × (真实值 - 均值)²"),
    "weighted_top_share": ("weight × counted", "权重 × 计入"),
    "classes_above": ("classes above", "概率更高的类别数"),
    "classes_level": ("classes level", "概率相同的类别数"),
    "top_share": ("counted", "计入"),
    "row_value": ("value", "值"),
    "weighted_row_value": ("weight × value", "权重 × 值"),
    # scores
    "score": ("score", "得分"),
    "threshold": ("threshold", "阈值"),
    "positives": ("positives", "正样本"),
    "negatives": ("negatives", "负样本"),
    "positives_above": ("positives so far", "累计正样本"),
    "negatives_above": ("negatives so far", "累计负样本"),
    "negatives_below": ("negatives below", "得分更低的负样本"),
    "pairs_won": ("pairs won", "排对的样本对"),
    "pairs_tied": ("pairs tied", "同分的样本对"),
    "tpr": ("TPR", "真阳性率"),
    "fpr": ("FPR", "假阳性率"),
    "rate_gap": ("TPR - FPR", "真阳性率 - 假阳性率"),
    "strip_width": ("width", "宽"),
    "strip_height": ("mean height", "平均高"),
    "strip": ("area", "面积"),
    "recall_step": ("step in recall", "召回率增量"),
    "area_step": ("step × precision", "增量 × 精确率"),
    "area_trapezoid": ("step × mean precision", "增量 × 平均精确率"),
    "area_trapezoid_first": ("step × mean precision", "增量 × 平均精确率"),
    "area_davis": ("area under the step", "该步之下的面积"),
    # groups and bins
    "group": ("group", "组"),
    "group_rows": ("rows", "行数"),
    "group_auc": ("AUC", "AUC"),
    "group_weight": ("weight", "权重"),
    "weighted_group_auc": ("weight × AUC", "权重 × AUC"),
    "bin": ("bin", "箱"),
    "bin_rows": ("rows", "行数"),
    "mean_said": ("mean predicted", "平均预测概率"),
    "mean_label": ("mean label", "平均标签"),
    "bin_gap": ("gap", "差距"),
    "bin_share": ("share", "占比"),
    "share_gap": ("share × gap", "占比 × 差距"),
    # classes
    "one_class": ("class", "类别"),
    "two_classes": ("classes", "类别对"),
    "true_class": ("class", "真实类别"),
    "called_class": ("called", "预测类别"),
    "cell_rows": ("rows", "行数"),
    "class_rows": ("rows", "行数"),
    "class_auc": ("AUC", "AUC"),
    "weighted_class_auc": ("rows × AUC", "行数 × AUC"),
    "tp": ("TP", "TP"),
    "fp": ("FP", "FP"),
    "fn": ("FN", "FN"),
    "tn": ("TN", "TN"),
    "class_value": ("value", "值"),
    "weighted_class_value": ("rows × value", "行数 × 值"),
    "right": ("right", "正确"),
    "all_right": ("all right", "全部正确"),
    "class_recall": ("recall", "召回率"),
    "class_covariance": ("TP×TN - FP×FN", "TP×TN - FP×FN"),
    "class_truth_variance": ("(TP+FN)×(TN+FP)", "(TP+FN)×(TN+FP)"),
    "class_called_variance": ("(TP+FP)×(TN+FN)", "(TP+FP)×(TN+FN)"),
}
_NUMBERS = {
    "rows": ("rows", "行数"),
    "total_weight": ("total weight", "权重之和"),
    "curve_area": ("area under the curve", "曲线下面积"),
    "strips": ("area", "面积"),
    "max_fpr": ("max_fpr", "max_fpr"),
    "largest_gap": ("largest TPR - FPR", "最大的（真阳性率 - 假阳性率）"),
    "worst_gap": ("largest gap", "最大差距"),
    "curves": ("curves", "曲线数"),
    "classes": ("classes", "类别数"),
    "logloss": ("logloss", "对数损失"),
    "base_rate": ("base rate", "基准率"),
    "stated_rate": ("the rate that was stated", "给定的比例"),
    "entropy": ("logloss of the base rate", "基准率的对数损失"),
    "infinite": ("infinity", "无穷大"),
    "predicted_sum": ("sum of predictions", "预测之和"),
    "squares": ("squared errors", "平方误差之和"),
    "unit": ("unit", "单位"),
    "truth_mean": ("mean of the truth", "真实值的均值"),
    "spread": ("squared distances from the mean", "与均值之差的平方和"),
    "covariance": ("covariance", "协方差"),
    "truth_variance": ("variance of the truth", "真实类别的方差"),
    "called_variance": ("variance of the predictions", "预测类别的方差"),
    "over": ("numerator", "分子"),
    "under": ("denominator", "分母"),
    "filled_value": ("what an undefined value counts", "无定义的值的计法"),
}
_SENTENCES = {
    "scored_facts": (
        "rows {rows} · positives {positives} · negatives {negatives}",
        "行 {rows} · 正样本 {positives} · 负样本 {negatives}",
    ),
    "classified_facts": ("rows {rows} · classes {classes}", "行 {rows} · 类别 {classes}"),
    "rated_facts": ("rows {rows}", "行 {rows}"),
    "weight_fact": ("total weight {weight}", "权重之和 {weight}"),
    "about_roc": (
        "How many good rows you catch for the bad ones you let in, as you lower the bar.",
        "随着阈值降低，每放进多少负样本，能找回多少正样本。",
    ),
    "rest_rows": (
        "… stands for the rows not told one by one, {rows} in all, with their sums.",
        "… 表示其余未逐一列出的 {rows} 行，列出的是它们的合计。",
    ),
    "rest_scores": (
        "a range of scores is several steps in one ({rows} in all): sums, or where they end.",
        "得分为区间的行合并了多步（共 {rows} 步）：为合计或末步的值。",
    ),
    "rest_groups": (
        "… stands for the lighter groups, {rows} in all, with their sums.",
        "… 表示其余权重较小的 {rows} 组，列出的是它们的合计。",
    ),
    "rest_classes": (
        "… stands for classes not told one by one, {rows} in all, with their sums.",
        "… 表示未逐一列出的类别，共 {rows} 个，列出的是它们的合计。",
    ),
    "rest_bins": (
        "… stands for bins not told one by one, {rows} in all, with their sums.",
        "… 表示未逐一列出的箱，共 {rows} 个，列出的是它们的合计。",
    ),
    "hidden_entries": ("… not shown: {rows}", "… 未列出：{rows}"),
    "near_pairs": (
        "scores with the same first {bits} bits count as tied, which is within {bound} of the exact value; "
        "a score here is the lowest with its bits.",
        "前 {bits} 位相同的得分按同分处理，与精确值相差不超过 {bound}；表中的得分是相应位段的最低值。",
    ),
    "weighted_counts": (
        "rows have weights: what is counted here are sums of them.",
        "各行带有权重：这里的计数是权重之和。",
    ),
    "clipped_rows": (
        "rows whose outcome was given less than {clip}, which is then taken: {rows}.",
        "实际结果的概率低于 {clip}、按该值计的行：{rows}。",
    ),
    "top_label": (
        "with several classes, predicted is the probability of the most probable one, and label says "
        "whether it was right.",
        "多类别时，预测概率为概率最高的类别的概率，标签表示该类别是否正确。",
    ),
    "single_class_drop": (
        "groups with one class only, which are left out: {groups}, {positive} of them all positive.",
        "只有一个类别、不计入的组：{groups}，其中全为正样本的：{positive}。",
    ),
    "single_class_half": (
        "groups with one class only, which count 0.5: {groups}, {positive} of them all positive.",
        "只有一个类别、计 0.5 的组：{groups}，其中全为正样本的：{positive}。",
    ),
    "single_class_zero": (
        "groups with one class only, which count 0: {groups}, {positive} of them all positive.",
        "只有一个类别、计 0 的组：{groups}，其中全为正样本的：{positive}。",
    ),
    "class_without_curve": (
        "classes or pairs without a curve, as a side of it has no row; they are left out: {classes}.",
        "因一侧没有行而没有曲线、不计入的类别或类别对：{classes}。",
    ),
    "class_without_rows": (
        "classes without a row in the truth, which are left out: {classes}.",
        "真实标签中没有行、不计入的类别：{classes}。",
    ),
    "undefined_class_zero": (
        "classes without a value, which count 0: {classes}.",
        "无定义、计 0 的类别：{classes}。",
    ),
    "undefined_class_one": (
        "classes without a value, which count 1: {classes}.",
        "无定义、计 1 的类别：{classes}。",
    ),
    "undefined_class_skip": (
        "classes without a value, which are left out: {classes}.",
        "无定义、不计入的类别：{classes}。",
    ),
    "in_units": (
        "errors are squared in units of {unit}: their squares would be too large or too small for a number.",
        "误差以 {unit} 为单位求平方，否则其平方超出数值范围。",
    ),
    "undefined_row_zero": (
        "rows without a value, which count 0: {rows}.",
        "无定义、计 0 的行：{rows}。",
    ),
    "undefined_row_one": (
        "rows without a value, which count 1: {rows}.",
        "无定义、计 1 的行：{rows}。",
    ),
    "undefined_row_skip": (
        "rows without a value, which are left out: {rows}.",
        "无定义、不计入的行：{rows}。",
    ),
    "undefined_rows": ("there is no row, so that the value is undefined.", "没有任何行，因此值无定义。"),
    "undefined_one_class": (
        "only one class is there, so that the value is undefined.",
        "只有一个类别，因此值无定义。",
    ),
    "undefined_two_classes": (
        "no two classes are there, so that the value is undefined.",
        "不足两个类别，因此值无定义。",
    ),
    "undefined_positive": (
        "there is no positive, so that the value is undefined.",
        "没有正样本，因此值无定义。",
    ),
    "undefined_predicted": (
        "the predictions add up to 0, so that the value is undefined.",
        "预测之和为 0，因此值无定义。",
    ),
    "undefined_groups": (
        "no group has both classes and a weight, so that the value is undefined.",
        "没有同时具有两个类别且权重大于 0 的组，因此值无定义。",
    ),
    "undefined_spread": (
        "there are fewer than two rows or all true values are equal, so that the value is undefined.",
        "不足两行或真实值全部相等，因此值无定义。",
    ),
    "undefined_positive_class": (
        "only one class is there, so that none is the positive one.",
        "只有一个类别，因此没有正类。",
    ),
    "undefined_division": (
        "a division by 0 is undefined.",
        "除数为 0，因此无定义。",
    ),
    "undefined_one_side": (
        "only one class is true or only one was predicted, so that the value is undefined.",
        "真实类别或预测类别只有一个，因此值无定义。",
    ),
}

ROW_WORDS: dict[str, tuple[str, str]] = {**_TABLES, **_COLUMNS, **_NUMBERS, **_SENTENCES}
