"""Speed and memory of whole processes, beside the peers: ``make bench``."""
