"""What evaluations of every kind say in Chinese has no English word but names."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.engine.background import TABLES as SIDE_TABLES
from steelyard.metrics import by_name
from steelyard.render import charts, text
from steelyard.render.charts.scores import SCALES
from steelyard.spec import profiles
from steelyard.text import Message, catalogue, say
from steelyard.text.names import shown

_WORD = re.compile(r"[A-Za-z][A-Za-z]+")
_CODE = re.compile(r"--[a-z-]+|[a-z_]+=[^\s，。；：（）、]+|[a-z]+_[a-z_]+|result\.[a-z]+(?:\(\))?|`[^`]+`")
_OURS = {"inf", "NaN", "steelyard", "English"}  # the last names a language
_VOID = {"meta", "input", "br", "hr", "wbr", "link", "img"}


def test_what_a_hundred_evaluations_say_is_chinese_but_for_names(asked):
    assert len(asked) > 100
    said = set()
    for result, given in asked:
        names = names_of(result, given)
        for message in (
            *result.notes,
            *(one.sentence for one in result.readings()),
            *result.facts,
            result.conventions_line(),
        ):
            said.add(message.template)
            assert_chinese(message.render("zh"), names)
        assert_chinese(text.full(result.system(lang="zh")), names)
    assert len(said) > 25


@pytest.mark.parametrize("kind", ["rankings", "rows", "sliced", "classes", "arrays"])
def test_a_page_is_chinese_but_for_names(kind):
    tables, options = PAGES[kind]
    result = sy.evaluate(*tables, **options)
    page = Chinese()
    page.feed(result.to_html(lang="zh"))
    assert len(page.texts) > 30
    names = names_of(result, (tables, options))
    for one in page.texts:
        assert_chinese(one, names)


def test_a_page_of_results_without_names_is_chinese(tmp_path):
    [tables, options], path = PAGES["rows"], tmp_path / "report.html"
    result = sy.evaluate(*tables, **options)
    sy.report([result, result], path, lang="zh")
    page = Chinese()
    page.feed(path.read_text("utf-8"))
    assert "预测（2）" in page.texts
    for one in page.texts:
        assert_chinese(
            one, names_of(result, (tables, options)) | {"Holm", "DeLong", "McNemar", "mid"}
        )  # whom tests and corrections are named after


def test_charts_call_results_without_names_in_chinese_and_keep_their_colours():
    for tables, options in (PAGES["rankings"], PAGES["rows"], PAGES["sliced"]):
        result = sy.evaluate(*tables, **options)
        for name in result.charts(result):
            drawn = result.chart(name, other=result)
            for chart in drawn.parts or (drawn,):
                spec = json.dumps(chart.spec("zh"), ensure_ascii=False, default=str)
                assert '"predictions' not in spec, name
                assert "：predictions" not in spec, name


def test_a_result_without_a_name_is_counted_in_chinese():
    with pytest.raises(sy.SteelyardError) as refused:
        sy.report([sy.evaluate({"q": ["a"]}, {"q": ["a"]}, "mrr"), 3], "report.html")
    assert str(refused.value).startswith("'number 2' is not a result")
    assert "'第 2 个'" in refused.value.render("zh")


def test_the_demo_tells_its_readings_in_one_piece(tmp_path, monkeypatch):
    show, told = import_module("steelyard.demo.show"), []
    monkeypatch.setattr(show, "_reported", lambda *_: say("left out"))
    monkeypatch.setattr(show, "say", lambda template, **given: told.append(given) or say(template, **given))
    show.show(tmp_path, lambda _: None, lang="zh")
    readings = [given["reading"] for given in told if "reading" in given]
    assert readings
    assert all(isinstance(reading, Message) for reading in readings)


def test_results_that_differ_in_truth_name_it_in_chinese(tmp_path):
    run, truth = {"q": {"a": 2.0, "b": 1.0}}, tmp_path / "true.csv"
    short = shown(truth, 60)
    truth.write_text("query,item,relevance\nq,a,1\n", "utf-8")
    found = [sy.evaluate(run, true, "mrr") for true in ({"q": {"a": 1}}, truth)]
    sy.report({"x": found[0], "y": found[1]}, tmp_path / "report.html", lang="zh")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert f"各系统对照的标注不同（标注、{short}）" in page


def test_every_note_gives_a_program_its_key_and_its_figures(asked, root):
    listed, keys = documented(root), set()
    for result, given in asked:
        names = texts_of(result, given)
        data = json.loads(result.to_json())
        for note in data["notes"]:
            keys.add(note["key"])
            figures = listed[note["key"]]
            assert set(note["figures"]) <= {*figures, "labels"}, note
            assert_no_words(note["figures"], names, note)
        for reading in data["readings"]:
            assert reading["key"] in listed
            for figure in (
                *reading["figures"],
                *(one for part in reading["slices"] for one in part["figures"]),
            ):
                assert isinstance(figure["figures"].pop("value"), float)
                assert_no_words(figure["figures"], names, figure)
    assert {"ties_move", "undefined_queries", "queries_missing", "groups_of_one_class"} <= keys


def said_in(module, folder):
    """Where notes of a result are said; in the file of a metric the other messages are its steps."""
    if not folder.startswith("metrics"):
        return ast.walk(module)
    notes = [
        part
        for part in ast.walk(module)
        if isinstance(part, ast.FunctionDef)
        and part.returns
        and ast.unparse(part.returns) in ("list[Message]", "tuple[Message, ...]", "Message")
    ]
    return [part for function in notes for part in ast.walk(function)]


def test_every_key_of_a_note_is_documented(root):
    listed = documented(root)
    facts = {"positive", "classes", "rows", "unjudged", "queries", "predictions", "judgements"}
    facts |= {"rated_facts", "scored_facts", "classified_facts", "list_sizes"}  # of an explanation
    facts |= {"slices_without_value"}  # of a gap, which is text alone
    facts |= {"no_values", "no_baseline_value", "no_value", "both_infinite"}  # of a verdict, likewise
    facts |= {"rel_too_high", "unjudged_or_negative"}  # variants of a note with another key
    facts |= {"class_without_curve", "featureless_left_out", "not_retrieved"}  # of an explanation too
    page = (root / "docs" / "guide" / "results.md").read_text("utf-8").partition("### Keys of notes")[2]
    found = set()
    for folder in (
        "read",
        "engine",
        "metrics",
        "metrics/ranking",
        "metrics/rows",
        "metrics/classes",
        "metrics/ratings",
        "metrics/lists",
        "kernels",
        "cli",
        "spec",
        "stats",
        "search",
    ):
        for file in sorted((root / "src" / "steelyard" / folder).glob("*.py")):
            for call in said_in(ast.parse(file.read_text("utf-8")), folder):
                if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "say":
                    keys = [word.value for word in call.keywords if word.arg == "key"]
                    found |= {key.value for key in keys if isinstance(key, ast.Constant)}
                if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "sentences":
                    found |= {word.arg for word in call.keywords}
    assert not {key for key in found - facts if f"`{key}`" not in page}
    assert set(listed) <= found


def test_little_shares_and_rankings_apart_are_numbers_and_lists():
    run = {f"q{n}": {"a": 2.0, "b": 1.0, "c": 0.5} for n in range(1, 2000)} | {"q0": {"a": 1.0, "b": 1.0}}
    notes = sy.evaluate(run, {"q0": {"a": 1}, "q1": {"a": 1}}, ["mrr", "mrr(ties=expected)", "map"]).notes
    by_key = {note.key: note.to_dict()["figures"] for note in notes}
    assert by_key["several_rankings"]["groups"] == [["mrr", "map"], ["mrr(ties=expected)"]]
    few = {f"q{n}": {"a": 2.0, "b": 1.0, "c": 0.5} for n in range(1, 2000)}
    [note] = [
        note
        for note in sy.evaluate(few | {"q0": {"a": 1.0, "b": 1.0}}, {q: {"a": 1} for q in run}, "mrr").notes
        if note.key == "ties_move"
    ]
    assert str(note).startswith("less than 0.1% of rows")
    assert note.to_dict()["figures"]["share"] == pytest.approx(2 / (3 * 1999 + 2))


@pytest.mark.parametrize("word", ["判定", "并列"])
def test_a_term_has_one_word(word, root):
    """Judged is 标注 and a tie is 同分, as the glossary has them."""
    assert not [said for said in catalogue("zh").values() if word in said]
    glossary = (root / "docs" / "glossary.md").read_text("utf-8")
    assert word not in glossary
    assert "| judgement | 标注 |" in glossary
    assert "| tie | 同分 |" in glossary


def documented(root: Path) -> dict[str, set[str]]:
    """The keys of the tables of the guide, each with the names in its row."""
    page = (root / "docs" / "guide" / "results.md").read_text("utf-8").partition("### Keys of notes")[2]
    rows = [line.strip("|").split(" | ") for line in page.splitlines() if line.startswith("| `")]
    named = re.compile("`([^`]+)`").findall
    return {key: set(named(rest[0] if rest else "")) for first, *rest in rows for key in named(first)}


def assert_no_words(figures: Any, names: set[str], of: Any) -> None:
    """That texts are names of the data, keys or values of conventions: none but names have spaces."""
    if isinstance(figures, str):
        assert figures in names or " " not in figures, of
    elif isinstance(figures, dict | list):
        for one in figures.values() if isinstance(figures, dict) else figures:
            assert_no_words(one, names, of)


def texts_of(result: sy.Result, given: Any) -> set[str]:
    return {*result.spec(), *texts_in(given)}


PAGES = {
    "rankings": (
        ({"q1": {"a": 0.9, "b": 0.8}, "q2": {"a": 0.9, "b": 0.7}}, {"q1": {"a": 1}, "q2": {"b": 1}}),
        {"metrics": ["mrr", "ndcg@5"], "missing": "skip"},
    ),
    "rows": (
        (
            pl.DataFrame(
                {"uid": ["u", "u", "v", "v"] * 9, "y": [1, 0, 0, 1] * 9, "p": [0.8, 0.2, 0.6, 0.3] * 9}
            ),
        ),
        {"metrics": ["auc", "gauc", "logloss"], "columns": {"label": "y", "score": "p", "query": "uid"}},
    ),
    "sliced": (
        (pl.DataFrame({"y": [1, 0, 0, 1] * 9, "p": [0.8, 0.2, 0.6, 0.3] * 9, "land": ["DE", None] * 18}),),
        {"metrics": ["auc", "calibration"], "columns": {"label": "y", "score": "p"}, "by": "land"},
    ),
    "classes": (
        (pl.DataFrame({"y": ["cat", "dog", "cow"] * 3, "z": ["cat", "cow", "cow"] * 3}),),
        {"metrics": ["accuracy", "confusion"], "columns": {"label": "y", "predicted": "z"}},
    ),
    "arrays": ((np.array([0.9, 0.2, 0.7]), np.array([1, 0, 0])), {"metrics": ["auc", "brier"]}),
}


class Chinese(HTMLParser):
    """What a page shows in Chinese, and what it shows in every language."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._open: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag, attrs):
        if tag not in _VOID:
            self._open.append((tag, dict(attrs).get("lang")))

    def handle_endtag(self, tag):
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        tags = [tag for tag, _ in self._open]
        langs = [lang for _, lang in self._open if lang]
        # names that programs know: of counts, of the columns of a chart's table, of the specification
        named = {"script", "style", "pre", "small"} & set(tags) or {"figure", "thead"} <= set(tags)
        if data.strip() and not named and langs[-1:] == ["zh"]:
            self.texts.append(data.strip())


