"""All that a result shows, as one frozen value that every form is made from."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, kw_only=True)
class Document:
    """The words and the numbers of a result; ``rows`` are tidy, the whole before its slices."""

    title: str
    facts: tuple[str, ...]
    conventions: str
    notes: tuple[str, ...]
    by: tuple[str, ...]
    rows: pl.DataFrame

    @property
    def header(self) -> list[str]:
        """The names of the columns shown."""
        return [*self.by, "metric", "value", "queries", "undefined"]

    def cells(self, limit: int | None = None) -> list[list[str]]:
        """The table as text, row by row; a slice column of the whole reads ``(all)``."""
        shown = self.rows if limit is None else self.rows.head(limit)
        columns = [shown[name].fill_null("(all)").to_list() for name in self.by]
        columns += [
            shown["metric"].to_list(),
            [number(value) for value in shown["value"].to_list()],
            [f"{count:,}" for count in shown["n"].to_list()],
            [f"{count:,}" for count in shown["undefined"].to_list()],
        ]
        return [list(cells) for cells in zip(*columns, strict=True)]


def number(value: float) -> str:
    """A value as a reader wants it: four decimals, a dash where it is undefined.

    >>> number(0.50607), number(float("nan"))
    ('0.5061', '–')
    """
    return "–" if value != value else f"{value:.4f}"
