"""`steelyard trec_eval`: its flags, its lines to the byte, its exit codes; all values by hand."""

from __future__ import annotations

from math import log, log2

import pytest

from ..tables import each_row

QRELS = """\
1 0 a 1
1 0 b 0
1 0 c 2
1 0 d 1
2 0 a 0
2 0 b 1
3 0 a 1
"""
# topic 1: c, x, a, b, y; topic 2: a and b are tied, b stands above as the later name
RUN = """\
1 Q0 c 1 9 mine
1 Q0 x 2 8 mine
1 Q0 a 3 7 mine
1 Q0 b 4 6 mine
1 Q0 y 5 5 mine
2 Q0 a 1 3.5 mine
2 Q0 b 2 3.5 mine
9 Q0 a 1 1 mine
"""


@pytest.fixture
def trec_eval(steelyard, tmp_path, monkeypatch):
    """Run it on the two files; what is given by name replaces one of them."""

    def run(*flags, qrels=QRELS, run=RUN, names=("qrels", "run"), stdin=b""):
        (tmp_path / "qrels").write_bytes(qrels.encode() if isinstance(qrels, str) else qrels)
        (tmp_path / "run").write_bytes(run.encode() if isinstance(run, str) else run)
        monkeypatch.chdir(tmp_path)
        return steelyard("trec_eval", *flags, *names, stdin=stdin)

    return run


def lines(done):
    assert (done.code, done.err) == (0, "")
    return [line.split("\t") for line in done.out.splitlines()]


def values(done, topic="all"):
    return {name.rstrip(): value for name, at, value in lines(done) if at == topic}


AP = ((1 / 1 + 2 / 3) / 3, 1 / 1)  # topic 3 is not in the run, topic 9 has no judgement


def test_the_official_measures(trec_eval):
    done = trec_eval()
    assert lines(done)[0] == ["runid                 ", "all", "mine"]
    found = values(done)
    assert list(found)[:10] == [
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret"),
        *("map", "gm_map", "Rprec", "bpref", "recip_rank"),
    ]
    assert len(found) == 10 + 11 + 9
    assert (found["num_q"], found["num_ret"], found["num_rel"], found["num_rel_ret"]) == ("2", "7", "4", "3")
    assert found["map"] == f"{sum(AP) / 2:.4f}"
    assert found["gm_map"] == f"{(AP[0] * AP[1]) ** 0.5:.4f}"
    assert found["Rprec"] == f"{(2 / 3 + 1) / 2:.4f}"
    assert found["P_5"] == f"{(2 / 5 + 1 / 5) / 2:.4f}"
    assert found["bpref"] == f"{(2 / 3 + 1) / 2:.4f}"


def test_each_topic_stands_before_the_summary(trec_eval):
    done = trec_eval("-q", "-m", "map", "-m", "num_rel", "-m", "gm_map", "-m", "num_q")
    assert done.out == (
        f"num_rel               \t1\t3\nmap                   \t1\t{AP[0]:6.4f}\n"
        "num_rel               \t2\t1\nmap                   \t2\t1.0000\n"
        "num_q                 \tall\t2\nnum_rel               \tall\t4\n"
        f"map                   \tall\t{sum(AP) / 2:6.4f}\ngm_map                \tall\t{AP[0] ** 0.5:6.4f}\n"
    )


def test_without_a_summary(trec_eval):
    assert [topic for _, topic, _ in lines(trec_eval("-qn", "-mmap"))] == ["1", "2"]
    assert trec_eval("-n").out == ""


def test_every_judged_topic(trec_eval):
    done = trec_eval("-c", "-q", "-m", "map", "-m", "num_q", "-m", "num_ret", "-m", "relstring")
    assert values(done, "3") == {"num_ret": "0", "map": "0.0000", "relstring": "''"}
    assert values(done)["num_q"] == "3"
    assert values(done)["map"] == f"{sum(AP) / 3:.4f}"


