"""The process: ``steelyard`` and ``python -m steelyard``."""

import signal


def main() -> None:
    """Import the command line and run it; Ctrl-C during the import ends the process at once."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a background process ignores it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from steelyard.cli import main as run

    run()


if __name__ == "__main__":
    main()
