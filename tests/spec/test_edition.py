"""An edition of defaults, or a profile of a library, is one data file; no metric is touched for it."""

from __future__ import annotations

import math

import pytest

import steelyard as sy
from steelyard.spec import libraries
from steelyard.spec.libraries import FOLDERS

from ..tool import loaded

check = loaded("profiles")
RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
TRUE = {"q1": {"a": 1, "c": 3}, "q2": {"b": 2}, "q3": {"a": 1}}
LOG = {"label": [1, 0, 1, 0], "score": [0.9, 0.2, 0.0, 0.0]}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(libraries, "FOLDERS", [*FOLDERS, tmp_path])
    return tmp_path


@pytest.fixture
def steelyard_2099(folder):
    """The defaults with other defaults: exponential gains, queries without predictions left out."""
    text = (FOLDERS[0] / "steelyard_2026.toml").read_text("utf-8")
    text = text.replace('name = "steelyard:2026"', 'name = "steelyard:2099"')
    text = text.replace('missing = "keep"', 'missing = "skip"').replace('gain = "linear"', 'gain = "exp2"')
    (folder / "steelyard_2099.toml").write_text(text, "utf-8")
    return folder / "steelyard_2099.toml"


@pytest.fixture
def clicks(folder):
    """A library of clicks, classes and ratings, which also has precision of lists."""
    (folder / "clicks.toml").write_text(
        """
        name = "clicks"
        source = "a library of clicks 1.0"
        edition = "steelyard:2026"
        [conventions]
        undefined = "zero"
        [metrics.logloss]
        clip = 0.1
        base = "2"
        [metrics.precision]
        undefined_class = "skip"
        [metrics."precision@k"]
        denominator = "retrieved"
        [metrics.rmse]
        """,
        "utf-8",
    )
    return folder / "clicks.toml"


def test_a_second_edition_has_other_defaults(steelyard_2099):
    now = sy.evaluate(RUN, TRUE, ["ndcg@3", "mrr"], profile="steelyard:2026")
    later = sy.evaluate(RUN, TRUE, ["ndcg@3", "mrr"], profile="steelyard:2099")
    # q1: gains 1, 0, 7 at discounts 1, 1/log2(3), 1/2 against 7 and 1; q2: gain 3 in second place of one
    q1 = (1 + 7 / 2) / (7 + 1 / math.log2(3))
    assert later["ndcg@3"] == pytest.approx((q1 + 1 / math.log2(3)) / 2, abs=1e-15)
    assert later["mrr"] == (1 + 1 / 2) / 2
    assert now["mrr"] == (1 + 1 / 2 + 0) / 3
    assert later.table()["n"].to_list() == [2, 2]


def test_a_result_says_which_edition_it_has(steelyard_2099):
    later = sy.evaluate(RUN, TRUE, ["ndcg@3", "ndcg(gain=linear)@3"], profile="steelyard:2099")
    assert list(later) == ["ndcg@3", "ndcg(gain=linear)@3"]
    assert {spec["edition"] for spec in later.spec().values()} == {"steelyard:2099"}
    assert later.spec()["ndcg@3"]["gain"] == "exp2"
    told = later.conventions_line()
    assert told.startswith("steelyard:2099")
    assert "gain=exp2" not in told
    assert "gain=linear (ndcg(gain=linear)@3)" in told
    assert later["ndcg@3"] == later[sy.NDCG(k=3)] == later[sy.NDCG(k=3, gain="exp2")]


def test_what_is_stated_wins_over_an_edition(steelyard_2099):
    options = {"profile": "steelyard:2099", "missing": "keep"}
    assert sy.evaluate(RUN, TRUE, "mrr", **options)["mrr"] == 0.5
    assert sy.evaluate(RUN, TRUE, "steelyard:2026:mrr", profile="steelyard:2099")["steelyard:2026:mrr"] == 0.5


def test_a_profile_states_fields_of_rows_classes_and_ratings(clicks):
    asked = ["logloss", "precision", "rmse"]
    result = sy.evaluate(LOG, metrics=asked, profile="clicks")
    # what happened was given 0.9, 0.8, 0 (which counts 0.1) and 1
    cost = -(math.log2(0.9) + math.log2(0.8) + math.log2(0.1) + math.log2(1))
    assert result["logloss"] == pytest.approx(cost / 4, abs=1e-15)
    spec = result.spec()
    assert (spec["logloss"]["base"], spec["logloss"]["undefined"]) == ("2", "zero")
    assert spec["precision"]["undefined_class"] == "skip"
    assert spec["rmse"]["undefined"] == "zero"


