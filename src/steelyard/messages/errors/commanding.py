"""What a user is told when the command line or a run file cannot be understood."""

from __future__ import annotations

from typing import ClassVar

from steelyard.messages import say
from steelyard.messages.errors.base import MetricError, SteelyardError

_EXAMPLES = {"--set": "rel=2", "--columns": "query=user_id"}


class FaultError(SteelyardError):
    """A command that ended for a reason other than what it was given."""

    exit_code: ClassVar[int] = 70  # EX_SOFTWARE of sysexits.h; 1 is a gate that failed


our_fault = FaultError.of("""this is a bug in Steelyard, not a mistake in your input
    report it with the lines above""")
out_of_memory = FaultError.of("""there is not enough memory
    evaluate fewer rows or fewer metrics at once, or use a machine with more memory""")
not_taken = MetricError.of("""{option} takes {wanted}; got '{text}'
    write for example {example}""")
chart_of_two = MetricError.of("""the chart '{name}' shows two results, and `steelyard evaluate` has one
    in Python: result.chart('{name}', other=...)""")
chart_of_several = MetricError.of("""the chart '{name}' shows several results, \
    and `steelyard evaluate` has one
    in Python: result.chart('{name}', other=...)""")
takes_no_metric = MetricError.of("""the chart '{name}' shows no single metric
    write {name}=FILE""")
unreadable_run_file = MetricError.of("""cannot read the run file {file}: {why}
    a run file is TOML, with the flags as keys""")
run_file_inside = MetricError.of("""{file} names a run file itself
    write the keys of both into one file""")


def not_key_value(option: str, text: str) -> MetricError:
    """An option that wants ``name=value`` got something else."""
    example = _EXAMPLES.get(option, "NAME=VALUE")
    return not_taken(option=option, wanted="NAME=VALUE", text=text, example=f"{option} {example}")


def not_chart_and_file(text: str) -> MetricError:
    """``--chart`` got something else than a chart and a file."""
    example = say("--chart roc=roc.svg, or --chart 'slices(auc)=slices.png'")
    return not_taken(option="--chart", wanted="NAME=FILE", text=text, example=example)
