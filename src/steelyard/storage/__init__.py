"""Results as files: plain data in, plain data out; loading runs nothing that the file says."""

from __future__ import annotations

from steelyard.storage.classes import HELD
from steelyard.storage.file import is_saved, read, to_bytes

__all__ = ["HELD", "is_saved", "read", "to_bytes"]
