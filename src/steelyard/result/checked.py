"""What a gate found, as data that can be shown, written and raised."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from steelyard.engine.slices import WHOLE
from steelyard.printable import visible
from steelyard.render import forms
from steelyard.result import written
from steelyard.result.written import FindingForms
from steelyard.stats.gates import NUMBERS, Verdict
from steelyard.stats.significance import Mode
from steelyard.text import ENGLISH, Message, listed, say
from steelyard.text.errors.forms import check_language
from steelyard.text.labels import worth_saying

ENDINGS = (*written.ENDINGS, ".xml")
_COLUMNS = {
    **dict.fromkeys(("metric", "rule"), pl.String),
    **{"limit": pl.Float64, "percent": pl.Boolean, "mode": pl.String},
    **dict.fromkeys(NUMBERS, pl.Float64),
    **dict.fromkeys(("units_to_decide", "n"), pl.Int64),
    **dict.fromkeys(("of", "outcome", "text"), pl.String),
}


@dataclass(frozen=True, kw_only=True, repr=False)
class Checked(FindingForms):
    """The verdicts of a gate: what failed first, then what passed.

    It is true exactly when the gate passed, so that ``assert sy.check(…)`` is a test.

    >>> import steelyard as sy
    >>> log = {"clicked": [1, 0, 1, 0], "p": [0.8, 0.3, 0.4, 0.6]}
    >>> found = sy.check(log, min={"auc": 0.7}, max={"logloss": 0.5})
    >>> found.passed
    False
    >>> print(found.failed[0].sentence)
    logloss is 0.6031; at most 0.5 is wanted
    """

    _forms: ClassVar[tuple[str, ...]] = (*written.FORMS, "junit")
    _endings: ClassVar[tuple[str, ...]] = ENDINGS
    verdicts: tuple[Verdict, ...]
    predictions: str
    baseline: str | None
    truth: str | None
    by: tuple[str, ...] = ()
    mode: Mode = "point"
    paired: bool = True
    level: float = 0.95
    notes: tuple[Message, ...] = ()

    def __bool__(self) -> bool:
        return self.passed

    @property
    def passed(self) -> bool:
        """Whether no rule failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[Verdict, ...]:
        """The verdicts on rules that failed."""
        return tuple(verdict for verdict in self.verdicts if verdict.outcome == "failed")

    def raise_if_failed(self) -> None:
        """Raise an AssertionError that says which rules failed, as a test wants it; else do nothing.

        >>> import steelyard as sy
        >>> log = {"clicked": [1, 0, 1, 0], "p": [0.8, 0.3, 0.4, 0.6]}
        >>> sy.check(log, min={"auc": 0.7}).raise_if_failed()
        >>> sy.check(log, min={"auc": 0.8}).raise_if_failed()
        Traceback (most recent call last):
        AssertionError: 1 of 1 check failed · predictions
        auc is 0.7500; at least 0.8 is wanted
        """
        if self.failed:
            raise AssertionError(self.summary())

    def summary(self, *, lang: str = ENGLISH) -> str:
        """How many checks failed, and each of these in plain words."""
        check_language(lang)
        head = forms.gate_head(self._finding("text"), lang)
        return "\n".join([head, *(visible(verdict.sentence.render(lang)) for verdict in self.failed)])

    def table(self) -> pl.DataFrame:
        """A tidy frame, a row for each verdict.

        Its columns: slice columns, metric, rule, limit, percent, mode, value, baseline, drop, drop_low,
        drop_high, level, units_to_decide, n, of, outcome, text. The whole reads ``(all)`` in the slice
        columns.
        """
        schema = {**dict.fromkeys(self.by, pl.String), **_COLUMNS}
        rows = [
            (
                *(verdict.names.get(name, str(WHOLE)) for name in self.by),
                *(verdict.metric, verdict.rule.kind, verdict.rule.limit, verdict.rule.percent, verdict.mode),
                *(getattr(verdict, name) for name in NUMBERS),
                *(verdict.units_to_decide, verdict.n, verdict.unit, verdict.outcome, str(verdict.sentence)),
            )
            for verdict in self.verdicts
        ]
        return pl.DataFrame(rows, schema=schema, orient="row")

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dictionaries and lists, the form that JSON is written in."""
        return {
            **forms.HEADER,
            "passed": self.passed,
            "predictions": str(self.predictions),
            "baseline": None if self.baseline is None else str(self.baseline),
            "truth": None if self.truth is None else str(self.truth),
            "mode": self.mode,
            "paired": self.paired,
            "level": self.level,
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "notes": [note.to_dict() for note in self.notes],
        }

    def to_text(self, *, lang: str = ENGLISH, width: int | None = None) -> str:
        """A line for each verdict in plain words, in a language such as ``zh``."""
        check_language(lang)
        return forms.gate_text(self._finding("text"), lang, width)

    def to_junit(self, *, lang: str = ENGLISH) -> str:
        """The verdicts as JUnit XML, a test case each, for the page of a pipeline."""
        check_language(lang)
        return forms.junit(self._finding("text"), self.verdicts, lang)

    def _words(self, form: str, lang: str) -> str:
        return self.to_junit(lang=lang) if form == "junit" else super()._words(form, lang)

    def _form_of(self, path: Path) -> str | None:
        return "junit" if path.suffix.lower() == ".xml" else super()._form_of(path)

    def _finding(self, form: forms.Form) -> forms.Finding:  # noqa: ARG002 - all show the same
        title = listed([self.predictions])
        if self.baseline is not None:
            against = written.read_from(self.predictions, self.baseline)
            title = say("{against} · mode {mode}", against=against, mode=self.mode)
            if not self.paired:
                title = say("{against} · mode {mode}, independent samples", against=against, mode=self.mode)
        return forms.gate_finding(title, self.verdicts, worth_saying(self.notes))
