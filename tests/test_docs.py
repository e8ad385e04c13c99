"""The documentation is complete, current, and leads nowhere wrong; that its examples run, doctest sees to."""

import dataclasses
import re
from pathlib import Path

import pytest

from steelyard import ask
from steelyard.conventions import ALIGN_FIELDS, LABELLED_FIELDS, RANK_FIELDS, plain
from steelyard.curves import names as curve_names
from steelyard.engine.protocol import Tally
from steelyard.measure.readings import _RULES
from steelyard.metrics import RankingMetric, RatingMetric, by_name
from steelyard.metrics.lists import AllListsMetric, PerListMetric
from steelyard.metrics.tasks import TASKS
from steelyard.read.files import KINDS
from steelyard.read.roles import ROLES

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


EDGES = [(name, edge) for name, cls in METRICS.items() for edge in edges_of(cls)]


@pytest.mark.parametrize("path", GENERATED, ids=names(GENERATED))
def test_generated_parts_are_current(path):
    """What the commands of a page print, `make check` compares: it runs them all."""
    text = path.read_text("utf-8")
    assert docs.with_parts(path, text) == text, "python tools/docs.py writes them anew"


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
        assert set(opened) <= {*docs.PARTS, *docs.COUNTS}, path


@pytest.mark.parametrize("command", docs.command.commands)
def test_every_command_is_documented(command):
    assert f"## steelyard {command}\n" in page("cli.md")


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_has_a_page(name):
    text = metric_page(name)
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)

    assert headings == ["Formula", "By hand", "Fields", "Edge cases"]
    assert text.startswith(f"# {METRICS[name].name}")
    assert METRICS[name].zh in text
    assert METRICS[name].zh in page("glossary.md")
    assert f"](metrics/{docs.page_of(name)}.md)" in page("README.md")


def test_every_metric_that_ships_has_a_page_of_its_own():
    shipped = [name for name, cls in by_name().items() if cls.__module__.startswith("steelyard.")]

    assert sorted(METRICS) == sorted(shipped)
    assert {docs.page_of(name) for name in METRICS} == {path.stem for path in DOCS.glob("metrics/*.md")}
    assert len({docs.page_of(name) for name in METRICS}) == len(METRICS)
    assert docs.page_of("precision@k") == "precision"
    assert docs.page_of("precision") == "class_precision"


@pytest.mark.parametrize("name", METRICS)
def test_every_other_choice_of_a_metric_is_shown_at_work(name):
    text = re.sub(r"<!-- fields -->.*?<!-- /fields -->", "", metric_page(name), flags=re.DOTALL)
    fields = [field for field in dataclasses.fields(METRICS[name]) if docs._stage(field.name) == "metric"]

    for field in fields:
        assert re.search(rf"\b{field.name}\b", text), field.name
        for word in set(field.metadata.get("meaning", ())) - {plain(field.default)}:
            assert re.search(rf"\b{word}\b", text), f"{field.name}={word}"


@pytest.mark.parametrize(("name", "edge"), EDGES)
def test_every_metric_page_speaks_of_the_edges(name, edge):
    assert re.search(rf"\b{edge}\b", metric_page(name).partition("## Edge cases")[2], re.IGNORECASE)


@pytest.mark.parametrize(("name", "profile"), ask.profiles().items())
def test_every_profile_is_documented(name, profile):
    if profile.is_edition:
        assert f"`{name}`" in page("guide/conventions.md")
    else:
        assert f"| `{name}` |" in page("libraries.md")


@pytest.mark.parametrize(
    "name", [*ALIGN_FIELDS, *RANK_FIELDS, *LABELLED_FIELDS, "undefined", "mean", "floor"]
)
def test_every_shared_field_is_documented(name):
    assert f"| `{name}` |" in page("guide/conventions.md")


@pytest.mark.parametrize("name", [*ROLES, "label"])
def test_every_role_is_documented(name):
    assert f"| `{name}` |" in page("guide/tables.md")


@pytest.mark.parametrize("name", curve_names())
def test_every_curve_is_documented(name):
    assert f"| `{name}` |" in page("guide/curves.md")


@pytest.mark.parametrize("rule", _RULES, ids=lambda rule: rule.text)
def test_every_reading_is_documented(rule):
    said = re.split("[:;]", rule.text)[0]
    limits = [condition.words() for condition in (*rule.when, *rule.either)]

    [row] = [line for line in page("guide/rows.md").splitlines() if line.endswith(f"| {said} |")]
    assert all(limit.removeprefix("≤ ") in row for limit in limits)


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(Tally)])
def test_every_count_of_the_tally_is_documented(name):
    assert f"`{name}`" in page("guide/results.md")


@pytest.mark.parametrize("word", [*sorted(set(KINDS.values())), *TASKS])
def test_formats_and_tasks_are_mentioned(word):
    assert re.search(rf"\b{word}\b", page("guide/tables.md") + page("glossary.md"))


@pytest.mark.parametrize("path", PAGES, ids=names(PAGES))
def test_links_lead_somewhere(path):
    text = re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        there = path.parent / file if file else path
        assert there.is_file(), target
        assert not anchor or anchor in anchors(there), target


def anchors(path):
    """The headings of a page as GitHub names them."""
    found = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("path", PAGES, ids=names(PAGES))
def test_no_page_mentions_a_machine(path):
    private = r"(?<![\w.])/(work|home|root|tmp|Users|usr|opt)/|[A-Z]:\\|\.\./shared|site-packages"

    assert not re.findall(private, path.read_text("utf-8"))


@pytest.mark.parametrize("path", docs.pages(), ids=names(docs.pages()))
def test_every_page_can_be_reached(path):
    linked = set()
    for page_ in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)", page_.read_text("utf-8")):
            linked.add((page_.parent / target).resolve())
    assert path.resolve() in linked or path == ROOT / "README.md"


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
    lines = path.read_text("utf-8").splitlines()
    [other] = {one.name for one in READMES} - {path.name}

    assert len(lines) < 200
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
