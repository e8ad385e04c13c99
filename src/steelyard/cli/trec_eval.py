"""``steelyard trec_eval``: the program of that name, with its flags, its measures and its output."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from getopt import GetoptError, gnu_getopt
from typing import Any

import click

from steelyard.cli import streams
from steelyard.cli.options import PARAMETERS, Command, Speech, lang_option, options
from steelyard.text import say
from steelyard.text.errors import SteelyardError, as_trec_eval
from steelyard.text.errors.forms import check_language
from steelyard.trec_eval.measures import FORMATS, asked, named, whole
from steelyard.version import VERSION

_EDITIONS = ("9", "10")


class _AsGetopt(Command):
    """A command whose arguments are read as trec_eval reads them; its options are for the help."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.params = {"arguments": tuple(args)}
        return []

    def read(self, arguments: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
        """Each flag as its letter, or its name where it has none, with its value; and the operands."""
        letters, short, long = {"--help": "-h"}, "h", ["help", "Output_old_results_format="]  # as trec_eval
        for option in self.params:
            assert isinstance(option, click.Option)
            takes = not option.is_flag
            *letter, name = option.opts
            letters[name] = letter[0] if letter else name
            short += letter[0][1:] + ":" * takes if letter else ""
            long.append(name[2:] + "=" * takes)
        long.remove("Output_old_results_format")
        try:
            pairs, operands = gnu_getopt(arguments, short, long)
        except GetoptError as error:
            raise _mistake(error, short, long) from None
        return [(letters.get(flag, flag), value) for flag, value in pairs], operands


def _mistake(error: GetoptError, short: str, long: Sequence[str]) -> SteelyardError:
    """The error for a mistake; ``getopt`` has its kind in its text alone."""
    name, is_long = error.opt, f"--{error.opt}" in error.msg
    flag = f"--{name}" if is_long else f"-{name}"
    near = [f"--{known.rstrip('=')}" for known in long if is_long and known.startswith(name)]
    if not near and (is_long or name not in short):
        return as_trec_eval.no_such_flag(flag=flag)
    if flag not in near and len(near) > 1:
        return as_trec_eval.flag_means_several(flag=flag, flags=near)
    if is_long and f"{name}=" not in long:
        return as_trec_eval.flag_takes_no_value(flag=flag)
    return as_trec_eval.flag_without_value(flag=flag)


def _depth(text: str) -> int:
    if whole(text) < 0:
        raise as_trec_eval.negative_depth(value=whole(text))
    return whole(text)


def _edition(text: str) -> int:
    if text not in _EDITIONS:
        raise as_trec_eval.no_such_edition(text=text)
    return int(text)


def _format(text: str, flag: str = "-R", formats: Sequence[str] = FORMATS) -> str:
    if text not in formats:
        raise as_trec_eval.no_such_format(text=text, flag=flag, formats=formats)
    return text


# flags with one meaning: its name, and how its value is read
_RULES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "-c": ("complete", lambda _: True),
    "-l": ("level", whole),
    "-M": ("most", _depth),
    "-J": ("judged_only", lambda _: True),
    "-N": ("collection", whole),
    "--as": ("edition", _edition),
}
_FLAGS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "-q": ("each_topic", lambda _: True),
    "-n": ("summary", lambda _: False),
    "-D": ("only", lambda text: text.partition(".")[2] or None),
    "-Z": ("zscores", str),
    "-R": ("form", _format),
}
_CHECKED: dict[str, Callable[[str], Any]] = {
    "-m": lambda text: named(text, int(_EDITIONS[-1])),
    "-T": lambda text: _format(text, "-T", ("trec_results",)),
    "--lang": check_language,
}


@click.command(cls=_AsGetopt, name="trec_eval", options_metavar="[FLAGS] QRELS RUN")
@options(*(name for name in PARAMETERS if name.startswith("trec_eval.")))
@lang_option
@click.pass_context
def trec_eval(context: click.Context, arguments: Sequence[str]) -> None:
    """Print what the program trec_eval prints: its flags, its measures, its output to the byte.

    QRELS are the judgements, RUN is the run to evaluate; where RUN is - it is read from standard input.
    With -m, -h also lists the measures that are asked for.

    \b
    steelyard trec_eval qrels.txt run.txt
    steelyard trec_eval -q -m P.5,10 -m ndcg_cut.10 qrels.txt run.txt
    steelyard trec_eval --as 9 -c -m all_trec qrels.txt run.txt
    steelyard trec_eval -R prefs -m all_prefs prefs.txt run.txt
    """  # noqa: D301 - click reads the backspace as "leave these lines alone"
    from steelyard.trec_eval import program
    from steelyard.trec_eval.topics import TopicRules

    assert isinstance(context.command, _AsGetopt)
    pairs, operands = context.command.read(arguments)
    rules, flags = dict[str, Any](), dict[str, Any]()
    for flag, value in pairs:
        if flag == "-v":
            streams.tell(f"steelyard {VERSION}, trec_eval {TopicRules(**rules).edition}")
            return
        for table, held in ((_RULES, rules), (_FLAGS, flags)):
            if flag in table:
                name, read = table[flag]
                held[name] = read(value)
        if flag in _CHECKED:
            _CHECKED[flag](value)
    conventions = TopicRules(**rules)
    measures = tuple(value for flag, value in pairs if flag == "-m")
    if "-h" in dict(pairs):
        streams.show(context.get_help())
        if measures:
            several = [one.measure for one in asked(measures, conventions.edition)]
            width = max(len(measure.written) for measure in several)
            head = say("Measures, with their parameters, and as a metric of `steelyard evaluate`:")
            streams.show(f"\n{head.render(context.ensure_object(Speech).lang)}")
            for measure in several:
                streams.show(f"  {measure.written:<{width}}  {measure.metric}".rstrip())
        return
    if len(operands) != 2:
        raise as_trec_eval.not_two_files(n=len(operands))
    write = streams.show_fields if sys.stdout.isatty() else sys.stdout.buffer.write
    program.evaluate(operands[0], operands[1], program.Flags(conventions, measures, **flags), write)
