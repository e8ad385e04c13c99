"""A metric's arithmetic, step by step, as text, Markdown and HTML."""

from __future__ import annotations

from steelyard.render.explanation.explanation import Explanation, Other, explain_list, explain_rows

__all__ = ["Explanation", "Other", "explain_list", "explain_rows"]
