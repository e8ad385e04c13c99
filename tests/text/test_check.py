"""``make check`` names the place of a template, a figure or an entry that does not fit."""

from __future__ import annotations

import pytest

from ..tables import each_row
from ..tool import loaded

check = loaded("messages")
SOURCE = '''"""A module."""
from steelyard.text.errors import MetricError
from steelyard.text import say

NOTE = say("{n:,} {n:row|rows} left", n=3)
ERROR = MetricError("no {what}", remedy="give one", what="file")


def notes():
    figures = {"n": 3, "names": ["a"]}
    return say("{n:,} of {names:and}", **figures)
'''
REFUSALS = '''
[some.MetricError]
empty = """
{name} is empty
fill {name}"""
'''
STAGE = '''"""Some errors."""
from steelyard.text.errors.base import declared


def nothing():
    return declared(__name__, "empty")(name="a")
'''
USE = '''"""A module."""
from steelyard.text.errors import some as errors
from steelyard.text.errors.some import empty as bare

raise errors.empty(name="a")
raise bare(name="a")
'''
CATALOGUE = """
[all]
"{n:,} {n:row|rows} left" = "剩 {n:,} 行"
"no {what}" = "没有 {what}"
"give one" = "请给出"
"{n:,} of {names:and}" = "{names}之 {n:,}"
"""


@pytest.fixture
def problems(tmp_path):
    def found(source=SOURCE, catalogue=CATALOGUE):
        (tmp_path / "made.py").write_text(source, "utf-8")
        (tmp_path / "zh.toml").write_text(catalogue, "utf-8")
        templates, wrong = check.scanned(tmp_path)
        return [*wrong, *check.catalogue_problems(tmp_path / "zh.toml", templates)]

    return found


def test_what_fits_is_fine(problems):
    assert problems() == []


def test_the_source_and_its_catalogues_fit(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["messages.py"])
    assert check.main() == 0
    assert capsys.readouterr().err == ""


@each_row(
    ("old", "new", "problem"),
    [
        ("n=3)", "m=3)", "made.py:5: '{n:,} {n:row|rows} left' names figures that it is not given: n"),
        (
            "n=3)",
            "n=3, m=4)",
            "made.py:5: '{n:,} {n:row|rows} left' is given figures that it does not name: m",
        ),
        ('what="file"', "", "made.py:6: 'no {what}'"),
        ('"no {what}"', 'f"no {what}"', "made.py:6: a template must stand as plain text"),
        ('say("{n:,}', 'say(f"{n:,}', "made.py:5: a template must stand as plain text"),
        ("{n:,} {n", "{n:, {n", "made.py:5: "),
        (
            "names:and",
            "names:und",
            "made.py:11: '{n:,} of {names:und}': '{names:und}' has a form that there is",
        ),
        (
            "{n:,} {n",
            "{n:q} {n",
            "made.py:5: '{n:q} {n:row|rows} left': '{n:q}' has a form that there is not",
        ),
        ("row|rows", "row|rows|all", "made.py:5: "),
        ("{n:,} of", "{names:,} of", "made.py:11: '{names:,} of {names:and}': 'names' is shown as a number"),
        ('"n": 3, ', "", "made.py:11: '{n:,} of {names:and}' names figures that it is not given: n"),
        ('"n": 3', '"n": 3, "m": 4', "made.py:11: '{n:,} of {names:and}' is given figures that it does not"),
        ('["a"]}', '["a"]} | {}', "made.py:11: **figures hides which figures are given"),
        ('["a"]}', '["a"]}; figures["m"] = 4', "made.py:11: **figures hides which figures are given"),
        ('["a"]}', '["a"]}; figures = {}', "made.py:11: **figures hides which figures are given"),
        ("**figures", "**dict(n=3)", "made.py:11: **dict(n=3) hides which figures are given"),
        ("left", "lefft", "zh.toml: lacks '{n:,} {n:row|rows} lefft' (made.py:5)"),
        ("left", "lefft", "zh.toml: [all] '{n:,} {n:row|rows} left' is no template of the source"),
    ],
)
def test_a_template_that_does_not_fit_is_named_with_its_place(problems, old, new, problem):
    assert old in SOURCE
    found = problems(source=SOURCE.replace(old, new))
    assert any(one.startswith(problem) for one in found), found


