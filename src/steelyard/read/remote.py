"""Tables in object stores (s3://…, gs://…, az://…) and on the web, which Polars reads."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path, PurePosixPath
from typing import Any

import polars as pl

from steelyard.read.files import COMPRESSED, KINDS, SEPARATORS, endings_of
from steelyard.read.table import PLACE, Source, Tidied, exactly, keys_of, of_lists
from steelyard.read.text import Separated
from steelyard.text import say
from steelyard.text.errors import SteelyardError, reading
from steelyard.text.errors.forms import must_be

_SCHEMES = ("s3", "s3a", "gs", "gcs", "az", "azure", "adl", "abfs", "abfss", "http", "https", "hf", "file")
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(//?)([^/].*|/.*)", re.DOTALL)
_PATH = "\0path"
Scan = Callable[..., pl.LazyFrame]
_NO_BUCKET = re.compile("nosuchbucket|container ?not ?found|bucket does not exist")
_DENIED = re.compile(
    r"code: 40[013]|credential|token|unauthor|forbidden|accessdenied|must be specified|signature|169\.254\."
)
_MISSING = re.compile("code: 404|not found|no such file")
_NO_NETWORK = re.compile("error sending request|connect|dns|timed? ?out")


@dataclass(eq=False, frozen=True)
class Remote(os.PathLike[str]):
    """A URL, and how its store is reached in addition to the environment."""

    url: str
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __fspath__(self) -> str:
        return self.url

    @property
    def name(self) -> str:
        """The URL without what may be secret: a password, a signature."""
        address, query = re.sub("//[^/@]*@", "//", self.url), "?" if self.url.startswith("http") else "\0"
        return address.partition(query)[0]

    @property
    def store(self) -> dict[str, Any] | None:
        """The options as Polars takes them: those of its own as numbers."""
        own = {key: value for key, value in self.options.items() if key.startswith(("max_retries", "retry_"))}
        return {**self.options, **{key: int(value) for key, value in own.items()}} or None

    def open(self) -> Source:
        with self.reached():
            return _FORMATS[self._kind()](self)

    def _kind(self) -> str | None:
        path = PurePosixPath(self.name)
        inner, last = endings_of(Path(path.name))
        kind = "parquet" if self.name.endswith("/") else KINDS.get(inner if last in COMPRESSED else last)
        if kind not in _FORMATS:
            raise reading.unsupported_url(name=self.name, formats=list(_FORMATS))
        return kind

    @contextmanager
    def reached(self) -> Iterator[None]:
        """What a store answers, as one sentence with the URL and without secrets."""
        try:
            yield
        except SteelyardError:
            raise
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
            raise self._explained(error) from None

    def _explained(self, error: BaseException) -> SteelyardError:
        name, text = self.name, str(error).lower()
        for path in (name.lower(), name.lower().split("/", 3)[-1]):  # which may be called token
            text = text.replace(path, "")
        if _NO_BUCKET.search(text):
            return reading.no_bucket(name=name)
        if isinstance(error, FileNotFoundError) or "paths were empty" in text:
            return reading.no_object(name=name)
        if isinstance(error, PermissionError) or (_store(error) and _DENIED.search(text)):
            return reading.access_denied(name=name)
        if _store(error) and _MISSING.search(text):
            return reading.no_object(name=name)
        if isinstance(error, ConnectionError | TimeoutError) or _NO_NETWORK.search(text):
            return reading.not_reached(name=name)
        reason = say("the store refused it") if _store(error) else str(error).strip().partition("\n")[0]
        for secret in filter(None, [*map(str, self.options.values()), self.url.removeprefix(name)]):
            reason = reason.replace(secret, "…")
        return reading.unreadable_url(name=name, reason=reason)


def _store(error: BaseException) -> bool:
    return isinstance(error, OSError) or "object-store error" in str(error) or "status code" in str(error)


def remote_of(given: object, options: Mapping[str, Any] | None = None) -> Remote | None:
    """A URL as what can be read, None for anything else; a ``Path`` has lost one of its slashes."""
    if isinstance(given, Remote) or not isinstance(given, str | os.PathLike):
        return given if isinstance(given, Remote) else None
    match = _URL.fullmatch(os.fspath(given))
    if match is None or match[1].lower() not in _SCHEMES or (match[2] == "/" and not isinstance(given, Path)):
        return None
    return Remote(f"{match[1]}://{match[3]}", dict(options or {}))


def check_options(options: object) -> None:
    pairs = options.items() if isinstance(options, Mapping) else [(options, None)]
    if not all(isinstance(key, str) and isinstance(value, str | int | float) for key, value in pairs):
        raise must_be("storage_options", say("a mapping of text to text"), type(options).__name__)


def _source(remote: Remote, read: Scan, **fields: Any) -> Source:
    rows = read()
    columns = rows.collect_schema()

    def load(wanted: Sequence[str], first: int | None = None) -> pl.DataFrame:
        with remote.reached():
            chosen = rows.select(exactly(wanted))
            return (chosen if first is None else chosen.head(first)).collect()

    own = {"name": remote.name, "columns": tuple(columns), "load": load, "peek": load, "scan": lambda: rows}
    return Source(**{**own, "guard": remote.reached, "lists": of_lists(columns), **fields})


def _binary(scan: Scan, remote: Remote) -> Source:
    """Parquet or arrow: the names of KEY=VALUE folders are columns of text."""
    read = partial(scan, remote.url, storage_options=remote.store)
    read = partial(read, hive_partitioning=False)
    parts = remote.url.removesuffix("/").split("/")
    fixed = next((i for i, part in enumerate(parts) if any(sign in part for sign in "*?[")), len(parts))
    keys: dict[str, str | None] = {}
    if remote.url.endswith("/") or fixed < len(parts):
        for path in read(include_file_paths=_PATH).select(_PATH).head(1).collect()[_PATH]:
            keys = keys_of(path.split("/")[fixed:-1])
            for key in keys.keys() & read().collect_schema().keys():
                raise reading.key_inside(name=path, column=key)
    if keys:
        hive = dict.fromkeys(keys, pl.String)
        read = partial(read, hive_partitioning=True, hive_schema=hive, try_parse_hive_dates=False)
    return _source(remote, read, numbered=partial(read, row_index_name=PLACE, row_index_offset=1))


def _separated(kind: str, remote: Remote) -> Source:
    read = partial(
        pl.scan_csv, remote.url, separator=SEPARATORS[kind], infer_schema=False, storage_options=remote.store
    )
    file = Separated(remote.name, read(row_index_name=PLACE, row_index_offset=1), read(quote_char=None))
    reached = remote.reached()

    def tidy(frame: pl.DataFrame, roles: Mapping[str, str]) -> Tidied:
        with remote.reached():
            return file.tidied(frame, roles)

    return _source(
        remote,
        read,
        scan=cache(reached(file.scan)),
        inspect=reached(file.inspect),
        tidy=tidy,
        slow=True,
        untyped=True,
        separator=SEPARATORS[kind],
    )


def _jsonl(remote: Remote) -> Source:
    read = partial(pl.scan_ndjson, remote.url, infer_schema_length=None)
    return _source(remote, partial(read, storage_options=remote.store), slow=True)


_FORMATS: dict[str | None, Callable[[Remote], Source]] = {
    "parquet": partial(_binary, pl.scan_parquet),
    "arrow": partial(_binary, pl.scan_ipc),
    **{kind: partial(_separated, kind) for kind in SEPARATORS},
    "jsonl": _jsonl,
}
