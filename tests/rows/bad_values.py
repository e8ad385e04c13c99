"""Values that have no place in labelled rows: labels, scores and probabilities."""

from __future__ import annotations

from math import inf, nan

CLICKS = {"user": [1, 1, 2, 2], "label": [1, 0, 1, 0], "score": [0.9, 0.2, 0.4, 0.5]}
FILL = "fill it, or pass unlabelled=drop (--unlabelled drop)"
BINARY = "make them 0 and 1, name both classes, the positive one last"
P = {"columns": {"probability": "p_a,p_b"}}


def clicks(**columns):
    """Four clicks, some of their columns replaced."""
    return {**CLICKS, **columns}


def chances(*rows, labels=("a", "b", "a", "b"), **more):
    """Four rows with the probabilities of two classes."""
    given = [*rows, *[(0.5, 0.5)] * (4 - len(rows))]
    return {"label": list(labels), "p_a": [row[0] for row in given], "p_b": [row[1] for row in given], **more}


# columns, metrics, options, message, remedy; {} is the file
VALUES = {
    "a label of 3": (
        clicks(label=[1, 0, 3, 0]),
        ["auc"],
        {},
        "{}, row 3: label is 3, and labels must be 0 and 1; found 0, 1 and 3",
        BINARY,
    ),
    "a label of 3.5": (
        clicks(label=[1.0, 0.0, 1.0, 3.5]),
        ["logloss"],
        {},
        "{}, row 4: label is 3.5, and labels must be 0 and 1; found 0.0, 1.0 and 3.5",
        BINARY,
    ),
    "labels of -1 and 1": (
        clicks(label=[1, -1, 1, -1]),
        ["ks"],
        {},
        "{}, row 2: label is -1, and labels must be 0 and 1; found -1 and 1",
        BINARY,
    ),
    "a label that is a word": (
        clicks(label=["1", "0", "maybe", "0"]),
        ["auc"],
        {},
        "{}, row 3: label is 'maybe', and labels must be 0 and 1; found '0', '1' and 'maybe'",
        BINARY,
    ),
    "a class of 3.5": (
        clicks(label=[1.0, 0.0, 1.0, 3.5]),
        ["f1"],
        {},
        "{}, row 4: label is 3.5, which is not a class",
        "a class is text or a whole number",
    ),
    "a rating that is a word": (
        clicks(label=["4", "3.5", "good", "1"]),
        ["rmse"],
        {},
        "{}, row 3: label is 'good', which is not a number",
        "remove the row, or correct it",
    ),
    "a null label": (clicks(label=[1, None, 1, 0]), ["auc"], {}, "{}, row 2: label is null", FILL),
    "null labels": (
        clicks(label=[1, None, 0, None]),
        ["f1"],
        {},
        "{}, row 2: label is null, as in 1 further row",
        FILL,
    ),
    "a label of NaN": (clicks(label=[1.0, 0.0, nan, 0.0]), ["rmse"], {}, "{}, row 3: label is null", FILL),
    "null labels throughout": (
        clicks(label=[None] * 4),
        ["auc"],
        {"unlabelled": "drop"},
        "no row of {} has a label",
        "give at least one labelled row",
    ),
    "a label beyond dropped rows": (
        clicks(label=[None, 0, None, 7]),
        ["auc"],
        {"unlabelled": "drop"},
        "{}, row 4: label is 7, and labels must be 0 and 1; found 0 and 7",
        BINARY,
    ),
    "a probability above 1": (
        clicks(score=[0.9, 1.2, 0.4, 0.5]),
        ["auc", "logloss"],
        {},
        "{}, row 2: score is 1.2, and logloss needs probabilities in [0, 1] (scores run from 0.4 to 1.2)",
        "give probabilities",
    ),
    "a regression's probabilities": (
        clicks(score=[1.1, -0.1, 0.4, 0.5]),
        ["calibration"],
        {},
        "{}, row 1: score is 1.1, and calibration needs probabilities in [0, 1] "
        "(scores run from -0.1 to 1.1)",
        "clip them, as scores.clip(0, 1) does, or calibrate the model",
    ),
    "logits": (
        clicks(score=[2.5, -1.5, 0.4, 0.5]),
        ["calibration"],
        {},
        "{}, row 1: score is 2.5, and calibration needs probabilities in [0, 1] "
        "(scores run from -1.5 to 2.5)",
        "they look like logits: apply 1 / (1 + exp(-score))",
    ),
    "a probability beyond dropped rows": (
        clicks(label=[None, 1, None, 0], score=[5.0, 0.5, 0.4, 1.5]),
        ["brier(unlabelled=drop)"],
        {},
        "{}, row 4: score is 1.5, and brier(unlabelled=drop) needs probabilities in [0, 1] "
        "(scores run from 0.5 to 1.5)",
        "give probabilities",
    ),
    "a score that is missing": (
        clicks(score=[0.9, None, 0.4, 0.5]),
        ["auc"],
        {},
        "{}, row 2: score is missing",
        "remove the row, or fill it",
    ),
    "a score of NaN": (
        clicks(score=[0.9, 0.2, nan, 0.5]),
        ["auc"],
        {},
        "{}, row 3: score is 'NaN'",
        "remove the row, or fill it; a NaN cannot be compared",
    ),
    "a score of infinity": (
        clicks(score=[0.9, 0.2, 0.4, inf]),
        ["auc"],
        {},
        "{}, row 4: score is 'inf'",
        "remove the row, or cap the score",
    ),
    "a rating of -infinity": (
        clicks(score=[0.9, -inf, 0.4, 0.1]),
        ["mae"],
        {},
        "{}, row 2: score is -inf",
        "remove the row, or fill it",
    ),
    "probabilities that sum to more": (
        chances((0.2, 0.8), (0.5, 0.5), (0.6, 0.5)),
        ["auc"],
        P,
        "{}, row 3: probabilities sum to 1.1, not to 1 (tolerance 0.001)",
        "divide each row by its sum if they are shares or rounded, apply softmax if they are logits",
    ),
    "a negative probability": (
        chances((0.2, 0.8), (-0.5, 1.5)),
        ["logloss"],
        P,
        "{}, row 2: a probability is -0.5",
        "probabilities are in [0, 1]",
    ),
    "a probability that is missing": (
        chances((0.2, 0.8), (None, 1.0)),
        ["logloss"],
        P,
        "{}, row 2: probability (column 'p_a') is missing",
        "remove the row, or fill it",
    ),
    "a column of probabilities that is missing": (
        chances(),
        ["auc"],
        {"columns": {"probability": "p_a,p_c"}},
        "{} has no column 'p_c' (asked for as probability); did you mean 'p_b'?",
        "the columns are ",
    ),
}
