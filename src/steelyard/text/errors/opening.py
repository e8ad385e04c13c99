"""Errors for the case that a file or an object cannot be read as a table, or as one of items."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard.text import Message, say
from steelyard.text.errors.base import (
    ColumnError,
    MetricError,
    ReadError,
    SteelyardError,
    ValueInDataError,
    nearest,
)
from steelyard.text.errors.forms import unknown
from steelyard.text.errors.places import at_line, short, word

ACCEPTED = say(
    "a table is a path, a glob or a list of paths; a Polars, pandas or PyArrow table; anything with "
    "__arrow_c_stream__ (such as a DuckDB relation); {query: {item: score}} or {query: [item, …]}"
)
_A_TABLE = say(
    "a table begins with the names of its columns (query, item, score), "
    "and as a file it needs the ending .csv or .tsv"
)
leads_nowhere = ReadError.of("""{name} is a link to {target}, which does not exist
    make the link anew, or name the file itself""")
no_match = ReadError.of("""no file matches {pattern}
    check the folder and the ending; in a shell, quote the pattern to have it expanded here""")
no_files = ReadError.of("""the list of paths is empty
    give at least one path""")
is_folder = ReadError.of("""{name} is a folder, not a file
    name the files in it: '{pattern}'""")
permission_denied = ReadError.of("""{name} may not be read: permission denied
    ask its owner, or run chmod u+r on it""")
unreadable = ReadError.of("""{name} cannot be read: {reason}
    check the disk and the path, then try again""")
empty_file = ReadError.of("""{name} is empty
    check the step that wrote it""")
no_rows = ReadError.of("""{name} has no rows
    give at least one row; check the step that wrote it""")
trailing_bytes = ReadError.of("""{name} has extra bytes after the compressed data
    write or copy it again; gunzip -c keeps what is sound of it""")
saved_result = ReadError.of("""{name} is a result that Steelyard saved, not a table
    load it: sy.load('{name}') in Python, steelyard report {name} on the command line""")
corrupt = ReadError.of("""{name} is not a sound {format} file: {reason}
    write or copy it again; if it is of another kind, give it that ending""")
other_ending = ReadError.of("""{name} holds {format}, not what its ending says
    give it the ending .{format}""")
json_types = ReadError.of("""{name}: a column holds values of several types ({reason})
    use one type for it in all lines""")
extra_fields = ReadError.of("""{place}: more fields than the {width} columns of the header
    put quotes around text with separators""")
lone_quote = ReadError.of("""{place}: a quote that does not stand around a field, or is not closed
    double the quote, and put quotes around the field: "19"" tv\"""")
unsupported_compression = ReadError.of("""{name}: {format} is not read through .{ending}
    decompress it first; .gz and .zst work for {formats:and} (this is {format})""")
unsupported_object = ReadError.of("{name} is a {type}, which is not a table", remedy=ACCEPTED)
lone_matrix = ReadError.of("""{name} is a matrix, but the other table is not
    give two matrices of one shape (rows are queries, columns are items), or two tables""")
texts_as_lists = ReadError.of("""{name} is a list of texts, none of which is a file
    give {query: [item, …]} or a table of query, item and score""")
one_pipe = ReadError.of("""{name} is a pipe, and is given for two tables
    a pipe can be read once; write what it holds to a file, and give that""")
one_stream = ReadError.of("""standard input is named for more than one table, and it can be read only once
    give the others as files""")
lone_array = ReadError.of("""{name} is no array of one entry per row, and the other one is
    give two arrays of one length, predictions first, or two tables""")
array_without_labels = ReadError.of("""{name} is an array, and there are no labels to go with it
    give the labels as the second argument, or one table with labels and scores""")
sparse_rows = ReadError.of("""{name} is a sparse matrix, which is read as rankings, \
    and a metric of rows was asked for
    give two dense arrays with a column per class: matrix.toarray()""")
sparse_column = ReadError.of("""{name} is a sparse matrix, not one value per row
    give a list or an array""")
sparse_too_large = ReadError.of("""{name} is a sparse matrix of {n:,} cells, too many for one label per cell
    give some of its rows at a time, or leave out the classes that are rare""")
query_failed = ReadError.of("""{name} cannot be collected: {reason}
    collect it yourself and pass the result""")
run_as_truth = ReadError.of("""{name} is a TREC run (query Q0 item rank score tag), not a qrels file
    give the run as predictions and the judgements (query 0 item grade) as truth (--truth FILE)""")
not_matrix = ReadError.of("""{name} is {what}, not a matrix of numbers
    give a 2-D NumPy array or a SciPy sparse matrix; rows are queries, columns are items""")
