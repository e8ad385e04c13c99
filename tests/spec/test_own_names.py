"""A profile knows the metrics of its library by the names that the library has for them."""

from __future__ import annotations

import pytest

import steelyard as sy
from steelyard.spec import libraries, metrics
from steelyard.spec.libraries import FOLDERS

from ..tables import each_row

# By hand: q1 has its one relevant item second of two, q2 its two first of one; q3 has no list.
RUN = {"q1": {"a": 3.0, "b": 2.0}, "q2": {"a": 2.0}}
TRUE = {"q1": {"b": 1}, "q2": {"a": 1, "z": 1}, "q3": {"a": 1}}


def test_names_of_the_library_are_taken_and_stay_the_labels():
    result = sy.evaluate(RUN, TRUE, ["P_5,10", "recip_rank", "map"], profile="trec_eval")
    assert [row["metric"] for row in result.rows.to_dicts()] == ["P_5", "P_10", "recip_rank", "map"]
    assert result["P_5"] == pytest.approx((1 / 5 + 1 / 5) / 2)
    assert result["recip_rank"] == pytest.approx((1 / 2 + 1) / 2)
    assert result["map"] == pytest.approx((1 / 2 + 1 / 2) / 2)


def test_our_names_find_what_was_asked_by_theirs():
    result = sy.evaluate(RUN, TRUE, "P_5", profile="trec_eval")
    assert result["precision@5"] == result["P_5"]


@pytest.mark.parametrize("written", ["p_5", " P_5 ", "P_5"])
def test_case_and_spaces_do_not_matter(written):
    assert sy.evaluate(RUN, TRUE, written, profile="trec_eval")["P_5"] == pytest.approx(0.2)


