"""The command: `python -m flipsat` is `flipsat`."""

import signal
import sys

from flipsat import _core
from flipsat._program import use_this_python


def main() -> int:
    """Runs it with the words of the command line; the exit status."""
    for number in (signal.SIGINT, signal.SIGPIPE):  # end it, as they end other programs
        signal.signal(number, signal.SIG_DFL)
    use_this_python()
    return _core.run_command(["flipsat", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
