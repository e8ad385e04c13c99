"""The documentation is complete, current, and leads nowhere wrong; that its examples run, doctest sees to."""

import dataclasses
import re
from functools import cache
from pathlib import Path

import pytest

from steelyard import spec
from steelyard.conventions import ALIGN_FIELDS, LABELLED_FIELDS, RANK_FIELDS, plain
from steelyard.engine.protocol import Tally
from steelyard.metrics import RankingMetric, RatingMetric, by_name
from steelyard.metrics.curves import names as curve_names
from steelyard.metrics.lists.base import AllListsMetric, PerListMetric
from steelyard.metrics.registry import TASKS
from steelyard.read.files import KINDS
from steelyard.read.roles import ROLES
from steelyard.stats.readings import _RULES

from .tables import each_row
from .tool import loaded

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"

docs = loaded("docs")
READMES = [ROOT / "README.md", ROOT / "README.zh-CN.md"]
PAGES = [*READMES, *sorted(DOCS.rglob("*.md"))]
METRICS = docs.metrics()
GENERATED = [*docs.data_files(), *docs.pages()]


def page(name):
    return (DOCS / name).read_text("utf-8")


def names(paths):
    return [str(path.relative_to(ROOT)) for path in paths]


def metric_page(name):
    return page(f"metrics/{docs.page_of(name)}.md")


def edges_of(cls):
    """What a page must speak of: the edges that metrics of its kind have, as patterns of words."""
    if issubclass(cls, RankingMetric):
        return ["empty list", "nothing relevant", "beyond", "tie[sd]?", "unjudged"]
    if issubclass(cls, PerListMetric):
        return ["empty list", "undefined", "shorter than k", "outside the catalogue"]
    if issubclass(cls, AllListsMetric):
        return ["empty list", "shorter than k", "outside the catalogue"]
    if issubclass(cls, RatingMetric):
        return ["no rows", "one row", "constant"]
    return ["one class only", "no rows", "constant"]


def test_generated_parts_are_current():
    """What the commands of a page print, `make check` compares: it runs them all."""
    texts = {path: path.read_text("utf-8") for path in GENERATED}
    stale = [path for path, text in texts.items() if docs.with_parts(path, text) != text]
    assert stale == [], "python tools/docs.py writes them anew"


def test_a_session_that_prints_something_else_is_found(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    current = "```console\n$ echo one\none\n```\n"
    monkeypatch.setattr(docs, "pages", lambda: [page])
    monkeypatch.setattr(docs, "data_files", lambda: [])
    page.write_text(current.replace("\none", "\ntwo"))
    assert docs.stale() == {page: current}
    page.write_text(current)
    assert docs.stale() == {}


@pytest.mark.parametrize(
    "command", ["exit 1", "steelyard evaluate absent.csv -m mrr; exit 1", "echo error: no"]
)
def test_a_command_that_ends_otherwise_than_it_says_is_no_part_of_a_page(command):
    with pytest.raises(SystemExit, match="ends with exit code"):
        docs._with_console(f"```console\n$ {command}\n```\n")


def test_no_marker_is_misspelt():
    for path in PAGES:
        opened = re.findall(r"<!-- (\w+) -->", path.read_text("utf-8"))
        closed = re.findall(r"<!-- /(\w+) -->", path.read_text("utf-8"))
        assert opened == closed, path
        assert set(opened) <= {*docs.PARTS, *docs.INLINE}, path


def test_every_command_is_documented():
    text = page("cli.md")
    assert [command for command in docs.command.commands if f"## steelyard {command}\n" not in text] == []


@each_row("name", METRICS)
def test_the_page_of_a_metric_says_everything(name):
    text = metric_page(name)
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)

    assert headings == ["Formula", "By hand", "Fields", "Edge cases"]
    assert text.startswith(f"# {METRICS[name].name}")
    assert METRICS[name].zh in text
    assert METRICS[name].zh in page("glossary.md")
    assert f"](metrics/{docs.page_of(name)}.md)" in page("README.md")

    edges = text.partition("## Edge cases")[2]
    wanted = edges_of(METRICS[name])
    assert [edge for edge in wanted if not re.search(rf"\b{edge}\b", edges, re.IGNORECASE)] == []

    # every field of its own, and every choice but the default, is shown at work
    text = re.sub(r"<!-- fields -->.*?<!-- /fields -->", "", text, flags=re.DOTALL)
    for field in dataclasses.fields(METRICS[name]):
        if docs._stage(field.name) == "metric":
            words = {field.name, *field.metadata.get("meaning", ())} - {plain(field.default)}
            assert [word for word in words if not re.search(rf"\b{word}\b", text)] == [], field.name


def test_every_metric_that_ships_has_a_page_of_its_own():
    shipped = [name for name, cls in by_name().items() if cls.__module__.startswith("steelyard.")]

    assert sorted(METRICS) == sorted(shipped)
    assert {docs.page_of(name) for name in METRICS} == {path.stem for path in DOCS.glob("metrics/*.md")}
    assert len({docs.page_of(name) for name in METRICS}) == len(METRICS)
    assert docs.page_of("precision@k") == "precision"
    assert docs.page_of("precision") == "class_precision"


