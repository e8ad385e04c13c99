"""Lists as a whole: the long tail, coverage at every cutoff, accuracy against the rest, categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from steelyard.engine.kept import TOP, ListSummary, summary_of
from steelyard.metrics.curves import Curve
from steelyard.render.charts import parts as style
from steelyard.render.charts.chart import Chart
from steelyard.render.charts.curves import CurveLines, cutoffs, panel
from steelyard.render.charts.parts import (
    Layer,
    Row,
    Systems,
    along,
    first_metrics,
    layer,
    line,
    names_axis,
    quantity,
    remark,
    share_axis,
    with_system,
)
from steelyard.stats.measured import Measured
from steelyard.text import Message, say
from steelyard.text.errors import writing
from steelyard.text.labels import number, percent
from steelyard.text.names import distinct, shown

MOST_SHOWN = 20  # categories
_CATALOG, _EXPOSURE = say("share of the catalogue, shown least first"), say("share of exposure")
_ARGUED = ("diversity", "novelty")  # what people set against accuracy first
_WIDTH = 300


def summary(one: Measured) -> ListSummary | None:
    return summary_of(one.state, getattr(one.metric, "k", None))


def has_catalog(one: Measured) -> bool:
    """Whether it is known of the lists that a metric read which items they could have shown."""
    return (found := summary(one)) is not None and found.n_items > 0


def has_categories(one: Measured) -> bool:
    return (found := summary(one)) is not None and found.categories is not None


def is_beyond(one: Measured) -> bool:
    return one.metric.reads == "lists" and not one.entries and bool(np.isfinite(one.whole[0]))


def long_tail(measured: Mapping[str, Measured]) -> Chart:
    """The Lorenz curve plots exposure over the catalogue, each as a share, least shown items first."""
    systems = {name: found for name, one in measured.items() if (found := summary(one)) is not None}
    drawn = CurveLines.of("long_tail", {name: _lorenz(one) for name, one in systems.items()})
    below = [
        line([(0, 0), (1, 1)], x=share_axis("x", _CATALOG), y=share_axis("y", _EXPOSURE)),
        remark(0.52, 0.55, say("even"), angle=315, baseline="bottom"),
    ]
    chart = drawn.chart(_first(say("The long tail"), measured), below, _CATALOG, _EXPOSURE, climbs=True)
    told = drawn.systems
    return chart.with_notes(*(told.named(name, _ends(one)) for name, one in told.under(systems).items()))


def _lorenz(summary: ListSummary) -> Curve:
    share, taken = summary.lorenz
    frame = pl.DataFrame({"catalog": share, "exposure": taken})
    notes = () if frame.height else (say("nothing of the catalogue is shown"),)
    return Curve(name="long_tail", frame=frame, x="catalog", y="exposure", notes=notes)


def _ends(summary: ListSummary) -> Message:
    never = 1 - int(summary.items.sum()) / summary.n_items
    top = summary.top_exposure
    if np.isnan(top):
        return say("{never} of the items are never shown.", never=percent(never))
    return say(
        "{never} of the items are never shown; the {part} shown most take {top} of the exposure.",
        never=percent(never),
        part=percent(TOP / 100),
        top=percent(top),
    )


def _first(title: Message, measured: Mapping[str, Measured]) -> Message:
    k = getattr(next(iter(measured.values())).metric, "k", None)
    return title if k is None else say("{title}, first {k:,} of each list", title=title, k=k)


def coverage_at_k(measured: Mapping[str, Sequence[Measured]]) -> Chart:
    """The line plots the share of the catalogue that the first k items of all lists show."""
    systems = Systems.of("coverage_at_k", measured)
    frames, rows = {}, []
    for name, some in systems.under(measured).items():
        known = [found for one in some if (found := summary(one)) is not None]
        longest = max(known, key=lambda one: len(one.first))
        ks = np.array(cutoffs(len(longest.covered)), dtype=np.int64)
        items = longest.covered[ks - 1]
        frames[name] = pl.DataFrame({"k": ks, "items": items, "coverage": items / max(longest.n_items, 1)})
        for k, n, share in frames[name].rows():
            says = say(
                "first {k:,}: {share} of the catalogue, {n:,} {n:item|items}", k=k, share=percent(share), n=n
            )
            rows.append({"system": name, "k": k, "y": share, "says": systems.named(name, says)})
    if not rows:
        raise writing.nothing_to_draw(name="coverage_at_k", why=say("nothing of the catalogue is shown"))
    return Chart(
        name="coverage_at_k",
        title=say("Coverage at every cutoff"),
        drawing=panel(rows, systems, say("share of the catalogue shown")),
        table=with_system(frames),
        notes=systems.notes,
    )


def trade_off(
    measured: Mapping[str, Sequence[Measured]], metric: str, against: str | Sequence[str] | None = None
) -> Chart:
    """Each point is a system; each panel plots a metric of rankings against a metric of lists as a whole.

    Without ``against`` these are all that the systems share, diversity and novelty first.
    """
    systems = Systems.of("trade_off", measured)
    by_label = {name: {one.label: one for one in some} for name, some in systems.under(measured).items()}
    first = next(iter(by_label.values()))
    shared = [
        one
        for one in first.values()
        if all(one.label in some and is_beyond(some[one.label]) for some in by_label.values())
    ]
    labels = [one.label for one in sorted(shared, key=lambda one: one.metric.name not in _ARGUED)]
    wanted = labels if against is None else [against] if isinstance(against, str) else list(against)
    for label in wanted:
        if label not in labels:
            raise writing.metric_not_there("trade_off", label, labels)
    rows = [
        _point(name, some[metric], some[label], systems)
        for label in wanted
        for name, some in by_label.items()
        if np.isfinite(some[metric].whole[0])
    ]
    if not rows:
        raise writing.nothing_to_draw(
            name="trade_off", why=say("the systems share no metric of lists as a whole")
        )
    drawn = wanted[: style.MOST_PANELS]
    notes = systems.notes
    if len(wanted) > len(drawn):
        notes = (*notes, first_metrics(len(drawn), len(wanted)))
    return Chart(
        name="trade_off",
        title=say(
            "{metric} against {others:and}",
            metric=shown(metric, 30),
            others=[shown(one, 30) for one in drawn],
        ),
        drawing={
            "concat": [_scatter(rows, first[label], systems) for label in drawn],
            "columns": 2,
            "spacing": 24,
        },
        table=pl.DataFrame(rows).select("system", "metric", "value", "against", "value_against"),
        notes=notes,
    )


def _point(name: str, accuracy: Measured, other: Measured, systems: Systems) -> Row:
    value, paid = float(accuracy.whole[0]), float(other.whole[0])
    text = say(
        "{x_name} {x}, {y_name} {y}",
        x_name=accuracy.label,
        x=number(value),
        y_name=other.label,
        y=number(paid),
    )
    return {
        "system": name,
        "metric": accuracy.label,
        "value": value,
        "against": other.label,
        "value_against": paid,
        "says": systems.named(name, text),
    }


def _scatter(rows: Sequence[Row], other: Measured, systems: Systems) -> Layer:
    own = [row for row in rows if row["against"] == other.label]
    roomy = {"zero": False, "nice": True, "padding": 24}
    title = shown(other.label, 30)
    if other.metric.direction == "lower":
        title = say("{metric}, lower is better", metric=title)
    at = {
        "x": quantity("value", shown(own[0]["metric"], 30), scale=roomy, tickCount=5),
        "y": quantity("value_against", title, scale=roomy, tickCount=5),
    }
    shape = {**at, **systems.channels("color"), **systems.channels("shape")}
    points = layer(own, "point", shape, filled=True, size=80, opacity=1)
    named = {**at, "text": {"field": "system", "type": "nominal"}}
    names = layer(own, "text", named, dy=-10, baseline="bottom", aria=False)
    return {"width": _WIDTH, "height": style.HEIGHT, "layer": [points, names]}


def categories(measured: Mapping[str, Measured]) -> Chart:
    """Each row compares a category's share of the lists with its share of the history, a mean over users."""
    systems = Systems.of("categories", measured)
    found = {name: summary(one) for name, one in systems.under(measured).items()}
    frames = {name: one.categories for name, one in found.items() if one and one.categories is not None}
    first = next(iter(frames.values()))
    kept = first["category"].head(MOST_SHOWN).to_list()
    label = dict(zip(kept, distinct(kept, 40), strict=True))
    rows = []
    for name, frame in frames.items():
        for category, history, lists in frame.select("category", "history", "lists").rows():
            if category in label and np.isfinite(lists):
                says = say(
                    "{name}: {before} of the history, {now} of the lists",
                    name=label[category],
                    before=percent(history),
                    now=percent(lists),
                )
                row = {"system": name, "category": label[category], "history": history, "lists": lists}
                rows.append({**row, "says": systems.named(name, says)})
    if not rows:
        raise writing.nothing_to_draw(name="categories", why=say("no user has both a history and a list"))
    y = names_axis("category", list(label.values()))
    x = quantity("history", say("share"), scale={"zero": True, "nice": True}, ticks="share", tickCount=5)
    at = {**along(x="lists"), "y": y, **systems.channels("color", "shape", legend=style.POINTS)}
    before = [row for row in rows if row["system"] == systems.names[0]]
    look = {"color": style.INK, "thickness": 2, "size": 16, "aria": False}
    alone = systems.alone(color=style.PALETTE[0])
    notes = [say("Line: share in the history. Point: share in the lists.")]
    if first.height > MOST_SHOWN:
        more = say("The first {shown} of {n:,} categories are drawn.", shown=MOST_SHOWN, n=first.height)
        notes.append(more)
    return Chart(
        name="categories",
        title=_first(say("Categories of lists and of the history"), measured),
        drawing={
            "width": _WIDTH,
            "height": {"step": 22},
            "layer": [
                layer(before, "tick", {"x": x, "y": y}, **look),
                layer(rows, "point", at, filled=True, size=60, opacity=1, **alone),
            ],
        },
        table=pl.DataFrame(rows).drop("says"),
        notes=(*systems.notes, *notes),
    )
