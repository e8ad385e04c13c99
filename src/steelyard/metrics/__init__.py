"""The catalogue: one file per metric, one line per export."""

from __future__ import annotations

from steelyard.metrics.accuracy import Accuracy
from steelyard.metrics.auc import AUC
from steelyard.metrics.balanced_accuracy import BalancedAccuracy
from steelyard.metrics.base import EDITION, Metric, RankingMetric
from steelyard.metrics.brier import Brier
from steelyard.metrics.calibration import COPC, Calibration
from steelyard.metrics.cg import CG
from steelyard.metrics.class_f import F1, FBeta
from steelyard.metrics.class_precision import Precision
from steelyard.metrics.class_recall import Recall
from steelyard.metrics.classes import AveragedMetric, ClassMetric, ThresholdMetric
from steelyard.metrics.confusion import Confusion
from steelyard.metrics.dcg import DCG
from steelyard.metrics.ece import ECE, MCE
from steelyard.metrics.fbeta import FBetaAt
from steelyard.metrics.fpr import FPR
from steelyard.metrics.gains import GainMetric
from steelyard.metrics.gauc import GAUC
from steelyard.metrics.hit_rate import HitRate
from steelyard.metrics.idcg import IDCG
from steelyard.metrics.ks import KS
from steelyard.metrics.labelled import LabelledMetric
from steelyard.metrics.logloss import LogLoss
from steelyard.metrics.mae import MAE
from steelyard.metrics.map import MAP
from steelyard.metrics.mcc import MCC
from steelyard.metrics.mrr import MRR
from steelyard.metrics.mse import MSE
from steelyard.metrics.multiclass import multiclass_auc, multiclass_logloss
from steelyard.metrics.ndcg import NDCG
from steelyard.metrics.ne import NE
from steelyard.metrics.pr_auc import PRAUC
from steelyard.metrics.precision import PrecisionAt
from steelyard.metrics.r2 import R2
from steelyard.metrics.r_precision import RPrecision
from steelyard.metrics.rating import RatingMetric
from steelyard.metrics.recall import RecallAt
from steelyard.metrics.registry import by_name, find, names, register
from steelyard.metrics.rig import RIG
from steelyard.metrics.rmse import RMSE
from steelyard.metrics.row import RowMetric
from steelyard.metrics.specificity import Specificity
from steelyard.metrics.thresholds import BestThreshold, PrecisionAtRecall, best_threshold, precision_at_recall
from steelyard.metrics.top_accuracy import TopAccuracy

__all__ = [
    "AUC",
    "CG",
    "COPC",
    "DCG",
    "ECE",
    "EDITION",
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
    "AveragedMetric",
    "BalancedAccuracy",
    "BestThreshold",
    "Brier",
    "Calibration",
    "ClassMetric",
    "Confusion",
    "FBeta",
    "FBetaAt",
    "GainMetric",
    "HitRate",
    "LabelledMetric",
    "LogLoss",
    "Metric",
    "Precision",
    "PrecisionAt",
    "PrecisionAtRecall",
    "RPrecision",
    "RankingMetric",
    "RatingMetric",
    "Recall",
    "RecallAt",
    "RowMetric",
    "Specificity",
    "ThresholdMetric",
    "TopAccuracy",
    "best_threshold",
    "by_name",
    "find",
    "multiclass_auc",
    "multiclass_logloss",
    "names",
    "precision_at_recall",
    "register",
]
