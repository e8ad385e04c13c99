"""A language is one file: with it everything that is said has that language, too."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

import steelyard as sy
from steelyard.render import text
from steelyard.text import languages, say
from steelyard.text.errors import SteelyardError

from ..tables import each_row
from ..third_language import LANG, look_in, outside
from .conftest import Asked
from .test_errors import REFUSED
from .test_reading_errors import REFUSED as REFUSED_DATA

LOG = {
    "label": [1, 0, 1, 0, 1, 0, 0, 1],
    "score": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.2, 0.1],
    "user": ["a", "a", "a", "b", "b", "c", "c", "c"],
    "country": ["DE", "DE", "US", "US", "IT", "IT", "FR", "FR"],
}


class Said(HTMLParser):
    """What a page says in one language, and the languages of its switch."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.inside: list[bool] = []
        self.words: list[str] = []
        self.groups: list[str] = []
        self.options: list[str | None] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag == "option":
            self.options.append(known["value"])
        if tag == "span":
            said = known.get("class") == "in"
            self.inside.append(said and known["lang"] == LANG)
            self.groups += [known["lang"] or ""] if said else []
            self.words += [""] if self.inside[-1] else []

    def handle_endtag(self, tag: str) -> None:
        if tag == "span":
            self.inside.pop()

    def handle_data(self, data: str) -> None:
        if self.inside and self.inside[-1]:
            self.words[-1] += data


@pytest.fixture
def clicks(third_language: str) -> sy.Result:
    return sy.evaluate(LOG, metrics=["auc", "logloss", "gauc"], columns={"query": "user"}, by="country")


def test_it_is_one_of_the_languages(clicks: sy.Result) -> None:
    assert languages() == ["en", LANG, "zh"]
    with pytest.raises(SteelyardError, match="known: en, xx, zh"):
        clicks.to_html(lang="de")


def test_what_the_file_lacks_is_told_in_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "de.toml").write_text('[notes]\n"left out" = "weggelassen"\n', "utf-8")
    look_in(tmp_path, monkeypatch)
    said = say("{n:,} {n:row|rows}: {fate}", n=2, fate=say("left out"))
    assert said.render("de") == "2 rows: weggelassen"


def test_what_a_hundred_evaluations_say_is_told_in_it(asked: list[Asked], third_language: str) -> None:
    assert len(asked) > 100
    for result, _ in asked:
        for message in (
            *result.notes,
            *(one.sentence for one in result.readings()),
            *result.facts,
            result.conventions_line(),
        ):
            assert outside(message.render(third_language)) == "", message
        shown = text.full(result.system(lang=third_language))
        names = {word for name in names_in(result) for word in words(name)}
        whole = re.sub(r"\w*…\w*", "", outside(shown))  # long names are cut
        left = [word for word in words(whole) if word not in names]
        assert not left, f"{left} in {shown}"


def names_in(result: sy.Result) -> list[str]:
    """The metrics, the columns of slices, the slices and the classes that a table shows."""
    shown = result.table().select(pl.selectors.string()).drop("of", strict=False)
    return [*result.by, "nan", *(name for column in shown for name in column.drop_nulls().unique())]


def words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text)


@each_row("call", [call for call, _, _ in (*REFUSED, *REFUSED_DATA)])
def test_an_error_is_told_in_it(call: Callable[[], object], third_language: str) -> None:
    with pytest.raises(SteelyardError) as refused:
        call()
    told = refused.value.render(third_language)
    assert told.startswith("⟦")
    assert outside(told).strip() == ""


def test_the_page_is_told_in_it(clicks: sy.Result) -> None:
    page = clicks.to_html(lang=LANG)
    found = Said(page)
    assert found.options == ["en", LANG, "zh"]
    assert f'<html lang="{LANG}">' in page
    assert f'<option value="{LANG}" lang="{LANG}" selected>⟦English⟧</option>' in page
    assert found.groups == ["en", LANG, "zh"] * (len(found.groups) // 3)
    assert len(found.words) > 50
    assert all(words.startswith("⟦") and words.endswith("⟧") for words in found.words)
    assert {"⟦Evaluation report⟧", "⟦By country⟧", "⟦rows without a label⟧", "⟦ROC curve⟧"} <= set(
        found.words
    )
    assert "⟦Made by steelyard" in page
    assert f':root[lang="{LANG}"] .in:not([lang="{LANG}"])' in page


def test_a_chart_is_drawn_in_it(clicks: sy.Result) -> None:
    spec = clicks.chart("roc").spec(LANG)
    assert spec["title"] == {"text": "⟦ROC curve⟧", "subtitle": ["⟦area 0.5625⟧"]}
    axes = spec["layer"][0]["encoding"]
    assert [axes[axis]["title"] for axis in "xy"] == ["⟦false positive rate⟧", "⟦true positive rate⟧"]
    assert spec["layer"][1]["data"]["values"][0]["text"] == "⟦chance⟧"
    first = spec["layer"][-1]["data"]["values"][1]["says"]
    inner = "⟦false positive rate⟧ 0, ⟦true positive rate⟧ 0.25"
    assert first == f"⟦⟦{inner}⟧, threshold 0.9⟧"
    slices = clicks.chart("slices", metric="gauc").spec(LANG)
    assert slices["title"]["text"] == "⟦gauc by country⟧"
    below = " ".join(slices["title"]["subtitle"])
    assert below.endswith("⟦2 of 4 slices have no finite value and are not shown.⟧")
    assert "⟦false positive rate⟧" in clicks.chart("roc").svg(LANG)


def test_a_chart_of_two_systems_names_them(clicks: sy.Result) -> None:
    spec = clicks.chart("per_query", metric="gauc", other=clicks).spec(LANG)
    says = [row["says"] for row in spec["layer"][0]["data"]["values"]]
    assert says[0] == "⟦⟦predictions⟧: ⟦0 to 0.05: 2 (66.7%)⟧⟧"
    assert spec["title"] == {"text": "⟦gauc by ⟦group⟧⟧"}
    assert spec["layer"][0]["encoding"]["y"]["title"] == "⟦groups⟧"
