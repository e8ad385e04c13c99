"""A csv or tsv file with a quote that its reader cannot make sense of: the error names the line."""

from __future__ import annotations

import gzip

import pytest

from steelyard import read
from steelyard.read import text
from steelyard.text.errors.base import ReadError

from ..tables import each_row

HEAD = "query,item,score\n"


@each_row(
    ("rows", "line"),
    [
        ('q,19" tv,1\nq,b,2\n', 2),
        ('q,a,1\nq,19" tv,1\nq,20" tv,3\nq,b,2\n', 3),
        ('q,a,1\nq,"b"x,2\nq,c,3\n', 3),
        ('q,a,1\nq,"b,2\nq,"c",3\n', 3),  # line 3 opens a field that line 4 closes in the middle of another
        ('q,"a\nb",1\nq,"c,2\nq,d,3\n', 4),  # the first field of two lines is sound
        ('q,"19"" tv",1\nq,b",2\n', 3),
        ('q,a,1\nq,b",2,3,4\nq,c,2\n', 3),
        ('q,"a",1\r\nq,19" tv,2\r\n', 3),
    ],
)
def test_the_line_is_named(write, rows, line):
    for name, content in (
        ("run.csv", (HEAD + rows).encode()),
        ("run.tsv", (HEAD + rows).replace(",", "\t").encode()),
        ("run.csv.gz", gzip.compress((HEAD + rows).encode())),
    ):
        path = write(name, content)
        with pytest.raises(ReadError) as caught:
            read.predictions(path)
        assert caught.value.message.startswith(f"{path}, line {line}: a quote")
        assert caught.value.remedy.startswith("double the quote, and put quotes around the field")


def test_the_remedy_helps(write):
    rows = read.predictions(write("run.csv", HEAD + 'q,"19"" tv",1\nq,b,2\n')).frame
    assert rows.rows() == [("q", '19" tv', 1.0), ("q", "b", 2.0)]


def test_too_many_fields_beside_sound_quotes_are_told_as_such(write):
    with pytest.raises(ReadError, match="more fields than the 3 columns of the header"):
        read.predictions(write("run.csv", HEAD + 'q,"a,b",1,2\n'))


def test_no_message_waits_for_a_whole_table(tmp_path, monkeypatch):
    """Two sound lines with quotes, then one that is not: with two looked at, none can be named."""
    path = tmp_path / "run.csv"
    path.write_text('query,item,score\n"q","a",1\n"q","b",2\nq,19" tv,3\n', "utf-8")
    assert text.lone_quote(path, ",") == 4
    monkeypatch.setattr(text, "_MOST", 1)
    assert text.lone_quote(path, ",") is None
