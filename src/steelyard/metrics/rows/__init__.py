"""Metrics of scored rows, one file each."""
