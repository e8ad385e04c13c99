"""The report: one file that asks for nothing, in every language, with only what the data supports."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import inspect
import json
import re
from functools import cached_property
from html.parser import HTMLParser
from importlib import import_module
from itertools import pairwise

import polars as pl
import pytest

import steelyard as sy
from steelyard.engine.protocol import Tally
from steelyard.metrics import by_name
from steelyard.render.page import TALLY, contents
from steelyard.render.page.tables import meaning
from steelyard.render.side_by_side import side_by_side
from steelyard.text import languages
from steelyard.text.errors import SteelyardError

VOID = {"meta", "wbr", "input", "br", "rect", "path", "line", "circle", "stop"}


class Page(HTMLParser):
    """A page as a browser would take it apart."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[str, list[str]] = {}
        self.sentence: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.inside.setdefault(self.open[-1], []).append(data)
            if self.open[-1] not in ("style", "script"):
                self.sentence.append(data)

    def all(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]

    @cached_property
    def ids(self):
        return [attrs["id"] for _, attrs in self.tags if "id" in attrs]

    @property
    def words(self):
        return " ".join("".join(self.sentence).split())


@pytest.fixture(scope="module")
def rankings() -> dict[str, sy.Result]:
    """Two rankings of 30 queries in three slices; the second is the better one."""
    queries = [f"q{n:02}" for n in range(30)]
    items = [f"d{n}" for n in range(12)]
    truth = pl.DataFrame(
        {
            "query": [query for query in queries for _ in range(3)],
            "item": [items[(n + at) % 12] for n in range(30) for at in range(3)],
            "relevance": [grade for _ in queries for grade in (3, 1, 0)],
            "country": [("BR", "DE", "US")[n % 3] for n in range(30) for _ in range(3)],
        }
    )
    results = {}
    for name, shift in (("old", 5), ("new", 1)):
        rows = [
            (query, items[(n + at + n % shift) % 12], 12.0 - at)
            for n, query in enumerate(queries)
            for at in range(12)
        ]
        run = pl.DataFrame(rows, schema=["query", "item", "score"], orient="row")
        results[name] = sy.evaluate(run, truth, ["ndcg@5", "mrr", "recall@3"], by="country")
    return results


@pytest.fixture(scope="module")
def clicks() -> sy.Result:
    log = pl.DataFrame(
        {
            "clicked": [int(n % 7 == 0 or n % 11 == 3) for n in range(200)],
            "p": [0.05 + 0.9 * ((n * 37) % 100) / 100 for n in range(200)],
            "user": [f"u{n % 20}" for n in range(200)],
            "device": [("phone", "tv")[n % 2] for n in range(200)],
        }
    )
    columns = {"label": "clicked", "score": "p", "query": "user"}
    asked = ["auc", "gauc", "logloss", "ne", "calibration"]
    return sy.evaluate(log, metrics=asked, columns=columns, by="device")


@pytest.fixture(scope="module")
def classes() -> sy.Result:
    truth = ["cat", "dog", "emu"] * 10
    log = {"label": truth, "predicted": truth[:20] + ["cat"] * 10}
    return sy.evaluate(log, metrics=["f1(average=macro)", "f1(average=none)", "confusion"])


