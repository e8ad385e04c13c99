"""Bad input: one clear message that names place and remedy, exit code 2, and nothing written."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import polars as pl
import pytest

from steelyard.metrics import by_name

from ..tables import each_row

HEAD = "query,item,score\n"


def csv(rows: str, header: str = HEAD) -> Callable[[Path], None]:
    return lambda folder: (folder / "bad.csv").write_text(header + rows)


def raw(name: str, content: bytes) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(content)


def typed(**columns: list) -> Callable[[Path], None]:
    return lambda folder: pl.DataFrame(columns).write_parquet(folder / "bad.parquet")


def nothing(folder: Path) -> None:
    return None


RUN, TRUTH = ("{}", "--truth", "truth.csv"), ("run.csv", "--truth", "{}")
CUT = gzip.compress("".join(f"q{n} Q0 d{n} 1 {n}.5 x\n" for n in range(2000)).encode())[:-100]

# what makes the file, its name, how it is given, what the message says, what the remedy says
FILES = {
    "missing column": (
        csv("q1,a,1\n", "query,item,points\n"),
        "bad.csv",
        RUN,
        "bad.csv has no column that could be the score: its columns are 'query', 'item' and 'points'",
        "say which one: --columns score=NAME",
    ),
    "missing query column": (
        csv("q1,a,1\n", "person,item,score\n"),
        "bad.csv",
        RUN,
        "bad.csv has no column that could be the query",
        "--columns query=NAME",
    ),
    "missing label": (
        csv("q1,a,1\n"),
        "bad.csv",
        ("{}",),
        "bad.csv has no column that could be the relevance",
        "or give the truth as a table of its own (--truth FILE)",
    ),
    "ambiguous column": (
        csv("q1,u1,a,1\n", "session_id,user_id,item,score\n"),
        "bad.csv",
        RUN,
        "two columns of bad.csv could be the query: 'session_id' and 'user_id'",
        "say which one: --columns query=session_id",
    ),
    "wrong type": (
        typed(query=["q1"], item=["a"], score=["high"]),
        "bad.parquet",
        RUN,
        "bad.parquet, row 1: score is text: 'high'",
        "give numbers",
    ),
    "wrong type in text": (
        csv("q1,a,1\nq1,b,high\n"),
        "bad.csv",
        RUN,
        "bad.csv, row 2: score is 'high', which is not a number",
        "remove the row, or correct it",
    ),
    "wrong type of id": (
        typed(query=[1.5], item=["a"], score=[1.0]),
        "bad.parquet",
        RUN,
        "bad.parquet, row 1: query is of type float64",
        "cast",
    ),
    "NaN score": (
        csv("q1,a,1\nq1,b,nan\n"),
        "bad.csv",
        RUN,
        "bad.csv, row 2: score is 'nan'",
        "remove the row, or fill it; a NaN cannot be compared",
    ),
    "+inf score": (
        csv("q1,a,inf\n"),
        "bad.csv",
        RUN,
        "bad.csv, row 1: score is 'inf'",
        "only -inf is allowed, for an item that is not retrieved",
    ),
    "missing score": (
        csv("q1,a,\n"),
        "bad.csv",
        RUN,
        "bad.csv, row 1: score is missing",
        "remove the row, or fill it",
    ),
    "NaN grade": (
        csv("q1,b,NaN\n", "query,item,grade\n"),
        "bad.csv",
        TRUTH,
        "bad.csv, row 1: relevance (column 'grade') is 'NaN'",
        "a NaN has no place in a judgement",
    ),
    "infinite grade": (
        csv("q1,b,-inf\n", "query,item,relevance\n"),
        "bad.csv",
        TRUTH,
        "bad.csv, row 1: relevance is '-inf'",
        "give a finite relevance",
    ),
    "doubled predictions": (
        csv("q1,a,3\nq1,b,2\nq1,a,1\n"),
        "bad.csv",
        RUN,
        "1 row of bad.csv repeats a (query, item), first q1 · a (bad.csv, row 1 and bad.csv, row 3)",
        "pass duplicates=best (--duplicates best) to keep the better one, or first to keep the first",
    ),
    "doubled judgements": (
        raw("qrels", b"q1 0 b 1\n\nq1 0 b 2\nq1 0 b 0\n"),
        "qrels",
        TRUTH,
        "2 rows of qrels repeat a (query, item), first q1 · b (qrels, line 1 and qrels, line 3)",
        "--duplicates best",
    ),
    "no query in common": (
        csv("7,a,3\n8,a,3\n"),
        "bad.csv",
        RUN,
        "no query of bad.csv is in truth.csv: '7' and '8' … against 'q1' and 'q2' …",
        "check that both name queries the same way",
    ),
    "empty file": (raw("bad.csv", b""), "bad.csv", RUN, "bad.csv is empty", "check the step that wrote it"),
    "no rows": (csv(""), "bad.csv", TRUTH, "bad.csv has no rows", "give at least one row"),
    "truncated gzip": (
        raw("bad.run.gz", CUT),
        "bad.run.gz",
        RUN,
        "bad.run.gz is cut short: its compressed data ends too early",
        "copy or download it again",
    ),
    "not UTF-8": (
        raw("bad.csv", HEAD.encode() + b"q1,a,1\nq1,caf\xe9,2\n"),
        "bad.csv",
        RUN,
        "bad.csv, line 3: the bytes are not UTF-8 text",
        "save the file as UTF-8",
    ),
    "not UTF-8 in TREC": (
        raw("qrels", b"q1 0 b 1\nq1 0 \xff 1\n"),
        "qrels",
        TRUTH,
        "qrels, line 2: the bytes are not UTF-8 text",
        "save the file as UTF-8",
    ),
    "not parquet": (
        raw("bad.parquet", b"PAR1 but no more"),
        "bad.parquet",
        RUN,
        "bad.parquet is not a valid parquet file",
        "write or copy it again",
    ),
    "a narrow TREC line": (
        raw("bad.run", b"q1 Q0 a 1 0.5 x\nq1 a\n"),
        "bad.run",
        RUN,
        "bad.run, line 2: a TREC run has 6 columns (query Q0 item rank score tag), this line has 2",
        ".csv or .tsv",
    ),
    "run as truth": (
        raw("bad.run", b"q1 Q0 a 1 0.5 x\n"),
        "bad.run",
        TRUTH,
        "bad.run is a TREC run",
        "give the run as predictions",
    ),
    "a folder": (
        lambda folder: (folder / "runs").mkdir(),
        "runs",
        RUN,
        "runs is a folder without files of a known ending",
        "name the files in it: 'runs/**/*.parquet'",
    ),
    "no such file": (
        nothing,
        "rum.csv",
        RUN,
        "rum.csv does not exist; did you mean 'run.csv'?",
        "check the spelling",
    ),
    "no such truth": (nothing, "none/t.csv", TRUTH, "none/t.csv does not exist", "check the spelling"),
    "nothing matches": (nothing, "x*.csv", RUN, "no file matches x*.csv", "quote the pattern"),
    "a kind that is not read": (
        raw("bad.xlsx", b"x"),
        "bad.xlsx",
        RUN,
        "bad.xlsx: .xlsx files are not read",
        "convert it to one of parquet",
    ),
    "text against integers": (
        typed(query=["1"], item=["a"], score=[1.0]),
        "bad.parquet",
        ("{}", "--truth", "typed.parquet"),
        "query ids are text in bad.parquet and integers in typed.parquet: "
        "text '1' and integer 1 are different ids",
        "cast one of them: give the query ids of both as text, or of both as integers",
    ),
}


@pytest.mark.parametrize("case", FILES)
@pytest.mark.parametrize(
    "output", [(), ("-o", "out.json", "--format", "json", "--per-query", "each.parquet")]
)
def test_files(case, output, steelyard, folder):
    make, name, how, message, remedy = FILES[case]
    make(folder)
    pl.DataFrame({"query": [1], "item": ["a"], "relevance": [1]}).write_parquet(folder / "typed.parquet")
    check(
        steelyard,
        folder,
        ("evaluate", *(part.format(name) for part in how), "-m", "mrr", *output),
        message,
        remedy,
    )


def check(steelyard, folder: Path, arguments: tuple, message: str, remedy: str) -> None:
    before = {path.name for path in folder.iterdir()}
    done = steelyard(*arguments)
    assert (done.code, done.out) == (2, "")
    lines = done.err.splitlines()
    assert lines[0].startswith("error: ")
    assert message in lines[0]
    assert remedy in done.err
    assert len(lines) <= 2
    assert all(line.startswith("       ") for line in lines[1:])
    assert {path.name for path in folder.iterdir()} == before


KNOWN = ", ".join(sorted({cls.name for cls in by_name().values()})[:4])
BASE = ("evaluate", "run.csv", "--truth", "truth.csv")

ASKED = {
    "k below 1": (("-m", "ndcg@0"), "k must be a positive whole number or 'all'; got '0'", "ndcg@10"),
    "k below 0": (("-m", "ndcg@-5"), "k must be a positive whole number or 'all'; got '-5'", "ndcg@10"),
    "k with a fraction": (("-m", "ndcg@1.5"), "got '1.5'", "ndcg@10"),
    "unknown metric": (
        ("-m", "ndgc@10"),
        "unknown metric 'ndgc@10'; did you mean 'ndcg@10'?",
        f"known: {KNOWN}",
    ),
    "unknown field": (
        ("-m", "ndcg(gian=exp2)@5"),
        "ndcg has no field 'gian'; did you mean 'gain'?",
        "it has: ",
    ),
    "unknown value": (
        ("-m", "map(denominator=hit)@5"),
        "map: denominator must be one of 'relevant', 'achievable', 'hits', 'k', 'shown'; got 'hit'",
        "did you mean denominator=hits?",
    ),
    "unknown value of a flag": (
        ("-m", "mrr", "--ties", "item"),
        "ties must be one of 'item_desc', 'item_asc'",
        "did you mean ties=item_",
    ),
    "unknown convention": (
        ("-m", "mrr", "--set", "tie=given"),
        "mrr has no convention 'tie'; did you mean 'ties'?",
        "it has: ",
    ),
    "not key=value": (
        ("-m", "mrr", "--set", "ties"),
        "--set takes NAME=VALUE; got 'ties'",
        "write for example --set rel=2",
    ),
    "stated twice": (
        ("-m", "mrr", "--set", "ties=expected", "--ties", "given"),
        "ties is set twice on the command line, to 'given' and to 'expected'",
        "set it once",
    ),
    "set twice": (
        ("-m", "mrr", "--set", "rel=1", "--set", "rel=2"),
        "rel is set twice on the command line, to '1' and to '2'",
        "set it once",
    ),
    "column named twice": (
        ("-m", "mrr", "--columns", "query=query", "--columns", "query=item"),
        "query is set twice on the command line, to 'query' and to 'item'",
        "set it once",
    ),
    "not role=name": (
        ("-m", "mrr", "--columns", "query"),
        "--columns takes NAME=VALUE",
        "--columns query=user_id",
    ),
    "unknown role": (
        ("-m", "mrr", "--columns", "qurey=query"),
        "unknown role 'qurey' in columns; did you mean 'query'?",
        "the roles are 'query', 'item'",
    ),
    "named column missing": (
        ("-m", "mrr", "--columns", "score=scor"),
        "neither run.csv nor truth.csv has a column 'scor' (asked for as score); did you mean 'score'?",
        "the columns are 'query'",
    ),
    "unknown profile": (
        ("-m", "mrr", "--profile", "trec"),
        "unknown profile 'trec'",
        "sklearn, spark_mllib, steelyard:2026, torchmetrics, torchrec, trec_eval, trec_eval:10, xgboost",
    ),
    "unknown task": (("--task", "ctrl"), "unknown task 'ctrl'", "known: retrieval, search"),
    "an empty task": (("--task", "", "-m", "mrr"), "unknown task ''", "known: retrieval, search"),
    "no metric": ((), "no metric was given", "task='ctr'"),
    "no cutoff": (("-m", "recall"), "did you mean recall@100 or recall@all?", "recall@10"),
    "depth": (("-m", "mrr", "--depth", "0"), "depth must be a whole number above 0, or 'none'; got '0'", ""),
    "slice": (
        ("-m", "mrr", "--by", "city"),
        "no column 'city' in run.csv or truth.csv to slice by",
        "country",
    ),
    "weights": (
        ("-m", "mrr", "--weights", "w"),
        "no column 'w' in run.csv or truth.csv to weigh by",
        "sessions",
    ),
    "weights in a file that is not there": (
        ("-m", "mrr", "--weights", "rum.csv"),
        "rum.csv does not exist; did you mean 'run.csv'?",
        "check the spelling",
    ),
    "weights in a folder that is not there": (
        ("-m", "mrr", "--weights", "no/weights"),
        "no/weights does not exist",
        "check the spelling",
    ),
    "exclude": (
        ("-m", "mrr", "--exclude", "rum.csv"),
        "rum.csv does not exist; did you mean 'run.csv'?",
        "check the spelling",
    ),
    "ties": (
        ("-m", "mrr", "--ties", "error"),
        "1 item of a grade other than 0 is tied with another row, first q2 · a",
        "ties=item_desc",
    ),
    "missing": (
        ("-m", "mrr", "--missing", "error"),
        "1 truth query has no predictions in run.csv: q3",
        "missing=keep",
    ),
    "undefined": (
        ("-m", "mrr(rel=2)", "--undefined", "error"),
        "is undefined for 2 queries, first q2",
        "undefined=nan",
    ),
    "output in no folder": (
        ("-m", "mrr", "-o", "no/out.json"),
        "cannot write no/out.json: there is no folder no",
        "create it",
    ),
    "output is a folder": (("-m", "mrr", "-o", "."), ". is a folder", "name a file"),
    "per query in no folder": (
        ("-m", "mrr", "--per-query", "no/x.csv"),
        "there is no folder no",
        "create it",
    ),
    "output over the predictions": (
        ("-m", "mrr", "-o", "run.csv"),
        "cannot write run.csv: it is one of the inputs",
        "name another file",
    ),
    "output over the truth": (
        ("-m", "mrr", "-o", "./truth.csv"),
        "cannot write truth.csv: it is one of the inputs",
        "name another file",
    ),
    "per query over the exclusions": (
        ("-m", "mrr", "--exclude", "r*.csv", "--per-query", "run.csv"),
        "cannot write run.csv: it is one of the inputs",
        "name another file",
    ),
    "per query over the weights": (
        ("-m", "mrr", "--weights", "run.csv", "--per-query", "run.csv"),
        "cannot write run.csv: it is one of the inputs",
        "name another file",
    ),
    "one file for both": (
        ("-m", "mrr", "-o", "out.csv", "--per-query", "./out.csv"),
        "the result and the values per query would both be written to out.csv",
        "give -o and --per-query a file each",
    ),
    "standard output for both": (
        ("-m", "mrr", "-o", "-", "--per-query", "-"),
        "the result and the values per query would both be written to standard output",
        "give -o and --per-query a file each",
    ),
    "a form and rows per query on standard output": (
        ("-m", "mrr", "--format", "json", "--per-query", "-"),
        "would both be written to standard output",
        "give -o and --per-query a file each",
    ),
    "per query with another ending": (
        ("-m", "mrr", "--per-query", "x.txt"),
        "cannot write x.txt: its ending does not say in which format",
        "known: .csv, .parquet, .jsonl",
    ),
    "unknown format": (
        ("-m", "mrr", "--format", "html"),
        "'html' is not one of 'table', 'json'",
        "evaluate --help",
    ),
    "several metrics in one": (
        ("-m", "mrr,recall@2"),
        "'mrr,recall@2' is several metrics in one text",
        "give each by itself: -m mrr -m recall@2",
    ),
    "a task that the profile lacks a metric of": (
        ("--task", "search", "--profile", "trec_eval"),
        "task 'search' includes mrr@10, which trec_eval does not have",
        "name metrics instead of the task: recall@1000, ndcg@10; or leave out the profile trec_eval",
    ),
    "a task that the profile has nothing of": (
        ("--task", "rating", "--profile", "trec_eval"),
        "task 'rating' includes rmse, mae, which trec_eval does not have",
        "leave out the profile trec_eval",
    ),
    **{
        f"an empty {option}": (
            ("-m", "mrr", option, ""),
            f"{option} names no file: it is empty",
            f"name a file, or leave {option} out",
        )
        for option in ("-o", "--per-query", "--report")
    },
    "unknown option": (("-m", "mrr", "--formt", "csv"), "No such option", "see `steelyard evaluate --help`"),
    "no value": (("-m",), "Option '-m' requires an argument", ""),
}


@each_row("case", ASKED)
def test_questions(case, steelyard, folder):
    options, message, remedy = ASKED[case]
    check(steelyard, folder, (*BASE, *options), message, remedy)


def test_an_explanation_to_a_file_without_a_name(steelyard, folder):
    arguments = ("explain", "mrr", "--grades", "0,1", "-o", "")
    check(steelyard, folder, arguments, "-o names no file", "leave -o out")


def test_no_predictions(steelyard, folder):
    check(
        steelyard,
        folder,
        ("evaluate", "-m", "mrr"),
        "name the predictions",
        "see `steelyard evaluate --help`",
    )


def test_nothing_on_standard_input(steelyard, folder):
    check(
        steelyard,
        folder,
        ("evaluate", "-", "-m", "mrr"),
        "standard input is empty",
        "check the step that wrote it",
    )


def test_an_unknown_command(steelyard, folder):
    check(steelyard, folder, ("evalute",), "No such command 'evalute'", "see `steelyard --help`")


def test_an_output_that_cannot_be_written_is_found_before_the_work(steelyard, folder, monkeypatch):
    """Root may write anywhere, so the refusal is played."""
    monkeypatch.setattr("os.access", lambda path, mode: False)
    done = steelyard("evaluate", "not there.csv", "-m", "mrr", "-o", "out.json")
    assert done.code == 2
    assert (
        done.err == "error: cannot write out.json: no permission\n       name a place that can be written\n"
    )


@pytest.mark.parametrize("option", ["-o", "--report", "--save", "--per-query", "--truth", "--run-file"])
@pytest.mark.parametrize("ending", ["", ".csv", ".html", "/*.csv"])
def test_a_name_that_is_too_long(steelyard, folder, option, ending):
    for name in ("x" * 300 + ending, "y/" + "x" * 300 + ending):
        given = {"--truth": "truth.csv", option: name}
        done = steelyard("evaluate", "run.csv", "-m", "mrr", *chain(*given.items()))
        assert done.code == 2
        assert name in done.err


@pytest.mark.parametrize("key", ["output", "report", "save", "per_query", "truth", "predictions", "by"])
def test_a_name_with_a_nul_in_a_run_file(steelyard, folder, key):
    (folder / "run.toml").write_text(f'{key} = "a\\u0000b.csv"\n')
    given = () if key == "predictions" else ("run.csv",)
    done = steelyard("evaluate", *given, "-m", "mrr", "--run-file", "run.toml")
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert "Traceback" not in done.err


@pytest.mark.parametrize("link", ["soft", "hard"])
def test_an_input_by_another_name_is_not_written_over(steelyard, folder, link):
    before = (folder / "run.csv").read_text()
    if link == "soft":
        (folder / "other.csv").symlink_to("run.csv")
    else:
        (folder / "other.csv").hardlink_to(folder / "run.csv")
    done = steelyard(*BASE, "-m", "mrr", "-o", "other.csv")
    assert done.code == 2
    assert done.err == "error: cannot write other.csv: it is one of the inputs\n       name another file\n"
    assert (folder / "run.csv").read_text() == before


def test_an_old_output_stays_when_the_input_is_bad(steelyard, folder):
    (folder / "out.json").write_text("old")
    (folder / "run.csv").write_text(HEAD + "q1,a,nan\n")
    done = steelyard(*BASE, "-m", "mrr", "-o", "out.json")
    assert done.code == 2
    assert (folder / "out.json").read_text() == "old"


@pytest.mark.parametrize("option", ["-o", "--per-query", "--report"])
def test_a_full_disk(steelyard, folder, option):
    check(
        steelyard,
        folder,
        (*BASE, "-m", "mrr", option, "/dev/full"),
        "cannot write /dev/full: No space left on device",
        "name a place that can be written",
    )


def test_an_option_of_one_value_that_is_given_twice(steelyard, folder):
    options = ("-m", "map", "--profile", "ranx", "--profile", "sklearn")
    check(
        steelyard,
        folder,
        (*BASE, *options),
        "--profile takes one value, and is given 2 times",
        "see `steelyard",
    )
