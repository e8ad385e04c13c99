"""Text that is safe to show on a terminal or a page, whatever ids, names and paths it has."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

NONE = "(none)"  # the name of the slice without a value

_JOINERS = "\u200c\u200d"  # letters of some scripts, and emoji, are made with them
_HIDDEN = {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}
_SHOWN, _LARGE = 5e-5, 1e9  # numbers that four decimals show in at most fourteen characters
_OPENING, _CLOSING, _WIDE = "（「《(", "，。；：、！？）」》", "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_PIECE = re.compile(rf"[{_OPENING}]*(?:[^{_WIDE}]+|[{_WIDE}])(?:[{_CLOSING}]|[).,;:](?!\w))*")
# fewer wide characters without a stop are a name
_SENTENCE = re.compile(rf".*[，。；：、！？]|(?:[^{_WIDE}]*[{_WIDE}]){{8}}")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str) -> str:
    r"""Text on one line, with hidden and control characters spelt out.

    >>> visible("a\u202eb\x1b[31m\nc")
    'a\\u202eb\\u001b[31m\\nc'
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def visible_lines(text: str) -> str:
    r"""The same for text of several lines, which stay lines.

    >>> print(visible_lines("one\n\x07two"))
    one
    \u0007two
    """
    return "\n".join(map(visible, text.split("\n")))


def fitted(text: str, width: int, indent: str = "") -> list[str]:
    """Text in lines of at most ``width``, broken at spaces, and in Chinese sentences anywhere.

    A longer word stays whole, and no closing mark begins a line. All lines but the first have the ``indent``.

    >>> fitted("前 k 个物品，按得分。", 8)
    ['前 k 个', '物品，按', '得分。']
    """
    from rich.cells import cell_len  # not for every start of a command

    lines, line = [], ""
    for piece in _pieces(text):
        if cell_len(line + piece) > width and line.strip():
            lines.append(line.rstrip())
            line = indent + piece.lstrip()
        else:
            line += piece
    return [*lines, line]


def _pieces(text: str) -> Iterator[str]:
    """Words and the spaces between them; every character of a Chinese sentence."""
    for word in re.findall(r"\s+|\S+", text):
        yield from _PIECE.findall(word) if _SENTENCE.match(word) else [word]


def decimal(value: float, digits: int = 4, sign: str = "") -> str:
    """A finite number with so many decimals; very small and very large ones with a power of ten.

    >>> decimal(0.50607), decimal(0), decimal(-2e-9), decimal(7e200), decimal(0.25, sign="+")
    ('0.5061', '0.0000', '-2.0000e-09', '7.0000e+200', '+0.2500')
    """
    plain = value == 0 or _SHOWN <= abs(value) < _LARGE
    return f"{value + 0.0:{sign}.{digits}{'f' if plain else 'e'}}"


class Shown(float):
    """A number with its own text in sentences, by default with four decimals.

    >>> f"{Shown(0.50607)}", Shown(0.50607) * 2
    ('0.5061', 1.01214)
    """

    def __new__(cls, value: float, text: str = "") -> Shown:
        number = super().__new__(cls, value)
        number.text = text or decimal(value)
        return number

    text: str

    def __format__(self, form: str) -> str:
        return self.text


def encoded(text: str) -> bytes:
    r"""Text as UTF-8; half a character, as in some file names, is spelt out.

    >>> encoded("é\udc80")
    b'\xc3\xa9\\udc80'
    """
    return text.encode("utf-8", "backslashreplace")


def _visible(character: str) -> str:
    if unicodedata.category(character) not in _HIDDEN or character in _JOINERS:
        return character
    code = ord(character)
    return _SHORT.get(character) or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
