"""``python -m steelyard``."""

from steelyard.cli import main

if __name__ == "__main__":
    main()
