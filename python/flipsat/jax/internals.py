"""The names that JAX does not promise to keep: all of them stand here. Checked with jax 0.10.2."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
from jax import export

from flipsat.jax.errors import CannotCarry

try:
    from jax._src import config, core
    from jax._src.interpreters import mlir
    from jax._src.lib import _jax, xla_client
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo
    _MISSING: ImportError | None = None
except ImportError as error:
    _MISSING = error


def need(jitted: Any) -> None:
    """Raises CannotCarry where this version of JAX lacks what is used here."""
    if _MISSING:
        raise CannotCarry("jax-version", f"jax {jax.__version__}: {_MISSING}")
    if not hasattr(jitted, "_jit_info"):
        raise CannotCarry("jax-version", f"jax {jax.__version__}: {jitted!r} does not tell its arguments")


def no_cache_writes() -> Any:
    """What is compiled inside is not put into the persistent compilation cache."""
    return config.persistent_cache_min_compile_time_secs(float("inf"))


def static_arguments(jitted: Any) -> tuple[frozenset[int], frozenset[str]]:
    """(positions, names) of the arguments that are part of the program."""
    return frozenset(jitted._jit_info.static_argnums), frozenset(jitted._jit_info.static_argnames)


def compiler_options(jitted: Any) -> dict[str, Any]:
    """Those given to jax.jit."""
    return dict(jitted._jit_info.compiler_options_kvs)


def devices(compiled: jax.stages.Compiled) -> tuple[jax.Device, ...]:
    """In the order of partitions."""
    return tuple(compiled._executable._unloaded_executable.device_list)


def has_hidden_arguments(compiled: jax.stages.Compiled) -> bool:
    """Whether arrays that the function closes over, or references, are arguments of the program."""
    return bool(compiled._params.const_args) or bool(compiled._executable._mut)


def layouts(compiled: jax.stages.Compiled) -> Iterator[tuple[Any, tuple[int, ...]]]:
    """(layout, shape) of all arguments that are used and all results."""
    executable = compiled._executable
    yield from zip(executable._xla_in_layouts, (aval.shape for aval in executable.in_avals))
    yield from zip(executable._xla_out_layouts, (aval.shape for aval in executable.out_avals))


def one_device_function(text: str, name: str, arguments: Sequence[tuple[Any, ...]],
                        results: Sequence[tuple[Any, ...]], platform: str) -> Callable[..., Any]:
    """The HLO that one device runs, as a function of arrays.

    `arguments`, `results`: (shape, dtype, weak_type) of each, as one device sees them.
    """
    try:
        module = xla_client.hlo.hlo_module_from_text(text)
        bytecode = _jax.mlir.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())
        with mlir.make_ir_context():
            written = mlir.module_to_bytecode(ir.Module.parse(bytecode))
        artifact = _jax.mlir.serialize_portable_artifact(written, stablehlo.get_current_version())
    except Exception as error:  # whatever jaxlib raises: it has no common base
        said = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
        raise CannotCarry("stablehlo", next((line for line in said if "error:" in line), said[0])) from error

    def avals(types: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
        return tuple(core.ShapedArray(shape, dtype, weak_type=weak) for shape, dtype, weak in types)

    # What is exported is a function of nothing; it gets another body and signature.
    platforms = None if platform == jax.default_backend() else [platform]
    shell = export.export(jax.jit(lambda: ()), platforms=platforms)()
    unknown_in, unknown_out = (None,) * len(arguments), (None,) * len(results)
    return dataclasses.replace(
        shell, fun_name=name, mlir_module_serialized=artifact,
        in_tree=jax.tree.structure(((0,) * len(arguments), {})),
        out_tree=jax.tree.structure((0,) * len(results)),
        in_avals=avals(arguments), out_avals=avals(results),
        _in_named_shardings=unknown_in, _out_named_shardings=unknown_out,
        in_shardings_hlo=unknown_in, out_shardings_hlo=unknown_out,
        module_kept_var_idx=tuple(range(len(arguments)))).call
