"""Collections made for comparison: full of ties, gaps, odd ids and odd grades.

What is left out, because a peer cannot take it (`test_pytrec_eval.py` and `test_ir_measures.py` pin what can
be pinned):

- a topic whose judgements are all negative: pytrec_eval reads memory that is not its own, and may end the
  process (a segmentation fault with {'map', 'bpref'}); trec_eval stops with exit code 4;
- ids with a NUL character: C text ends there;
- a query with an empty list or with no judgements at all: a dict can hold it, a TREC file cannot, and each
  library reads it in its own way;
- scores of -inf (not retrieved for us, the last for trec_eval), +inf and NaN (errors for us).
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]

# As text '9' stands above '10', and '007' is not '7'. UTF-8 bytes order '～' (U+FF5E) below '😀' (U+1F600),
# UTF-16 does not; 'é' stands above 'z'.
TEXT_ITEMS = [str(n) for n in range(1, 36)]
TEXT_ITEMS += ["007", "-5", "A", "a", "_", "a1", "a10", "a9", "é", "z", "Ω", "文", "～", "😀", "e\u0301"]
TEXT_QUERIES = [str(n) for n in range(1, 22)] + ["查询", "q", "é", "😀", "Q-7"]
INTEGER_ITEMS = [*range(-3, 15), *range(95, 115), 1000, 2**40, 2**63 - 1, -(2**63)]
INTEGER_QUERIES = [-20, -3, 0, *range(5, 15), *range(98, 108), 2**53, 2**53 + 1]


def collection(seed: int, *, integers: bool = False, negatives: bool = True) -> tuple[Run, Qrels]:
    """A run and its judgements, as dicts of text ids; ``integers`` makes ids that also are integers."""
    rng = np.random.default_rng(seed)
    items = [str(item) for item in (INTEGER_ITEMS if integers else TEXT_ITEMS)]
    run: Run = {}
    qrels: Qrels = {}
    for query in map(str, INTEGER_QUERIES if integers else TEXT_QUERIES):
        in_run, in_qrels = rng.random(2) < 0.85
        if in_run:
            length = int(rng.choice([1, 2, 6, 20, len(items)]))
            shown = rng.permutation(len(items))[:length]
            run[query] = {
                items[i]: float(score) for i, score in zip(shown, _scores(rng, length), strict=True)
            }
        if in_qrels:
            length = int(rng.choice([1, 3, 10, 30]))
            judged = rng.permutation(len(items))[:length]
            grades = _grades(rng, length, negatives=negatives)
            qrels[query] = {items[i]: int(grade) for i, grade in zip(judged, grades, strict=True)}
    return run, qrels


def _scores(rng: np.random.Generator, n: int) -> np.ndarray:
    kinds = (
        lambda: rng.integers(-2, 3, n) / 4,  # many ties, 0.0 and -0.0 among them
        lambda: np.full(n, 0.5),  # one tie
        lambda: 1 + rng.integers(0, 5, n) * 1e-9,  # differ in float64, equal in float32
        lambda: 2.0**24 + rng.integers(0, 4, n),  # the same, further up: pairs round to one number
        lambda: rng.integers(0, 3, n) * 1e-46,  # the same, below the least float32
        lambda: rng.normal(size=n),  # no ties
    )
    scores = kinds[rng.integers(len(kinds))]()
    return np.where(rng.random(n) < 0.1, -0.0, scores)


def _grades(rng: np.random.Generator, n: int, *, negatives: bool) -> np.ndarray:
    grades = rng.choice([-2, -1, 0, 0, 0, 0, 1, 1, 2, 3, 7], n)
    if rng.random() < 0.15:
        grades = np.minimum(grades, 0)  # nothing is relevant
    if not negatives:
        grades = np.maximum(grades, 0)
    if grades.max() < 0:
        grades[0] = 0
    return grades


def without_negatives(qrels: Qrels) -> Qrels:
    """The judgements of 0 or more; every topic has one."""
    return {
        query: {item: grade for item, grade in judged.items() if grade >= 0}
        for query, judged in qrels.items()
    }


_characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
_ids = st.one_of(
    st.sampled_from(["1", "2", "9", "10", "11", "100", "a", "b", "é", "😀", "～"]),
    st.text(_characters, min_size=1, max_size=3),
)
_scores_drawn = st.one_of(
    st.sampled_from([0.0, -0.0, 0.5, 1.0, 1.0 + 1e-9, 1.0 + 2e-9, 2.0**24, 2.0**24 + 1, 1e-46]),
    st.floats(-1e30, 1e30),
)
_judged = st.dictionaries(_ids, st.integers(-2, 4), min_size=1, max_size=6).filter(
    lambda judged: max(judged.values()) >= 0
)
_shown = st.dictionaries(_ids, _scores_drawn, min_size=1, max_size=8)


@st.composite
def small_collections(draw: st.DrawFn) -> tuple[Run, Qrels]:
    """A few queries, at least one of them on both sides."""
    run: Run = draw(st.dictionaries(_ids, _shown, min_size=1, max_size=4))
    qrels: Qrels = draw(st.dictionaries(_ids, _judged, max_size=4))
    both = draw(st.sampled_from(sorted(run)))
    return run, {**qrels, both: draw(_judged)}
