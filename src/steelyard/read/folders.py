"""Which files a path, a glob, a folder or a list of them means; columns in the names of folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from steelyard.read.files import (
    COMPRESSED,
    KINDS,
    STDIN,
    PathLike,
    Pipe,
    endings_of,
    is_folder,
    is_there,
    open_file,
    pipe_of,
    readable,
)
from steelyard.read.remote import Remote, remote_of
from steelyard.read.table import Source, Tidied, exactly, keys_of
from steelyard.text import say
from steelyard.text.errors import reading
from steelyard.text.errors.forms import reason_of

Keys = Mapping[str, str | None]


@dataclass(frozen=True)
class File:
    """A file under the name it has in messages; ``keys`` are the columns in the names of its folders."""

    name: str
    path: Path | Pipe | Remote
    keys: Keys = field(default_factory=dict)

    def open(self, kind: str) -> Source:
        if isinstance(self.path, Remote):
            return self.path.open()
        source = open_file(self.name, self.path, kind)
        return _with_keys(source, self.keys) if self.keys else source


def paths(source: PathLike | Sequence[PathLike]) -> tuple[str, list[tuple[str, Path | Pipe | Remote]]]:
    name, found = _named(source)
    return name, [(file.name, file.path) for file in found]


def table_files(source: PathLike | Sequence[PathLike]) -> tuple[str, list[File]]:
    """The name of a table and its files, which have the same keys."""
    name, found = _named(source)
    files = [file for one in found for file in _files_in(one)]
    for file in files:
        if file.keys.keys() != files[0].keys.keys():
            keys, others = (", ".join(one.keys) or say("none") for one in (file, files[0]))
            raise reading.keys_differ(name=file.name, keys=keys, first=files[0].name, others=others)
    return name, files


def check_there(source: PathLike | Sequence[PathLike]) -> None:
    """Refuse a table whose files are not all there, before another table is read."""
    for name, path in paths(source)[1]:
        if isinstance(path, Path) and not is_there(path):
            readable(name, path)  # which says why


def _named(source: PathLike | Sequence[PathLike]) -> tuple[str, list[File]]:
    if (remote := remote_of(source)) is not None:
        return remote.name, [File(remote.name, remote)]
    if isinstance(source, str | os.PathLike):
        text = os.fspath(source)
        path = Path(text).expanduser() if text.startswith("~/") else Path(text)
        pipe = source if isinstance(source, Pipe) else pipe_of(text if text == STDIN else path)
        if pipe is not None:
            name = say("standard input") if text == STDIN else text
            return name, [File(name, pipe)]
        if not any(sign in text for sign in "*?[") or is_there(path):
            return text, [File(text, path)]
        return text, _matches(path, text)
    found = [file for one in source for file in _named(one)[1]]
    if not found:
        raise reading.no_files()
    first = os.fspath(source[0]) if remote_of(source[0]) is None else found[0].name
    more = len(source) - 1
    return (say("{first} and {n} more", first=first, n=more) if more else first), found


def _matches(path: Path, text: str) -> list[File]:
    """The files that match a pattern, else the folders; keys begin with its first wildcard."""
    anchor = Path(path.anchor)
    try:
        matches = sorted(anchor.glob(str(path.relative_to(anchor))))
    except OSError as error:
        raise reading.unreadable(name=text, reason=reason_of(error)) from None
    matches = [match for match in matches if not match.name.startswith(".")]
    matches = [match for match in matches if match.is_file()] or [
        match for match in matches if match.is_dir()
    ]
    if not matches:
        raise reading.no_match(pattern=text)
    fixed = next(place for place, part in enumerate(path.parts) if any(sign in part for sign in "*?["))
    return [
        File(str(match), match, keys_of(match.parts[fixed : -1 if match.is_file() else None]))
        for match in matches
    ]


def _files_in(file: File) -> list[File]:
    """The files of a folder, all of one format; ``file`` itself if it is no folder."""
    folder = file.path
    if not file.name or isinstance(folder, Pipe | Remote) or not is_folder(folder):
        return [file]
    try:
        found = list(walk(folder))
    except PermissionError:
        raise reading.permission_denied(name=file.name) from None
    inside = [path.relative_to(folder) for path in found]
    kinds = [_kind(path) for path in found]
    if len(set(kinds)) == 1 and None not in kinds:
        return [
            File(str(Path(file.name) / path), folder / path, {**file.keys, **keys_of(path.parts[:-1])})
            for path in inside
        ]
    endings = [path.suffix for path, kind in zip(found, kinds, strict=True) if kind] or [
        path.suffix for path in found
    ]
    usual = max(sorted(set(endings)), key=endings.count) if endings else ".parquet"
    nested = any(len(path.parts) > 1 for path in inside) or not inside
    pattern = str(Path(file.name) / ("**" if nested else "") / f"*{usual}")
    if any(kinds):
        odd = next(path for path, kind in zip(inside, kinds, strict=True) if kind != kinds[0])
        first, other = (str(Path(file.name) / path) for path in (inside[0], odd))
        raise reading.folder_of_formats(name=file.name, first=first, other=other, pattern=pattern)
    raise reading.folder_without_files(name=file.name, pattern=pattern)


def walk(folder: Path) -> Iterator[Path]:
    """The files of a folder and of its KEY=VALUE folders."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith((".", "_")):
            continue
        if path.is_file():
            yield path
        elif "=" in path.name[1:] and path.is_dir():
            yield from walk(path)


def _kind(path: Path) -> str | None:
    inner, last = endings_of(path)
    return KINDS.get(inner if last in COMPRESSED else last)


def _with_keys(source: Source, keys: Keys) -> Source:
    """A source with the columns in the names of its folders, which are text."""
    for key in keys:
        if key in source.columns:
            raise reading.key_inside(name=source.name, column=key)
    values = [pl.lit(value, dtype=pl.String).alias(key) for key, value in keys.items()]

    def own(wanted: Sequence[str]) -> list[str]:
        return [column for column in wanted if column not in keys]

    def load(wanted: Sequence[str], rows: int | None = None) -> pl.DataFrame:
        columns = own(wanted) or source.columns[:1]
        frame = source.load(columns) if rows is None or source.peek is None else source.peek(columns, rows)
        return frame.with_columns(values).select(exactly(wanted))

    def tidy(frame: pl.DataFrame, roles: Mapping[str, str]) -> Tidied:
        columns = own(frame.columns)
        if source.tidy is None or not columns:
            return Tidied(frame)
        tidied = source.tidy(frame.select(exactly(columns)), roles)
        return replace(tidied, frame=tidied.frame.with_columns(values).select(exactly(frame.columns)))

    def keyed(scan: Callable[[], pl.LazyFrame] | None) -> Callable[[], pl.LazyFrame] | None:
        return None if scan is None else lambda: scan().with_columns(values)

    check, inspect = source.check, source.inspect
    return replace(
        source,
        columns=(*source.columns, *keys),
        keyed=keys,
        load=load,
        peek=None if source.peek is None else load,
        tidy=tidy,
        scan=keyed(source.scan),
        numbered=keyed(source.numbered),
        check=None if check is None else lambda columns: check(own(columns)),
        inspect=None if inspect is None else lambda columns, roles: inspect(own(columns), roles),
    )
