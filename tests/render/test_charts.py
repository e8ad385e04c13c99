"""A chart as SVG, PNG, PDF, JSON and in a notebook; its words in every language; its errors."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

import polars as pl
import pytest

import steelyard as sy
from steelyard.render import charts
from steelyard.render.charts import parts as style
from steelyard.result.result import drawn
from steelyard.text.errors import MetricError, OutputError

LOG = {
    "label": [1, 0, 1, 0, 1, 0, 0, 1],
    "score": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.2, 0.1],
    "user": ["a", "a", "a", "b", "b", "c", "c", "c"],
    "country": ["DE", "DE", "US", "US", "中国", "中国", "FR", "FR"],
}
SVG = "{http://www.w3.org/2000/svg}"


def log_result(**shift):
    return sy.evaluate(
        {**LOG, **shift}, metrics=["auc", "logloss", "gauc"], columns={"query": "user"}, by="country"
    )


def rankings(**run):
    truth = {"q1": ["a", "c"], "q2": ["b"], "q3": ["x"]}
    return sy.evaluate(
        {"q1": ["a", "b", "c"], "q2": ["a", "b"], "q3": ["x"], **run}, truth, ["ndcg@3", "recall@2"]
    )


def classes():
    return sy.evaluate(
        {"label": ["cat", "dog", "dog"], "predicted": ["cat", "cat", "dog"]}, metrics="confusion"
    )


def recommended(**run):
    """Lists of two users with all that is known besides."""
    return sy.evaluate(
        {"u": ["a", "b"], "v": ["a", "c"], **run},
        {"u": ["b"], "v": ["c"]},
        ["ndcg@2", "coverage@2", "diversity@2", "miscalibration@2"],
        catalog=["a", "b", "c", "d"],
        features={"a": "war", "b": "love", "c": "love", "d": "中国"},
        history={"u": ["a"], "v": ["b"]},
    )


def both(make, changed):
    return {"old": make(), "新系统": make(**changed)}


SOURCES = {
    **dict.fromkeys(
        [
            "roc",
            "precision_recall",
            "calibration",
            "gain",
            "lift",
            "score_histogram",
            "slices",
            "gauc_by_size",
            "forest",
            "slice_differences",
        ],
        lambda: both(log_result, {"score": LOG["score"][::-1]}),
    ),
    **dict.fromkeys(
        ["metric_at_k", "per_query", "difference", "scatter"], lambda: both(rankings, {"q1": ["c", "b"]})
    ),
    "confusion": lambda: both(classes, {}),
    **dict.fromkeys(
        ["trade_off", "long_tail", "coverage_at_k", "categories"],
        lambda: both(recommended, {"u": ["d", "b"]}),
    ),
}


def one_and_two(name):
    results = SOURCES[name]() if name in SOURCES else drawable(name)
    if name in charts.of("two"):
        return [drawn(name, results)]
    if name == "trade_off":
        return [charts.chart(name, results)]
    return [charts.chart(name, {"old": results["old"]}), charts.chart(name, results)]


def drawable(name):
    """The first of these results that a new chart can be drawn from."""
    every = (make() for make in dict.fromkeys(SOURCES.values()))
    return next(made for made in every if charts.drawable(name, made["old"]))


@pytest.mark.parametrize("name", charts.names())
def test_svg_stands_alone(name):
    for chart in one_and_two(name):
        for lang in ("en", "zh"):
            text = chart.svg(lang)
            root = ElementTree.fromstring(text)
            assert root.attrib["viewBox"] == f"0 0 {root.attrib['width']} {root.attrib['height']}"
            assert root.attrib["data-chart"] == name
            assert root.attrib["aria-label"].startswith(chart.title.render(lang))
            tags = {element.tag.removeprefix(SVG) for element in root.iter()}
            assert tags <= {"svg", "g", "path", "line", "text", "tspan"}
            attributes = {key for element in root.iter() for key in element.attrib}
            assert not {"id", "href", "style", "onclick", "onload"} & attributes
            assert "url(" not in text
            assert len(text) < 40_000
        assert chart.svg(titled=False).count("<text") < chart.svg().count("<text")


@pytest.mark.parametrize("name", charts.names())
def test_values_can_be_read_off_the_points(name):
    for chart in one_and_two(name):
        labelled = [one for one in ElementTree.fromstring(chart.svg()).iter() if "aria-label" in one.attrib][
            1:
        ]
        assert labelled
        assert all(re.search(r"\d", one.attrib["aria-label"]) for one in labelled)


@pytest.mark.parametrize("name", charts.names())
def test_altair_accepts_every_chart(name):
    for chart in one_and_two(name):
        made = chart.altair()
        assert made.to_dict()["title"]["text"] == str(chart.title)


@pytest.mark.parametrize("name", charts.names())
def test_both_languages_say_the_same_things(name):
    for chart in one_and_two(name):
        english, chinese = chart.spec("en"), chart.spec("zh")
        assert shape(english) == shape(chinese)
        assert re.search(r"[\u4e00-\u9fff]", json.dumps(chinese["title"], ensure_ascii=False))
        own = ("新系统", "中国")
        plain = json.dumps(english, ensure_ascii=False)
        for word in own:
            plain = plain.replace(word, "")
        assert not re.search(r"[\u4e00-\u9fff]", plain)


def shape(value):
    if isinstance(value, dict):
        return {key: shape(one) for key, one in value.items()}
    return [shape(one) for one in value] if isinstance(value, list) else type(value)


@pytest.fixture(scope="module")
def roc():
    return log_result().chart("roc")


def test_png_and_pdf(roc):
    image = roc.png(scale=1)
    width, height = (int(ElementTree.fromstring(roc.svg()).attrib[key]) for key in ("width", "height"))
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(image[16:20], "big") == width
    assert int.from_bytes(image[20:24], "big") == height
    assert int.from_bytes(roc.png(scale=3)[16:20], "big") == 3 * width
    assert roc.pdf().startswith(b"%PDF-")


def test_save_writes_what_the_ending_says(roc, tmp_path):
    roc.save(tmp_path / "roc.svg")
    roc.save(str(tmp_path / "roc.PNG"))
    roc.save(tmp_path / "roc.pdf")
    roc.save(tmp_path / "roc.json", lang="zh")
    assert (tmp_path / "roc.svg").read_text("utf-8") == roc.svg()
    assert (tmp_path / "roc.PNG").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "roc.pdf").read_bytes().startswith(b"%PDF")
    assert json.loads((tmp_path / "roc.json").read_text("utf-8")) == roc.spec("zh")
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize("name", ["roc", "roc.gif", "roc.svg.gz", "missing/roc.svg"])
def test_a_file_that_cannot_be_written(roc, tmp_path, name):
    with pytest.raises(OutputError) as error:
        roc.save(tmp_path / name)
    assert error.value.remedy
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_language(roc):
    with pytest.raises(MetricError, match="unknown language 'de'"):
        roc.svg("de")


def test_a_notebook_gets_vega_lite_svg_and_text(roc):
    bundle = roc._repr_mimebundle_(include=None, exclude=None)
    assert bundle["application/vnd.vegalite.v5+json"] == roc.spec()
    assert bundle["image/svg+xml"] == roc.svg()
    assert bundle["text/plain"] == repr(roc) == "Chart(roc: ROC curve, 9 rows)"


def test_every_figure_has_its_table(roc):
    assert isinstance(roc.table, pl.DataFrame)
    assert roc.table.columns == ["system", "threshold", "fpr", "tpr", "positives", "negatives"]


def test_the_greys_that_a_dark_page_redraws_are_used_as_they_are(roc):
    text = roc.svg()
    for colour in (charts.INK, charts.MUTED, charts.GRID):
        assert f'"{colour}"' in text
    greys = set(re.findall(r'"(#[0-9a-fA-F]{3,6})"', text))
    assert greys <= {charts.INK, charts.MUTED, charts.GRID, *style.PALETTE}


def test_the_font_is_declared_once_with_chinese_ones(roc):
    text = roc.svg("zh")
    assert text.count("font-family") == 1
    assert "Noto Sans CJK SC" in ElementTree.fromstring(text).attrib["font-family"]


def chinese_font() -> bool:
    found = shutil.which("fc-list")
    return bool(found and subprocess.run([found, ":lang=zh"], capture_output=True, check=True).stdout)


def test_chinese_is_drawn_as_letters_and_not_as_boxes():
    if not chinese_font():
        assert os.environ.get("CI") != "true", "a Chinese font is missing: .ci/run installs it"
        pytest.skip("needs a Chinese font: apt-get install fonts-noto-cjk")

    def image(letter):
        values = pl.DataFrame({"country": [None, letter], "value": [0.5, 0.6], "n": [9, 4]}).with_columns(
            ci_low=pl.lit(None, pl.Float64), ci_high=pl.lit(None, pl.Float64)
        )
        return charts.slices({"a": values}, "auc", ["country"]).png(titled=False)

    assert image("中") != image("国")
    assert image("中") == image("中")


def test_one_sentence_where_the_extra_is_not_installed(roc, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    for draw in (roc.svg, roc.png, roc.pdf, lambda: roc.save(tmp_path / "roc.svg")):
        with pytest.raises(OutputError) as error:
            draw()
        assert error.value.remedy == "run `pip install '.[report]'` in the folder of the clone"
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(OutputError, match="not installed"):
        roc.altair()
    assert roc.spec()["title"]["text"] == "ROC curve"


def test_evaluating_imports_nothing_that_draws():
    code = (
        "import sys, steelyard as sy; sy.evaluate([0.8, 0.2], [1, 0], 'auc');"
        "print(sorted({'altair', 'vl_convert', 'jinja2'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
