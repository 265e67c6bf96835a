"""Why a program cannot be carried from JAX to flipsat and back."""

from __future__ import annotations

REASONS = {
    "one-device": "the program runs on one device: it has no collectives",
    "replicas": "it is compiled for replicas and not for partitions of one program",
    "effects": "it has effects: prints, callbacks, ordered tokens, references that are read or written",
    "host-call": "it calls the host: a callback, infeed, outfeed, send, receive or another call with a side effect",
    "hidden-arguments": "arrays that it closes over are passed as arguments (jax_use_simplified_jaxpr_constants)",
    "memory-space": "an argument, a result or a value lives outside the devices' default memory",
    "layout": "an argument or a result has a layout of its own",
    "sharding": "its shardings are not splits of dimensions along the axes of one mesh",
    "dynamic-shape": "a shape is not known when it is compiled",
    "no-partitioned-text": "XLA wrote no module after partitioning, or several",
    "stablehlo": "the module cannot be said in StableHLO, which is the way back into JAX",
    "jax-version": "this version of JAX lacks something that is needed",
}
"""docs/jax.md has the same table."""


class CannotCarry(ValueError):
    """A program that JAX runs and that cannot be taken to flipsat and back."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {REASONS[reason]}" + (f" ({detail})" if detail else ""))
        self.reason = reason
        """A key of REASONS."""
        self.detail = detail
        """What was found, where there is more to say; it may change."""
