"""The steps that lead to a value, as data: what a metric tells of its arithmetic, and ``explain`` shows."""
