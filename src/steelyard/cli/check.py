"""``steelyard check``: a gate for a pipeline."""

from __future__ import annotations

import sys
from typing import Any

import click

from steelyard.cli import signals, streams
from steelyard.cli.inputs import Inputs, inputs_of_evaluate
from steelyard.cli.options import choosing, form_option, metric_and_value, output_option, taking
from steelyard.cli.run_file import RunFile
from steelyard.cli.targets import check_targets, is_printed, write
from steelyard.cli.usage import Command
from steelyard.text import say


@inputs_of_evaluate
@click.command(cls=Command)
@click.argument("predictions", required=False, type=click.UNPROCESSED, metavar="[RUN]")
@taking(
    "--baseline",
    "FILE|RUN",
    "What RUN may not fall behind: a run, a result that --save kept, or one of two score columns.",
)
@taking(
    "--max-drop",
    "METRIC=VALUE",
    "How much worse than the baseline a value may be, in the direction of the metric: "
    "ndcg@10=0.5%, auc=0.01; may be repeated.",
    multiple=True,
)
@taking("--min, min_", "METRIC=VALUE", "The least value: auc=0.70; may be repeated.", multiple=True)
@taking("--max, max_", "METRIC=VALUE", "The greatest value: logloss=0.31; may be repeated.", multiple=True)
@choosing(
    "--mode",
    ("point", "harm", "non_inferior"),
    "When a drop fails: point, the observed drop is beyond its limit; harm, its interval lies beyond "
    "the limit; non_inferior, its interval does not lie within the limit.  [default: point]",
)
@click.option("--significant", is_flag=True, help="The same as --mode harm.")
@taking(
    "--min-coverage",
    "SHARE",
    "The least share of the truth that must have predictions: 0.99, 99%.  "
    "[default: as much as the baseline; without one, all]",
)
@click.option(
    "--unpaired", is_flag=True, help="The baseline was measured on other data: independent samples."
)
@taking("--junit", "FILE", "Write the verdicts as JUnit XML too.")
@taking("--markdown", "FILE", "Write them as Markdown too, for a merge request.")
@form_option(("table", "json", "csv", "markdown", "junit"), ".json, .csv, .md, .xml")
@output_option
def check(
    predictions: str | list[str] | None,
    baseline: str | list[str] | None,
    max_drop: tuple[str, ...],
    min_: tuple[str, ...],
    max_: tuple[str, ...],
    mode: str | None,
    significant: bool,
    min_coverage: str | None,
    unpaired: bool,
    junit: str | None,
    markdown: str | None,
    form: str | None,
    output: str | None,
    lang: str,
    **flags: Any,
) -> None:
    """Check RUN against rules: exit code 0 where all are kept, 1 where one fails, 2 on bad input.

    The metrics are those that the rules name. With --by every slice is checked as the whole is. RUN may be a
    result that --save kept. What cannot be decided fails.

    \b
    steelyard check new.run --truth qrels.txt --baseline old.run --max-drop ndcg@10=0.5%
    steelyard check clicks.parquet --max logloss=0.90 --by country
    steelyard check clicks.parquet --min auc=0.70 --max logloss=0.60 --junit gate.xml
    steelyard check clicks.parquet --scores p_old,p_new --baseline p_old --max-drop auc=0.001
    steelyard check new.run --truth qrels.txt --baseline old.run --max-drop ndcg@10=0.01 --mode harm
    """  # noqa: D301 - click reads the backspace as "leave these lines alone"
    from steelyard.api.check import Judgement, checked
    from steelyard.progress import Bar
    from steelyard.result.checked import ENDINGS
    from steelyard.stats.gates import Kind, Rule

    if predictions is None:
        raise click.UsageError(say("name the run"), click.get_current_context())
    given: dict[Kind, tuple[str, ...]] = {"max_drop": max_drop, "min": min_, "max": max_}
    rules = [
        Rule.of(kind, *_split(kind, text))
        for kind, texts in given.items()
        for text in _with_file(kind, texts)
    ]
    inputs = Inputs.of(flags)
    judgement = Judgement.of(mode, significant, min_coverage, not unpaired, inputs.certainty.level)
    named = [("-o", output), ("--junit", junit), ("--markdown", markdown)]
    check_targets(named, inputs.files(predictions, baseline), form, ENDINGS)
    found = checked(
        rules,
        predictions,
        inputs.call.truth,
        baseline,
        inputs.weigher(Bar(lang), whole=judgement.whole),
        judgement,
    )
    with signals.tidied_up():
        for name, more in ((junit, "junit"), (markdown, "markdown")):
            if name:
                write(found, name, more, lang)
        write(found, output, form, lang)
        if not is_printed(output) or form not in (None, "table"):
            streams.tell(found.summary(lang=lang))
    if not found.passed:
        sys.stdout.flush()
        sys.exit(1)


def _with_file(kind: str, texts: tuple[str, ...]) -> list[str]:
    """The rules of the run file, then those of the command line; on one metric the command line wins."""
    file = click.get_current_context().find_object(RunFile) or RunFile()
    stated = [_split(kind, text)[0] for text in texts]
    return [text for text in file.rules.get(kind, ()) if _split(kind, text)[0] not in stated] + list(texts)


def _split(kind: str, text: str) -> tuple[str, str]:
    example = "ndcg@10=0.5%" if kind == "max_drop" else "auc=0.7"
    return metric_and_value(f"--{kind.replace('_', '-')}", text, example)
