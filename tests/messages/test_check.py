"""``make check`` names the place of a template, a figure or an entry that does not fit."""

from __future__ import annotations

import pytest

from ..tool import loaded

check = loaded("messages")
SOURCE = '''"""A module."""
from steelyard.errors import MetricError
from steelyard.messages import say

NOTE = say("{n:,} {n:row|rows} left", n=3)
ERROR = MetricError("no {what}", remedy="give one", what="file")
'''
CATALOGUE = """
[all]
"{n:,} {n:row|rows} left" = "剩 {n:,} 行"
"no {what}" = "没有 {what}"
"give one" = "请给出"
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


@pytest.mark.parametrize(
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
        ("left", "lefft", "zh.toml: lacks '{n:,} {n:row|rows} lefft' (made.py:5)"),
        ("left", "lefft", "zh.toml: [all] '{n:,} {n:row|rows} left' is no template of the source"),
    ],
)
def test_a_template_that_does_not_fit_is_named_with_its_place(problems, old, new, problem):
    assert old in SOURCE
    found = problems(source=SOURCE.replace(old, new))
    assert any(one.startswith(problem) for one in found), found


@pytest.mark.parametrize(
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
        ("[all]\n", '[all]\n"give one" = "给"\n[more]\n', "zh.toml: [more] 'give one' stands twice"),
        ('"请给出"', "请给出", "zh.toml: Invalid value"),
    ],
)
def test_a_catalogue_that_does_not_fit_is_named_with_its_place(problems, old, new, problem):
    assert old in CATALOGUE
    found = problems(catalogue=CATALOGUE.replace(old, new))
    assert any(one.startswith(problem) for one in found), found
