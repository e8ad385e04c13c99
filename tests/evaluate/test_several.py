"""Several score columns of one log: a result for each, and the tables and the page of all."""

from __future__ import annotations

import json

import polars as pl
import pytest

import steelyard as sy
from steelyard.read.table import Source

from ..tables import each_row

LOG = {
    "user": ["u", "u", "v", "v"],
    "clicked": [1, 0, 1, 0],
    "old": [0.8, 0.3, 0.4, 0.6],  # 3 of 4 pairs in order
    "new": [0.7, 0.2, 0.8, 0.6],  # 4 of 4
    "country": ["JP", "JP", "DE", "DE"],
}
COLUMNS = {"score": ["old", "new"], "label": "clicked", "query": "user"}


@pytest.fixture
def results():
    return sy.evaluate(LOG, metrics=["auc", "gauc"], columns=COLUMNS, by="country")


def test_each_is_the_result_of_its_column(results):
    assert isinstance(results, sy.Results)
    assert list(results) == ["old", "new"]
    assert (results["old"]["auc"], results["new"]["auc"]) == (0.75, 1.0)
    for name in results:
        alone = sy.evaluate(LOG, metrics=["auc", "gauc"], columns={**COLUMNS, "score": name}, by="country")
        assert results[name].to_json() == alone.to_json()


def test_it_is_a_mapping(results):
    assert len(results) == 2
    assert "new" in results
    assert ["new"] not in results
    assert results.get("newer") is None
    assert dict(results)["old"] is results["old"]
    with pytest.raises(sy.SteelyardError, match="there is no system 'newer'; did you mean 'new'?"):
        results["newer"]


def test_the_table_says_which_system(results):
    table = results.table()
    assert table.columns[:3] == ["system", "country", "metric"]
    assert table.filter(pl.col("metric") == "auc").select("system", "country", "value").rows() == [
        ("old", "(all)", 0.75), ("old", "DE", 0.0), ("old", "JP", 1.0),
        ("new", "(all)", 1.0), ("new", "DE", 1.0), ("new", "JP", 1.0),
    ]  # fmt: skip
    assert results.table(wide=True).columns == ["system", "country", "rows", "groups", "auc", "gauc"]
    assert results.per_query().select("system", "query", "value").rows() == [
        ("old", "u", 1.0), ("old", "v", 0.0), ("new", "u", 1.0), ("new", "v", 1.0),
    ]  # fmt: skip


def test_the_forms(results, tmp_path):
    assert results.to_text().splitlines()[0].split()[:3] == ["system", "country", "metric"]
    assert results.to_markdown(wide=True).startswith("| system | country | rows |")
    assert results.to_latex().startswith("\\begin{tabular}{lllrrrrr}")
    assert results.to_csv().splitlines()[0].startswith("system,country,metric,value,")
    data = json.loads(results.to_json())
    assert [one["system"] for one in data["systems"]] == ["old", "new"]
    assert data["systems"][1] == {"system": "new", **results["new"].to_dict()}
    assert repr(results).startswith(f"steelyard {sy.__version__} · old, new\n")
    assert results.to_text(lang="zh") != results.to_text()
    results.write(tmp_path / "both.csv")
    assert (tmp_path / "both.csv").read_text() == results.to_csv()
    with pytest.raises(sy.SteelyardError, match="unknown format 'xml'"):
        results.render("xml")


def test_what_is_said_of_one_is_said_under_its_name():
    log = {"clicked": [1, 0, 1, 0], "old": [0.5, 0.5, 0.5, 0.6], "new": [0.9, 0.1, 0.8, 0.2]}
    results = sy.evaluate(log, metrics=["auc", "ne", "calibration"], columns={"score": ["old", "new"]})
    said = repr(results)
    for name, one in results.items():
        for reading in one.readings():
            assert f"→ {name}: {reading}" in said
    shared = set(results["old"].notes) & set(results["new"].notes)
    assert shared
    assert all(said.count(note) == 1 for note in shared)


