"""The wide table: a row per slice, the worst first, in every form."""

from __future__ import annotations

import json

import polars as pl
import pytest

import steelyard as sy
from steelyard.render.table import wide_table, worst_first
from steelyard.text.errors import ColumnError, OutputError

from ..tables import each_row

# a: 2 rows, b: 4, c: 2, d: 1; the values of a metric by slice
ROWS = pl.DataFrame(
    {
        "site": [None, "a", "b", "c", "d"],
        "metric": ["m"] * 5,
        "value": [0.9, 0.5, 2.0, 1.25, float("nan")],
        "n": [9, 2, 3, 2, 0],
        "undefined": [0, 0, 1, 0, 1],
    }
)


def slices(direction, least=0):
    return wide_table(ROWS, ["site"], {"m": "rows"}, {"m": direction}, least).frame["site"].to_list()


@each_row(
    ("direction", "order"),
    [
        ("higher", ["a", "c", "b", "d"]),
        ("lower", ["b", "c", "a", "d"]),
        ("nearest_1", ["b", "a", "c", "d"]),  # 1, 1/2 and 1/4 away
        ("none", ["a", "b", "c", "d"]),
    ],
)
def test_the_worst_slice_comes_first_and_one_without_a_value_last(direction, order):
    assert slices(direction) == ["(all)", *order]


@pytest.mark.parametrize(
    ("direction", "order"), [("higher", ["a", "c"]), ("lower", ["b", "c"]), ("nearest_1", ["b", "a"])]
)
def test_rows_that_do_not_fit_are_not_of_the_worst_slices(direction, order):
    two = pl.concat([ROWS, ROWS.with_columns(metric=pl.lit("other"), value=pl.lit(0.0))])
    shown, hidden = worst_first(two, ["site"], {"m": direction}, 6)
    # every metric of the whole, then of each slice
    assert shown["site"].to_list() == [None, None, *(name for name in order for _ in range(2))]
    assert shown["metric"].to_list() == ["m", "other"] * 3
    assert hidden == 2
    assert worst_first(two, ["site"], {"m": direction}, 10)[0].equals(two)


def test_slices_without_a_worst_are_not_called_sorted():
    shown, hidden = worst_first(ROWS, ["site"], {"m": "none"}, 3)
    assert (shown["site"].to_list(), hidden) == ([None, "a", "b"], 0)


def test_the_slice_that_moved_furthest_from_1_comes_first():
    """Calibration goes from 1 to 1.25 in a, from 2 to 1 in b, and from 1 to 0.5 in c."""
    log = {
        "site": ["a", "a", "b", "b", "c", "c"],
        "label": [1, 0] * 3,
        "old": [0.5, 0.5, 1.0, 1.0, 0.5, 0.5],
        "new": [0.625, 0.625, 0.5, 0.5, 0.25, 0.25],
    }
    found = sy.compare(log, metrics="calibration", scores=["old", "new"], by="site")
    cells = found.shown().cells(3)
    assert ([row[0] for row in cells.rows], cells.hidden_slices) == (["(all)", "c", "a"], 1)


def test_small_slices_are_left_out_and_counted():
    assert slices("higher", least=2) == ["(all)", "a", "c", "b"]
    made = wide_table(ROWS, ["site"], {"m": "rows"}, {"m": "higher"}, 3)
    assert made.frame.rows() == [("(all)", 9, 0.9), ("b", 4, 2.0)]  # 3 with a value and 1 without
    assert made.note == "3 slices of fewer than 3 rows are left out."
    assert wide_table(ROWS, ["site"], {"m": "rows"}, {"m": "higher"}, 0).note is None


LOG = pl.DataFrame(
    {
        "user": ["u", "u", "v", "v", "w"],
        "label": [1, 0, 0, 1, 1],
        "score": [0.8, 0.2, 0.6, 0.3, 0.5],
        "country": ["JP", "JP", "DE", "DE", "US"],
    }
)


@pytest.fixture(scope="module")
def clicks() -> sy.Result:
    """JP is in order, DE is not, US has one class; five rows in three groups."""
    return sy.evaluate(LOG, metrics=["auc", "gauc", "calibration"], columns={"query": "user"}, by="country")


