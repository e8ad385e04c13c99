"""What a user is told when a file or an object cannot be read as a table."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard.errors.base import ReadError, nearest
from steelyard.errors.forms import meant
from steelyard.errors.reading import at_line, short, word
from steelyard.messages import Message, say

ACCEPTED = say(
    "a table is a path, a glob or a list of paths; a Polars, pandas or PyArrow table; anything with "
    "__arrow_c_stream__ (such as a DuckDB relation); {query: {item: score}} or {query: [item, …]}"
)
FORMATS = say("parquet, csv, tsv, jsonl, arrow or feather, TREC runs and qrels")


def file_not_found(name: str, *, folder: str, siblings: Iterable[str], wanted: str) -> ReadError:
    if "://" in name:
        return ReadError(
            "{name} is not a file on this machine",
            remedy="open it first and pass it on: pl.scan_parquet(…)",
            name=name,
        )
    near = nearest(wanted, [one for one in siblings if nearest(_stem(wanted), [_stem(one)])])
    check = say("check the spelling, and that it lies in {folder}", folder=folder)
    return ReadError("{name} does not exist", remedy=meant(f"'{near}'") if near else check, name=name)


def _stem(name: str) -> str:
    """A file's name without its endings, which most files of a folder have in common."""
    return name.lstrip(".").partition(".")[0]


def leads_nowhere(name: str, *, target: str) -> ReadError:
    return ReadError(
        "{name} is a link to {target}, which does not exist",
        remedy="make the link anew, or name the file itself",
        name=name,
        target=target,
    )


def no_match(pattern: str) -> ReadError:
    return ReadError(
        "no file matches {pattern}",
        remedy="check the folder and the ending; in a shell, quote the pattern to have it expanded here",
        pattern=pattern,
    )


def no_files() -> ReadError:
    return ReadError("the list of paths is empty", remedy="give at least one path")


def is_folder(name: str, *, pattern: str) -> ReadError:
    return ReadError(
        "{name} is a folder, not a file",
        remedy="name the files in it: '{pattern}'",
        name=name,
        pattern=pattern,
    )


def permission_denied(name: str) -> ReadError:
    return ReadError(
        "{name} may not be read: permission denied", remedy="ask its owner, or run chmod u+r on it", name=name
    )


def unreadable(name: str, reason: str) -> ReadError:
    return ReadError(
        "{name} cannot be read: {reason}",
        remedy="check the disk and the path, then try again",
        name=name,
        reason=reason,
    )


def empty_file(name: str) -> ReadError:
    return ReadError("{name} is empty", remedy="check the step that wrote it", name=name)


def no_rows(name: str) -> ReadError:
    return ReadError(
        "{name} has no rows", remedy="give at least one row; check the step that wrote it", name=name
    )


def damaged(name: str, *, cut_short: bool = False) -> ReadError:
    return ReadError(
        "{name} is cut short: its compressed data ends too early"
        if cut_short
        else "{name} is damaged: its compressed data is not sound",
        remedy="copy or download it again",
        name=name,
    )


def trailing_bytes(name: str) -> ReadError:
    return ReadError(
        "{name} has extra bytes after the compressed data",
        remedy="write or copy it again; gunzip -c keeps what is sound of it",
        name=name,
    )


def corrupt(name: str, kind: str, reason: str) -> ReadError:
    return ReadError(
        "{name} is not a sound {format} file: {reason}",
        remedy="write or copy it again; if it is of another kind, give it that ending",
        name=name,
        format=kind,
        reason=reason,
    )


def not_utf8(name: str, line: int | None) -> ReadError:
    return ReadError(
        "{place}: the bytes are not UTF-8 text",
        remedy="save the file as UTF-8 (iconv -f latin1 -t utf-8); if it is not text, give it its own ending",
        place=at_line(name, line),
    )


def nul_byte(name: str, line: int | None, *, unpack: str = "") -> ReadError:
    """``unpack`` is the command that unpacks the file, if it is compressed."""
    return ReadError(
        "{place}: a NUL byte, which text does not have",
        remedy="remove it ({command}); if the file is not text, give it its own ending",
        place=at_line(name, line),
        command=_piped("tr -d '\\000'", unpack),
    )


def lone_return(name: str, line: int | None, *, unpack: str = "") -> ReadError:
    """``unpack`` is the command that unpacks the file, if it is compressed."""
    return ReadError(
        "{place}: a carriage return without a line feed, which may be the end of a line or a part of it",
        remedy="if lines end so, as on old Macs: {end}; else remove it: {remove}",
        place=at_line(name, line),
        end=_piped("tr '\\r' '\\n'", unpack),
        remove=_piped("tr -d '\\r'", unpack),
    )


def _piped(command: str, unpack: str) -> str:
    return f"{unpack} < OLD | {command} > NEW" if unpack else f"{command} < OLD > NEW"


def utf16(name: str, encoding: str = "UTF-16") -> ReadError:
    return ReadError(
        "{name}: the file is {encoding}: save it as UTF-8",
        remedy="spreadsheets call it 'CSV UTF-8'; in a shell: iconv -f {from_code} -t utf-8",
        name=name,
        encoding=encoding,
        from_code=encoding.lower(),
    )


def other_ending(name: str, kind: str) -> ReadError:
    return ReadError(
        "{name} holds {format}, not what its ending says",
        remedy="give it the ending .{format}",
        name=name,
        format=kind,
    )


