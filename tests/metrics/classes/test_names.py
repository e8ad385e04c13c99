"""Text finds the class it should: with @ a ranking metric, without @ a metric of classes."""

from __future__ import annotations

import pytest

import steelyard as sy
from steelyard.metrics import by_name

from ...tables import each_row

NAMES = [
    ("precision", "Precision", "precision"),
    ("precision@5", "PrecisionAt", "precision@5"),
    ("精确率", "Precision", "precision"),
    ("精确率@5", "PrecisionAt", "precision@5"),
    ("查准率", "Precision", "precision"),
    ("recall", "Recall", "recall"),
    ("recall@all", "RecallAt", "recall@all"),
    ("召回率", "Recall", "recall"),
    ("查全率", "Recall", "recall"),
    ("查全率@5", "RecallAt", "recall@5"),
    ("f1", "FBeta", "f1"),
    ("f1@5", "FBetaAt", "f1@5"),
    ("F1值", "FBeta", "f1"),
    ("F1值@5", "FBetaAt", "f1@5"),
    ("fbeta(beta=2)", "FBeta", "fbeta(beta=2)"),
    ("F 值(beta=2)", "FBeta", "fbeta(beta=2)"),
    ("fbeta(beta=1)", "FBeta", "f1"),
    ("accuracy", "Accuracy", "accuracy"),
    ("准确率", "Accuracy", "accuracy"),
    ("accuracy@5", "HitRate", "hit_rate@5"),
    ("特异度", "Specificity", "specificity"),
    ("假阳性率", "FPR", "fpr"),
    ("平衡准确率", "BalancedAccuracy", "balanced_accuracy"),
    ("balanced-accuracy", "BalancedAccuracy", "balanced_accuracy"),
    ("马修斯相关系数", "MCC", "mcc"),
    ("混淆矩阵", "Confusion", "confusion"),
    ("top_accuracy@5", "TopAccuracy", "top_accuracy@5"),
    ("均方根误差", "RMSE", "rmse"),
    ("均方误差", "MSE", "mse"),
    ("平均绝对误差", "MAE", "mae"),
    ("决定系数", "R2", "r2"),
    (
        "f1(average=macro, threshold=0.3, strict=true)",
        "FBeta",
        "f1(threshold=0.3, strict=true, average=macro)",
    ),
    ("auc(average=ovo_macro)", "AUC", "auc(average=ovo_macro)"),
]


@each_row(("text", "cls", "canonical"), NAMES)
def test_text_finds_its_metric(text, cls, canonical):
    metric = sy.metric(text)
    assert (type(metric).__name__, str(metric)) == (cls, canonical)
    assert sy.metric(str(metric)) == metric


def test_both_families_are_in_the_catalogue():
    shared = {"precision", "precision@k", "recall", "recall@k", "fbeta", "fbeta@k", "top_accuracy@k"}
    assert shared <= set(by_name())


@pytest.mark.parametrize("value", [True, "true", "TRUE"])
def test_strict_is_true_or_false(value):
    made = sy.metric(f"f1(strict={value})")
    assert made.strict is True
    assert made.spec()["strict"] is True


def test_chinese_accuracy_at_k_is_refused():
    with pytest.raises(sy.SteelyardError, match="精确率@5"):
        sy.metric("准确率@5")


def test_f1_fixes_beta():
    with pytest.raises(sy.SteelyardError, match="beta"):
        sy.metric("f1(beta=2)")