def test_several_profiles_in_one_call_keep_their_own_conventions():
    """trec_eval leaves q3 out, ir_measures counts it 0; the default profile too."""
    result = sy.evaluate(RUN, TRUE, ["trec_eval:recip_rank", "ir_measures:RR", "mrr"])
    assert result["trec_eval:recip_rank"] == pytest.approx((1 / 2 + 1) / 2)
    assert result["ir_measures:RR"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert result["mrr"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    profiles = {label: spec["profile"] for label, spec in result.spec().items()}
    assert profiles == {
        "trec_eval:recip_rank": "trec_eval",
        "ir_measures:RR": "ir_measures",
        "mrr": "steelyard:2026",
    }


def test_a_metric_with_a_profile_of_its_own_stands_beside_a_call_s_profile_that_lacks_it():
    """trec_eval has no mrr with a cutoff; ir_measures has."""
    result = sy.evaluate(RUN, TRUE, ["map", "ir_measures:RR@1"], profile="trec_eval")
    assert result["ir_measures:RR@1"] == pytest.approx((0 + 1 + 0) / 3)


def test_equal_metrics_of_two_profiles_are_two_rows():
    result = sy.evaluate(RUN, TRUE, ["trec_eval:map", "trec_eval:map", "trec_eval:10:map"])
    assert result.rows["metric"].to_list() == ["trec_eval:map", "trec_eval:10:map"]


@each_row(
    ("written", "said"),
    [
        ("P_5", "'P_5' is a name of trec_eval\nwrite trec_eval:P_5 for its number, or precision@5"),
        ("ndcg_cut_10", "write trec_eval:ndcg_cut_10 for its number, or ndcg@10 for that of this profile"),
        ("P_x", "unknown metric 'P_x'"),
        ("ndcg@0", "k must be a positive whole number"),
    ],
)
def test_a_name_of_a_library_is_offered_elsewhere(written, said):
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(RUN, TRUE, written)
    assert said in str(caught.value)


def test_a_metric_that_the_library_lacks_names_those_that_it_has():
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(RUN, TRUE, "auc", profile="trec_eval")
    assert "trec_eval has no auc\nprofile trec_eval has: bpref, " in str(caught.value)


def test_of_a_library_s_own_names_the_nearest_few_are_told():
    """torchmetrics has some two hundred names."""
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(RUN, TRUE, "bpref", profile="torchmetrics")
    names = str(caught.value).partition("the nearest of its own names: ")[2].partition("; ")[0].split(", ")
    assert 1 < len(names) <= 10
    assert "; steelyard profiles torchmetrics lists all" in str(caught.value)


def test_the_program_is_named_where_it_has_more_than_its_profile():
    with pytest.raises(sy.SteelyardError) as caught:
        sy.metric("trec_eval:10:G")
    assert str(caught.value).endswith("; steelyard trec_eval -m measures all that the program does")


@each_row(
    ("asked", "said"),
    [
        ({"metrics": "map", "profile": "recommenders"}, ["recommenders: map is map@10 there."]),
        ({"metrics": ["recommenders:map", "recommenders:map"]}, ["recommenders: map is map@10 there."]),
        (
            {"metrics": ["precision", "recall"], "profile": "elasticsearch"},
            ["elasticsearch: precision is precision@10 there.", "elasticsearch: recall is recall@10 there."],
        ),
        ({"metrics": ["P_10", "map"], "profile": "trec_eval"}, []),
        ({"metrics": "map@10", "profile": "recommenders"}, []),
    ],
)
def test_a_name_without_a_cutoff_that_means_one_is_told(asked, said):
    assert [note for note in sy.evaluate(RUN, TRUE, **asked).notes if note.key == "own_name_means"] == said


@each_row(
    ("written", "profile", "said"),
    [
        ("G", "trec_eval", "trec_eval has no G\n"),
        ("NormalizedGini", "catboost", "catboost has no NormalizedGini\n"),
        ("cohen_kappa_score", "sklearn", "sklearn has no cohen_kappa_score\n"),
        ("RocAuc@3", "replay", "replay has no RocAuc@3\n"),
        ("merror", "xgboost", "xgboost has no merror\n"),
        ("P", "trec_eval", "cannot read 'P' as a name of trec_eval\nit is written P_{k} or P.{k}"),
        ("fbeta_score", "sklearn", "it is written fbeta_score(beta={beta}), "),
        ("accuracy_score(normalize=False)", "sklearn", "it is written accuracy_score"),
        ("NDCG:top=3;denominator=Position", "catboost", "it is written NDCG, NDCG:top={k}, "),
        ("MAP:border=1", "catboost", "it is written MAP or MAP:top={k}"),
        ("ndcg@5-l2", "ranx", "it is written ndcg or ndcg@{k}"),
        ("P_10(rel=2)", "trec_eval", "takes no fields\nwrite trec_eval:precision@10:rel=2"),
        ("ndcg(foo=2)@10", "trec_eval", "ndcg has no field 'foo'"),
        ("ndcg@0", "trec_eval", "k must be a positive whole number"),
    ],
)
def test_a_name_that_the_profile_does_not_know_is_answered_of_that_library(written, profile, said):
    for text, call in ((f"{profile}:{written}", "steelyard:2026"), (written, profile)):
        with pytest.raises(sy.SteelyardError) as caught:
            sy.evaluate(RUN, TRUE, text, profile=call)
        assert said in str(caught.value)


def test_the_text_that_is_offered_for_a_name_with_fields_is_taken():
    """Only q2 has a grade of 2, at rank 1 of 5."""
    true = {"q1": {"b": 1}, "q2": {"a": 2, "z": 1}}
    assert sy.evaluate(RUN, true, "trec_eval:precision@5:rel=2").rows["value"].to_list() == [0.1]


@each_row(
    ("written", "label"),
    [
        (
            "sklearn:roc_auc_score(average='macro', multi_class='ovo')",
            "sklearn:roc_auc_score(multi_class='ovo', average='macro')",
        ),
        ("sklearn:accuracy_score()", "sklearn:accuracy_score"),
        ("sklearn:ndcg_score(ignore_ties=True, k=5)", "sklearn:ndcg_score(k=5, ignore_ties=True)"),
        ("TREC_EVAL:P_10", "trec_eval:P_10"),
    ],
)
def test_the_order_of_arguments_empty_brackets_and_the_case_of_a_profile_do_not_matter(written, label):
    assert [one.label for one in metrics(written)] == [label]


@pytest.mark.parametrize("second", ["trec_eval", "trec_eval:10", "TREC_EVAL"])
def test_one_profile_stands_in_front_of_a_metric(second):
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(RUN, TRUE, f"ranx:{second}:P_10")
    both = f"ranx:P_10 or {second.lower()}:P_10"
    assert str(caught.value).endswith(f"use one: {both}")


@pytest.fixture
def faulty(tmp_path, monkeypatch):
    """A library whose ndcg may be above 1, whose map has a known fault, and which is like trec_eval."""
    monkeypatch.setattr(libraries, "FOLDERS", [*FOLDERS, tmp_path])
    (tmp_path / "faulty.toml").write_text(
        """
        name = "faulty"
        source = "a library 1.0"
        library = "Faulty"
        like = "trec_eval"
        [conventions]
        missing = "keep"
        [metrics.map]
        denominator = "achievable"
        [metrics.ndcg]
        [metrics."precision@k"]
        [names]
        "P_{k}" = "precision@{k}"
        "ndcg_cut_{k}" = "ndcg@{k}"
        "quick_map@{k}" = "map@{k}"
        [refused]
        ndcg = "its value may be above 1"
        "old_map" = "it is no average precision at all"
        [faults]
        map = "it rounds to two decimals"
        """,
        "utf-8",
    )


@pytest.mark.usefixtures("faulty")
def test_a_profile_takes_over_what_it_does_not_state():
    result = sy.evaluate(RUN, TRUE, ["faulty:quick_map@1", "faulty:P_5"])
    assert result["faulty:quick_map@1"] == pytest.approx((0 + 1 + 0) / 3)
    spec = result.spec()["faulty:quick_map@1"]
    assert (spec["denominator"], spec["missing"], spec["scores"]) == ("achievable", "keep", "float32")


@pytest.mark.usefixtures("faulty")
def test_another_library_has_only_the_metrics_that_it_names():
    with pytest.raises(sy.SteelyardError, match="faulty has no bpref"):
        sy.evaluate(RUN, TRUE, "faulty:bpref")
    assert sy.evaluate(RUN, TRUE, "trec_eval:10:bpref")["trec_eval:10:bpref"] == (1 + 1 / 2) / 2


@pytest.mark.usefixtures("faulty")
@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("ndcg@5", "faulty: ndcg@5 is not reproduced: its value may be above 1"),
        ("ndcg_cut_5", "faulty: ndcg@5 is not reproduced: its value may be above 1"),
        ("old_map", "faulty: old_map is not reproduced: it is no average precision at all"),
    ],
)
def test_a_faulty_value_is_refused_with_the_reason(written, why):
    for options in ({"metrics": f"faulty:{written}"}, {"metrics": written, "profile": "faulty"}):
        with pytest.raises(sy.SteelyardError) as caught:
            sy.evaluate(RUN, TRUE, **options)
        assert why in str(caught.value)