@pytest.fixture(scope="module")
def both(rankings, tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("report") / "both.html"
    sy.report(rankings, path)
    return path.read_text("utf-8")


@pytest.fixture(scope="module")
def pages(both, clicks, classes) -> dict[str, str]:
    return {"rankings": both, "clicks": clicks.to_html(), "classes": classes.to_html()}


@pytest.mark.parametrize("name", ["rankings", "clicks", "classes"])
def test_no_request_can_leave_the_page(pages, name):
    page = Page(pages[name])
    for tag, attrs in page.tags:
        assert tag not in {
            "link",
            "img",
            "iframe",
            "object",
            "embed",
            "base",
            "form",
            "image",
            "use",
        }
        for key, value in attrs.items():
            assert not key.startswith("on"), (tag, key)
            assert key not in {"src", "srcset", "action", "data", "style", "xlink:href", "ping", "poster"}, (
                key
            )
            if key == "href":
                assert tag == "a"
                assert value.startswith("#")
                assert value[1:] in page.ids
            assert "url(" not in (value or "") or value.startswith("url(#")
    assert not re.search(r"https?:|//\w", pages[name])
    assert "@import" not in pages[name]
    (style,) = page.inside["style"]
    assert "url(" not in style


@pytest.mark.parametrize("name", ["rankings", "clicks", "classes"])
def test_the_policy_allows_the_one_style_and_the_one_script(pages, name):
    page = Page(pages[name])
    first = next(attrs for attrs in page.all("meta") if "http-equiv" in attrs)
    assert first["http-equiv"] == "Content-Security-Policy"
    rules = dict(rule.split(" ", 1) for rule in first["content"].split("; "))
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        (source,) = page.inside[tag]
        assert len(page.all(tag)) == 1
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    assert rules["default-src"] == "'none'"
    assert rules["base-uri"] == rules["form-action"] == "'none'"
    assert "unsafe" not in first["content"]
    # nothing that the policy would stop stands before it
    assert pages[name].index("Content-Security-Policy") < pages[name].index("<style>")
    assert not re.search(
        r"\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML", page.inside["script"][0]
    )


@pytest.mark.parametrize("name", ["rankings", "clicks", "classes"])
def test_the_page_is_well_formed(pages, name):
    page = Page(pages[name])
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert pages[name].startswith("<!doctype html>\n")
    assert {"main", "header", "nav", "footer"} <= {tag for tag, _ in page.tags}
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    for _, attrs in page.tags:
        for key in ("aria-labelledby", "for", "data-copy"):
            assert set((attrs.get(key) or "").split()) <= set(page.ids)
    for drawn in page.all("figure"):
        assert drawn["aria-labelledby"] in page.ids
    for drawn in page.all("svg"):
        assert drawn.get("aria-hidden") == "true" or (drawn["role"] == "img" and drawn["aria-label"])
    assert len(page.all("caption")) == sum(1 for attrs in page.all("table") if attrs.get("class") != "list")


def test_the_numbers_are_there(rankings, both):
    page = Page(both)
    for result in rankings.values():
        for label in result:
            assert f"{result[label]:.4f}" in page.words
            assert any(attrs.get("data-v") == repr(result[label]) for attrs in page.all("td"))
    assert "30 queries" in page.words


def test_what_the_result_says_is_said(clicks, pages):
    page = Page(pages["clicks"])
    for sentence in (*clicks.notes, *(reading.text for reading in clicks.readings())):
        assert sentence in page.words
    for reading in clicks.readings():
        assert reading.text.render("zh") in page.words
    assert clicks.system().conventions in page.words


def test_specification_and_tally_can_be_taken_along(clicks, pages):
    page = Page(pages["clicks"])
    spec, tally = (json.loads(text) for text in page.inside["pre"])
    assert spec == json.loads(json.dumps(clicks.spec()))
    assert tally == clicks.tally.to_dict()


def test_only_what_the_data_supports(pages, rankings):
    sections = {name: {attrs["id"] for attrs in Page(text).all("section")} for name, text in pages.items()}
    assert sections["rankings"] == {"numbers", "comparison", "slices", "curves", "queries", "specification"}
    assert sections["clicks"] == {"numbers", "slices", "curves", "queries", "specification"}
    assert sections["classes"] == {"numbers", "classes", "specification"}
    bare = sy.evaluate({"q": {"a": 1.0}}, {"q": {"b": 0}}, ["mrr"]).to_html()
    assert {attrs["id"] for attrs in Page(bare).all("section")} == {"numbers", "specification"}
    assert not Page(bare).all("figure")
    assert "–" in {text.strip() for text in Page(bare).sentence}


def test_every_link_of_the_contents_leads_somewhere(pages):
    for text in pages.values():
        page = Page(text)
        wanted = {attrs["href"][1:] for attrs in page.all("a")}
        assert wanted == {attrs["id"] for attrs in page.all("section")}


def test_best_and_worst_queries_with_their_lists(rankings, both):
    values = rankings["old"].per_query().filter(pl.col("metric") == "ndcg@5")
    (found,) = contents(side_by_side([rankings["old"].system("old")])).queries
    ordered = values["value"].sort().to_list()
    assert [one.value for one in found.lowest] == [f"{value:.4f}" for value in ordered[:5]]
    assert [one.value for one in found.highest] == [f"{value:.4f}" for value in ordered[:-6:-1]]
    by_query = dict(values.select("query", "value").iter_rows())
    for one in (*found.lowest, *found.highest):
        assert one.value == f"{by_query[one.name]:.4f}"
        n = int(one.name[1:])
        shown = [f"d{(n + at + n % 5) % 12}" for at in range(5)]
        graded = {f"d{n % 12}": "3", f"d{(n + 1) % 12}": "1", f"d{(n + 2) % 12}": "0"}
        assert [item.name for item in one.items] == shown
        assert [item.rank for item in one.items] == list("12345")
        assert [item.grade for item in one.items] == [graded.get(item, "") for item in shown]
        assert one.more == "7 more items in the list"
    page = Page(both)
    assert (
        len([attrs for attrs in page.all("details") if attrs.get("class") == "query"]) == 25
    )  # and those that moved
    assert "not judged" in page.words


def test_few_queries_are_all_shown():
    run = {f"q{n}": {"a": 2.0, "b": 1.0} for n in range(4)}
    truth = {f"q{n}": {"ab"[n % 2]: 1} for n in range(4)}
    page = Page(sy.evaluate(run, truth, "mrr").to_html())
    assert "Every query" in page.words
    assert "Highest" not in page.words
    assert len([attrs for attrs in page.all("details") if attrs.get("class") == "query"]) == 4


def test_the_same_result_gives_the_same_bytes(rankings, both, tmp_path):
    sy.report(rankings, tmp_path / "again.html")
    assert (tmp_path / "again.html").read_text("utf-8") == both


def test_everything_is_said_in_every_language(pages):
    for text in pages.values():
        page = Page(text)
        for tag in ("span", "div"):
            said = [attrs["lang"] for attrs in page.all(tag) if "in" in (attrs.get("class") or "").split()]
            assert said == ["en", "zh"] * (len(said) // 2)
            assert said
        assert [attrs["value"] for attrs in page.all("option")] == ["en", "zh"]
        assert page.inside["option"] == ["English", "中文"]


def test_the_words_of_the_page_in_chinese(pages):
    said = [Page(text).words for text in pages.values()]
    assert all("跳到数值" in words and "数据概况" in words for words in said)
    rankings, clicks, classes = said
    assert "● 标记每行的最佳值；差异是否显著见“比较”。" in rankings
    assert "按 ndcg@5，共 30 个有值的查询。数值相同时，相关物品多的在前。" in rankings
    assert "列表中还有 7 个物品" in rankings
    assert "越低越好" in clicks
    assert "各类别" in classes


def test_a_name_from_right_to_left_does_not_turn_its_sentence():
    one = sy.evaluate(
        {"label": [1, 0], "score": [0.8, 0.2], "שלום": ["a", "b"]}, metrics="logloss", by="שלום"
    )
    words = Page(one.to_html()).words
    assert "By \u2068שלום\u2069" in words
    assert "按 \u2068שלום\u2069" in words


def test_every_count_has_its_words():
    counts = {field.name for field in dataclasses.fields(Tally)} - {"held"}
    assert set(TALLY) == counts


def test_every_metric_has_the_sentence_that_catalogues_know():
    for metric in by_name().values():
        assert meaning(metric()).template == inspect.getdoc(metric).partition("\n")[0]


def test_notes_are_told_whole(rankings, clicks):
    run = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"a": 1.0}, "q9": {"a": 1.0}}
    truth = {"q1": {"b": 1}, "q2": {"a": 0}, "q3": {"a": 1}}
    odd = sy.evaluate(run, truth, ["mrr", "precision@5"], exclude={"q2": ["z"]})
    assert len(odd.notes) > 3
    for result in (odd, clicks, rankings["old"]):
        words = Page(result.to_html()).words
        for note in result.notes:
            assert {note.render(lang) in words for lang in languages()} == {True}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_language_it_opens_in(lang):
    bare = sy.evaluate(predictions=[0.8], truth=[1.5], metrics="mae")  # nothing to draw
    page = Page(bare.to_html(lang=lang))
    assert page.all("html") == [{"lang": lang}]
    assert [attrs["value"] for attrs in page.all("option") if "selected" in attrs] == [lang]