def test_trec_eval_9_counts_a_missing_topic_without_printing_it(trec_eval):
    done = trec_eval("--as", "9", "-c", "-q", "-m", "map", "-m", "gm_map", "-m", "num_rel")
    assert {topic for _, topic, _ in lines(done)} == {"1", "2", "all"}
    assert values(done) == {
        "num_rel": "5",
        "map": f"{sum(AP) / 3:.4f}",
        "gm_map": f"{(AP[0] * AP[1] * 0.00001) ** (1 / 3):.4f}",
    }


@each_row(
    ("flags", "expected"),
    [
        (["-l2", "-m", "map"], 1 / 1),
        (["-l", "0", "-m", "set_P"], 3 / 5),
        (["-M", "1", "-m", "map"], 1 / 3),
        (["-M2", "-m", "set_P"], 1 / 2),
        (["-J", "-m", "map"], (1 / 1 + 2 / 2) / 3),
        (["-J", "-M2", "-m", "num_ret"], 1),
        (["-m", "P.3"], 2 / 3),
        (["-m", "recall.1"], 1 / 3),
        (["-m", "success.1"], 1),
        (["-m", "relative_P.10"], 2 / 3),
        (["-m", "map_cut.2"], 1 / 3),
        (["-m", "ndcg_cut.1"], 1),
        (["-m", "ndcg"], (2 + 1 / log2(4)) / (2 + 1 / log2(3) + 1 / log2(4))),
        (["-m", "ndcg.1=3,2=0.5"], (0.5 + 3 / 2) / (3 + 3 / log2(3) + 0.5 / 2)),
        (["-m", "ndcg.0=1,1=-1"], (2 - 1 / 2 + 1 / log2(5)) / (2 + 1 / log2(3))),
        (["-m", "dcg"], 2 + 1 / 2),
        (["-m", "ideal_dcg"], 2 + 1 / log2(3) + 1 / 2),
        # the gain of the best order falls after 1 and after 3 documents; the list ends 2 after that
        (["-m", "Rndcg"], (1 + (2 + 1 / 2) / (2.5 + 1 / log2(3)) + (2 + 1 / 2) / (2.5 + 1 / log2(3))) / 3),
        # at ranks 1 and 3, and at the end for d, which was not retrieved
        (["-m", "ndcg_rel"], (1 + 2 * (2 + 1 / 2) / (2.5 + 1 / log2(3))) / 3),
        (["-m", "binG"], (1 / log2(2) + 1 / log2(3)) / 3),
        # costs 2, 1, 1; gains so far 2, 2, 3
        (["-m", "G"], (2 / log2(2 + 2 - 2) + 1 / log2(2 + 4 - 3)) / 4),
        (["-m", "iprec_at_recall.0.5"], 2 / 3),  # 0.5 * 3 rounds to 2
        (["--as", "9", "-m", "iprec_at_recall.0.1"], 1),
        (["-m", "11pt_avg.0.2,0.5,0.8"], (1 + 2 / 3 + 2 / 3) / 3),
        (["-m", "Rprec_mult.2"], 2 / 6),
        (["-m", "utility.2,-1,10,0.5", "-N100"], 2 * 2 - 3 + 10 * 1 + 0.5 * (100 + 2 - 5 - 3)),
        (["-m", "set_relative_P"], 2 / 3),
        (["-m", "set_map"], 2 * 2 / (5 * 3)),
        (["-m", "set_F.4"], 5 * (2 / 5) * (2 / 3) / (4 * 2 / 5 + 2 / 3)),
        (["-m", "yaap"], log((1 + 1 + 2 / 3) / (1 + 3 - 1 - 2 / 3))),
        (["-m", "num_nonrel_judged_ret"], 1),
        (["-m", "rbp"], 0.1 * (1 + 0.5 * 0.9**2)),
        (["-m", "rbp.p=0.5,1=2"], 0.5 * (1 + 0.25)),  # gains 0, 2, 2, in a scale from 0 to 1
        # ranks 2 and 5, and all that could follow
        (["-m", "rbp_resid.p=0.5"], 0.5 * (0.5 + 0.5**4) + 0.5**5),
        (["-m", "unj.5"], 2 / 5),
        (["-m", "unj.10"], 2 / 10),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_measure_of_topic_1(trec_eval, flags, expected):
    [(name, printed)] = values(trec_eval("-q", *flags), "1").items()
    assert printed == (f"{expected:d}" if name.startswith("num_") else f"{expected:.4f}")


def test_a_string_of_grades(trec_eval):
    qrels = "1 0 a 12\n1 0 b -1\n1 0 c 2\n"
    assert values(trec_eval("-q", "-m", "relstring.4", qrels=qrels), "1") == {"relstring_4": "'2->.'"}


def test_z_scores(trec_eval, tmp_path):
    (tmp_path / "means").write_text("1 map 0.5 0.1\n1 num_ret 5 0\n2 map 0.5 0.25\n2 num_ret 4 0\n")
    done = trec_eval("-q", "-Z", "means", "-m", "map", "-m", "num_ret", "-m", "Rprec")
    first, second = (AP[0] - 0.5) / 0.1, (1 - 0.5) / 0.25
    assert done.out.splitlines()[0] == "Znum_ret               \t1\t0.0000"
    assert values(done, "1") == {"Znum_ret": "0.0000", "Zmap": f"{first:.4f}", "ZRprec": "-1000000.0000"}
    assert values(done, "2")["Znum_ret"] == "-1000000.0000"
    assert values(done)["Zmap"] == f"{(first + second) / 2:.4f}"


def test_several_judges(trec_eval):
    # to ann c and a are relevant, to bob a alone; of topic 2 bob said nothing
    qrels = "1 ann a 1\n1 ann c 1\n1 bob a 1\n1 bob c 0\n2 ann b 1\n3 bob a 1\n"
    flags = (
        "-R",
        "qrels_jg",
        "-q",
        "-m",
        "map_avgjg",
        "-m",
        "P_avgjg.2",
        "-m",
        "Rprec_mult_avgjg.1",
        "-m",
        "num_q",
    )
    done = trec_eval(*flags, qrels=qrels)
    first = ((1 / 1 + 2 / 3) / 2 + 1 / 3) / 2
    assert values(done, "1") == {
        "map_avgjg": f"{first:.4f}",
        "P_avgjg_2": f"{(1 / 2 + 0) / 2:.4f}",
        "Rprec_mult_avgjg_1.00": f"{(1 / 2 + 0) / 2:.4f}",
    }
    assert values(done, "2")["map_avgjg"] == "1.0000"
    assert values(done)["map_avgjg"] == f"{(first + 1) / 2:.4f}"
    assert values(done)["num_q"] == "2"
    assert values(trec_eval("-c", *flags, qrels=qrels))["map_avgjg"] == f"{(first + 1) / 3:.4f}"


def test_measures_of_another_format(trec_eval):
    for flags, said in (
        (("-m", "map_avgjg"), "map_avgjg needs judgements in the format qrels_jg"),
        (("-R", "qrels_jg"), "num_ret needs judgements in the format qrels"),
    ):
        done = trec_eval(*flags)
        assert (done.code, done.out) == (4, "")
        assert done.err.startswith(f"error: {said}\n")
    done = trec_eval("-R", "qrels_jg", "-m", "qrels_jg", qrels=QRELS + "1 0 a 2\n")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: qrels: 0 judges document a of topic 1 twice\n")


def test_one_topic_alone(trec_eval):
    assert values(trec_eval("-D", "0.2", "-m", "num_q", "-m", "map")) == {"num_q": "1", "map": "1.0000"}
    assert trec_eval("-D", "0.nosuch").code == 7


@each_row(
    "arguments",
    [
        ["-mmap", "-q", "qrels", "run"],
        ["qrels", "-qm", "map", "run"],
        ["--measure=map", "--query_eval_wanted", "qrels", "run"],
        ["--meas", "map", "--query", "--", "qrels", "run"],
        ["-o", "-R", "qrels", "-T", "trec_results", "-q", "-m", "map", "qrels", "run"],
        ["--Output_old_results_format", "x", "-q", "-m", "map", "qrels", "run"],
    ],
    ids=" ".join,
)
def test_flags_in_every_form(trec_eval, arguments):
    assert trec_eval(*arguments, names=()).out == trec_eval("-q", "-m", "map").out


def test_the_run_from_standard_input(trec_eval):
    assert trec_eval(names=("qrels", "-"), stdin=RUN.encode()).out == trec_eval().out


def test_parameters_are_sorted_and_those_named_first_count(trec_eval):
    assert list(values(trec_eval("-m", "P.7,3", "-m", "P.1"))) == ["P_3", "P_7"]


@pytest.mark.parametrize("separator", [" ", "\t", "   ", " \t"])
def test_any_blank_between_columns(trec_eval, separator):
    files = {"qrels": QRELS.replace(" ", separator), "run": RUN.replace(" ", separator)}
    assert trec_eval(**files).out == trec_eval().out
    assert (
        trec_eval(**{name: text.replace("\n", "\r\n") for name, text in files.items()}).out == trec_eval().out
    )


def test_comments_blank_lines_and_more_columns(trec_eval):
    run = "# first\n\n" + RUN.replace("mine", "mine and more").replace("2 Q0 a", "  # within\n2 Q0 a")
    assert trec_eval(run=run, qrels="# one\n# two\n" + QRELS).out == trec_eval().out
    nine = trec_eval("--as", "9", qrels="# judged by hand\n" + QRELS)
    assert nine.code == 0  # to trec_eval 9 that is a judgement of topic '#'
    assert trec_eval("--as", "9", qrels="# one\n" + QRELS).code == 2


def test_numbers_are_read_as_far_as_they_go(trec_eval):
    qrels = QRELS.replace("a 1\n", "a 1.9\n").replace("b 0\n", "b none\n")
    run = RUN.replace(" 9 mine", " 9x mine").replace(" 8 mine", " .8e1 mine")
    assert trec_eval(qrels=qrels, run=run).out == trec_eval().out


def test_ids_that_are_no_utf_8(trec_eval):
    done = trec_eval("-q", "-m", "map", qrels=b"1 0 \xe9 1\n", run=b"1 Q0 \xe9 1 1 x\n")
    assert values(done, "1") == {"map": "1.0000"}


def test_scores_in_single_precision_are_of_trec_eval_9(trec_eval):
    run = "1 Q0 a 1 16777217 x\n1 Q0 z 2 16777216 x\n"
    assert values(trec_eval("-m", "recip_rank", qrels="1 0 a 1\n", run=run))["recip_rank"] == "1.0000"
    nine = trec_eval("--as", "9", "-m", "recip_rank", qrels="1 0 a 1\n", run=run)
    assert values(nine)["recip_rank"] == "0.5000"


def test_the_lowest_score_there_is(trec_eval):
    run = "1 Q0 z 1 -inf x\n1 Q0 a 2 0 x\n"
    assert values(trec_eval("-m", "num_ret", qrels="1 0 a 1\n", run=run))["num_ret"] == "2"


def test_help(trec_eval):
    for flag in ("-h", "--help"):
        done = trec_eval(flag, names=())
        assert (done.code, done.err) == (0, "")
        assert "--complete_rel_info_wanted" in done.out
    listed = trec_eval("-h", "-m", "P", "-m", "binG", names=()).out
    assert "P.5,10,15,20,30,100,200,500,1000  precision@10\n" in listed
    assert listed.endswith("\n  binG\n")


def test_version_is_told_on_stderr(trec_eval):
    done = trec_eval("-v", "-m", "nosuch", names=())
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("steelyard ")


@each_row(
    ("flags", "code", "said"),
    [
        (["-x"], 1, "trec_eval has no flag -x"),
        (["--nosuch"], 1, "trec_eval has no flag --nosuch"),
        (["--Re"], 1, "the flag --Re may mean --Rel_info_format or --Results_format"),
        (["--nosummary=1"], 1, "the flag --nosummary takes no value"),
        (["-q", "extra"], 1, "trec_eval takes two files, got 3"),
        (["-m", "maps"], 1, "trec_eval has no measure 'maps'; did you mean 'map'?"),
        (["-m", "P_10"], 1, "trec_eval has no measure 'P_10'\n       write -m P.10"),
        (["-m", "P."], 1, "nothing follows the point in 'P.'"),
        (["--as", "9", "-m", "rbp"], 1, "trec_eval has no measure 'rbp'"),
        (["--as", "8"], 1, "there is no trec_eval '8' to follow"),
        (["-m", "P.0"], 2, "a cutoff of P is 0"),
        (["-m", "P.5,5"], 2, "P has the cutoff 5 twice"),
        (["-m", "ndcg.1"], 2, "ndcg takes pairs, got '1'"),
        (["-m", "ndcg.-1=2"], 2, "ndcg gives a gain to level -1, which no judgement has"),
        (["-m", "utility.1,2"], 4, "utility takes 4 numbers, got 2"),
        (["-R", "nosuch"], 2, "there is no format 'nosuch' for -R"),
        (["-T", "nosuch"], 2, "there is no format 'nosuch' for -T"),
        (["-Z", "nosuch"], 255, "cannot read nosuch: No such file or directory"),
        (["-Z", "run"], 255, "run, line 1: '1 Q0 c 1 9 mine' is not a line of a z-score file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_refused(trec_eval, flags, code, said):
    done = trec_eval(*flags)
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(f"error: {said}")


def test_a_value_that_is_missing(trec_eval):
    for flag in ("-m", "--measure"):
        done = trec_eval("qrels", "run", flag, names=())
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith(f"error: the flag {flag} takes a value\n")


@each_row(
    ("files", "code", "said"),
    [
        ({"names": ("nosuch", "run")}, 2, "cannot read nosuch: No such file or directory"),
        ({"names": ("qrels", "nosuch")}, 2, "cannot read nosuch: No such file or directory"),
        ({"run": ""}, 2, "cannot read run: it is empty"),
        ({"qrels": "# nothing\n"}, 2, "cannot read qrels: it is empty"),
        ({"qrels": QRELS + "4 0 a\n"}, 2, "qrels, line 8: '4 0 a' is not a judgement"),
        ({"qrels": QRELS + "4 0 a 1 more\n"}, 2, "qrels, line 8: '4 0 a 1 more' is not a judgement"),
        ({"qrels": "\n" + QRELS}, 2, "qrels, line 1: '' is not a judgement"),
        ({"run": "\n" + RUN + "4 Q0 a 1 2\n"}, 2, "run, line 10: '4 Q0 a 1 2' is not a line of a run"),
        ({"run": "1 Q0 a 1 nan x\n"}, 2, "run: the score of document a for topic 1 is NaN"),
        ({"run": RUN + "1 Q0 c 9 1 mine\n"}, 4, "topic 1 of run has document c twice: num_ret cannot"),
        ({"qrels": QRELS + "2 0 a 1\n"}, 4, "topic 2 of qrels judges document a twice: num_ret cannot"),
        ({"run": "9 Q0 a 1 1 x\n"}, 7, "no topic of run has judgements in qrels"),
    ],
    ids=str,
)
def test_files_that_cannot_be_evaluated(trec_eval, files, code, said):
    done = trec_eval(**files)
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(f"error: {said}")


def test_topics_before_one_with_a_document_twice(trec_eval):
    done = trec_eval("-q", "-m", "map", run=RUN + "2 Q0 a 9 1 mine\n")
    assert (done.code, done.out) == (4, f"map                   \t1\t{AP[0]:.4f}\n")
    assert done.err.startswith("error: topic 2 of run has document a twice: map cannot be calculated\n")


def test_a_document_twice_where_nobody_looks(trec_eval):
    assert trec_eval("-M5", run=RUN + "1 Q0 c 9 1 mine\n").out == trec_eval("-M5").out
    assert trec_eval("-m", "num_q", run=RUN + RUN).out == trec_eval("-m", "num_q").out
    assert trec_eval("-m", "map", run=RUN + "9 Q0 a 2 0 mine\n").out == trec_eval("-m", "map").out


def test_mistakes_are_told_in_the_language_asked_for(trec_eval):
    done = trec_eval("--lang", "zh", "-x")
    assert (done.code, done.err.splitlines()[0]) == (1, "错误：trec_eval 没有选项 -x")


def test_a_grade_of_millions_is_scaled_at_once(trec_eval):
    """The document of the highest grade is worth 1, and the reader stops at it with a chance of 0.1."""
    done = trec_eval("-m", "rbp", qrels="1 0 c 900000000\n1 0 a 0\n")
    assert values(done) == {"rbp": "0.1000"}


def test_a_residual_that_ends_in_a_5_is_rounded_as_the_program_rounds_it(trec_eval):
    """trec_eval 10.0 prints 0.3781: its sum of 0.9**4 and 0.1, halved, is the double just above 0.37805."""
    qrels = "1 0 a 0\n1 0 b 0\n1 0 c 0\n2 0 a 0\n"
    run = "1 Q0 x 1 4 t\n1 Q0 a 2 3 t\n1 Q0 b 3 2 t\n1 Q0 c 4 1 t\n2 Q0 a 1 1 t\n"
    assert values(trec_eval("-m", "rbp_resid", qrels=qrels, run=run)) == {"rbp_resid": "0.3781"}


@pytest.mark.parametrize("flags", ["", "-c", "-M 2 -J"])
def test_a_topic_with_negative_grades_only_has_no_ideal_gain(trec_eval, flags):
    """trec_eval 10.0 prints 2.0000 for topic 2: it keeps the grade counts of topic 1 in memory."""
    done = trec_eval("-q", *flags.split(), "-m", "ideal_dcg", qrels="1 0 a 2\n2 0 a -1\n", run=RUN)
    assert (values(done, "1"), values(done, "2")) == ({"ideal_dcg": "2.0000"}, {"ideal_dcg": "0.0000"})


def test_a_negative_depth_and_nul_bytes_are_refused(trec_eval):
    done = trec_eval("-M", "-1")
    assert (done.code, done.out) == (1, "")
    assert "-M -1 leaves no documents" in done.err
    done = trec_eval(run=RUN + "2 Q0 c\0 3 1 mine\n")
    assert (done.code, done.out) == (2, "")
    assert "NUL byte" in done.err


def test_a_grade_that_no_whole_number_holds_ends_it_as_it_ends_the_program(trec_eval):
    done = trec_eval(qrels="1 0 a 99999999999999999999\n")
    assert (done.code, done.out) == (4, "")
    assert "qrels has 99999999999999999999, which is too large for a whole number" in done.err


def test_a_language_that_there_is_not(trec_eval):
    done = trec_eval("--lang", "xx")
    assert (done.code, done.out) == (2, "")
    assert "unknown language 'xx'" in done.err


@pytest.mark.parametrize(
    "measure", ["ndcg.1=nan", "ndcg.1=inf", "ndcg.1=-Infinity", "rbp.p=1e999", "utility.nan"]
)
def test_a_parameter_that_is_no_finite_number(trec_eval, measure):
    done = trec_eval("-m", measure)
    assert (done.code, done.out) == (2, "")
    assert "is not a finite number" in done.err


def test_a_whole_number_that_is_too_long(trec_eval):
    for flag in ("-M", "-l", "-N"):
        done = trec_eval(flag, "9" * 5000)
        assert (done.code, done.out) == (2, "")
