"""Equality saturation for the collectives of XLA HLO programs.

    import flipsat
    module = flipsat.Module.read("step.hlo")
    result = flipsat.optimize(module, machine="h100", combiner="xla-gpu")
    print(result.headline)
    result.module.write("optimized.hlo")

docs/python.md tells the rest. `flipsat.egraph` is the engine underneath, for terms of any kind.
"""

from flipsat._core import version as __version__
from flipsat._errors import InputError, InternalError, UsageError, VerificationFailed
from flipsat._lists import Rule, Stats, rules, stats
from flipsat._module import Module
from flipsat._optimize import optimize
from flipsat._options import CostOptions, Options, OrdersOptions, VerifyOptions
from flipsat._orders import Orders, compare, orders
from flipsat._report import (
    Bound, Change, Headroom, Kept, NotChecked, OpcodeTotals, Program, RuleUse, Totals, Verified,
)
from flipsat._result import Result
from flipsat._verify import Difference, Verification, verify

__all__ = [
    "Bound", "Change", "CostOptions", "Difference", "Headroom", "InputError", "InternalError", "Kept", "Module",
    "NotChecked", "OpcodeTotals", "Options", "Orders", "OrdersOptions", "Program", "Result", "Rule", "RuleUse",
    "Stats", "Totals", "UsageError", "Verification", "VerificationFailed", "Verified", "VerifyOptions", "__version__",
    "compare", "optimize", "orders", "rules", "stats", "verify",
]

# Their home, as users see it in messages and documentation.
for _name in __all__:
    if hasattr(globals()[_name], "__module__"):
        globals()[_name].__module__ = __name__
del _name
