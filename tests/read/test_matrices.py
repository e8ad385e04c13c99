"""Two matrices, rows are queries and columns are items."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from steelyard import evaluate, read
from steelyard.text.errors.base import ReadError, SteelyardError, ValueInDataError

from ..tables import each_row

SCORES = np.array([[0.5, -np.inf], [2.0, 1.0]])
LABELS = np.array([[0, 0], [0, 3]])


def test_dense():
    said, true = read.matrices(SCORES, LABELS)
    assert said.frame.rows() == [(0, 0, 0.5), (0, 1, -np.inf), (1, 0, 2.0), (1, 1, 1.0)]
    assert true.frame.rows() == [(0, 0, 0.0), (0, 1, 0.0), (1, 0, 0.0), (1, 1, 3.0)]
    assert said.frame.dtypes == true.frame.dtypes == [pl.Int64, pl.Int64, pl.Float64]
    assert (said.name, true.name) == ("predictions", "truth")
    assert said.place(2) == "predictions, row 1, column 0"


@pytest.mark.parametrize(
    "kind", ["csr_matrix", "csc_matrix", "coo_matrix", "csr_array", "coo_array", "lil_matrix"]
)
def test_sparse_labels_keep_queries_without_any(kind):
    said, true = read.matrices(SCORES, getattr(sparse, kind)(LABELS))
    assert said.frame.height == 4
    assert sorted(true.frame.rows()) == [(0, 0, 0.0), (1, 1, 3.0)]


def test_sparse_scores_are_what_was_retrieved():
    said, true = read.matrices(sparse.csr_matrix([[0, 0.5], [0, 0]]), sparse.csr_matrix(LABELS))
    assert said.frame.rows() == [(0, 1, 0.5)]
    assert sorted(true.frame.rows()) == [(0, 0, 0.0), (1, 1, 3.0)]


def test_doubled_sparse_entries_add_up_and_the_matrix_is_left_alone():
    doubled = sparse.csr_matrix((np.array([1.0, 2.0]), np.array([1, 1]), np.array([0, 2])), shape=(1, 2))
    said, _ = read.matrices(doubled, np.array([[0, 1]]))
    assert said.frame.rows() == [(0, 1, 3.0)]
    assert doubled.nnz == 2


def test_types_of_numbers():
    said, true = read.matrices(SCORES.astype(np.float32), LABELS > 0)
    assert said.frame["score"].to_list() == [0.5, -np.inf, 2.0, 1.0]
    assert true.frame["relevance"].to_list() == [0.0, 0.0, 0.0, 1.0]
    assert read.matrices(LABELS, LABELS)[0].frame["score"].to_list() == [0.0, 0.0, 0.0, 3.0]
    fortran, _ = read.matrices(np.asfortranarray(SCORES), LABELS)
    assert fortran.frame.row(1) == (0, 1, -np.inf)


@each_row(
    ("scores", "labels", "message"),
    [
        (SCORES, LABELS.T[:1], r"the score matrix has shape \(2, 2\) and the label matrix \(1, 2\)"),
        (SCORES[0], LABELS[0], "the score matrix is an array of 1 dimension, not a matrix"),
        (SCORES, [[1, 2], [3, 4]], "the label matrix is a list, not a matrix"),
        (SCORES.astype(str), LABELS, "the score matrix is of type <U"),
        (SCORES > 0, LABELS, "the score matrix is of type bool"),
        (SCORES[:0], LABELS[:0], "has no rows"),
    ],
)
def test_bad_matrices(scores, labels, message):
    with pytest.raises(ReadError, match=message):
        read.matrices(scores, labels)


def test_nan_cells_are_named():
    with pytest.raises(ValueInDataError, match="predictions, row 1, column 0: score is 'nan'"):
        read.matrices(np.array([[1.0, 2.0], [np.nan, 3.0]]), LABELS)
    with pytest.raises(ValueInDataError, match="truth, row 0, column 1: relevance is 'nan'"):
        read.matrices(SCORES, np.array([[1.0, np.nan], [0.0, 3.0]]))


def test_what_is_a_matrix():
    assert read.is_matrix(SCORES)
    assert read.is_matrix(sparse.csr_matrix(LABELS))
    assert not read.is_matrix(pl.DataFrame(SCORES))
    assert not read.is_matrix([[1]])
    assert not read.is_matrix(pl.Series([1]))


def test_masked_scores_are_not_retrieved():
    mask = [[False, True], [False, False]]
    said, _ = read.matrices(np.ma.masked_array([[0.5, np.nan], [2.0, 1.0]], mask), LABELS)
    assert said.frame.rows() == [(0, 0, 0.5), (0, 1, -np.inf), (1, 0, 2.0), (1, 1, 1.0)]
    whole, _ = read.matrices(np.ma.masked_array([[5, 2**60 + 1], [2, 1]], mask), LABELS)
    assert whole.frame["score"].to_list() == [5.0, -np.inf, 2.0, 1.0]
    with pytest.raises(ValueInDataError, match="row 1, column 0: score is 1152921504606846977, too large"):
        read.matrices(np.ma.masked_array([[5, 6], [2**60 + 1, 1]], mask), LABELS)


def test_masked_labels_are_not_judged():
    _, true = read.matrices(SCORES, np.ma.masked_array(LABELS, [[True, False], [True, False]]))
    assert true.frame.rows() == [(0, 1, 0.0), (1, 1, 3.0)]
    assert true.place(1) == "truth, row 1, column 1"
    _, unmasked = read.matrices(SCORES, np.ma.masked_array(LABELS))
    assert unmasked.frame.height == 4
    with pytest.raises(ReadError, match="truth has no rows"):
        read.matrices(SCORES, np.ma.masked_all((2, 2)))


def test_a_sparse_matrix_that_is_a_dict_is_still_a_matrix():
    with pytest.raises(ReadError, match="matrix"):
        evaluate(sparse.dok_matrix((2, 2)), metrics="mrr")


def test_matrices_of_text_are_no_scores():
    with pytest.raises(SteelyardError, match="row 1: score is 'a', which is not a number"):
        evaluate([["a", "b"], [1, 0]], [[1, 0], [0, 1]], "confusion")
