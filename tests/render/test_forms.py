"""A result in every form: frames, JSON, CSV, Markdown, LaTeX, HTML, text."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from math import isnan, nan

import pandas as pd
import polars as pl
import pytest

import steelyard as sy

from ..tables import each_row

HOSTILE = "a|b_$%\\"
SCRIPT = "<script>alert('1 & \"2\"')</script>"

# Slices in ascending order: '<' stands before 'a' and 'p'.
SLICES = ["(all)", SCRIPT, HOSTILE, "plain"]
MRR = [(1 + 1 / 2) / 2, 1 / 2, 1.0, nan]
ENDS = ["ci_low", "ci_high", "tie_low", "tie_high"]
NUMBERS = ["metric", "value", *ENDS, "n", "undefined"]
PRECISION = [(1 / 2 + 1 / 2 + 0) / 3, 1 / 2, 1 / 2, 0.0]


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


def test_table(result):
    table = result.table()
    assert table.schema == {
        "site": pl.String,
        "metric": pl.String,
        "value": pl.Float64,
        "ci_low": pl.Float64,
        "ci_high": pl.Float64,
        "tie_low": pl.Float64,
        "tie_high": pl.Float64,
        "n": pl.Int64,
        "of": pl.String,
        "undefined": pl.Int64,
    }
    assert table["of"].to_list() == ["queries"] * 8
    assert table["site"].to_list() == SLICES * 2
    assert table["metric"].to_list() == ["mrr"] * 4 + ["precision@2"] * 4
    assert table["value"].to_list() == pytest.approx(MRR + PRECISION, nan_ok=True, abs=1e-15)
    assert table["n"].to_list() == [2, 1, 1, 0, 3, 1, 1, 1]
    assert table["undefined"].to_list() == [1, 0, 0, 1, 0, 0, 0, 0]
    # of two queries and of three; a slice here is one query, or none
    limits = [(0.012286, 0.998620), *[(nan, nan)] * 3, (0.034298, 0.875606), *[(nan, nan)] * 3]
    for found, wanted in zip(table.select("ci_low", "ci_high").rows(), limits, strict=True):
        assert found == pytest.approx(wanted, abs=1e-6, nan_ok=True)
    assert table["tie_low"].null_count() == table["tie_high"].null_count() == 8


def test_per_query(result):
    values = result.per_query()
    assert values.columns == ["query", "metric", "value"]
    assert values["query"].to_list() == ["q1", "q2", "q3"] * 2
    assert values["value"].to_list() == pytest.approx(
        [1, 1 / 2, nan, 1 / 2, 1 / 2, 0], nan_ok=True, abs=1e-15
    )


def test_iteration_and_length(result):
    assert list(result) == ["mrr", "precision@2"]
    assert len(result) == 2
    assert {name: result[name] for name in result} == {"mrr": 3 / 4, "precision@2": pytest.approx(1 / 3)}


def test_spec_is_complete(result):
    spec = result.spec()
    assert spec["precision@2"] == {
        "metric": "precision",
        "k": 2,
        "denominator": "k",
        "nothing_relevant": "zero",
        "pooling": "query",
        "rel": 1.0,
        "duplicates": "error",
        "missing": "keep",
        "unexpected": "ignore",
        "unjudged": "nonrelevant",
        "judgements": "all",
        "grades": "as_given",
        "self_match": "keep",
        "order": "score",
        "ties": "item_desc",
        "depth": None,
        "scores": "as_given",
        "item_order": "native",
        "undefined": "nan",
        "mean": "arithmetic",
        "floor": 1e-5,
        "edition": "steelyard:2026",
        "profile": "steelyard:2026",
    }
    assert spec["mrr"]["empty"] == "zero"


def test_the_spec_of_a_metric_makes_the_metric_again(result):
    for label, spec in result.spec().items():
        fields = {name: value for name, value in spec.items() if name not in ("metric", "edition", "profile")}
        kind = type(sy.metric(label))
        assert kind(**fields).spec() | {"profile": spec["profile"]} == spec


def test_what_depends_on_the_whole_truth_is_written_into_the_spec():
    result = sy.evaluate({"q": ["a"]}, {"q": {"a": 1, "b": 4}}, "ndcg(ideal=full)@1")
    assert next(iter(result.spec().values()))["max_grade"] == 4.0
    assert result["ndcg(ideal=full)@1"] == 1 / 4


def test_dict(result):
    data = result.to_dict()
    assert list(data) == [
        "schema_version",
        "steelyard",
        "profile",
        "certainty",
        "predictions",
        "truth",
        "weights",
        "exclude",
        "results",
        "specs",
        "tally",
        "rankings",
        "readings",
        "notes",
    ]
    assert (data["schema_version"], data["steelyard"]) == (3, sy.__version__)
    assert (data["profile"], data["predictions"], data["truth"]) == ("steelyard:2026", "predictions", "truth")
    assert data["certainty"] == {"ci": "auto", "level": 0.95, "unit": None, "seed": 0, "replicates": 1000}
    assert len(data["results"]) == 8
    for row in data["results"]:
        assert list(row) == [*NUMBERS, "unit", "slice", "spec"]
        assert row["unit"] == "queries"
        assert row["spec"] == result.spec()[row["metric"]]
    assert [row["slice"] for row in data["results"][:4]] == [
        {},
        {"site": SCRIPT},
        {"site": HOSTILE},
        {"site": "plain"},
    ]
    assert [row["value"] for row in data["results"][:4]] == [3 / 4, 1 / 2, 1.0, None]
    assert data["tally"] == result.tally.to_dict()
    assert data["readings"] == []
    assert [note["text"] for note in data["notes"]] == list(result.notes)
    assert all(set(note) == {"key", "figures", "text"} and note["key"] for note in data["notes"])
    assert data["rankings"][0]["ties"] == "item_desc"
    assert data["rankings"][0]["tally"] == data["tally"]


def test_a_value_per_class_does_not_repeat_the_specification():
    classes = list(range(60))
    result = sy.evaluate({"label": classes, "predicted": classes}, metrics=["confusion", "accuracy"])
    data = result.to_dict()
    assert data["specs"] == result.spec()
    assert [row.get("spec") for row in data["results"]] == [None] * 60**2 + [result.spec()["accuracy"]]
    assert len(result.to_json(None)) < 60**2 * 250


def test_json(result):
    for indent in (None, 2):
        assert json.loads(result.to_json(indent), parse_constant=refuse) == result.to_dict()
    assert "\n" not in result.to_json(None)
    assert "NaN" not in result.to_json()


def test_json_of_any_id(tmp_path):
    path = tmp_path / "食品 🍎.csv"
    path.write_text('query,item,score,s\nq,a,1,"🍎\u0001"\n')
    result = sy.evaluate(path, {"q": {"a": 1}}, "mrr", by="s")
    data = json.loads(result.to_json(), parse_constant=refuse)
    assert data["results"][1]["slice"] == {"s": "🍎\u0001"}
    assert data["predictions"].endswith("食品 🍎.csv")


FORMULAS = ["=1+1", "+1+1", "-5-5", "@SUM(1)", "\tx", "\rx"]


def test_no_text_in_csv_is_a_formula():
    result = sliced([*FORMULAS, "a=b"], column="=s")
    header, _, *rows = list(csv.reader(io.StringIO(result.to_csv(), newline="")))
    assert header[:2] == ["'=s", "metric"]
    assert {row[0] for row in rows} == {"a=b", *(f"'{name}" for name in FORMULAS)}
    assert {row["slice"]["=s"] for row in result.to_dict()["results"][1:]} == {*FORMULAS, "a=b"}


def test_csv_round_trip(result):
    schema = {**result.table().schema, "spec": pl.String}
    read = pl.read_csv(io.StringIO(result.to_csv()), schema=schema)
    assert [sy.metric(spec) for spec in read["spec"]] == [dict(result.metrics)[one] for one in read["metric"]]
    assert read.drop("value", "spec").equals(result.table().drop("value").fill_nan(None))
    assert read["value"].fill_null(nan).to_list() == pytest.approx(MRR + PRECISION, nan_ok=True, abs=0)
    rows = list(csv.reader(io.StringIO(result.to_csv())))
    assert rows[0] == ["site", "metric", "value", *ENDS, "n", "of", "undefined", "spec"]
    assert rows[4][:-1] == ["plain", "mrr", "", "", "", "", "", "0", "queries", "1"]


def test_markdown(result):
    assert result.to_markdown().splitlines() == [
        "| site | metric | value | 95% interval | queries | undefined |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
        "| (all) | mrr | 0.7500 | 0.0123 – 0.9986 | 2 | 1 |",
        "| \\<script\\>alert('1 \\& \"2\"')\\</script\\> | mrr | 0.5000 | – | 1 | 0 |",
        "| a\\|b\\_\\$%\\\\ | mrr | 1.0000 | – | 1 | 0 |",
        "| plain | mrr | – | – | 0 | 1 |",
        "| (all) | precision@2 | 0.3333 | 0.0343 – 0.8756 | 3 | 0 |",
        "| \\<script\\>alert('1 \\& \"2\"')\\</script\\> | precision@2 | 0.5000 | – | 1 | 0 |",
        "| a\\|b\\_\\$%\\\\ | precision@2 | 0.5000 | – | 1 | 0 |",
        "| plain | precision@2 | 0.0000 | – | 1 | 0 |",
    ]


def test_latex(result):
    lines = result.to_latex().splitlines()
    assert lines[:4] == [
        r"\begin{tabular}{llrrrr}",
        r"\toprule",
        r"site & metric & value & 95\% interval & queries & undefined \\",
        r"\midrule",
    ]
    assert lines[4] == r"(all) & mrr & 0.7500 & 0.0123 -- 0.9986 & 2 & 1 \\"
    assert lines[6] == r"a|b\_\$\%\textbackslash{} & mrr & 1.0000 & -- & 1 & 0 \\"
    assert lines[7] == r"plain & mrr & -- & -- & 0 & 1 \\"
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]
    assert len(lines) == 4 + 8 + 2


AWKWARD = [
    "_",
    "%",
    "$",
    "#",
    "&",
    "{",
    "}",
    "~",
    "^",
    "\\",
    "|",
    "a\nb",
    "<b>",
    "`x`",
    "[l](u)",
    "*",
    "'",
    '"',
    "",
]


def sliced(names: list[str], column: str = "s") -> sy.Result:
    """One query in each slice, whose intervals would say nothing."""
    queries = [f"q{n:02}" for n in range(len(names))]
    run = pl.DataFrame({"query": queries, "item": "a", "score": 1.0, column: names})
    return sy.evaluate(run, {query: {"a": 1} for query in queries}, "mrr", by=column, ci="none")


def test_latex_escapes_every_special_character():
    text = sliced(AWKWARD).to_latex()
    plain = text.replace(r"\textbackslash{}", "").replace(r"\textasciitilde{}", "")
    plain = plain.replace(r"\textasciicircum{}", "").replace(r"\begin{tabular}{llrrr}", "")
    plain = plain.replace(r"\end{tabular}", "").replace("{*}", "").replace("{[}", "")
    for character in "_%$#{}":
        assert plain.count(character) == plain.count(f"\\{character}") == 1
    assert "~" not in plain
    assert "^" not in plain


def test_latex_has_a_command_for_infinity():
    log = pl.DataFrame({"label": [1, 0, 1], "old": [0.5, 0.5, 0.5], "new": [0.0, 0.5, 0.5]})
    results = sy.evaluate(log, metrics="logloss(clip=none)", columns={"score": ["old", "new"]})
    compared = sy.compare(log, metrics="logloss(clip=none)", scores=["old", "new"])
    for text in (results.to_latex(), results["new"].to_latex(), compared.to_latex()):
        assert r" & $\infty$ " in text


@pytest.mark.parametrize("name", ["[2pt]", "*", "*[x]", " [b"])
def test_a_row_of_latex_is_no_option_of_the_line_before(name):
    for lines in (
        sliced([name]).to_latex().splitlines(),
        sliced(["a"], column=f"{name}s").to_latex().splitlines(),
    ):
        assert not any(line.lstrip().startswith(("[", "*")) for line in lines)
    guarded = f"{{{name[0]}}}{name[1:]}" if name == name.strip() else f'"{name}"'
    assert sliced([name]).to_latex().splitlines()[5].startswith(f"{guarded} & mrr")


UNSEEN = "a\u202eb\u2066c\u200ed\u200be\x1b[1m"


def test_what_cannot_be_seen_is_spelt_out():
    result = sliced([UNSEEN])
    spelt = "a\\u202eb\\u2066c\\u200ed\\u200be\\u001b[1m"
    assert spelt in result.to_text()
    assert spelt in repr(result)
    assert spelt.replace("\\", "\\\\").replace("[", "\\[") in result.to_markdown()
    assert spelt.replace("\\", r"\textbackslash{}") in result.to_latex()
    assert spelt in result._repr_html_()
    assert UNSEEN in result.to_csv()
    assert result.to_dict()["results"][1]["slice"] == {"s": UNSEEN}


def test_names_in_the_notes_cannot_turn_or_move_other_text():
    result = sy.evaluate({"q\u202e\x1b[1m": ["a"]}, {"q\u202e\x1b[1m": {"a": 0}}, "mrr")
    assert "q\u202e\x1b[1m" in result.notes[0]
    for form in (repr(result), result._repr_html_()):
        assert not {"\u202e", "\x1b"} & set(form)
        assert "q\\u202e\\u001b[1m" in form


def test_long_names_are_cut_where_they_are_shown_and_whole_where_they_are_data():
    name = "x" * 50 + "y" * 50
    result = sliced([name])
    cut = "x" * 30 + "…" + "y" * 29
    for form in (result.to_text(), result.to_markdown(), result.to_latex(), repr(result)):
        assert cut in form
        assert name not in form
    for form in (result.to_csv(), result.to_json()):
        assert name in form


def test_every_name_is_one_row_in_markdown():
    lines = sliced(AWKWARD).to_markdown().splitlines()
    assert len(lines) == 2 + 1 + len(AWKWARD)
    bars = [line.replace("\\\\", "").replace("\\|", "").count("|") for line in lines]
    assert set(bars) == {6}


@pytest.mark.parametrize("name", ["a|b", "x_y", "50 %", "<i>"])
def test_the_name_of_a_slice_column_is_text_too(name):
    result = sliced(["one"], column=name)
    escaped = name.replace("|", "\\|").replace("_", "\\_").replace("<", "\\<").replace(">", "\\>")
    assert result.to_markdown().splitlines()[0].startswith(f"| {escaped} | metric |")
    header = name.replace("_", r"\_").replace("%", r"\%")
    assert result.to_latex().splitlines()[2].startswith(f"{header} & metric")
    assert result.table().columns[0] == name
    assert "<i>" not in result._repr_html_()


class Text(HTMLParser):
    """The tags of a page, and the text in its cells."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self._open = False

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self._open = tag == "td"
        if self._open:
            self.cells.append("")

    def handle_data(self, data):
        if self._open:
            self.cells[-1] += data

    def handle_endtag(self, tag):
        self._open = self._open and tag != "td"


