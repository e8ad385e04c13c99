"""What results and findings have in common: each is written as words, as a table and as JSON."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from steelyard import processes
from steelyard.render import forms, output, text
from steelyard.render.system import PagePart, System
from steelyard.text import ENGLISH, say
from steelyard.text.errors.forms import check_language

FORMS = ("table", "json", "csv", "markdown")
ENDINGS = (".json", ".csv", ".md", ".markdown", ".txt")


class Written(ABC):
    """What every kind of result can be written as: plain values and JSON."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dictionaries and lists, the form that JSON is written in."""

    def to_json(self, indent: int | None = 2) -> str:
        """Everything, as JSON; NaN and unknown values are null. ``indent`` is None for one line."""
        return forms.json_text(self.to_dict(), indent)


class FindingForms(Written):
    """A finding in words, as tables and notes, as a tidy frame and as JSON."""

    _forms: ClassVar[tuple[str, ...]] = FORMS
    _endings: ClassVar[tuple[str, ...]] = ENDINGS

    @abstractmethod
    def table(self) -> pl.DataFrame:
        """A tidy frame."""

    @abstractmethod
    def _finding(self, form: forms.Form) -> forms.Finding:
        """What one of the forms shows."""

    def to_text(self, *, lang: str = ENGLISH, width: int | None = None) -> str:
        """The finding in plain words, in a language such as ``zh``."""
        processes.check()
        check_language(lang)
        return forms.finding_text(self._finding("text"), lang, width)

    def to_markdown(self, *, lang: str = ENGLISH) -> str:
        """The finding as Markdown."""
        processes.check()
        check_language(lang)
        return forms.finding_markdown(self._finding("markdown"), lang)

    def _repr_html_(self) -> str:
        processes.check()
        return forms.finding_html(self._finding("html"), ENGLISH)

    def to_csv(self) -> str:
        """The tidy table as CSV; an unknown value is an empty field."""
        processes.check()
        return output.frame_as_csv(self.table())

    def render(self, form: str, *, lang: str = ENGLISH) -> str:
        """One of the forms as text: table, json, csv or markdown."""
        processes.check()
        words = partial(self._words, form, lang)
        return forms.rendered(form, lang, self._forms, json=self.to_json, csv=self.to_csv, table=words)

    def _words(self, form: str, lang: str) -> str:
        return self.to_text(lang=lang) if form == "table" else self.to_markdown(lang=lang)

    def write(self, path: str | Path, form: str | None = None, *, lang: str = ENGLISH) -> None:
        """Write one of the forms to a file, whole or not at all; by default the one its ending names.

        A name without an ending gets JSON.
        """
        target = output.path_of(path)
        if form is None:
            form = self._form_of(target) or "json"
        output.write_text(target, self.render(form, lang=lang) + "\n")

    def _form_of(self, path: Path) -> str | None:
        """The form that the ending of a file name says, or None; the ending of another form is refused."""
        output.check_ending(path, self._endings)
        return output.form_of(path)

    def __repr__(self) -> str:
        return self.to_text()


class TableForms(Written):
    """The forms of a table of values, and the report: of one result, or of several."""

    @abstractmethod
    def to_csv(self, *, wide: bool = False, least: int = 0) -> str:
        """The table as CSV."""

    @abstractmethod
    def system(
        self, *, lang: str = ENGLISH, wide: bool = False, least: int = 0, verbose: bool = False
    ) -> System:
        """All that is shown, as one value."""

    @abstractmethod
    def _parts(self) -> list[PagePart]: ...

    def to_markdown(self, *, lang: str = ENGLISH, wide: bool = False, least: int = 0) -> str:
        """The table as Markdown, in a language such as ``zh``; ``wide`` and ``least`` as in ``table``."""
        return self.render("markdown", lang=lang, wide=wide, least=least)

    def to_latex(self, *, lang: str = ENGLISH, wide: bool = False, least: int = 0) -> str:
        """The table as LaTeX (booktabs)."""
        return self.render("latex", lang=lang, wide=wide, least=least)

    def to_text(self, *, lang: str = ENGLISH, wide: bool = False, least: int = 0) -> str:
        """The table alone, in aligned columns."""
        return self.render("table", lang=lang, wide=wide, least=least)

    def render(self, form: str, *, lang: str = ENGLISH, wide: bool = False, least: int = 0) -> str:
        """One of the forms as text: table, json, csv, markdown or latex.

        Headings are in the language ``lang``, except in json and csv. ``wide`` and ``least`` are those of
        ``table``; json ignores them.
        """
        return forms.rendered(
            form,
            lang,
            json=self.to_json,
            csv=lambda: self.to_csv(wide=wide, least=least),
            table=lambda: forms.READ[form](self.system(lang=lang, wide=wide, least=least)),
        )

    def write(
        self,
        path: str | Path,
        form: str | None = None,
        *,
        lang: str = ENGLISH,
        wide: bool = False,
        least: int = 0,
    ) -> None:
        """Write one of the forms to a file, whole or not at all; by default the one its ending names.

        A name without an ending gets JSON.
        """
        forms.write(path, form, lambda form: self.render(form, lang=lang, wide=wide, least=least))

    def report(self, path: str | Path, *, title: str | None = None, lang: str = ENGLISH) -> None:
        """Write the report: one HTML file with numbers, charts, lists and the full specification.

        It opens offline and loads nothing. ``lang`` is the language it opens in, ``en`` or ``zh``. The
        others of several results are compared with the first.
        """
        from steelyard.render import page

        page.write(self._parts(), path, title=title, lang=lang)

    def to_html(self, *, title: str | None = None, lang: str = ENGLISH) -> str:
        """The report as text; the same result gives the same text."""
        from steelyard.render import page

        return page.html(self._parts(), title=title, lang=lang)

    def __repr__(self) -> str:
        return text.full(self.system(), limit=text.TERMINAL_ROWS)

    def _repr_html_(self) -> str:
        return text.html(self.system())


def read_from(predictions: str, baseline: str | None) -> str:
    return say("{name} against {baseline}", name=predictions, baseline=baseline) if baseline else predictions
