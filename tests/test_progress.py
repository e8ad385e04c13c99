"""``progress=``: a bar on a terminal or in a notebook, a function, or nothing."""

from __future__ import annotations

import io
import sys
from threading import Event
from types import ModuleType, SimpleNamespace

import pytest

import steelyard as sy
from steelyard import progress
from steelyard.text import Message, say
from steelyard.text.errors import MetricError

RUN, TRUTH = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}
STAGES = ["reading", "matching predictions and truth", "measuring mrr", "averaging"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_short_work_shows_no_bar(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "_DELAY", 3600.0)
    with progress.reporting(True, 2) as tell:
        tell(say("one"))
        tell(say("two"))
    assert terminal.getvalue() == ""


def test_no_terminal_no_bar(monkeypatch):
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    monkeypatch.setattr(progress, "_DELAY", 0.0)
    with progress.reporting(True, 1) as tell:
        tell(say("one"))
    assert pipe.getvalue() == ""


def on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal on which the bar appears before the first stage, however short the work."""
    terminal, there = Terminal(), Event()
    appear, reach = progress._Bar.appear, progress._Bar.reach

    def seen(bar: progress._Bar) -> None:
        appear(bar)
        there.set()

    def reached(bar: progress._Bar, stage: Message) -> None:
        there.wait()
        reach(bar, stage)

    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "_DELAY", 0.0)
    monkeypatch.setattr(progress._Bar, "appear", seen)
    monkeypatch.setattr(progress._Bar, "reach", reached)
    monkeypatch.setenv("TERM", "xterm")
    return terminal


def check_bar(shown: str, stage: str) -> None:
    assert "━" in shown
    assert stage in shown
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h") == 1


def test_the_bar_follows_the_work_and_goes_away(monkeypatch):
    terminal = on_a_terminal(monkeypatch)
    assert sy.evaluate(RUN, TRUTH, "mrr", progress=True)["mrr"] == 1 / 2
    check_bar(terminal.getvalue(), "averaging")


def test_the_bar_of_a_terminal_is_told_in_its_language(monkeypatch):
    terminal = on_a_terminal(monkeypatch)
    sy.evaluate(RUN, TRUTH, "mrr", progress=progress.Bar("zh"))
    check_bar(terminal.getvalue(), "取平均")
    assert "averaging" not in terminal.getvalue()


def test_the_bar_goes_away_after_an_error(monkeypatch):
    terminal = on_a_terminal(monkeypatch)
    with pytest.raises(sy.SteelyardError, match="no column 'city'"):
        sy.evaluate(RUN, TRUTH, "mrr", by="city", progress=True)
    check_bar(terminal.getvalue(), "matching predictions and truth")


def test_a_function_is_told_of_each_stage():
    told: list[str] = []
    assert sy.evaluate(RUN, TRUTH, "mrr", progress=told.append)["mrr"] == 1 / 2
    assert told == STAGES


@pytest.mark.parametrize("nothing", [None, False])
def test_nothing_is_said_unless_asked(monkeypatch, nothing):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "_DELAY", 0.0)
    assert sy.evaluate(RUN, TRUTH, "mrr", progress=nothing)["mrr"] == 1 / 2
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("odd", [5, "yes", 1, b"", [], {}])
def test_anything_else_is_one_sentence(odd):
    with pytest.raises(MetricError, match="progress must be True, False or a function") as caught:
        sy.evaluate(RUN, TRUTH, "mrr", progress=odd)
    assert repr(odd) in str(caught.value)
    assert "progress=True" in caught.value.remedy


class Notebook:
    """As much of IPython as a cell needs; what was shown, in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, kernel: object) -> None:
        self.shown: list[str] = []
        ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
        ipython.get_ipython = lambda: SimpleNamespace(kernel=kernel)
        display.HTML = str
        display.display = self.display
        monkeypatch.setitem(sys.modules, "IPython", ipython)
        monkeypatch.setitem(sys.modules, "IPython.display", display)

    def display(self, html: str, *, display_id: bool) -> SimpleNamespace:
        assert display_id
        self.shown.append(html)
        return SimpleNamespace(update=self.shown.append)


def test_a_notebook_has_its_own_bar(monkeypatch):
    notebook = Notebook(monkeypatch, kernel=object())
    assert sy.evaluate(RUN, TRUTH, "mrr", progress=True)["mrr"] == 1 / 2
    steps = [f'<progress max="4" value="{i}"></progress> {stage}' for i, stage in enumerate(STAGES)]
    assert notebook.shown == ["", *steps, ""]


def test_the_bar_of_a_notebook_goes_away_after_an_error(monkeypatch):
    notebook = Notebook(monkeypatch, kernel=object())
    with pytest.raises(sy.SteelyardError, match="no column 'city'"):
        sy.evaluate(RUN, TRUTH, "mrr", by="city", progress=True)
    assert len(notebook.shown) > 2
    assert notebook.shown[-1] == ""


def test_names_are_no_markup_in_a_notebook(monkeypatch):
    notebook = Notebook(monkeypatch, kernel=object())
    with progress.reporting(True, 1) as tell:
        tell(say("measuring <b>mine</b>"))
    assert notebook.shown[1].endswith(" measuring &lt;b&gt;mine&lt;/b&gt;")


def test_ipython_on_a_terminal_is_no_notebook(monkeypatch):
    notebook = Notebook(monkeypatch, kernel=None)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert sy.evaluate(RUN, TRUTH, "mrr", progress=True)["mrr"] == 1 / 2
    assert notebook.shown == []


def test_names_are_no_markup_on_a_terminal(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    bar = progress._Bar(1, "en")
    bar.reach(say("measuring mine[red]"))
    bar.appear()
    bar.vanish()
    assert "measuring mine[red]" in terminal.getvalue()
