"""Errors for the case that a result cannot be written, saved or loaded."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from steelyard.text import Message, say
from steelyard.text.errors.base import MetricError, OutputError, ReadError, SteelyardError
from steelyard.text.errors.forms import unknown

no_such_folder = OutputError.of("""cannot write {path}: there is no folder {folder}
    create it, or name another""")
is_an_input = OutputError.of("""cannot write {path}: it is one of the inputs
    name another file""")
cannot_encode = OutputError.of("""cannot write standard output: its encoding, {encoding}, has no {character}
    name a file with -o or --per-query, which is UTF-8, or set PYTHONIOENCODING=utf-8""")
is_a_folder = OutputError.of("""{path} is a folder
    name a file""")
no_name = OutputError.of("""{option} names no file: it is empty
    name a file, or leave {option} out; an empty shell variable gives this""")
unnamed = OutputError.of("""the name of a file is empty
    name it: 'results/run.json'""")
not_the_demo_s = OutputError.of("""{path} is there already, and `steelyard demo` did not write it
    name an empty folder""")
not_a_folder = OutputError.of("""'{path}' is a file, not a folder
    name a folder, or one that does not exist yet""")
pandas_missing = OutputError.of("""pandas is not installed
    run `pip install '.[pandas]'` in the folder of the clone, or use .table() for Polars""")
report_missing = OutputError.of("""a report is made with jinja2, altair and vl-convert-python, \
    which are not installed
    run `pip install '.[report]'` in the folder of the clone""")
nothing_to_report = OutputError.of("""a report was asked for, but no result was given
    give at least one: sy.report({'name': result}, 'report.html')""")
flat_names_equal = OutputError.of("""'{one}' and '{other}' have the same flat name '{name}'
    rename one of the slices or columns, or use result.table()""")
flat_name_too_long = OutputError.of("""the flat name '{name}' has {n:,} characters; \
    at most {most:,} are allowed
    shorten the names of slices, or use result.table()""")
not_a_result = OutputError.of("""'{name}' is not a result; it is a {found}
    give what sy.evaluate or sy.load returned, under its name""")
cannot_write = OutputError.of("""cannot write {what}: {why}
    name a place that can be written""")
not_results = OutputError.of("""results are given under their names; got a {found}
    give what sy.evaluate or sy.load returned: sy.report({'old': one, 'new': other}, 'report.html')""")
not_saved = ReadError.of("""{name} is not a file that Steelyard saved, or no more than the beginning of one
    name what result.save wrote; predictions and truth are read by sy.evaluate""")
changed = ReadError.of("""{name} was cut short or changed after it was saved
    save or copy it again""")
saved_otherwise = ReadError.of("""{name} was saved by Steelyard {by}, in version {found} of its form; \
    this is Steelyard {here}, which reads version {wanted}
    load it with the Steelyard that saved it, or evaluate again""")
metric_not_defined = MetricError.of("""{name} holds values of the metric '{metric}', \
    which is not defined here
    run the code that defines it, and load again""")
metric_of_another_kind = MetricError.of("""{name} holds values of the metric '{metric}', \
    which read '{there}'; the one defined here reads '{here}'
    give the new metric another name, or evaluate again""")
cannot_hold = OutputError.of("""a {type} cannot be saved
    in a metric of your own use numbers, texts, tuples and mappings of them""")


def unknown_ending(what: Path | Message, known: Collection[str]) -> SteelyardError:
    why = say("its ending does not say in which format")
    saved = say("to keep the whole result there: result.save('{what}'), --save {what}", what=what)
    remedy = saved if str(what).endswith(".steelyard") else None
    said = say("cannot write {what}: {why}", what=what, why=why)
    return unknown(said, None, known, kind=OutputError, remedy=remedy)


def both_written(
    what: Path | Message, outputs: Message | None = None, remedy: Message | None = None
) -> OutputError:
    return OutputError.of("{outputs} would both be written to {what}")(
        outputs=outputs or say("two outputs"), what=what, remedy=remedy or say("give each a file of its own")
    )
