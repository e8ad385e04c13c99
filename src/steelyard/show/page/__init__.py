"""The report: one HTML file with the numbers, their charts, and everything that a reader must know."""

from __future__ import annotations

from steelyard.show.page.page import check, check_ending, html, write
from steelyard.show.page.systems import System

__all__ = ["System", "check", "check_ending", "html", "write"]
