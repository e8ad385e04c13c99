"""TorchRec: its metrics of one task and one process, after one batch with all rows."""

import sys

HERE = sys.path.pop(0)  # where files are named after libraries

from importlib import import_module
from importlib.metadata import version
from itertools import groupby

import torch
from torchrec.metrics.rec_metric import RecTaskInfo

sys.path.append(HERE)
from answering import answer, shown_grades

sys.path.remove(HERE)

TASK = RecTaskInfo(name="task", label_name="label", prediction_name="prediction", weight_name="weight")


def value(name, of, label, score, weight, inputs=None, **options):
    """What the metric class of a module reports under a name."""
    module, _, kind = of.partition(".")
    metric = getattr(import_module(f"torchrec.metrics.{module}"), kind)(
        world_size=1, my_rank=0, batch_size=len(label), tasks=[TASK], window_size=1 << 30, **options
    )
    given = [label, score, weight or [1.0] * len(label)]
    rows = [{"task": torch.tensor([one], dtype=torch.float64)} for one in given]
    more = {} if inputs is None else {"required_inputs": inputs}
    metric.update(labels=rows[0], predictions=rows[1], weights=rows[2], **more)
    found = {key.partition("|")[2]: one for key, one in metric.compute().items()}
    return float(found.get(f"lifetime_{name}", found.get(f"window_{name}")))


def ranking(case):
    lists = shown_grades(case)
    grades, scores = ([one for some in lists.values() for one in some[at]] for at in (0, 1))
    session = [at for at, (some, _) in enumerate(lists.values()) for _ in some]

    def ndcg(k, exponential):
        return value(
            "ndcg", "ndcg.NDCGMetric", grades, scores, None, {"session_id": torch.tensor(session)},
            k=k, exponential_gain=exponential, report_ndcg_as_decreasing_curve=False,
        )  # fmt: skip

    names = {"ndcg(k=5)": (5, False), "ndcg": (-1, False), "ndcg(exponential_gain=True)": (-1, True)}
    names["ndcg(k=5, exponential_gain=True)"] = (5, True)
    return {name: lambda chosen=chosen: ndcg(*chosen) for name, chosen in names.items()}


def clicks(case):
    rows = (case["label"], case["score"], case["weight"])
    keys = torch.tensor([at for at, (_, some) in enumerate(groupby(case["group"])) for _ in some])
    grouped = {"grouping_keys": keys}
    return {
        "auc": lambda: value("auc", "auc.AUCMetric", *rows),
        "grouped_auc": lambda: value("grouped_auc", "auc.AUCMetric", *rows, grouped, grouped_auc=True),
        "gauc": lambda: session_auc(case),
        "auprc": lambda: exact_auprc(case),
        "ne": lambda: value("ne", "ne.NEMetric", *rows),
        "logloss": lambda: value("logloss", "ne.NEMetric", *rows, include_logloss=True),
        "calibration": lambda: value("calibration", "calibration.CalibrationMetric", *rows),
        "accuracy": lambda: value("accuracy", "accuracy.AccuracyMetric", *rows),
        "precision": lambda: value("precision", "precision.PrecisionMetric", *rows),
        "recall": lambda: value("recall", "recall.RecallMetric", *rows),
    }


def session_auc(case):
    """By its computation, as the metric class passes on no lengths of sessions."""
    from torchrec.metrics.gauc import compute_window_auc, get_auc_states

    rows = [case["label"], case["score"], case["weight"] or [1.0] * len(case["label"])]
    lengths = torch.tensor([len([*some]) for _, some in groupby(case["group"])])
    found = get_auc_states(*(torch.tensor([one], dtype=torch.float32) for one in rows), lengths)
    return float(compute_window_auc(found["auc_sum"], found["num_samples"])["gauc"])


def exact_auprc(case):
    """That of a window, which reads the scores; that of the lifetime reads a histogram of them."""
    from torchrec.metrics.auprc import compute_auprc

    rows = [case["score"], case["label"], case["weight"] or [1.0] * len(case["label"])]
    return float(compute_auprc(1, *(torch.tensor([one], dtype=torch.float32) for one in rows)))


def ratings(case):
    rows = (case["label"], case["predicted"], case["weight"])
    return {
        "mse": lambda: value("mse", "mse.MSEMetric", *rows),
        "rmse": lambda: value("rmse", "mse.MSEMetric", *rows),
        "r_squared": lambda: value("r_squared", "mse.MSEMetric", *rows, include_r_squared=True),
        "mae": lambda: value("mae", "mae.MAEMetric", *rows),
    }


answer("TorchRec", version("torchrec"), {"ranking": ranking, "clicks": clicks, "ratings": ratings})
