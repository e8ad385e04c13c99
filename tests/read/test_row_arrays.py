"""The one door for plain arrays: odd values in every role, read as they must be or refused in a sentence."""

from __future__ import annotations

import datetime
import os
import signal
import sys
from array import array
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import steelyard as sy
from steelyard.read.rows import row_arrays
from steelyard.read.sources import are_columns

from ..tables import each_row

NAN, INF = float("nan"), float("inf")
SCORES, LABELS = [0.5, 0.25], [1, 0]
YEARS = np.array(["2024", "2025"], "M8[Y]")
DAYS = [datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)]


def masked(values, mask=(False, True), **options):
    return np.ma.masked_array(values, mask, **options)


def read(role, values, **options):
    """The rows with odd values in one role and plain ones in all others."""
    given = {"score": SCORES, "label": LABELS, role: values}
    beside = {f"{name}s": given[name] for name in ("weight", "group") if name in given}
    return row_arrays(given["score"], given["label"], numbers=True, **beside, **options)


class Tensor:
    """What a tensor on another device, or of a type that NumPy lacks, says when asked for its values."""

    def __array__(self, *_args, **_kwargs):
        raise TypeError("Got unsupported ScalarType BFloat16\nand more")


READ = {
    "a masked array without a mask": ("score", np.ma.masked_array([0.5, 0.25]), SCORES),
    "a masked label": ("label", masked([1, 7]), [1, None]),
    "a masked label of text": ("label", masked(["a", "b"]), ["a", None]),
    "a column of Keras": ("score", np.array([[0.5], [0.25]], np.float32), SCORES),
    "a column of labels": ("label", np.array([[1], [0]]), LABELS),
    "a column of lists": ("label", [[1], [0]], LABELS),
    "a np.matrix": ("label", np.array([[1], [0]]).view(np.matrix), LABELS),
    "a sparse column": ("label", sparse.coo_array([[1], [0]]), LABELS),
    "a column of weights": ("weight", np.array([[2], [3]]), [2.0, 3.0]),
    "a column of groups": ("group", [["a"], ["b"]], ["a", "b"]),
    "half precision": ("score", np.array([0.5, 0.25], np.float16), SCORES),
    "a list of half precision": ("score", [np.float16(0.5), np.float16(0.25)], SCORES),
    "long double": ("score", np.array([0.5, 0.25], np.longdouble), SCORES),
    "the other byte order": ("score", np.array([0.5, 0.25], ">f8"), SCORES),
    "objects": ("score", np.array([0.5, 0.25], object), SCORES),
    "decimals": ("score", [Decimal("0.5"), Decimal("0.25")], SCORES),
    "decimals as weights": ("weight", [Decimal("1.5"), 2], [1.5, 2.0]),
    "a range": ("label", range(2), [0, 1]),
    "an array of Python": ("score", array("d", [0.5, 0.25]), SCORES),
    "a tuple": ("score", (0.5, 0.25), SCORES),
    "an Arrow array": ("score", pa.array([0.5, 0.25]), SCORES),
    "Arrow chunks with a null": ("label", pa.chunked_array([[1], [None]]), [1, None]),
    "an array of pandas": ("label", pd.array([1, None]), [1, None]),
    "an index of pandas": ("score", pd.Index([0.5, 0.25]), SCORES),
    "pandas' NA in a list": ("label", [1, pd.NA], [1, None]),
    "NaN beside text": ("label", ["a", NAN], ["a", None]),
    "None beside text": ("label", ["a", None], ["a", None]),
    "truth values as labels": ("label", [True, False], [True, False]),
    "categories as groups": ("group", pd.Categorical(["a", "b"]), ["a", "b"]),
    "large integers that are exact": ("score", np.array([2**53, 2**60]), [2.0**53, 2.0**60]),
    "large unsigned integers that are exact": ("score", [2**63, -1], [2.0**63, -1.0]),
}


@each_row(("role", "values", "expected"), READ.values(), ids=list(READ))
def test_what_is_read(role, values, expected):
    table = read(role, values)
    column = {"group": "query"}.get(role, role)
    assert table.frame[column].to_list() == expected
    assert table.frame.columns[:2] == ["label", "score"]


