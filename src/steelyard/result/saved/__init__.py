"""A saved result: a zip file of parquet tables with a manifest; loading runs nothing that the file says."""

from __future__ import annotations

from steelyard.result.saved.file import is_saved, read, to_bytes

__all__ = ["is_saved", "read", "to_bytes"]
