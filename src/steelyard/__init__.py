"""Steelyard weighs predictions: ranking metrics whose every convention is stated and carried by the result.

>>> import steelyard as sy
>>> sy.evaluate({"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}, "mrr")["mrr"]
0.5
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import steelyard.processes  # noqa: F401 - it must know of every fork from here on
from steelyard.version import VERSION

if TYPE_CHECKING:
    from steelyard.api.evaluate import evaluate
    from steelyard.api.explain import explain
    from steelyard.api.load import load
    from steelyard.api.report import report
    from steelyard.ask import metric
    from steelyard.conventions import choice, number
    from steelyard.messages.errors import SteelyardError
    from steelyard.metrics import (
        AUC,
        CG,
        COPC,
        DCG,
        ECE,
        F1,
        FPR,
        GAUC,
        IDCG,
        KS,
        MAE,
        MAP,
        MCC,
        MCE,
        MRR,
        MSE,
        NDCG,
        NE,
        PRAUC,
        R2,
        RIG,
        RMSE,
        Accuracy,
        BalancedAccuracy,
        Brier,
        Calibration,
        ClassMetric,
        Confusion,
        FBeta,
        FBetaAt,
        GainMetric,
        HitRate,
        LogLoss,
        Metric,
        Precision,
        PrecisionAt,
        RankingMetric,
        RatingMetric,
        Recall,
        RecallAt,
        RowMetric,
        RPrecision,
        Specificity,
        TopAccuracy,
        best_threshold,
        precision_at_recall,
        register,
    )
    from steelyard.rank import Ranked
    from steelyard.result import Result

__version__ = VERSION

_HOME = {
    "SteelyardError": "messages.errors",
    "choice": "conventions",
    "evaluate": "api.evaluate",
    "load": "api.load",
    "explain": "api.explain",
    "metric": "ask",
    "number": "conventions",
    "Ranked": "rank",
    "report": "api.report",
    "Result": "result",
    **dict.fromkeys(
        [
            "CG",
            "DCG",
            "IDCG",
            "MAP",
            "MRR",
            "NDCG",
            "FBetaAt",
            "GainMetric",
            "HitRate",
            "Metric",
            "PrecisionAt",
            "RPrecision",
            "RankingMetric",
            "RecallAt",
            "register",
            "AUC",
            "COPC",
            "ECE",
            "F1",
            "FPR",
            "GAUC",
            "KS",
            "MAE",
            "MCC",
            "MCE",
            "MSE",
            "NE",
            "PRAUC",
            "R2",
            "RIG",
            "RMSE",
            "Accuracy",
            "BalancedAccuracy",
            "Brier",
            "Calibration",
            "ClassMetric",
            "Confusion",
            "FBeta",
            "LogLoss",
            "Precision",
            "RatingMetric",
            "Recall",
            "RowMetric",
            "Specificity",
            "TopAccuracy",
            "best_threshold",
            "precision_at_recall",
        ],
        "metrics",
    ),
}

__all__ = [
    "AUC",
    "CG",
    "COPC",
    "DCG",
    "ECE",
    "F1",
    "FPR",
    "GAUC",
    "IDCG",
    "KS",
    "MAE",
    "MAP",
    "MCC",
    "MCE",
    "MRR",
    "MSE",
    "NDCG",
    "NE",
    "PRAUC",
    "R2",
    "RIG",
    "RMSE",
    "Accuracy",
    "BalancedAccuracy",
    "Brier",
    "Calibration",
    "ClassMetric",
    "Confusion",
    "FBeta",
    "FBetaAt",
    "GainMetric",
    "HitRate",
    "LogLoss",
    "Metric",
    "Precision",
    "PrecisionAt",
    "RPrecision",
    "Ranked",
    "RankingMetric",
    "RatingMetric",
    "Recall",
    "RecallAt",
    "Result",
    "RowMetric",
    "Specificity",
    "SteelyardError",
    "TopAccuracy",
    "__version__",
    "best_threshold",
    "choice",
    "evaluate",
    "explain",
    "load",
    "metric",
    "number",
    "precision_at_recall",
    "register",
    "report",
]


if not TYPE_CHECKING:  # a type checker must see only the names above

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module 'steelyard' has no attribute '{name}'")
        return getattr(import_module(f"steelyard.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
