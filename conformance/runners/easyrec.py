"""EasyRec: the metrics of its evaluation under TensorFlow; it knows no weights.

It is not on PyPI: the variable EASYREC names the folder of its source.
"""

import os
import sys

HERE = sys.path.pop(0)  # where files are named after libraries
sys.path.insert(0, os.environ["EASYREC"])
os.environ["PROCESSOR_TEST"] = "1"  # its operators are not loaded then

import numpy as np
import tensorflow

sys.path.append(HERE)
from answering import answer

sys.path.remove(HERE)

tensorflow.compat.v1.disable_eager_execution()

from easy_rec.python.core import metrics
from easy_rec.python.core.easyrec_metrics import metrics_tf
from easy_rec.version import __version__

REDUCTIONS = ("mean", "mean_by_sample_num", "mean_by_positive_num")


def measured(metric, *rows, **options):
    def value():
        with tensorflow.Graph().as_default(), tensorflow.compat.v1.Session() as session:
            found, update = metric(*(tensorflow.constant(one) for one in rows), **options)
            session.run(tensorflow.compat.v1.local_variables_initializer())
            session.run(update)
            return session.run(found)

    return value


def clicks(case):
    if case["weight"] is not None:
        return {}
    label, score = np.array(case["label"]), np.array(case["score"], np.float32)
    group = np.unique(case["group"], return_inverse=True)[1]
    found = {
        "auc": measured(metrics_tf.auc, label, score),
        "auc(num_thresholds=11)": measured(metrics_tf.auc, label, score, num_thresholds=11),
        "max_f1": measured(metrics.max_f1, label, score),
    }
    for name, metric in (("gauc", metrics.gauc), ("session_auc", metrics.session_auc)):
        found[name] = measured(metric, label, score, group)
        for one in REDUCTIONS:
            found[f"{name}(reduction='{one}')"] = measured(metric, label, score, group, reduction=one)
    return found


def classes(case):
    if case["weight"] is not None:
        return {}
    rows = [np.array([case["classes"].index(one) for one in case[key]]) for key in ("label", "predicted")]
    return {"accuracy": measured(metrics_tf.accuracy, *rows)}


def ratings(case):
    if case["weight"] is not None:
        return {}
    rows = [np.array(case[key], np.float32) for key in ("label", "predicted")]
    names = ("mean_absolute_error", "mean_squared_error", "root_mean_squared_error")
    return {name: measured(getattr(metrics_tf, name), *rows) for name in names}


answer("EasyRec", __version__, {"clicks": clicks, "classes": classes, "ratings": ratings})
