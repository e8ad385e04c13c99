"""``steelyard trec_eval``: the program of that name, with its flags, its measures and its output."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from steelyard.cli import streams
from steelyard.cli.options import taking
from steelyard.cli.usage import Command, Speech, lang_option
from steelyard.messages import say
from steelyard.messages.errors import as_trec_eval
from steelyard.messages.errors.forms import check_language
from steelyard.trec_eval.measures import FORMATS
from steelyard.version import VERSION

if TYPE_CHECKING:
    from steelyard.trec_eval.program import Flags


def getopt(
    arguments: Sequence[str], short: Mapping[str, bool], long: Mapping[str, tuple[str, bool]]
) -> Iterator[tuple[str, str]]:
    """Arguments as C's ``getopt_long`` reads them: each option as its letter and value, then the operands.

    ``short`` says of each letter whether it takes a value, ``long`` gives a name's letter and whether the
    name takes one. A mistake is told when it is met, after what stands before it.

    >>> list(getopt(["-qmP.5", "qrels", "-l2"], {"q": False, "m": True, "l": True}, {}))
    [('q', ''), ('m', 'P.5'), ('l', '2'), ('', 'qrels')]
    """
    operands: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--":
            break
        if word.startswith("--"):
            yield _named(word[2:], rest, long)
        elif word.startswith("-") and word != "-":
            yield from _letters(word[1:], rest, short)
        else:
            operands.append(word)
            if "POSIXLY_CORRECT" in os.environ:
                break
    for operand in (*operands, *rest):
        yield "", operand


def _letters(word: str, rest: list[str], short: Mapping[str, bool]) -> Iterator[tuple[str, str]]:
    """Letters behind one dash; the first that takes a value takes what is left of the word."""
    for place, letter in enumerate(word):
        if letter not in short:
            raise as_trec_eval.no_such_flag(flag=f"-{letter}")
        if not short[letter]:
            yield letter, ""
            continue
        value = word[place + 1 :]
        if not value and not rest:
            raise as_trec_eval.flag_without_value(flag=f"-{letter}")
        yield letter, value or rest.pop(0)
        return


def _named(word: str, rest: list[str], long: Mapping[str, tuple[str, bool]]) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    near = [name] if name in long else [one for one in long if one.startswith(name)]
    if len({long[one] for one in near}) > 1:
        raise as_trec_eval.flag_means_several(flag=f"--{name}", flags=[f"--{one}" for one in near])
    if not near:
        raise as_trec_eval.no_such_flag(flag=f"--{name}")
    letter, takes_value = long[near[0]]
    if takes_value and not equals:
        if not rest:
            raise as_trec_eval.flag_without_value(flag=f"--{near[0]}")
        value = rest.pop(0)
    if equals and not takes_value:
        raise as_trec_eval.flag_takes_no_value(flag=f"--{near[0]}")
    return letter, value


_EDITIONS = ("9", "10")
_FORMATS = {"R": FORMATS, "T": ("trec_results",)}


class _AsGetopt(Command):
    """A command whose options are there for its help; its arguments are read as trec_eval reads them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.params = {"arguments": tuple(args)}
        return []

    def letters(self) -> tuple[dict[str, bool], dict[str, tuple[str, bool]]]:
        """Of each letter whether it takes a value; of each name its letter and the same."""
        short: dict[str, bool] = {"h": False}
        long: dict[str, tuple[str, bool]] = {"help": ("h", False)}
        for option in self.params:
            assert isinstance(option, click.Option)
            takes_value = not option.is_flag
            *letters, name = option.opts
            letter = letters[0][1:] if letters else name
            if letters:
                short[letter] = takes_value
            long[name[2:]] = (letter, takes_value)
        long["Output_old_results_format"] = ("o", True)  # as trec_eval has it
        return short, long


