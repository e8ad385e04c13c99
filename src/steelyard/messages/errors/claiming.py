"""What a user is told when a claim cannot be understood, or cannot be met by anything."""

from __future__ import annotations

from steelyard.messages import say
from steelyard.messages.errors.base import ColumnError, MetricError, ReadError, SteelyardError
from steelyard.messages.errors.forms import must_be

nothing_claimed = MetricError.of("""nothing is claimed
    give a metric and its value: --claim map@10=0.302; in Python {'map@10': 0.302}""")
pairs_given = MetricError.of("""claims are a list of pairs
    give a mapping: {given}""")
too_many_claims = MetricError.of("""there are more than {most} claims
    choose those with the most digits; a few metrics tell conventions apart""")
claimed_twice = MetricError.of("""two values are claimed for {metric}: {one} and {other}
    claim one; the numbers of two systems are two questions""")
too_many_digits = MetricError.of("""the claim for {metric} has {n} digits, \
    and more than {most} cannot be told apart
    write {rounded}""")
beyond_numbers = MetricError.of("""{printed}, which is claimed for {metric}, \
    is too large or has too many decimals to be told from others
    write the value as it was printed: 0.302""")
undefined_here = MetricError.of("""{metric} is undefined on this data, under every convention that was tried
    the number is of other data; evaluate tells why there is none here""")
beyond_bounds = MetricError.of("""{metric} is never {printed}: its values are from {low} to {high}
    check the number, and that this is the metric it was printed for""")
is_percentage = MetricError.of("""{metric} is never {printed}: its values are from {low} to {high}
    if it is a percentage, write it as one: --claim {metric}={printed}%""")
column_missing = ColumnError.of("""{name} has no column '{column}'; it has {columns}
    a table of claims has the columns metric and value""")
claims_of_two_profiles = MetricError.of("""one claim starts from {one} and another from {other}: \
    no library prints both
    name one profile, or none; or search for each by itself""")
semicolons = ColumnError.of("""{name} has its columns separated by semicolons
    separate them by commas: metric,value""")
empty_claims = ReadError.of("""{name} claims nothing: it has no row
    write a metric and a value in each row""")
claimed_of_classes = MetricError.of("""{metric} has a value for each class, and a claim is on one value
    claim an average: f1(average=macro)=0.71""")


def metric_not_text(given: object) -> MetricError:
    """A claim whose metric is no text."""
    return must_be(say("the metric of a claim"), say("text such as 'map@10'"), given)


def value_not_number(metric: str, given: object) -> MetricError:
    """A claim whose value is no number."""
    return must_be(say("the value claimed for {metric}", metric=metric), say("a number such as 0.302"), given)


def in_row(name: str, row: int, error: SteelyardError) -> SteelyardError:
    """What is wrong with a row of a table of claims."""
    return type(error)(
        say("{name}, row {row:,}: {said}", name=name, row=row, said=error.said), remedy=error.hint
    )
