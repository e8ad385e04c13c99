"""The report: one HTML file with the numbers, their charts, and everything that a reader must know."""

from __future__ import annotations

from steelyard.render.page.page import check, check_ending, html, write

__all__ = ["check", "check_ending", "html", "write"]
