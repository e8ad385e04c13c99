"""All metrics by name and by task, and metrics from text: ``name(field=value, …)@k``, ``name@5,10``."""

from __future__ import annotations

import dataclasses
import inspect
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, ParamSpec, TypeVar, cast, dataclass_transform, get_args

from steelyard import conventions
from steelyard.conventions import plain
from steelyard.engine.protocol import Reads
from steelyard.metrics.base import ABSTRACT_METHODS, Direction, Metric, MetricRequest
from steelyard.metrics.fields import values_of
from steelyard.text import say
from steelyard.text.errors import MetricError, asking
from steelyard.text.errors.forms import must_be, one_of, unknown

M = TypeVar("M", bound=type[Metric])
P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Entry:
    """A name, the class it stands for, and the fields it fixes (``f1`` is ``fbeta`` with beta 1)."""

    name: str
    metric: type[Metric]
    fixed: dict[str, Any] = field(default_factory=dict)


FAMILIES = ("ranking", "rows", "classes", "ratings", "lists")  # the folders of metrics
_with_cutoff: dict[str, Entry] = {}
_without_cutoff: dict[str, Entry] = {}
_canonical: dict[str, type[Metric]] = {}
_clear_caches: list[Callable[[], None]] = []  # a new name may change what a text means


def kept_for_texts(function: Callable[P, R]) -> Callable[P, R]:
    """Cache a function of texts until a metric is registered."""
    cached = lru_cache(function)
    _clear_caches.append(cached.cache_clear)
    return cast("Callable[P, R]", cached)


@cache
def load_all() -> None:
    for family in FAMILIES:
        package = import_module(f"{__package__}.{family}")
        for module in iter_modules(package.__path__):
            import_module(f"{package.__name__}.{module.name}")


def folded(name: str) -> str:
    """A name as it is compared: NFKC, case folded, ``-`` and space as ``_``.

    >>> folded(" Hit-Rate")
    'hit_rate'
    """
    return unicodedata.normalize("NFKC", name).casefold().strip().replace("-", "_").replace(" ", "_")


@dataclass_transform(
    kw_only_default=True,
    frozen_default=True,
    field_specifiers=(conventions.choice, conventions.shared_choice, conventions.flag, conventions.number),
)
def register(
    name: str, *, zh: str = "", aliases: Iterable[str] = (), aliases_at: Iterable[str] = ()
) -> Callable[[M], M]:
    """Make a class a metric: a frozen, keyword-only value that text finds by name.

    ``aliases`` find it with or without a cutoff, ``aliases_at`` only with one (``p@5``).

    >>> from typing import ClassVar
    >>> import steelyard as sy
    >>> @sy.register("first_is_relevant")
    ... class FirstIsRelevant(sy.RankingMetric):
    ...     "Whether the item at the top is relevant."
    ...     at: ClassVar = "never"
    ...     def per_query(self, ranked):
    ...         return ranked.relevant_in(1, 1.0)
    >>> sy.metric("first_is_relevant").of([1, 0, 0])
    1.0
    """
    _refuse_name(name)

    def decorate(cls: M) -> M:
        if not cls.__module__.startswith(f"{__package__}."):
            load_all()  # their names are taken
        for text in (name, *([zh] if zh else ()), *aliases, *aliases_at):
            _refuse_name(text)
            _refuse_taken(text, cls)
        if hasattr(cls, "higher_is_better"):
            raise asking.direction_instead(name=cls.__name__)
        reads = getattr(cls, "reads", None)
        if reads not in get_args(Reads):
            raise one_of(f"{cls.__name__}.reads", reads, get_args(Reads))
        if cls.direction not in get_args(Direction):
            raise one_of(f"{cls.__name__}.direction", cls.direction, get_args(Direction))
        _refuse_unfinished(cls)
        cls.name, cls.zh = name, zh
        metric: Any = cls
        metric.__eq__, metric.__hash__ = _equal, _hash  # faster than one generated for each class
        metric = dataclasses.dataclass(frozen=True, kw_only=True, repr=False, eq=False)(cls)
        _name_fields(metric)
        _canonical[metric.key()] = metric
        for text in (name, *([zh] if zh else ()), *aliases):
            also_known(text, metric)
        for text in aliases_at:
            also_known(text, metric, only_with_cutoff=True)
        return cast("M", metric)

    return decorate


