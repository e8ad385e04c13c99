"""`steelyard trec_eval -R prefs`: preferences, counted by hand and by going through every pair."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from ..tables import each_row

# a stands first, then b, c and d, with others between; e and f were not retrieved
RUN = "".join(
    f"1 Q0 {item} 0 {score} mine\n" for item, score in zip("axbcyd", (9, 8, 7, 6, 5, 4), strict=True)
)
RATIOS = ("simp", "pair", "avgjg")


@pytest.fixture
def prefs(steelyard, tmp_path, monkeypatch):
    """Run it with all measures on lines of preferences, each judge's as `judge subgroup item level`."""

    def run(lines, *flags, run=RUN, form="prefs", measures="all_prefs"):
        (tmp_path / "prefs").write_text(lines, "utf-8")
        (tmp_path / "run").write_text(run, "utf-8")
        monkeypatch.chdir(tmp_path)
        return steelyard("trec_eval", "-R", form, "-m", measures, *flags, "prefs", "run")

    return run


def said(judge, topic=1, /, **subgroups):
    """The lines of one judge: of each subgroup documents and their levels."""
    return "".join(
        f"{topic} {judge} {name} {item} {level}\n"
        for name, levels in subgroups.items()
        for item, level in levels.items()
    )


def values(done, topic="all"):
    assert (done.code, done.err) == (0, "")
    rows = [line.split("\t") for line in done.out.splitlines()]
    return {name.strip().removeprefix("prefs_"): value for name, at, value in rows if at == topic}


def shares(value):
    return {name: f"{share:.4f}" for name, share in value.items()}


def test_one_judge(prefs):
    found = values(prefs(said("ann", s={"b": 2, "e": 2, "a": 1, "d": 1, "c": 0, "f": 0})))
    # both retrieved: b above d, b above c, a above c; not b above a, d above c
    # one retrieved: b, a and d above f; not e above a, d, c. Neither: e and f
    assert (found["num_prefs_poss"], found["num_prefs_ful"], found["num_prefs_ful_ret"]) == ("12", "6", "3")
    for name in RATIOS:
        assert found[name] == f"{6 / (5 + 6 + 1):.4f}"
        assert found[f"{name}_ret"] == f"{3 / 5:.4f}"
        assert found[f"{name}_imp"] == f"{6 / (5 + 6):.4f}"
    # 4 relevant documents, 3 of them retrieved, and 2 others: 2 more that stand behind all
    assert found["avgjg_Rnonrel"] == f"{(6 + 3 * 2) / (12 + 4 * 2):.4f}"
    # of those retrieved 3 and 1; but all 4 relevant ones are said to be possible
    assert found["avgjg_Rnonrel_ret"] == f"{(3 + 3 * 2) / (5 + 4 * 2):.4f}"


def test_more_documents_that_are_not_relevant_than_relevant_ones(prefs):
    found = values(prefs(said("ann", s={"a": 1, "d": 1, "b": 0, "c": 0, "e": 0, "f": 0})))
    # b and c are kept, as many as are relevant, and all 6 set against them: a is above b, a and b above c
    assert found["avgjg_Rnonrel"] == f"{(1 + 2) / (6 * 2):.4f}"
    # among those retrieved there are 2 of each: a stands above b and c, d above none
    assert found["avgjg_Rnonrel_ret"] == f"{2 / 4:.4f}"


def test_what_follows_from_two_subgroups(prefs):
    found = values(prefs(said("ann", s={"a": 2, "c": 1}, t={"c": 3, "e": 2, "d": 1})))
    # a > c, c > d and so a > d; c > e and so a > e; e > d, which is not so
    assert (found["num_prefs_poss"], found["num_prefs_ful"], found["num_prefs_ful_ret"]) == ("6", "5", "3")
    for name in RATIOS:
        assert (found[name], found[f"{name}_ret"], found[f"{name}_imp"]) == (
            f"{5 / 6:.4f}",
            "1.0000",
            f"{5 / 6:.4f}",
        )


def test_documents_that_are_not_relevant_in_subgroups(prefs):
    found = values(prefs(said("ann", s={"b": 1, "a": 0, "c": 0}, t={"d": 0, "c": 0, "b": 1})))
    # b > a, c and d. With one relevant document only the first other is kept: a, above b
    assert found["simp"] == f"{2 / 3:.4f}"
    assert (found["avgjg_Rnonrel"], found["avgjg_Rnonrel_ret"]) == ("0.0000", "0.0000")


