"""A number's looks: terminal, Markdown, LaTeX, HTML."""

from __future__ import annotations

from steelyard.report import markup, output, text
from steelyard.report.document import Document

__all__ = ["Document", "markup", "output", "text"]