FILL, NUMBERS = "remove the row, or fill it", "give real numbers"
CAST = "give numbers; if it holds nothing else, cast it to a numeric type first"
WEIGHT = "a weight is 0, or a number from 1e-60 to 1e60: only the proportions of weights count"
ID = "remove the row, or fill the id"
EXACT = "subtract a constant or divide first, so that different values stay different"
RAGGED = "give one value per row, or a matrix whose rows are of one length"
LARGE = "{}, too large an integer to be exact as a 64-bit float"
REFUSED = {
    "a masked score": ("score", masked([0.5, 9.0]), "the arrays, row 2: score is missing", FILL),
    "a masked score of single precision": (
        "score",
        masked([0.5, 9.0], dtype="f4"),
        "the arrays, row 2: score is missing",
        FILL,
    ),
    "a masked probability": (
        "score",
        masked([[0.5, 0.5], [0.1, 0.9]], [[False, False], [True, False]]),
        "the arrays, row 2: score is missing",
        FILL,
    ),
    "a masked weight": ("weight", masked([1.0, 2.0]), "the arrays, row 2: weight is null", WEIGHT),
    "a masked group": ("group", masked([1, 2]), "the arrays, row 2: group is missing", ID),
    "None as a score": ("score", [0.5, None], "the arrays, row 2: score is missing", FILL),
    "None as a weight": ("weight", [1, None], "the arrays, row 2: weight is null", WEIGHT),
    "None as a group": ("group", ["a", None], "the arrays, row 2: group is missing", ID),
    "NaN beside groups of text": ("group", ["a", NAN], "the arrays, row 2: group is missing", ID),
    "NaN beside groups of numbers": (
        "group",
        [1.0, NAN],
        "the arrays, row 2: group is of type float64 (as 'nan'), but ids are text or integers",
        "pandas turns integers into floats where one is missing: drop those rows, then cast: "
        "df['group'].astype('int64')",
    ),
    "groups of two types": (
        "group",
        [1, "1"],
        "the arrays: column 'group' holds values of several types (int, str)",
        "use one type: df['group'].astype(str), or a numeric type",
    ),
    "labels of two types": (
        "label",
        [1, "1"],
        "the arrays: column 'label' holds values of several types (int, str)",
        "use one type: df['label'].astype(str), or a numeric type",
    ),
    "NaN as a weight": ("weight", [1, NAN], "the arrays, row 2: weight is nan", WEIGHT),
    "a negative weight": ("weight", [1, -0.5], "the arrays, row 2: weight is -0.5", WEIGHT),
    "an infinite weight": ("weight", [1, INF], "the arrays, row 2: weight is inf", WEIGHT),
    "text as weights": ("weight", ["1", "2"], "the arrays, row 1: weight is text: '1'", CAST),
    "integers above 2^53": (
        "score",
        np.array([2**53, 2**53 + 1]),
        "the arrays, row 2: score is " + LARGE.format(2**53 + 1),
        EXACT,
    ),
    "unsigned integers above 2^63": (
        "score",
        np.array([2**63, 2**63 + 1], np.uint64),
        "the arrays, row 2: score is " + LARGE.format(2**63 + 1),
        EXACT,
    ),
    "integers that NumPy makes floats of": (
        "score",
        [2**63 + 1, -1],
        "the arrays, row 1: score is " + LARGE.format(2**63 + 1),
        EXACT,
    ),
    "complex scores": ("score", np.array([1j, 2]), "predictions has values of type complex128", NUMBERS),
    "complex labels": ("label", [1j, 0], "truth has values of type complex128", NUMBERS),
    "complex weights": ("weight", [1j, 1], "weights has values of type complex128", NUMBERS),
    "a complex Series": ("score", pd.Series([1j, 2]), "score has values of type complex128", NUMBERS),
    "ragged scores": (
        "score",
        [[0.5, 0.5], [1.0]],
        "predictions mixes single values and lists, or lists of different lengths: "
        "row 2 holds a list of 1, and the first row a list of 2",
        RAGGED,
    ),
    "ragged weights": (
        "weight",
        [[1], [1, 2]],
        "weights mixes single values and lists, or lists of different lengths: "
        "row 2 holds a list of 2, and the first row a list of 1",
        RAGGED,
    ),
    "one number": (
        "score",
        np.float64(1),
        "predictions is of type float64, not one value per row",
        "give a list, an array or a column of a frame",
    ),
    "one weight": (
        "weight",
        3,
        "weights is of type int, not one value per row",
        "give a list, an array or a column of a frame",
    ),
    "one group": (
        "group",
        "ab",
        "groups is of type str, not one value per row",
        "give a list, an array or a column of a frame",
    ),
    "a matrix of weights": ("weight", np.eye(2), "weight has the shape 2 × 2", "give one value per row"),
    "a matrix of groups": ("group", np.eye(2), "group has the shape 2 × 2", "give one value per row"),
    "sparse weights": (
        "weight",
        sparse.csr_array([[1], [2]]),
        "weights is a sparse matrix, not one value per row",
        "give a list or an array",
    ),
    "truth values as scores": ("score", [True, False], "the arrays, row 1: score is boolean: 'True'", CAST),
    "text as scores": ("score", ["0.5", "0.25"], "the arrays, row 1: score is text: '0.5'", CAST),
    "text as probabilities": (
        "score",
        [["0.5", "0.5"], ["0.1", "0.9"]],
        "probabilities must be numbers; got '0.5'",
        "give one number for each class in every row",
    ),
    "dates as scores": ("score", DAYS, "the arrays, row 1: score is date: '2024-01-01'", CAST),
    "dates as labels": (
        "label",
        DAYS,
        "the arrays, row 1: label is date: '2024-01-01'",
        "give text, numbers, or true and false",
    ),
    "years as scores": ("score", YEARS, "score has values of type datetime64[Y]", NUMBERS),
    "a tensor that is no array": (
        "score",
        Tensor(),
        "predictions cannot be read as an array: Got unsupported ScalarType BFloat16",
        "give a list or an array of plain values",
    ),
    "records": ("score", np.zeros(2, [("a", "f8")]), "predictions has values of type void64", NUMBERS),
    "fewer scores": ("score", [0.5], "1 prediction but 2 labels", "give one prediction per label"),
    "fewer labels": ("label", [1], "2 predictions but 1 label", "give one prediction per label"),
    "fewer weights": ("weight", [1], "2 rows but 1 weight", "give one weight per row"),
    "more groups": ("group", ["a", "b", "c"], "2 rows but 3 groups", "give one group per row"),
}


