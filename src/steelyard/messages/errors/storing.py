"""What a user is told when a result cannot be saved or loaded."""

from __future__ import annotations

from steelyard.messages.errors.base import MetricError, OutputError, ReadError, Refusal

not_saved = Refusal(
    ReadError,
    "{name} is not a file that Steelyard saved, or no more than the beginning of one",
    remedy="name what result.save wrote; predictions and truth are read by sy.evaluate",
)
changed = Refusal(
    ReadError,
    "{name} was cut short or changed after it was saved",
    remedy="save or copy it again",
)
holds_another = Refusal(
    ReadError, "{name} holds '{found}', not '{wanted}'", remedy="name what result.save wrote"
)
saved_otherwise = Refusal(
    ReadError,
    "{name} was saved by Steelyard {by}, in version {found} of its form; "
    "this is Steelyard {here}, which reads version {wanted}",
    remedy="load it with Steelyard {by}, or evaluate again",
)
metric_not_defined = Refusal(
    MetricError,
    "{name} holds values of the metric '{metric}', which is not defined here",
    remedy="run the code that defines it, and load again",
)
metric_of_another_kind = Refusal(
    MetricError,
    "{name} holds values of the metric '{metric}', which read '{there}'; the one defined here reads '{here}'",
    remedy="give the new metric another name, or evaluate again",
)
cannot_hold = Refusal(
    OutputError,
    "a {type} cannot be saved",
    remedy="in a metric of your own use numbers, texts, tuples, mappings and arrays of them",
)
