"""The public functions, one screen each."""
