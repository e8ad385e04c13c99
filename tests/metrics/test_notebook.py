"""A metric shows itself in a notebook."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import steelyard as sy
from steelyard.conventions import plain
from steelyard.metrics import by_name


def test_a_metric_tells_its_fields_and_what_they_mean():
    page = sy.metric("ndcg(gain=exp2)@10")._repr_html_()
    assert page.startswith("<div><p><b>ndcg(gain=exp2)@10 归一化折损累计增益</b></p><p>How close a ranking")
    cell = '<td style="text-align:left">'
    assert f"{cell}gain</td>{cell}exp2</td>{cell}2^grade - 1 (Burges et al. 2005)</td>" in page
    assert f"{cell}k</td>{cell}10</td>{cell}reads the first k of each list</td>" in page
    assert "Examples" not in page
    assert "``" not in page


def test_every_field_of_every_metric_is_there():
    for name in by_name():
        metric = sy.metric(name.replace("@k", "@5"))
        page = metric._repr_html_()
        for field in dataclasses.fields(metric):
            assert f">{field.name}</td>" in page, name
            assert f">{plain(getattr(metric, field.name))}</td>" in page, name
        assert page.count("<tr>") == 1 + len(dataclasses.fields(metric)), name
        assert 'left"></td>' not in page, name  # every value has a meaning


def test_a_mapping_is_a_gain_too():
    page = sy.metric("ndcg(gain=1:3/2:9)@10")._repr_html_()
    assert "1:3/2:9</td>" in page
    assert "a mapping from grade to gain" in page


def test_text_of_one_s_own_is_escaped():
    @sy.register("notebook_text")
    class Own(sy.RankingMetric):
        """How <b>bold</b> it is, `` & `` why."""

        at: ClassVar = "never"

        def per_query(self, ranked):
            return ranked.relevant_in(1, 1.0)

    assert "How &lt;b&gt;bold&lt;/b&gt; it is, <code> &amp; </code> why." in Own()._repr_html_()
