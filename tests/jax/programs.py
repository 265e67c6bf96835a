"""Small programs of the kinds that people write: {name: (jitted, args, kwargs)}.

`GAINS` names those that flipsat must find something in.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from case import ALL, GRID, Mesh, NamedSharding, P, array, on

GAINS = {"fsdp_step", "scan", "grid", "mixed_meshes", "shard_map", "shard_map_grid", "explicit", "hybrid",
         "accumulation"}

PROGRAMS = {}
TABLE = np.arange(64 * 64, dtype=np.float32).reshape(64, 64) / 1000


def program(*args, jit=None, name=None, **kwargs):
    def add(function):
        PROGRAMS[name or function.__name__] = jax.jit(function, **(jit or {})), args, kwargs
        return function
    return add


def whole(x):
    return lax.with_sharding_constraint(x, on(ALL))


ROWS = array((64, 32), on(ALL, "x"))
NARROW = array((64, 32), on(ALL, "x"), jnp.bfloat16)
TILES = array((64, 32), on(GRID, "a", "b"))
NUMBERS = jax.device_put(np.arange(64 * 32, dtype=np.int32).reshape(64, 32)[::-1] * 7 % 1000, on(ALL, "x"))


@program({"w": ROWS, "v": array((32, 64), on(ALL, None, "x"))}, array((16, 64), on(ALL, "x"), jnp.bfloat16),
         jit=dict(donate_argnums=0, out_shardings=({"w": on(ALL, "x"), "v": on(ALL, None, "x")}, on(ALL))))
def fsdp_step(parameters, x):
    def loss_of(parameters):
        hidden = jnp.tanh(x @ parameters["w"].astype(jnp.bfloat16))
        return jnp.mean((hidden @ parameters["v"].astype(jnp.bfloat16)).astype(jnp.float32) ** 2)
    loss, gradient = jax.value_and_grad(loss_of)(parameters)
    norm = jnp.sqrt(sum(jnp.sum(part * part) for part in jax.tree.leaves(gradient)))
    return jax.tree.map(lambda p, g: p - 0.1 * g / norm, parameters, gradient), loss


@program(ROWS)
def scan(x):
    return lax.scan(lambda carry, w: (jnp.tanh(carry @ w.T @ w), jnp.sum(carry)), x, jnp.stack([x, x * 2, x * 3]))


@program(ROWS)
def while_loop(x):
    return lax.while_loop(lambda state: (state[0] < 5) & (jnp.sum(state[1]) < 1e9),
                          lambda state: (state[0] + 1, state[1] * 1.5 + jnp.mean(state[1])), (0, x))


@program(ROWS)
def branches(x):
    return lax.cond(jnp.sum(x) > 0, lambda x: whole(x) @ x.T, lambda x: x @ whole(x).T - 1, x)


@program(TILES, jit=dict(out_shardings=(on(GRID, "a"), on(GRID, "b"), on(GRID))))
def grid(x):
    return x @ x.T, jnp.sum(x, 0), jnp.max(x)


_OTHER = Mesh(np.array(jax.devices()).reshape(2, 4), ("p", "q"))


@program(TILES, array((64, 32), NamedSharding(_OTHER, P("q", "p"))),
         jit=dict(out_shardings=(on(ALL, "x"), NamedSharding(_OTHER, P("p")))))
def mixed_meshes(x, y):
    return x + y, (x * y).sum(0)


_SHUFFLED = Mesh(np.array(jax.devices())[[3, 1, 2, 0, 7, 6, 5, 4]], ("x",))


@program(array((64, 32), NamedSharding(_SHUFFLED, P("x"))))
def shuffled_devices(x):
    return lax.with_sharding_constraint(x, NamedSharding(_SHUFFLED, P(None, "x"))) @ x.T, x.sum()


_SIX = Mesh(np.array(jax.devices()[:6]).reshape(3, 2), ("p", "q"))


@program(array((6, 12), NamedSharding(_SIX, P("q", "p"))))
def six_devices(x):
    return x.sum(0), x @ x.T


@program(ROWS)
def shard_map(x):
    def body(x):
        gathered = lax.all_gather(x, "x", tiled=True).astype(jnp.bfloat16)
        scattered = lax.psum_scatter(gathered.astype(jnp.float32) * lax.axis_index("x"), "x", tiled=True)
        return (lax.psum(x, "x"), scattered, lax.ppermute(x, "x", [(i, (i + 1) % 8) for i in range(8)]),
                lax.all_to_all(x, "x", 1, 0, tiled=True), lax.axis_index("x")[None])
    return jax.shard_map(body, mesh=ALL, in_specs=P("x"), out_specs=(P(), P("x"), P("x"), P("x"), P("x")))(x)


@program(TILES)
def shard_map_grid(x):
    def body(x):
        return (lax.psum(x, "a"), lax.all_gather(x, ("b", "a"), tiled=True)[None, None], lax.pmax(x, ("a", "b")),
                lax.psum(lax.all_gather(x, "b", axis=1, tiled=True), "a")[None, None])
    out_specs = P(None, "b"), P("a", "b"), P(), P("a", "b")
    return jax.shard_map(body, mesh=GRID, in_specs=P("a", "b"), out_specs=out_specs, check_vma=False)(x)


@program(TILES, array((32, 16), on(GRID, "b")), jit=dict(out_shardings=on(GRID, "b")))
def hybrid(x, w):
    return jax.grad(lambda w: jnp.sum(jnp.sin(x @ w)))(w)


@program(ROWS, array((4, 16, 64), on(ALL, None, "x")), jit=dict(out_shardings=(on(ALL, "x"), on(ALL))))
def accumulation(w, batches):
    def loss_of(w, x):
        return jnp.mean(jnp.tanh(x.astype(jnp.bfloat16) @ w.astype(jnp.bfloat16)).astype(jnp.float32) ** 2)
    total, _ = lax.scan(lambda sums, x: (sums + jax.grad(loss_of)(w, x), None), jnp.zeros_like(w), batches)
    return w - total, jnp.linalg.norm(total)


@program(ROWS, ROWS * 2, ROWS + 1)
def ring_attention(q, k, v):
    turn = [(at, (at + 1) % 8) for at in range(8)]

    def body(q, k, v):
        def step(_, state):
            k, v, sums, top, total = state
            scores = q @ k.T
            above = jnp.maximum(top, scores.max(-1))
            weights, shrink = jnp.exp(scores - above[:, None]), jnp.exp(top - above)
            return (lax.ppermute(k, "x", turn), lax.ppermute(v, "x", turn), sums * shrink[:, None] + weights @ v,
                    above, total * shrink + weights.sum(-1))
        none = q[:, 0] * 0
        _, _, sums, _, total = lax.fori_loop(0, 8, step, (k, v, q * 0, none - 1e30, none))
        return sums / total[:, None]
    return jax.shard_map(body, mesh=ALL, in_specs=(P("x"),) * 3, out_specs=P("x"))(q, k, v)


_EXPLICIT = jax.make_mesh((8,), ("x",))


@program(array((64, 32), on(_EXPLICIT, "x")), array((16, 64), on(_EXPLICIT, "x")))
def explicit(w, x):
    weight = jax.sharding.reshard(w, on(_EXPLICIT)).astype(jnp.bfloat16)
    return x.astype(jnp.bfloat16) @ weight


@program(jax.random.key(0), ROWS, jax.device_put(jax.random.split(jax.random.key(1), 8), on(ALL, "x")))
def random_keys(key, x, keys):
    first, second = jax.random.split(key)
    draws = jax.vmap(lambda key: jax.random.uniform(key, (4,)))(keys)
    return jax.random.normal(first, (16, 8)) + jnp.sum(x), second, keys, draws


@program(NUMBERS)
def integers(numbers):
    return (jnp.sum(numbers, 0), whole(numbers.astype(jnp.int8)), numbers.astype(jnp.uint16).sum(),
            (numbers > 3).any(), numbers.astype(jnp.int4))


@program(NARROW)
def types(x):
    return (whole(x.astype(jnp.float32)).astype(jnp.bfloat16) @ x.T, x.sum(),
            jnp.dot(x, x.T, preferred_element_type=jnp.float32), x.astype(jnp.float8_e4m3fn),
            x.astype(jnp.complex64) * 1j)


@program(ROWS)
def many_operations(x):
    square = x.T @ x + 3 * jnp.eye(32)
    return (lax.erf(whole(x)), lax.top_k(whole(x), 3), jnp.argsort(x, 0), jnp.cumsum(x, 0),
            jnp.fft.rfft(x, axis=1).real, jnp.linalg.cholesky(square), jax.nn.softmax(x, 0),
            x.at[NUMBERS[0] % 64].add(1.0), lax.dynamic_slice(x, (NUMBERS[0, 0] % 3, 0), (8, 8)))


@program(ROWS)
def constants(x):
    return TABLE @ x, jnp.sum(x) + TABLE.sum(), ROWS * x


@program(ROWS, 3, jit=dict(static_argnums=1, static_argnames="scale"), scale=4.0,
         extra={"absent": None, "q": ROWS, "unused": ROWS[0]})
def arguments(x, count, *, scale=2.0, extra):
    return x * count * scale + extra["q"], {"sum": [x.sum(), None]}


@program(ROWS, np.ones((64, 32), np.float32), 2)
def not_on_devices(x, y, number):
    return x * y * number, number + 1, 3.0


@program(jit=dict(out_shardings=on(ALL)))
def no_arguments():
    return jnp.sum(lax.with_sharding_constraint(jnp.arange(64.0), on(ALL, "x")) * 2)


@program(ROWS)
def itself(x):
    return x, x, x[:0], {}


@program(ROWS, jit=dict(compiler_options={"xla_cpu_enable_fast_math": False}))
def with_compiler_options(x):
    return functools.reduce(jnp.add, [whole(x) * k for k in range(3)])
