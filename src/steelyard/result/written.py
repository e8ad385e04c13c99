"""What every finding can do that is shown as words, as a table and as JSON."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from steelyard.arguments import is_one_of
from steelyard.messages import ENGLISH, say
from steelyard.messages.errors import OutputError
from steelyard.messages.errors.forms import check_language, unknown
from steelyard.show import forms, output

FORMS = ("table", "json", "csv", "markdown")
ENDINGS = (".json", ".csv", ".md", ".markdown", ".txt")


class Written(ABC):
    """A finding in each of its forms: text, to print or to write to a file."""

    _forms: ClassVar[tuple[str, ...]] = FORMS
    _endings: ClassVar[tuple[str, ...]] = ENDINGS

    @abstractmethod
    def table(self) -> pl.DataFrame:
        """A tidy frame."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dictionaries and lists, the form that JSON is written in."""

    @abstractmethod
    def to_text(self, *, lang: str = ENGLISH, width: int | None = None) -> str:
        """It in plain words, in a language such as ``zh``."""

    @abstractmethod
    def to_markdown(self, *, lang: str = ENGLISH) -> str:
        """The same as Markdown."""

    def to_json(self, indent: int | None = 2) -> str:
        """Everything, as JSON; NaN is null."""
        return forms.json_text(self.to_dict(), indent)

    def to_csv(self) -> str:
        """The tidy table as CSV; a value that is not there is an empty field."""
        return output.frame_as_csv(self.table())

    def render(self, form: str, *, lang: str = ENGLISH) -> str:
        """One of the forms as text: table, json, csv or markdown."""
        if not is_one_of(form, self._forms):
            raise unknown(say("unknown format '{name}'", name=str(form)), form, self._forms, kind=OutputError)
        check_language(lang)
        if form == "json":
            return self.to_json()
        if form == "csv":
            return self.to_csv().rstrip("\n")
        return self._told(form, lang)

    def _told(self, form: str, lang: str) -> str:
        """A form that people read."""
        return self.to_text(lang=lang) if form == "table" else self.to_markdown(lang=lang)

    def write(self, path: str | Path, form: str | None = None, *, lang: str = ENGLISH) -> None:
        """Write one of the forms to a file, whole or not at all; by default the one its ending names.

        A name without an ending gets JSON.
        """
        target = output.path_of(path)
        if form is None:
            form = self._form_of(target) or "json"
        text = self.render(form, lang=lang)
        output.write_text(target, text + "\n")

    def _form_of(self, path: Path) -> str | None:
        """The form that the ending of a file name says, or None; one that says another form is refused."""
        output.check_ending(path, self._endings)
        return output.form_of(path)

    def __repr__(self) -> str:
        return self.to_text()
