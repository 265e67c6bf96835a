"""The programs beside the extension, which run in this Python unless another is named."""

import os
import sys


def use_this_python() -> None:
    """For `--with xla` and `--solver`."""
    for name in ("FLIPSAT_PYTHON", "FLIPSAT_SOLVER_PYTHON"):
        os.environ.setdefault(name, sys.executable)