def test_an_unknown_language(clicks, tmp_path):
    with pytest.raises(SteelyardError, match="unknown language 'de'"):
        clicks.report(tmp_path / "report.html", lang="de")
    assert list(tmp_path.iterdir()) == []


def test_several_systems_can_be_switched(both):
    page = Page(both)
    boxes = [attrs["value"] for attrs in page.all("input")]
    assert boxes == ["0", "1"]
    of = [attrs["data-s"] for _, attrs in page.tags if "data-s" in attrs]
    assert set(of) == {"0", "1"}
    for tag in ("td", "th", "path"):
        assert {attrs["data-s"] for attrs in page.all(tag) if "data-s" in attrs} == {"0", "1"}
    alone = Page(sy.evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, "mrr").to_html())
    assert not alone.all("fieldset")
    assert not any("data-s" in attrs for _, attrs in alone.tags)


def test_the_best_of_a_row_is_marked_by_its_direction(clicks):
    log = {"label": [1, 0, 1, 0], "score": [0.9, 0.2, 0.6, 0.4]}
    other = sy.evaluate(log | {"score": [0.5, 0.4, 0.3, 0.2]}, metrics=["auc", "logloss", "calibration"])
    one = sy.evaluate(log, metrics=["auc", "logloss", "calibration"])
    shown = contents(side_by_side([one.system("one"), other.system("other")]))
    # auc 1 beats 3/4; a lower logloss is better; calibration 2.1 / 2 is nearer to 1 than 1.4 / 2
    assert [[cell.best for cell in row[1:3]] for row in shown.summaries[0].numbers.rows] == [
        [True, False]
    ] * 3