def _equal(metric: Metric, other: object) -> bool:
    values = values_of(type(metric))
    return type(metric) is type(other) and values(metric) == values(other)


def _hash(metric: Metric) -> int:
    return hash(values_of(type(metric))(metric))


def _refuse_name(text: object) -> None:
    if not isinstance(text, str) or not text.strip() or set(text) & set("@():=,"):
        raise asking.bad_name(name=text)


def _refuse_taken(text: str, cls: type[Metric]) -> None:
    """Refuse the name of another metric; a class may be defined again, as in a notebook."""
    entry = (_without_cutoff if cls.at == "never" else _with_cutoff).get(folded(text))
    if entry is None:
        return
    taken = entry.metric
    if (taken.__module__, taken.__qualname__) != (cls.__module__, cls.__qualname__):
        raise asking.name_taken(name=text)


def _refuse_unfinished(cls: type[Metric]) -> None:
    """Refuse a metric without an abstract method, or with inherited methods for other data."""

    def owners(name: str) -> list[type]:
        return [base for base in cls.__mro__ if name in vars(base)]

    for name in ABSTRACT_METHODS:
        others = getattr(getattr(cls, name, None), "renamed", None)
        if others is not None and all(owners(other)[0] is owners(name)[0] for other in others):
            written = f"def {name}({', '.join(inspect.signature(getattr(cls, name)).parameters)})"
            raise asking.unfinished(name=cls.__name__, method=name, written=written)
    first, *bases = owners("reads")
    for base in bases[:1]:
        kept = [name for name in ("need", "measure", "covered") if not issubclass(owners(name)[0], first)]
        other = vars(base)["reads"]
        if kept and cls.reads != other:
            raise asking.reads_otherwise(
                name=cls.__name__, reads=cls.reads, methods=kept, base=base.__name__, other=other
            )


def also_known(name: str, metric: type[Metric], *, only_with_cutoff: bool = False, **fixed: Any) -> None:
    """Add a name for a metric, perhaps with some fields fixed."""
    entry = Entry(name, metric, fixed)
    if metric.at != "never":
        _with_cutoff[folded(name)] = entry
    if metric.at != "required" and not only_with_cutoff:
        _without_cutoff[folded(name)] = entry
    for clear in _clear_caches:
        clear()


def find(name: str, *, cutoff: bool, suffix: str = "") -> Entry:
    load_all()
    key = folded(name)
    table, other = (_with_cutoff, _without_cutoff) if cutoff else (_without_cutoff, _with_cutoff)
    if key in table:
        return table[key]
    if cutoff and key == "准确率":
        raise asking.ambiguous_chinese_precision(k=suffix.removeprefix("@"))
    if key in other:
        entry = other[key]
        if cutoff:
            raise asking.takes_no_cutoff(name=entry.name)
        if hasattr(entry.metric, "per_query"):
            raise asking.ranking_needs_cutoff(name=entry.name)
        raise asking.needs_cutoff(name=entry.name)
    raise asking.unknown_metric(name, sorted({*names(), "f1"}), suffix=suffix)


def decimal_at(name: str) -> str:
    """The field that a decimal number after ``@`` sets; empty if there is none."""
    load_all()
    entry = _without_cutoff.get(folded(name))
    return entry.metric.decimal_at if entry else ""


def names() -> list[str]:
    load_all()
    return sorted({name.removesuffix("@k") for name in _canonical})


def entries() -> list[Entry]:
    """Every name that text may use; names that work with and without a cutoff appear twice."""
    load_all()
    return [*_with_cutoff.values(), *_without_cutoff.values()]


def by_name() -> dict[str, type[Metric]]:
    """Every registered metric class under its name, with ``@k`` where a cutoff is required."""
    load_all()
    return dict(sorted(_canonical.items()))