@pytest.mark.usefixtures("faulty")
def test_a_known_fault_is_told_once():
    result = sy.evaluate(RUN, TRUE, ["faulty:map@5", "faulty:quick_map@1", "faulty:P_5"])
    assert [note for note in result.notes if "two decimals" in note] == ["faulty: it rounds to two decimals"]


@each_row(
    ("written", "label"),
    [
        (
            "trec_eval:map(missing=keep)@10",
            "trec_eval:map(missing=keep)@10",
        ),  # as the default profile has it, not trec_eval
        ("trec_eval:map(missing=skip)@10", "trec_eval:map@10"),
        ("trec_eval:f1@all", "trec_eval:f1@all"),
        ("lightgbm:ndcg(gain=linear)@10", "lightgbm:ndcg(gain=linear)@10"),
        ("steelyard:2026:mrr", "steelyard:2026:mrr"),
    ],
)
def test_a_label_states_what_is_not_as_its_profile_has_it(written, label):
    result = sy.evaluate(RUN, TRUE, written)
    assert result.rows["metric"].to_list() == [label]
    assert result[written] == result[label] == sy.evaluate(RUN, TRUE, label)[label]


def test_a_profile_s_metric_and_its_other_choice_in_one_call():
    asked = ["trec_eval:recip_rank", "trec_eval:mrr", "trec_eval:mrr(missing=keep)"]
    result = sy.evaluate(RUN, TRUE, asked)
    assert [result[one] for one in asked] == pytest.approx([0.75, 0.75, 0.5])


def test_an_explanation_is_headed_by_the_name_that_was_asked_for():
    made = [
        sy.explain("trec_eval:P_5", RUN, TRUE, query="q1"),
        sy.explain("P_5", grades=[1, 0], profile="trec_eval"),
    ]
    assert [str(one).splitlines()[0].partition(" — ")[0] for one in made] == ["trec_eval:P_5 of q1", "P_5"]