def foreign(name: str, what: Message, remedy: Message) -> ReadError:
    return ReadError("{name} is {what}, which is not read", remedy=remedy, name=name, what=what)


def bad_json(name: str, line: int | None, reason: str) -> ReadError:
    return ReadError(
        "{place}: not a JSON object ({reason})",
        remedy="write one object per line; JSON has neither NaN nor Infinity",
        place=at_line(name, line),
        reason=reason,
    )


def json_types(name: str, reason: str) -> ReadError:
    return ReadError(
        "{name}: a column holds values of several types ({reason})",
        remedy="use one type for it in all lines",
        name=name,
        reason=reason,
    )


def extra_fields(name: str, line: int | None, width: int) -> ReadError:
    return ReadError(
        "{place}: more fields than the {width} columns of the header",
        remedy="put quotes around text with separators",
        place=at_line(name, line),
        width=width,
    )


def lone_quote(name: str, line: int) -> ReadError:
    return ReadError(
        "{place}: a quote that does not stand around a field, or is not closed",
        remedy='double the quote, and put quotes around the field: "19"" tv"',
        place=at_line(name, line),
    )


def unsupported_format(name: str, ending: str) -> ReadError:
    if ending == "json":
        return ReadError(
            "{name} is one JSON document, not a table",
            remedy="write one object per line (.jsonl), or pass the dict of json.load in Python",
            name=name,
        )
    return ReadError(
        "{name}: .{ending} files are not read",
        remedy="convert it to one of {formats}",
        name=name,
        ending=ending,
        formats=FORMATS,
    )


def unsupported_compression(name: str, kind: str, ending: str) -> ReadError:
    return ReadError(
        "{name}: {format} is not read through .{ending}",
        remedy="decompress it first; .gz and .zst work for csv, tsv, jsonl and TREC (this is {format})",
        name=name,
        format=kind,
        ending=ending,
    )


def unsupported_object(name: str, source: object) -> ReadError:
    return ReadError(
        "{name} is a {type}, which is not a table", remedy=ACCEPTED, name=name, type=type(source).__name__
    )


def lone_matrix(name: str) -> ReadError:
    return ReadError(
        "{name} is a matrix, but the other table is not",
        remedy="give two matrices of one shape (rows are queries, columns are items), or two tables",
        name=name,
    )


def one_stream() -> ReadError:
    return ReadError(
        "standard input is named for more than one table, and it can be read only once",
        remedy="give the others as files",
    )


def lone_array(name: str) -> ReadError:
    return ReadError(
        "{name} is no array of one entry per row, and the other one is",
        remedy="give two arrays of one length, predictions first, or two tables",
        name=word(name),
    )


def array_without_labels(name: str) -> ReadError:
    return ReadError(
        "{name} is an array, and there are no labels to go with it",
        remedy="give the labels as the second argument, or one table with labels and scores",
        name=word(name),
    )


def sparse_rows(name: str) -> ReadError:
    return ReadError(
        "{name} is a sparse matrix, which is read as rankings, and a metric of rows was asked for",
        remedy="give two dense arrays with a column per class: matrix.toarray()",
        name=word(name),
    )


def query_failed(name: str, reason: str) -> ReadError:
    return ReadError(
        "{name} cannot be collected: {reason}",
        remedy="collect it yourself and pass the result",
        name=name,
        reason=reason,
    )


def trec_width(place: str, line: str, found: int, needed: Message, other: Message | None) -> ReadError:
    """``other`` says what the line may be instead."""
    table = say(
        "a table begins with the names of its columns (query, item, score), "
        "and as a file it needs the ending .csv or .tsv"
    )
    return ReadError(
        "{place}: {needed}, this line has {found}: '{line}'",
        remedy=say("{other} {table}", other=other, table=table) if other else table,
        place=place,
        needed=needed,
        found=found,
        line=short(line),
    )


def run_as_truth(name: str) -> ReadError:
    return ReadError(
        "{name} is a TREC run (query Q0 item rank score tag), not a qrels file",
        remedy="give the run as predictions and the judgements (query 0 item grade) as truth",
        name=name,
    )


def trec_kind(name: str, table: str) -> ReadError:
    return ReadError(
        "{name}: a TREC file cannot hold {what}",
        remedy="give one of the other kinds ({formats}); for csv and tsv the ending says so",
        name=name,
        what=say("scores and labels in one table") if table == "labelled" else word(table),
        formats=FORMATS,
    )


def not_matrix(name: str, what: Message) -> ReadError:
    return ReadError(
        "{name} is {what}, not a matrix of numbers",
        remedy="give a 2-D NumPy array or a SciPy sparse matrix; rows are queries, columns are items",
        name=name,
        what=what,
    )


def shapes_differ(scores: tuple[int, ...], labels: tuple[int, ...]) -> ReadError:
    return ReadError(
        "the score matrix has shape {scores} and the label matrix {labels}",
        remedy="give two matrices of one shape; rows are queries, columns are items",
        scores=str(scores),
        labels=str(labels),
    )


def arrays_without_columns(argument: str) -> ReadError:
    return ReadError(
        "{argument} names a column, and plain arrays have none",
        remedy="give one table with the labels inside: a frame, or a dict of columns",
        argument=argument,
    )
