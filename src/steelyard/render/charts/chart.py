"""A chart as a value: what it draws, the table behind it, what it leaves out; drawn without a browser."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import polars as pl

from steelyard.arguments import is_flag, is_one_of, number_of
from steelyard.printable import fitted
from steelyard.render import output
from steelyard.render.charts.parts import CONFIG, FONT, WIDTH
from steelyard.text import Message, in_language, say
from steelyard.text.errors import OutputError, writing
from steelyard.text.errors.forms import check_language, must_be, number_in, unknown

if TYPE_CHECKING:
    import altair as alt

ENDINGS = (".svg", ".png", ".pdf", ".json")
_LARGEST_SCALE = 20
_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_NOTEBOOK = "application/vnd.vegalite.v5+json"
# what every object of JavaScript has: Vega takes such a text for one of its own operators and fails
_INHERITED = frozenset(
    (
        *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString"),
        *("toString", "valueOf", "__defineGetter__", "__defineSetter__", "__lookupGetter__"),
        *("__lookupSetter__", "__proto__"),
    )
)
_CHARACTER = 5.6  # about how wide one is, in pixels, in a line of notes

_UNSEEN = "\u2060"  # no name has one: those in the data are spelt out
_NAMESPACE = "http://www.w3.org/2000/svg"
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_GEOMETRY = ("d", "transform", "x2", "y2", "fill-opacity")
_DEFAULTS = {"opacity": "1", "stroke-width": "0", "pointer-events": "none"}
_HOISTED = (
    *("fill", "fill-opacity", "font-size", "font-weight", "text-anchor"),
    *("stroke", "stroke-dasharray", "stroke-opacity", "stroke-width"),
)
_SPOKEN = ("role", "aria-roledescription", "aria-hidden")


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Chart:
    """A chart that a notebook shows and that can be saved as SVG, PNG, PDF or Vega-Lite JSON.

    ``table`` holds every figure that is drawn, ``notes`` what a reader should know of what is not.

    >>> import steelyard as sy
    >>> log = {"label": [1, 0, 1, 0], "score": [0.8, 0.2, 0.6, 0.7]}
    >>> sy.evaluate(log, metrics="auc").chart("roc")
    Chart(roc: ROC curve, 5 rows)
    """

    name: str
    title: Message
    drawing: Mapping[str, Any]  # Vega-Lite, with messages among its leaves
    table: pl.DataFrame
    notes: tuple[Message, ...] = ()
    parts: tuple[Chart, ...] = ()  # its panels as charts, if each can be shown alone
    facts: tuple[Message, ...] = ()  # a number or two that the chart shows, for the line below its title

    def spec(self, lang: str = "en", *, titled: bool = True) -> dict[str, Any]:
        """The Vega-Lite specification; without ``titled`` neither title nor notes are in the picture."""
        check_language(lang)
        if not is_flag(titled):
            raise must_be("titled", say("True or False"), titled, kind=OutputError)
        head: dict[str, Any] = {"$schema": _SCHEMA, "description": self.title.render(lang)}
        if titled:
            below = self._below(lang)
            head["title"] = {"text": self.title.render(lang)} | ({"subtitle": below} if below else {})
        body: dict[str, Any] = in_language(self.drawing, lang)
        whole: dict[str, Any] = _told_apart({**head, **body})
        return {**whole, "background": "white", "config": CONFIG}

    def svg(self, lang: str = "en", *, titled: bool = True) -> str:
        """The chart as SVG, on no background, with its values in ``aria-label`` attributes."""
        clear = {**self.spec(lang, titled=titled), "background": None}
        label = self.title
        for fact in self.facts:
            label = say("{said}. {more}", said=label, more=fact)
        return _drawn(clear, self.name, label.render(lang))

    def png(self, lang: str = "en", *, titled: bool = True, scale: float = 2.0) -> bytes:
        """The chart as PNG, on white; ``scale`` 1 is the size in pixels that SVG has."""
        times = number_of(scale)
        if times is None or not 0 < times <= _LARGEST_SCALE:
            remedy = say("give one above 0, at most {most}", most=_LARGEST_SCALE)
            raise must_be("scale", number_in(), scale, remedy=remedy, kind=OutputError)
        whole = self.spec(lang, titled=titled)
        return _converted("png", _drawn(whole, self.name, self.name), scale=times)

    def pdf(self, lang: str = "en", *, titled: bool = True) -> bytes:
        """The chart as PDF."""
        clear = {**self.spec(lang, titled=titled), "background": None}
        return _converted("pdf", _drawn(clear, self.name, self.name))

    def render(self, ending: str, lang: str = "en") -> bytes:
        """The chart in the form that the ending of a file name says."""
        if not is_one_of(ending, ENDINGS):
            said = say("a chart has no form {ending}", ending=repr(ending))
            raise unknown(said, ending, ENDINGS, kind=OutputError)
        if ending == ".png":
            return self.png(lang)
        if ending == ".pdf":
            return self.pdf(lang)
        if ending == ".svg":
            return self.svg(lang).encode()
        return json.dumps(self.spec(lang), ensure_ascii=False, allow_nan=False).encode()

    def save(self, path: str | Path, lang: str = "en") -> None:
        """Write the chart, whole or not at all, in the form that the ending says: svg, png, pdf or json."""
        target = output.path_of(path)
        ending = ending_of(target)
        output.check_writable(target)
        output.write_bytes(target, self.render(ending, lang))

    def with_notes(self, *more: Message) -> Chart:
        """The same chart with more notes."""
        return dataclasses.replace(self, notes=(*self.notes, *more))

    def altair(self, lang: str = "en") -> alt.TopLevelMixin:
        """The chart as an Altair object, to be changed further."""
        try:
            import altair
        except ImportError:
            raise writing.extra_missing() from None
        made: alt.TopLevelMixin = altair.Chart.from_dict(self.spec(lang))
        return made

    def _below(self, lang: str) -> list[str]:
        room = int(_width(self.drawing) / _CHARACTER)
        sentences = [" · ".join(in_language(self.facts, lang)), *in_language(self.notes, lang)]
        return [line for sentence in sentences if sentence for line in fitted(sentence, room)]

    def _repr_mimebundle_(self, **_options: object) -> dict[str, Any]:
        return {_NOTEBOOK: self.spec(), "image/svg+xml": self.svg(), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"Chart({self.name}: {self.title}, {self.table.height:,} rows)"


def ending_of(path: str | Path) -> str:
    """The ending of a file name, if a chart can be written so; a device or a pipe, which has none, takes SVG.

    >>> ending_of("charts/roc.SVG")
    '.svg'
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS and output.is_stream(Path(path)):
        return ".svg"
    if ending not in ENDINGS:
        raise writing.unknown_ending(say("the chart {path}", path=path), ENDINGS)
    return ending