def test_systems_without_a_common_metric_stand_apart(rankings, clicks, tmp_path):
    sy.report({**rankings, "clicks": clicks}, tmp_path / "all.html", title="Everything")
    page = Page((tmp_path / "all.html").read_text("utf-8"))
    assert "Everything" in page.words
    assert [attrs.get("id") for attrs in page.all("table")][:2] == ["numbers-0", "numbers-1"]
    names = {attrs["value"] for attrs in page.all("input")}
    assert names == {"0", "1", "2"}


def test_counts_that_differ_stand_beside_their_system():
    truth = {"q1": {"a": 1}, "q2": {"a": 1}}
    one = sy.evaluate({"q1": {"a": 1.0}, "q2": {"a": 1.0}}, truth, "mrr")
    two = sy.evaluate({"q1": {"a": 1.0}}, truth, "mrr", missing="skip")
    table = contents(side_by_side([one.system("one"), two.system("two")])).summaries[0].numbers
    assert [column.heading for column in table.groups] == ["", "one", "two"]
    assert [cell.text for cell in table.rows[0][1:]] == ["1.0000", "2", "0", "1.0000", "1", "0"]


def test_intervals_have_a_column_where_there_are_any(clicks):
    without = dataclasses.replace(clicks, rows=clicks.rows.with_columns(ci_low=None, ci_high=None))
    assert "95% interval" not in Page(without.to_html()).words
    rows = clicks.rows.with_columns(ci_low=pl.col("value") - 0.05, ci_high=pl.col("value") + 0.05)
    page = Page(dataclasses.replace(clicks, rows=rows).to_html())
    assert "95% interval" in page.words
    assert f"{clicks['auc'] - 0.05:.4f} – {clicks['auc'] + 0.05:.4f}" in page.words


def test_a_report_of_nothing(tmp_path, clicks):
    with pytest.raises(SteelyardError, match="no result was given"):
        sy.report({}, tmp_path / "report.html")
    with pytest.raises(SteelyardError, match="'a' is not a result, but of type dict"):
        sy.report({"a": {}}, tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []
    sy.report(clicks, tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size < 1_600_000


def test_a_place_that_cannot_be_written_is_refused_before_any_work(clicks, tmp_path, monkeypatch):
    from steelyard.render import page

    monkeypatch.setattr(page, "html", lambda *_, **__: pytest.fail("worked in vain"))
    with pytest.raises(SteelyardError, match="there is no folder"):
        clicks.report(tmp_path / "nowhere" / "report.html")
    with pytest.raises(SteelyardError, match="is a folder"):
        clicks.report(tmp_path)


def test_without_the_extra_one_sentence_says_what_to_install(clicks, tmp_path, monkeypatch):
    from steelyard.render import page

    real = page.find_spec
    monkeypatch.setattr(page, "find_spec", lambda name: None if name == "jinja2" else real(name))
    with pytest.raises(SteelyardError) as error:
        clicks.report(tmp_path / "report.html")
    assert error.value.remedy == "run `pip install '.[report]'` in the folder of the clone"
    assert "\n" not in error.value.message
    assert list(tmp_path.iterdir()) == []


RUN = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0, "b": 2.0}}
JUDGED = {"q1": {"a": 1}, "q2": {"a": 1}}


