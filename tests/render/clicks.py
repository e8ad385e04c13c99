"""A small log of clicks, as a file, and the files of the folder that it lies in."""

from __future__ import annotations

from pathlib import Path

LOG = """\
label,score,user,country
1,0.9,a,DE
0,0.8,a,DE
1,0.4,b,US
0,0.2,b,US
"""


def files(folder: Path) -> set[str]:
    """The names of what lies in a folder."""
    return {path.name for path in folder.iterdir()}