def test_judges_who_disagree(prefs):
    ann, bob = said("ann", s={"a": 2, "b": 1}), said("bob", s={"b": 2, "a": 1}, t={"b": 3, "e": 2, "f": 1})
    found = values(prefs(ann + bob))
    # ann: a > b, as it is. bob: b > a, which is not so; b > e and b > f; e > f, of which nothing is known
    assert found["num_prefs_poss"] == "5"
    expected = {"simp": (1 + 2) / (1 + 4), "simp_ret": 1 / 2, "simp_imp": (1 + 2) / (1 + 3)}
    # half of the two who compare a and b are right
    expected |= {"pair": (1 / 2 + 1 + 1 + 0) / 4, "pair_ret": 1 / 2, "pair_imp": (1 / 2 + 1 + 1) / 3}
    expected |= {"avgjg": (1 / 1 + 2 / 4) / 2, "avgjg_ret": (1 + 0) / 2, "avgjg_imp": (1 + 2 / 3) / 2}
    assert {name: found[name] for name in expected} == shares(expected)


def test_a_line_that_stands_twice_counts_twice(prefs):
    found = values(prefs(said("ann", s={"a": 2, "b": 1, "c": 3}) + said("ann", s={"a": 2})))
    # a > b twice; c > a twice and c > b, which are not so; to the pair it makes no difference
    assert (found["num_prefs_poss"], found["simp"], found["pair"]) == ("5", f"{2 / 5:.4f}", f"{1 / 3:.4f}")


def test_a_judge_who_finds_nothing_relevant(prefs):
    found = values(prefs(said("ann", s={"a": 1, "b": 0}) + said("bob", s={"a": 0})))
    assert found["avgjg"] == f"{(1 + 0) / 2:.4f}"
    assert (found["avgjg_Rnonrel"], found["avgjg_Rnonrel_ret"]) == (
        "0.0000",
        "0.0000",
    )  # as the program has it


def test_qrels_as_preferences(prefs):
    found = values(prefs("1 0 a 1\n1 0 b 0.5\n1 0 c 2\n1 0 f -1\n", form="qrels_prefs"))
    # a > b; c > a and c > b are not so; all three > f
    assert (found["num_prefs_poss"], found["simp"]) == ("6", f"{4 / 6:.4f}")


def test_the_earlier_name_stands_above_among_equal_scores(prefs):
    run = "1 Q0 b 0 1 x\n1 Q0 a 0 1 x\n"
    assert values(prefs(said("ann", s={"a": 2, "b": 1}), run=run))["simp"] == "1.0000"
    assert values(prefs(said("ann", s={"a": 1, "b": 2}), run=run))["simp"] == "0.0000"


def test_flags(prefs):
    judged = said("ann", s={"a": 1, "d": 2}) + said("ann", 2, s={"a": 1, "b": 0}) + said("bob", 0, s={"q": 1})
    run = RUN + "0 Q0 z 0 1 mine\n"
    assert values(prefs(judged, run=run))["num_q"] == "2"
    assert values(prefs(judged, "-c", "-q", run=run), "2")["simp"] == "0.0000"
    assert values(prefs(judged, "-c", run=run)) == values(prefs(judged, "-c", "-J", "-l9", run=run))
    # a alone is looked at: it is above d
    assert values(prefs(judged, "-M1", "-q", run=run), "1")["simp"] == "0.0000"
    assert values(prefs(judged, "-M0", "-q", run=run), "1")["simp_imp"] == "0.0000"
    assert {line.split("\t")[1] for line in prefs(judged, "-qn", run=run).out.splitlines()} == {"0", "1"}
    assert list(values(prefs(judged, run=run, measures="prefs"))) == [
        *("runid", "num_q", "num_prefs_poss", "num_prefs_ful", "num_prefs_ful_ret", *RATIOS)
    ]
    nine = values(prefs(judged, "--as", "9", "-c", run=RUN))
    assert (nine["num_q"], nine["num_prefs_poss"]) == ("3", "1")


def test_levels_in_single_precision_are_of_trec_eval_9(prefs):
    judged = said("ann", s={"a": 1.00000001, "b": 1})
    assert values(prefs(judged))["num_prefs_poss"] == "1"
    assert values(prefs(judged, "--as", "9"))["num_prefs_poss"] == "0"


def test_comments_are_left_out(prefs):
    judged = said("ann", s={"a": 2, "b": 1})
    assert prefs(f"# one\n# two\n{judged}# last\n").out == prefs(judged).out
    assert prefs(f"# one\n{judged}", "--as", "9").code == 2


@each_row(
    ("judged", "code", "error"),
    [
        ("1 ann a 1\n", 2, "prefs, line 1: '1 ann a 1' is not a preference"),
        ("1 ann s a 1 x\n", 2, "prefs, line 1: '1 ann s a 1 x' is not a preference"),
        (said("ann", s={"a": 1}) + "\n", 2, "prefs, line 2: '' is not a preference"),
        (said("ann", s={"a": "nan"}), 2, "prefs: the level of document a for topic 1 is NaN"),
        (
            said("ann", s={"a": 1}) + said("ann", s={"a": 2}),
            4,
            "topic 1 of prefs: ann gives document a two levels",
        ),
        (
            said("ann", s={"a": 1}, t={"a": 0}),
            4,
            "topic 1 of prefs: ann gives document a level 0 and one above 0: prefs_num_prefs_poss cannot be",
        ),
        (
            said("bob", s={"b": 1}) + said("ann", s={"b": 2, "c": 1}, t={"c": 2, "d": 1}, u={"d": 2, "b": 1}),
            4,
            "topic 1 of prefs: the preferences of ann put document b above itself",
        ),
    ],
)
def test_what_cannot_be_meant(prefs, judged, code, error):
    done = prefs(judged, "-q")
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(f"error: {error}")


