"""Ids, names, numbers and units as tables, charts and pages show them, whatever they contain."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from steelyard.arguments import is_flag
from steelyard.printable import decimal
from steelyard.text import Message, say
from steelyard.text.errors import OutputError
from steelyard.text.errors.forms import must_be
from steelyard.text.names import shown

UNIT = {"queries": say("query"), "groups": say("group"), "rows": say("row")}
UNITS = {"queries": say("queries"), "groups": say("groups"), "rows": say("rows"), "items": say("items")}
COUNTED = {
    "queries": say("queries // what is counted"),
    "rows": say("rows // what is counted"),
    "groups": say("groups // what is counted"),
    "items": say("items // what is counted"),
}
MOST_NAMES = 6  # that a sentence lists
# columns of comparisons: whether p is an upper bound; how much better a system is, and whether significantly
FLOORED, GAIN, STANDING = "p at its floor", "gain of the system", "standing of the system"
_SMALLEST = 0.0001  # a p-value below is told as such
_LARGEST_COUNT = 1e15  # what is larger is no count of rows, but a sum of weights
_NEXT_TO_NOTHING = 5e-5  # what four decimals do not show


def joined(parts: Sequence[object], limit: int = 36) -> str:
    each = max(8, limit // max(len(parts), 1))
    return " · ".join(shown(part, limit if len(parts) == 1 else each) for part in parts)


def columns_of(by: Sequence[str]) -> str:
    return " · ".join(shown(name, 20) for name in by)


def named(name: str, said: str) -> Message:
    return say("{name}: {said}", name=name, said=said)


def worth_saying(notes: Iterable[Message], *, verbose: bool = False) -> tuple[Message, ...]:
    """The notes that people are shown; one that says that nothing changes only if ``verbose``."""
    if not is_flag(verbose):
        raise must_be("verbose", say("True or False"), verbose, kind=OutputError)
    return tuple(note for note in notes if verbose or _key(note) != "ties_change_nothing")


def _key(note: Message) -> str:
    """The key of a note, or of the note inside one that names a system."""
    said = note.figures.get("said")
    return said.key if not note.key and isinstance(said, Message) else note.key


def how_many(n: int, unit: str) -> Message:
    """A number of queries, groups, items or rows.

    >>> how_many(1, "queries"), how_many(1200, "rows").render("zh")
    ('1 query', '1,200 行')
    """
    return {
        "queries": say("{n:,} {n:query|queries}", n=n),
        "groups": say("{n:,} {n:group|groups}", n=n),
        "items": say("{n:,} {n:item|items}", n=n),
    }.get(unit, say("{n:,} {n:row|rows}", n=n))


def in_table(value: float, count: bool = False) -> str:
    """A value as a table has it: four decimals, a whole count without, a dash where it is undefined.

    >>> in_table(0.50607), in_table(1e200), in_table(float("nan")), in_table(1204.0, count=True)
    ('0.5061', '1.0000e+200', '–', '1,204')
    """
    if not math.isfinite(value):
        return _not_finite(value)
    whole = count and value.is_integer() and abs(value) < _LARGEST_COUNT
    return f"{value:,.0f}" if whole else decimal(value)


def signed(value: float) -> str:
    """A difference as a table has it, with its sign.

    >>> signed(0.0214), signed(-0.5), signed(0.0), signed(float("nan"))
    ('+0.0214', '-0.5000', '0.0000', '–')
    """
    return f"+{in_table(value)}" if value > 0 else in_table(value)


def chance(p: float | None, floored: bool = False) -> str:
    """A p-value as a table has it; ``floored`` where the draws of its test show an upper bound only.

    >>> chance(0.03703), chance(1e-30), chance(None), chance(1 / 1001, floored=True)
    ('0.0370', '<0.0001', '–', '<0.001')
    """
    if p is None:
        return "–"
    if p < _SMALLEST or floored:
        return f"<{max(1, math.ceil(round(p / _SMALLEST, 6))) * _SMALLEST:g}"
    return f"{p:.4f}"


def between(low: float | None, high: float | None) -> str:
    """An interval as a table has it; nothing where there is none.

    What is next to nothing beside the other end is written as 0.

    >>> between(0.15046, 0.84954), between(None, None), between(float("nan"), float("nan"))
    ('0.1505 – 0.8495', '', '–')
    >>> between(4e-12, 0.9), between(4e-12, 9e-12)
    ('0.0000 – 0.9000', '4.0000e-12 – 9.0000e-12')
    """
    if low is None or high is None:
        return ""
    if not (math.isfinite(low) or math.isfinite(high)):
        return "–"
    far = max(abs(low), abs(high))
    low, high = (0.0 if abs(end) < _NEXT_TO_NOTHING < far else end for end in (low, high))
    return f"{in_table(low)} – {in_table(high)}"


def number(value: float) -> str:
    """A number as a point tells it: four decimals at most, all that matter where it is small.

    >>> number(0.25), number(0.000123456), number(1234567.0), number(1e200), number(float("inf"))
    ('0.25', '0.0001235', '1,234,567', '1e+200', '∞')
    """
    if not math.isfinite(value):
        return _not_finite(value)
    if 1000 <= abs(value) < _LARGEST_COUNT:
        return f"{value:,.0f}"
    text = f"{value:.4f}" if 0.01 <= abs(value) < 1000 or value == 0 else f"{value:.4g}"
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def _not_finite(value: float) -> str:
    return "–" if math.isnan(value) else "∞" if value > 0 else "-∞"


def percent(share: float) -> str:
    """A share, with as many decimals as it needs.

    >>> percent(0.5), percent(0.0123), percent(0.0001)
    ('50%', '1.2%', '0.01%')
    """
    text = f"{100 * share:.{2 if 0 < share < 0.001 else 1}f}"
    return f"{text.rstrip('0').rstrip('.')}%"


def finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def apart(value: float, other: float, decimals: int = 4) -> str:
    """A number with as many decimals as tell it from another one.

    >>> apart(0.41234, 0.5), apart(0.50001, 0.5), apart(0.504, 0.5, 1), apart(0.5, 0.5)
    ('0.4123', '0.50001', '0.504', '0.5000')
    """
    if not math.isfinite(value) or not math.isfinite(other) or value == other:
        return in_table(value) if decimals == 4 else f"{value:.{decimals}f}"
    for places in range(decimals, 12):
        if f"{value:.{places}f}" != f"{other:.{places}f}":
            return f"{value:.{places}f}"
    return f"{value:.{decimals}f}"


def rounded(n: int) -> int:
    """A number with two digits that count, as an estimate has them.

    >>> rounded(1234), rounded(87)
    (1300, 87)
    """
    step = int(10 ** max(0, len(str(n)) - 2))
    return -(-n // step) * step
