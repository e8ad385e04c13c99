"""What `evaluate` gives: its data, and the forms it can be shown in."""
