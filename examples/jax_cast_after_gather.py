"""Weights that are gathered first and cast afterwards: what a program says whose author thinks of whole
weights, and what flipsat turns around.

    python examples/jax_cast_after_gather.py

Explicit sharding (the default of jax.make_mesh) does what it is told: `reshard` gathers float32, `astype`
narrows it then. flipsat casts each shard before it is gathered, which sends half the bytes and is the same
to the last bit. float16, because XLA's CPU backend has no bfloat16 collectives and would widen them again;
elsewhere bfloat16 does the same. The exit status is 1 where losses differ, where the flip did not fire, or
where XLA's later passes left a float32 gather of a weight.
"""

import os
import sys

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

import flipsat
import flipsat.jax

LAYERS, WIDTH, BATCH = 4, 256, 64

mesh = jax.make_mesh((8,), ("data",))
by_row, whole = (NamedSharding(mesh, PartitionSpec(*spec)) for spec in (("data",), ()))


def loss_of(weights, x, y):
    for weight in weights:
        weight = jax.sharding.reshard(weight, whole).astype(jnp.float16)
        x = jnp.tanh(x.astype(jnp.float16) @ weight)
    return jnp.mean((x.astype(jnp.float32) - y) ** 2)


def train_step(weights, x, y):
    loss, gradients = jax.value_and_grad(loss_of)(weights, x, y)
    return [weight - 10.0 * gradient for weight, gradient in zip(weights, gradients)], loss


def two_steps(step, weights, *batch):
    losses = []
    for _ in range(2):
        weights, loss = step(weights, *batch)
        losses.append(float(loss))
    return losses


def collectives(compiled):
    """What is left after all of XLA's passes: {"all-gather f16": how many}."""
    stats = flipsat.stats(flipsat.Module.parse(compiled.as_text(), name="final HLO"))
    counts = {}
    for key in stats.report["keys"]:
        name = f"{key['opcode']} {key['type']}"
        counts[name] = counts.get(name, 0) + key["count"]
    return counts, stats.report["program"]["executed"]["wire_bytes"]


def main():
    rng = np.random.default_rng(0)
    weights = [jax.device_put((rng.standard_normal((WIDTH, WIDTH)) / 16).astype(np.float32), by_row)
               for _ in range(LAYERS)]
    x, y = (jax.device_put(rng.standard_normal((BATCH, WIDTH)).astype(np.float32), by_row) for _ in range(2))

    step = jax.jit(train_step)
    optimized = flipsat.jax.optimize(step, weights, x, y)
    print(optimized.headline)
    flips = [change for change in optimized.result.changes if "gather-convert" in change.rules]
    for change in flips:
        print(f"  {change.at}: {', '.join(change.rules)}")

    losses = [two_steps(run, weights, x, y) for run in (step, optimized)]
    print("losses of JAX:     ", *losses[0])
    print("losses of flipsat: ", *losses[1])
    print("one step, compared:", optimized.compare(weights, x, y))
    before, bytes_before = collectives(optimized.original)
    after, bytes_after = collectives(optimized.lower(weights, x, y).compile())
    print("after XLA's later passes, JAX:    ", before, bytes_before, "wire bytes")
    print("after XLA's later passes, flipsat:", after, bytes_after, "wire bytes")

    good = (losses[0] == losses[1] and losses[0][1] < losses[0][0] and bool(optimized.compare(weights, x, y))
            and len(flips) >= LAYERS and before.get("all-gather f32", 0) >= LAYERS
            and after.get("all-gather f16", 0) >= LAYERS and "all-gather f32" not in after
            and bytes_after < bytes_before)
    print("equal losses, narrow gathers" if good else "FAILED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
