"""Light and dark, in either language, everybody can read the report of the demonstration."""

from __future__ import annotations

import pytest

from .page import Page

# By the browser's own setting, or by the button against it.
SCHEMES = {
    "light": dict(dark=False, button=False),
    "dark": dict(dark=True, button=False),
    "light by the button": dict(dark=True, button=True),
    "dark by the button": dict(dark=False, button=True),
}
AXE = """
const done = arguments[0];
axe.run(document, { resultTypes: ['violations'], preload: false })
  .then((found) => found.violations, (error) => [{ id: String(error), impact: 'critical', nodes: [] }])
  .then(done);
"""


def shown(page: Page, scheme: str, lang: str, width: int = 1280) -> Page:
    page.open(width=width, dark=SCHEMES[scheme]["dark"]).speak(lang)
    if SCHEMES[scheme]["button"]:
        page.click("#theme")
    return page


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_scheme_is_the_one_that_is_asked_for(demo_page, scheme):
    shown(demo_page, scheme, "en")
    dark = scheme.startswith("dark")
    ground = demo_page.run("return getComputedStyle(document.body).backgroundColor")
    assert (ground != "rgb(255, 255, 255)") is dark
    assert demo_page.one("#theme").get_attribute("aria-pressed") == str(dark).lower()


@pytest.mark.parametrize(
    ("scheme", "lang"),
    [
        ("light", "en"),
        ("dark", "zh"),
        pytest.param("light by the button", "zh", marks=pytest.mark.long),
        pytest.param("dark by the button", "en", marks=pytest.mark.long),
    ],
)
def test_every_word_stands_out(demo_page, scheme, lang):
    texts = shown(demo_page, scheme, lang).unfold().look("texts")
    assert sum(drawn for _, drawn, _ in texts) > 100
    assert sum(not drawn for _, drawn, _ in texts) > 500
    assert sorted({(round(ratio, 2), where) for ratio, _, where in texts if ratio < 4.5}) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_mark_stands_out(demo_page, scheme):
    marks = shown(demo_page, scheme, "en").look("marks")
    assert len(marks) > 100
    assert sorted({(round(ratio, 2), where) for ratio, where in marks if ratio < 3}) == []


@pytest.mark.parametrize(
    ("scheme", "lang", "width"),
    [
        ("dark", "en", 1280),
        pytest.param("light", "zh", 390, marks=pytest.mark.long),
        pytest.param("light", "en", 1280, marks=pytest.mark.long),
        pytest.param("dark by the button", "zh", 1280, marks=pytest.mark.long),
    ],
)
def test_axe_finds_no_fault(demo_page, axe, scheme, lang, width):
    shown(demo_page, scheme, lang, width).unfold().run(axe)
    found = demo_page.driver.execute_async_script(AXE)
    faults = [
        (
            fault["impact"],
            fault["id"],
            len(fault["nodes"]),
            *(node["html"][:200] for node in fault["nodes"][:3]),
        )
        for fault in found
    ]
    assert faults == []
