"""The command line: parse arguments, call the library, print. Results go to stdout, messages to stderr."""

from __future__ import annotations

from steelyard.cli.main import main

__all__ = ["main"]
