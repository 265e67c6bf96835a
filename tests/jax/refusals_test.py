#!/usr/bin/env python3
"""Programs that cannot be carried are refused with the reason."""

import os
import socket
import subprocess
import sys
import textwrap
import unittest

import case
import flipsat.jax
import jax
import numpy as np
from case import ALL, NamedSharding, P, on
from flipsat.jax import carriable, specs
from jax.experimental import io_callback
from jax.experimental.layout import Format, Layout

ROWS = case.array((64, 32), on(ALL, "x"))
SCALAR = jax.ShapeDtypeStruct((), np.float32)


class RefusalsTest(unittest.TestCase):
    def refused(self, reason, function, *args, **jit):
        jitted = jax.jit(function, **jit)
        with self.assertRaises(flipsat.jax.CannotCarry) as raised:
            flipsat.jax.optimize(jitted, *args)
        self.assertEqual(raised.exception.reason, reason)
        self.assertTrue(str(raised.exception).startswith(f"{reason}: {flipsat.jax.REASONS[reason]}"))
        return raised.exception

    def text_refused(self, reason, line, header=", num_partitions=8"):
        text = f"HloModule m{header}\n\nENTRY %main (p: f32[8]) -> f32[8] {{\n  %p = f32[8]{{0}} parameter(0)\n{line}\n}}\n"
        with self.assertRaises(flipsat.jax.CannotCarry) as raised:
            carriable.check_text(text)
        self.assertEqual(raised.exception.reason, reason)
        return raised.exception.detail

    def test_one_device(self):
        self.refused("one-device", lambda x: x + 1, np.ones(3))

    def test_effects(self):
        def ordered(x):
            return io_callback(np.asarray, SCALAR, x.sum(), ordered=True)

        def printing(x):
            jax.debug.print("{}", x.sum())
            return x
        self.assertEqual(self.refused("effects", ordered, ROWS).detail, "OrderedIOEffect")
        self.assertEqual(self.refused("effects", printing, ROWS).detail, "DebugEffect")
        reference = jax.new_ref(ROWS)
        self.assertEqual(self.refused("effects", lambda x: reference[...] + x, ROWS).detail, "ReadEffect")

    def test_host_calls(self):
        error = self.refused("host-call", lambda x: jax.pure_callback(np.asarray, SCALAR, x.sum()), ROWS)
        self.assertIn("callback", error.detail)
        self.assertEqual(self.text_refused(
            "host-call", "  %t = token[] after-all()\n  %i = (f32[8]{0}, token[]) infeed(%t)"), "infeed")
        self.assertEqual(self.text_refused("host-call", "  %o = token[] outfeed(%p, %t), outfeed_config=\"\""), "outfeed")
        self.assertEqual(self.text_refused("host-call", "  ROOT %c = f32[8]{0} custom-call(%p), "
                                           'custom_call_target="sends", custom_call_has_side_effect=true'), "sends")

    def test_memory_spaces(self):
        host = NamedSharding(ALL, P("x"), memory_kind="pinned_host")
        self.refused("memory-space", lambda x: x.sum(), jax.device_put(ROWS, host))
        self.refused("memory-space", lambda x: x * 2, ROWS, out_shardings=host)
        self.refused("memory-space", lambda x: jax.device_put(x, host), ROWS)
        self.assertEqual(self.text_refused("memory-space", "  ROOT %c = f32[8]{0:S(5)} copy(%p)"), "S(5)")

    def test_layouts(self):
        self.refused("layout", lambda x: x * 2, ROWS, out_shardings=Format(Layout((1, 0)), on(ALL, "x")))

    def test_replicas_and_dynamic_shapes(self):
        self.text_refused("replicas", "", ", replica_count=8")
        self.text_refused("dynamic-shape", "", ", entry_computation_layout={(f32[<=8]{0})->f32[]}, num_partitions=8")
        carriable.check_text("HloModule m, replica_count=1, num_partitions=8\n")

    def test_pmap(self):
        with self.assertRaisesRegex(TypeError, "not what jax.jit returns"):
            flipsat.jax.optimize(jax.pmap(lambda x: x), np.ones((8, 2), np.float32))

    def test_shardings(self):
        """Blocks that are dealt to devices out of any order that axes have."""
        mesh = jax.sharding.Mesh(np.array(jax.devices())[[1, 0, 2, 3, 4, 5, 6, 7]], ("x",))
        devices = tuple(jax.devices())
        with self.assertRaises(flipsat.jax.CannotCarry) as raised:
            specs.mesh_and_specs([NamedSharding(mesh, P("x"))], [(8,)], devices)
        self.assertEqual(raised.exception.reason, "sharding")

    def test_stablehlo(self):
        optimized = flipsat.jax.optimize(jax.jit(lambda x: x.sum()), ROWS)
        with self.assertRaises(flipsat.jax.CannotCarry) as raised:
            optimized.with_text(optimized.partitioned_text.replace("constant(0)", "constant({...})"))
        self.assertEqual((raised.exception.reason, raised.exception.detail),
                         ("stablehlo", "a constant is elided ({...})"))

    def test_hidden_arguments(self):
        child = case.child("""
            import jax, numpy as np, flipsat.jax
            sharding = jax.sharding.NamedSharding(jax.make_mesh((8,), ("x",)), jax.sharding.PartitionSpec("x"))
            table, x = np.ones((64, 32)), jax.device_put(np.ones((64, 32)), sharding)
            try:
                flipsat.jax.optimize(jax.jit(lambda x: x * table), x)
            except flipsat.jax.CannotCarry as error:
                print(error.reason)
            """, JAX_USE_SIMPLIFIED_JAXPR_CONSTANTS="1")
        self.assertEqual(child.communicate(timeout=300)[0].strip(), "hidden-arguments")

    def test_without_jax(self):
        child = case.child("""
            import sys
            sys.modules["jax"] = None
            import flipsat
            try:
                import flipsat.jax
            except ImportError as error:
                print(error)
            """)
        self.assertIn("flipsat.jax needs JAX (pip install", child.communicate(timeout=300)[0])


if __name__ == "__main__":
    unittest.main()