def _told_apart(value: Any) -> Any:
    """The same with each text that Vega would mistake followed by a mark that no reader sees."""
    if isinstance(value, str):
        return value + _UNSEEN if value in _INHERITED else value
    if isinstance(value, dict):
        return {key: _told_apart(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_told_apart(one) for one in value]
    return value


def _width(drawing: Mapping[str, Any]) -> float:
    """How wide the widest part is, without its axes."""
    widths: list[float] = [drawing["width"]] if isinstance(drawing.get("width"), int | float) else []
    widths += [_width(part) for part in drawing.get("vconcat", [])]
    widths += [drawing["columns"] * _width(part) for part in drawing.get("concat", [])]
    return max([*widths, WIDTH * 0.75])


def _drawn(spec: dict[str, Any], name: str, label: str) -> str:
    """A specification as SVG: small, alone, without script; ``label`` is what a screen reader says.

    The root names the chart in ``data-chart``; whatever has an ``aria-label`` below it has values to show.
    """
    converter = _converter()
    try:
        svg: str = converter.vegalite_to_svg(spec)
    except ValueError as error:
        raise writing.not_drawn(name, str(error)) from error
    root = ElementTree.fromstring(svg.replace(f' xmlns="{_NAMESPACE}"', "", 1).replace(_UNSEEN, ""))
    _lighten(root)
    size = {key: root.attrib[key] for key in ("width", "height", "viewBox")}
    root.attrib.clear()
    spoken = {"role": "img", "aria-label": label, "data-chart": name}
    root.attrib.update({"xmlns": _NAMESPACE, **size, "font-family": FONT, **spoken})
    return ElementTree.tostring(root, encoding="unicode")


_MAKERS: dict[str, Callable[..., bytes]] = {
    "png": lambda converter, drawn, **options: converter.svg_to_png(drawn, **options),
    "pdf": lambda converter, drawn, **options: converter.svg_to_pdf(drawn, **options),
}


def _converted(form: str, drawn: str, **options: float) -> bytes:
    try:
        content: bytes = _MAKERS[form](_converter(), drawn, **options)
    except ValueError as error:
        raise writing.not_drawn(form.upper(), str(error)) from error
    return content


def check_installed() -> None:
    _converter()


def _converter() -> ModuleType:
    try:
        import altair  # noqa: F401 - one extra, one message
        import vl_convert
    except ImportError:
        raise writing.extra_missing() from None
    module: ModuleType = vl_convert
    return module


def _lighten(element: ElementTree.Element) -> None:
    """Leave out what shows nothing: empty frames, defaults, digits beyond a hundredth of a pixel."""
    for child in list(element):
        frame = child.attrib.get("class") in ("background", "foreground")
        if frame and "fill" not in child.attrib and "stroke" not in child.attrib:
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
    parts = list(group)
    if group.tag != "g" or len(parts) < 2:
        return
    for key in _HOISTED:
        found = {part.attrib.get(key) for part in parts}
        if len(found) == 1 and (value := found.pop()) is not None:
            group.attrib[key] = value
            for part in parts:
                del part.attrib[key]


def _rounded(found: re.Match[str]) -> str:
    return f"{float(found[0]):.2f}".rstrip("0").rstrip(".")
