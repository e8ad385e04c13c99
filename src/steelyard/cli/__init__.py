"""The command line: parse arguments, call the library, print. stdout is data, stderr is talk."""

from __future__ import annotations

from steelyard.cli.main import main

__all__ = ["main"]
