"""What a user is told when a file or an object cannot be read as a table."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard.errors.base import ReadError, nearest
from steelyard.errors.reading import short

ACCEPTED = (
    "a table is a path, a glob or a list of paths; a Polars, pandas or PyArrow table; anything with "
    "__arrow_c_stream__ (such as a DuckDB relation); {query: {item: score}} or {query: [item, …]}"
)
FORMATS = "parquet, csv, tsv, jsonl, arrow or feather, TREC runs and qrels"


def file_not_found(name: str, *, folder: str, siblings: Iterable[str], wanted: str) -> ReadError:
    if "://" in name:
        return ReadError(
            f"{name} is not a file on this machine", remedy="open it first and pass it on: pl.scan_parquet(…)"
        )
    near = nearest(wanted, [one for one in siblings if nearest(_stem(wanted), [_stem(one)])])
    hint = f"did you mean '{near}'?" if near else f"check the spelling, and that it lies in {folder}"
    return ReadError(f"{name} does not exist", remedy=hint)


def _stem(name: str) -> str:
    """A file's name without its endings, which most files of a folder have in common."""
    return name.lstrip(".").partition(".")[0]


def leads_nowhere(name: str, *, target: str) -> ReadError:
    return ReadError(
        f"{name} is a link to {target}, which does not exist",
        remedy="make the link anew, or name the file itself",
    )


def no_match(pattern: str) -> ReadError:
    return ReadError(
        f"no file matches {pattern}",
        remedy="check the folder and the ending; in a shell, quote the pattern to have it expanded here",
    )


def no_files() -> ReadError:
    return ReadError("the list of paths is empty", remedy="give at least one path")


def is_folder(name: str, *, pattern: str) -> ReadError:
    return ReadError(f"{name} is a folder, not a file", remedy=f"name the files in it: '{pattern}'")


def permission_denied(name: str) -> ReadError:
    return ReadError(
        f"{name} may not be read: permission denied", remedy="ask its owner, or run chmod u+r on it"
    )


def unreadable(name: str, reason: str) -> ReadError:
    return ReadError(f"{name} cannot be read: {reason}", remedy="check the disk and the path, then try again")


def empty_file(name: str) -> ReadError:
    return ReadError(f"{name} is empty", remedy="check the step that wrote it")


def no_rows(name: str) -> ReadError:
    return ReadError(f"{name} has no rows", remedy="give at least one row; check the step that wrote it")


def truncated(name: str) -> ReadError:
    return ReadError(
        f"{name} is cut short: its compressed data ends too early", remedy="copy or download it again"
    )


def damaged(name: str) -> ReadError:
    return ReadError(
        f"{name} is damaged: its compressed data is not sound", remedy="copy or download it again"
    )


def trailing_bytes(name: str) -> ReadError:
    return ReadError(
        f"{name} has extra bytes after the compressed data",
        remedy="write or copy it again; gunzip -c keeps what is sound of it",
    )


def corrupt(name: str, kind: str, reason: str) -> ReadError:
    return ReadError(
        f"{name} is not a sound {kind} file: {reason}",
        remedy="write or copy it again; if it is of another kind, give it that ending",
    )


def _line(name: str, line: int | None) -> str:
    return name if line is None else f"{name}, line {line:,}"


def not_utf8(name: str, line: int | None) -> ReadError:
    return ReadError(
        f"{_line(name, line)}: the bytes are not UTF-8 text",
        remedy="save the file as UTF-8 (iconv -f latin1 -t utf-8); if it is not text, give it its own ending",
    )


def nul_byte(name: str, line: int | None, *, unpack: str = "") -> ReadError:
    """``unpack`` is the command that unpacks the file, if it is compressed."""
    remove = _piped("tr -d '\\000'", unpack)
    return ReadError(
        f"{_line(name, line)}: a NUL byte, which text does not have",
        remedy=f"remove it ({remove}); if the file is not text, give it its own ending",
    )


def lone_return(name: str, line: int | None, *, unpack: str = "") -> ReadError:
    """``unpack`` is the command that unpacks the file, if it is compressed."""
    end, remove = _piped("tr '\\r' '\\n'", unpack), _piped("tr -d '\\r'", unpack)
    return ReadError(
        f"{_line(name, line)}: a carriage return without a line feed, "
        "which may be the end of a line or a part of it",
        remedy=f"if lines end so, as on old Macs: {end}; else remove it: {remove}",
    )


def _piped(command: str, unpack: str) -> str:
    return f"{unpack} < OLD | {command} > NEW" if unpack else f"{command} < OLD > NEW"


def utf16(name: str, encoding: str = "UTF-16") -> ReadError:
    return ReadError(
        f"{name}: the file is {encoding}: save it as UTF-8",
        remedy=f"spreadsheets call it 'CSV UTF-8'; in a shell: iconv -f {encoding.lower()} -t utf-8",
    )


