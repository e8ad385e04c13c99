"""Texts and numbers that programs trip over, and how to spoil a text or bytes with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T", str, bytes)

# fmt: off
NUMBERS = [
    "0", "1", "-1", "2", "0.5", "-0.0", "1e-308", "5e-324", "1e-6", "1.0000001", "-1e-9", "1e16", "1e200",
    "1e308", "-1e308", "1e400", "9223372036854775807", "9223372036854775808", "18446744073709551616",
    "1180591620717411303424", "3.402823466e+38", "16777217", "1000000000", "1000000", "100", "nan", "NaN",
    "inf", "-inf", "Infinity", "0x10", "1_000", "1,5", "1e", "+1", "--1", "1.", ".5", "01", "007", " 1",
    "１", "٣", "true", "none",
]
TEXTS = [
    "", " ", "\t", "\n", "\r", "\r\n", "\0", "\x1b]0;x\x07", "\x1b[31m", "\x9b31m", "\u202e", "\u2028",
    "\ufeff", "é", "e\u0301", "ß", "İ", "ﬁ", "😀", "\u200d", "中文", "①", "𝟙", "a" * 300, "*", "^.*$", "?",
    "[a]", "(all)", "(none)", "null", "None", "NA", "\\N", "=1+1", "-1", "'", '"', '"a', "a,b", "a;b",
    "a=b", "a:b", "{}", "{0}", "%s", "%(a)s", "[bold]", "[/]", "<b>", "&", "$x$", "\\", "\\x", "_", "#",
    "//", "../x", "-", "--", "@", "~", "query", "item", "score", "label", "metric", "value", "n",
    "undefined", "class", "predicted", "index",
]
# fmt: on


def spoiled(rng: Random, text: str, pieces: Sequence[str] = (*NUMBERS, *TEXTS)) -> str:
    """A text after one to three small accidents."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        text = _after_accident(rng, text, lambda: rng.choice(pieces))
    return text


def spoiled_bytes(rng: Random, data: bytes, pieces: Sequence[bytes]) -> bytes:
    """Bytes after one to three small accidents; a flipped bit is the commonest."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if data and rng.random() < 0.4:
            at = rng.randrange(len(data))
            data = data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
        else:
            data = _after_accident(rng, data, lambda: rng.choice([*pieces, rng.randbytes(2)]))
    return data


def _after_accident(rng: Random, whole: T, piece: Callable[[], T]) -> T:
    start = rng.randint(0, len(whole))
    stop = min(len(whole), start + rng.choice([0, 1, 1, 2, 5, 20]))
    match rng.randrange(6):
        case 0:
            return whole[:start] + whole[stop:]
        case 1:
            return whole[:start] + piece() + whole[start:]
        case 2:
            return whole[:start] + piece() + whole[stop:]
        case 3:
            return whole[:stop] + whole[start:stop] * rng.choice([1, 1, 3, 50]) + whole[stop:]
        case 4:
            return whole[:start]
        case _:
            other = rng.randint(0, len(whole))
            return whole[:start] + whole[other : other + 8] + whole[start:]