@each_row(("role", "values", "message", "remedy"), REFUSED.values(), ids=list(REFUSED))
def test_what_is_refused(role, values, message, remedy):
    with pytest.raises(sy.SteelyardError) as caught:
        read(role, values)
    assert str(caught.value) == f"{message}\n{remedy}"


def test_the_precision_of_scores_is_kept():
    assert read("score", np.array([[0.5], [0.25]], np.float32)).frame["score"].dtype == pl.Float32
    assert read("score", np.array([0.5, 0.25], np.float16)).frame["score"].dtype == pl.Float16


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array, sparse.dok_array])
def test_sparse_matrices_are_read_as_the_dense_ones(make):
    truth, said = np.array([[1, 0, 1], [0, 0, 1]]), np.array([[1, 1, 0], [0, 0, 1]])
    for given in ((make(said), make(truth)), (said, make(truth)), (make(said), truth)):
        found = row_arrays(*given, numbers=False, weights=[1, 2])
        columns = found.frame.to_dict()
        assert columns["label"].to_list() == truth.tolist()
        assert columns["predicted"].to_list() == said.tolist()
        assert columns["weight"].to_list() == [1.0, 2.0]


def test_a_sparse_matrix_that_would_fill_the_memory():
    huge = sparse.csr_array((10**6, 10**5))
    with pytest.raises(sy.SteelyardError, match="a sparse matrix of 100,000,000,000 cells"):
        row_arrays(huge, huge, numbers=False)


def test_masked_cells_of_matrices():
    truth = masked([[1, 0], [0, 1]], [[False, False], [False, True]])
    with pytest.raises(sy.SteelyardError, match="the arrays, row 2: label is missing"):
        row_arrays(np.eye(2), truth, numbers=False)
    with pytest.raises(sy.SteelyardError, match="the arrays, row 2: score is missing"):
        row_arrays(truth, np.eye(2), numbers=False)


def test_no_rows():
    with pytest.raises(sy.SteelyardError, match="predictions has no rows"):
        row_arrays([], [], numbers=True)
    for scores in ([], np.zeros(0), np.zeros((0, 3))):
        table = row_arrays(scores, [], numbers=True, weights=[], groups=[], may_be_empty=True)
        assert table.frame.height == 0


def test_rows_of_series_go_together_by_position():
    """The index would put 0.25 beside 1."""
    given = pd.Series(SCORES, index=[1, 0]), pd.Series(LABELS)
    table = row_arrays(*given, numbers=True)
    assert table.frame.rows() == [(1, 0.5), (0, 0.25)]
    assert [note.key for note in table.notes] == ["indexes_differ"]
    assert not row_arrays(given[0], given[1].set_axis([1, 0]), numbers=True).notes
    assert not row_arrays(given[0], LABELS, numbers=True).notes


def test_a_path_is_not_read_as_a_class_beside_what_is_missing():
    assert are_columns(["a", None], ["a", NAN])
    assert not are_columns(["a.csv", None], ["a", "b"])


def test_tables_say_the_same():
    """A row without a group, and integers that would tie, in a frame."""
    rows = {"user": ["a", None], "clicked": LABELS, "p": SCORES}
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(pl.DataFrame(rows), metrics="gauc", columns={"query": "user", "score": "p"})
    assert str(caught.value) == f"predictions, row 2: query (column 'user') is missing\n{ID}"
    large = pl.DataFrame({"label": LABELS, "score": [2**53, 2**53 + 1]})
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(large, metrics="auc")
    assert str(caught.value) == f"predictions, row 2: score is {LARGE.format(2**53 + 1)}\n{EXACT}"


def test_what_is_given_stays_as_it_is():
    given = masked([1.0, 2.0])
    with pytest.raises(sy.SteelyardError):
        read("score", given)
    assert np.ma.getdata(given).tolist() == [1.0, 2.0]
    assert np.ma.getmaskarray(given).tolist() == [False, True]


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork, and Linux to know Polars' threads")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_numbers_are_read_in_a_forked_child():
    """Polars has lost its threads there: numbers must not ask for them, and text is refused at once."""
    pl.LazyFrame({"a": range(1000)}).sort("a").collect()  # an eager sort starts no threads for its work
    child = os.fork()
    if not child:
        code = 1
        signal.alarm(60)  # a child that waits for lost threads is ended by the kernel
        try:
            read("weight", np.ones(2))
            read("group", [1, 2])
            read("label", pd.Series([1, None]))
            read("label", [True, False])
            try:
                row_arrays(["a"], ["b"], numbers=False)
            except sy.SteelyardError as error:
                code = 0 if "forked while Polars ran" in str(error) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
