"""Python objects of every kind and shape, as expressions that can be read and run by hand."""

from __future__ import annotations

import datetime
import decimal
import fractions
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse

import steelyard as sy
from steelyard.metrics import registry

from .grammar import well_formed

NAMES: dict[str, Any] = {
    **{"np": np, "pl": pl, "pd": pd, "sy": sy, "scipy": scipy, "Path": Path},
    **{"datetime": datetime, "decimal": decimal, "fractions": fractions},
}


def _each(text: str) -> list[str]:
    """The expressions of a text, one per line or set apart by bars."""
    return [one.strip() for line in text.strip().splitlines() for one in line.split(" | ")]


SCALARS = _each(r"""
    None | True | 0 | 1 | -1 | 2 | 0.5 | -0.0 | 1e308 | -1e308 | 5e-324 | 2**63 | 2**70 | -(2**70) | 10**400
    float('nan') | float('inf') | -float('inf') | 1j | b'' | b'a' | '' | 'a' | 'q' | '\ud800' | '\0'
    '\x1b[31m' | np.float32(0.5) | np.int8(1) | np.uint64(2**64 - 1) | np.bool_(True) | np.str_('a')
    np.nan | np.float16(1) | np.datetime64('2020-01-01') | np.datetime64('NaT') | np.timedelta64(1, 's')
    np.complex64(1) | np.longdouble(1) | datetime.date(2020, 1, 1) | datetime.datetime(2020, 1, 1)
    datetime.timedelta(1) | decimal.Decimal('0.5') | decimal.Decimal('NaN') | decimal.Decimal('sNaN')
    fractions.Fraction(1, 3) | object() | int | len | ... | NotImplemented | Path('x') | pd.NA | pd.NaT
    pd.Timestamp('2020') | (x for x in [1]) | range(3) | {1} | frozenset() | memoryview(b'ab') | sy.AUC
    sy.AUC() | sy.NDCG(k=2) | sy | pl.col('a') | pl.lit(1) | slice(1) | np.array(1) | np.array(None)
    np.void(b'ab')
""")
LISTS = _each("""
    [] | () | [[]] | [1, 0] | [1, 0, 1, 0] | [0.8, 0.3, 0.4, 0.6] | [1, [0]] | [[1, 0], [0]] | [None, 1]
    'abc' | ['a', 'b', 'a', 'b'] | ['a', 1, None, 2.5] | [True, False] | [[1, 0], [0, 1]]
    [[0.2, 0.8], [0.5, 0.5]] | [float('nan'), 1] | [1e308, 1e308, 1, 0] | [2**70, 1] | [10**400, 1]
    [1j, 0] | [{}, {}] | [object(), 1] | ['', ' '] | [[[1]]] | [-1, 1, 0, 0] | [b'a', b'b']
    [datetime.date(2020, 1, 1)] * 2 | [[1, 2, 3, 4]] | range(4) | iter([1, 0]) | {'a': 1} | {1, 2} | {}
    [0, 0, 0, 0] | [1, 1, 1, 1] | [5e-324, 1, 0, 0] | [3, 1, 2, 0]
    [[1, 0, 0], [0, 1, 1], [1, 1, 1], [0, 0, 0]] | [decimal.Decimal(1), decimal.Decimal(0)]
    [np.nan, np.nan] | [fractions.Fraction(1, 2), 1] | [pd.NA, 1] | [1, 0, None, 1] | [float('inf'), 0]
    [-float('inf'), 1, 0, 0] | [(1, 2), (3, 4)] | [[], [1]] | [None] * 4 | [1e-320, 1e-320, 0, 0]
    [{1}, {2}]
""")
ARRAYS = _each("""
    np.array([]) | np.array(5) | np.zeros((2, 0)) | np.zeros((0, 2)) | np.zeros((2, 2, 2)) | np.arange(4)
    np.eye(4) | np.ma.masked_array([1, 0, 1, 0], [0, 1, 0, 0]) | np.array([1, 0, 1, 0], dtype=object)
    np.eye(2) | np.array([1, None], dtype=object) | np.array([1 + 1j, 0])
    np.array(['2020-01-01', 'NaT'], dtype='M8[D]') | np.array([1, 2], dtype='m8[s]')
    np.array([(1, 2.0)], dtype=[('a', int), ('b', float)]) | np.array(['a', 'b']) | np.array([b'a', b'b'])
    np.array([1, 0, 1, 0], dtype=np.uint8) | np.eye(4, dtype=bool)
    np.array([0.8, 0.3, 0.4, 0.6], dtype=np.float16) | np.array([0.8, 0.3, 0.4, 0.6], dtype='>f8')
    np.array([1, 0, 1, 0], dtype='>i4') | np.array([2**64 - 1, 0, 1, 1], dtype=np.uint64)
    np.array([0.8, 0.3, 0.4, 0.6], dtype=np.longdouble) | np.matrix([[1, 0], [0, 1]]) | np.array([[]])
    np.array([[1, 0], [0, 1]])[::-1, ::-1] | np.rec.array([(1,)]) | np.full(4, np.nan)
    np.full((2, 2), -np.inf) | np.full((2, 2), np.inf) | np.array([True, False, True, False])
    np.array([[1, 'a'], [None, 2]], dtype=object) | np.array([[1], [0], [1], [0]])
    np.array([[0.2, 0.8]] * 4) | np.broadcast_to(1.0, (4,)) | np.array([1e308, -1e308, 1e-308, 0])
    np.array([{}, []], dtype=object) | np.zeros((4, 4, 1)) | scipy.sparse.csr_matrix(np.eye(2))
    scipy.sparse.coo_array(np.eye(4)) | scipy.sparse.csr_matrix((0, 3))
    scipy.sparse.csc_matrix([[float('nan'), 1], [0, 1]]) | scipy.sparse.dok_matrix((2, 2))
    scipy.sparse.eye(2, dtype=bool) | scipy.sparse.csr_matrix(np.eye(2) * 1j) | pl.Series([1, 0, 1, 0])
    pl.Series(['a', None]) | pl.Series([[1], [0]]) | pl.Series([], dtype=pl.Null) | pd.Series([1, 0, 1, 0])
    pd.Series([1, None], dtype='Int64') | pd.Series(['a', 'b'], dtype='category') | pd.Index([1, 0])
    pd.Series([1.5, 0, 1, 0], index=[3, 3, 1, 0]) | pd.array([True, None])
    pd.Series(['2020'], dtype='datetime64[ns]') | pd.Series([1, 0, None, 1])
    pl.Series([1, 0, 1, 0], dtype=pl.Int128) | np.array(['a', 'b', 'a', 'b'], dtype=object)
    pl.Series([0.5, 0.1, 0.2, 0.3], dtype=pl.Decimal(10, 2))
""")
_USUAL = _each("""
    [1, 0, 1, 0] | [0.8, 0.3, 0.4, 0.6] | ['a', 'b', 'a', 'b'] | np.array([0.8, 0.3, 0.4, 0.6])
    [2, 0, 1, 3]
""")
_COLUMNS = [
    *("label", "score", "query", "item", "user_id", "clicked", "p", "relevance", "weight", "rank", "country"),
    *("predicted", "y_true", "y_prob", "y_pred", "class", "metric", "value", "n", "*", "^.*$", "", " ", "é"),
]
_KEYWORDS = {
    "columns": "{'label': 'score'} | {'query': 'item'} | {'score': 5} | {5: 'score'} | {'x': ['y']}",
    "by": "'label' | ['query'] | ['a', 'a'] | [5] | ['query', 'item'] | 'country'",
    "classes": "['a', 'b'] | [0, 1] | ['b', 'a'] | [] | ['a', 'a'] | 'ab' | [1.0, 0.0] | [None, 1]",
    "weights": "'score' | {'q': 2} | {'q': -1} | {'q': float('nan')} | {} | {'r': 1e308} | [1, 2, 3, 4]",
    "exclude": "{'q': ['a']} | {} | {'q': {'a': 1}} | {'q': 5} | [('q', 'a')]",
    "profile": "'trec_eval' | 'steelyard:2026' | 'x' | ''",
    "conventions": "{'ties': 'given'} | {'k': 2} | {'x': 1} | {5: 5} | {'depth': 1} | {'rel': 2}",
    "lang": "'en' | 'zh' | 'xx'",
    "ties": "'expected' | 'given' | 'item_asc' | 'optimistic' | 'error' | 'x'",
    "missing": "'skip' | 'error' | 'x'",
}


