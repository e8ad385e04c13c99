"""What a user is told when the numbers of two profiles cannot be set against each other."""

from __future__ import annotations

from steelyard.messages import say
from steelyard.messages.errors.base import MetricError, SteelyardError
from steelyard.messages.errors.forms import must_be

_REMEDY = say("name two: --profiles recbole,trec_eval; in Python profiles=('recbole', 'trec_eval')")

not_two = MetricError.of("a difference is one of two profiles, and {n} {n:is|are} named", remedy=_REMEDY)
same_twice = MetricError.of("""{name} is named twice, and does not differ from itself
    name another profile beside it; house:2026 is one too""")
value_of_each_class = MetricError.of("""{metric} has a value for each class, \
    and a difference is one of single values
    ask for an average: f1(average=macro)""")


def not_two_names(given: object) -> MetricError:
    """Profiles that are no pair of names."""
    return must_be("profiles", say("the names of two profiles"), given, remedy=_REMEDY)


def under_profile(profile: str, error: SteelyardError) -> SteelyardError:
    """What one of the profiles refuses, with its name."""
    return type(error)(say("{profile}: {said}", profile=profile, said=error.said), remedy=error.hint)