@click.command(cls=_AsGetopt, name="trec_eval", options_metavar="[FLAGS] QRELS RUN")
@click.option("-q", "--query_eval_wanted", is_flag=True, help="Also print the values of each topic.")
@taking(
    "-m, --measure",
    "MEASURE[.PARAMETERS]",
    "A measure, or official, set, all_trec, qrels_jg, prefs or all_prefs; may be given again. "
    "Without it official.",
)
@click.option(
    "-c",
    "--complete_rel_info_wanted",
    is_flag=True,
    help="Average over all judged topics; one that the run lacks counts 0.",
)
@click.option("-n", "--nosummary", is_flag=True, help="Print no values of all topics together.")
@taking("-l, --level_for_rel", "NUMBER", "The lowest grade that is relevant; without it 1.")
@taking("-M, --Max_retrieved_per_topic", "NUMBER", "Evaluate only so many documents of each topic.")
@click.option("-J", "--Judged_docs_only", is_flag=True, help="Leave out documents without judgement.")
@taking("-N, --Number_docs_in_coll", "NUMBER", "How many documents there are, which utility reads.")
@taking(
    "-Z, --Zscore",
    "FILE",
    "Print deviations from a mean: FILE has topic, measure, mean and deviation in each line.",
)
@taking(
    "-R, --Rel_info_format",
    "FORMAT",
    "The format of QRELS: qrels; qrels_jg where its second column says who judged; to count preferences "
    "prefs, whose lines are topic, judge, subgroup, document and level, or qrels_prefs, without subgroups.",
)
@taking("-T, --Results_format", "FORMAT", "The format of RUN: trec_results.")
@taking("-D, --Debug_level", "NUMBER[.TOPIC]", "Evaluate TOPIC alone.")
@click.option("-o", "--Output_old_results_format", is_flag=True, help="Nothing; it is read for old scripts.")
@click.option("-v", "--version", is_flag=True, help="Print the version and exit.")
@taking("--as", "[9|10]", "Which trec_eval to follow where they differ; without it 10.")
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
    from steelyard.trec_eval.measures import named, whole

    command = context.command
    assert isinstance(command, _AsGetopt)
    flags, helped, operands = program.Flags(), False, list[str]()
    conventions = flags.conventions
    for letter, value in getopt(arguments, *command.letters()):
        match letter:
            case "":
                operands.append(value)
            case "h":
                helped = True
            case "v":
                streams.tell(f"steelyard {VERSION}, trec_eval {conventions.edition}")
                return
            case "m":
                named(value, int(_EDITIONS[-1]))
                flags = replace(flags, measures=(*flags.measures, value))
            case "q":
                flags = replace(flags, each_topic=True)
            case "n":
                flags = replace(flags, summary=False)
            case "D":
                flags = replace(flags, only=value.partition(".")[2] or None)
            case "Z":
                flags = replace(flags, zscores=value)
            case "c":
                conventions = replace(conventions, complete=True)
            case "l":
                conventions = replace(conventions, level=whole(value))
            case "M":
                most = whole(value)
                if most < 0:
                    raise as_trec_eval.negative_depth(value=most)
                conventions = replace(conventions, most=most)
            case "J":
                conventions = replace(conventions, judged_only=True)
            case "N":
                conventions = replace(conventions, collection=whole(value))
            case "R" | "T" if value not in _FORMATS[letter]:
                raise as_trec_eval.no_such_format(text=value, flag=f"-{letter}", formats=_FORMATS[letter])
            case "R":
                flags = replace(flags, form=next(one for one in FORMATS if one == value))
            case "--lang":
                check_language(value)
            case "--as":
                if value not in _EDITIONS:
                    raise as_trec_eval.no_such_edition(text=value)
                conventions = replace(conventions, edition=int(value))
    flags = replace(flags, conventions=conventions)
    if helped:
        streams.show(context.get_help())
        if flags.measures:
            streams.show(f"\n{_listed(flags, context.ensure_object(Speech).lang)}")
        return
    if len(operands) != 2:
        raise as_trec_eval.not_two_files(n=len(operands))
    write = streams.show_fields if sys.stdout.isatty() else sys.stdout.buffer.write
    program.evaluate(operands[0], operands[1], flags, write)


def _listed(flags: Flags, lang: str) -> str:
    from steelyard.trec_eval.measures import asked

    some = [one.measure for one in asked(flags.measures, flags.conventions.edition)]
    width = max(len(one.written) for one in some)
    lines = [f"  {one.written:<{width}}  {one.metric}".rstrip() for one in some]
    said = say("Measures, with their parameters, and as a metric of `steelyard evaluate`:").told(lang)
    return "\n".join([said, *lines])
