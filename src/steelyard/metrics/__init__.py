"""The catalogue: one file per metric, one line per export."""

from __future__ import annotations

from steelyard.metrics.auc import AUC
from steelyard.metrics.base import EDITION, Metric, RankingMetric
from steelyard.metrics.brier import Brier
from steelyard.metrics.calibration import COPC, Calibration
from steelyard.metrics.cg import CG
from steelyard.metrics.dcg import DCG
from steelyard.metrics.ece import ECE, MCE
from steelyard.metrics.fbeta import FBetaAt
from steelyard.metrics.gains import GainMetric
from steelyard.metrics.gauc import GAUC
from steelyard.metrics.hit_rate import HitRate
from steelyard.metrics.idcg import IDCG
from steelyard.metrics.ks import KS
from steelyard.metrics.logloss import LogLoss
from steelyard.metrics.map import MAP
from steelyard.metrics.mrr import MRR
from steelyard.metrics.ndcg import NDCG
from steelyard.metrics.ne import NE
from steelyard.metrics.pr_auc import PRAUC
from steelyard.metrics.precision import PrecisionAt
from steelyard.metrics.r_precision import RPrecision
from steelyard.metrics.recall import RecallAt
from steelyard.metrics.registry import by_name, find, names, register
from steelyard.metrics.rig import RIG
from steelyard.metrics.row import RowMetric

__all__ = [
    "AUC",
    "CG",
    "COPC",
    "DCG",
    "ECE",
    "EDITION",
    "GAUC",
    "IDCG",
    "KS",
    "MAP",
    "MCE",
    "MRR",
    "NDCG",
    "NE",
    "PRAUC",
    "RIG",
    "Brier",
    "Calibration",
    "FBetaAt",
    "GainMetric",
    "HitRate",
    "LogLoss",
    "Metric",
    "PrecisionAt",
    "RPrecision",
    "RankingMetric",
    "RecallAt",
    "RowMetric",
    "by_name",
    "find",
    "names",
    "register",
]
