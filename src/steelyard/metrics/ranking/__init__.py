"""Metrics of rankings, one file each."""