def test_one_name_of_two_metrics_is_told_apart(clicks):
    result = sy.evaluate(RUN, TRUE, "precision@5", profile="clicks")
    assert result.spec()["precision@5"]["denominator"] == "retrieved"
    with pytest.raises(sy.SteelyardError, match="clicks has no recall") as caught:
        sy.evaluate(LOG, metrics="recall", profile="clicks")
    assert "logloss, precision, precision@k, rmse" in caught.value.remedy


def test_the_shipped_files_fit():
    assert [
        problem for folder in FOLDERS for file in folder.glob("*.toml") for problem in check.problems(file)
    ] == []


def test_a_made_edition_fits(steelyard_2099, clicks):
    assert list(check.problems(steelyard_2099)) == []
    assert list(check.problems(clicks)) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            'gain = "linear"',
            'gian = "linear"',
            "[metrics.cg] gian: cg has no field 'gian'; did you mean 'gain'?",
        ),
        ('ideal = "judged"', 'ideal = "best"', "[metrics.ndcg] ideal: ndcg: ideal must be one of"),
        ('missing = "keep"', 'missing = "kep"', "[conventions] missing: bpref: missing must be one of"),
        ('missing = "keep"', 'mising = "keep"', "[conventions] mising: no metric has such a field"),
        ("[metrics.ndcg]", "[metrics.ndgc]", "there is no metric 'ndgc'"),
        ("bins = 15\n", "", "[metrics.ece] lacks 'bins', and an edition has every field"),
        ('source = "Steelyard, edition 2026"', "", "lacks 'source'"),
        ("[conventions]", "[convention]", "has a key 'convention' that is none of"),
        ("[conventions]", "[conventions", "Expected ']'"),
        (
            'name = "steelyard:2099"',
            'name = "steelyard:2026"',
            "its name 'steelyard:2026' is that of steelyard_2026.toml, too",
        ),
        ('name = "steelyard:2099"', "name = 2099", "'name' must be text; it is 2099"),
        ("[conventions]", 'conventions = "x"\n[convention]', "'conventions' must be a table; it is 'x'"),
        ("[metrics.cg]", "[metrics]\ncg = 3\n[metrics.g]", "[metrics] cg must be a table; it is 3"),
        (
            "[metrics.cg]",
            "[without_cutoff]\nmrr = 3\n[metrics.cg]",
            "[without_cutoff] mrr must be text; it is 3",
        ),
    ],
)
def test_an_edition_that_does_not_fit_is_named_with_its_place(steelyard_2099, old, new, problem):
    text = steelyard_2099.read_text("utf-8").replace('gain = "exp2"', 'gain = "linear"')
    text = text.replace('missing = "skip"', 'missing = "keep"')
    assert old in text
    steelyard_2099.write_text(text.replace(old, new, 1), "utf-8")
    found = list(check.problems(steelyard_2099))
    assert any(one.startswith("steelyard_2099.toml: ") and problem in one for one in found), found


@pytest.mark.parametrize("edition", ["steelyard:2062", "trec_eval"])
def test_a_profile_of_an_edition_that_there_is_not(clicks, edition):
    clicks.write_text(clicks.read_text("utf-8").replace("steelyard:2026", edition), "utf-8")
    assert list(check.problems(clicks)) == [
        f"clicks.toml: there is no edition '{edition}'; there is steelyard:2026"
    ]


def test_a_profile_may_rest_on_an_edition_beside_it(clicks, steelyard_2099):
    clicks.write_text(clicks.read_text("utf-8").replace("steelyard:2026", "steelyard:2099"), "utf-8")
    assert list(check.problems(clicks, [clicks.parent])) == []


def test_a_convention_must_fit_every_metric_that_has_it(clicks):
    text = clicks.read_text("utf-8")
    more = '[metrics.map]\n[conventions]\ndenominator = "{}"'
    clicks.write_text(text.replace("[conventions]", more.format("k")), "utf-8")
    assert list(check.problems(clicks)) == []
    clicks.write_text(text.replace("[conventions]", more.format("hits")), "utf-8")
    (problem,) = check.problems(clicks)
    assert problem.startswith("clicks.toml: [conventions] denominator: precision: denominator must be one of")


def test_make_check_fails_on_it(steelyard_2099, capsys, monkeypatch):
    steelyard_2099.write_text(steelyard_2099.read_text("utf-8").replace("bins = 15", "bins = 0"), "utf-8")
    monkeypatch.setattr("sys.argv", ["profiles.py", str(steelyard_2099.parent)])
    assert check.main() == 1
    assert "steelyard_2099.toml: [metrics.ece] bins: ece: bins must be" in capsys.readouterr().err
