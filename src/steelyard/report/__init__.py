"""A number's looks: terminal, Markdown, LaTeX, HTML."""

from __future__ import annotations

from steelyard.report import markup, output, text
from steelyard.report.document import Document, check_language

__all__ = ["Document", "check_language", "markup", "output", "text"]
