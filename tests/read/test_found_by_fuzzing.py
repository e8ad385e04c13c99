"""What the fuzzer found, one test for each."""

from __future__ import annotations

import decimal
import gzip

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import steelyard as sy


def test_a_gzip_that_goes_on_with_a_broken_second_part(tmp_path):
    """The first part is sound and not UTF-8; of the second there is a beginning only."""
    path = tmp_path / "qrels.trec.gz"
    path.write_bytes(gzip.compress(b"q 0 \xff 1\n") + b"\x1f\x8b\x08")
    with pytest.raises(sy.SteelyardError, match="qrels.trec.gz"):
        sy.evaluate({"q": {"a": 1.0}}, path, "mrr")


def test_a_sparse_matrix_among_lists():
    with pytest.raises(sy.SteelyardError, match="row 2 holds a single value"):
        sy.evaluate([[0.5, 0.5], sparse.csr_array([[1.0]])], [0, 1], "auc")


def test_a_number_that_signals_in_a_pandas_column():
    frame = pd.DataFrame({"query": ["q"], "item": ["a"], "score": [1.0], "note": [decimal.Decimal("sNaN")]})
    assert sy.evaluate(frame, {"q": {"a": 1}}, "mrr")["mrr"] == 1.0


def test_a_complex_number_among_others_keeps_its_parts_or_is_refused():
    log = {"label": [1, 0, 1], "score": [0.8, 0.3, np.complex64(0.5 + 1j)]}
    with pytest.raises(sy.SteelyardError, match="score"):
        sy.evaluate(log, metrics="auc")


def test_a_class_is_no_way_to_tell_of_progress():
    with pytest.raises(sy.SteelyardError, match="progress"):
        sy.evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, "mrr", progress=int)