def page_of(**results):
    return contents(side_by_side([result.system(name) for name, result in results.items()]))


def bests(table):
    return [cell.best for row in table.rows for cell in row if cell.best]


def noted(page):
    return [one.words for summary in page.summaries for one in summary.notes]


def test_none_is_best_of_what_was_measured_otherwise():
    better = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
    one, other = (sy.evaluate(run, JUDGED, "mrr") for run in (RUN, better))
    alike = page_of(one=one, other=other)
    assert bests(alike.summaries[0].numbers) == [True]
    assert not any("marked best" in note for note in noted(alike))

    fewer = sy.evaluate({"q1": {"a": 1.0}}, {"q1": {"a": 1}}, "mrr")
    page = page_of(one=one, fewer=fewer)
    assert bests(page.summaries[0].numbers) == []
    assert page.summaries[0].numbers.notes == ("The 95% interval is below each value.",)
    truths, queries = noted(page)[:2]
    assert truths.startswith("mrr: the systems were measured against different truth (truth ")
    assert queries.startswith(
        "mrr: the systems were measured on different queries (all share 1, each has 1–2)"
    )

    twice = sy.evaluate(better, JUDGED, "mrr", ties="expected")
    page = page_of(one=one, twice=twice)
    assert bests(page.summaries[0].numbers) == []
    assert noted(page)[0].startswith("mrr: the systems were measured under different conventions (ties)")


def test_none_is_best_against_other_truth(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text("query,item,relevance\nq1,a,1\nq2,a,1\n")
    first = sy.evaluate(RUN, tmp_path / "one.csv", "mrr")
    second = sy.evaluate(
        {"q1": ["a"], "q2": ["a"]}, tmp_path / "two.csv", "mrr", ties=first.spec()["mrr"]["ties"]
    )
    page = page_of(first=first, second=second)
    assert bests(page.summaries[0].numbers) == []
    assert any("different truth (" in note for note in noted(page))


def test_none_is_best_of_other_rows():
    one = sy.evaluate([0.9, 0.2, 0.3], [1, 0, 1], "logloss")
    page = page_of(one=one, other=sy.evaluate([0.9, 0.2], [1, 0], "logloss"))
    assert bests(page.summaries[0].numbers) == []
    assert any("different numbers of rows (2–3)" in note for note in noted(page))


def test_a_chart_that_fails_is_a_sentence(monkeypatch):
    from steelyard.text.errors import writing

    figures = import_module("steelyard.render.page.figures")  # the package has a function of that name

    def fails(*_given):
        raise writing.not_drawn("roc", "Error: no")

    monkeypatch.setattr(figures, "placed", fails)
    page = page_of(one=sy.evaluate([0.9, 0.2], [1, 0], "auc"))
    assert page.figures == ()
    assert any(note.startswith("The chart roc is not drawn: ") for note in noted(page))


def test_systems_that_share_a_metric_stand_in_one_chart():
    one, two, three = (
        sy.evaluate(RUN, JUDGED, metrics) for metrics in ("mrr", ["mrr", "hit_rate@1"], "hit_rate@1")
    )
    page = page_of(one=one, two=two, three=three)
    drawn = [figure.title for figure in page.drawn("queries")]
    assert drawn == ["mrr by query", "hit_rate@1 by query"]
    assert not any("not drawn" in note for note in noted(page))


def test_data_of_a_chart_belongs_to_systems():
    rows = pl.DataFrame({"label": [1, 0, 1, 0], "score": [0.9, 0.2, 0.3, 0.4], "g": ["a", "a", "b", "b"]})
    one = sy.evaluate(rows, metrics="logloss", by="g")
    data = page_of(one=one, two=one).drawn("slices")[0].data
    assert [column.heading for column in data.columns] == ["system", "g", "value", "ci_low", "ci_high", "n"]
    assert data.places == (0, 0, 1, 1)
    assert page_of(one=one).drawn("slices")[0].data.places == ()
    assert '<tr data-s="1">' in page_html(one, one)


def page_html(*results):
    from steelyard.render import page

    return page.html(side_by_side([one.system(f"system {place}") for place, one in enumerate(results)]))


def test_a_count_means_the_same_everywhere(result):
    page = page_of(one=result)
    numbers = page.summaries[0].numbers
    at = next(place for place, head in enumerate(numbers.columns) if head.heading == "queries")
    table = page.slices[0][1][0]
    place = next(place for place, head in enumerate(table.columns) if head.heading == "queries")
    counts = sorted({int(row[at].text) for row in numbers.rows})
    assert table.whole[0][place].text == "–".join(map(str, counts))


def test_many_slices_without_a_value_of_the_first_metric():
    n = 150
    rows = pl.DataFrame(
        {
            "label": [1] * n,
            "score": [(place + 1) / 200 for place in range(n)],
            "g": [f"g{p}" for p in range(n)],
        }
    )
    table = page_of(one=sy.evaluate(rows, metrics=["auc", "logloss"], by="g")).slices[0][1][0]
    assert len(table.rows) == 100
    assert table.notes[0].startswith("100 of 150 are shown: the 50 lowest and the 50 highest by logloss.")
    table = page_of(one=sy.evaluate(rows, metrics="auc", by="g")).slices[0][1][0]
    assert len(table.rows) == 100
    assert "the 0 with a value of auc, and 100 without" in table.notes[0]
    assert table.notes[1] == "150 of the 150 have no value of auc."


SLICED = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.2, 0.4], "g": ["a", "a", "b", "b"]}