def other_ending(name: str, kind: str) -> ReadError:
    return ReadError(f"{name} holds {kind}, not what its ending says", remedy=f"give it the ending .{kind}")


def foreign(name: str, what: str, remedy: str) -> ReadError:
    return ReadError(f"{name} is {what}, which is not read", remedy=remedy)


def bad_json(name: str, line: int | None, reason: str) -> ReadError:
    return ReadError(
        f"{_line(name, line)}: not a JSON object ({reason})",
        remedy="write one object per line; JSON has neither NaN nor Infinity",
    )


def json_types(name: str, reason: str) -> ReadError:
    return ReadError(
        f"{name}: a column holds values of several types ({reason})",
        remedy="use one type for it in all lines",
    )


def extra_fields(name: str, line: int | None, width: int) -> ReadError:
    return ReadError(
        f"{_line(name, line)}: more fields than the {width} columns of the header",
        remedy="put quotes around text with separators",
    )


def lone_quote(name: str, line: int) -> ReadError:
    return ReadError(
        f"{_line(name, line)}: a quote that does not stand around a field, or is not closed",
        remedy='double the quote, and put quotes around the field: "19"" tv"',
    )


def unsupported_format(name: str, ending: str) -> ReadError:
    if ending == "json":
        return ReadError(
            f"{name} is one JSON document, not a table",
            remedy="write one object per line (.jsonl), or pass the dict of json.load in Python",
        )
    return ReadError(f"{name}: .{ending} files are not read", remedy=f"convert it to one of {FORMATS}")


def unsupported_compression(name: str, kind: str, ending: str) -> ReadError:
    return ReadError(
        f"{name}: {kind} is not read through .{ending}",
        remedy=f"decompress it first; .gz and .zst work for csv, tsv, jsonl and TREC (this is {kind})",
    )


def unsupported_object(name: str, what: str) -> ReadError:
    return ReadError(f"{name} is a {what}, which is not a table", remedy=ACCEPTED)


def lone_matrix(name: str) -> ReadError:
    return ReadError(
        f"{name} is a matrix, but the other table is not",
        remedy="give two matrices of one shape (rows are queries, columns are items), or two tables",
    )


def one_stream() -> ReadError:
    return ReadError(
        "standard input is named for more than one table, and it can be read only once",
        remedy="give the others as files",
    )


def lone_array(name: str) -> ReadError:
    return ReadError(
        f"{name} is no array of one entry per row, and the other one is",
        remedy="give two arrays of one length, predictions first, or two tables",
    )


def array_without_labels(name: str) -> ReadError:
    return ReadError(
        f"{name} is an array, and there are no labels to go with it",
        remedy="give the labels as the second argument, or one table with labels and scores",
    )


def sparse_rows(name: str) -> ReadError:
    return ReadError(
        f"{name} is a sparse matrix, which is read as rankings, and a metric of rows was asked for",
        remedy="give two dense arrays with a column per class: matrix.toarray()",
    )


def query_failed(name: str, reason: str) -> ReadError:
    return ReadError(
        f"{name} cannot be collected: {reason}", remedy="collect it yourself and pass the result"
    )


def trec_width(place: str, line: str, *, kind: str, found: int, needed: str, other: str) -> ReadError:
    return ReadError(
        f"{place}: a {kind} has {needed}, this line has {found}: '{short(line)}'",
        remedy=f"{other}a table begins with the names of its columns (query, item, score), "
        "and as a file it needs the ending .csv or .tsv",
    )


def run_as_truth(name: str) -> ReadError:
    return ReadError(
        f"{name} is a TREC run (query Q0 item rank score tag), not a qrels file",
        remedy="give the run as predictions and the judgements (query 0 item grade) as truth",
    )


def trec_kind(name: str, table: str) -> ReadError:
    what = "scores and labels in one table" if table == "labelled" else table
    return ReadError(
        f"{name}: a TREC file cannot hold {what}",
        remedy=f"give one of the other kinds ({FORMATS}); for csv and tsv the ending says so",
    )


def not_matrix(name: str, what: str) -> ReadError:
    return ReadError(
        f"{name} is {what}, not a matrix of numbers",
        remedy="give a 2-D NumPy array or a SciPy sparse matrix; rows are queries, columns are items",
    )


def shapes_differ(scores: tuple[int, ...], labels: tuple[int, ...]) -> ReadError:
    return ReadError(
        f"the score matrix has shape {scores} and the label matrix {labels}",
        remedy="give two matrices of one shape; rows are queries, columns are items",
    )


def arrays_without_columns(argument: str) -> ReadError:
    return ReadError(
        f"{argument} names a column, and plain arrays have none",
        remedy="give one table with the labels inside: a frame, or a dict of columns",
    )
