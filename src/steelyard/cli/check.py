"""``steelyard check``: a gate for a pipeline."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import click

from steelyard.cli import streams
from steelyard.cli.inputs import Inputs, RunFile, metric_and_value, required, run_file_option
from steelyard.cli.options import INPUTS, Command, format_of, lang_option, options
from steelyard.cli.outputs import check_targets, deliver_finding, is_printed
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
def check(predictions: str | list[str] | None, lang: str, **flags: Any) -> None:
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
    given = SimpleNamespace(**flags)
    kinds: dict[Kind, str] = {"max_drop": "max_drop", "min": "min_", "max": "max_"}
    rules = [
        Rule.of(kind, metric, limit)
        for kind, option in kinds.items()
        for metric, limit in _rules(kind, option, flags[option])
    ]
    inputs = Inputs.of(flags)
    level = inputs.certainty.level
    judgement = Judgement.of(given.mode, given.significant, given.min_coverage, not given.unpaired, level)
    targets = [("-o", given.output), ("--junit", given.junit), ("--markdown", given.markdown)]
    check_targets(targets, inputs.files(predictions, given.baseline), given.form, ENDINGS)
    evaluator = inputs.evaluator(Bar(lang), whole=judgement.whole)
    verdict = checked(rules, predictions, inputs.call.truth, given.baseline, evaluator, judgement)
    deliver_finding(
        verdict,
        flags,
        lang,
        (given.junit, lambda path: verdict.write(path, "junit", lang=lang)),
        (given.markdown, lambda path: verdict.write(path, "markdown", lang=lang)),
    )
    if not is_printed(given.output) or given.form not in (None, "table"):
        streams.tell(verdict.summary(lang=lang))
    if not verdict.passed:
        sys.stdout.flush()
        sys.exit(1)


def _rules(kind: str, option: str, texts: tuple[str, ...]) -> list[tuple[str, str]]:
    """The rules of the run file, then those of the command line; on one metric the command line wins."""
    flag, example = f"--{kind.replace('_', '-')}", "ndcg@10=0.5%" if kind == "max_drop" else "auc=0.7"
    stated = [metric_and_value(flag, text, example) for text in texts]
    metrics = [metric for metric, _ in stated]
    of_file = [metric_and_value(flag, text, example) for text in RunFile.current().rules.get(option, ())]
    return [rule for rule in of_file if rule[0] not in metrics] + stated
