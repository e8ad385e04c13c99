"""What `steelyard trec_eval` says when it stops; each kind of error has the exit code that trec_eval has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from steelyard.text import say
from steelyard.text.errors.base import SteelyardError, nearest
from steelyard.text.errors.forms import with_guess

EMPTY = say("it is empty")
_HELP = say("`steelyard trec_eval -h` lists the flags, and with -m all_trec the measures")


class FlagError(SteelyardError):
    """A flag, a measure or a number of files that trec_eval does not take."""

    exit_code: ClassVar[int] = 1


class FileError(SteelyardError):
    """A file or a parameter that trec_eval cannot read."""

    exit_code: ClassVar[int] = 2


class TopicError(SteelyardError):
    """A topic for which trec_eval calculates nothing."""

    exit_code: ClassVar[int] = 4


class NothingInCommonError(SteelyardError):
    """No topic has both judgements and results."""

    exit_code: ClassVar[int] = 7


class ZScoreError(SteelyardError):
    """A file of means and deviations that cannot be read."""

    exit_code: ClassVar[int] = 255


no_such_flag = FlagError.of("trec_eval has no flag {flag}", remedy=_HELP)
flag_without_value = FlagError.of("the flag {flag} takes a value", remedy=_HELP)
flag_takes_no_value = FlagError.of("the flag {flag} takes no value", remedy=_HELP)
flag_means_several = FlagError.of("the flag {flag} may mean {flags:or}", remedy=_HELP)
not_two_files = FlagError.of("""trec_eval takes two files, got {n:,}
    name the judgements first, then the run: steelyard trec_eval QRELS RUN""")
no_such_edition = FlagError.of("""there is no trec_eval '{text}' to follow
    write --as 9 or --as 10""")
empty_parameters = FlagError.of("""nothing follows the point in '{text}'
    write the parameters there, as in P.5,10, or leave out the point""")
negative_depth = FlagError.of("""-M {value} leaves no documents to evaluate
    write a whole number from 0 on""")
unreadable_file = FileError.of("""cannot read {name}: {why}
    check the path and the file""")
malformed_qrels = FileError.of("""{name}, line {line:,}: '{text}' is no judgement
    write topic, iteration, document and grade, and nothing more""")
malformed_preference = FileError.of("""{name}, line {line:,}: '{text}' is no preference
    write topic, judge, subgroup, document and level, and nothing more""")
malformed_run = FileError.of("""{name}, line {line:,}: '{text}' is no line of a run
    write topic, Q0, document, rank, score and tag""")
score_not_a_number = FileError.of("""{name}: the score of document {item} for topic {query} is NaN
    give it a number""")
level_not_a_number = FileError.of("""{name}: the level of document {item} for topic {query} is NaN
    give it a number""")
no_such_format = FileError.of("""there is no format '{text}' for {flag}
    there is {formats:and}""")
judged_again = FileError.of("""{name}: {judge} judges document {item} of topic {query} twice
    leave one of the lines""")
bad_number = FileError.of("""'{text}' is no number that can be used
    write a finite number""")
bad_cutoff = FileError.of("""a cutoff of {name} is {value}
    write whole numbers above 0, as in {name}.5,10""")
same_cutoff = FileError.of("""{name} has the cutoff {value} twice
    write it once""")
bad_pairs = FileError.of("""{name} takes pairs, got '{text}'
    write NAME=VALUE, as in {name}.1=3,2=9""")
gain_of_nothing = FileError.of("""{name} gives a gain to level {level}, which no judgement has
    give gains to levels from 0 on""")
doubled_in_run = TopicError.of("""topic {query} of {name} has document {item} twice: \
    {measure} cannot be calculated
    leave one of the lines""")
doubled_in_qrels = TopicError.of("""topic {query} of {name} judges document {item} twice: \
    {measure} cannot be calculated
    leave one of the lines""")
two_levels = TopicError.of("""topic {query} of {name}: {judge} gives document {item} two levels: \
    {measure} cannot be calculated
    leave one of the lines""")
relevant_and_not = TopicError.of("""topic {query} of {name}: {judge} gives document {item} level 0 and one \
    above 0: {measure} cannot be calculated
    give it level 0 in every subgroup, or in none""")
preferred_to_itself = TopicError.of("""topic {query} of {name}: by what {judge} says document {item} is \
    preferred to itself: {measure} cannot be calculated
    take out what contradicts the rest, or let another judge say it""")
of_other_format = TopicError.of("""{measure} is calculated from judgements in the format {formats:or} alone
    write -R {formats:or}, or name other measures""")
nul_in_file = FileError.of("""{name} has a NUL byte in it
    take it out; perhaps the file is not text at all""")
number_too_large = TopicError.of("""{name} has {text}, which is larger than a whole number can be
    write a smaller one""")
not_four_numbers = TopicError.of("""utility takes 4 numbers, got {n:,}
    write for example utility.1,-1,0,0""")
no_topic_in_common = NothingInCommonError.of("""no topic of {run} has judgements in {qrels}
    check that both name topics the same way, and that the judgements come first""")
unreadable_zscores = ZScoreError.of("""cannot read {name}: {why}
    check the path and the file""")
malformed_zscores = ZScoreError.of("""{name}, line {line:,}: '{text}' is no line of a file of z-scores
    write topic, measure, mean and deviation, and nothing more""")


def no_such_measure(name: str, known: Sequence[str]) -> FlagError:
    said = say("trec_eval has no measure '{name}'", name=name)
    stem, _, cutoff = name.rpartition("_")
    if stem in known and cutoff[:1].isdigit():  # as trec_eval prints it, and pytrec_eval takes it
        return FlagError(said, remedy=say("write {written}", written=f"-m {stem}.{cutoff}"))
    return FlagError(with_guess(said, nearest(name, known)), remedy=_HELP)
