"""The process: ``steelyard`` and ``python -m steelyard``."""

import signal
import sys


def main() -> None:
    """Run the command line; Ctrl-C during its import ends the process at once."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a background process ignores it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        from steelyard.cli import main as run
    except BaseException as error:  # not with exit code 1, which says that a gate failed
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(70)
    run()


if __name__ == "__main__":
    main()