def anything(rng: Random) -> str:
    """Any object at all."""
    kind = rng.random()
    if kind < 0.35:
        return rng.choice(SCALARS)
    if kind < 0.6:
        return rng.choice(LISTS)
    return rng.choice(ARRAYS) if kind < 0.75 else table(rng)


def values(rng: Random) -> str:
    """Something that could be a column: most often one it is, else one with an odd value, or none."""
    kind = rng.random()
    if kind < 0.6:
        return rng.choice(_USUAL)
    if kind < 0.75:
        cells = [rng.choice(["0", "1", "0.5"]) for _ in range(4)]
        cells[rng.randrange(4)] = rng.choice(SCALARS)
        return f"[{', '.join(cells)}]"
    return rng.choice(LISTS if kind < 0.85 else ARRAYS if kind < 0.98 else SCALARS)


def table(rng: Random) -> str:
    """Something that could be a table."""
    match rng.randrange(8):
        case 0 | 1:
            lists = [f"{identifier(rng)}: {_list(rng)}" for _ in range(rng.randint(0, 3))]
            return f"{{{', '.join(lists)}}}"
        case 2:
            return f"pl.DataFrame({_columns(rng)}, strict=False)"
        case 3:
            return f"pd.DataFrame({_columns(rng)})"
        case 4:
            return f"[{values(rng)}, {values(rng)}]"
        case 5:
            return f"pl.LazyFrame({_columns(rng)}, strict=False)"
        case _:
            return _columns(rng)


