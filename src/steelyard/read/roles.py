"""Which column is which: by the user's choice, or by the names people use, which are in ``names.toml``."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from steelyard.read.table import Source
from steelyard.text import Message, in_quotes, say, sentences
from steelyard.text.errors import reading
from steelyard.text.errors.forms import short, word


@lru_cache(maxsize=4096)
def folded(name: str) -> str:
    """A column name without the accidents of spelling: ``Query-ID``, ``queryId`` and ``query_id`` are one."""
    return re.sub(r"[-\s._]+", "", unicodedata.normalize("NFKC", name).casefold())


def _folded(names: str) -> frozenset[str]:
    return frozenset(map(folded, names.split()))


_LISTED = tomllib.loads(Path(__file__).with_name("names.toml").read_text("utf-8"))
NAMES, OTHERS = _LISTED["roles"], _LISTED["other"]
NAMES["score"] += f" {OTHERS['probabilities']}"
ALIASES = {role: _folded(names) for role, names in NAMES.items()}
ALIASES["label"] = ALIASES["relevance"] | _folded(OTHERS["labels"])
WIDEST = (_folded(OTHERS["users"]), _folded(OTHERS["sessions"]))
PREDICTIONS, RARE_PROBABILITIES = _folded(OTHERS["predictions"]), _folded(OTHERS["rare_probabilities"])
PROBABILITIES = _folded(OTHERS["probabilities"]) | ALIASES["probability"] | RARE_PROBABILITIES
# the probability of one class, folded: prob_0, y_pred_proba_1, p_1
OF_CLASS = re.compile(r"(y?(?:pred(?:ict(?:ed)?)?)?prob(?:a|ability)?|p|score)(\d{1,4})")
LISTS = {role: _folded(OTHERS[f"{role}_lists"]) for role in ("item", "rank", "relevance")}
LISTS["item"] |= {f"{name}s" for name in ALIASES["item"]}

_note = sentences(
    widest_unit="{table}: the unit of intervals of row metrics is '{unit}', the widest of {columns:and}; "
    "pass unit=NAME to use another.",
    column_of_classes=(
        "{table}: {columns:and} {holds}; '{score}' is the score.",
        "{table}: {columns:and} {holds}.",
    ),
)

_READ = {
    "predictions": ("query", "item", "score", "rank", "weight", "predicted", "probability"),
    "truth": ("query", "item", "relevance", "weight"),
    "exclude": ("query", "item"),
    "by": ("query", "item"),
    "weights": ("query", "weight"),
    "catalog": ("item",),
    "features": ("item", "feature"),
    "history": ("query", "item", "count"),
    "item_groups": ("item", "group"),
    "baseline_lists": ("query", "item", "score", "rank"),
}
_OF_PREDICTIONS = ("query", "item", "score", "rank", "relevance", "weight", "predicted", "probability")
ROLES = (*_OF_PREDICTIONS, "count", "group", "feature")
_BESIDE = ("catalog", "features", "history", "item_groups", "baseline_lists")
TABLES = ("predictions", "truth", "by", *_BESIDE)
LABELS = ("label", "predicted")  # which are several columns where a row may have several labels
SEVERAL = ("probability", "feature", *LABELS)  # roles that more than one column may have
_FIRST_ROWS = 1000
_CLEAR = (ALIASES["score"] | ALIASES["probability"] | RARE_PROBABILITIES) - PREDICTIONS


def is_role(name: object) -> bool:
    return isinstance(name, str) and any(folded(name) in names for names in ALIASES.values())


def parse(columns: Mapping[str, Any] | None) -> dict[tuple[str, str], str]:
    """The user's choice as ``{(table or "", role): column}``; ``label`` is another word for relevance.

    Roles that are several columns are not among them: see ``several_columns``.
    """
    chosen: dict[tuple[str, str], str] = {}
    if columns is None:
        return chosen
    if not isinstance(columns, Mapping):
        raise reading.columns_not_mapping(columns)
    for key, column in columns.items():
        several = isinstance(column, list | tuple) and _are_several(key, column)
        for part in (key, *column) if several else (key, column):
            if not isinstance(part, str):
                raise reading.columns_not_mapping(columns, part)
    for key, column in columns.items():
        if _are_several(key, column):
            continue
        table, dot, role = key.rpartition(".")
        role = "relevance" if role == "label" else role
        if role not in ROLES or (dot and table not in TABLES):
            raise reading.unknown_role(key, [*ROLES, "label"])
        if table in _BESIDE and role not in _READ[table]:
            raise reading.unknown_role(key, sorted(_READ[table]))
        if chosen.setdefault((table, role), column) != column:
            raise reading.role_named_twice(role=role, names=[chosen[table, role], column])
    return chosen


def several_columns(role: str, columns: Mapping[str, Any] | None, available: Sequence[str]) -> list[str]:
    """The columns of a role that more than one may have: a list, or names with commas between.

    >>> several_columns("probability", {"probability": "p_cat,p_dog"}, ["label", "p_cat", "p_dog"])
    ['p_cat', 'p_dog']
    """
    for key, given in (columns or {}).items():
        if key.rpartition(".")[2] == role:
            if not isinstance(given, str):
                return list(given)
            return [given] if given in available else [name.strip() for name in given.split(",")]
    return []


def several_labels(role: str, columns: Mapping[str, Any] | None, available: Sequence[str]) -> list[str]:
    several = several_columns(role, columns, available)
    return several if len(several) > 1 else []


def _are_several(key: object, column: object) -> bool:
    if not isinstance(key, str) or key.rpartition(".")[2] not in SEVERAL:
        return False
    return "," in column if isinstance(column, str) else True


@lru_cache(maxsize=64)
def _by_role(columns: tuple[str, ...]) -> dict[str, list[str]]:
    return {role: [c for c in columns if folded(c) in names] for role, names in ALIASES.items()}


@lru_cache(maxsize=64)
def _families(columns: tuple[str, ...]) -> dict[str, dict[int, str]]:
    """Columns whose names differ in the number at their end alone, by that number."""
    found: dict[str, dict[int, str]] = {}
    for column in columns:
        if match := OF_CLASS.fullmatch(folded(column)):
            found.setdefault(match[1], {})[int(match[2])] = column
    return found


@lru_cache(maxsize=64)
def _clear_roles(columns: tuple[str, ...]) -> dict[str, str]:
    """The column of each role that exactly one name fits, whatever the columns hold."""
    clear = {role: names[0] for role, names in _by_role(columns).items() if len(names) == 1}
    score = folded(clear.get("score", ""))
    if score in PREDICTIONS or OF_CLASS.fullmatch(score):
        del clear["score"]
    return clear


class Finder:
    """Finds the columns of one source, by the user's choice or by the names people use.

    ``classes`` says that predictions may be classes, as they are for metrics of clicks and of classes, and
    are not for ratings and rankings. ``header`` is what messages call a table without a header.
    """

    def __init__(
        self,
        source: Source,
        table: str,
        columns: Mapping[str, str] | None,
        *,
        alone: bool = False,
        classes: bool = False,
        header: str = "",
    ) -> None:
        self._source = source
        self._columns = columns
        self._table = table
        self._alone = alone
        self._header = header or table
        self._reads = ROLES if alone else _READ[table]
        self.may_be_classes = classes
        self._classes: dict[str, bool] = {}
        self._chosen: dict[str, tuple[str, str]] = {}  # role: column and table, both as the user named them
        self._several: dict[str, list[str]] = {}
        if not columns:
            return
        parsed = parse(columns).items()
        for owner in ("", table):
            self._chosen |= {role: (name, owner) for (where, role), name in parsed if where == owner}
        for key, given in columns.items():
            owner, _, role = key.rpartition(".")
            if role in LABELS and owner in ("", table) and _are_several(key, given):
                one = several_columns(role, {key: given}, source.columns)
                if len(one) == 1:  # in a list, or with a comma in its name
                    self._chosen["relevance" if role == "label" else role] = (one[0], owner)
        self._several["probability"] = several_columns("probability", columns, source.columns)
        for role in LABELS:
            self._several[role] = several_labels(role, columns, source.columns)

    def several(self, role: str) -> list[str]:
        several = self._several.get(role, [])
        for at, name in enumerate(several):
            if name in several[:at]:
                raise reading.role_named_twice(role=role, names=[name, name])
            if name not in self._source.columns:
                raise reading.named_column_missing([self._source.name], role, name, self._source.columns)
        return several

    def probabilities(self) -> list[str]:
        if several := self.several("probability"):
            return several
        usual = self.find("probability")
        if usual:
            return [usual]
        return [] if self.chosen("score") or self._clear() else self._numbered()

    def chosen(self, role: str) -> bool:
        return role in self._chosen and self._chosen[role][0] in self._source.columns

    def may_have(self, role: str) -> bool:
        return self.chosen("relevance" if role == "label" else role) or bool(self._candidates(role))

    def item_lists(self) -> str | None:
        """The column that holds a list of items in each row, beside a query."""
        if "query" not in self._reads or not self.may_have("query"):
            return None
        items = [self._chosen["item"][0]] if self.chosen("item") else self._candidates("item")
        return items[0] if len(items) == 1 and items[0] in self._source.lists else None

    def only(self, role: str) -> str | None:
        return self.find(role) if self.chosen(role) or len(self._candidates(role)) == 1 else None

    def unit(self, query: str | None) -> str | None:
        """The unit of intervals: the user, else the session, else the column of the query, where it is clear.

        A query column whose name is not a usual one stays: it may be wider than a user.
        """
        if query is not None and folded(query) not in ALIASES["query"]:
            return query
        candidates = self._candidates("query")
        for names in WIDEST:
            found = [column for column in candidates if folded(column) in names]
            if found:
                return found[0] if len(found) == 1 else query
        return query

    def unit_notes(self, unit: str) -> list[Message]:
        """Which column the unit of intervals is, where the caller named another one or none of several."""
        candidates = self._candidates("query")
        if len(candidates) < 2 or self._chosen.get("query", ("",))[0] == unit:
            return []
        quotes = [in_quotes(name) for name in candidates]
        return [_note("widest_unit", table=self._source.name, unit=unit, columns=quotes)]

    def _candidates(self, role: str) -> list[str]:
        taken = self._taken(role)
        candidates = [c for c in _by_role(self._source.columns)[role] if c not in taken]
        if not candidates:
            named = LISTS.get("relevance" if role == "label" else role, ())
            candidates = [c for c in self._source.lists if folded(c) in named and c not in taken]
        if role == "score":
            return self._scores(candidates, taken)
        if candidates:
            return candidates
        if role in ("relevance", "label") and self._table == "truth":
            return [c for c in self._source.columns if folded(c) == "score" and c not in taken]
        return self._called() if role == "predicted" else []

    def _scores(self, candidates: list[str], taken: Collection[str]) -> list[str]:
        classes = self._called()
        if all(c in classes for c in candidates):
            rare = [c for c in self._source.columns if folded(c) in RARE_PROBABILITIES]
            candidates = [*candidates, *(c for c in rare if c not in taken)]
        scores = [c for c in candidates if c not in classes and not self._one_of_many(c)]
        if not self.may_be_classes and scores and all(folded(c) in PREDICTIONS for c in scores):
            return [*scores, *(c for c in self._numbered() if c not in taken)]
        return scores

    def _taken(self, role: str) -> dict[str, str]:
        # A choice for a role that this table has no use for takes nothing away from the others.
        own = "relevance" if role == "label" else role
        taken = {name: one for one, (name, _) in self._chosen.items() if one != own and one in self._reads}
        return taken | {name: one for one, names in self._several.items() if one != role for name in names}

    def _called(self) -> list[str]:
        """Columns named as predictions that hold classes, beside another one that holds probabilities."""
        if not self.may_be_classes or self.chosen("score") or self._several.get("probability"):
            return []
        named = [c for c in self._source.columns if folded(c) in PREDICTIONS]
        if not named or not (self._numbered() or any(folded(c) in PROBABILITIES for c in self._clear())):
            return []
        taken = self._taken("predicted")
        return [column for column in named if column not in taken and self._holds_classes(column)]

    def _clear(self) -> list[str]:
        """Columns whose names can mean nothing but scores or probabilities."""
        taken = self._taken("score")
        known = [c for c in self._source.columns if folded(c) in _CLEAR and c not in taken]
        return [c for c in known if not self._one_of_many(c)]

    def _numbered(self) -> list[str]:
        """The columns ``prob_0``, ``prob_1``, ``prob_2`` …: the probabilities of three or more classes."""
        families = _families(self._source.columns).items()
        several = [family for name, family in families if max(family) > 1 and name != "score"]
        whole = [family for family in several if sorted(family) == list(range(len(family)))]
        return [column for _, column in sorted(whole[0].items())] if len(whole) == 1 else []

    def _one_of_many(self, column: str) -> bool:
        match = OF_CLASS.fullmatch(folded(column))
        return match is not None and max(_families(self._source.columns)[match[1]]) > 1

    def _holds_classes(self, column: str) -> bool:
        if column not in self._classes:
            # most scores have a fraction among the first rows, and the rest need not be loaded to see it
            untyped, peek = self._source.untyped, self._source.peek
            maybe = peek is None or holds_classes(peek([column], _FIRST_ROWS)[column], untyped=untyped)
            self._classes[column] = maybe and holds_classes(
                self._source.load([column])[column], untyped=untyped
            )
        return self._classes[column]

    def find(self, role: str) -> str | None:
        source = self._source
        name = _clear_roles(source.columns).get(role) if not self._columns else None
        name = name or self._looked_up(role)
        if name is None:
            return None
        if name in source.lists and (role == "query" or (role == "item" and not source.by_item)):
            raise reading.holds_lists(source.name, role, name)
        # Polars renames the second of two equal csv headers, which would hide it from the user.
        if source.separator and f"{name}_duplicated_0" in source.columns:
            raise reading.repeated_column(name=source.name, column=name)
        return name

    def _looked_up(self, role: str) -> str | None:
        if role == "relevance" and (several := self.several("label")):
            raise reading.several_grades(
                name=self._source.name, columns=[in_quotes(name) for name in several], first=several[0]
            )
        asked = "relevance" if role == "label" else role
        if asked in self._chosen:
            name, owner = self._chosen[asked]
            if name in self._source.columns:
                return name
            if owner or self._alone:
                key = f"{owner}.{role}" if owner else role
                raise reading.named_column_missing([self._source.name], key, name, self._source.columns)
        candidates = self._candidates(role)
        if len(candidates) > 1:
            # beside a score, what is called a prediction may be the class; one class of many is no score
            likely = sorted(candidates, key=self._unlikely)
            key = self._key(role, likely[0])
            raise reading.ambiguous_column(self._source.name, role, likely, key=key)
        return candidates[0] if candidates else None

    def _unlikely(self, column: str) -> tuple[bool, bool, bool]:
        called = folded(column) in PREDICTIONS
        return self._one_of_many(column), called and self._holds_classes(column), called

    def need(self, role: str, *, also: Message | None = None) -> str:
        found = self.find(role)
        if found is not None:
            return found
        source, names = self._source, ALIASES[role]
        level = next((name for name in source.index if folded(name) in names), None)
        if level is not None:
            raise reading.column_in_index(name=source.name, role=word(role), level=short(level))
        taken = self._taken(role)
        other = next((c for c in source.columns if c in taken and folded(c) in names), None)
        if other is not None:
            raise reading.column_taken(source.name, role, other, taken[other])
        near = self.near(role)
        raise reading.missing_column(
            source.name,
            role,
            source.columns,
            near=near,
            separator=source.separator,
            also=also,
            key=self._key(role, near),
            table=self._header,
        )

    def notes(self, found: Mapping[str, str]) -> list[Message]:
        told = {"score", "predicted", "probability"} & {role.partition(":")[0] for role in found}
        classes = self._called() if told else []
        if not classes:
            return []
        holds = say("{columns:holds|hold} classes", key="classes", columns=classes)
        if found.get("predicted") in classes:
            holds = say(
                "{columns:holds|hold} classes and is what was predicted", key="predicted", columns=classes
            )
        quotes = [in_quotes(name) for name in classes]
        score, table = found.get("score"), self._source.name
        return [_note("column_of_classes", table=table, columns=quotes, holds=holds, score=score)]

    def near(self, role: str) -> str | None:
        """The column that was most likely meant; predicted ratings are scores that are called ratings."""
        columns = [c for c in self._source.columns if not OF_CLASS.fullmatch(folded(c))]
        known = [name for name in ALIASES[role] if len(name) > 3]
        near = next((c for c in columns if get_close_matches(folded(c), known, n=1, cutoff=0.8)), None)
        if near is None and role == "score" and not self._alone:
            near = next((c for c in columns if folded(c) in ALIASES["relevance"]), None)
        return near

    def _key(self, role: str, column: str | None) -> str:
        """How ``columns`` names the role: with the table where the other one may have the column too."""
        if column is None or self._table not in TABLES or self._alone:
            return role
        others = [names for other, names in ALIASES.items() if other not in (role, "label")]
        return f"{self._table}.{role}" if any(folded(column) in names for names in others) else role


def holds_classes(values: pl.Series, *, untyped: bool) -> bool:
    """Whether a column of predictions holds classes and no scores: text, true and false, or whole numbers.

    Lists may hold those of several labels per row.

    >>> [holds_classes(pl.Series(values), untyped=False) for values in ([1, 0], ["a", "b"], [0.5, 1.0])]
    [True, True, False]
    """
    numbers = values
    if untyped:
        text = values.str.strip_chars()
        numbers = text.cast(pl.Float64, strict=False)
        if numbers.null_count() > text.null_count():
            return True
    if numbers.dtype.is_float() or numbers.dtype.is_decimal():
        known = numbers.cast(pl.Float64).fill_nan(None).drop_nulls()
        return bool((known == known.floor()).all())
    if isinstance(numbers.dtype, pl.List | pl.Array):  # of several labels per row
        return numbers.dtype.inner == pl.String or numbers.dtype.inner.is_integer()
    return True
