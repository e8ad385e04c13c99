"""One self-contained page: no request leaves it, and nothing in the data can become part of it but text."""

from __future__ import annotations

import re
import unicodedata
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.printable import visible
from steelyard.render import output
from steelyard.render.page.contents import Contents, contents
from steelyard.render.page.tables import PAGE
from steelyard.render.system import PagePart
from steelyard.text import Message, languages, say
from steelyard.text.errors import OutputError, writing
from steelyard.text.errors.forms import check_language, must_be
from steelyard.text.names import shown
from steelyard.version import VERSION

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

_NEEDED = ("jinja2", "altair", "vl_convert")
_HERE = "steelyard.render.page"
_LONGEST, _LONGEST_WORD = 400, 120
_LONG_WORD = re.compile(rf"\S{{{_LONGEST_WORD + 1},}}")


def check(lang: str = "en") -> None:
    check_language(lang)
    if any(find_spec(module) is None for module in _NEEDED):
        raise writing.report_missing()


def check_ending(path: Path) -> None:
    if path.suffix.lower() not in (".html", ".htm") and not output.is_stream(path):
        raise writing.unknown_ending(path, [".html"])


def write(parts: Sequence[PagePart], path: str | Path, *, title: str | None = None, lang: str = "en") -> None:
    """Write the page of systems, whole or not at all."""
    check(lang)
    target = output.path_of(path)
    check_ending(target)
    output.check_writable(target)
    output.write_text(target, html(parts, title=title, lang=lang))


def html(parts: Sequence[PagePart], *, title: str | None = None, lang: str = "en") -> str:
    check(lang)
    if not isinstance(title, str | None):
        raise must_be(
            say("the title of a report"),
            say("text"),
            title,
            remedy=say("give text, or None"),
            kind=OutputError,
        )
    return render(contents(parts, title), lang)


def render(page: Contents, lang: str = "en") -> str:
    """The page as HTML; the same contents give the same bytes."""
    from markupsafe import Markup

    style, script = _source("style.css") + _one_language(), _source("script.js")
    template = _environment().get_template("page.html.j2")
    return template.render(
        page=page,
        title=page.title.told(lang) if isinstance(page.title, Message) else page.title,
        lang=lang,
        languages={one: say("English // name of the language").told(one) for one in languages()},
        words=PAGE,
        version=VERSION,
        style=Markup(style),
        script=Markup(script),
        policy=policy(style, script),
        made_by=say(
            "Made by steelyard {version}. This page is one file and loads nothing from anywhere.",
            version=VERSION,
        ),
    )


def policy(style: str, script: str) -> str:
    """The Content-Security-Policy: the one style, the one script, and nothing from anywhere."""
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src '{_digest(style)}'",
            f"script-src '{_digest(script)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _one_language() -> str:
    others = [f':root[lang="{lang}"] .in:not([lang="{lang}"])' for lang in languages()]
    return f"{', '.join(others)} {{ display: none; }}\n"


def _digest(source: str) -> str:
    return f"sha256-{b64encode(sha256(source.encode()).digest()).decode()}"


def _source(file: str) -> str:
    return files(_HERE).joinpath(file).read_text("utf-8")


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(_HERE, "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["breakable"] = _breakable
    environment.filters["told"] = _told
    environment.tests["message"] = lambda words: isinstance(words, Message)
    return environment


def _told(words: str) -> dict[str, str]:
    if not isinstance(words, Message):
        return {"": in_sentence(words)}
    told = {lang: words.told(lang, in_sentence) for lang in languages()}
    return told if len(set(told.values())) > 1 else {"": next(iter(told.values()))}


def _breakable(path: str) -> Markup:
    from markupsafe import Markup

    return Markup("/<wbr>").join(path.split("/"))


def in_sentence(text: str) -> str:
    r"""A name as a sentence of the page has it: its long words cut, and what cannot be seen spelt out.

    One that runs from right to left is kept from turning the sentence around it.

    >>> in_sentence("a\tb"), len(in_sentence("x" * 1000)), len(in_sentence("שלום"))
    ('a\\tb', 120, 6)
    """
    short = shown(text, _LONGEST) if len(text) > _LONGEST else visible(text)
    short = _LONG_WORD.sub(lambda found: shown(found[0], _LONGEST_WORD), short)
    turned = any(unicodedata.bidirectional(letter) in ("R", "AL", "AN") for letter in short)
    return f"\u2068{short}\u2069" if turned else short
