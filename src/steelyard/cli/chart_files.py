"""``--chart NAME=FILE``: the charts of an evaluation, each in a file of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.messages.errors import asking
from steelyard.result.result import Result
from steelyard.result.results import Results


@dataclass(frozen=True, kw_only=True)
class ChartFile:
    """A chart to be written; ``metric`` is the one it shows, where that was said."""

    name: str
    metric: str | None
    path: Path

    @classmethod
    def of(cls, text: str) -> ChartFile:
        """``roc=roc.svg`` or ``slices(auc)=slices.png``.

        >>> one = ChartFile.of("per_query(ndcg(gain=exp2)@10)=values.svg")
        >>> one.name, one.metric, str(one.path)
        ('per_query', 'ndcg(gain=exp2)@10', 'values.svg')
        """
        at = _equals(text)
        asked, path = text[:at].strip(), text[at + 1 :].strip()
        name, bracket, metric = (part.strip() for part in asked.partition("("))
        if at < 1 or not name or not path or (bracket and not metric.endswith(")")):
            raise asking.not_chart_and_file(text)
        return cls(name=name, metric=metric.removesuffix(")").strip() or None, path=Path(path))

    def check(self, of: int) -> None:
        """Refuse what cannot be drawn of so many systems, whatever the data."""
        from steelyard.show import charts

        takes = charts.options(self.name)
        if self.name in charts.of("several") and of < 2:
            raise asking.chart_of_several(name=self.name)
        if self.name in charts.of("two") and of < 2:
            raise asking.chart_of_two(name=self.name)
        if self.metric is not None and "metric" not in takes:
            raise asking.takes_no_metric(name=self.name)

    def drawn(self, result: Result | Results, lang: str) -> bytes:
        from steelyard.show import charts

        asked: dict[str, Any] = {} if self.metric is None else {"metric": self.metric}
        return result.chart(self.name, **asked).render(charts.ending_of(self.path), lang)


def _equals(text: str) -> int:
    """Where the first ``=`` outside brackets stands, or -1."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "=" and depth <= 0:
            return place
    return -1
