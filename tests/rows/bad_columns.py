"""Classes, weights, slices and columns that do not fit labelled rows."""

from __future__ import annotations

from math import nan

from .bad_values import CLICKS, P, chances, clicks

W = {"weights": "w"}
WEIGHT = "a weight is 0, or a number from 1e-60 to 1e60: only the proportions of weights count"

# columns, metrics, options, message, remedy; {} is the file
COLUMNS = {
    "an unknown class": (
        chances(labels="abac"),
        ["auc"],
        P | {"classes": ["a", "b"]},
        "{}, row 4: label 'c' is none of the classes 'a' and 'b'",
        "name it in classes, or correct the row",
    ),
    "an unknown predicted class": (
        {"label": ["a", "b"], "predicted_class": ["a", "x"]},
        ["accuracy"],
        {"classes": ["a", "b"]},
        "{}, row 2: predicted class 'x' is none of the classes 'a' and 'b'",
        "name it in classes, or correct the row",
    ),
    "more classes than columns": (
        chances(),
        ["auc"],
        P | {"classes": ["a", "b", "c"]},
        "2 columns for the 3 classes 'a', 'b' and 'c'",
        "give one column per class",
    ),
    "more classes than a score can tell": (
        chances(score=[0.1] * 4),
        ["auc"],
        {"classes": ["a", "b", "c"], "columns": {"score": "score"}},
        "auc of one score needs two classes; 3 are named: 'a', 'b' and 'c'",
        "name two, the positive one last, or give a probability for each class",
    ),
    "a class twice": (
        clicks(),
        ["f1"],
        {"classes": ["0", "0"]},
        "classes names '0' twice",
        "name each class once",
    ),
    "classes for ratings": (
        clicks(),
        ["rmse"],
        {"classes": ["0", "1"]},
        "classes were named, and rmse uses none",
        "leave classes out",
    ),
    "a negative weight": (
        clicks(w=[1, -2, 1, 1]),
        ["auc"],
        W,
        "{}, row 2: weight (column 'w') is -2",
        WEIGHT,
    ),
    "a weight of NaN": (
        clicks(w=[1.0, 1.0, nan, 1.0]),
        ["rmse"],
        W,
        "{}, row 3: weight (column 'w') is nan",
        WEIGHT,
    ),
    "a weight too small for its products": (
        clicks(w=[1.0, 1.0, 1e-61, 1.0]),
        ["auc"],
        W,
        "{}, row 3: weight (column 'w') is 1e-61",
        WEIGHT,
    ),
    "a weight that is missing": (
        clicks(w=[1.0, 1.0, None, 1.0]),
        ["f1"],
        W,
        "{}, row 3: weight (column 'w') is null",
        WEIGHT,
    ),
    "a weight that is a word": (
        clicks(w=["much", "more", "most", "all"]),
        ["f1"],
        W,
        "{}, row 1: weight (column 'w') is much",
        WEIGHT,
    ),
    "weights of 0": (
        clicks(w=[0] * 4),
        ["f1"],
        W,
        "all weights in column 'w' of {} are 0",
        "give at least one row",
    ),
    "weights that are not there": (
        clicks(),
        ["auc"],
        {"weights": "v"},
        "no column 'v' in {} to weigh by",
        "the columns are: label, score, user",
    ),
    "slices that are not there": (
        clicks(),
        ["auc"],
        {"by": ["v"]},
        "no column 'v' in {} to slice by",
        "the columns are: label, score, user",
    ),
    "slices called as results are": (
        clicks(metric=[1] * 4),
        ["auc"],
        {"by": ["metric"]},
        "by names a column 'metric', and the result table has a column of that name",
        "rename that column of your table",
    ),
    "slices twice": (
        clicks(v=[1] * 4),
        ["auc"],
        {"by": ["v", "v"]},
        "by names the column 'v' twice",
        "name each column once",
    ),
    "two labels": (
        clicks(clicked=[1, 0, 1, 0]),
        ["auc"],
        {},
        "two columns of {} could be the label: 'label' and 'clicked'",
        "say which one: --columns label=label",
    ),
    "two scores": (
        clicks(p=[0.1] * 4),
        ["auc"],
        {},
        "two columns of {} could be the score: 'score' and 'p'",
        "say which one: --columns score=score",
    ),
    "no label": (
        {"score": [0.1], "user": [1]},
        ["auc"],
        {},
        "{} has no column that could be the label: its columns are 'score' and 'user'",
        "or give the truth as a table of its own (--truth FILE)",
    ),
    "no score": (
        {"label": [1]},
        ["auc"],
        {},
        "{} has no column that could be the score: its columns are 'label'",
        "say which one",
    ),
    "no group": (
        {"label": [1], "score": [1]},
        ["gauc"],
        {},
        "{} has no column that could be the query: its columns are 'label' and 'score'",
        "query=NAME",
    ),
    "a group that is missing": (
        {**CLICKS, "user": ["a", "b", None, "b"]},
        ["gauc"],
        {},
        "{}, row 3: query (column 'user') is missing",
        "remove the row, or fill the id",
    ),
    "a number for classes": (
        chances(labels=[1, 0, 1, 0]),
        ["rmse"],
        P,
        "rmse needs a predicted number for each row, and there are probabilities of classes",
        "--columns score=NAME",
    ),
    "three classes for one value": (
        {"label": ["a", "b", "c"], "predicted_class": ["a", "b", "b"]},
        ["f1"],
        {},
        "f1 needs two classes; found 3: 'a', 'b' and 'c'",
        "average=micro, macro, weighted, none",
    ),
    "a threshold for classes": (
        {"label": ["a", "b"], "predicted_class": ["a", "b"]},
        ["accuracy(threshold=0.3)"],
        {},
        "accuracy(threshold=0.3) has a threshold, and there are no scores to apply it to",
        "leave the threshold out, or name the scores",
    ),
    "one metric of clicks for many classes": (
        chances(),
        ["ks"],
        P,
        "ks is for labels of 0 and 1",
        "with more classes ask for auc, pr_auc, logloss, brier, ece or mce",
    ),
}
