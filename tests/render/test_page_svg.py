"""A chart in the page: shapes and text only, in the page's colours, each system by itself."""

from __future__ import annotations

from xml.etree import ElementTree

from steelyard.render.charts.parts import GRID, INK, MUTED, PALETTE
from steelyard.render.page.figures import placed

DRAWN = f"""\
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100" height="50"
 viewBox="0 0 100 50" style="x" role="img" aria-label="a &lt;chart&gt;" data-chart="roc" onload="alert(1)">
<script>alert(1)</script><style>*{{}}</style><image href="x"/><foreignObject/>
<a href="x"><text>gone</text></a>
<defs><clipPath id="clip0"><rect width="1" height="1"/></clipPath></defs>
<g class="mark-line" clip-path="url(#clip0)" stroke="{GRID}"><path d="M0,0" stroke="{PALETTE[0]}"/></g>
<path aria-label="new: 0.5" fill="{PALETTE[1].upper()}" style="y"/>
<path aria-label="old: 0.4" fill="#123456"/>
<g class="legend"><g transform="t"><g>
<g class="mark-symbol role-legend-symbol"><path stroke="{PALETTE[1]}"/></g>
<g class="mark-text role-legend-label"><text fill="{INK}">new · area 0.5</text></g>
</g></g></g>
<text fill="{MUTED}">1 &lt; 2 xmlns="kept"</text></svg>"""


def test_only_shapes_and_text():
    found = placed(DRAWN, "f", [])
    tags = {element.tag for element in ElementTree.fromstring(found).iter()}
    assert tags == {"svg", "defs", "clipPath", "rect", "g", "path", "text"}
    for gone in ("script", "style", "href", "onload", "alert", "http", "class=", "gone"):
        assert gone not in found
    assert '1 &lt; 2 xmlns="kept"' in found


def test_its_name_size_and_ids():
    found = placed(DRAWN, "f7", [])
    root = ElementTree.fromstring(found)
    assert root.attrib == {
        "width": "120",
        "height": "60",
        "viewBox": "0 0 100 50",
        "role": "img",
        "aria-label": "a <chart>",
    }
    assert 'id="f7-clip0"' in found
    assert 'clip-path="url(#f7-clip0)"' in found


def test_colours_are_those_of_the_page():
    found = placed(DRAWN, "f", [])
    for colour in (INK, MUTED, GRID, *PALETTE):
        assert colour.lower() not in found.lower()
    for name in ("--ink", "--muted", "--grid", "--s0", "--s1"):
        assert f'"var({name})"' in found
    assert "#123456" in found


def test_without_systems_nothing_is_marked():
    assert "data-s=" not in placed(DRAWN, "f", [])


def test_what_belongs_to_a_system_is_marked():
    root = ElementTree.fromstring(placed(DRAWN, "f", [3, 9]))
    marked = [
        (element.tag, element.attrib["data-s"]) for element in root.iter() if "data-s" in element.attrib
    ]
    # by their colours: the line of old, the point of new, its entry of the legend and the symbol there
    assert marked == [("path", "3"), ("path", "9"), ("g", "9"), ("path", "9")]
    tips = [element.attrib["data-tip"] for element in root.iter() if "data-tip" in element.attrib]
    assert tips == ["new: 0.5", "old: 0.4"]
    # places give the colours, seven of them in turn
    assert [element.attrib.get("stroke") for element in root.iter("path")][:1] == ["var(--s3)"]
    assert [element.attrib.get("fill") for element in root.iter("path")][1] == "var(--s2)"
