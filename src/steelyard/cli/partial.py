"""``steelyard partial`` and ``steelyard merge``: evaluate data in parts, and merge the parts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli import streams
from steelyard.cli.evaluate import planned, read
from steelyard.cli.inputs import files_of, required, run_file_option, to_number
from steelyard.cli.options import ASKED, SHOWN, Command, lang_option, options
from steelyard.cli.outputs import STDOUT, Outputs, check_targets
from steelyard.printable import visible
from steelyard.text import say
from steelyard.text.errors import SteelyardError, reading
from steelyard.text.errors.base import MergeError

if TYPE_CHECKING:
    from steelyard.api.partial import Partial


@click.command(cls=Command)
@click.argument("predictions", nargs=-1, type=click.UNPROCESSED, metavar="PREDICTIONS")
@options(
    *("which.scores" if name == "scores" else name for name in ASKED if name not in ("memory", "temp_dir")),
    *("whole", "tolerance", "totals", "partial.output"),
)
@lang_option
@run_file_option
def partial(
    predictions: tuple[Any, ...], lang: str, metric: tuple[str, ...], task: str | None, **flags: Any
) -> None:
    """Evaluate one part of the data, and save what `steelyard merge` needs of it.

    The options are those of `evaluate`, and the same for every part. Keep all rows of a query or user, and
    their truth, in one part; for metrics of rows, --whole rows takes any rows.

    For smaller parts of auc, pr_auc and ks use --tolerance, or two passes: make parts with --ci none, then
    make them again with the first ones as --totals.

    \b
    steelyard partial run.parquet --truth qrels.txt -m ndcg@10 -o run.state
    steelyard partial monday.parquet -m auc -m logloss --whole rows -o monday.state
    """  # noqa: D301 - click reads the backspace as "leave these lines alone"
    from steelyard.api.partial import part_of
    from steelyard.progress import Bar
    from steelyard.render import output as files
    from steelyard.text.labels import how_many

    output, tolerance = flags["output"], flags["tolerance"] and to_number(flags["tolerance"])
    inputs, call, runs = read(predictions, metric, task, flags)
    required(output not in (None, STDOUT), say("name the file of the part: -o part.state"))
    systems = runs or call.systems()
    if systems:
        remedy = say(
            "give one run and one score column; to read several files as one table, quote their pattern"
        )
        raise SteelyardError(say("a part holds one system; got {n}", n=len(systems)), remedy=remedy)
    check_targets([("-o", output)], inputs.files(*predictions, *flags["totals"]), "state")
    plan, notes = planned(inputs, call, metric, task)
    totals = merged(flags["totals"]) if flags["totals"] else None
    part = part_of(plan, call, flags["whole"], totals, tolerance, notes, Bar(lang))
    data, lists, rows = part.to_bytes(), part.states.lists, part.states.rows
    with streams.tidied_up():
        files.write_bytes(Path(output), data)
    held = [] if lists is None else [how_many(lists.queries.height, "queries")]
    held += [] if rows is None else [how_many(rows.tally.rows, "rows")]
    written = say(
        "written: {path} ({held:and}, {size:,} bytes)", path=visible(output), held=held, size=len(data)
    )
    streams.tell(written.render(lang))


@click.command(cls=Command)
@click.argument("parts", nargs=-1, type=click.UNPROCESSED, metavar="PART.state…")
@options("totals", *SHOWN)
@lang_option
@run_file_option
def merge(parts: tuple[str, ...], lang: str, **flags: Any) -> None:
    """Merge parts that `steelyard partial` wrote, and show the result of all the data.

    The result is that of `evaluate` on all rows at once, and is printed and saved in the same way. Parts may
    come in any order, each once.

    \b
    steelyard merge monday.state tuesday.state
    steelyard merge monday.state tuesday.state --per-query users.csv --save week.steelyard
    """  # noqa: D301
    from steelyard.progress import Bar

    outputs = Outputs.of(flags, lang)
    outputs.check([*files_of(*parts, *flags["totals"])], 0)
    totals = merged(flags["totals"]) if flags["totals"] else None
    outputs.write(merged(parts).result(totals, Bar(lang)))


def merged(names: Sequence[str]) -> Partial:
    """The parts in files as one part; an error names two files that do not fit together."""
    from steelyard.api.partial import Partial
    from steelyard.read.files import Pipe
    from steelyard.read.folders import paths
    from steelyard.result.saved import content

    required(names and all(names), say("name the parts"))
    found = [pair for name in names for pair in paths(name)[1]]
    parts: list[Partial] = []
    for name, path in found:
        if isinstance(path, Path) and path.is_dir():
            raise reading.is_folder(name=name, pattern=f"{name}/*.state")
        data = path.read_bytes() if isinstance(path, Pipe) else content(path)[1]
        parts.append(Partial.of_bytes(data, name))

    def misfit(*several: Partial) -> MergeError | None:
        try:
            several[0].merge(*several[1:])
        except MergeError as error:
            return error
        return None

    try:
        return parts[0].merge(*parts[1:])
    except MergeError:
        last = bisect_left(range(len(parts)), 1, key=lambda at: misfit(*parts[: at + 1]) is not None)
        for at in range(last):
            if (error := misfit(parts[at], parts[last])) is not None:
                message = say(
                    "{one} and {other}: {said}", one=found[at][0], other=found[last][0], said=error.sentence
                )
                raise MergeError(message, remedy=error.hint) from None
        raise
