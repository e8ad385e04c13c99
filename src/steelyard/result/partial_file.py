"""The file of a partial result: a zip of parquet tables and ``manifest.json``, as saved results are."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
import polars as pl

from steelyard.engine.classified import Classified
from steelyard.engine.influence import Condensed
from steelyard.engine.partial import States
from steelyard.engine.partial_lists import PartialLists
from steelyard.engine.partial_rows import PartialRows, RowPiece
from steelyard.engine.protocol import OF_LISTS, Names, Tally
from steelyard.engine.ranked import Counted, Ranked
from steelyard.engine.scored import Rated, Scored
from steelyard.engine.scored_parts import GroupedRows, GroupValues
from steelyard.engine.top_lists import TopLists
from steelyard.result import saved
from steelyard.result.stored import TableReader, TableWriter, from_json, to_json
from steelyard.spec import Plan
from steelyard.text import Message
from steelyard.text.errors import merging

FORM = "1.0"
_KIND = "partial result"
_STATES = {"classes": Classified, "ratings": Rated, "scores": Scored}
_NAMES = {kind: name for name, kind in _STATES.items()}


def check_same_plan(one: Plan, other: Plan) -> None:
    """Refuse parts that were made with other arguments; the error names the first that differs."""
    mine, theirs = _told(one), _told(other)
    for what in mine | theirs:
        if mine.get(what) != theirs.get(what):
            raise merging.differ(what=what, one=mine.get(what, "–"), other=theirs.get(what, "–"))


def _told(plan: Plan) -> dict[str, str]:
    """Everything that parts of one result share, as text."""
    told = {"metrics": ", ".join(one.label for one in plan.metrics)}
    for one in plan.metrics:
        told |= {f"{name} of {one.label}": str(value) for name, value in one.metric.spec().items()}
    told |= {"profile": plan.profile.name, "by": ", ".join(plan.by), "classes": str(plan.classes)}
    return told | {name: str(value) for name, value in plan.certainty.to_dict().items()}


def to_bytes(plan: Plan, states: States, notes: Sequence[Message]) -> bytes:
    """A partial result as the bytes of a file."""
    writer = TableWriter()
    manifest = {
        "plan": writer.part(plan),
        "notes": to_json(tuple(notes)),
        "ids": list(states.ids),
        "whole": states.whole,
        "fingerprints": dict(states.fingerprints),
        "totals": list(states.totals),
        "tolerance": states.tolerance,
        "lists": states.lists and _lists(states.lists, writer),
        "rows": states.rows and _rows(states.rows, writer),
        "states": writer.states,
    }
    return saved.packed(manifest, writer.tables, kind=_KIND, form=FORM)


def read(path: str | PathLike[str]) -> tuple[Plan, States, tuple[Message, ...]]:
    """The plan, the states and the notes of the partial result in a file."""
    name, data = saved.content(path)
    return of_bytes(data, name)


def of_bytes(data: bytes, name: str) -> tuple[Plan, States, tuple[Message, ...]]:
    """The same of the bytes of a file."""
    return saved.unpacked(data, name, kind=_KIND, form=FORM, made=_made)


def _made(
    manifest: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]
) -> tuple[Plan, States, tuple[Message, ...]]:
    reader = TableReader(tables, manifest["states"])
    states = States(
        ids=tuple(manifest["ids"]),
        whole=manifest["whole"],
        lists=None if manifest["lists"] is None else _lists_of(manifest["lists"], reader),
        rows=None if manifest["rows"] is None else _rows_of(manifest["rows"], reader),
        fingerprints=manifest["fingerprints"],
        totals=tuple(manifest["totals"]),
        tolerance=manifest["tolerance"],
    )
    plan, notes = reader.part(Plan, manifest["plan"]), from_json(manifest["notes"])
    of_rows = [one.label for one in plan.metrics if one.need.reads not in OF_LISTS]
    known = set() if states.rows is None else set(states.rows.piece_of)
    whole = (states.lists is not None) == (len(of_rows) < len(plan.metrics))
    if known != set(of_rows) or not whole or not isinstance(notes, tuple):
        raise ValueError("the states of other metrics")
    return plan, states, notes


# Fields that are plain values or frames; the others have a form of their own.
_FRAMES = ("queries", "slices", "coverage", "users")
_PARTS = {"names": Names, "tally": Tally}


def _plain(value: Any, writer: TableWriter, own: Sequence[str]) -> dict[str, Any]:
    node: dict[str, Any] = {}
    for name, held in ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value)):
        if name in own:
            continue
        if name in _FRAMES:
            node[name] = writer.frame(name, held)
        else:
            node[name] = writer.part(held) if name in _PARTS else to_json(held)
    return node


def _plain_of(node: Mapping[str, Any], reader: TableReader, own: Sequence[str]) -> dict[str, Any]:
    return {
        name: reader.frame(held)
        if name in _FRAMES
        else reader.part(_PARTS[name], held)
        if name in _PARTS
        else from_json(held)
        for name, held in node.items()
        if name not in own
    }


_OF_LISTS = ("counted", "lists", "shown")


def _lists(lists: PartialLists, writer: TableWriter) -> dict[str, Any]:
    return {
        **_plain(lists, writer, _OF_LISTS),
        "counted": [
            {
                "ranked": writer.part(one.ranked),
                "tally": writer.part(one.tally),
                "has_items": one.has_items,
                "settled": [
                    [list(order), writer.column("grades", "_".join(order), before, {})]
                    for order, before in one.settled.items()
                ],
            }
            for one in lists.counted
        ],
        "lists": [{"lists": writer.part(state), "tally": writer.part(tally)} for state, tally in lists.lists],
        "shown": {name: writer.frame(name, frame) for name, frame in lists.shown.items()},
    }


def _lists_of(node: Mapping[str, Any], reader: TableReader) -> PartialLists:
    counted = [
        Counted(
            ranked=reader.part(Ranked, one["ranked"]),
            tally=reader.part(Tally, one["tally"]),
            had_items=one["has_items"],
            settled={tuple(order): reader.column(held) for order, held in one["settled"]},
        )
        for one in node["counted"]
    ]
    lists = [(reader.part(TopLists, one["lists"]), reader.part(Tally, one["tally"])) for one in node["lists"]]
    shown = {name: reader.tables[held] for name, held in node["shown"].items()}
    return PartialLists(
        **_plain_of(node, reader, _OF_LISTS), counted=tuple(counted), lists=tuple(lists), shown=shown
    )


def _rows(rows: PartialRows, writer: TableWriter) -> dict[str, Any]:
    return {**_plain(rows, writer, ("pieces",)), "pieces": [_piece(piece, writer) for piece in rows.pieces]}


def _piece(piece: RowPiece, writer: TableWriter) -> dict[str, Any]:
    state, values = piece.state, None
    if isinstance(state, GroupedRows):
        values = writer.part(state.values)
        of_rows = {
            field.name: getattr(state, field.name) for field in dataclasses.fields(Scored) if field.init
        }
        state = Scored(**of_rows)
    return {
        "form": piece.form,
        "kind": _NAMES[type(state)],
        "state": writer.part(state),
        "values": values,
        "buckets": bool(state.units and state.units.buckets),
        "condensed": _condensed(state.condensed, writer),
    }


def _condensed(condensed: Condensed | None, writer: TableWriter) -> dict[str, Any] | None:
    if condensed is None:
        return None
    frame = pl.DataFrame({"rows": condensed.count, **condensed.terms.to_dict()})
    scores = to_json(condensed.scores.tolist())
    return {
        "terms": writer.frame("terms", frame),
        "n_rows": condensed.n_rows,
        "scores": scores,
        "lowest": condensed.lowest,
    }


def _rows_of(node: Mapping[str, Any], reader: TableReader) -> PartialRows:
    pieces = [_piece_of(one, reader) for one in node["pieces"]]
    return PartialRows(**_plain_of(node, reader, ("pieces",)), pieces=tuple(pieces))


def _piece_of(node: Mapping[str, Any], reader: TableReader) -> RowPiece:
    state = reader.part(_STATES[node["kind"]], node["state"])
    if node["buckets"]:
        state = dataclasses.replace(state, units=dataclasses.replace(state.units, buckets=True))
    if node["condensed"] is not None:
        state = dataclasses.replace(state, condensed=_condensed_of(node["condensed"], reader))
    if node["values"] is not None:
        fields = {field.name: getattr(state, field.name) for field in dataclasses.fields(state) if field.init}
        state = GroupedRows(**fields, values=reader.part(GroupValues, node["values"]))
    return RowPiece(form=node["form"], state=state)


def _condensed_of(node: Mapping[str, Any], reader: TableReader) -> Condensed:
    frame = reader.tables[node["terms"]]
    return Condensed(
        count=frame["rows"].to_numpy(),
        terms=frame.drop("rows"),
        n_rows=node["n_rows"],
        scores=np.array(from_json(node["scores"]), np.float64),
        lowest=node["lowest"],
    )
