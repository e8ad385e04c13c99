"""Every word there is, there is in both languages."""

from __future__ import annotations

import re
import string

import pytest

import steelyard as sy
from steelyard.explain.words import WORDS, say

CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.mark.parametrize("key", WORDS)
def test_both_languages_say_it_with_the_same_numbers(key):
    en, zh = WORDS[key]
    assert en
    assert zh
    assert not CHINESE.search(en)
    assert CHINESE.search(zh) or zh == en  # a symbol
    fields = [{name for _, name, _, _ in string.Formatter().parse(text) if name} for text in (en, zh)]
    assert fields[0] == fields[1]


def test_what_has_no_entry_is_itself():
    assert say("a class of one's own", "zh") == "a class of one's own"


KNOWN = re.compile(
    r"Järvelin|Kekäläinen|Burges|McClish|DCG|nDCG|log2|min|max|beta|ideal=full|undefined=\w+|empty=\w+|f1|R\b|k\b"
)
RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 2.0, "d": 1.0}, "q2": {"a": 1.0}, "q3": {}}
TRUTH = {"q1": {"b": 2, "c": 1, "z": 3, "d": 0}, "q2": {"b": 0}, "q3": {"a": 1}}


METRICS = (
    *("ndcg@3", "ndcg(ideal=full)@3", "map@2", "map(denominator=hits)@2", "mrr", "mrr@1", "hit_rate@2"),
    *("precision@3", "recall@3", "f1@2", "r_precision", "cg", "dcg", "idcg"),
)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("ties", ["expected", "item_desc"])
def test_chinese_has_no_english_left(metric, ties):
    asked = sy.metric(metric)
    result = sy.evaluate({key: value for key, value in RUN.items() if value}, TRUTH, asked, ties=ties)
    for query in ("q1", "q2", "q3"):
        told = result.explain(metric, query, lang="zh").to_text()
        rest = re.sub(r"[a-z_0-9]+\([^)]*\)(@\d+)?|[a-z_0-9]+@\d+", "", told)  # metrics as text
        rest = re.sub(r"\b\w+=[\w.:/]+", "", rest)  # fields with their choice
        rest = KNOWN.sub("", rest.replace(asked.name, "").replace(query, ""))
        rest = re.sub(r"^  \S+ +[abcdz] ", "", rest, flags=re.MULTILINE)  # items
        assert not re.findall(r"[A-Za-z]{2,}", rest), told
