"""``steelyard differences``: why two libraries print two numbers for one metric."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli import signals, streams
from steelyard.cli.inputs import call_of, classes_of, files_read, inputs_of_evaluate
from steelyard.cli.options import FLAGS
from steelyard.cli.targets import check_targets, is_printed
from steelyard.cli.usage import Command, one_of
from steelyard.messages import say
from steelyard.messages.errors import asking, comparing

if TYPE_CHECKING:
    from steelyard.result.differences import Differences

_FORMATS = ["table", "json", "csv", "markdown"]
# what the two profiles say themselves, and what belongs to intervals and slices
_WITHOUT = ["profile", "settings", "by", "by_table", "ci", "level", "unit", "seed", "run_file"]


@partial(inputs_of_evaluate, without=[*_WITHOUT, *(field.name for field in FLAGS)])
@click.command(cls=Command)
@click.argument("predictions", required=False, type=click.UNPROCESSED, metavar="[PREDICTIONS]")
@click.option(
    "-m", "--metric", "metric", metavar="METRIC", help="One metric, by our name or by either library's own."
)
@click.option(
    "--profiles", metavar="NAME,NAME", help="From which profile to which: trec_eval,sklearn, house:2026,…"
)
@click.option("--scores", metavar="NAME", help="The score column, as --columns score=NAME.")
@click.option(
    "--format",
    "form",
    metavar=f"[{'|'.join(_FORMATS)}]",
    callback=one_of(_FORMATS),
    help="Without it the ending of -o says it (.json, .csv, .md), else table.",
)
@click.option("-o", "--output", metavar="FILE", help="Write there; `-` is standard output, as without it.")
@click.option(
    "--chart", metavar="FILE", help="Draw the waterfall: .svg, .png, .pdf or .json; needs the `report` extra."
)
@click.option(
    "--report",
    metavar="FILE.html",
    help="One page with both numbers and the waterfall; needs the `report` extra.",
)
def differences(
    predictions: str | list[str] | None,
    metric: str | None,
    profiles: str | None,
    form: str | None,
    output: str | None,
    chart: str | None,
    report: str | None,
    lang: str,
    **flags: Any,
) -> None:
    """Explain why a metric has another value in one library than in another.

    The conventions in which the two profiles differ are changed from the first to the second, in every order;
    the part of each is the mean over the orders, so that the parts add up to the gap.

    \b
    steelyard differences run.trec --truth qrels.txt -m map@10 --profiles lightgbm,trec_eval
    steelyard differences run.trec --truth qrels.txt -m ndcg_cut_10 --profiles trec_eval,sklearn
    steelyard differences clicks.parquet -m logloss --profiles sklearn,lightgbm
    steelyard differences clicks.parquet -m gauc --profiles fuxictr,torchmetrics --chart steps.svg
    steelyard differences run.trec --truth qrels.txt -m map@5 --profiles house:2026,lightgbm --report why.html
    """  # noqa: D301 - click reads the backspace as "leave these lines alone"
    from steelyard.api.differences import explained
    from steelyard.progress import Bar

    if predictions is None:
        raise click.UsageError(say("name the predictions"), click.get_current_context())
    if metric is None:
        raise asking.no_metrics()
    names = [name.strip() for name in (profiles or "").split(",") if name.strip()]
    if profiles is None:
        raise comparing.not_two(n=0)
    call = call_of(predictions, flags)
    files = _Files(output, form, chart, report, lang)
    files.check(files_read(call))
    found = explained(
        metric,
        names,
        call,
        classes=classes_of(flags),
        progress=Bar(lang),
    )
    with signals.tidied_up():
        files.write(found)


@dataclass(frozen=True)
class _Files:
    """Where it goes: one form to a file or to standard output, a chart and a page if asked for."""

    output: str | None
    form: str | None
    chart: str | None
    report: str | None
    lang: str

    def check(self, inputs: Sequence[Path]) -> None:
        """Refuse what cannot be written, or would be written over, before any work is done."""
        from steelyard.result.written import ENDINGS

        named = {"-o": self.output, "--chart": self.chart, "--report": self.report}
        check_targets(named, inputs, self.form, ENDINGS)

    def write(self, found: Differences) -> None:
        """Write every file, then show the rest."""
        if self.chart:
            found.chart().save(self.chart, self.lang)
            streams.tell_written(Path(self.chart), self.lang)
        if self.report:
            found.report(self.report, lang=self.lang)
            streams.tell_written(Path(self.report), self.lang)
        if not self._printed:
            found.write(str(self.output), self.form, lang=self.lang)
            streams.tell_written(Path(str(self.output)), self.lang)
        elif self.form in (None, "table"):
            streams.show(found.to_text(lang=self.lang, width=streams.width(sys.stdout)))
        else:
            streams.give(found.render(str(self.form), lang=self.lang), str(self.form))

    @property
    def _printed(self) -> bool:
        return is_printed(self.output)
