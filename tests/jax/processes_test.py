#!/usr/bin/env python3
"""Two processes with two devices each come to the same program, and it computes the same."""

import json
import socket
import unittest

import case

PROGRAM = """
    import hashlib, json, sys
    import jax
    jax.distributed.initialize(sys.argv[1], 2, int(sys.argv[2]))
    import flipsat, flipsat.jax, numpy as np
    import jax.numpy as jnp
    from jax import lax
    from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

    mesh = Mesh(np.array(jax.devices())[[2, 0, 3, 1]], ("x",))

    def array(shape, seed):
        values = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
        return jax.make_array_from_callback(shape, NamedSharding(mesh, P("x")), lambda index: values[index])

    def loss_of(w, x):
        gather = jax.shard_map(lambda w: lax.all_gather(w, "x", tiled=True).astype(jnp.float16), mesh=mesh,
                               in_specs=P("x"), out_specs=P(), check_vma=False)
        return jnp.mean((x.astype(jnp.float16) @ gather(w)).astype(jnp.float32) ** 2)

    arguments = array((64, 32), 0), array((16, 64), 1)
    jitted = jax.jit(jax.value_and_grad(loss_of))
    optimized = flipsat.jax.optimize(jitted, *arguments, options=flipsat.Options(bitwise=True))
    wrong = optimized.optimized_text.replace(" maximum(", " minimum(").replace(" multiply(", " add(")
    print(json.dumps({
        "process": jax.process_index(), "changed": optimized.result.changed,
        "text": hashlib.sha256(optimized.optimized_text.encode()).hexdigest(),
        "equal": bool(optimized.compare(*arguments)),
        "unchanged": bool(optimized.with_text(optimized.partitioned_text).compare(*arguments)),
        "wrong": bool(optimized.with_text(wrong).compare(*arguments)),
    }))
    """


class ProcessesTest(unittest.TestCase):
    def test_two(self):
        with socket.socket() as probe:
            probe.bind(("localhost", 0))
            address = f"localhost:{probe.getsockname()[1]}"
        children = [case.child(PROGRAM, address, rank, XLA_FLAGS="--xla_force_host_platform_device_count=2")
                    for rank in range(2)]
        said = [each.communicate(timeout=600)[0] for each in children]
        records = []
        for text in said:
            lines = [line for line in text.splitlines() if line.startswith("{")]
            self.assertEqual(len(lines), 1, text)
            records.append(json.loads(lines[0]))
        self.assertEqual({record.pop("process") for record in records}, {0, 1})
        self.assertEqual(records[0], records[1])
        del records[0]["text"]
        self.assertEqual(records[0], {"changed": True, "equal": True, "unchanged": True, "wrong": False})


if __name__ == "__main__":
    unittest.main()
