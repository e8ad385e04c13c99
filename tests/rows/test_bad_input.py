"""Bad input: one sentence that names file and row, one with the remedy, and nothing is written."""

from __future__ import annotations

import polars as pl
import pytest

import steelyard as sy

from ..tables import each_row
from .bad_columns import COLUMNS
from .bad_values import VALUES

ONE_TABLE = VALUES | COLUMNS
KINDS = pytest.mark.parametrize("kind", ["csv", "parquet"])
CASES = pytest.mark.parametrize("case", ONE_TABLE.values(), ids=list(ONE_TABLE))


def written(columns, path):
    frame = pl.DataFrame(columns)
    frame.write_csv(path) if path.suffix == ".csv" else frame.write_parquet(path)
    return path


@CASES
@KINDS
def test_in_python(case, kind, tmp_path, monkeypatch):
    columns, metrics, options, message, remedy = case
    monkeypatch.chdir(tmp_path)
    name = written(columns, tmp_path / f"log.{kind}").name
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(name, metrics=metrics, **options)
    assert caught.value.message.lower() == message.format(name).lower()
    assert remedy in caught.value.remedy
    assert "\n" not in caught.value.message + caught.value.remedy


def flags(options):
    """The same options as the command line has them."""
    named = {**options, "classes": ",".join(options.get("classes", [])), "columns": "", "by": ""}
    return [
        *(part for name, value in named.items() if value for part in (f"--{name}", value)),
        *(part for pair in options.get("columns", {}).items() for part in ("--columns", "=".join(pair))),
        *(part for column in options.get("by", []) for part in ("--by", column)),
    ]


@CASES
@KINDS
def test_on_the_command_line(case, kind, tmp_path, monkeypatch, steelyard):
    columns, metrics, options, message, remedy = case
    monkeypatch.chdir(tmp_path)
    name = written(columns, tmp_path / f"log.{kind}").name
    asked = [part for metric in metrics for part in ("-m", metric)]
    done = steelyard("evaluate", name, *asked, *flags(options), "-o", "out.json", "--chart", "roc=roc.svg")
    assert (done.code, done.out) == (2, "")
    first, *rest = done.err.splitlines()
    assert first.lower() == f"error: {message.format(name)}".lower()
    assert remedy in " ".join(line.strip() for line in rest)
    assert [path.name for path in tmp_path.iterdir()] == [name]


SAID = {"user": [9, 3, 1, 2], "item": ["a"] * 4, "score": [0.5, 0.9, 0.2, 0.4]}
TRUE = {"user": [1, 2, 3, 7], "item": ["a"] * 4, "label": [1, None, 0, 1]}
LEFT_OUT = {"unlabelled": "drop"}

# changes to the predictions, to the truth, options, message; {0} and {1} are the files
TWO_TABLES = {
    "a null label": ({}, {}, {}, "{1}, row 2: label is null"),
    "a label beyond dropped rows": (
        {},
        {"label": [1, None, 5, 1]},
        LEFT_OUT,
        "{1}, row 3: label is 5, and labels must be 0 and 1; found 1 and 5",
    ),
    "a probability beyond dropped rows": (
        {"score": [0.5, 0.9, 3.0, 0.4]},
        {},
        LEFT_OUT,
        "{0}, row 3: score is 3, and logloss(unlabelled=drop) needs probabilities in [0, 1] "
        "(scores run from 0.9 to 3)",
    ),
    "a score that is missing": ({"score": [0.5, None, 0.1, 0.1]}, {}, {}, "{0}, row 2: score is missing"),
    "a weight of the truth": (
        {},
        {"w": [1, 1, -4, 1]},
        LEFT_OUT | {"weights": "w"},
        "{1}, row 3: weight (column 'w') is -4",
    ),
    "a weight of the predictions": (
        {"w": [1.0, 1.0, -4.5, 1.0]},
        {},
        LEFT_OUT | {"weights": "w"},
        "{0}, row 3: weight (column 'w') is -4.5",
    ),
    "weights that differ": (
        {"w": [1, 1, 1, 1]},
        {"w": [2, 1, 1, 1]},
        LEFT_OUT | {"weights": "w"},
        "both {0} and {1} have a column 'w' to weigh by",
    ),
    "nothing that both name": (
        {},
        {"user": [21, 22, 23, 24]},
        {},
        "no row of {0} is in {1}, matched by query and item: '9' and 'a' … against '21' and 'a' …",
    ),
    "predictions doubled": (
        {"user": [1, 2, 1, 3]},
        {},
        {},
        "2 rows of {0} share their key with another, first 1 · a ({0}, row 1 and {0}, row 3)",
    ),
    "labels doubled": (
        {},
        {"user": [1, 2, 1, 1]},
        {},
        "3 rows of {1} share their key with another, first 1 · a ({1}, row 1 and {1}, row 3)",
    ),
    "labels that are null throughout": (
        {},
        {"label": [None] * 4},
        LEFT_OUT,
        "no row of {1} has a label",
    ),
    "a query that is missing": (
        {},
        {"user": [1, 2, None, 3]},
        {},
        "{1}, row 3: query (column 'user') is missing",
    ),
}


