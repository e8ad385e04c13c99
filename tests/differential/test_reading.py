"""What the page on trec_eval says of how files are read, against pytrec_eval's own functions for files."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
import pytrec_eval

import steelyard as sy

RUN = "1 Q0 a 1 0.9 t\n1 Q0 b 2 0.8 t\n"
QRELS = "1 0 b 1\n1 0 c 2\n"


def theirs(run: str, qrels: str) -> dict[str, float]:
    judged = pytrec_eval.parse_qrel(io.StringIO(qrels))
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"map", "ndcg", "recip_rank"})
    return evaluator.evaluate(pytrec_eval.parse_run(io.StringIO(run)))["1"]


def ours(folder: Path, run: str, qrels: str) -> dict[str, float]:
    (folder / "run.txt").write_text(run, encoding="utf-8")
    (folder / "qrels.txt").write_text(qrels, encoding="utf-8")
    result = sy.evaluate(
        folder / "run.txt", folder / "qrels.txt", ["map", "ndcg", "mrr"], profile="trec_eval"
    )
    return {"map": result["map"], "ndcg": result["ndcg"], "recip_rank": result["mrr"]}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_same_files_give_the_same_numbers(tmp_path, end):
    run, qrels = RUN.replace("\n", end), QRELS.replace("\n", end)
    assert ours(tmp_path, run, qrels) == pytest.approx(theirs(run, qrels), abs=1e-12)


@pytest.mark.parametrize(
    ("run", "qrels"),
    [
        ("\n" + RUN + "\n", QRELS),
        (RUN, QRELS.replace("\n", "\n\n")),
        ("# by hand\n" + RUN, QRELS),
        (RUN.replace("t\n", "t of mine\n"), QRELS),
        (RUN.replace(" t\n", "\n"), QRELS),
    ],
    ids=["blank lines in a run", "blank lines in qrels", "a comment", "more columns", "no tags"],
)
def test_what_is_read_here_and_not_there(tmp_path, run, qrels):
    with pytest.raises(ValueError, match="values to unpack"):
        theirs(run, qrels)
    assert ours(tmp_path, run, qrels) == pytest.approx(theirs(RUN, QRELS), abs=1e-12)


def test_a_byte_order_mark(tmp_path):
    """There it is a part of the first topic's name, so that topic 1 has lost its first judgement."""
    marked = "\ufeff" + QRELS
    assert theirs(RUN, marked)["recip_rank"] == 0
    assert ours(tmp_path, RUN, marked) == pytest.approx(theirs(RUN, QRELS), abs=1e-12)


def test_a_fifth_column_of_qrels_is_refused_by_both(tmp_path):
    wide = QRELS.replace("2\n", "2 x\n")
    with pytest.raises(ValueError, match="too many values"):
        theirs(RUN, wide)
    with pytest.raises(sy.SteelyardError, match=r"qrels\.txt, line 2: a TREC qrels has 4 columns"):
        ours(tmp_path, RUN, wide)


def test_fractions_as_grades(tmp_path):
    """There and here they are refused, and count as they are given where that is asked for."""
    fractions = "1 0 b 1.7\n1 0 a 1\n"
    with pytest.raises(ValueError, match="invalid literal for int"):
        theirs(RUN, fractions)
    assert ours(tmp_path, RUN, "1 0 b 1\n1 0 a 1\n") == pytest.approx({"map": 1, "ndcg": 1, "recip_rank": 1})
    with pytest.raises(
        sy.SteelyardError, match=r"qrels\.txt has a grade of 1\.7, which is not a whole number"
    ):
        ours(tmp_path, RUN, fractions)
    # (1 + 1.7 / log2 3) / (1.7 + 1 / log2 3), with 1 / log2 3 = 0.63092975
    expected = (1 + 1.7 * 0.63092975) / (1.7 + 0.63092975)
    result = sy.evaluate(tmp_path / "run.txt", tmp_path / "qrels.txt", "trec_eval:ndcg(grades=as_given)")
    assert result["trec_eval:ndcg(grades=as_given)"] == pytest.approx(expected, abs=1e-8)
