"""Two training steps of a small transformer under fully sharded data parallelism, on eight devices of
the CPU, as JAX compiles them and as flipsat rearranges their collectives.

    python examples/jax_fsdp.py

Every parameter and both moments of its optimizer are sharded over all devices; layers are scanned, the
gradient is clipped by its global norm. The losses must be equal to the last bit, and fewer bytes must go
over the wire, both in flipsat's model and in what XLA makes of its program; else the exit status is 1.
"""

import os
import sys

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec

import flipsat
import flipsat.jax

LAYERS, WIDTH, HIDDEN, HEADS, VOCABULARY, BATCH, LENGTH = 3, 128, 256, 4, 256, 16, 32

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def sharded(*spec):
    return NamedSharding(mesh, PartitionSpec(*spec))


def initial_parameters(rng):
    def normal(*shape):
        return (rng.standard_normal(shape) / np.sqrt(shape[-2])).astype(np.float32)
    layers = {
        "qkv": normal(LAYERS, WIDTH, 3 * WIDTH),
        "attention_out": normal(LAYERS, WIDTH, WIDTH),
        "up": normal(LAYERS, WIDTH, HIDDEN),
        "down": normal(LAYERS, HIDDEN, WIDTH),
        "gains": np.ones((LAYERS, 2, WIDTH), np.float32),
    }
    return {"embedding": normal(VOCABULARY, WIDTH), "layers": layers}


def shardings_of(parameters):
    return {"embedding": sharded("data"),
            "layers": {name: sharded(None, *[None] * (value.ndim - 2), "data") if name == "gains"
                       else sharded(None, "data") for name, value in parameters["layers"].items()}}


def normalized(x, gain):
    wide = x.astype(jnp.float32)
    return (wide * jax.lax.rsqrt(jnp.mean(wide * wide, -1, keepdims=True) + 1e-6) * gain).astype(x.dtype)


def layer(x, weights):
    weights = {name: value.astype(jnp.bfloat16) for name, value in weights.items()}
    qkv = normalized(x, weights["gains"][0]) @ weights["qkv"]
    q, k, v = (part.reshape(*x.shape[:2], HEADS, -1) for part in jnp.split(qkv, 3, axis=-1))
    mixed = jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(x.shape)
    x = x + mixed @ weights["attention_out"]
    hidden = jax.nn.gelu(normalized(x, weights["gains"][1]) @ weights["up"])
    return x + hidden @ weights["down"]


def loss_of(parameters, tokens):
    embedding = parameters["embedding"].astype(jnp.bfloat16)
    x = jax.lax.with_sharding_constraint(embedding[tokens[:, :-1]], sharded("data"))
    x, _ = jax.lax.scan(lambda x, weights: (layer(x, weights), None), x, parameters["layers"])
    logits = (x @ embedding.T).astype(jnp.float32)
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), tokens[:, 1:, None], axis=-1)
    return -jnp.mean(chosen)


def train_step(state, tokens):
    loss, gradient = jax.value_and_grad(loss_of)(state["parameters"], tokens)
    norm = jnp.sqrt(sum(jnp.sum(part * part) for part in jax.tree.leaves(gradient)))
    scale = jnp.minimum(1.0, 1.0 / norm)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * scale * g, state["first"], gradient)
    second = jax.tree.map(lambda m, g: 0.99 * m + 0.01 * (scale * g) ** 2, state["second"], gradient)
    parameters = jax.tree.map(lambda p, m, v: p - 1e-2 * m / (jnp.sqrt(v) + 1e-6),
                              state["parameters"], first, second)
    return {"parameters": parameters, "first": first, "second": second}, loss


def two_steps(step, state, tokens):
    losses = []
    for _ in range(2):
        state, loss = step(state, tokens)
        losses.append(float(loss))
    return state, losses


def collectives(compiled):
    """What is left after all of XLA's passes."""
    return flipsat.stats(flipsat.Module.parse(compiled.as_text(), name="final HLO"))


def main():
    rng = np.random.default_rng(0)
    parameters = initial_parameters(rng)
    shardings = shardings_of(parameters)
    state_shardings = {name: shardings for name in ("parameters", "first", "second")}
    zeros = jax.tree.map(np.zeros_like, parameters)

    def new_state():
        return jax.device_put({"parameters": parameters, "first": zeros, "second": zeros}, state_shardings)
    tokens = jax.device_put(rng.integers(0, VOCABULARY, (BATCH, LENGTH + 1), dtype=np.int32), sharded("data"))

    step = jax.jit(train_step, out_shardings=(state_shardings, sharded()), donate_argnums=0)
    optimized = flipsat.jax.optimize(step, new_state(), tokens)
    print(optimized.headline)

    before, losses_before = two_steps(step, new_state(), tokens)
    after, losses_after = two_steps(optimized, new_state(), tokens)
    print("losses of JAX:     ", *losses_before)
    print("losses of flipsat: ", *losses_after)
    equal = jax.tree.map(lambda one, other: bool((np.asarray(one) == np.asarray(other)).all()), before, after)
    print("all parameters and moments equal:", all(jax.tree.leaves(equal)))

    modelled = [getattr(optimized.result, side).executed.wire_bytes for side in ("input", "output")]
    print("wire bytes of a step, a device:", *modelled)
    final = [collectives(optimized.original),
             collectives(optimized.lower(new_state(), tokens).compile())]
    for title, stats in zip(("JAX", "flipsat"), final):
        print(f"\nafter XLA's later passes, {title}:\n{stats.text}")
    compiled = [stats.report["program"]["executed"]["wire_bytes"] for stats in final]

    good = (losses_before == losses_after and all(jax.tree.leaves(equal)) and np.isfinite(losses_after).all()
            and losses_after[1] < losses_after[0] and modelled[1] < modelled[0] and compiled[1] < compiled[0])
    print("equal losses, fewer bytes" if good else "FAILED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