def test_html(result):
    page = Text()
    page.feed(result._repr_html_())
    assert set(page.tags) == {"div", "p", "b", "br", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"}
    assert page.cells[:6] == ["(all)", "mrr", "0.7500", "0.0123 – 0.9986", "2", "1"]
    assert SCRIPT in page.cells
    assert HOSTILE in page.cells
    assert "<script" not in result._repr_html_()


def test_html_of_a_hostile_query_and_a_hostile_file(tmp_path):
    path = tmp_path / "<img src=x onerror=y>.csv"
    path.write_text("query,item,score\n<b>q,a,1\n")
    result = sy.evaluate(path, {"<b>q": {"a": 0}}, "mrr")
    assert "<b>q" in result.notes[0]
    assert "<b>q" not in result._repr_html_()
    assert "<img" not in result._repr_html_()


def test_html_of_very_many_rows_says_how_many_are_hidden():
    page = sliced([f"s{n:03}" for n in range(250)])._repr_html_()
    assert page.count("<tr>") == 1 + 200
    assert "… worst slices first; 51 more slices in result.table()" in page


def test_pandas(result):
    frame = result.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == result.table().columns
    assert [str(frame[name].dtype) for name in ("value", "ci_low", "ci_high", "n")] == [
        "float64",
        "float64",
        "float64",
        "int64",
    ]
    assert frame["value"].tolist() == pytest.approx(MRR + PRECISION, nan_ok=True, abs=0)
    assert frame["site"].tolist() == SLICES * 2


def test_pandas_is_asked_for_by_name_where_it_is_missing(result, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(sy.SteelyardError, match="pandas is not installed") as error:
        result.to_pandas()
    assert "pip install '.[pandas]'` in the folder of the clone" in error.value.remedy


def test_text_is_the_table_alone_with_columns_aligned():
    result = sy.evaluate({"q1": ["a"], "q2": ["b", "a"]}, {"q1": ["a"], "q2": {"a"}}, ["mrr", "precision@10"])
    # (1 + 1/2) / 2, and one hit in ten for both
    assert result.to_text().splitlines() == [
        "metric         value     95% interval  queries  undefined",
        "mrr           0.7500  0.0123 – 0.9986        2          0",
        "precision@10  0.1000  0.0004 – 0.9710        2          0",
    ]


@each_row(
    ("size", "said"),
    [(3e50, "3.0000e+50"), (3e-51, "3.0000e-51"), (0.0, "0.0000"), (3e8, "300000000.0000")],
)
def test_a_number_of_any_size_is_a_few_digits_wide(size, said):
    result = sy.evaluate({"label": [size, -size], "predicted": [0.0, 0.0]}, metrics="rmse")
    assert result.to_text().splitlines()[-1].split()[1] == said


def test_wide_characters_are_aligned_by_the_cells_they_take():
    lines = sliced(["食品", "ab"]).to_text().splitlines()
    assert lines[2] == "ab     mrr     1.0000        1          0"
    assert lines[3] == "食品   mrr     1.0000        1          0"


def test_a_name_cannot_leave_its_line_in_a_terminal():
    lines = sliced(["two\nlines", "red \x1b[31m"]).to_text().splitlines()
    assert [line.split("  ")[0] for line in lines[2:]] == ["red \\u001b[31m", "two lines"]


def test_repr(result):
    lines = repr(result).splitlines()
    assert str(result) == repr(result)
    assert lines[0] == f"steelyard {sy.__version__} · predictions against truth"
    assert lines[1] == "3 queries · 5 predictions · 3 judgements · 40.0% of ranked rows unjudged"
    assert lines[2] == ""
    assert lines[3].split() == ["site", "metric", "value", "95%", "interval", "queries", "undefined"]
    assert lines[12] == ""
    assert lines[13].startswith("conventions  steelyard:2026 · ")
    assert lines[14] == "! mrr is undefined for 1 query (q3) and leaves it out."


def test_repr_of_very_many_rows_says_how_many_are_hidden():
    result = sliced([f"s{n:03}" for n in range(100)])
    more = "  … worst slices first; 41 more slices are hidden; every row: --format csv, or result.table()"
    assert more in repr(result).splitlines()
    assert len(result.to_text().splitlines()) == 1 + 101


def test_hidden_slices_of_two_systems_are_counted_once():
    seg = [f"s{n:03}" for n in range(100) for _ in range(2)]
    log = pl.DataFrame({"label": [0, 1] * 100, "a": [0.2, 0.7] * 100, "b": [0.3, 0.6] * 100, "seg": seg})
    results = sy.evaluate(log, metrics=["accuracy", "rmse"], columns={"score": ["a", "b"]}, by="seg")
    shown = {word for word in repr(results).split() if word in seg}
    assert f"; {100 - len(shown)} more slices are hidden; " in repr(results)


def test_the_column_of_systems_is_named_in_the_language():
    log = pl.DataFrame({"label": [0, 1], "a": [0.2, 0.7], "b": [0.3, 0.6], "system": ["x", "x"]})
    results = sy.evaluate(log, metrics="auc", columns={"score": ["a", "b"]})
    assert results.to_markdown(lang="zh").startswith("| 系统 |")
    assert results.to_markdown(lang="zh", wide=True).startswith("| 系统 |")
    sliced_by = sy.evaluate(log, metrics="auc", columns={"score": "a"}, by="system")
    assert sliced_by.to_markdown(lang="zh").startswith("| system |")


def test_repr_states_the_conventions():
    run, truth = {"q": {"a": 1.0}}, {"q": {"a": 1}}
    text = repr(sy.evaluate(run, truth, ["mrr"], ties="optimistic", missing="skip", mean="median"))
    line = next(line for line in text.splitlines() if line.startswith("conventions"))
    assert line == (
        "conventions  steelyard:2026 · queries without predictions are skipped · "
        "ties best grade first · the median over queries"
    )
    assert "trec_eval" in repr(sy.evaluate(run, truth, "mrr", profile="trec_eval"))


def test_a_value_that_is_nowhere_defined():
    result = sy.evaluate({"q": ["a"]}, {"q": {"a": 0}}, "mrr")
    assert isnan(result["mrr"])
    assert result.to_text().splitlines()[1].split() == ["mrr", "–", "–", "0", "1"]
    assert json.loads(result.to_json())["results"][0]["value"] is None


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex"])
def test_render_is_the_same_as_each_method(result, form):
    method = {"table": result.to_text, "json": result.to_json, "csv": lambda: result.to_csv().rstrip("\n")}
    method |= {"markdown": result.to_markdown, "latex": result.to_latex}
    assert result.render(form) == method[form]()


def test_an_unknown_form(result):
    with pytest.raises(sy.SteelyardError, match="unknown format 'html'") as error:
        result.render("html")
    assert error.value.remedy == "known: table, json, csv, markdown, latex"


@pytest.mark.parametrize("name", ["out.pdf", "out.parquet", "out.html"])
def test_a_file_whose_ending_names_another_form(result, tmp_path, name):
    with pytest.raises(sy.SteelyardError, match="its ending does not say in which format") as error:
        result.write(tmp_path / name)
    assert error.value.remedy == "known: .json, .csv, .md, .markdown, .tex, .txt"
    result.write(tmp_path / name, "json")  # said, so meant


@pytest.mark.parametrize("name", ["foo.txt", "foo", "foo.pdf"])
def test_a_report_is_html(result, tmp_path, name):
    for write in (result.report, lambda path: sy.report({"one": result}, path)):
        with pytest.raises(sy.SteelyardError, match="its ending does not say in which format"):
            write(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_the_readings_in_chinese():
    log = {"clicked": [1, 0, 1, 0], "p": [0.8, 0.2, 0.7, 0.3]}
    result = sy.evaluate(log, metrics=["auc", "ne", "calibration"])
    [reading] = result.readings()
    assert result.system().readings == (reading,)
    # ne: (−ln 0.8 − ln 0.7) / 2 / ln 2
    assert [one.render("zh") for one in result.system().readings] == [
        "排序与概率都好（auc 1.0000 ≥ 0.7；ne 0.4183 < 1；calibration 1.0000 在 0.9–1.1 之内）。"
    ]