arrays_without_columns = ReadError.of("""{argument} names a column, and plain arrays have none
    give one table with the labels inside: a frame, or a dict of columns""")
damaged = ReadError.of("""{name} is damaged: its compressed data is not sound
    copy or download it again""")
cut_short = ReadError.of("""{name} is cut short: its compressed data ends too early
    copy or download it again""")
utf16 = ReadError.of("""{name}: the file is {encoding}: save it as UTF-8
    spreadsheets call it 'CSV UTF-8'; in a shell: iconv -f {from_code} -t utf-8""")
foreign = ReadError.of("{name} is {what}, which is not read")
shapes_differ = ReadError.of("""the score matrix has shape {scores} and the label matrix {labels}
    give two matrices of one shape; rows are queries, columns are items""").given(scores=str, labels=str)
either_missing = MetricError.of("""{metric} needs usual or history, and neither was given
    pass usual=… (--usual FILE): a plain recommender's lists, or history=… (--history FILE)""")
table_missing = MetricError.of("""{metric} needs {table}, which was not given
    pass {table}=… (--{option} FILE)""")
expected_lists = MetricError.of("""{metric} reads which items a list shows, and ties={ties} leaves that open
    choose an order: ties=item_desc, item_asc, given, optimistic or pessimistic""")
one_place = MetricError.of("""{metric} compares the items of a list with each other, \
    and a list of one item has no pair
    use a cutoff of 2 or more""")
empty_history = ReadError.of("""{name} is empty
    give what users had before: query and item""")
count_below_0 = ValueInDataError.of("""{place}: count is {value}
    a count is a number of 0 or more""")
not_a_matrix = ReadError.of("""{name} is a matrix or an array
    give {forms}""")
not_a_column = ReadError.of("""{name} is a dict with a column of items, and its '{key}' is a {type}
    give {forms}""")
catalog_of_keys = ReadError.of("""{name} is a dict, and none of its keys is a name of items
    give the ids as a list, such as list(catalog), or as a column called item""")
not_ids = ReadError.of("""the ids of {name} are a {type}
    give a list or an array with one id for each row""")
in_several_groups = ColumnError.of("""{name}: column '{column}' holds lists, and an item is in one group
    name one group""")
in_two_groups = ValueInDataError.of("""{name} has {n:,} rows of items that stand there more than once, \
    first {item}
    give one row for each item: it is in one group""")
no_group = ColumnError.of("""{name} has an item column and no other
    give the group of each item beside it""")
which_group = ColumnError.of("""{name} has {columns} beside the item, and none of them is called group
    say which one it is: --columns group=NAME, in Python columns=dict(group=NAME)""")
matrix_without_ids = ReadError.of("""features is a matrix of {shape}, \
    and which row is which item is not known
    give it with the ids of its rows: features=(matrix, ids)""")
not_features = ReadError.of("""features is a {type} that is no matrix with its ids
    give {forms}""")
matrix_and_ids = ReadError.of("""features is a matrix of {shape} with {n:,} {n:id|ids}
    give one id for each row of the matrix""")
ids_not_one_column = ReadError.of("""the ids of {name} are an array of {shape}
    give one dimension: one id for each item""")
no_features = ColumnError.of("""{name} has an item column and no other that could be a feature
    give numbers, a vector, categories or a list of tags for each item""")
item_twice = ValueInDataError.of("""{name} has {n:,} rows of items that stand there more than once, \
    first {item}
    give one row for each item; several tags of an item are one list""")
mixed_features = ColumnError.of("""{name} has numbers ({numbers}) and words ({words}), \
    which have no common distance
    name the columns of one kind: columns={{'feature': ['{example}']}} (--columns feature={example})""")
feature_missing = ValueInDataError.of("""{place}: feature '{column}' is missing
    fill it, or remove the row: an item without features is left to featureless=drop""")
feature_written_missing = ValueInDataError.of("""{place}: feature '{column}' is '{text}', a missing value
    fill it, or remove the row: an item without features is left to featureless=drop""")
feature_not_finite = ValueInDataError.of("""{place}: feature '{column}' is {value}
    fill it, or remove the row: an item without features is left to featureless=drop""")
widths_differ = ValueInDataError.of("""{place}: feature '{column}' is a vector of {found:,}, \
    and the first one is of {wanted:,}
    give vectors of one width""")
list_as_text = ValueInDataError.of("""{place}: feature '{column}' is the text '{text}', not a list
    give a column of lists, which parquet keeps and csv does not, or columns of numbers""")
