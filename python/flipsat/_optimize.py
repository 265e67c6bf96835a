"""The main job."""

from __future__ import annotations

from typing import Any

from flipsat import _core
from flipsat._module import Module, held
from flipsat._options import Options, options_of, words_of
from flipsat._program import use_this_python
from flipsat._result import Result


def optimize(module: Module, options: Options | None = None, **given: Any) -> Result:
    """Finds a cheaper arrangement of the module's collectives and proves that it computes the same.

    Options are those of `flipsat.Options`, together or by keyword: `optimize(module, numerics="reassoc")`.
    The interpreter lock is released while it works. Raises InputError for a module (or a machine, combiner or
    rules file) that is wrong, UsageError for options that are, and VerificationFailed where the verifier
    refuses what was found, which is a bug.
    """
    asked = options_of(Options, options, given)
    if asked.solver != "none":
        use_this_python()
    core = _core.optimize(held(module), words_of(asked))
    made = Module._of(core.module) if core.changed else module
    return Result(made, asked, core)