def _columns(rng: Random) -> str:
    pairs = {"label": "[1, 0, 1, 0]", "score": "[0.8, 0.3, 0.4, 0.6]", "query": "['q', 'q', 'r', 'r']"}
    if rng.random() < 0.3:
        pairs = {}
    for _ in range(rng.randint(0, 2)):
        pairs[rng.choice(_COLUMNS)] = values(rng)
    columns = [f"{name!r}: {column}" for name, column in pairs.items()]
    return f"{{{', '.join(columns)}}}"


def identifier(rng: Random) -> str:
    """A query or an item."""
    return rng.choice(SCALARS) if rng.random() < 0.03 else rng.choice(["'q'", "'r'", "1", "2", "'a'"])


def _list(rng: Random) -> str:
    if rng.random() < 0.1:
        return anything(rng)
    number = rng.choice(SCALARS) if rng.random() < 0.2 else "1.5"
    items = [identifier(rng) for _ in range(rng.randint(0, 3))]
    if rng.random() < 0.3:
        return f"[{', '.join(items)}]"
    scored = [f"{item}: {rng.choice(['1', '2', '0', number])}" for item in items]
    return f"{{{', '.join(scored)}}}"


def metric(rng: Random) -> str:
    """A metric: most often a name that there is."""
    kind = rng.random()
    if kind < 0.75:
        return repr(rng.choice(sorted(registry.by_name())).replace("@k", "@2"))
    return repr(well_formed(rng)) if kind < 0.95 else anything(rng)


def keywords(rng: Random, *names: str) -> str:
    """Some of the arguments that go by name, with the comma before them."""
    some = rng.sample(names, min(len(names), rng.choice([0, 0, 1, 1, 2])))
    return "".join(f", {name}={_argument(rng, name)}" for name in some)


def _argument(rng: Random, name: str) -> str:
    if name in _KEYWORDS and rng.random() < 0.7:
        return rng.choice(_each(_KEYWORDS[name]))
    return anything(rng)
