"""What can be carried; each refusal has a reason of errors.REASONS."""

from __future__ import annotations

import re

import jax

from flipsat.jax import internals
from flipsat.jax.errors import CannotCarry

_PLACEMENT = re.compile(r'\{[\d,]*:[^}]*(S\(\d+\))|custom_call_target="(annotate_device_placement|MoveToHost)"')
_HOST_OPCODE = re.compile(r"^\s+(?:ROOT )?%?[\w.\-]+ = .*? (infeed|outfeed|send|recv)\(", re.M)
# Python functions have names like xla_ffi_python_cpu_callback.
_CALLBACK = re.compile(r'custom_call_target="([^"]*callback[^"]*)"')
_SIDE_EFFECT = re.compile(r'custom_call_target="([^"]*)".*custom_call_has_side_effect=true')


def check_traced(traced: jax.stages.Traced) -> None:
    effects = traced.jaxpr.effects
    if effects:
        raise CannotCarry("effects", ", ".join(sorted({type(effect).__name__ for effect in effects})))


def check_compiled(compiled: jax.stages.Compiled) -> None:
    devices = internals.devices(compiled)
    if len(devices) < 2:
        raise CannotCarry("one-device")
    if internals.has_hidden_arguments(compiled):
        raise CannotCarry("hidden-arguments")
    default = _default_memory(devices)
    for sharding in jax.tree.leaves((compiled.input_shardings, compiled.output_shardings)):
        if sharding.memory_kind not in (None, default):
            raise CannotCarry("memory-space", sharding.memory_kind)
    for layout, shape in internals.layouts(compiled):
        if list(layout.major_to_minor) != sorted(layout.major_to_minor):
            raise CannotCarry("layout", f"{list(shape)} as {layout.major_to_minor}")


def _default_memory(devices: tuple[jax.Device, ...]) -> str:
    here = [device for device in devices if device.process_index == jax.process_index()]
    try:
        return here[0].default_memory().kind
    except (IndexError, jax.errors.JaxRuntimeError):  # devices of others, or devices that are not there at all
        return "device"


def check_text(text: str) -> None:
    """`text`: the module right after partitioning."""
    header = text.partition("\n")[0]
    replicas = re.search(r"\breplica_count=(\d+)", header)
    if replicas and replicas[1] != "1":
        raise CannotCarry("replicas", f"{replicas[1]} of them")
    bounded = re.search(r"\w+\[[^\]]*<=[^\]]*\]", re.sub(r"sharding=\{.*?\}", "", header))
    if bounded:
        raise CannotCarry("dynamic-shape", bounded[0])
    for reason, pattern in (("memory-space", _PLACEMENT), ("host-call", _HOST_OPCODE),
                            ("host-call", _CALLBACK), ("host-call", _SIDE_EFFECT)):
        found = pattern.search(text)
        if found:
            raise CannotCarry(reason, next(filter(None, found.groups())))
