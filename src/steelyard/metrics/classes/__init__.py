"""Metrics of classes, one file each."""
