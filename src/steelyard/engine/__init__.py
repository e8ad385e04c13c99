"""Where the work is done; here, on this machine."""
