"""Metrics of ratings, one file each."""