def not_in_a_table(page_, names):
    """The names that no table of a page has in its first column."""
    return [name for name in names if f"| `{name}` |" not in page(page_)]


def test_every_profile_is_documented():
    editions = [name for name, profile in spec.profiles().items() if profile.is_edition]
    assert [name for name in editions if f"`{name}`" not in page("guide/conventions.md")] == []
    assert not_in_a_table("libraries.md", spec.profiles().keys() - editions) == []


def test_every_shared_field_role_and_curve_is_documented():
    fields = [*ALIGN_FIELDS, *RANK_FIELDS, *LABELLED_FIELDS, "undefined", "mean", "floor"]
    assert not_in_a_table("guide/conventions.md", fields) == []
    assert not_in_a_table("guide/tables.md", [*ROLES, "label"]) == []
    assert not_in_a_table("guide/curves.md", curve_names()) == []


@each_row("rule", _RULES, ids=lambda rule: rule.text)
def test_every_reading_is_documented(rule):
    said = re.split("[:;]", rule.text)[0]
    limits = [condition.words() for condition in (*rule.when, *rule.either)]

    [row] = [line for line in page("guide/rows.md").splitlines() if line.endswith(f"| {said} |")]
    assert all(limit.removeprefix("≤ ") in row for limit in limits)


def test_every_count_of_the_tally_is_documented():
    text = page("guide/results.md")
    assert [field.name for field in dataclasses.fields(Tally) if f"`{field.name}`" not in text] == []


def test_formats_and_tasks_are_mentioned():
    text = page("guide/tables.md") + page("glossary.md")
    assert [word for word in {*KINDS.values(), *TASKS} if not re.search(rf"\b{word}\b", text)] == []


def test_links_lead_somewhere():
    assert [(path.name, target) for path in PAGES for target in broken_links(path)] == []


def broken_links(path):
    text = re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        file, _, anchor = target.partition("#")
        there = path.parent / file if file else path
        if "://" not in target and not (there.is_file() and (not anchor or anchor in anchors(there))):
            yield target


@cache
def anchors(path):
    """The headings of a page as GitHub names them."""
    found = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


def test_no_page_mentions_a_machine():
    private = r"(?<![\w.])/(work|home|root|tmp|Users|usr|opt)/|[A-Z]:\\|\.\./shared|site-packages"

    assert [path for path in PAGES if re.search(private, path.read_text("utf-8"))] == []


def test_every_page_can_be_reached():
    linked = {ROOT / "README.md"}
    for page_ in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)", page_.read_text("utf-8")):
            linked.add((page_.parent / target).resolve())
    assert {path.resolve() for path in docs.pages()} - linked == set()


def test_the_readmes_count_the_metrics_of_lists_and_of_rows():
    lists = [cls for cls in METRICS.values() if cls.reads == "lists"]
    rows = [cls for cls in METRICS.values() if cls.reads not in ("hits", "lists")]

    for readme in READMES:
        said = readme.read_text("utf-8")
        assert f"<!-- n_list_metrics -->{len(lists)}<!-- /n_list_metrics -->" in said
        assert f"<!-- n_row_metrics -->{len(rows)}<!-- /n_row_metrics -->" in said


def test_the_readme_names_the_commands_that_set_everything_up_near_its_top():
    top = (ROOT / "README.md").read_text("utf-8").partition("## First steps")[0]

    assert "```sh\nmake demo\nmake test\n```" in top
    assert len(top.splitlines()) < 25


def test_the_readme_shows_the_report():
    text = (ROOT / "README.md").read_text("utf-8")
    [(alternative, name)] = re.findall(r"!\[(.+)\]\((.+)\)", text)
    picture = (ROOT / name).read_bytes()

    assert len(alternative) > 40
    assert picture.startswith(b"\x89PNG\r\n")
    assert int.from_bytes(picture[16:20]) == 1280  # the width of the window
    assert len(picture) < 200_000
    assert re.search(
        rf"^picture:.*\n.* {re.escape(name)}$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE
    )


@pytest.mark.parametrize("path", READMES, ids=names(READMES))
def test_a_readme_stays_short_and_leads_to_the_other(path):
    by_hand = re.sub(r"<!-- (\w+) -->.*?<!-- /\1 -->", "", path.read_text("utf-8"), flags=re.DOTALL)
    lines = by_hand.splitlines()
    [other] = {one.name for one in READMES} - {path.name}

    assert len(lines) < 177
    assert f"]({other})" in lines[0]


def test_the_chinese_readme_shows_what_the_english_one_shows():
    english, chinese = (path.read_text("utf-8") for path in READMES)

    assert "```sh\nmake demo\nmake test\n```" in chinese
    for link in ("docs/why.md", "docs/cli.md", "docs/guide/conventions.md", "docs/guide/tables.md"):
        assert f"]({link})" in english
        assert f"]({link})" in chinese
    assert set(re.findall(r"\]\((docs/metrics/\w+\.md)\)", chinese)) == set(
        re.findall(r"\]\((docs/metrics/\w+\.md)\)", english)
    )
