"""Arguments as C's ``getopt_long`` reads them: ``-mP.5``, ``-qc``, ``--meas map``, options after operands."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from steelyard.messages.errors import as_trec_eval

OPERAND = ""  # stands in place of a letter


def options(
    arguments: Sequence[str], short: Mapping[str, bool], long: Mapping[str, tuple[str, bool]]
) -> Iterator[tuple[str, str]]:
    """Each option as its letter and its value, in order, and the operands after them.

    ``short`` says of each letter whether it takes a value, ``long`` gives a name's letter and whether the
    name takes one. A mistake is told when it is met, after what stands before it.

    >>> list(options(["-qmP.5", "qrels", "-l2"], {"q": False, "m": True, "l": True}, {}))
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
        yield OPERAND, operand


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
