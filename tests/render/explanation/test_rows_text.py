"""What a reader of rows, classes and ratings sees: the printed numbers add up, in either language."""

from __future__ import annotations

import math
import re
from functools import cache
from itertools import pairwise, product

import pytest

import steelyard as sy
from steelyard.render.explanation import explain_rows

from .reading import HALF, arithmetic
from .rows_drawn import CLASSIFIED, PROBABLE, RATED, ROW_METRICS, SCORED, forms, states
from .test_rows import measured

NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]\d+)?(?![\w.])")
ENGLISH = re.compile(
    r"classes|McClish|Hand|Till|Davis|Goadrich|AUC|ROC曲线|TP|FP|FN|TN|max_fpr|beta|log|sqrt|sum|hit|value|yes|no|NaN|KS|PR|F1"
)


def bounds(expression):
    """What a printed expression may be worth, its numbers having been rounded."""
    plain = expression.replace("×", "*").replace("^", "**")
    spans = list(NUMBER.finditer(plain))
    values = []
    for moves in product(*[(-1, 1) if "." in span[0] else (0,) for span in spans]):
        written, end = "", 0
        for span, move in zip(spans, moves, strict=True):
            off = HALF if "e" not in span[0] else float(span[0]) * 0.005
            written += plain[end : span.start()] + f"({float(span[0]) + move * off!r})"
            end = span.end()
        try:
            values.append(float(eval(written + plain[end:], {"sqrt": math.sqrt, "log": math.log})))
        except (ValueError, ZeroDivisionError):  # a rounded 0
            values += [-math.inf, math.inf]
    return min(values), max(values)


@cache
def texts(name, lang="en"):
    """What is told of a metric in a few of its forms."""
    made = [
        explain_rows(metric, state, lang=lang)
        for metric in forms(name)[::3]
        for state in states(name)
        if measured(metric, state) is not None
    ]
    return [(one, one.to_text()) for one in made]


@pytest.mark.parametrize("name", ROW_METRICS)
def test_what_is_printed_leads_to_the_value_and_adds_up_in_every_form(name):
    numbers_lead_to_the_value(name)
    columns_add_up(name)
    every_form_holds_the_value(name)


def numbers_lead_to_the_value(name):
    for made, text in texts(name):
        lines = arithmetic(text)
        for _, expression, value in lines:
            if expression is not None and value not in ("–", "undefined") and NUMBER.search(value):
                low, high = bounds(expression)
                assert low - HALF <= float(value) <= high + HALF, text
        if len(made.values) == 1 and lines and math.isfinite(made.value):
            assert abs(float(lines[-1][2]) - made.value) <= HALF, text
        elif len(made.values) == 1 and math.isnan(made.value) and lines:
            assert lines[-1][2] in ("–", "undefined"), text


def printed_tables(made):
    """The tables of steps as Markdown has them, each a list of rows of cells."""
    blocks = made.to_markdown().split("\n\n")
    headed = [below for above, below in pairwise(blocks) if above.startswith("**") and below.startswith("|")]
    return [
        [[cell.strip() for cell in line.split("|")[1:-1]] for line in block.splitlines()[2:]]
        for block in headed
    ]


def columns_add_up(name):
    """The rows that are seen are all there is: the sums below them are theirs."""
    for made, text in texts(name):
        for table, printed in zip(made.steps, printed_tables(made), strict=True):
            for at, column in enumerate(table.columns):
                if column.key not in table.total or table.shown is not None:
                    continue
                *cells, total = (row[at] for row in printed)
                found = [number(cell) for cell in cells if cell not in ("", "–")]
                assert math.isclose(sum(found), number(total), abs_tol=(len(cells) + 1) * HALF), text


def number(cell):
    return float(cell.replace("∞", "inf"))


@pytest.mark.parametrize("name", ROW_METRICS)
def test_chinese_has_no_english_left(name):
    for made, told in texts(name, lang="zh"):
        rest = re.sub(r"\b\w+=[\w.:/-]+", "", told)  # fields with their choice
        rest = re.sub(r"^ +\S+\([^)]*\) = ", "", rest, flags=re.MULTILINE)  # f1(a)
        rest = re.sub(r"[a-z_0-9]+\([^)]*\)(@\w+)?|[a-z_0-9]+@\w+", "", rest)  # metrics as text
        rest = rest.replace(str(made.metric), "").replace(str(made.metric).split("(")[0], "")
        rest = ENGLISH.sub("", rest.replace(made.metric.name, "").replace(made.metric.zh or " ", ""))
        assert not re.findall(r"[A-Za-z]{2,}", rest), told


def every_form_holds_the_value(name):
    for made, text in texts(name)[:6]:
        for told in (text, made.to_markdown(), made.to_html()):
            plain = told.replace("\\", "").replace("-0.0000", "0.0000")
            assert str(made.metric).split("(")[0] in plain
            if len(made.values) == 1 and math.isfinite(made.value):
                assert f"{made.value:.4f}".replace("-0.0000", "0.0000") in plain


CLICKS = {"labels": [1, 1, 0, 0], "scores": [0.8, 0.5, 0.5, 0.1]}


