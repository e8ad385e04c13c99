"""A comparison in one's hands: rows, moved queries, every form; and what is refused."""

from __future__ import annotations

import json
import pickle
from math import log2

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.stats.comparison_table import COLUMNS

from ..tables import each_row

QUERIES = [f"q{i}" for i in range(40)]
TRUTH = {query: {"good": 2, "fair": 1} for query in QUERIES}
OLD = {query: ["bad", "fair", "good"] for query in QUERIES}
NEW = {
    query: ["good", "fair", "bad"] if i % 8 else ["bad", "worse", "fair"] for i, query in enumerate(QUERIES)
}
COUNTRY = {query: "FR" if i % 8 == 0 else "JP" for i, query in enumerate(QUERIES)}
IDEAL = 2 + 1 / log2(3)
VALUE = (35 + 5 * (1 / 2) / IDEAL) / 40  # of ndcg@3: 35 queries in the best order, fair at rank 3 in 5
GAIN = VALUE - (1 / log2(3) + 2 / 2) / IDEAL


@pytest.fixture(scope="module")
def comparison():
    return sy.compare({"old": OLD, "new": NEW}, TRUTH, ["ndcg@3", "mrr"], baseline="old", by=COUNTRY)


def test_the_columns_of_the_table(comparison):
    wanted = [name for name in COLUMNS if name not in ("class", "predicted")]
    assert comparison.table().columns == ["slice", *wanted]
    assert comparison.table()["slice"].to_list() == ["(all)", "FR", "JP"] * 2
    assert comparison.systems == ("old", "new")


def test_one_row(comparison):
    row = comparison["mrr", "new"]
    assert row["value"] == (35 * 1 + 5 * (1 / 3)) / 40
    assert row["difference"] == row["value"] - 1 / 2
    assert comparison["mrr"] == comparison[sy.MRR()] == comparison["mrr", "new", "old"] == row
    assert comparison["mrr", "new", {"slice": "FR"}]["difference"] == pytest.approx(1 / 3 - 1 / 2)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("mrr", "nwe"), "there is no system 'nwe'; did you mean 'new'?"),
        (("mrr", "old"), "no difference of this comparison has 'old' in this place"),
        (("map", "new"), "this result has no 'map'"),
        (("mrr", {"slice": "XX"}), "there is no slice slice=XX"),
    ],
)
def test_what_no_row_is(comparison, asked, said):
    with pytest.raises(sy.SteelyardError) as refused:
        comparison[asked]
    assert said in str(refused.value)


def test_several_rows_are_told_apart():
    three = sy.compare({"a": OLD, "b": NEW, "c": NEW}, TRUTH, "mrr")
    with pytest.raises(sy.SteelyardError, match="there are 3 differences of mrr"):
        three["mrr"]
    assert three["mrr", "c", "b"]["difference"] == 0
    assert three.moved("mrr", "c", baseline="b") == ()


