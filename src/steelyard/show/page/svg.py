"""A chart's SVG as part of the page: only shapes and text, in the page's colours, each system by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from steelyard.show.charts.style import GRID, INK, MUTED, PALETTE

_SHAPES = {
    "svg",
    "g",
    "path",
    "line",
    "rect",
    "circle",
    "text",
    "tspan",
    "defs",
    "clipPath",
    "linearGradient",
    "stop",
}
_DROPPED = {"xmlns", "style", "class", "href", "role", "font-family", "data-chart", "aria-label"}
_GREYS = {INK.lower(): "var(--ink)", MUTED.lower(): "var(--muted)", GRID.lower(): "var(--grid)"}
_COLOURED = ("fill", "stroke", "stop-color", "color")
_REFERENCE = re.compile(r"url\(#([\w-]+)\)")
_NAMESPACE = re.compile(r'\sxmlns(:\w+)?="[^"]*"')
SCALE = 1.2
_LEGEND = "role-legend-label"


def placed(drawn: str, prefix: str, systems: Sequence[int]) -> str:
    """The chart for its place in the page; ``prefix`` keeps its ids apart from those of other charts.

    ``systems`` are the places in the page of the systems that the chart tells apart by colour, none where it
    does not. What belongs to one is marked ``data-s``; what a point says is in ``data-tip``.
    """
    head, end, rest = drawn.partition(">")
    root = ElementTree.fromstring(_NAMESPACE.sub("", head) + end + rest)
    label = root.attrib.get("aria-label", "")
    _adapt(root, prefix, systems)
    root.attrib.pop("data-tip", None)
    size = {key: f"{SCALE * float(root.attrib[key]):.0f}" for key in ("width", "height")}
    root.attrib.update({**size, "role": "img", "aria-label": label})
    return ElementTree.tostring(root, encoding="unicode")


def _adapt(element: ElementTree.Element, prefix: str, systems: Sequence[int]) -> None:
    for child in list(element):
        if child.tag not in _SHAPES:
            element.remove(child)
            continue
        entry = _is_entry(child)
        _adapt(child, prefix, systems)
        if entry and (inside := [one.attrib["data-s"] for one in child.iter() if "data-s" in one.attrib]):
            child.set("data-s", inside[0])
    said = element.attrib.get("aria-label", "")
    for key in list(element.attrib):
        if key in _DROPPED or key.startswith(("on", "aria-", "{", "xlink")):
            del element.attrib[key]
    if said:
        element.set("data-tip", said)
    if "id" in element.attrib:
        element.set("id", f"{prefix}-{element.attrib['id']}")
    for key, value in element.attrib.items():
        if "url(" in value:
            element.set(key, _REFERENCE.sub(rf"url(#{prefix}-\1)", value))
    for key in _COLOURED:
        if key in element.attrib:
            _colour(element, key, systems)


def _colour(element: ElementTree.Element, key: str, systems: Sequence[int]) -> None:
    """A colour of the charts as one that the page's light and dark give a value to."""
    value = element.attrib[key].lower()
    if value in _GREYS:
        element.set(key, _GREYS[value])
    elif value in _PALETTE:
        at = _PALETTE.index(value)
        element.set(key, f"var(--s{(systems[at] if at < len(systems) else at) % len(_PALETTE)})")
        if at < len(systems):
            element.set("data-s", str(systems[at]))


def _is_legend(group: ElementTree.Element) -> bool:
    return _LEGEND in group.attrib.get("class", "")


def _is_entry(element: ElementTree.Element) -> bool:
    """The group that holds one symbol of a legend and its label."""
    inner = [child for wrapper in element for child in wrapper]
    return element.tag == "g" and sum(map(_is_legend, inner)) == 1


_PALETTE = [colour.lower() for colour in PALETTE]
