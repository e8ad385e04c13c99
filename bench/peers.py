"""What a user of a peer writes, as a process of its own: ``python -m bench.peers grouped RUN QRELS``.

pytrec_eval takes ``{query: {item: number}}`` and nothing else. Of the ways to get there from a parquet
file the fastest is used, which depends on the file (seconds for 10,000,000 rows on 2 cores):

- rows that stand together by query: a slice per query, each made a list, 1.7. Slower: ``group_by`` with a
  list per query 2.1, ``partition_by`` 2.8, two long lists that are then cut 3.1, a loop over the rows 3.5,
  one shared string per item 6, pandas ``groupby`` 10.7;
- rows in any order: ``group_by`` with a list per query, 2.6. Slower: ``partition_by`` 3.5, sorting first 8,
  a loop over the rows 8.9, pandas ``groupby`` 12.4.

Switching the garbage collector off changes nothing.
"""

from __future__ import annotations

import json
import sys

import polars as pl
import pytrec_eval

MEASURES = {
    "ndcg@10": "ndcg_cut.10",
    "map": "map",
    "mrr": "recip_rank",
    "precision@10": "P.10",
    "recall@100": "recall.100",
}


def by_slices(table: pl.DataFrame, value: str) -> dict[str, dict[str, float]]:
    """Nested dicts from rows that stand together by query."""
    runs = table["query"].rle().struct.unnest()
    items, values = table["item"], table[value]
    nested = {}
    start = 0
    for query, length in zip(runs["value"].to_list(), runs["len"].to_list(), strict=True):
        nested[query] = dict(
            zip(items.slice(start, length).to_list(), values.slice(start, length).to_list(), strict=True)
        )
        start += length
    return nested


def by_lists(table: pl.DataFrame, value: str) -> dict[str, dict[str, float]]:
    """Nested dicts from rows in any order."""
    lists = table.group_by("query").agg("item", value)
    return {
        query: dict(zip(items.to_list(), values.to_list(), strict=True))
        for query, items, values in zip(lists["query"].to_list(), lists["item"], lists[value], strict=True)
    }


def main(order: str, run_file: str, qrels_file: str) -> None:
    nested = by_slices if order == "grouped" else by_lists
    run = nested(pl.read_parquet(run_file), "score")
    qrels = by_slices(pl.read_parquet(qrels_file), "relevance")
    evaluated = pytrec_eval.RelevanceEvaluator(qrels, set(MEASURES.values())).evaluate(run)
    means = {
        ours: sum(query[theirs.replace(".", "_")] for query in evaluated.values()) / len(evaluated)
        for ours, theirs in MEASURES.items()
    }
    print(json.dumps(means))


if __name__ == "__main__":
    main(*sys.argv[1:])
