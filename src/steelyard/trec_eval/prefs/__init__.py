"""Preferences: which of two documents a judge would rather have, and how many of them a ranking fulfils."""
