"""The catalogue: one file per metric, one line per export."""

from __future__ import annotations

from steelyard.metrics.base import EDITION, Metric, RankingMetric
from steelyard.metrics.cg import CG
from steelyard.metrics.dcg import DCG
from steelyard.metrics.fbeta import FBetaAt
from steelyard.metrics.gains import GainMetric
from steelyard.metrics.hit_rate import HitRate
from steelyard.metrics.idcg import IDCG
from steelyard.metrics.map import MAP
from steelyard.metrics.mrr import MRR
from steelyard.metrics.ndcg import NDCG
from steelyard.metrics.precision import PrecisionAt
from steelyard.metrics.r_precision import RPrecision
from steelyard.metrics.recall import RecallAt
from steelyard.metrics.registry import by_name, find, names, register

__all__ = [
    "CG",
    "DCG",
    "EDITION",
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
    "by_name",
    "find",
    "names",
    "register",
]
