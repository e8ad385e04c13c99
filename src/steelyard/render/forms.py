"""The forms in which anything with a table can be written: as text, as JSON, into a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from steelyard.arguments import is_one_of
from steelyard.render import markup, output, text
from steelyard.text import say
from steelyard.text.errors import OutputError
from steelyard.text.errors.forms import check_language, must_be, unknown

FORMS = ("table", "json", "csv", "markdown", "latex")
READ = {"table": text.table, "markdown": markup.markdown, "latex": markup.latex}  # by people
_WIDEST_INDENT = 100


def json_text(value: Mapping[str, Any], indent: int | None) -> str:
    """Plain values as JSON; ``indent`` spaces stand before each level, None for one line."""
    if not (indent is None or (type(indent) is int and 0 <= indent <= _WIDEST_INDENT)):
        remedy = say("give one from 0 to {most}", most=_WIDEST_INDENT)
        raise must_be("indent", say("None or a whole number"), indent, remedy=remedy, kind=OutputError)
    text = StringIO()  # json.dumps keeps every piece of it until the end
    json.dump(value, text, indent=indent, ensure_ascii=False, allow_nan=False)
    return text.getvalue()


def rendered(
    form: str,
    lang: str,
    known: Collection[str] = FORMS,
    *,
    json: Callable[[], str],
    csv: Callable[[], str],
    told: Callable[[], str],
) -> str:
    """One of the forms as text; json and csv, which programs read, are the same in every language."""
    if not is_one_of(form, known):
        raise unknown(say("unknown format '{name}'", name=str(form)), form, known, kind=OutputError)
    check_language(lang)
    if form == "json":
        return json()
    if form == "csv":
        return csv().rstrip("\n")
    return told()


def write(path: str | Path, form: str | None, render: Callable[[str], str]) -> None:
    """Write one of the forms to a file, whole or not at all; by default the one its ending names.

    A name without an ending gets JSON.
    """
    target = output.path_of(path)
    if form is None:
        output.check_ending(target)
        form = output.form_of(target) or "json"
    output.write_text(target, render(form) + "\n")