def test_every_metric_is_drawn_by_slice():
    one = sy.evaluate(SLICED, metrics=["auc", "brier"], by="g")
    other = sy.evaluate(SLICED, metrics=["brier", "ks"], by="g")
    drawn = page_of(one=one, other=other).drawn("slices")
    assert [figure.title for figure in drawn] == ["auc by g", "brier by g", "ks by g"]
    assert [part[2] for part in page_of(one=one).slices] == [page_of(one=one).drawn("slices")]
    heads = [[column.heading for column in figure.data.columns] for figure in drawn]
    limits = ["ci_low", "ci_high"]
    assert heads == [
        ["g", "value", *limits, "n"],
        ["system", "g", "value", *limits, "n"],
        ["g", "value", *limits, "n"],
    ]


def test_metrics_of_several_systems_at_every_cutoff_have_a_chart_each():
    results = {name: sy.evaluate(RUN, JUDGED, ["mrr", "ndcg@3", "ndcg@2"]) for name in ("one", "other")}
    titles = [figure.title for figure in page_of(**results).drawn("curves")]
    assert titles == ["mrr at every cutoff", "ndcg at every cutoff"]
    alone = [figure.title for figure in page_of(one=results["one"]).drawn("curves")]
    assert alone == ["Metrics at every cutoff"]


def test_more_charts_of_a_kind_than_are_drawn_are_said():
    metrics = [f"ece(bins={bins})" for bins in range(2, 15)]
    page = page_of(one=sy.evaluate(SLICED, metrics=metrics, by="g"))
    assert len(page.drawn("slices")) == 12
    assert "The first 12 of 13 charts of slices are drawn." in [
        note.words for note in page.summaries[0].notes
    ]


def test_every_truth_is_counted():
    results = {f"s{place}": sy.evaluate(RUN, JUDGED, "mrr") for place in range(5)}
    systems = [
        dataclasses.replace(result.system(name), truth=f"{name}.qrels") for name, result in results.items()
    ]
    assert contents(side_by_side(systems)).summaries[0].truth == "s0.qrels, s1.qrels, s2.qrels and 2 more"


def test_conventions_in_chinese():
    result = sy.evaluate(RUN, JUDGED, ["mrr", "ndcg(gain=exp2)@3"], ties="expected")
    (line,) = page_of(one=result).summaries[0].conventions
    assert "the mean over all orders" in line.words
    chinese = line.words.render("zh")
    assert not re.search("[a-z]{2,} [a-z]{2,}", chinese)
    assert "gain=exp2（ndcg(gain=exp2)@3）" in chinese
