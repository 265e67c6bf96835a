"""What flipsat.jax.optimize returns."""

from __future__ import annotations

import functools
from typing import Any

import jax

import flipsat
from flipsat.jax import internals
from flipsat.jax.capture import Captured
from flipsat.jax.carry import Carried, carry
from flipsat.jax.comparison import Comparison, compare
from flipsat.jax.signature import Signature


class Optimized:
    """A function like the jitted one that it was made of, for arguments of the same shapes, types and
    shardings, which runs flipsat's program."""

    def __init__(self, jitted: Any, captured: Captured, signature: Signature, result: flipsat.Result,
                 text: str, carried: Carried | None) -> None:
        self.result = result
        """What flipsat.optimize returned: changes, and the costs before and after."""
        self.partitioned_text = captured.text
        """The HLO of one device as XLA's partitioner left it."""
        self.optimized_text = text
        """The same as flipsat left it."""
        self.original = captured.compiled
        """The function as JAX compiled it."""
        self._jitted = jitted
        self._captured = captured
        self._signature = signature
        self._carried = carried  # None: there is nothing to gain, and the original runs
        functools.update_wrapper(self, jitted, updated=())

    @property
    def headline(self) -> str:
        """What is gained, in one sentence."""
        return self.result.headline

    def __repr__(self) -> str:
        return f"<flipsat.jax.Optimized {self._captured.name}: {self.headline}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        flat = self._signature.flat(args, kwargs)
        is_traced = any(isinstance(value, jax.core.Tracer) for value in flat)
        if self._carried:
            call = self._carried.traced if is_traced else self._carried.jitted
            return jax.tree.unflatten(self._captured.lowered.out_tree, call(*self._carried.used(flat)))
        if is_traced:
            return self._jitted(*args, **kwargs)
        args, kwargs = self._signature.dynamic(args, kwargs)
        return self.original(*args, **kwargs)

    def lower(self, *args: Any, **kwargs: Any) -> jax.stages.Lowered:
        """As of a jitted function: `.lower(...).compile().as_text()` is what XLA's later passes leave."""
        flat = self._signature.flat(args, kwargs)
        if self._carried:
            return self._carried.jitted.lower(*self._carried.used(flat))
        return self._jitted.lower(*args, **kwargs)

    def with_text(self, text: str) -> Optimized:
        """The same function, running other HLO text of the same arguments and results (`optimized_text`
        changed by hand, say). Nothing checks what that computes but `compare`."""
        carried = carry(self._captured, text, internals.compiler_options(self._jitted))
        return Optimized(self._jitted, self._captured, self._signature, self.result, text, carried)

    def compare(self, *args: Any, **kwargs: Any) -> Comparison:
        """Runs the original and this one on copies of the same arguments."""
        def copies() -> Any:
            return jax.tree.map(_copy, self._signature.dynamic(args, kwargs))
        before_args, before_kwargs = copies()
        after_args, after_kwargs = self._signature.with_dynamic(args, kwargs, copies())
        before = jax.block_until_ready(self.original(*before_args, **before_kwargs))
        after = jax.block_until_ready(self(*after_args, **after_kwargs))
        return compare(before, after)


def _copy(value: Any) -> Any:
    """A program may be allowed to use up its arguments."""
    return value.copy() if isinstance(value, jax.Array) else value