def _name_fields(cls: type[Metric]) -> None:
    """Let a metric refuse positional fields and unknown ones."""
    dataclass_init, known = cls.__init__, {f.name for f in dataclasses.fields(cls)}

    def init(self: Metric, *values: object, **fields: Any) -> None:
        if values:
            raise asking.positional_fields(name=cls.__name__)
        for name in fields:
            if name not in known:
                raise asking.unknown_field(cls.name, name, known)
        dataclass_init(self, **fields)

    init.__wrapped__ = dataclass_init  # type: ignore[attr-defined]  # keeps the real signature for help()
    cls.__init__ = init  # type: ignore[method-assign]


_METRIC = re.compile(
    r"""^\s*(?P<name>[^\s(@:][^(@:]*?)\s*
        (?:\(\s*(?P<inside>[^)]*)\))?\s*
        (?:@\s*(?P<cutoffs>[^:()]*?)\s*)?
        (?::\s*(?P<after>[^()]*))?\s*$""",
    re.VERBOSE,
)
_PROFILE = re.compile(r"^\s*(?P<profile>[\w.]+(?::\d+)?)\s*:\s*(?P<rest>[^\s:=(@]+\s*([(@:].*)?)$", re.DOTALL)
# commas between metrics, not between fields or cutoffs
_BETWEEN = re.compile(r",(?![^(]*\))(?!\s*(?:\d+(?:\.\d+)?|all)\s*(?:,|$))")
_LONGEST, _SHOWN = 5000, 40  # characters of a text, and of one that is too long
_CUTOFF = re.compile(r"\+?0*[1-9]\d*")
_NAME_END = re.compile(r"[(@:]")
_DECIMAL = re.compile(r"\d+\.\d+")


@kept_for_texts
def split_profile(text: str) -> tuple[str | None, str]:
    """A profile in front of a metric, if there is one.

    >>> split_profile("trec_eval:ndcg@10")
    ('trec_eval', 'ndcg@10')
    >>> split_profile("map:denominator=hits")
    (None, 'map:denominator=hits')
    """
    normal = _normal(text)
    match = _PROFILE.match(normal)
    return (match["profile"], match["rest"]) if match else (None, normal)


@kept_for_texts
def parse(text: str) -> tuple[MetricRequest, ...]:
    """The metrics a text names, one per cutoff, with the fields that it states.

    >>> [str(request.metric) for request in parse("NDCG@5,10:gain=exp2")]
    ['ndcg(gain=exp2)@5', 'ndcg(gain=exp2)@10']
    >>> [(str(request.metric), sorted(request.stated)) for request in parse("召回率@20")]
    [('recall@20', ['k'])]
    """
    normal = _normal(text)
    try:
        return tuple(_parsed(normal))
    except MetricError:
        parts = [part.strip() for part in _BETWEEN.split(normal)]
        if len(parts) > 1 and all(map(_is_metric, parts)):
            raise asking.metrics_in_one_text(text, parts) from None
        raise


def is_name(text: str) -> bool:
    """Whether a text begins with the name of a metric, whatever its fields and its cutoff are.

    >>> is_name("ndcg(gian=exp2)@10"), is_name("ndcg_cut@10")
    (True, False)
    """
    return folded(_NAME_END.split(text, maxsplit=1)[0]) in names()


def _normal(text: str) -> str:
    """A text in its usual letters, with single spaces: patterns are slow for many."""
    if len(text) > _LONGEST:
        raise asking.metric_too_long(text=text[:_SHOWN], n=len(text), most=_LONGEST)
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text))


def _parsed(text: str) -> list[MetricRequest]:
    match = _METRIC.match(text)
    if not match:
        raise asking.unreadable_metric(text=text)
    fields = _fields(text, match["inside"], match["after"]) if match["inside"] or match["after"] else {}
    at = match["cutoffs"]
    if at is None:
        return [_request(match["name"], None, "", fields)]
    field = decimal_at(match["name"])
    if field in fields:
        raise asking.field_stated_twice(owner=text, field=field)
    if field:
        numbers = [_decimal(match["name"], field, part.strip()) for part in at.split(",")]
        return [_request(match["name"], None, "", fields | {field: number}) for number in numbers]
    cutoffs = [_cutoff(part) for part in at.split(",")]
    return [_request(match["name"], k, f"@{at}", fields) for k in cutoffs]


