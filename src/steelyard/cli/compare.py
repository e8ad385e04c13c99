"""``steelyard compare``: which of several systems is better, and is it statistically significant."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli import signals, streams
from steelyard.cli.inputs import Inputs, inputs_of_evaluate
from steelyard.cli.systems import systems_of as named_runs
from steelyard.cli.targets import check_targets, is_printed
from steelyard.cli.usage import Command, one_of
from steelyard.messages import say
from steelyard.messages.errors import comparing

if TYPE_CHECKING:
    from steelyard.result.compared import Comparison

_FORMATS = ["table", "json", "csv", "markdown", "latex"]
_TESTS = ["auto", "randomisation", "t", "delong", "wilcoxon", "bootstrap", "sign", "mcnemar", "welch"]
_CORRECTIONS = ["holm", "bonferroni", "bh", "none"]


def _no_ci(_context: click.Context, _option: click.Parameter, given: str | None) -> None:
    if given is not None:
        raise comparing.own_intervals()


@partial(inputs_of_evaluate, without=["ci"])
@click.command(cls=Command)
@click.argument("predictions", nargs=-1, type=click.UNPROCESSED, metavar="[NAME=]RUN…")
@click.option(
    "-m",
    "--metric",
    "metric",
    multiple=True,
    metavar="METRIC",
    help="ndcg@10, auc, …; may be repeated. Saved results are compared by all that they share.",
)
@click.option("--baseline", metavar="NAME", help="Compare all others with this one; without it every pair.")
@click.option(
    "--test",
    metavar=f"[{'|'.join(_TESTS)}]",
    default="auto",
    callback=one_of(_TESTS),
    help="How a p-value is made.  [default: auto: delong for auc, mcnemar for values of 0 and 1, bootstrap "
    "for metrics without values per unit, randomisation for others, t above 50,000 units]",
)
@click.option(
    "--correct",
    metavar=f"[{'|'.join(_CORRECTIONS)}]",
    default="holm",
    callback=one_of(_CORRECTIONS),
    help="How p-values are corrected for the number of tests; slices are a family of their own.  "
    "[default: holm]",
)
@click.option("--ci", hidden=True, expose_value=False, callback=_no_ci)
@click.option(
    "--unpaired", is_flag=True, help="The systems were measured on different data: independent samples."
)
@click.option("--draws", metavar="N", help="How many random signs are drawn.  [default: 100000]")
@click.option(
    "--format",
    "form",
    metavar=f"[{'|'.join(_FORMATS)}]",
    callback=one_of(_FORMATS),
    help="Without it the ending of -o says it (.json, .csv, .md, .tex), else table.",
)
@click.option("--wide", is_flag=True, help="One row per system, one column per metric; LaTeX always is.")
@click.option("--verbose", is_flag=True, help="Print also notes that say that nothing changes.")
@click.option("-o", "--output", metavar="FILE", help="Write there; `-` is standard output, as without it.")
@click.option(
    "--report", metavar="FILE.html", help="One page with all systems side by side; needs the `report` extra."
)
def compare(
    predictions: tuple[Any, ...],
    metric: tuple[str, ...],
    baseline: str | None,
    test: str,
    correct: str,
    unpaired: bool,
    draws: str | None,
    form: str | None,
    wide: bool,
    verbose: bool,
    output: str | None,
    report: str | None,
    lang: str,
    **flags: Any,
) -> None:
    """Compare systems on the same queries, users or rows: differences, intervals, tests.

    A RUN is a table that `evaluate` reads, or a result that --save kept. One log with --scores compares its
    columns.

    \b
    steelyard compare bm25.run dense=runs/v7.run --truth qrels.txt -m ndcg@10 -m mrr@10 --baseline bm25
    steelyard compare clicks.parquet --scores p_old,p_new -m auc -m logloss --by country
    steelyard compare old.steelyard new.steelyard --format latex
    steelyard compare monday.parquet tuesday.parquet -m auc --unpaired
    steelyard compare a.run b.run c.run --truth qrels.txt -m map --test wilcoxon --correct bh
    """  # noqa: D301 - click reads the backspace as "leave these lines alone"
    from steelyard.api.compare import check_names, compared, labels_of, measured, name_of, systems_of
    from steelyard.comparison import Procedure
    from steelyard.progress import Bar
    from steelyard.result.compared import Comparison

    if not predictions:
        raise click.UsageError(say("name the systems"), click.get_current_context())
    inputs = Inputs.of({**flags, "ci": None})
    files = _Files(output, form, report, lang, wide, verbose)
    runs = named_runs(predictions)
    files.check(inputs.files(*runs.values()))
    testing = Procedure.of(
        test,
        correct,
        inputs.certainty.level,
        inputs.certainty.seed,
        100_000 if draws is None else _whole(draws),
        paired=not unpaired,
    )
    log = next(iter(runs.values()))
    several = len(runs) > 1 or "score" not in (inputs.call.columns or {})
    given = systems_of(runs if several else log, None, replace(inputs.call, predictions=log))
    baseline = name_of(baseline, runs)
    check_names(list(given), baseline)
    unheeded = [option for option in inputs.stated if option != "--seed"]
    results = measured(given, inputs.call, dict.fromkeys(unheeded, True))
    if results is not None:
        found = Comparison.of(results, baseline, testing, labels_of(results, metric))
    elif not metric:
        raise comparing.nothing_asked()
    else:
        found = compared(inputs.request(metric), given, baseline, testing, Bar(lang))
    with signals.tidied_up():
        files.write(found)


def _whole(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


@dataclass(frozen=True)
class _Files:
    """Where the comparison goes: one form to a file or to standard output, and a page if asked for."""

    output: str | None
    form: str | None
    report: str | None
    lang: str
    wide: bool
    verbose: bool

    def check(self, inputs: Sequence[Path]) -> None:
        """Refuse what cannot be written, or would be written over, before any work is done."""
        check_targets({"-o": self.output, "--report": self.report}, inputs, self.form)

    def write(self, found: Comparison) -> None:
        """Write every file, then show the rest: the table, or what the data does not carry."""
        from steelyard.show import text

        wide = True if self.wide else None
        if self.report:
            found.report(self.report, lang=self.lang)
            streams.tell_written(Path(self.report), self.lang)
        if not self._printed:
            found.write(str(self.output), self.form, lang=self.lang, wide=wide)
            streams.tell_written(Path(str(self.output)), self.lang)
        form = self.form or "table"
        width = streams.width(sys.stdout)
        shown = found.versus(lang=self.lang, wide=self.wide, verbose=self.verbose)
        if self._printed and form == "table" and width is not None:
            streams.show(text.full(shown, limit=text.TERMINAL_ROWS, width=width))
            return
        if self._printed:
            streams.give(found.render(form, lang=self.lang, wide=wide), form)
        if form != "json":
            streams.tell(text.talk(shown, streams.width(sys.stderr)))

    @property
    def _printed(self) -> bool:
        return is_printed(self.output)
