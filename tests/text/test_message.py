"""A message: a template, its figures, and what a language makes of them."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from steelyard.printable import Shown
from steelyard.text import Message, catalogue, from_locale, in_language, in_quotes, listed, say, some, term
from steelyard.text.errors.base import quoted

from ..tables import each_row


@each_row(
    ("template", "figures", "expected"),
    [
        ("{n:,} {n:row|rows} excluded.", {"n": 1}, "1 row excluded."),
        ("{n:,} {n:row|rows} excluded.", {"n": 1200}, "1,200 rows excluded."),
        ("{names:and} {names:is|are} lost", {"names": ["a"]}, "a is lost"),
        ("{names:and} {names:is|are} lost", {"names": ["a", "b", "c"]}, "a, b and c are lost"),
        ("{names:or}", {"names": ["a", "b"]}, "a or b"),
        ("{said:;}.", {"said": ["one", "two"]}, "one; two."),
        ("{value:.2f} in {{x}}", {"value": 0.125}, "0.12 in {x}"),
        ("braces {query: {item: score}}", {}, "braces {query: {item: score}}"),
        ("rows // of a table", {}, "rows"),
    ],
)
def test_figures_fill_a_template(template: str, figures: dict[str, object], expected: str) -> None:
    assert say(template, **figures) == expected


def test_a_figure_is_never_read_as_a_template() -> None:
    assert say("no column '{name}'", name="{n}") == "no column '{n}'"


def test_it_comes_whole_out_of_another_process() -> None:
    said = say("{n:,} {n:row|rows} excluded.", key="excluded", n=3)
    again = pickle.loads(pickle.dumps(said))
    assert (again, again.template, again.figures, again.key) == (said, said.template, {"n": 3}, "excluded")


def test_plain_values_hold_what_a_program_reads() -> None:
    said = say("{which} is {value:.1f}", key="one", which=listed(["a", "b"], 1), value=float("nan"))
    assert json.loads(json.dumps(said.to_dict(), allow_nan=False)) == {
        "key": "one",
        "figures": {"which": ["a"], "value": None},
        "text": "a and 1 more is nan",
    }


def test_parts_give_a_program_their_keys_and_figures_and_never_their_words() -> None:
    part = say("{n:,} {n:row|rows} excluded", key="excluded", n=3)
    fate, limit = say("left out", key="skip"), say("≥ {limit}", key="at_least", limit=Shown(0.7, "70%"))
    groups = [say("{items}", items=["a"]), say("{items}", items=["b", "c"])]
    said = say(
        "{said} ({labels}): {fate}, {share} {relation}, {groups:/}, {moves}, {name}, {why}.",
        key=part.key,
        said=part,
        labels=("mrr",),
        fate=fate,
        share=Shown(1e-5, say("less than 0.1%")),
        relation=limit,
        groups=groups,
        moves=[fate, limit],
        name=in_quotes("x"),
        why=say("no row"),
    )
    assert said.to_dict() == {
        "key": "excluded",
        "figures": {
            "n": 3,
            "labels": ["mrr"],
            "fate": "skip",
            "share": 1e-5,
            "relation": "at_least",
            "limit": 0.7,
            "groups": [["a"], ["b", "c"]],
            "moves": [{"key": "skip"}, {"key": "at_least", "limit": 0.7}],
            "name": "x",
        },
        "text": "3 rows excluded (mrr): left out, less than 0.1% ≥ 70%, "
        "a | b, c, left out, ≥ 70%, 'x', no row.",
    }
    assert "不到 0.1%" in said.render("zh")


def test_messages_inside_anything_are_told() -> None:
    nested = {"fate": (say("left out"), 3), "name": "left out"}
    assert in_language(nested, "zh") == {"fate": ["不计入", 3], "name": "left out"}


def test_names_can_be_shown_in_a_way_of_their_own() -> None:
    said = say("{n:,} of {name}: {fate}", n=2, name="x", fate=say("left out"))
    assert said.render("en", lambda name: f"<{name}>") == "2 of <x>: left out"


@each_row(
    ("environ", "lang"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW"}, "zh"),
        ({"LC_ALL": "C.UTF-8", "LANG": "zh_CN"}, "en"),
        ({"LANG": "zh-Hans"}, "zh"),
        ({"LANG": "zh@pinyin"}, "zh"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
    ],
)
def test_the_language_is_that_of_the_locale(environ: dict[str, str], lang: str) -> None:
    assert from_locale(environ) == lang


def test_a_message_is_its_english() -> None:
    assert isinstance(say("left out"), str)
    assert Message("left out") == "left out"


def test_a_declared_text_may_hold_any_signs():
    said = term("hits in the first n // 2 of {k}")
    assert said == said.render("zh") == pickle.loads(pickle.dumps(said)) == "hits in the first n // 2 of {k}"


def test_a_language_that_does_not_exist_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match="unknown language 'fr'\nknown: en, zh"):
        say("left out").render("fr")


def test_the_first_few_are_listed_in_one_way() -> None:
    names = ["a", "b", "c"]
    assert [listed(names, 2), listed(names, 2, last="and"), some(names, 2), quoted(names, 2)] == [
        "a, b and 1 more",
        "a, b and 1 more",
        "a, b, …",
        "'a', 'b' and 1 more",
    ]
    assert [listed(names), listed(names, last="and"), some(names, 3), quoted(names)] == [
        "a, b, c",
        "a, b and c",
        "a, b, c",
        "'a', 'b' and 'c'",
    ]
    assert some(names, 3, 9).render("zh") == "a、b、c、…"


def test_the_chinese_catalogue_uses_one_term_for_one_thing(root: Path) -> None:
    guide = (root / "docs" / "guide" / "languages.md").read_text("utf-8")
    table = guide[guide.index("## Terms of the Chinese catalogue") :]
    cells = [line.strip("|").split("|")[-1] for line in table.splitlines() if line.startswith("|")]
    avoided = [word.strip() for cell in cells[2:] for word in cell.split(",") if word.strip()]
    assert {"真值", "切片", "分片", "评判"} < set(avoided)
    readme = (root / "README.zh-CN.md").read_text("utf-8")
    texts = [*catalogue("zh").values(), readme]
    assert [(word, text) for text in texts for word in avoided if word in text] == []
