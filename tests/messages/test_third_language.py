"""A language is one file: with it the page and the charts have that language, too."""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType

import pytest

import steelyard as sy
from steelyard.errors import SteelyardError
from steelyard.messages import languages
from steelyard.messages.message import HINT, SEPARATORS

LANG = "tlh"
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


@pytest.fixture(scope="module")
def tool(root: Path) -> ModuleType:
    """What holds templates and catalogues together."""
    made = importlib.util.spec_from_file_location("messages_tool", root / "tools" / "messages.py")
    assert made is not None
    assert made.loader is not None
    module = importlib.util.module_from_spec(made)
    sys.modules[made.name] = module
    made.loader.exec_module(module)
    return module


@pytest.fixture
def catalogue(tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A language in which everything stands in brackets."""
    templates = {one.text for one in (*tool.scanned(tool.SOURCE)[0], *tool.declared())}
    said = {text: f"⟦{text.partition(HINT)[0]}⟧" for text in templates - set(SEPARATORS)}
    lines = [f"{json.dumps(key)} = {json.dumps(text)}" for key, text in said.items()]
    file = tmp_path / f"{LANG}.toml"
    file.write_text("\n".join(["[all]", *lines]), "utf-8")
    module = importlib.import_module("steelyard.messages.languages")
    monkeypatch.setattr(module, "FOLDERS", [*module.FOLDERS, tmp_path])
    return file


@pytest.fixture
def clicks(catalogue: Path) -> sy.Result:
    return sy.evaluate(LOG, metrics=["auc", "logloss", "gauc"], columns={"query": "user"}, by="country")


def test_it_is_one_of_the_languages(catalogue: Path, clicks: sy.Result) -> None:
    assert languages() == ["en", LANG, "zh"]
    with pytest.raises(SteelyardError, match="known: en, tlh, zh"):
        clicks.to_html(lang="de")


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