def test_groups_by_name_and_those_left_out():
    rows = {
        "labels": [1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0],
        "scores": [0.9, 0.9, 0.3, 0.1, 0.4, 0.4, 0.4, 0.2, 0.7, 0.1, 0.2],
        "groups": ["a1"] * 4 + ["b"] * 3 + ["c"] * 2 + ["d"] * 2,
    }
    made = sy.explain("gauc", **rows)
    (groups,) = made.steps
    assert groups.column("group").cells == ("a1", "b", "c", "d")  # by name
    assert groups.column("auc").cells[:3] == (2.5 / 3, 1 / 2, 0.0)
    assert math.isnan(groups.column("auc").cells[3])
    assert math.isnan(groups.column("weight").cells[3])
    assert made.value == (4 * 2.5 / 3 + 3 / 2 + 0) / (4 + 3 + 2)
    assert "groups with only one class are skipped: 0 all positive, 1 all negative." in " ".join(
        made.to_text().split()
    )
    half = sy.explain("gauc(single_class=half)", **rows)
    assert half.steps[0].column("auc").cells[3] == 0.5


def test_the_rows_of_one_group():
    rows = {"labels": [1, 0, 1, 0], "scores": [0.9, 0.1, 0.2, 0.8], "groups": ["a", "a", "b", "b"]}
    made = sy.explain("auc", **rows, query="b")
    assert (made.of, made.value, made.steps[0].height) == ("b", 0.0, 2)
    assert sy.explain("gauc", **rows, query="b").steps[0].column("group").cells == ("b",)


def test_other_choices_of_rows():
    made = sy.explain("top_accuracy@1", labels=["a", "b"], scores=[[0.5, 0.5], [0.3, 0.7]])
    assert [other.text for other in made.others] == [
        *("k=3", "k=5", "k=all"),
        *("class_ties=first", "class_ties=last", "class_ties=optimistic", "class_ties=pessimistic"),
    ]
    assert {other.text for other in explain_rows(ROW_METRICS["auc"](), PROBABLE[0]).others} == {
        "average=ovr_weighted",
        "average=ovr_micro",
        "average=ovo_macro",
        "average=ovo_weighted",
        "max_fpr=0.1",
        "thresholds=200",
    }


@pytest.mark.parametrize(("lang", "said"), [("en", "as you lower the bar"), ("zh", "随着阈值降低")])
def test_the_walk_of_roc_by_its_name(lang, said):
    made = sy.explain("roc", **CLICKS, lang=lang)
    assert made.value == made.recomputed() == 3.5 / 4
    assert said in made.to_text().splitlines()[0]
    assert [row[0] for row in printed_tables(made)[0][:-1]] == ["∞", "0.8", "0.5", "0.1"]


def test_thresholds_are_told_where_they_decide():
    told = sy.explain("f1", **CLICKS).to_text()
    assert "threshold=0.5" in told
    assert "threshold=0.5" not in sy.explain("f1", labels=[1, 0], predicted=[1, 1]).to_text()
    named = sy.explain("f1", **CLICKS, classes=[0, 1]).to_text()
    assert "threshold=0.5" in named


def test_class_names_that_are_words_stay_themselves():
    rows = {"labels": ["sum", "hit", "value"], "predicted": ["hit", "hit", "value"]}
    for lang in ("en", "zh"):
        told = sy.explain("f1(average=none)", **rows, lang=lang).to_text()
        assert all(f"→ {name}" in told and f"f1({name}) = " in told for name in ("sum", "hit", "value"))


def test_long_class_names_are_told_apart():
    long = ["x" * 50 + "1" + "y" * 50, "x" * 50 + "2" + "y" * 50]
    made = sy.explain("confusion", labels=long, predicted=long[::-1])
    assert len({column.name for column in made.steps[0].columns}) == 3
    assert made.recomputed_values() == (0.0, 1.0, 1.0, 0.0)


def test_infinite_costs():
    made = sy.explain("logloss(clip=none)", labels=[1, 0], scores=[0.0, 0.5])
    assert made.value == made.recomputed() == math.inf
    assert "∞" in made.to_text()
    clipped = sy.explain("logloss", labels=[1, 0], scores=[0.0, 0.5])
    assert [note.key for note in clipped.notes] == ["clipped_rows"]


@pytest.mark.parametrize("state", [SCORED[4], CLASSIFIED[11], RATED[3]])
def test_no_rows(state):
    assert state.n_rows == 0
    asked = [forms(name)[0] for name in ROW_METRICS if any(state is one for one in states(name))]
    told = [metric for metric in asked if measured(metric, state) is not None]
    assert len(told) > 2
    for metric in told:
        made = explain_rows(metric, state)
        assert math.isnan(made.value)
        assert ("undefined" in made.to_text()) == (metric.name != "confusion")  # whose counts are 0


def test_another_beta_is_no_choice_of_f1():
    rows = sy.explain("f1", labels=[1, 0, 1], scores=[0.9, 0.4, 0.3])
    assert [other.text for other in rows.others if other.field == "beta"] == [
        "fbeta(beta=0.5)",
        "fbeta(beta=2)",
    ]
    assert "  fbeta(beta=2)@3  " in sy.explain("f1@3", grades=[1, 0, 1]).to_text()
    assert "  beta=0.5" in sy.explain("fbeta(beta=2)@3", grades=[1, 0, 1]).to_text()


def test_facts_are_wrapped():
    made = sy.explain("auc", labels=[1, 0, 1], scores=[0.9, 0.4, 0.3])
    lines = made.to_text(width=30).splitlines()
    facts = lines[: lines.index("")]
    assert "rows 3 · positives 2 ·" in "\n".join(facts)
    assert all(len(line) <= 30 for line in facts)


def test_r2_shows_the_mean():
    text = sy.explain("r2", labels=[1, 0, 3], scores=[0.9, 0.4, 2.3]).to_text()
    assert f"  mean of the truth = {4 / 3:.4f}" in text
