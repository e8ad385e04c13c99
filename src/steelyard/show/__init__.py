"""A number's looks: terminal, Markdown, LaTeX, HTML."""

from __future__ import annotations

from steelyard.show import markup, output, text
from steelyard.show.document import Document

__all__ = ["Document", "markup", "output", "text"]