def test_one_page_and_charts(results, tmp_path):
    results.report(tmp_path / "both.html", title="Both")
    page = (tmp_path / "both.html").read_text("utf-8")
    assert "<title>Both" in page
    sy.report(results, tmp_path / "again.html", title="Both")
    assert (tmp_path / "again.html").read_text("utf-8") == page
    assert set(results.chart("roc").table["system"]) == {"old", "new"}
    assert results.chart("difference", metric="gauc").table.height == 2


def test_a_file_holds_one(results, tmp_path):
    with pytest.raises(sy.SteelyardError, match="a file holds one result; got 2") as caught:
        results.save(tmp_path / "both.steelyard")
    assert "results['old'].save('old.steelyard')" in caught.value.remedy
    assert not list(tmp_path.iterdir())


def test_the_log_is_opened_once(tmp_path, monkeypatch):
    path = tmp_path / "log.csv"
    pl.DataFrame(LOG).write_csv(path)
    loaded = []
    remembering = Source.remembering

    def counted(self):
        def load(wanted):
            loaded.extend(wanted)
            return self.load(wanted)

        return remembering(self.__class__(**{**vars(self), "load": load}))

    monkeypatch.setattr(Source, "remembering", counted)
    sy.evaluate(path, metrics="auc", columns=COLUMNS)
    assert sorted(loaded) == ["clicked", "new", "old", "user"]  # none of them twice


def test_names_with_commas_between():
    both = sy.evaluate(LOG, metrics="auc", columns={**COLUMNS, "score": "old, new"})
    assert {name: one["auc"] for name, one in both.items()} == {"old": 0.75, "new": 1.0}
    odd = {"clicked": [1, 0], "old,new": [0.8, 0.2]}
    assert sy.evaluate(odd, metrics="auc", columns={"score": "old,new"})["auc"] == 1.0


def test_rankings_too():
    frame = pl.DataFrame({"query": ["q", "q"], "item": ["a", "b"], "bm25": [2.0, 1.0], "dense": [1.0, 2.0]})
    both = sy.evaluate(frame, {"q": {"a": 1}}, "mrr", columns={"score": ["bm25", "dense"]})
    assert {name: one["mrr"] for name, one in both.items()} == {"bm25": 1.0, "dense": 0.5}


@each_row(
    ("columns", "message"),
    [
        ({"score": []}, r"score columns are named by text; got \[\]"),
        ({"score": ["old", 3]}, r"score columns are named by text; got \['old', 3\]"),
        ({"score": ["old", "old"]}, "the score column 'old' is named twice"),
        ({"score": ["old", "newer"]}, "predictions has no column 'newer'"),
        ({"score": ["old", "new"], "scor": "x"}, "unknown role 'scor' in columns; did you mean 'score'"),
    ],
)
def test_what_is_refused(columns, message):
    with pytest.raises(sy.SteelyardError, match=message):
        sy.evaluate(LOG, metrics="auc", columns={"label": "clicked", **columns})


def test_a_slice_column_may_not_be_called_system():
    log = {**LOG, "system": LOG["country"]}
    with pytest.raises(sy.SteelyardError, match="by names a column 'system'"):
        sy.evaluate(log, metrics="auc", columns=COLUMNS, by="system")
    known = pl.DataFrame({"query": ["u", "v"], "system": ["x", "y"]})
    with pytest.raises(sy.SteelyardError, match="by names a column 'system'"):
        sy.evaluate(LOG, metrics="auc", columns=COLUMNS, by=known)


def test_scores_name_one_column_where_one_system_is_explained():
    """The column new has all 4 pairs in order, old 3."""
    assert sy.which(LOG, claims={"auc": "0.75"}, scores="old").texts
    with pytest.raises(sy.SteelyardError, match=r"2 score columns are named \(old, new\)"):
        sy.which(LOG, claims={"auc": "0.75"}, scores=["old", "new"])
    found = sy.differences(LOG, metric="auc", profiles=("sklearn", "lightgbm"), scores="new")
    assert [one["auc"] for one in found.results.values()] == [1, 1]


def test_scores_that_name_nothing():
    with pytest.raises(sy.SteelyardError, match="score columns are named by text; got 5"):
        sy.evaluate(LOG, metrics="auc", scores=5)
