"""Why two profiles give two numbers: parts by hand, that add up, from real profiles and made ones."""

from __future__ import annotations

import json
import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy
from steelyard import spec
from steelyard.search import profiles
from steelyard.search.profiles import Attribution, notes_of
from steelyard.spec import libraries
from steelyard.spec.libraries import FOLDERS
from steelyard.text import say

from ..examples import examples
from ..tables import each_row

# the five users of a well-known example: u4 has no list, u5 no truth
RECS = {"u1": [1, 2, 3, 4], "u2": [5, 6], "u3": [1, 7, 2, 8], "u5": [1, 2, 3, 4]}
TRUE = {"u1": [1, 3, 9], "u2": [6], "u3": [7, 2, 10, 11, 12, 13], "u4": [1, 2]}
LOG = {
    "user": [1, 1, 1, 2, 2, 3, 3],
    "label": [1, 0, 1, 0, 1, 1, 1],
    "score": [0.9, 0.1, 0.0, 0.5, 0.6, 0.3, 1.0],
}
BY_ALL = 5 / 9 + 1 / 2 + 7 / 36  # average precisions over all relevant items
BY_HITS = 5 / 6 + 1 / 2 + 7 / 12
METRICS = ("map@4", "ndcg@4", "mrr")


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Writes a small profile under a name."""
    monkeypatch.setattr(libraries, "FOLDERS", [*FOLDERS, tmp_path])

    def write(name: str, text: str) -> None:
        head = f'name = "{name}"\nsource = "{name} 1.0"\nedition = "steelyard:2026"\n'
        (tmp_path / f"{name}.toml").write_text(head + text, "utf-8")
        libraries._read_all.cache_clear()

    yield write
    libraries._read_all.cache_clear()


def carried(found):
    return {name: part for name, part in found.parts.items() if abs(part) > 1e-12}


def test_the_parts_of_three_conventions_by_hand():
    """Four users become three; the sum falls once both judgements and denominator are changed."""
    found = sy.differences(RECS, TRUE, "map@4", profiles=("torchmetrics", "trec_eval"))
    assert found.values == pytest.approx({"torchmetrics": BY_HITS / 4, "trec_eval": BY_ALL / 3})
    fewer = (2 / 3 * BY_HITS + 1 / 3 * BY_ALL) * (1 / 3 - 1 / 4)
    rest = (BY_ALL / 3 - BY_HITS / 4 - fewer) / 2
    assert carried(found) == pytest.approx({"unexpected": fewer, "judgements": rest, "denominator": rest})
    assert found.found.orders == 6
    assert found.found.combinations == 8


def test_one_convention_carries_the_whole_gap(made):
    """RecBole divides by at most k, .3368; RecTools by all relevant items, .3125; both count four users."""
    made("at_most_k", "[conventions]\n[metrics.map]\ndenominator = 'achievable'\n")
    made("all", "[conventions]\n[metrics.map]\ndenominator = 'relevant'\n")
    found = sy.differences(RECS, TRUE, "map@4", profiles=("at_most_k", "all"))
    assert list(found.values.values()) == pytest.approx([0.3368055555555556, 0.3125])
    assert found.parts == pytest.approx({"denominator": (7 / 36 - 7 / 24) / 4})


def test_recbole_and_trec_eval_by_hand():
    """RecBole has .3368 over four users, trec_eval .4167 over the three that have lists."""
    found = sy.differences(RECS, TRUE, "map@4", profiles=("recbole", "trec_eval"))
    at_most_k = 5 / 9 + 1 / 2 + 7 / 24
    assert found.values == pytest.approx({"recbole": at_most_k / 4, "trec_eval": BY_ALL / 3})
    fewer = (at_most_k + BY_ALL) / 2 * (1 / 3 - 1 / 4)
    divided = (BY_ALL - at_most_k) / 2 * (1 / 4 + 1 / 3)
    assert carried(found) == pytest.approx({"missing": fewer, "denominator": divided})


def test_recbole_and_rectools_by_hand():
    """Of u3, 7/6 over at most 4 or over all 6 relevant items; a quarter of that is the gap."""
    found = sy.differences(RECS, TRUE, "map@4", profiles=("recbole", "rectools"))
    assert list(found.values.values()) == pytest.approx([0.3368055555555556, 0.3125])
    assert carried(found) == pytest.approx({"denominator": (7 / 36 - 7 / 24) / 4})


def test_a_query_that_is_left_out_carries_how_far_it_moved_the_mean():
    found = sy.differences(RECS, TRUE, "map@4", profiles=("steelyard:2026", "trec_eval"))
    assert carried(found) == pytest.approx({"missing": BY_ALL / 3 - BY_ALL / 4})
    rows = found.per_query()
    assert rows.columns == ["query", "steelyard:2026", "trec_eval", "part"]
    assert rows.row(0) == ("u4", 0.0, None, pytest.approx(BY_ALL / 3 / 4))
    assert rows["part"].sum() == pytest.approx(found.gap)


def test_groups_of_clicks_by_hand():
    """Users of 3, 2 and 2 rows, the last of one class: (3/2 + 2) / 5 and (1/2 + 1 + 0) / 3."""
    found = sy.differences(LOG, metric="gauc", profiles=("fuxictr", "torchmetrics"))
    assert found.values == pytest.approx({"fuxictr": 0.7, "torchmetrics": 0.5})
    weight_first, single_first = 0.75, 3.5 / 7
    weight = ((weight_first - 0.7) + (0.5 - single_first)) / 2
    assert carried(found) == pytest.approx({"single_class": -0.2 - weight, "weight": weight})
    assert found.per_query() is None


def test_the_clip_of_a_log_loss_by_hand():
    """One positive of seven rows has a probability of 0, which LightGBM takes for 1e-15."""
    found = sy.differences(LOG, metric="logloss", profiles=("sklearn", "lightgbm"))
    assert carried(found) == pytest.approx({"clip": (math.log(2.0**-52) - math.log(1e-15)) / 7}, rel=1e-6)


@pytest.mark.parametrize(
    "start", [0, pytest.param(2, marks=pytest.mark.long), pytest.param(4, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("metric", METRICS)
def test_both_ends_are_what_evaluate_gives_and_the_parts_add_up(metric, start):
    seen = 0
    for one, other in list(combinations(spec.profiles(), 2))[start::6]:
        try:
            found = sy.differences(RECS, TRUE, metric, profiles=(one, other))
        except sy.SteelyardError:
            continue
        seen += 1
        for name, text in zip((one, other), found.texts, strict=True):
            written = text.removeprefix(f"{name}:")
            assert found.values[name] == sy.evaluate(RECS, TRUE, written, profile=name)[written]
        if found.found.orders:
            assert math.fsum(found.parts.values()) == pytest.approx(found.gap, abs=1e-12)
    assert seen


runs = st.dictionaries(
    st.sampled_from("abcd"),
    st.dictionaries(st.integers(1, 12), st.sampled_from([0.1, 0.5, 0.9]), min_size=1, max_size=6),
    min_size=1,
)
truths = st.dictionaries(
    st.sampled_from("abcde"), st.dictionaries(st.integers(1, 12), st.integers(0, 2), min_size=1), min_size=1
)
pairs = st.permutations(["steelyard:2026", "trec_eval", "ir_measures", "lightgbm", "sklearn"]).map(
    lambda p: p[:2]
)


@examples(25)
@given(runs, truths, pairs)
def test_parts_add_up_and_turn_their_sign_with_the_profiles(run, truth, pair):
    try:
        there = sy.differences(run, truth, "ndcg@3", profiles=pair)
        back = sy.differences(run, truth, "ndcg@3", profiles=pair[::-1])
    except sy.SteelyardError:  # no query in common
        return
    if not there.found.orders:
        assert math.isnan(there.gap)
        return
    assert math.fsum(there.parts.values()) == pytest.approx(there.gap, abs=1e-12)
    assert {name: -part for name, part in back.parts.items()} == pytest.approx(there.parts, abs=1e-12)


@examples(10)
@given(runs, truths)
def test_what_is_said_to_change_nothing_changes_nothing(run, truth):
    """Measured all the same, every such convention carries 0, and the others what they carry without it."""
    try:
        found = sy.differences(run, truth, "map@3", profiles=("lightgbm", "trec_eval"))
    except sy.SteelyardError:
        return
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(profiles, "_acts", lambda *_: True)
        every = sy.differences(run, truth, "map@3", profiles=("lightgbm", "trec_eval"))
    assert every.found.combinations >= found.found.combinations
    assert every.parts == pytest.approx(found.parts, abs=1e-12, nan_ok=True)


def test_combinations_that_mean_nothing_are_skipped_and_told(made):
    """With unjudged items in the lists there are ties, which the first profile refuses."""
    made("strict", "[conventions]\nunjudged = 'drop'\nties = 'error'\n[metrics.mrr]\n")
    made("plain", "[conventions]\nunjudged = 'nonrelevant'\nties = 'item_desc'\n[metrics.mrr]\n")
    run, truth = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}
    found = sy.differences(run, truth, "mrr", profiles=("strict", "plain"))
    assert found.values == {"strict": 1.0, "plain": 0.5}
    assert found.parts == {"unjudged": -0.5, "ties": 0.0}
    (skipped, unproven) = found.notes
    assert (skipped.key, unproven.key) == ("combinations_skipped", "unproven_profile")
    assert {name: skipped.figures[name] for name in ("n", "of", "skipped", "every")} == {
        "n": 1,
        "of": 4,
        "skipped": 1,
        "every": 2,
    }


def test_where_every_order_is_barred_nothing_is_parted():
    of = {"metric": "map@4", "names": ("steelyard:2026", "trec_eval")}
    barred = Attribution(**of, values=(0.5, 0.25), combinations=4, refused=2, why=say("undefined"))
    assert [note.key for note in notes_of(barred)] == ["gap_not_parted"]


def test_of_very_many_conventions_orders_are_drawn(monkeypatch):
    monkeypatch.setattr(profiles, "MOST_EXACT", 2)
    found = sy.differences(RECS, TRUE, "map@4", profiles=("torchmetrics", "trec_eval"))
    assert [note.key for note in found.notes if note.key != "known_fault"] == ["orders_drawn"]
    assert math.fsum(found.parts.values()) == pytest.approx(found.gap, abs=1e-12)
    exact = (2 / 3 * BY_HITS + 1 / 3 * BY_ALL) * (1 / 3 - 1 / 4)
    assert found.parts["unexpected"] == pytest.approx(exact, abs=0.01)


def test_no_gap_is_said(tmp_path):
    found = sy.differences(LOG, metric="auc", profiles=("sklearn", "lightgbm"))
    assert found.gap == 0
    assert "and the same under lightgbm" in found.to_text()
    assert found.chart().table.height == 0
    found.report(tmp_path / "page.html")
    assert found.chart().svg().count("0.7") >= 2


def test_an_undefined_value_leaves_nothing_to_explain(tmp_path):
    found = sy.differences({"q": ["a"]}, {"q": {"a": 0}}, "map", profiles=("steelyard:2026", "trec_eval"))
    assert math.isnan(found.gap)
    assert [note.key for note in found.notes] == ["gap_undefined"]
    assert all(math.isnan(part) for part in found.parts.values())
    assert json.loads(found.to_json())["gap"] is None
    found.report(tmp_path / "page.html")
    with pytest.raises(sy.SteelyardError, match="a value is undefined"):
        found.chart()


def test_either_library_names_the_metric():
    for text in ("ndcg_cut_4", "ndcg@4", "trec_eval:ndcg_cut_4", sy.NDCG(k=4)):
        found = sy.differences(RECS, TRUE, text, profiles=("sklearn", "trec_eval"))
        assert found.metric == "ndcg@4"
        assert found.values["trec_eval"] == sy.evaluate(RECS, TRUE, "ndcg@4", profile="trec_eval")["ndcg@4"]


def test_what_the_text_states_holds_on_both_sides():
    found = sy.differences(RECS, TRUE, "map(missing=skip)@4", profiles=("steelyard:2026", "trec_eval"))
    assert found.gap == 0
    assert "missing" not in found.parts


def test_cutoff_and_depth_are_one_convention():
    found = sy.differences(RECS, TRUE, "mrr@1", profiles=("steelyard:2026", "ir_measures"))
    assert "k, depth" in found.parts
    assert found.parts["k, depth"] == 0


@each_row(
    ("metric", "named", "said"),
    [
        ("map@4", ("trec_eval",), "compares two profiles; got 1"),
        ("map@4", ("trec_eval", "sklearn", "steelyard:2026"), "two profiles; got 3"),
        ("map@4", ("trec_eval", "trec_eval"), "named twice"),
        ("map@4", ("trec_eval", "trek"), "unknown profile 'trek'"),
        ("map@4", "trec_eval,sklearn", "the names of two profiles"),
        ("map@4", None, "the names of two profiles"),
        ("map@4", ("trec_eval", "sklearn"), "sklearn has no map@4"),
        ("mrr@4", ("steelyard:2026", "trec_eval"), "trec_eval reads the reciprocal rank of the whole list"),
        ("mapp@4", ("steelyard:2026", "trec_eval"), "unknown metric"),
        ("", ("steelyard:2026", "trec_eval"), "no metric was given"),
        (7, ("steelyard:2026", "trec_eval"), "7"),
        ("ndcg@2,4", ("steelyard:2026", "trec_eval"), "names 2 metrics"),
    ],
)
def test_bad_input(metric, named, said):
    with pytest.raises(sy.SteelyardError, match=said):
        sy.differences(RECS, TRUE, metric, profiles=named)


def test_a_profile_that_refuses_the_data_is_named():
    graded = {user: dict.fromkeys(items, 2) for user, items in TRUE.items()}
    with pytest.raises(sy.SteelyardError, match="^torchmetrics: .*neither 0 nor 1"):
        sy.differences(RECS, graded, "map@4", profiles=("trec_eval", "torchmetrics"))


def test_several_values_have_no_single_gap():
    log = {"label": ["a", "b"], "predicted": ["a", "a"]}
    with pytest.raises(sy.SteelyardError, match="a value for each class"):
        sy.differences(log, metric="f1(average=none)", profiles=("sklearn", "steelyard:2026"))


def test_forms(tmp_path):
    found = sy.differences(RECS, TRUE, "map@4", profiles=("torchmetrics", "trec_eval"))
    told = json.loads(found.to_json())
    assert [one["value"] for one in told["profiles"]] == list(found.values.values())
    assert math.fsum(one["part"] for one in told["conventions"]) == pytest.approx(told["gap"])
    assert found.table()["part"].sum() == pytest.approx(found.gap)
    assert (
        "| unexpected | predicted queries without ground truth have nothing relevant |" in found.to_markdown()
    )
    assert "有预测而无标注的查询不计入" in found.to_text(lang="zh")
    assert "<table>" in found._repr_html_()
    found.write(tmp_path / "parts.csv")
    assert (tmp_path / "parts.csv").read_text().count("\n") == 1 + len(found.parts)
    with pytest.raises(sy.SteelyardError, match="unknown format 'xml'"):
        found.render("xml")


def test_the_waterfall_leads_from_one_number_to_the_other():
    found = sy.differences(RECS, TRUE, "map@4", profiles=("torchmetrics", "trec_eval"))
    steps = found.chart().table
    one, other = found.values.values()
    assert (steps["from"][0], steps["to"][-1]) == (one, other)
    assert steps["from"][1:].to_list() == steps["to"][:-1].to_list()
    assert dict(zip(steps["convention"], steps["part"], strict=True)) == pytest.approx(carried(found))
    assert "unexpected: +0.1412" in found.chart().svg()
    assert "从 torchmetrics 到 trec_eval" in found.chart().svg("zh")


def test_the_report_has_a_section_of_it(tmp_path):
    found = sy.differences(RECS, TRUE, "map@4", profiles=("torchmetrics", "trec_eval"))
    found.report(tmp_path / "page.html", lang="zh")
    page = (tmp_path / "page.html").read_text("utf-8")
    for piece in (
        'id="explained"',
        "The difference, explained",
        "差异的来源",
        "+0.1412",
        "每项约定造成的差距",
    ):
        assert piece in page
    sy.evaluate(RECS, TRUE, "map@4").report(tmp_path / "other.html")
    assert 'id="explained"' not in (tmp_path / "other.html").read_text("utf-8")


def test_each_result_tells_of_its_own_lists():
    """trec_eval leaves out the query without predictions; by default it counts as an empty list."""
    run, truth = {"1": {"a": 2.0}, "2": {"b": 1.0}}, {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}
    found = sy.differences(run, truth, "mrr", profiles=("steelyard:2026", "trec_eval"))
    assert {name: result.tally.queries for name, result in found.results.items()} == {
        "steelyard:2026": 3,
        "trec_eval": 2,
    }
    alone = sy.evaluate(run, truth, "mrr", profile="trec_eval")
    assert [one.rank.ties for one in found.results["trec_eval"].rankings] == [
        one.rank.ties for one in alone.rankings
    ]


def test_the_digits_of_a_chance_are_no_cutoff():
    """ranx's rbp.95 goes on with chance 0.95, as ours does that is asked so; nothing is cut at 95."""
    run = {"q": {f"d{i:03}": float(-i) for i in range(150)}}
    found = sy.differences(run, {"q": {"d120": 1}}, "rbp.95", profiles=("ranx", "steelyard:2026"))
    assert found.gap == pytest.approx(0, abs=1e-12)
    assert found.results["ranx"]["ranx:rbp.95"] == pytest.approx(0.05 * 0.95**120)


def test_scores_that_single_precision_ties_carry_the_gap():
    """By item, d is third of four; tied with all others it is first: trec_eval reads single precision."""
    run = {"q1": {"a": 2.0, "b": 2.0, "c": 2 - 1e-12, "d": 2 - 1e-12}}
    found = sy.differences(run, {"q1": {"d": 1}}, "mrr", profiles=("steelyard:2026", "trec_eval"))
    assert found.gap == pytest.approx(1 - 1 / 3)
    assert carried(found) == pytest.approx({"scores": 1 - 1 / 3})


def test_where_idle_conventions_carry_something_all_act(monkeypatch):
    """A wrong fact, here that no query is missing, must not put the gap down to another convention."""
    monkeypatch.setattr(profiles, "_acts", lambda *given: set(given[2]) == {"denominator"})
    found = sy.differences(RECS, TRUE, "map@4", profiles=("recbole", "trec_eval"))
    at_most_k = 5 / 9 + 1 / 2 + 7 / 24
    fewer = (at_most_k + BY_ALL) / 2 * (1 / 3 - 1 / 4)
    divided = (BY_ALL - at_most_k) / 2 * (1 / 4 + 1 / 3)
    assert carried(found) == pytest.approx({"missing": fewer, "denominator": divided})
