"""What a reader sees: aligned, within the width, in either language, the arithmetic worked by hand."""

from __future__ import annotations

from math import log2

import pytest
from rich.cells import cell_len

import steelyard as sy

from .reading import arithmetic, numbers, tables

DCG = 7 / log2(2) + 3 / log2(3) + 7 / log2(4) + 0 / log2(5) + 1 / log2(6)
IDEAL = 7 / log2(2) + 7 / log2(3) + 3 / log2(4) + 1 / log2(5) + 0 / log2(6)


@pytest.fixture
def made():
    return sy.explain("ndcg(gain=exp2)@5", grades=[3, 2, 3, 0, 1])


def test_the_example_of_the_issue(made):
    assert made.value == pytest.approx(DCG / IDEAL, abs=1e-12)
    text = made.to_text()
    listed, ideal = tables(text)
    assert {name: cells[:5] for name, cells in listed.items()} == {
        "rank": ["1", "2", "3", "4", "5"],
        "grade": ["3", "2", "3", "0", "1"],
        "gain": ["7", "3", "7", "0", "1"],
        "discount": ["1.0000", "0.6309", "0.5000", "0.4307", "0.3869"],
        "gain × discount": ["7.0000", "1.8928", "3.5000", "0.0000", "0.3869"],
        "running": ["7.0000", "8.8928", "12.3928", "12.3928", "12.7796"],
    }
    assert listed["gain × discount"][5] == f"{DCG:.4f}"
    assert ideal["grade"][:5] == ["3", "3", "2", "1", "0"]
    assert ideal["gain × discount"] == ["7.0000", "4.4165", "1.5000", "0.4307", "0.0000", f"{IDEAL:.4f}"]
    assert arithmetic(text)[-1] == ("ndcg", "12.7796 / 13.3472", "0.9575")
    assert "  ndcg = 12.7796 / 13.3472 = 0.9575" in text.splitlines()
    # 3/1 + 2/log2(3) + 3/2 + 1/log2(6) over 3/1 + 3/log2(3) + 2/2 + 1/log2(5)
    linear = (3 + 2 / log2(3) + 3 / 2 + 1 / log2(6)) / (3 + 3 / log2(3) + 2 / 2 + 1 / log2(5))
    assert f"gain=linear        {linear:.4f}  the grade itself" in text
    assert "the same with k=all, ideal=judged_uncut" in text


def test_side_by_side_only_where_there_is_room(made):
    beside, below = made.to_text(width=120), made.to_text(width=80)
    assert any("as ranked" in line and "best order" in line for line in beside.splitlines())
    assert not any("as ranked" in line and "best order" in line for line in below.splitlines())
    assert max(map(cell_len, below.splitlines())) <= 80
    assert numbers(tables(beside)[1]["gain × discount"]) == numbers(tables(below)[1]["gain × discount"])


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    "metric", ["ndcg@5", "map@5", "mrr", "precision@3", "fbeta(beta=2)@3", "hit_rate@2", "r_precision", "cg"]
)
def test_eighty_columns(metric, lang):
    text = sy.explain(metric, grades=[3, 2, 3, 0, 1, 0, 2], judged=[3, 3, 2, 2, 1, 1, 0], lang=lang).to_text(
        width=80
    )
    assert max(map(cell_len, text.splitlines())) <= 80, text


def test_worked_by_hand():
    # relevant at ranks 1, 3 and 4, four relevant in all
    made = sy.explain("map", grades=[1, 0, 1, 1], judged=[1, 1, 1, 1])
    assert made.value == (1 / 1 + 2 / 3 + 3 / 4) / 4
    assert arithmetic(made.to_text())[-1] == ("map", f"{1 / 1 + 2 / 3 + 3 / 4:.4f} / 4", "0.6042")
    assert arithmetic(sy.explain("mrr", grades=[0, 0, 1]).to_text())[-1] == ("mrr", "1 / 3", "0.3333")
    made = sy.explain("fbeta(beta=2)@2", grades=[1, 0], judged=[1, 1, 1])
    assert arithmetic(made.to_text()) == [
        ("precision", "1 / 2", "0.5000"),
        ("recall", "1 / 3", "0.3333"),
        ("fbeta", "(1 + 2^2) × 1 / (2^2 × 3 + 2)", f"{5 / 14:.4f}"),
    ]


def test_an_undefined_value():
    made = sy.explain("recall@2", grades=[0, 0])
    assert arithmetic(made.to_text())[-1] == ("recall", "0 / 0", "–")
    assert "! there is no relevant item, so that the value is undefined." in made.to_text()
    assert "因此值无定义" in made.to_text("zh")
    made = sy.explain("map@2", grades=[0, 0], undefined="zero")
    assert arithmetic(made.to_text())[-1] == ("map", None, "0.0000")
    assert "an undefined value counts 0 here (undefined=zero)" in made.to_text()
    made = sy.explain("mrr(empty=skip)@1", grades=[0, 1])
    assert arithmetic(made.to_text())[-1] == ("mrr", None, "undefined")
    assert "or with empty=skip no hit, so that the value is undefined" in " ".join(made.to_text().split())


def test_long_lists_show_the_first_and_the_hits():
    grades = [0.0] * 1000
    for rank in (3, 400, 777):
        grades[rank - 1] = 1.0
    made = sy.explain("dcg", grades=grades)
    text = made.to_text()
    (table,) = tables(text)
    assert table["rank"][:12] == [*map(str, range(1, 11)), "400", "777"]
    assert sum(numbers(table["gain × discount"][:12])) == pytest.approx(
        float(table["gain × discount"][12]), abs=1e-3
    )
    assert "… rows without a grade that counts, not shown: 988" in text
    assert made.recomputed() == pytest.approx(1 / log2(4) + 1 / log2(401) + 1 / log2(778), abs=1e-12)
    many = sy.explain("precision@all", grades=[1] * 100)
    assert len(tables(many.to_text())[0]["rank"]) <= 32
    assert "… rows not shown: 70, 70 of them with a grade that counts" in many.to_text()


def test_below_the_cutoff_nothing_is_read():
    text = sy.explain("precision@2", grades=[1, 0, 1, 1]).to_text()
    assert [cell for cell in tables(text)[0]["rank"] if cell] == ["1", "2"]
    assert "items below the cutoff, which are not read: 2" in text


def test_text_is_the_language_asked_for(made):
    assert str(made) == made.to_text() == repr(made)
    zh = sy.explain("ndcg(gain=exp2)@5", grades=[3, 2, 3, 0, 1], lang="zh")
    assert str(zh) == made.to_text("zh")
    assert all(word in str(zh) for word in ("增益", "折损", "理想排序", "归一化折损累计增益"))
    with pytest.raises(sy.SteelyardError, match="unknown language 'fr'"):
        sy.explain("mrr", grades=[1], lang="fr")


def test_a_mapping_is_told():
    text = sy.explain("dcg(gain=1:3/2:9)", grades=[2, 1]).to_text()
    assert "gain=1:3/2:9   a mapping from grade to gain" in text
    assert arithmetic(text)[-1] == ("dcg", None, f"{9 + 3 / log2(3):.4f}")