def test_a_column_for_each_metric_and_for_what_slices_hold(clicks):
    wide = clicks.table(wide=True)
    assert wide.columns == ["country", "rows", "groups", "auc", "gauc", "calibration"]
    assert wide["country"].to_list() == ["(all)", "DE", "JP", "US"]
    assert wide["rows"].to_list() == [5, 2, 2, 1]
    assert wide["groups"].to_list() == [3, 1, 1, 1]
    assert wide["auc"].to_list()[1:3] == [0.0, 1.0]
    assert wide["calibration"].to_list() == pytest.approx([2.4 / 3, 0.9, 1.0, 0.5])


def test_every_form_is_wide(clicks):
    assert clicks.to_text(wide=True, least=2).splitlines() == [
        "country  rows  groups     auc    gauc  calibration",
        "(all)       5       3  0.6667  0.5000       0.8000",
        "DE          2       1  0.0000  0.0000       0.9000",
        "JP          2       1  1.0000  1.0000       1.0000",
        "",
        "1 slice of fewer than 2 rows is left out.",
    ]
    assert clicks.to_markdown(wide=True).splitlines()[3] == "| DE | 2 | 1 | 0.0000 | 0.0000 | 0.9000 |"
    assert (
        clicks.to_markdown(wide=True, least=2, lang="zh").splitlines()[-1]
        == "1 个分组所含的行少于 2，未列出。"
    )
    latex = clicks.to_latex(wide=True, least=2).splitlines()
    assert latex[0] == r"\begin{tabular}{lrrrrr}"
    assert latex[-1] == "% 1 slice of fewer than 2 rows is left out."
    assert clicks.to_csv(wide=True).splitlines()[0] == "country,rows,groups,auc,gauc,calibration"
    assert clicks.render("json", wide=True) == clicks.to_json()


def test_without_slices_the_whole_is_one_row():
    assert sy.evaluate(LOG, metrics="auc").table(wide=True).rows() == [(5, pytest.approx(4 / 6))]


@pytest.mark.parametrize("name", ["*", "^.*$", "by 0", "by"])
def test_a_slice_column_of_any_name(name):
    result = sy.evaluate(LOG.rename({"country": name}), metrics="logloss", by=name)
    assert result.table(wide=True)[name].to_list()[0] == "(all)"


def test_what_has_no_wide_form():
    animals = {"label": ["cat", "dog"], "predicted": ["cat", "cat"], "rows": ["x", "y"]}
    with pytest.raises(OutputError, match="no metric here is one number"):
        sy.evaluate(animals, metrics="confusion").table(wide=True)
    with pytest.raises(OutputError, match="two columns named 'rows'"):
        sy.evaluate(animals, metrics="accuracy", by="rows").table(wide=True)


@pytest.mark.parametrize("least", [-1, 1.5, True, "3", None])
def test_a_least_size_that_is_none(clicks, least):
    with pytest.raises(OutputError, match="least must be a whole number from 0 on"):
        clicks.table(wide=True, least=least)


def test_wide_is_asked_for_by_true(clicks):
    with pytest.raises(OutputError, match="wide must be True or False; got 'yes'"):
        clicks.table(wide="yes")


def test_a_least_size_alone(clicks):
    with pytest.raises(OutputError, match="a minimum size applies to the wide table only"):
        clicks.to_text(least=3)


@pytest.mark.parametrize("name", ["of", "spec"])
def test_the_names_of_the_new_columns_are_taken(name):
    with pytest.raises(sy.SteelyardError, match=f"'{name}'"):
        sy.evaluate(LOG.rename({"country": name}), metrics="auc", by=name)


