"""Measured values, their intervals, the tests that compare them, and the notes on both."""