def test_a_profile_in_a_text_is_not_changed_by_the_call():
    run, truth = {"1": {"a": 0.9, "b": 0.9}}, {"1": {"b": 1}}
    result = sy.evaluate(
        run, truth, ["trec_eval:map", "trec_eval:map(ties=item_asc)", "map"], ties="expected"
    )
    # b is above a there; below it by item_asc; the mean of both orders is (1 + 1/2) / 2
    assert [result[label] for label in result] == [1.0, 0.5, 0.75]
    (note,) = (note for note in result.notes if note.key == "profile_keeps")
    assert str(note) == (
        "trec_eval:map: ties=item_desc, as the profile in the text has it, and not ties=expected of the call"
        "; to change it, write it in the text."
    )
    assert not [n for n in sy.evaluate(run, truth, "map", ties="expected").notes if n.key == "profile_keeps"]


@pytest.mark.parametrize("text", ["RBP", "RBP(p=0.8)", "RBP@2", "RBP(p=0.8)@2"])
def test_a_name_of_the_library_in_its_own_letters_is_not_read_as_ours(text):
    """ir_measures has RBP of a relevance level alone; rbp in our letters is our metric."""
    with pytest.raises(sy.SteelyardError) as caught:
        sy.metric(f"ir_measures:{text}")
    assert str(caught.value) == (
        f"cannot read '{text}' as a name of ir_measures\nit is written RBP(rel=1) or RBP(rel=1,p={{p}})"
    )
    assert sy.metric("ir_measures:rbp").p == 0.8


def test_an_argument_that_a_profile_does_not_know_is_answered_by_the_forms_that_it_knows():
    with pytest.raises(sy.SteelyardError, match=r"it is written NDCG\(k=\{k\}\)"):
        sy.metric("rectools:NDCG(k=3, log_base=2)")


@pytest.mark.parametrize("name", ["ndcg", "map"])
def test_a_metric_that_the_library_prints_at_cutoffs_alone(name):
    with pytest.raises(sy.SteelyardError, match=f"by default 1 to 5: write {name}@1,2,3,4,5"):
        sy.metric(f"lightgbm:{name}")
    assert sy.metric(f"lightgbm:{name}@5").k == 5


@pytest.mark.parametrize("text", ["trec_eval:", "trec_eval", " Trec_Eval : ", "trec_eval:10:"])
def test_a_profile_without_a_metric(text):
    with pytest.raises(sy.SteelyardError, match="is a profile, and no metric follows it"):
        sy.evaluate(RUN, TRUE, text)


def test_a_profile_may_be_called_by_its_version():
    assert libraries.profile("trec_eval:9") is libraries.profile("trec_eval")
    assert list(sy.evaluate(RUN, TRUE, "trec_eval:9:P_5")) == ["trec_eval:P_5"]
    with pytest.raises(sy.SteelyardError, match="unknown profile 'trec_eval:8'"):
        libraries.profile("trec_eval:8")


def test_a_refusal_names_the_metric_whose_profile_refuses():
    with pytest.raises(sy.SteelyardError, match=r"^ranx:mrr: 1 item of a grade other than 0 is tied"):
        sy.evaluate({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}, ["map", "ranx:mrr"])


def test_the_line_of_conventions_begins_with_the_profiles_that_are_followed():
    def begins(*asked):
        line = next(one for one in str(sy.evaluate(RUN, TRUE, asked)).splitlines() if "conventions " in one)
        return line.split(maxsplit=1)[1].split(" · ")[:2]

    assert begins("trec_eval:map")[0] == "trec_eval"
    assert begins("trec_eval:map", "ir_measures:RR") == ["trec_eval", "ir_measures"]
    assert begins("trec_eval:map", "map")[0] == "steelyard:2026"


def test_what_is_wrong_with_a_whole_library_is_told_once():
    notes = sy.evaluate(RUN, TRUE, ["elliot:nDCG@2", "elliot:ndcg@5"]).notes
    assert [str(note) for note in notes if note.key == "known_fault"] == [
        "elliot: Elliot takes a rating of 0 for relevant unless relevance_threshold is stated; here a "
        "judgement below 1 is not"
    ]
