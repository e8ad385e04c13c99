"""Ids and names as a chart can show them, whatever they contain."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.messages.names import again as again
from steelyard.messages.names import distinct as distinct
from steelyard.messages.names import shown as shown

LARGEST_COUNT = 1e15  # what is larger is no count of rows, but a sum of weights


def joined(parts: Sequence[object], limit: int = 36) -> str:
    """The values of several slice columns as one name."""
    each = max(8, limit // max(len(parts), 1))
    return " · ".join(shown(part, limit if len(parts) == 1 else each) for part in parts)


def number(value: float) -> str:
    """A number as a point tells it: four decimals at most, all that matter where it is small.

    >>> number(0.25), number(0.000123456), number(1234567.0), number(1e200), number(float("inf"))
    ('0.25', '0.0001235', '1,234,567', '1e+200', '∞')
    """
    if value != value:
        return "–"
    if abs(value) == float("inf"):
        return "∞" if value > 0 else "-∞"
    if 1000 <= abs(value) < LARGEST_COUNT:
        return f"{value:,.0f}"
    text = f"{value:.4f}" if 0.01 <= abs(value) < 1000 or value == 0 else f"{value:.4g}"
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def percent(share: float) -> str:
    """A share, with as many decimals as it needs.

    >>> percent(0.5), percent(0.0123), percent(0.0001)
    ('50%', '1.2%', '0.01%')
    """
    text = f"{100 * share:.{2 if 0 < share < 0.001 else 1}f}"
    return f"{text.rstrip('0').rstrip('.')}%"
