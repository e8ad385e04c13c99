# The public names: these, and every metric of the folder metrics/, which tools/docs.py writes below them.

from steelyard.api.evaluate import evaluate as evaluate
from steelyard.api.explain import explain as explain
from steelyard.api.load import load as load
from steelyard.api.report import report as report
from steelyard.ask import metric as metric
from steelyard.conventions import choice as choice
from steelyard.conventions import number as number
from steelyard.messages.errors import SteelyardError as SteelyardError
from steelyard.metrics.base import Metric as Metric
from steelyard.metrics.base import RankingMetric as RankingMetric
from steelyard.metrics.class_f import F1 as F1
from steelyard.metrics.classes import ClassMetric as ClassMetric
from steelyard.metrics.gains import GainMetric as GainMetric
from steelyard.metrics.rating import RatingMetric as RatingMetric
from steelyard.metrics.registry import register as register
from steelyard.metrics.row import RowMetric as RowMetric
from steelyard.metrics.thresholds import best_threshold as best_threshold
from steelyard.metrics.thresholds import precision_at_recall as precision_at_recall
from steelyard.rank import Ranked as Ranked
from steelyard.result import Result as Result

__version__: str

# metrics
from steelyard.metrics.accuracy import Accuracy as Accuracy
from steelyard.metrics.auc import AUC as AUC
from steelyard.metrics.balanced_accuracy import BalancedAccuracy as BalancedAccuracy
from steelyard.metrics.bpref import Bpref as Bpref
from steelyard.metrics.brier import Brier as Brier
from steelyard.metrics.calibration import COPC as COPC
from steelyard.metrics.calibration import Calibration as Calibration
from steelyard.metrics.cg import CG as CG
from steelyard.metrics.class_f import FBeta as FBeta
from steelyard.metrics.class_precision import Precision as Precision
from steelyard.metrics.class_recall import Recall as Recall
from steelyard.metrics.confusion import Confusion as Confusion
from steelyard.metrics.dcg import DCG as DCG
from steelyard.metrics.ece import ECE as ECE
from steelyard.metrics.ece import MCE as MCE
from steelyard.metrics.fbeta import FBetaAt as FBetaAt
from steelyard.metrics.fpr import FPR as FPR
from steelyard.metrics.gauc import GAUC as GAUC
from steelyard.metrics.hit_rate import HitRate as HitRate
from steelyard.metrics.idcg import IDCG as IDCG
from steelyard.metrics.iprecision import IPrecision as IPrecision
from steelyard.metrics.iprecision_11pt import IPrecision11 as IPrecision11
from steelyard.metrics.judged import JudgedAt as JudgedAt
from steelyard.metrics.ks import KS as KS
from steelyard.metrics.logloss import LogLoss as LogLoss
from steelyard.metrics.mae import MAE as MAE
from steelyard.metrics.map import MAP as MAP
from steelyard.metrics.mcc import MCC as MCC
from steelyard.metrics.mrr import MRR as MRR
from steelyard.metrics.mse import MSE as MSE
from steelyard.metrics.ndcg import NDCG as NDCG
from steelyard.metrics.ne import NE as NE
from steelyard.metrics.pr_auc import PRAUC as PRAUC
from steelyard.metrics.precision import PrecisionAt as PrecisionAt
from steelyard.metrics.r2 import R2 as R2
from steelyard.metrics.r_precision import RPrecision as RPrecision
from steelyard.metrics.rbp import RBP as RBP
from steelyard.metrics.recall import RecallAt as RecallAt
from steelyard.metrics.rig import RIG as RIG
from steelyard.metrics.rmse import RMSE as RMSE
from steelyard.metrics.specificity import Specificity as Specificity
from steelyard.metrics.top_accuracy import TopAccuracy as TopAccuracy
