"""From a jitted function to its partitioned HLO, by public options of the compiler."""

from __future__ import annotations

import pathlib
import re
import tempfile
from dataclasses import dataclass
from typing import Any

import jax

from flipsat.jax import carriable, internals
from flipsat.jax.errors import CannotCarry

_PASS = "spmd-partitioning"  # on TPUs it has a prefix


@dataclass(frozen=True)
class Captured:
    """A function, lowered and compiled for the shapes and shardings of its arguments."""
    name: str
    traced: jax.stages.Traced
    lowered: jax.stages.Lowered
    compiled: jax.stages.Compiled
    text: str
    """HLO right after the partitioner: what one device runs."""
    devices: tuple[jax.Device, ...]
    """In the order of partitions."""


def capture(jitted: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Captured:
    """Raises CannotCarry."""
    traced = jitted.trace(*args, **kwargs)
    carriable.check_traced(traced)
    lowered = traced.lower()
    with tempfile.TemporaryDirectory(prefix="flipsat-jax-") as folder, internals.no_cache_writes():
        compiled = lowered.compile(compiler_options={
            "xla_dump_to": folder,
            "xla_dump_hlo_module_re": ".*",
            "xla_dump_hlo_pass_re": _PASS,
            "xla_dump_hlo_as_text": True,
            "xla_dump_large_constants": True,
            # Unlike the others a part of the key of the persistent compilation cache: what comes from there
            # is not compiled and leaves no dump. Names no emitter.
            "xla_dump_emitter_re": pathlib.Path(folder).name,
        })
        carriable.check_compiled(compiled)
        text = _partitioned(pathlib.Path(folder))
    carriable.check_text(text)
    name = re.match(r"HloModule ([^\s,]+)", text)
    return Captured(name[1] if name else "jit", traced, lowered, compiled, text,
                    internals.devices(compiled))


def _partitioned(folder: pathlib.Path) -> str:
    dumps = [path for path in folder.iterdir() if re.search(rf"\.after_[\w\-]*{_PASS}\.before_.*\.txt$", path.name)]
    if len(dumps) != 1:
        raise CannotCarry("no-partitioned-text", f"{len(dumps)} dumps after {_PASS}")
    return dumps[0].read_text(encoding="utf-8")


def input_shardings(compiled: jax.stages.Compiled) -> list[Any]:
    """Of all arguments; None for those that JAX dropped as unused."""
    return compiled.in_tree.flatten_up_to(compiled.input_shardings)
