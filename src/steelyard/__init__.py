"""Steelyard evaluates predictions: metrics whose every convention is stated and part of the result.

>>> import steelyard as sy
>>> sy.evaluate({"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}, "mrr")["mrr"]
0.5
"""

from __future__ import annotations

import steelyard.processes  # noqa: F401 - it must know of every fork from here on
from steelyard.lazily import names_of
from steelyard.version import VERSION

__version__ = VERSION
__getattr__, __dir__ = names_of("steelyard", "__version__")
