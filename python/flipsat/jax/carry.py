"""From the HLO that one device runs back to a function that JAX runs on all of them.

A partitioned module is what the body of a shard_map is: a program on one device's blocks that
speaks with the others by collectives. So it becomes one, by way of StableHLO and jax.export, and
the compiler sees nothing special in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax

from flipsat.jax import internals
from flipsat.jax.capture import Captured, input_shardings
from flipsat.jax.errors import CannotCarry
from flipsat.jax.specs import mesh_and_specs
from flipsat.programs.flipsat_xla import prepare


@dataclass(frozen=True)
class Carried:
    """Both functions take the arguments that are used and return all results, flat."""
    jitted: Any
    traced: Callable[..., Any]
    """For use inside of other functions; refuses to be differentiated."""
    kept: tuple[int, ...]

    def used(self, flat: list[Any]) -> list[Any]:
        return [flat[at] for at in self.kept]


def carry(captured: Captured, text: str, compiler_options: dict[str, Any]) -> Carried:
    """`text`: `captured.text`, or another module with the same arguments and results."""
    compiled = captured.compiled
    in_shardings = input_shardings(compiled)
    kept = tuple(at for at, sharding in enumerate(in_shardings) if sharding is not None)
    in_shardings = [in_shardings[at] for at in kept]
    out_shardings = jax.tree.leaves(compiled.output_shardings)
    in_avals = jax.tree.leaves(compiled.in_avals)
    in_avals = [in_avals[at] for at in kept]
    out_avals = captured.traced.jaxpr.out_avals

    mesh, specs = mesh_and_specs([*in_shardings, *out_shardings],
                                 [aval.shape for aval in (*in_avals, *out_avals)], captured.devices)
    arguments, results = _on_one_device(in_avals, in_shardings), _on_one_device(out_avals, out_shardings)
    body = internals.one_device_function(_for_stablehlo(text, arguments), captured.name, arguments, results,
                                         captured.devices[0].platform)
    on_all = jax.shard_map(body, mesh=mesh, in_specs=tuple(specs[:len(kept)]),
                           out_specs=tuple(specs[len(kept):]), check_vma=False)

    def run(*arrays: jax.Array) -> tuple[jax.Array, ...]:
        return on_all(*arrays)
    run.__name__ = captured.name.removeprefix("jit_")
    donated = [info.donated for info in jax.tree.leaves(captured.lowered.args_info)]
    jitted = jax.jit(run, in_shardings=tuple(in_shardings), out_shardings=tuple(out_shardings),
                     donate_argnums=tuple(at for at, number in enumerate(kept) if donated[number]),
                     keep_unused=True, compiler_options=compiler_options or None)
    return Carried(jitted, _without_derivative(jitted, run.__name__), kept)


def _on_one_device(avals: Any, shardings: Any) -> list[tuple[Any, ...]]:
    return [(sharding.shard_shape(aval.shape), aval.dtype, aval.weak_type)
            for aval, sharding in zip(avals, shardings)]


def _without_derivative(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    call = jax.custom_jvp(function)

    @call.defjvp
    def refuse(_primals: Any, _tangents: Any) -> Any:
        raise TypeError(f"what flipsat.jax.optimize made of {name} has no derivative: differentiate first, and "
                        "optimize the function that computes the gradient")
    return call


def _for_stablehlo(text: str, arguments: list[tuple[Any, ...]]) -> str:
    """The module in words that StableHLO has: no annotations of what is already partitioned, no copies,
    groups as lists (jaxlib 0.10.2 mixes up meshes), collectives of one operand."""
    try:
        text, parameters = prepare.flat_parameters(prepare.readable(text))
    except prepare.CannotRun as error:
        raise CannotCarry("stablehlo", str(error)) from error
    taken, given = [each.dims for each in parameters], [_dims(*each) for each in arguments]
    if taken != given:
        raise ValueError(f"the module takes arrays of the shapes {taken}, the function gives {given}")
    for step in (prepare.without_shardings, prepare.with_lists, prepare.with_groups_of_all_to_all,
                 prepare.without_variadic, _without_copies):
        text = step(text)
    return text


def _dims(shape: tuple[int, ...], dtype: Any, _weak: bool) -> tuple[int, ...]:
    """As XLA sees it: a random key is a row of numbers."""
    if not jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
        return shape
    return jax.eval_shape(jax.random.key_data, jax.ShapeDtypeStruct(shape, dtype)).shape


def _without_copies(text: str) -> str:
    """A reshape to the same shape is the same value, and XLA removes it."""
    return re.sub(r"^(\s+(?:ROOT )?%[\w.\-]+ = \w+\[[\d,]*\]\S*) copy\(", r"\1 reshape(", text, flags=re.M)