@pytest.mark.parametrize("metric", ["ndcg(gain=1:3/2:9)@10", "map", "fbeta(beta=2)@5", "recall(rel=2)@100"])
def test_the_specification_in_csv_is_the_metric(metric):
    result = sy.evaluate({"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2}}, metric, ties="expected")
    [row] = pl.read_csv(result.to_csv().encode()).to_dicts()
    assert sy.metric(row["spec"]) == result.metrics[0][1]
    assert "ties=expected" in row["spec"]


def test_a_column_with_a_value_for_each_row_is_no_slice():
    n = 10_001
    log = {"label": [0, 1] * n, "score": [0.2, 0.7] * n, "id": [*range(2 * n)], "half": [*range(n)] * 2}
    with pytest.raises(ColumnError, match="column 'id' has 20,002 values in 20,002 rows"):
        sy.evaluate(log, metrics="auc", by="id")
    assert sy.evaluate(log, metrics="logloss", by="half").table().height == n + 1  # two rows each
    run = pl.DataFrame({"query": range(n), "item": ["a"] * n, "score": [1.0] * n, "key": range(n)})
    truth = {place: ["a"] for place in range(n)}
    with pytest.raises(ColumnError, match="column 'key' has 10,001 values in 10,001 queries"):
        sy.evaluate(run, truth, "mrr", by="key")


def test_on_the_command_line(steelyard, tmp_path, monkeypatch):
    from steelyard.cli import outputs

    monkeypatch.chdir(tmp_path)
    LOG.write_csv("log.csv")
    log = ["evaluate", "log.csv", "-m", "auc", "--by", "country"]

    def run(*options):
        done = steelyard(*log, *options)
        return done.code, done.out, done.err

    code, out, _ = run("--wide", "--least", "2")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines() if line][:3] == ["country", "(all)", "DE"]
    assert "1 slice of fewer than 2 rows is left out." in out
    code, out, err = run("--wide", "--least", "2", "--format", "csv")
    assert out.splitlines()[0] == "country,rows,auc"
    assert "1 slice of fewer than 2 rows is left out." in err
    assert run("--least", "2")[0] == 2
    assert "least must be a whole number from 0 on; got 'few'" in run("--wide", "--least", "few")[2]

    (tmp_path / "run.toml").write_text("wide = true\nleast = 2\n")
    assert "JP" in run("--run-file", "run.toml")[1]
    assert "US" not in run("--run-file", "run.toml")[1]
    (tmp_path / "bad.toml").write_text('wide = "yes"\n')
    assert "wide must be true or false" in run("--run-file", "bad.toml")[2]

    monkeypatch.setattr(outputs, "MOST_PRINTED", 2)
    for form in ("table", "markdown", "latex"):
        code, out, err = run("--format", form)
        assert ("DE" in out, "JP" in out) == (True, False)
        assert "2 more rows are not printed; all of them: -o FILE; fewer: --wide --least N" in err
    for form in ("csv", "json"):  # data is whole
        code, out, err = run("--format", form)
        assert "US" in out
        assert "not printed" not in err
    run("-o", "all.md")
    assert "US" in (tmp_path / "all.md").read_text()
    assert len(json.loads(run("--format", "json", "--wide")[1])["results"]) == 4


def test_pandas_has_the_wide_table_too():
    """By hand: JP's click stands above its non-click, DE's below; US has one row and no pair."""
    result = sy.evaluate(LOG, metrics=["auc", "accuracy"], by="country")
    frame = result.to_pandas(wide=True)
    assert list(frame.columns) == ["country", "rows", "auc", "accuracy"]
    assert frame["country"].tolist() == ["(all)", "DE", "JP", "US"]
    assert frame["auc"].tolist()[1:3] == [0.0, 1.0]
    assert frame["auc"].isna().tolist() == [False, False, False, True]
    assert frame["rows"].tolist() == [5, 2, 2, 1]
    assert result.to_pandas(wide=True, least=2)["country"].tolist() == ["(all)", "DE", "JP"]
    with pytest.raises(OutputError, match="minimum size"):
        result.to_pandas(least=2)


def test_slices_without_a_better_side_keep_all_their_metrics_together():
    rows = pl.DataFrame(
        {"site": [None, "x", "y"] * 2, "metric": ["popularity"] * 3 + ["repetition"] * 3, "value": [0.5] * 6}
    )
    shown, hidden = worst_first(rows, ["site"], {"popularity": "none", "repetition": "none"}, 4)
    assert shown["site"].to_list() == [None, None, "x", "x"]
    assert hidden == 0
