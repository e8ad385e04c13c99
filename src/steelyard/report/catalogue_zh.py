"""The catalogue in Chinese: one sentence per metric, and the headings; field words stay English."""

from __future__ import annotations

SENTENCES = {
    "cg": "前 k 个物品的增益之和，与它们的位置无关。",
    "dcg": "前 k 个物品的增益之和，位置越靠后折损越多。",
    "fbeta": "前 k 个物品的精确率与召回率的加权调和平均，beta=1 时即 f1。",
    "hit_rate": "在前 k 个物品中至少找到一个相关物品的用户所占的比例。",
    "idcg": "把一个查询的已判定物品按最佳顺序排列所得的 DCG，即 nDCG 的分母。",
    "map": "相关物品出现得有多早、有多全。",
    "mrr": "第一个相关物品的排名有多靠前：其排名的倒数，再对查询取平均。",
    "ndcg": "排序与该查询分级物品的最佳顺序有多接近：DCG 除以理想 DCG。",
    "precision": "前 k 个物品中相关物品所占的比例。",
    "r_precision": "前 R 个物品的精确率，R 是该查询的相关物品数。",
    "recall": "全部相关物品中出现在前 k 个里的比例。",
}

TASKS = "任务（--task 名称）"
FIELDS = "字段（house:2026 的取值在前）"
OTHER_STAGES = "其他阶段的约定"