def test_topics_before_one_that_cannot_be_meant(prefs):
    wrong = said("ann", s={"a": 1, "b": 0}) + said("ann", 2, s={"a": 1}) + said("ann", 2, s={"a": 2})
    done = prefs(wrong, "-q", run=RUN + "2 Q0 a 0 1 mine\n", measures="prefs_simp")
    assert (done.code, done.out) == (4, "prefs_simp            \t1\t1.0000\n")
    # where no preference is counted nobody looks
    assert prefs(wrong, measures="num_q").code == 0
    # the first of two names is the one that is kept, and so one document is there twice
    tied = "1 Q0 a 0 1 x\n1 Q0 b 0 1 x\n1 Q0 b 0 1 x\n"
    assert prefs(said("ann", s={"a": 1}), "-M2", run=tied).code == 0
    assert prefs(said("ann", s={"a": 1}), "-M3", run=tied).code == 4


def test_measures_of_another_format(prefs):
    done = prefs(said("ann", s={"a": 1}), measures="map")
    assert (done.code, done.out) == (4, "")
    assert done.err.startswith("error: map needs judgements in the format qrels\n")
    done = prefs("1 0 a 1\n", form="qrels")
    assert (done.code, done.out) == (4, "")
    assert "prefs_num_prefs_poss needs judgements in the format prefs or qrels_prefs" in done.err


def test_the_measures_are_listed(prefs):
    listed = prefs("", "-h").out
    assert "prefs_avgjg_Rnonrel_ret" in listed
    assert "qrels_prefs" in listed


def by_every_pair(judged, ranked):
    """The measures of one topic from all pairs of documents, and of what follows from two the third."""
    items = {item for levels in judged.values() for subgroup in levels for item in subgroup}
    order = [item for item in ranked if item in items]
    retrieved = set(order)
    order += sorted(items - retrieved)
    at = {item: place for place, item in enumerate(order)}
    by_judge, by_pair = [], {}
    for levels in (judged[name] for name in sorted(judged)):
        wanted = {(a, b) for part in levels for a, b in permutations(part, 2) if part[a] > part[b]}
        while more := {(a, d) for a, b in wanted for c, d in wanted if b == c} - wanted:
            wanted |= more
        kinds = {"": wanted}
        kinds["_ret"] = {pair for pair in wanted if set(pair) <= retrieved}
        kinds["_imp"] = {pair for pair in wanted if set(pair) & retrieved}
        right = {(a, b) for a, b in wanted if at[a] < at[b] and a in retrieved}
        by_judge.append({kind: (len(right & some), len(some)) for kind, some in kinds.items()})
        for a, b in wanted:
            by_pair.setdefault(frozenset((a, b)), []).append((a, b) in right)
    found = {}
    for kind, needed in (("", 0), ("_imp", 1), ("_ret", 2)):
        right, possible = (sum(one[kind][i] for one in by_judge) for i in (0, 1))
        found[f"simp{kind}"] = right / possible if possible else 0
        found[f"avgjg{kind}"] = sum(one[kind][0] / max(one[kind][1], 1) for one in by_judge) / len(by_judge)
        some = [of for pair, of in by_pair.items() if len(pair & retrieved) >= needed]
        found[f"pair{kind}"] = sum(sum(of) / len(of) for of in some) / max(len(some), 1)
    return found


@each_row("seed", range(40))
def test_as_by_every_pair(prefs, seed):
    rng = random.Random(seed)
    items = [f"d{n}" for n in range(rng.choice([3, 8, 20]))]
    highest = rng.choice([1, 3, 20])
    text, expected, run = "", {}, ""
    for topic in rng.sample(range(30), 4):
        judged = {}
        for judge in rng.sample(["j1", "j10", "j2", "J"], rng.choice([1, 2, 4])):
            level = {item: rng.randint(1, highest) for item in items}
            judged[judge] = [
                {item: level[item] for item in rng.sample(items, rng.randint(1, len(items)))}
                for _ in range(rng.choice([1, 1, 3]))
            ]
            text += said(judge, topic, **{f"s{n}": part for n, part in enumerate(judged[judge])})
        ranked = rng.sample(items, rng.randint(1, len(items)))
        run += "".join(f"{topic} Q0 {item} 0 {-place} x\n" for place, item in enumerate(ranked))
        expected[str(topic)] = shares(by_every_pair(judged, ranked))
    done = prefs(text, "-q", run=run)
    found = {topic: values(done, topic) for topic in expected}
    assert {topic: {name: found[topic][name] for name in of} for topic, of in expected.items()} == expected
