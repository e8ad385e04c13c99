"""The catalogue: one file per metric, and nothing but its being here makes it known."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from steelyard.lazily import names_of

__getattr__, __dir__ = names_of("steelyard.metrics")

for _found in iter_modules(__path__):
    import_module(f"steelyard.metrics.{_found.name}")
