"""Metrics of recommendation lists as a whole, one file each."""