@pytest.mark.parametrize(
    "column", ["first place", "baseline value", "mine", "its", "gain", "place", "overall", "direction"]
)
def test_a_slice_column_has_any_name(column):
    by = pl.DataFrame({"query": list(TRUTH), column: ["a", "b"] * (len(TRUTH) // 2)})
    cmp = sy.compare({"a": OLD, "b": NEW}, TRUTH, "mrr", by=by)
    assert cmp.table()[column].to_list() == ["(all)", "a", "b"]
    assert "mrr" in cmp.to_text(wide=True)
    assert cmp.lost_slices().height <= 2


@pytest.mark.parametrize("column", ["p_corrected", "gain of the system", "best of its row"])
def test_a_slice_column_of_the_table_itself_is_refused(column):
    by = pl.DataFrame({"query": list(TRUTH), column: ["a", "b"] * (len(TRUTH) // 2)})
    with pytest.raises(sy.SteelyardError, match=column):
        sy.compare({"a": OLD, "b": NEW}, TRUTH, "mrr", by=by)


def test_the_queries_that_moved(comparison):
    moved = comparison.moved("ndcg@3", n=2)
    assert [one.better for one in moved] == [True, True, False, False]
    assert [one.query for one in moved] == ["q1", "q10", "q0", "q16"]
    up, down = moved[0], moved[2]
    assert up.value == 1.0
    assert up.difference == up.value - up.baseline > 0
    assert [(item.item, item.grade) for item in up.shown] == [("good", 2), ("fair", 1), ("bad", None)]
    assert [item.item for item in up.shown_by_baseline] == ["bad", "fair", "good"]
    assert [item.item for item in down.shown] == ["bad", "worse", "fair"]
    assert down.to_dict()["shown"][2] == {"item": "fair", "grade": 1.0}
    assert len(comparison.moved("ndcg@3", items=1)[0].shown) == 1


def test_what_was_shown_may_be_gone():
    old, new = (sy.evaluate(run, TRUTH, "mrr").slim() for run in (OLD, NEW))
    (first, *_) = sy.compare({"old": old, "new": new}).moved("mrr")
    assert first.shown == first.shown_by_baseline == ()


def test_rows_do_not_move():
    log = {"label": [1, 0, 1, 0], "p": [0.8, 0.3, 0.6, 0.4], "q": [0.7, 0.3, 0.2, 0.4]}
    with pytest.raises(sy.SteelyardError, match="auc has no value for each unit, so none moved"):
        sy.compare(log, scores=["p", "q"], metrics="auc").moved("auc")


@pytest.mark.parametrize("wrong", [0, "much", float("nan"), float("inf"), None])
def test_a_difference_to_look_for_is_a_number(comparison, wrong):
    with pytest.raises(sy.SteelyardError, match="difference must be a number other than 0"):
        comparison.needed("mrr", wrong)


def test_more_units_for_less_difference(comparison):
    assert comparison.needed("mrr", 0.01) == pytest.approx(100 * comparison.needed("mrr", 0.1), rel=0.05)


def test_where_the_winner_loses(comparison):
    lost = comparison.lost_slices()
    assert lost.select("slice", "metric", "system").rows() == [("FR", "ndcg@3", "new"), ("FR", "mrr", "new")]
    assert (lost["overall"] > 0).all()
    assert (lost["difference"] < 0).all()


class TestForms:
    def test_the_terminal_marks_what_is_more_than_chance(self, comparison):
        head, *lines = comparison.to_text().splitlines()
        assert head.split() == [
            *("slice", "metric", "system", "against", "value", "difference", "95%", "interval"),
            *("p", "p", "corrected", "better/same/worse", "units"),
        ]
        assert "†" in lines[0]
        assert lines[0].split()[:6] == ["(all)", "ndcg@3", "new", "old", f"{VALUE:.4f}", f"+{GAIN:.4f}"]
        assert lines[-1].startswith(
            "† statistically significant: p corrected below 0.05; randomisation test; Holm's"
        )
        assert "35 / 0 / 5" in lines[0]

    def test_latex(self):
        pair = sy.compare({"old": OLD, "new_1": NEW}, TRUTH, ["mrr"], baseline="old")
        assert pair.to_latex().splitlines() == [
            r"\begin{table}",
            r"\centering",
            r"\caption{$^{\dagger}$ statistically significant: p corrected below 0.05; randomisation test; "
            r"Holm's correction over 1 test}",
            r"\begin{tabular}{lr}",
            r"\toprule",
            r"system & mrr \\",
            r"\midrule",
            r"old & 0.5000 \\",
            r"new\_1 & \textbf{0.9167$^{\dagger}$} \\",
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]

    def test_letters_where_every_pair_is_compared(self):
        every = sy.compare({"a": OLD, "b": NEW, "c": NEW}, TRUTH, "mrr")
        assert every.to_markdown(wide=True).splitlines()[2:5] == [
            "| a ᵃ | 0.5000 |",
            "| b ᵇ | **0.9167ᵃ** |",
            "| c ᶜ | **0.9167ᵃ** |",
        ]

    def test_markdown(self, comparison):
        assert (
            comparison.to_markdown()
            .splitlines()[2]
            .startswith(f"| (all) | ndcg@3 | new | old | {VALUE:.4f} |")
        )
        assert comparison.to_markdown(wide=True).splitlines()[3] == (
            f"| (all) | new | **{VALUE:.4f}†** | **0.9167†** |"
        )

    def test_csv(self, comparison):
        rows = pl.read_csv(comparison.to_csv().encode())
        assert rows.columns == comparison.table().columns
        assert rows["p"].to_list() == comparison.table()["p"].to_list()

    def test_json(self, comparison):
        found = json.loads(comparison.to_json())
        assert found["schema_version"] == 3
        assert [one["name"] for one in found["systems"]] == ["old", "new"]
        assert found["baseline"] == "old"
        assert found["testing"] == {
            **{"test": "auto", "correct": "holm", "level": 0.95},
            **{"seed": 0, "draws": 100_000, "paired": True, "tests": 2, "tests_in_slices": 4},
        }
        first = found["differences"][1]
        assert first["slice"] == {"slice": "FR"}
        assert first["test"] == "randomisation"
        assert first["spec"]["metric"] == "ndcg"
        assert first["difference"] == comparison["ndcg@3", {"slice": "FR"}]["difference"]

    def test_what_is_not_known_is_null(self):
        one = sy.compare({"old": {"q": ["a", "b"]}, "new": {"q": ["b"]}}, {"q": ["b"]}, "mrr")
        (row,) = json.loads(one.to_json())["differences"]
        assert (row["p"], row["ci_low"], row["effect"], row["detectable"]) == (None,) * 4
        assert row["difference"] == 0.5
        assert one.notes[0].key == "compared_on_one_unit"

    @pytest.mark.parametrize(
        ("ending", "begins"), [("json", "{"), ("csv", "slice,"), ("tex", r"\begin{table}")]
    )
    def test_files(self, comparison, tmp_path, ending, begins):
        comparison.write(tmp_path / f"x.{ending}")
        assert (tmp_path / f"x.{ending}").read_text("utf-8").startswith(begins)

    def test_in_chinese(self, comparison):
        assert "校正 p 值" in comparison.to_text(lang="zh")
        assert "随机化检验" in comparison.to_latex(lang="zh")

    def test_notebooks_and_terminals(self, comparison):
        assert repr(comparison).startswith("steelyard ")
        assert "2 systems · against old · 40 queries" in repr(comparison)
        assert "<table>" in comparison._repr_html_()
        assert "statistically significant" in comparison._repr_html_()

    def test_it_pickles(self, comparison):
        again = pickle.loads(pickle.dumps(comparison))
        assert again.to_json() == comparison.to_json()

    def test_it_cannot_be_changed(self, comparison):
        comparison.rows.clear()
        comparison.results.clear()
        assert comparison.table().height == 6
        with pytest.raises(AttributeError):
            comparison.baseline = "new"


def log(n=60, **more):
    rng = np.random.default_rng(0)
    return {"label": rng.integers(0, 2, n), "p": rng.random(n), "q": rng.random(n), **more}


REFUSED = [
    (lambda: sy.compare({"a": OLD}, TRUTH, "mrr"), "there is one system only, 'a'"),
    (lambda: sy.compare({}, TRUTH, "mrr"), "there is no system to compare"),
    (lambda: sy.compare(pl.DataFrame(log()), metrics="auc"), "systems must be {name: run}, a list of runs"),
    (
        lambda: sy.compare({"bm25": OLD, "dense": NEW}, TRUTH, "mrr", baseline="bm52"),
        "the baseline 'bm52' is none of the systems; did you mean 'bm25'?",
    ),
    (lambda: sy.compare({"a": OLD, "b": NEW}, TRUTH, "mrr", test="tt"), "test must be one of 'auto'"),
    (lambda: sy.compare({"a": OLD, "b": NEW}, TRUTH, "mrr", test=["t"]), "test must be one of 'auto'"),
    (lambda: sy.compare({"a": OLD, "b": NEW}, TRUTH, "mrr", correct="hlm"), "correct must be one of 'holm'"),
    (lambda: sy.compare({"a": OLD, "b": NEW}, TRUTH, "mrr", draws=10), "draws must be a whole number from"),
    (
        lambda: sy.compare({"a": OLD, "b": NEW}, TRUTH, "mrr", level=95),
        "level must be a number between 0 and 1",
    ),
    (lambda: sy.compare({"a": OLD, "b": NEW}, TRUTH), "no metric was given"),
    (
        lambda: sy.compare({"a": OLD, "b": NEW}, TRUTH, "ndcg@3", test="mcnemar"),
        "McNemar's test compares values of 0 and 1, and ndcg@3 has",
    ),
    (
        lambda: sy.compare({"a": OLD, "b": NEW}, TRUTH, "mrr", test="delong"),
        "DeLong's test compares auc only",
    ),
    (
        lambda: sy.compare({"a": OLD, "b": NEW}, TRUTH, "mrr(mean=median)", test="t"),
        "mrr(mean=median) cannot be tested with t",
    ),
    (
        lambda: sy.compare(
            {"a": dict(list(OLD.items())[:20]), "b": dict(list(NEW.items())[20:])},
            TRUTH,
            "mrr",
            missing="skip",
        ),
        "'a' and 'b' have no unit in common that mrr has a value for",
    ),
    (
        lambda: sy.compare(
            {"a": OLD, "b": dict(list(NEW.items())[1:])}, TRUTH, "mrr(mean=geometric)", missing="skip"
        ),
        "mrr(mean=geometric) of 'b' and 'a' uses different units",
    ),
    (lambda: sy.compare(log(), scores=["p", "z"], metrics="auc"), "has no column 'z'"),
    (lambda: sy.compare(log(), scores=["p"], metrics="auc"), "scores must be the names of two columns"),
    (lambda: sy.compare(log(), scores="p", metrics="auc"), "scores must be the names of two columns"),
    (lambda: sy.compare(log(), scores=["p", "p"], metrics="auc"), "the score column 'p' is named twice"),
    (
        lambda: sy.compare(log(), scores=["p", "q"], metrics="auc", columns={"score": "p"}),
        "columns names a score, and so does scores",
    ),
    (
        lambda: sy.compare(
            {"a": pl.DataFrame(log(60)), "b": pl.DataFrame(log(50))}, metrics="auc", columns={"score": "p"}
        ),
        "'a' and 'b' were measured against different truth",
    ),
    (
        lambda: sy.compare([sy.evaluate(OLD, TRUTH, "mrr"), sy.evaluate(NEW, {"q1": ["good"]}, "mrr")]),
        "were measured against different truth ('truth ",
    ),
    (
        lambda: sy.compare([sy.evaluate(OLD, TRUTH, "mrr"), sy.evaluate(NEW, TRUTH, "mrr", ties="expected")]),
        "mrr was measured under another convention for 'predictions (2)' than for 'predictions': ties",
    ),
    (
        lambda: sy.compare(
            [sy.evaluate(OLD, TRUTH, "mrr"), sy.evaluate(NEW, TRUTH, "mrr(rel=2)", by=COUNTRY)]
        ),
        "'predictions' is sliced by nothing, but 'predictions (2)' by slice",
    ),
    (
        lambda: sy.compare([sy.evaluate(OLD, TRUTH, "mrr"), sy.evaluate(NEW, TRUTH, "map")]),
        "no metric was measured for all of predictions, predictions (2)",
    ),
    (
        lambda: sy.compare([sy.evaluate(OLD, TRUTH, "mrr"), sy.evaluate(NEW, TRUTH, "mrr")], TRUTH),
        "truth was given, but the systems are results",
    ),
    (
        lambda: sy.compare([sy.evaluate(OLD, TRUTH, "mrr"), sy.evaluate(NEW, TRUTH, "mrr")], by="x"),
        "by was given, but the systems are results",
    ),
    (
        lambda: sy.compare(log(system=["x"] * 60), scores=["p", "q"], metrics="auc", by="system"),
        "by names a column 'system', and the result table has a column of that name",
    ),
]


@each_row(("call", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_what_is_refused(call, said):
    with pytest.raises(sy.SteelyardError) as refused:
        call()
    assert said in str(refused.value)
    assert refused.value.render("zh") != str(refused.value)


def test_one_query_has_no_test():
    one = sy.compare({"a": {"q1": OLD["q1"]}, "b": {"q1": NEW["q1"]}}, {"q1": TRUTH["q1"]}, "mrr")
    row = one["mrr"]
    assert (row["difference"], row["n"], row["p"], row["ci_low"]) == (0.5, 1, None, None)


def test_a_metric_that_is_undefined_everywhere():
    none = sy.compare({"a": OLD, "b": NEW}, {query: {"good": 0} for query in QUERIES}, "ndcg@3")
    row = none["ndcg@3"]
    assert np.isnan(row["difference"])
    assert (row["n"], row["p"], row["ci_low"]) == (0, None, None)
    assert any("undefined for 40 queries" in note for note in none.notes)


@pytest.mark.parametrize("bytes_left", [0, 100, -1])
def test_a_saved_result_cut_short(tmp_path, bytes_left):
    for name, run in (("old", OLD), ("new", NEW)):
        sy.evaluate(run, TRUTH, "mrr").save(tmp_path / f"{name}.steelyard")
    whole = (tmp_path / "new.steelyard").read_bytes()
    (tmp_path / "new.steelyard").write_bytes(whole[:bytes_left])
    with pytest.raises(sy.SteelyardError, match=r"new\.steelyard"):
        sy.compare([tmp_path / "old.steelyard", tmp_path / "new.steelyard"])


def test_notes_of_one_system_have_its_name():
    some = dict(list(NEW.items())[2:])
    found = sy.compare({"old": OLD, "new": some}, TRUTH, "mrr")
    assert "new: 2 queries have no predictions: counted as empty lists." in found.notes


def test_ties_that_could_turn_the_difference():
    tied = {query: {"good": 1.0, "bad": 1.0} for query in QUERIES}
    sorted_out = {query: {"bad": 2.0, "good": 1.0} for query in QUERIES}
    found = sy.compare({"a": sorted_out, "b": tied}, TRUTH, "mrr")
    assert "ties_turn_difference" in [note.key for note in found.notes]
    assert "ties_turn_difference" not in [
        note.key for note in sy.compare({"a": OLD, "b": NEW}, TRUTH, "mrr").notes
    ]
