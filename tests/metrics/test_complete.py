"""What a metric needs beside its formula: a page, its Chinese, its steps, worked examples."""

from __future__ import annotations

import inspect

import steelyard as sy
from steelyard.metrics import LabelledMetric, Metric, RankingMetric, by_name
from steelyard.metrics.lists.base import ListMetric
from steelyard.text import catalogue

from ..tool import loaded
from .test_by_hand import without_an_example

docs = loaded("docs")
SHIPPED = {name: cls for name, cls in by_name().items() if cls.__module__.startswith("steelyard.")}


def sentence(cls):
    return inspect.getdoc(cls).partition("\n\n")[0].replace("\n", " ")


def test_it_has_a_page(root):
    pages = {name: root / "docs" / "metrics" / f"{docs.page_of(name)}.md" for name in SHIPPED}
    assert [name for name, page in pages.items() if not page.is_file()] == []


def test_it_has_chinese():
    assert [name for name, cls in SHIPPED.items() if cls.zh.isascii()] == []
    assert [name for name, cls in SHIPPED.items() if sentence(cls) not in catalogue("zh")] == []


def without_steps(classes):
    """The metrics whose explanation would be the value alone."""
    own = {name: cls.steps for name, cls in classes.items()}
    own |= {name: classes[name].list_parts for name, steps in own.items() if steps is RankingMetric.steps}
    return [name for name, steps in own.items() if steps in (Metric.steps, RankingMetric.list_parts)]


def test_it_tells_its_steps():
    assert without_steps(SHIPPED) == []
    bases = {cls.__name__: cls for cls in (RankingMetric, LabelledMetric, ListMetric)}
    assert without_steps(bases) == list(bases)


def test_it_has_worked_examples():
    assert not list(without_an_example())


def test_what_is_lacking_is_noticed(root):
    @sy.register("bare")
    class Bare(sy.RankingMetric):
        """Nothing but a name and a formula."""

        def per_query(self, ranked):
            return ranked.judged

    Bare.__module__ = "steelyard.metrics.bare"
    assert list(without_an_example()) == ["bare"]
    assert without_steps({"bare": Bare}) == ["bare"]
    assert sentence(Bare) not in catalogue("zh")
    assert not (root / "docs" / "metrics" / f"{docs.page_of('bare')}.md").exists()