def _is_metric(text: str) -> bool:
    try:
        return bool(_parsed(text))
    except MetricError:
        return False


def _request(name: str, k: int | str | None, suffix: str, fields: dict[str, str]) -> MetricRequest:
    entry = find(name, cutoff=k is not None, suffix=suffix)
    for (key, word), other in entry.metric.other_metric.items():
        if fields.get(key) == word:
            entry = find(other, cutoff=k is not None)
            fields = {field: value for field, value in fields.items() if field != key}
    for key, value in entry.fixed.items():
        if key in fields:
            raise asking.field_is_fixed(
                owner=entry.name, field=key, value=plain(value), general=entry.metric.name
            )
    known = {field.name for field in dataclasses.fields(entry.metric)} - {"k"}
    for key in fields:
        if key not in known:
            raise asking.unknown_field(entry.metric.name, key, known)
    stated: dict[str, Any] = {**fields, **entry.fixed}
    if k is not None:
        stated["k"] = k
    metric = entry.metric(**stated)
    return MetricRequest(metric, frozenset(stated), entry.name if entry.fixed else str(metric), entry.fixed)


def _cutoff(text: str) -> int | str:
    part = text.strip().casefold()
    if part == "all":
        return part
    if not _CUTOFF.fullmatch(part):
        allowed, remedy = say("a positive whole number or 'all'"), say("write for example ndcg@10")
        raise must_be("k", allowed, text.strip(), remedy=remedy)
    return int(part)


def _decimal(name: str, field: str, text: str) -> str:
    if not _DECIMAL.fullmatch(text):
        allowed, remedy = say("a number with a decimal point"), say("write for example {name}@0.5", name=name)
        raise must_be(field, allowed, text, remedy=remedy)
    return text


def _fields(text: str, *parts: str | None) -> dict[str, str]:
    fields: dict[str, str] = {}
    for part in parts:
        if part is None or not part.strip():
            continue
        for assignment in part.split(","):
            key, equals, value = (piece.strip() for piece in assignment.partition("="))
            if not (equals and key and value):
                raise asking.unreadable_metric(text=text)
            key = folded(key)
            if key in fields:
                raise asking.field_stated_twice(owner=text, field=key)
            fields[key] = value.strip("'\"").casefold()
    return fields


TASKS = {  # the usual metrics of each stage of a system
    "retrieval": ("recall@100", "hit_rate@100"),
    "search": ("mrr@10", "recall@1000", "ndcg@10"),
    "ranking": ("ndcg@10", "map@10", "precision@10"),
    "rerank": ("ndcg@10", "map@10", "mrr@10"),
    "recommendation": ("ndcg@10", "recall@10", "coverage@10", "diversity@10", "novelty@10"),
    "ctr": ("auc", "gauc", "logloss", "calibration"),
    "classification": ("precision", "recall", "f1", "pr_auc"),
    "rating": ("rmse", "mae"),
}


def task_metrics(name: object) -> list[str]:
    """The metrics of a task.

    >>> task_metrics("retrieval")
    ['recall@100', 'hit_rate@100']
    >>> task_metrics("ctr")
    ['auc', 'gauc', 'logloss', 'calibration']
    """
    if not isinstance(name, str):
        raise one_of("task", name, list(TASKS))
    if name not in TASKS:
        raise unknown(say("unknown task '{name}'", name=name), name, TASKS)
    return list(TASKS[name])


def missing_tables(metrics: Sequence[Metric], tables: Mapping[str, Any]) -> dict[str, list[str]]:
    """What metrics of lists need and is not given, with the metrics that want it.

    >>> from steelyard.metrics import Coverage, NDCG
    >>> missing_tables([NDCG(k=10), Coverage(k=10)], {"catalog": ["a", "b"]})
    {'truth': ['ndcg@10']}
    """
    missing: dict[str, list[str]] = {}
    for metric in metrics:
        need = metric.need()
        for name in ("truth",) if need.reads == "hits" else need.tables:
            if tables.get(name) is None:
                missing.setdefault(name, []).append(str(metric))
    return missing
