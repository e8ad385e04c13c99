"""A condition on rows, in SQL: what does not satisfy it is not read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache

import polars as pl

from steelyard.read.table import PLACE, Source, Tidied, exactly
from steelyard.text import say
from steelyard.text.errors import reading
from steelyard.text.errors.forms import must_be

# what Polars writes for functions of many rows; those of text and of lists are functions of one
_OF_MANY = re.compile(
    r"(?<!\.list)(?<!\.arr)(?<!\.str)\."
    r"(?:sum|mean|min|max|count|len|first|last|median|std|var|quantile|n_unique|implode|rank|shift|over|"
    r"unique|reverse|explode|item|cum_\w+|arg_\w+|sort\w*|rolling_\w+)\(|"
    r"(?<![.\w])(?:len|int_range|corr|pearson_corr|spearman_rank_corr|cov|rle_id)\(|subplan"
)
_QUOTED = re.compile(r'"[^"]*"')


@dataclass(frozen=True)
class Where:
    """A condition, as text and as the conditions that must all hold."""

    text: str
    conditions: tuple[pl.Expr, ...]

    @classmethod
    def of(cls, text: str) -> Where:
        if not isinstance(text, str):
            raise must_be("where", say("an SQL condition as text"), text)
        try:
            whole = pl.sql_expr(text)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            raise reading.bad_where(where=text, reason=_first_line(error)) from None
        if _OF_MANY.search(_QUOTED.sub("", str(whole))):
            raise reading.where_of_many_rows(where=text)
        return cls(text, tuple(_conditions(whole)))

    @property
    def columns(self) -> set[str]:
        return {name for condition in self.conditions for name in condition.meta.root_names()}

    def may_hold(self, keys: Mapping[str, str | None]) -> bool:
        """Whether rows with these values in the names of their folders can satisfy it."""
        decided = [one for one in self.conditions if _decided(one, keys)]
        if not decided:
            return True
        frame = pl.DataFrame([pl.Series(key, [value], dtype=pl.String) for key, value in keys.items()])
        with self._explained(pl.exceptions.PolarsError):
            return frame.filter(decided).height > 0

    def applied(self, source: Source) -> Source:
        """The same source without the rows that do not satisfy it."""
        for column in sorted(self.columns):
            if column not in source.columns:
                raise reading.where_column_missing(source.name, column, source.columns)
        left = [one for one in self.conditions if not _decided(one, source.keyed)]
        if not left:
            return replace(source, where=self.text)
        numbers: list[pl.Series] = []

        @contextmanager
        def guard() -> Iterator[None]:
            with source.guard(), self._explained(pl.exceptions.InvalidOperationError):
                yield

        @cache
        def scan() -> pl.LazyFrame:
            rows = source.numbered_scan()
            with self._explained(pl.exceptions.PolarsError):
                pl.DataFrame(schema=rows.collect_schema()).filter(left)
            return rows.filter(left)

        def load(wanted: Sequence[str], rows: int | None = None) -> pl.DataFrame:
            if source.check is not None:
                source.check([*{*wanted, *self.columns}])
            with guard():
                some = scan().select(exactly([*wanted, PLACE]))
                frame = (some if rows is None else some.head(rows)).collect(engine="streaming")
            if rows is None:
                numbers[:] = [frame[PLACE]]
            return frame.drop(PLACE)

        def tidy(frame: pl.DataFrame, roles: Mapping[str, str]) -> Tidied:
            notes = () if source.inspect is None else source.inspect(frame.columns, roles)
            return Tidied(frame, numbers[0], notes)

        return replace(
            source,
            load=load,
            peek=None if source.peek is None else load,
            tidy=tidy,
            scan=scan,
            numbered=None,
            guard=guard,
            held=False,
            where=self.text,
        )

    @contextmanager
    def _explained(self, kind: type[Exception]) -> Iterator[None]:
        """Polars' words on a condition that does not fit the columns, as our error."""
        try:
            yield
        except kind as error:
            raise reading.where_fails(where=self.text, reason=_first_line(error)) from None


def _decided(condition: pl.Expr, keys: Mapping[str, str | None]) -> bool:
    """Whether a condition names keys of folders only."""
    names = set(condition.meta.root_names())
    return bool(names) and names <= keys.keys()


def _conditions(whole: pl.Expr) -> Iterator[pl.Expr]:
    """The conditions that an expression joins by ``and``."""
    parts = whole.meta.pop()
    if len(parts) == 2 and any((one & other).meta.eq(whole) for one, other in (parts, parts[::-1])):
        for part in reversed(parts):
            yield from _conditions(part)
    else:
        yield whole


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]