@KINDS
@pytest.mark.parametrize("case", TWO_TABLES.values(), ids=list(TWO_TABLES))
def test_of_two_tables(case, kind, tmp_path, monkeypatch):
    """The row is that of the table the value stands in, whatever was matched or dropped before."""
    said, true, options, message = case
    monkeypatch.chdir(tmp_path)
    names = [
        written(columns, tmp_path / f"{name}.{kind}").name
        for name, columns in (("said", {**SAID, **said}), ("true", {**TRUE, **true}))
    ]
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(*names, ["auc", "logloss"], **options)
    assert caught.value.message == message.format(*names)
    assert caught.value.remedy


def test_tables_without_a_common_key():
    said, true = pl.DataFrame({"user": [1], "score": [0.5]}), pl.DataFrame({"item": [1], "label": [1]})
    with pytest.raises(sy.SteelyardError, match="share neither a query nor an item to match their rows by"):
        sy.evaluate(said, true, "auc")
    with pytest.raises(sy.SteelyardError, match="truth has no column that could be the query") as caught:
        sy.evaluate(said, true.drop("item"), "auc")
    assert "or the item, --columns item=NAME" in caught.value.remedy


@each_row(
    ("options", "message"),
    [
        ({"exclude": {1: ["a"]}}, "exclude removes items from rankings, and the metric reads rows"),
        ({"weights": {1: 2.0}}, "weights of queries cannot be used for rows"),
        ({"by": 3}, "by must be text or a list of texts; got 3"),
        ({"ties": "expected"}, "auc has no convention 'ties'"),
        ({"unlabelled": "skip"}, "auc: unlabelled must be one of 'error', 'drop'; got 'skip'"),
        ({"profile": "trec_eval"}, "trec_eval has no auc"),
        ({"classes": "no,yes"}, "classes must be a list of texts or of whole numbers; got 'no,yes'"),
        ({"classes": [1, "no"]}, "some classes are text and some are whole numbers"),
        ({"classes": ["no", "yes", "no"]}, "classes names 'no' twice"),
        ({"classes": []}, "classes must be a list of texts or of whole numbers; got []"),
        ({"classes": [None, 1]}, "classes must be a list of texts or of whole numbers; got [None, 1]"),
        ({"classes": [0.5, 1]}, "classes must be a list of texts or of whole numbers; got [0.5, 1]"),
        ({"classes": ["no", "yes"]}, "some classes are text and some are whole numbers"),
    ],
)
def test_options_that_do_not_fit_rows(options, message):
    log = {"label": [1, 0], "score": [0.5, 0.2], "user": [1, 1]}
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(log, metrics="auc", **options)
    assert caught.value.message == message


LISTS = {
    "uneven": ([[0.5, 0.5], [0.2, 0.3, 0.5]], "row 2: probability (column 'probs') holds 3 numbers, and"),
    "empty": ([[], []], "row 1: probability (column 'probs') holds 0 numbers"),
    "missing": ([[0.5, 0.5], None], "row 2: probability (column 'probs') is missing"),
    "with a gap": ([[0.5, 0.5], [None, 1.0]], "row 2: probability (column 'probs') is missing"),
    "of text": ([["a", "b"], ["a", "b"]], "row 1: probability (column 'probs') is text: 'a'"),
    "of NaN": ([[0.5, 0.5], [float("nan"), 1.0]], "row 2: a probability is nan"),
    "beyond 1": ([[0.5, 0.5], [0.0, 1.5]], "row 2: a probability is 1.5"),
    "below 1": ([[0.5, 0.5], [0.5, 0.4]], "row 2: probabilities sum to 0.9, not to 1"),
    "too many": ([[0.2, 0.4, 0.4]] * 2, "3 columns for the 2 classes 'a' and 'b'"),
}


@each_row(("lists", "message"), LISTS.values(), ids=list(LISTS))
def test_lists_of_probabilities(lists, message):
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(pl.DataFrame({"label": ["a", "b"], "probs": lists}), metrics="auc")
    assert caught.value.message.removeprefix("predictions, ").startswith(message)


@pytest.mark.parametrize(
    ("label", "remedy"),
    [
        (pl.date(2024, 1, 1), "give text, numbers, or true and false"),
        (pl.concat_list(pl.date(2024, 1, 1)), "give lists of text, or of 0 and 1 for each class"),
    ],
)
def test_labels_of_a_type_that_is_no_label(label, remedy):
    frame = pl.DataFrame({"score": [0.1, 0.2]}).with_columns(label=label)
    with pytest.raises(sy.SteelyardError, match=remedy) as caught:
        sy.evaluate(frame, metrics="auc")
    assert caught.value.message.startswith("predictions, row 1: label is date: '2024-01-01'")


def test_lists_of_items_have_no_scores():
    with pytest.raises(
        sy.SteelyardError, match="predictions holds lists of items, and a metric of rows needs"
    ):
        sy.evaluate({"q": ["a", "b"]}, {"q": {"a": 1}}, "auc")


def test_gauc_of_several_classes_is_refused():
    log = {"user": ["u", "u"], "label": ["a", "b"], "pa": [0.5, 0.2], "pb": [0.3, 0.5], "pc": [0.2, 0.3]}
    columns = {"query": "user", "probability": ["pa", "pb", "pc"]}
    with pytest.raises(sy.SteelyardError, match="gauc"):
        sy.evaluate(log, metrics="gauc", columns=columns, classes=["a", "b", "c"])
