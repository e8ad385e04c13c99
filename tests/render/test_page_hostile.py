"""Whatever ids and names contain is text on the page, and however many there are, the page stays small."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest

import steelyard as sy

HOSTILE = [
    "<script>alert(1)</script>",
    '"onmouseover="alert(1)',
    "'><img src=x onerror=alert(1)>",
    "</style></script><svg onload=alert(1)>",
    "]]>--><!-- x",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;b&gt;",
    "javascript:alert(1)",
    "\u202egpj.exe",
    "\u2066\u200fשלום",
    "a\x00b\r\nc\x1b[31m",
    "x" * 10_000,
    "\ufffe\uffff😀",
]
SCRIPTS = {"script", "style"}
OURS = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "a",
        "header",
        "nav",
        "ul",
        "li",
        "span",
        "div",
        "button",
    ),
    *(
        "fieldset",
        "legend",
        "label",
        "input",
        "select",
        "option",
        "main",
        "section",
        "h1",
        "h2",
        "h3",
        "h4",
        "p",
        "b",
        "i",
        "bdi",
        "wbr",
    ),
    *(
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "small",
        "dl",
        "dt",
        "dd",
        "figure",
        "figcaption",
    ),
    *("details", "summary", "pre", "footer", "script"),
    *(
        "svg",
        "g",
        "path",
        "line",
        "rect",
        "text",
        "tspan",
        "defs",
        "clippath",
        "lineargradient",
        "stop",
        "circle",
    ),
}


class Tags(HTMLParser):
    """Every tag and every text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.sentence: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.sentence.append(data)

    def handle_comment(self, data):
        pytest.fail(f"a comment: {data}")


def harmless(text: str) -> Tags:
    page = Tags(text)
    assert [tag for tag, _ in page.tags if tag in SCRIPTS] == ["style", "script"]
    for tag, attrs in page.tags:
        assert tag in OURS
        assert not any(key.startswith("on") or key in ("src", "style") for key in attrs)
        assert attrs.get("href", "#").startswith("#")
    return page


@pytest.fixture(scope="module")
def ranked() -> sy.Result:
    rows = [(query, item, float(-at)) for query in HOSTILE for at, item in enumerate(HOSTILE)]
    run = pl.DataFrame(rows, schema=["query", "item", "score"], orient="row")
    graded = [
        (query, HOSTILE[(at + step) % len(HOSTILE)], step, query)
        for at, query in enumerate(HOSTILE[:-1])
        for step in (0, 1, 2)
    ]
    truth = pl.DataFrame(graded, schema=["query", "item", "relevance", "<b>site</b>"], orient="row")
    return sy.evaluate(run, truth, ["ndcg@10", "mrr"], by="<b>site</b>")


def test_rankings(ranked, tmp_path):
    systems = dict.fromkeys(HOSTILE, ranked)
    sy.report(systems, tmp_path / "report.html", title=HOSTILE[0] + HOSTILE[-2])
    page = harmless((tmp_path / "report.html").read_text("utf-8"))
    words = "".join(page.sentence)
    for name in HOSTILE[:4]:
        assert sum(name[:12] in text for text in page.sentence) > 10
    assert "\\u202egpj.exe" in words
    assert not set("\x00\x1b\u202e\u2066\u200f") & set(words)
    assert "x" * 100 not in words
    assert "xxx…xxx" in words
    assert "49" not in {text.strip() for text in page.sentence}  # no template was run: 7 * 7


def test_a_single_system(ranked):
    harmless(ranked.to_html(title=HOSTILE[3]))


def test_rows():
    n = len(HOSTILE) * 20
    log = pl.DataFrame(
        {
            "label": [at % 3 % 2 for at in range(n)],
            "score": np.linspace(0, 1, n),
            "user": HOSTILE * 20,
            '"><script>': HOSTILE * 20,
        }
    )
    result = sy.evaluate(log, metrics=["auc", "gauc"], columns={"query": "user"}, by='"><script>')
    harmless(result.to_html())


def test_classes():
    log = {"label": HOSTILE * 8, "predicted": [*HOSTILE[3:], *HOSTILE[:3]] * 8}
    result = sy.evaluate(log, metrics=["f1(average=macro)", "f1(average=none)", "confusion"])
    harmless(result.to_html())


def test_a_file_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "<img src=x onerror=alert(1)>.csv"
    (tmp_path / name).write_text("label,score\n1,0.9\n0,0.2\n")
    assert "&lt;img" in sy.evaluate(name, metrics="auc").to_html()
    harmless(sy.evaluate(name, metrics="auc").to_html())


def test_many_queries_and_slices_make_a_small_page():
    n, slices = 60_000, 10_000
    rng = np.random.default_rng(1)
    run = pl.DataFrame(
        {"query": np.repeat(np.arange(n), 2), "item": np.tile([0, 1], n), "score": rng.random(2 * n)}
    )
    truth = pl.DataFrame(
        {
            "query": np.arange(n),
            "item": rng.integers(0, 2, n),
            "relevance": np.ones(n, np.int64),
            "site": [f"site {at % slices}" for at in range(n)],
        }
    )
    result = sy.evaluate(run, truth, ["ndcg@10", "mrr", "recall@1"], by="site")
    text = result.to_html()
    assert len(text.encode()) < 600_000
    words = " ".join("".join(harmless(text).sentence).split())
    assert "100 of 10,000 are shown: the 50 lowest and the 50 highest by ndcg@10." in words
    assert "The other 9,900 are in result.table(), or --format csv." in words


def test_many_systems_and_metrics_make_a_small_page(tmp_path):
    truth = {f"q{n}": {"a": 1} for n in range(20)}
    asked = [f"ndcg@{k}" for k in range(1, 41)]
    one = sy.evaluate({f"q{n}": {"a": 1.0, "b": n / 10} for n in range(20)}, truth, asked)
    sy.report({f"system {n}": one for n in range(30)}, tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size < 2_500_000


def test_many_classes_make_a_small_page():
    labels = [f"class {n % 500}" for n in range(2_000)]
    log = {"label": labels, "predicted": [*labels[7:], *labels[:7]]}
    text = sy.evaluate(log, metrics=["f1(average=none)", "confusion"]).to_html()
    assert len(text.encode()) < 600_000
    assert "100 of 500 are shown" in text
