"""Judgements, runs and z-scores, read as trec_eval reads them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import polars as pl

from steelyard.arrays import Ints
from steelyard.read.trec import GAP, NOTHING_MORE, Layout, line_at, read_lines
from steelyard.text.errors import as_trec_eval
from steelyard.text.errors.base import SteelyardError
from steelyard.text.errors.forms import Refusal, reason_of, short
from steelyard.trec_eval.measures import DECIMAL, OF_PREFERENCES, WHOLE, Format

QRELS = ("query", "judge", "item", "relevance")
PREFERENCES = ("query", "judge", "subgroup", "item", "level")
RUN = ("query", "iteration", "item", "rank", "score", "tag")
ZSCORES = ("query", "name", "mean", "deviation")

UNJUDGED = -1.0  # in the pool, but nobody judged it: any grade below 0

Malformed = Callable[..., SteelyardError]


@dataclass(frozen=True)
class Run:
    frame: pl.DataFrame  # query, item, score
    name: str
    tag: str  # of its last line


@dataclass(frozen=True)
class Judgements:
    """The grade of each document; below 0 nobody judged it."""

    ties: ClassVar[Literal["item_desc", "item_asc"]] = "item_desc"

    frame: pl.DataFrame
    name: str
    by_judge: bool = False  # whether the second column names who judged

    @property
    def coded(self) -> pl.DataFrame:
        """Grades from 1 on, as 0 means that there is no judgement; -1 for grades below 0."""
        grade = pl.col("relevance").cast(pl.Float64)
        code = pl.when(grade < 0).then(UNJUDGED).otherwise(grade + 1)
        return self.frame.select("query", "item", code.alias("relevance"))

    @property
    def of_each_judge(self) -> list[Judgements]:
        """The judgements of each judge, by ascending name; empty if judges are unknown."""
        if not self.by_judge:
            return []
        return [
            replace(self, frame=frame, by_judge=False)
            for frame in self.frame.sort("judge").partition_by("judge", maintain_order=True)
        ]


class Preferences(Judgements):
    """The level that each judge gives a document: within a subgroup a higher level is preferred.

    ``document`` numbers the documents by name.
    """

    ties = "item_asc"

    @property
    def coded(self) -> pl.DataFrame:
        """The number of each document in place of a grade: it says which one was retrieved."""
        code = (pl.col("document") + 1).cast(pl.Float64)
        return self.frame.select("query", "item", code.alias("relevance")).unique()


class Trouble(NamedTuple):
    """A topic for which nothing can be calculated, and why."""

    query: str
    refusal: Refusal
    figures: dict[str, str]


def content(path: str) -> bytes:
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise as_trec_eval.unreadable_file(name=path, why=reason_of(error)) from None
    if not data:
        raise as_trec_eval.unreadable_file(name=path, why=as_trec_eval.EMPTY)
    if b"\0" in data:
        raise as_trec_eval.nul_in_file(name=path)
    return data


def in_one_encoding(*files: bytes) -> tuple[list[bytes], str]:
    """Files in UTF-8, and the encoding in which their ids are printed.

    trec_eval knows only bytes. If some are not UTF-8, each byte is read as a character, which keeps the
    order.
    """
    try:
        for file in files:
            if not file.isascii():
                file.decode()
    except UnicodeDecodeError:
        return [file.decode("latin-1").encode() for file in files], "latin-1"
    return list(files), "utf-8"


def judgements(data: bytes, name: str, edition: int, form: Format) -> Judgements:
    if form in OF_PREFERENCES:
        return preferences(data, name, edition, subgroups=form == "prefs")
    return qrels(data, name, edition, by_judge=form == "qrels_jg")


def preferences(data: bytes, name: str, edition: int, *, subgroups: bool) -> Preferences:
    """The preferences; a level is the number its text begins with, to trec_eval 9 in single precision."""
    columns = PREFERENCES if subgroups else tuple(name for name in PREFERENCES if name != "subgroup")
    malformed = as_trec_eval.malformed_preference if subgroups else as_trec_eval.malformed_qrels
    frame = _fields(data, name, columns, edition, blank_lines=False, malformed=malformed)
    level = _numbers(frame["level"], pl.Float64, DECIMAL, name)
    if edition == 9:
        level = level.cast(pl.Float32).cast(pl.Float64)
    _refuse_nan(level, frame, name, as_trec_eval.level_not_a_number)
    item = frame["item"]
    frame = frame.select(
        "query",
        "judge",
        pl.col("subgroup") if subgroups else pl.lit("0").alias("subgroup"),
        "item",
        level,
        pl.Series("document", places_among(item, item.unique().sort())),
    )
    return Preferences(frame, name)


def _refuse_nan(numbers: pl.Series, frame: pl.DataFrame, name: str, refusal: Malformed) -> None:
    for query, item in frame.filter(numbers.is_nan()).select("query", "item").head(1).rows():
        raise refusal(name=name, query=query, item=item)


def places_among(some: pl.Series, every: pl.Series) -> Ints:
    numbered = every.alias("name").to_frame().with_row_index("place")
    places = some.alias("name").to_frame().join(numbered, on="name", how="left", maintain_order="left")
    return places["place"].to_numpy().astype(np.int64)


def qrels(data: bytes, name: str, edition: int, *, by_judge: bool = False) -> Judgements:
    frame = _fields(data, name, QRELS, edition, blank_lines=False, malformed=as_trec_eval.malformed_qrels)
    grade = _numbers(frame["relevance"], pl.Int64, WHOLE, name)
    frame = frame.select("query", "judge", "item", grade)
    again = frame.filter(pl.struct("query", "judge", "item").is_duplicated()) if by_judge else frame.clear()
    if again.height:
        query, judge, item, _ = again.row(0)
        raise as_trec_eval.judged_again(name=name, query=query, judge=judge, item=item)
    return Judgements(frame, name, by_judge)


def run(data: bytes, name: str, edition: int) -> Run:
    frame = _fields(data, name, RUN, edition, blank_lines=True, malformed=as_trec_eval.malformed_run)
    scores = _numbers(frame["score"], pl.Float64, DECIMAL, name)
    _refuse_nan(scores, frame, name, as_trec_eval.score_not_a_number)
    # to the later stages -inf says that an item was not retrieved; here it is the lowest score
    lowest = pl.when(scores == -float("inf")).then(-sys.float_info.max).otherwise(scores)
    return Run(frame.select("query", "item", lowest.alias("score")), name, str(frame["tag"][-1]))


def zscores(path: str) -> pl.DataFrame:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise as_trec_eval.unreadable_zscores(name=path, why=reason_of(error)) from None
    if not data:
        raise as_trec_eval.unreadable_zscores(name=path, why=as_trec_eval.EMPTY)
    [data], _ = in_one_encoding(data)
    frame = _fields(data, path, ZSCORES, 9, blank_lines=False, malformed=as_trec_eval.malformed_zscores)
    figures = [_numbers(frame[column], pl.Float64, DECIMAL, path) for column in ("mean", "deviation")]
    return frame.select("query", "name", *figures).unique(["query", "name"], keep="first")


def _fields(
    data: bytes, name: str, columns: tuple[str, ...], edition: int, *, blank_lines: bool, malformed: Malformed
) -> pl.DataFrame:
    """The fields of every line; from trec_eval 10 on there are comments.

    With ``blank_lines`` lines may be blank, and may have more fields than columns.
    """
    comment = "" if edition < 10 else f"^(?:{GAP})?#" if blank_lines else "^#"
    rest = "" if blank_lines else NOTHING_MORE
    layout = Layout(columns, (), rest, comment, blank_lines, byte_order_mark=False)
    lines = read_lines(data, layout)
    if lines.misfit is not None:
        raise malformed(name=name, line=lines.misfit, text=short(line_at(data, lines.misfit)))
    if not lines.fields.height:
        raise as_trec_eval.unreadable_file(name=name, why=as_trec_eval.EMPTY)
    return lines.fields


def _numbers(texts: pl.Series, kind: Any, begins: str, name: str) -> pl.Series:
    """The numbers that texts begin with, or 0."""
    numbers = texts.cast(kind, strict=False)
    if numbers.null_count():
        begun = texts.str.extract(begins)
        numbers = numbers.fill_null(begun.cast(kind, strict=False))
        too_large = begun.filter(numbers.is_null()).drop_nulls()
        if len(too_large):
            raise as_trec_eval.number_too_large(name=name, text=too_large[0])
    return numbers.fill_null(0)