not_a_feature = ColumnError.of("""{name}: column '{column}' holds {type}, which is no feature
    give numbers, a vector, categories or a list of tags, or name it: --columns feature=NAME""")
featureless_items = ValueInDataError.of("""{n:,} of the {every:,} items shown {n:has|have} no features in \
    {name}, first {item}
    add them, or leave such items out: {metric} with featureless=drop""")
zero_vectors = ValueInDataError.of("""{n:,} of the {every:,} items shown {n:has|have} features that are all \
    0 in {name}, first {item}, and cosine has no angle for {n:it|them}
    leave such items out: {metric} with featureless=drop; or choose distance=euclidean""")
unseen_items = ValueInDataError.of("""{n:,} of the {every:,} items shown {n:is|are} not in {name}, \
    first {item}
    choose {field}=one_user (as if one had) or drop""")
needs_categories = MetricError.of("""{metric} compares categories, and {name} holds numbers
    give a column of categories or a list of tags as features""")
no_usual = ValueInDataError.of("""{name} has none of the users of the lists
    check that both name users the same way""")
one_value = MetricError.of("""{metric} has one value, and values_of gives one for each group
    use of""")
several_values = MetricError.of("""{metric} has a value for each group, and of gives one number
    use values_of, or evaluate(…)""")


def file_not_found(name: str, *, folder: str, siblings: Iterable[str], wanted: str) -> SteelyardError:
    if "://" in name:
        return ReadError.of("""{name} is not a file on this machine
            open it first and pass it on: pl.scan_parquet(…)""")(name=name)
    alike = [one for one in siblings if nearest(_stem(wanted), [_stem(one)])]
    check = say("check the spelling, and that it lies in {folder}", folder=folder)
    return unknown(say("{name} does not exist", name=name), wanted, alike, kind=ReadError, remedy=check)


def _stem(name: str) -> str:
    """A file's name without its endings, which most files of a folder have in common."""
    return name.lstrip(".").partition(".")[0]


def not_utf8(name: str, line: int | None) -> ReadError:
    return ReadError.of("""{place}: the bytes are not UTF-8 text
        save the file as UTF-8 (iconv -f latin1 -t utf-8); if it is not text, give it its own ending""")(
        place=at_line(name, line)
    )


def nul_byte(name: str, line: int | None, *, unpack: str = "") -> ReadError:
    return ReadError.of("""{place}: a NUL byte, which text does not have
        remove it ({command}); if the file is not text, give it its own ending""")(
        place=at_line(name, line), command=_piped("tr -d '\\000'", unpack)
    )


def lone_return(name: str, line: int | None, *, unpack: str = "") -> ReadError:
    """``unpack`` is the command that unpacks the file, if it is compressed."""
    return ReadError.of("""{place}: a carriage return without a line feed, \
        which may be the end of a line or a part of it
        if lines end so, as on old Macs: {end}; else remove it: {remove}""")(
        place=at_line(name, line), end=_piped("tr '\\r' '\\n'", unpack), remove=_piped("tr -d '\\r'", unpack)
    )


def _piped(command: str, unpack: str) -> str:
    return f"{unpack} < OLD | {command} > NEW" if unpack else f"{command} < OLD > NEW"


def bad_json(name: str, line: int | None, reason: str) -> ReadError:
    return ReadError.of("""{place}: not a JSON object ({reason})
        write one object per line; JSON has neither NaN nor Infinity""")(
        place=at_line(name, line), reason=reason
    )


def unsupported_format(name: str, ending: str, *, formats: Message) -> ReadError:
    if ending == "json":
        return ReadError.of("""{name} is one JSON document, not a table
            write one object per line (.jsonl), or pass the dict of json.load in Python""")(name=name)
    return ReadError.of("""{name}: .{ending} files are not read
        convert it to one of {formats}""")(name=name, ending=ending, formats=formats)


def trec_width(place: str, line: str, found: int, needed: Message, other: Message | None) -> ReadError:
    """``other`` says what the line may be instead."""
    return ReadError.of("{place}: {needed}, this line has {found}: '{line}'")(
        remedy=say("{other} {table}", other=other, table=_A_TABLE) if other else _A_TABLE,
        place=place,
        needed=needed,
        found=found,
        line=short(line),
    )


def trec_kind(name: str, table: str, *, formats: Message) -> ReadError:
    return ReadError.of("""{name}: a TREC file cannot hold {what}
        give one of the other kinds ({formats}); for csv and tsv the ending says so""")(
        name=name,
        what=say("scores and labels in one table") if table == "labelled" else word(table),
        formats=formats,
    )
