"""What a user is told when a result cannot be saved or loaded."""

from __future__ import annotations

from steelyard.messages.errors.base import MetricError, OutputError, ReadError

not_saved = ReadError.of("""{name} is not a file that Steelyard saved, or no more than the beginning of one
    name what result.save wrote; predictions and truth are read by sy.evaluate""")
changed = ReadError.of("""{name} was cut short or changed after it was saved
    save or copy it again""")
holds_another = ReadError.of("""{name} holds '{found}', not '{wanted}'
    name what result.save wrote""")
saved_otherwise = ReadError.of("""{name} was saved by Steelyard {by}, in version {found} of its form; \
    this is Steelyard {here}, which reads version {wanted}
    load it with Steelyard {by}, or evaluate again""")
metric_not_defined = MetricError.of("""{name} holds values of the metric '{metric}', \
    which is not defined here
    run the code that defines it, and load again""")
metric_of_another_kind = MetricError.of("""{name} holds values of the metric '{metric}', \
    which read '{there}'; the one defined here reads '{here}'
    give the new metric another name, or evaluate again""")
cannot_hold = OutputError.of("""a {type} cannot be saved
    in a metric of your own use numbers, texts, tuples, mappings and arrays of them""")
