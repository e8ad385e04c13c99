"""What a user calls, one screen each."""
