"""Matrices are ranked where they stand, and give what their cells give as the rows of long tables."""

from __future__ import annotations

import tracemalloc

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import steelyard as sy
from steelyard import read
from steelyard.engine.memory import Memory
from steelyard.engine.protocol import Call
from steelyard.kernels import forced
from steelyard.spec import ask

from ..examples import examples
from ..tables import each_row

METRICS = [
    "ndcg@3",
    "ndcg(gain=exp2, ideal=judged_shown)",
    "idcg@2",
    "map@4",
    "map(rel=2)",
    "mrr",
    "recall@3",
    "precision@2",
    "hit_rate@2",
    "r_precision",
]
TIES = ["item_desc", "item_asc", "given", "expected", "optimistic", "pessimistic"]
CONVENTIONS = [
    *({"ties": ties} for ties in TIES),
    {"depth": 2},
    {"unjudged": "drop"},
    {"conventions": {"judgements": "retrieved"}},
    {"conventions": {"judgements": "retrieved"}, "unjudged": "drop"},
    {"self_match": "drop"},
    {"conventions": {"scores": "float32"}},
    {"order": "given"},
    {"order": "given", "self_match": "drop"},
    {"item_order": "text"},
    {"missing": "skip", "unexpected": "keep", "duplicates": "first"},
]