@each_row(
    ("old", "new", "problem"),
    [
        ('"give one" = "请给出"\n', "", "zh.toml: lacks 'give one' (made.py:6)"),
        ("[all]\n", '[all]\n"more" = "更多"\n', "zh.toml: [all] 'more' is no template of the source"),
        (
            "没有 {what}",
            "没有 {which}",
            "zh.toml: [all] 'no {what}' names figures that the template lacks: which",
        ),
        ("没有 {what}", "没有 {what", "zh.toml: [all] 'no {what}': "),
        ("没有 {what}", "没有", "zh.toml: [all] 'no {what}' lacks figures that the template shows: what"),
        (
            "剩 {n:,} 行",
            "剩{n:一|多}行",
            "zh.toml: [all] '{n:,} {n:row|rows} left' lacks figures that the te",
        ),
        (
            "{names}之",
            "{names:und}之",
            "zh.toml: [all] '{n:,} of {names:and}': '{names:und}' has a form that ",
        ),
        (
            "{names}之",
            "{names:,}之",
            "zh.toml: [all] '{n:,} of {names:and}': 'names' is shown as a number and",
        ),
        ('"请给出"', "3", "zh.toml: [all] 'give one' is no text"),
        ("[all]\n", '"give one" = "请给出"\n[all]\n', "zh.toml: 'give one' stands in no section"),
        ("[all]\n", '[all]\n"give one" = "给"\n[more]\n', "zh.toml: [more] 'give one' stands twice"),
        ('"请给出"', "请给出", "zh.toml: Invalid value"),
    ],
)
def test_a_catalogue_that_does_not_fit_is_named_with_its_place(problems, old, new, problem):
    assert old in CATALOGUE
    found = problems(catalogue=CATALOGUE.replace(old, new))
    assert any(one.startswith(problem) for one in found), found


def test_a_word_chosen_by_a_number_needs_no_translation(problems):
    assert problems(catalogue=CATALOGUE.replace("剩 {n:,} 行", "剩 {n:,} {n:行|行}")) == []
    assert (
        problems(
            SOURCE.replace("{n:,} {n:row|rows}", "{n:row|rows}"),
            CATALOGUE.replace('"{n:,} {n:row|rows} left" = "剩 {n:,} 行"', '"{n:row|rows} left" = "剩行"'),
        )
        == []
    )


@pytest.fixture
def refused(tmp_path):
    def found(refusals=REFUSALS, stage=STAGE, use=USE):
        (tmp_path / "text" / "errors").mkdir(parents=True)
        (tmp_path / "text" / "errors" / "refusals.toml").write_text(refusals, "utf-8")
        (tmp_path / "text" / "errors" / "some.py").write_text(stage, "utf-8")
        (tmp_path / "made.py").write_text(use, "utf-8")
        return check.scanned(tmp_path)[1]

    return found


def test_a_refusal_that_is_given_its_figures_is_fine(refused):
    assert refused() == []


def test_a_refusal_is_held_to_its_figures_in_its_own_module(refused):
    wrong = STAGE.replace('(name="a")', '(nam="a")')
    assert refused(stage=wrong) == ["text/errors/some.py:6: empty must be given by name: name"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('errors.empty(name="a")', "errors.empty()", "made.py:5: empty must be given by name: name"),
        ('bare(name="a")', 'bare("a")', "made.py:6: bare must be given by name: name"),
        ('bare(name="a")', 'bare(name="a", n=1)', "made.py:6: bare must be given by name: name"),
        ("errors.empty(", "errors.full(", "made.py:5: there is no refusal full in [some] of refusals.toml"),
    ],
)
def test_a_refusal_is_held_to_its_figures_where_it_is_imported(refused, old, new, problem):
    assert refused(use=USE.replace(old, new)) == [problem]


def test_a_refusal_with_a_bad_form_is_named_with_its_place(refused):
    wrong = REFUSALS.replace("fill {name}", "fill {name:und}")
    (problem,) = refused(refusals=wrong)
    place, form = "text/errors/refusals.toml: [some.MetricError] empty", "{name:und}"
    assert problem == f"{place}: 'fill {form}': '{form}' has a form that there is not"


def test_what_a_new_language_lacks_is_everything_once(tmp_path, monkeypatch, capsys):
    (tmp_path / "made.py").write_text(SOURCE, "utf-8")
    (tmp_path / "again.py").write_text(SOURCE, "utf-8")
    monkeypatch.setattr("sys.argv", ["messages.py", "--missing", "xx", str(tmp_path)])
    assert check.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == ["# again.py:5", '"{n:,} {n:row|rows} left" = ', "# again.py:6", '"no {what}" = ']
    keys = [line for line in lines if not line.startswith("#")]
    assert len(keys) == len(set(keys)) > 100


SENTENCES = '''"""A module."""
from steelyard.text import sentences

_SAID = sentences(left=("{n:,} left ({names})", "{n:,} left"), none="nothing left")


def notes():
    return [_SAID("left", n=3, names=None), _SAID("none")]
'''
OF_SENTENCES = """
[all]
"{n:,} left ({names})" = "剩 {n:,}（{names}）"
"{n:,} left" = "剩 {n:,}"
"nothing left" = "无"
"""


def test_sentences_given_their_figures_are_fine(problems):
    assert problems(SENTENCES, OF_SENTENCES) == []


@each_row(
    ("old", "new", "problem"),
    [
        (", names=None)", ")", "made.py:8: left must be given by name: n, names"),
        ('_SAID("none")', '_SAID("none", n=3)', "made.py:8: none must be given by name: nothing"),
        ('"nothing left")', 'f"nothing left")', "made.py:4: a template must stand as plain text"),
        ('"nothing left"', '"nothing else"', "zh.toml: lacks 'nothing else'"),
    ],
)
def test_sentences_that_do_not_fit_are_named_with_their_place(problems, old, new, problem):
    assert any(one.startswith(problem) for one in problems(SENTENCES.replace(old, new), OF_SENTENCES))
