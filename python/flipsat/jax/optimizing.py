"""The whole way: JAX, partitioned HLO, flipsat, JAX."""

from __future__ import annotations

import types
from typing import Any

import jax

import flipsat
from flipsat.jax import internals
from flipsat.jax.capture import capture
from flipsat.jax.carry import carry
from flipsat.jax.optimized import Optimized
from flipsat.jax.signature import Signature


def optimize(jitted: Any, /, *args: Any, options: flipsat.Options | None = None, **kwargs: Any) -> Optimized:
    """A function that computes what `jitted` does, with flipsat's arrangement of its collectives.

    `jitted` is what jax.jit returns, the rest are its arguments, or jax.ShapeDtypeStructs with shardings:
    the result is for these shapes, types and shardings, and for these values of static arguments.

    Raises CannotCarry where the program cannot be taken out of JAX and back.
    """
    _check_use(jitted, (args, kwargs))
    internals.need(jitted)
    captured = capture(jitted, args, kwargs)
    signature = Signature(jitted, captured, args, kwargs)
    result = flipsat.optimize(flipsat.Module.parse(captured.text, name=captured.name), options)
    if not result.changed:
        return Optimized(jitted, captured, signature, result, captured.text, None)
    text = result.module.to_text()
    return Optimized(jitted, captured, signature, result, text,
                     carry(captured, text, internals.compiler_options(jitted)))


def _check_use(jitted: Any, arguments: Any) -> None:
    if isinstance(jitted, types.MethodType):
        raise TypeError(f"{jitted!r} is a method: give its function (__func__), and its object as an argument")
    if not callable(jitted) or not callable(getattr(jitted, "trace", None)):
        raise TypeError(f"{jitted!r} is not what jax.jit returns")
    if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(arguments)):
        raise TypeError("flipsat.jax.optimize needs the shardings of arrays: call it outside of jax.jit, and what it "
                        "returns inside")