def long(scores, labels) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The same as two tables: the numbers of rows and columns are the ids."""
    row, column = np.divmod(np.arange(scores.size), scores.shape[1])
    said = pl.DataFrame({"query": row, "item": column, "score": np.asarray(scores).reshape(-1)})
    if sparse.issparse(labels):
        coo = labels.tocoo()
        row, column, grade = coo.row, coo.col, coo.data
        empty = np.setdiff1d(np.arange(labels.shape[0]), row)  # each is kept as a judgement of grade 0
        row, column = np.append(row, empty), np.append(column, 0 * empty)
        grade = np.append(grade, 0 * empty)
    else:
        grade = np.asarray(labels).reshape(-1)
    return said, pl.DataFrame({"query": row, "item": column, "relevance": grade}).cast(
        {"query": pl.Int64, "item": pl.Int64}
    )


def all_of(result: sy.Result) -> tuple:
    """Every bit of every value, the tally and the notes."""
    return (
        result.table()["value"].to_numpy().tobytes(),
        result.per_query().drop("value").rows(),
        result.per_query()["value"].to_numpy().tobytes(),
        result.tally,
        result.notes,
        result.max_grade,
    )


@st.composite
def matrices(draw):
    """Scores full of ties and masks, labels of few grades, of any type and layout."""
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 9))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    scores = random.choice([-1.5, -0.0, 0.0, 0.1, 0.25, 2.0], (rows, columns))
    kind = draw(st.sampled_from(["f4", "f8", "i1", "i8"]))
    scores = (scores * 4).astype(kind) if kind[0] == "i" else scores.astype(kind)
    if kind[0] == "f" and draw(st.booleans()):
        scores[random.random(scores.shape) < 0.4] = -np.inf
    labels = random.choice([0, 0, 0, 1, 2, 3], (rows, columns))
    labels = {
        "int": labels,
        "float": labels / 2 - 0.5,
        "bool": labels > 1,
        "sparse": sparse.csr_matrix(labels),
        "stored zeros": sparse.csr_matrix((labels + 1).astype(np.int8)),
    }[draw(st.sampled_from(["int", "float", "bool", "sparse", "stored zeros"]))]
    if sparse.issparse(labels) and labels.dtype == np.int8:
        labels.data -= 1
    layout = draw(st.sampled_from(["C", "F", "strided"]))
    if layout == "F":
        scores = np.asfortranarray(scores)
        labels = labels if sparse.issparse(labels) else np.asfortranarray(labels)
    elif layout == "strided":
        scores = np.repeat(scores, 2, axis=1)[:, ::2]
        labels = labels if sparse.issparse(labels) else np.repeat(labels, 2, axis=0)[::2]
    return scores, labels


@examples(150)
@given(drawn=matrices(), said=st.sampled_from(CONVENTIONS), seed=st.integers(0, 99))
def test_the_same_bits_as_long_tables(drawn, said, seed):
    scores, labels = drawn
    assert read.grid(scores, labels) is not None
    options = dict(said)
    random = np.random.default_rng(seed)
    if seed % 3 == 0:
        pairs = {"query": random.integers(0, 7, 9), "item": random.integers(0, 10, 9)}
        options["exclude"] = pl.DataFrame(pairs)
    before = scores.copy()
    sides = ["twin", "kernel"] if seed % 10 == 0 else ["twin"]
    for side in sides:
        with forced(side):
            mine = sy.evaluate(scores, truth=labels, metrics=METRICS, **options)
        assert all_of(mine) == all_of(sy.evaluate(*long(scores, labels), METRICS, **options))
    assert scores.tobytes() == before.tobytes()


@examples(30)
@given(drawn=matrices(), ties=st.sampled_from(TIES))
def test_the_same_lists_and_arithmetic(drawn, ties):
    scores, labels = drawn
    mine = sy.evaluate(predictions=scores, truth=labels, metrics="ndcg@3", ties=ties)
    other = sy.evaluate(*long(scores, labels), "ndcg@3", ties=ties)
    for query in range(len(scores)):
        assert mine.explain("ndcg@3", query).to_text() == other.explain("ndcg@3", query).to_text()


def test_by_hand():
    """Row 0: columns 2 and 0 are tied behind column 1; row 1: the mask takes the only other item away."""
    scores = np.array([[0.5, 0.9, 0.5], [-np.inf, 0.2, -np.inf]], np.float32)
    labels = np.array([[2, 0, 0], [1, 0, 0]])
    assert sy.evaluate(scores, labels, "mrr")["mrr"] == (1 / 3 + 0) / 2  # the larger column stands first
    assert sy.evaluate(scores, labels, "mrr", ties="item_asc")["mrr"] == (1 / 2 + 0) / 2
    assert sy.evaluate(scores, labels, "mrr", ties="expected")["mrr"] == ((1 / 2 + 1 / 3) / 2 + 0) / 2
    excluded = sy.evaluate(scores, labels, "mrr", exclude={0: [1]})
    assert excluded["mrr"] == (1 / 2 + 0) / 2
    assert (excluded.tally.masked, excluded.tally.excluded, excluded.tally.retrieved) == (2, 1, 3)
    zeros = sy.evaluate(scores, labels, "bpref", exclude={0: [1]})
    assert (zeros.tally.masked, zeros.tally.excluded, zeros.tally.retrieved) == (2, 1, 3)
    assert (excluded.tally.predictions, excluded.tally.judgements, excluded.tally.tied) == (6, 6, 2)


def test_what_a_result_shows_later_is_what_was_given():
    scores, labels = np.array([[0.3, 0.2, 0.1]]), np.array([[0, 1, 0]])
    result = sy.evaluate(scores, labels, "mrr")
    scores[:] = 0
    labels[:] = 1
    assert result.explain("mrr", 0).value == 1 / 2


@each_row(
    ("scores", "labels"),
    [
        (np.array([[1.0, np.nan]]), np.array([[0, 1]])),
        (np.array([[1.0, np.inf]]), np.array([[0, 1]])),
        (np.array([[1, 2**60 + 1]]), np.array([[0, 1]])),
        (np.array([[True, False]]), np.array([[0, 1]])),
        (np.array([["a", "b"]]), np.array([[0, 1]])),
        (np.array([[1.0, 2.0]]), np.array([[0, np.nan]])),
        (np.array([[1.0, 2.0]]), np.array([[0, -np.inf]])),
        (np.array([[1.0, 2.0]]), np.array([[0, 2**60 + 1]])),
        (np.array([[1.0, 2.0]]), np.array([["a", "b"]])),
        (np.array([[1.0, 2.0]]), sparse.csr_matrix(np.array([[0, np.nan]]))),
        (np.array([[1.0, 2.0]]), np.array([[0, 1, 2]])),
        (np.empty((0, 3)), np.empty((0, 3))),
    ],
)
def test_what_is_refused_is_refused_as_before(scores, labels):
    with pytest.raises(sy.SteelyardError) as long_way:
        read.matrices(scores, labels)
    with pytest.raises(sy.SteelyardError) as caught:
        sy.evaluate(scores, labels, "mrr")
    assert str(caught.value) == str(long_way.value)


@each_row(
    ("scores", "labels"),
    [
        (np.array([[-1e300, -np.inf, 1.0]]), np.array([[1, 0, 0]])),
        (np.ma.masked_array([[0.5, 0.2, 0.7]], [[False, True, False]]), np.array([[0, 1, 1]])),
        (np.array([[0.5, 0.2, 0.7]]), np.ma.masked_array([[1, 1, 0]], [[True, False, False]])),
        (sparse.csr_matrix(np.array([[0.5, 0.0, 0.7]])), np.array([[1, 1, 0]])),
        (np.array([[0.5, 0.2, 0.7]]).astype(">f8"), np.array([[0, 1, 1]])),
        (np.array([[0.5, 0.2, 0.7]], np.float16), np.array([[0, 1, 1]])),
    ],
)
def test_what_needs_a_closer_look_is_read_cell_by_cell(scores, labels):
    assert read.grid(scores, labels) is None
    assert 0 < sy.evaluate(scores, labels, "mrr(scores=float32)")["mrr(scores=float32)"] <= 1


def test_no_long_table_is_made(monkeypatch):
    """The promise on memory rests on this: 3,000 users by 20,000 items would be 60,000,000 rows."""

    def refused(*_):
        raise AssertionError("a matrix was melted")

    monkeypatch.setattr(read, "matrices", refused)
    monkeypatch.setattr("steelyard.engine.coding.encode", refused)
    scores, labels = np.eye(4), np.eye(4, dtype=bool)
    call = Call(predictions=scores, truth=labels)
    found = Memory.read(call, ask("mrr").wanted, print).lists
    assert found is not None
    assert found.predictions.frame.height == found.truth.frame.height == 0
    assert sy.evaluate(scores, labels, ["ndcg@2", "map"])["map"] == 1.0
    assert sy.evaluate(scores, sparse.csr_matrix(labels), "mrr", unjudged="drop")["mrr"] == 1.0
    assert sy.evaluate(scores, labels, "mrr", self_match="drop").tally.self_matched == 4


@pytest.mark.parametrize(("scores", "labels"), [("f4", "?"), ("f8", "i8")])
def test_memory_stays_within_twice_the_arrays(scores, labels):
    """What NumPy holds at most, counted by Python itself; the first call imports and compiles."""
    random = np.random.default_rng(6)
    scores = random.random((200, 10_000)).astype(scores)
    labels = (random.random(scores.shape) < 0.002).astype(labels)
    peaks = []
    for _ in range(2):
        tracemalloc.start()
        sy.evaluate(scores, labels, ["ndcg@10", "map", "mrr"])
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert scores.nbytes < peaks[1] < 2 * (scores.nbytes + labels.nbytes)  # its copy is seen at the least


def test_weights_and_slices_of_matrices():
    scores, labels = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[1, 0], [1, 0]])
    assert sy.evaluate(scores, labels, "mrr", weights={0: 3.0, 1: 1.0})["mrr"] == (3 * 1 + 1 * 1 / 2) / 4
    with pytest.raises(sy.SteelyardError, match="no column 'country'"):
        sy.evaluate(scores, labels, "mrr", by="country")
