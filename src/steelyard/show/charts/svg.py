"""Vega-Lite to SVG, PNG and PDF, without a browser."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

from steelyard.messages.errors import showing
from steelyard.show.charts.style import FONT

UNSEEN = "\u2060"  # no name has one: those in the data are spelt out
_NAMESPACE = "http://www.w3.org/2000/svg"
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_GEOMETRY = ("d", "transform", "x2", "y2")
_DEFAULTS = {"opacity": "1", "stroke-width": "0", "pointer-events": "none"}
_INHERITED = (
    *("fill", "fill-opacity", "font-size", "font-weight", "text-anchor"),
    *("stroke", "stroke-dasharray", "stroke-opacity", "stroke-width"),
)
_SPOKEN = ("role", "aria-roledescription", "aria-hidden")


def drawn(spec: dict[str, Any], name: str, label: str) -> str:
    """A specification as SVG: small, alone, without script; ``label`` is what a screen reader says.

    The root names the chart in ``data-chart``; whatever has an ``aria-label`` below it has values to show.
    """
    converter = _converter()
    try:
        made: str = converter.vegalite_to_svg(spec)
    except ValueError as error:
        raise showing.not_drawn(name, str(error)) from error
    root = ElementTree.fromstring(made.replace(f' xmlns="{_NAMESPACE}"', "", 1).replace(UNSEEN, ""))
    _lighten(root)
    size = {key: root.attrib[key] for key in ("width", "height", "viewBox")}
    root.attrib.clear()
    root.attrib.update(
        {
            "xmlns": _NAMESPACE,
            **size,
            "font-family": FONT,
            "role": "img",
            "aria-label": label,
            "data-chart": name,
        }
    )
    return ElementTree.tostring(root, encoding="unicode")


def png(svg: str, scale: float) -> bytes:
    """SVG as PNG."""
    converter = _converter()
    try:
        image: bytes = converter.svg_to_png(svg, scale=scale)
    except ValueError as error:
        raise showing.not_drawn("PNG", str(error)) from error
    return image


def pdf(svg: str) -> bytes:
    """SVG as PDF."""
    converter = _converter()
    try:
        page: bytes = converter.svg_to_pdf(svg)
    except ValueError as error:
        raise showing.not_drawn("PDF", str(error)) from error
    return page


def check_installed() -> None:
    """Refuse before any work where the extra ``report`` is not installed."""
    _converter()


def _converter() -> ModuleType:
    try:
        import altair  # noqa: F401 - one extra, one message
        import vl_convert
    except ImportError:
        raise showing.extra_missing() from None
    module: ModuleType = vl_convert
    return module


def _lighten(element: ElementTree.Element) -> None:
    """Leave out what shows nothing: empty frames, defaults, digits beyond a hundredth of a pixel."""
    for child in list(element):
        if _empty(child):
            element.remove(child)
            continue
        child.attrib.pop("font-family", None)
        # the whole is one image: only what has values keeps its label
        for key in (*_SPOKEN, *(("aria-label",) if child.tag == "g" else ())):
            child.attrib.pop(key, None)
        for key, value in _DEFAULTS.items():
            if child.attrib.get(key) == value:
                del child.attrib[key]
        for key in _GEOMETRY:
            if key in child.attrib:
                child.attrib[key] = _NUMBER.sub(_rounded, child.attrib[key])
        _lighten(child)
    _hoist(element)


def _hoist(group: ElementTree.Element) -> None:
    """What all parts of a group have alike, said once."""
    parts = list(group)
    if group.tag != "g" or len(parts) < 2:
        return
    for key in _INHERITED:
        found = {part.attrib.get(key) for part in parts}
        if len(found) == 1 and (value := found.pop()) is not None:
            group.attrib[key] = value
            for part in parts:
                del part.attrib[key]


def _empty(element: ElementTree.Element) -> bool:
    frame = element.attrib.get("class") in ("background", "foreground")
    return frame and "fill" not in element.attrib and "stroke" not in element.attrib


def _rounded(found: re.Match[str]) -> str:
    return f"{float(found[0]):.2f}".rstrip("0").rstrip(".")
