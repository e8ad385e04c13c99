"""Finds that are known and being mended: how each is told from others begins or ends, and who mends it."""

from __future__ import annotations

KNOWN = {
    "control characters on standard error": "writing",
    " in aggregate/curves.py _metric": "writing",
    " in aggregate/curves.py curve_of": "writing",
    " in curves/curve.py of": "writing",
    " in errors/base.py nearest": "writing",
    " in explain/measured.py check_language": "writing",
    " in explaining.py explain": "writing",
    " in inputs/rows.py <genexpr>": "writing",
    " in inputs/rows.py class_names": "writing",
    " in metrics/base.py _normalised": "writing",
    " in metrics/classes.py of_counts": "writing",
    " in profiles/profile.py profile": "writing",
    " in profiles/resolve.py <listcomp>": "writing",
    " in profiles/resolve.py metrics": "writing",
    " in report/charts/kinds.py chart": "writing",
    " in report/charts/kinds.py _is_sliced": "writing",
    " in report/charts/reading.py <lambda>": "writing",
    " in report/charts/reading.py scored": "writing",
    " in report/page/page.py check": "writing",
    " in report/page/page.py write": "writing",
    " in reporting.py report": "writing",
    " in result.py _beside": "writing",
    " in result.py render": "writing",
    " in result.py to_json": "writing",
    " in result.py write": "writing",
    " in report/output.py write_whole": "writing",
    " in numbers.py curve": "writing",
    " in evaluation.py evaluate": "processes",
    "AttributeError in __init__.py __getattr__": "writing",
    "RecursionError in read/formats.py _bad_json": "readers",
    "a traceback on standard error": "readers",
    "the process was lost: readers": "readers",
    "MemoryError in kernels/means.py segment_sum": "numbers",
    "OverflowError in metrics/fbeta.py per_query": "numbers",
    "OverflowError in metrics/class_f.py parts": "numbers",
    " is outside its bounds": "numbers",
    "RuntimeWarning in metrics/rating.py <lambda>": "numbers",
    "RuntimeWarning in states/segmented.py total": "numbers",
    " in inputs/rankings.py stated": "writing",
    " in read/roles.py probability_columns": "writing",
}


def known(what: str) -> str | None:
    """Who mends this kind of find, if anybody does."""
    return next((who for text, who in KNOWN.items() if what.startswith(text) or what.endswith(text)), None)
