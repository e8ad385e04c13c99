"""A chart as a value: what it draws, the table behind it, and what it leaves out."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from steelyard.arguments import is_one_of, number_of
from steelyard.messages import Message, say, told
from steelyard.messages.errors import OutputError, showing, writing
from steelyard.messages.errors.forms import must_be, number_in, unknown
from steelyard.messages.errors.languages import check_language
from steelyard.printable import fitted
from steelyard.show import output, streams
from steelyard.show.charts import svg
from steelyard.show.charts.style import CONFIG, WIDTH

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
    parts: tuple[Chart, ...] = ()  # its panels as charts, where each can stand alone
    facts: tuple[Message, ...] = ()  # a number or two that the chart shows, for the line below its title

    def spec(self, lang: str = "en", *, titled: bool = True) -> dict[str, Any]:
        """The Vega-Lite specification; without ``titled`` neither title nor notes are in the picture."""
        check_language(lang)
        head: dict[str, Any] = {"$schema": _SCHEMA, "description": self.title.told(lang)}
        if titled:
            below = self._below(lang)
            head["title"] = {"text": self.title.told(lang)} | ({"subtitle": below} if below else {})
        body: dict[str, Any] = told(self.drawing, lang)
        whole: dict[str, Any] = _told_apart({**head, **body})
        return {**whole, "background": "white", "config": CONFIG}

    def svg(self, lang: str = "en", *, titled: bool = True) -> str:
        """The chart as SVG, on no background, with its values in ``aria-label`` attributes."""
        clear = {**self.spec(lang, titled=titled), "background": None}
        label = self.title
        for fact in self.facts:
            label = say("{said}. {more}", said=label, more=fact)
        return svg.drawn(clear, self.name, label.told(lang))

    def png(self, lang: str = "en", *, titled: bool = True, scale: float = 2.0) -> bytes:
        """The chart as PNG, on white; ``scale`` 1 is the size in pixels that SVG has."""
        times = number_of(scale)
        if times is None or not 0 < times <= _LARGEST_SCALE:
            remedy = say("give one above 0, at most {most}", most=_LARGEST_SCALE)
            raise must_be("scale", number_in(), scale, remedy=remedy, kind=OutputError)
        whole = self.spec(lang, titled=titled)
        return svg.png(svg.drawn(whole, self.name, self.name), times)

    def pdf(self, lang: str = "en", *, titled: bool = True) -> bytes:
        """The chart as PDF."""
        clear = {**self.spec(lang, titled=titled), "background": None}
        return svg.pdf(svg.drawn(clear, self.name, self.name))

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
            raise showing.extra_missing() from None
        made: alt.TopLevelMixin = altair.Chart.from_dict(self.spec(lang))
        return made

    def _below(self, lang: str) -> list[str]:
        """The lines below the title: the figures in one, then the notes."""
        room = int(_width(self.drawing) / _CHARACTER)
        sentences = [" · ".join(told(self.facts, lang)), *told(self.notes, lang)]
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
    if ending not in ENDINGS and streams.is_stream(Path(path)):
        return ".svg"
    if ending not in ENDINGS:
        raise writing.unknown_ending(say("the chart {path}", path=path), ENDINGS)
    return ending


def _told_apart(value: Any) -> Any:
    """The same with each text that Vega would mistake followed by a mark that no reader sees."""
    if isinstance(value, str):
        return value + svg.UNSEEN if value in _INHERITED else value
    if isinstance(value, dict):
        return {key: _told_apart(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_told_apart(one) for one in value]
    return value


def _width(drawing: Mapping[str, Any]) -> float:
    """How wide the widest part is, without its axes."""
    widths = [drawing["width"]] if isinstance(drawing.get("width"), int | float) else []
    widths += [_width(part) for part in drawing.get("vconcat", [])]
    widths += [drawing["columns"] * _width(part) for part in drawing.get("concat", [])]
    beside = sum(_width(part) for part in drawing.get("hconcat", []))
    widest: float = max([*widths, beside, WIDTH * 0.75])
    return widest