def assert_chinese(told: str, names: set[str]) -> None:
    left = [word for word in words(_CODE.sub("", told)) if word not in names]
    assert not left, f"{left} in {told!r}"


def words(text: str) -> list[str]:
    return _WORD.findall(text)


def names_of(result: sy.Result, given: tuple[Any, dict[str, Any]]) -> set[str]:
    """Names of metrics, charts and profiles, and those of this result: labels and what its tables hold.

    A table beside the lists goes by the name of its option.
    """
    tables, options = given
    columns = [[*of.values()] for of in (options.get(name) or {} for name in ("columns", "conventions"))]
    others = [value for name, value in options.items() if name not in ("columns", "conventions")]
    ours = [spelt for name in (*by_name(), *charts.names()) for spelt in (name, name.upper())]
    labels = [word for label in result.spec() for word in words(label)]
    found = {word for name in (*ours, *profiles(), *SCALES) for word in words(name)}
    return {
        *_OURS,
        *found,
        *labels,
        *words_in([*tables, *columns, *others, *(set(SIDE_TABLES) & options.keys())]),
    }


def words_in(given: Any) -> set[str]:
    return {word for text in texts_in(given) for word in words(text)}


def texts_in(given: Any) -> Iterator[str]:
    """The texts in tables and options: names of columns, ids, classes, names of files and of options."""
    if isinstance(given, str | os.PathLike):
        yield str(given)
    elif isinstance(given, Mapping):
        yield from texts_in([*given.keys(), *given.values()])
    elif isinstance(given, pl.LazyFrame):
        yield from texts_in(given.collect())
    elif isinstance(given, pl.DataFrame):
        texts = given.select(pl.selectors.string())
        yield from texts_in([given.columns, *(column.unique().to_list() for column in texts)])
    elif hasattr(given, "to_pydict") or hasattr(given, "to_dict"):
        yield from texts_in((getattr(given, "to_pydict", None) or given.to_dict)())
    elif isinstance(given, list | tuple):
        for one in given:
            yield from texts_in(one)
    elif isinstance(given, np.ndarray) and given.dtype.kind in "OU":
        yield from texts_in(given.ravel().tolist())
