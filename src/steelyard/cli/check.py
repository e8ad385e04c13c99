"""``steelyard check``: a gate for a pipeline."""

from __future__ import annotations

import sys
from typing import Any

import click

from steelyard.cli import streams
from steelyard.cli.inputs import Inputs, RunFile, metric_and_value, required
from steelyard.cli.options import INPUTS, format_of, options
from steelyard.cli.outputs import check_targets, deliver_finding, is_printed
from steelyard.cli.run_file import run_file_option
from steelyard.cli.usage import Command, lang_option
from steelyard.text import say


@click.command(cls=Command)
@click.argument("predictions", required=False, type=click.UNPROCESSED, metavar="[RUN]")
@options(
    *("check.baseline", "max_drop", "min_", "max_", "mode", "significant", "min_coverage", "unpaired"),
    *("junit", "markdown"),
    format_of("table", "json", "csv", "markdown", "junit", endings=".json, .csv, .md, .xml"),
    *("output", *INPUTS),
)
@lang_option
@run_file_option
def check(
    predictions: str | list[str] | None,
    baseline: str | list[str] | None,
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

    required(predictions, say("name the run"))
    kinds: dict[Kind, str] = {"max_drop": "max_drop", "min": "min_", "max": "max_"}
    rules = [
        Rule.of(kind, *_split(kind, text))
        for kind, option in kinds.items()
        for text in _with_file(kind, option, flags.pop(option))
    ]
    inputs = Inputs.of(flags)
    judgement = Judgement.of(mode, significant, min_coverage, not unpaired, inputs.certainty.level)
    named = [("-o", output), ("--junit", junit), ("--markdown", markdown)]
    check_targets(named, inputs.files(predictions, baseline), form, ENDINGS)
    verdict = checked(
        rules,
        predictions,
        inputs.call.truth,
        baseline,
        inputs.evaluator(Bar(lang), whole=judgement.whole),
        judgement,
    )
    deliver_finding(
        verdict,
        output,
        form,
        lang,
        (junit, lambda path: verdict.write(path, "junit", lang=lang)),
        (markdown, lambda path: verdict.write(path, "markdown", lang=lang)),
    )
    if not is_printed(output) or form not in (None, "table"):
        streams.tell(verdict.summary(lang=lang))
    if not verdict.passed:
        sys.stdout.flush()
        sys.exit(1)


def _with_file(kind: str, option: str, texts: tuple[str, ...]) -> list[str]:
    """The rules of the run file, then those of the command line; on one metric the command line wins."""
    stated = [_split(kind, text)[0] for text in texts]
    of_file = RunFile.current().rules.get(option, ())
    return [text for text in of_file if _split(kind, text)[0] not in stated] + list(texts)


def _split(kind: str, text: str) -> tuple[str, str]:
    example = "ndcg@10=0.5%" if kind == "max_drop" else "auc=0.7"
    return metric_and_value(f"--{kind.replace('_', '-')}", text, example)
