#!/usr/bin/env python3
"""How the function that flipsat.jax.optimize returns is called, and with what it is not."""

import functools
import os
import pathlib
import re
import tempfile
import unittest
import warnings

import case
import flipsat
import flipsat.jax
import jax
import jax.numpy as jnp
import numpy as np
from case import ALL, P, on
from jax import lax
from jax.experimental.compilation_cache import compilation_cache
from programs import PROGRAMS


def function(x, w, *, scale=1.0):
    """Gathers, then casts: there is something to gain."""
    full = jax.shard_map(lambda w: lax.all_gather(w, "x", tiled=True).astype(jnp.float16), mesh=ALL, in_specs=P("x"),
                         out_specs=P(), check_vma=False)(w)
    return {"y": x.astype(jnp.float16) @ full * scale, "x": x}


X, W = case.array((16, 64), on(ALL, "x")), case.array((64, 32), on(ALL, "x"), seed=1)
JITTED = jax.jit(function, static_argnames="scale")


def opcodes(text):
    return sorted(re.findall(r"= (\w+)\[\S* (all-\w+|reduce-scatter)\(", text))


def equal(one, other):
    return jax.tree.all(jax.tree.map(lambda a, b: bool((np.asarray(a) == np.asarray(b)).all()), one, other))


class CallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.optimized = flipsat.jax.optimize(JITTED, X, W, scale=2.0)
        cls.expected = JITTED(X, W, scale=2.0)
        cls.unchanged = flipsat.jax.optimize(JITTED, X, W, scale=2.0, options=flipsat.Options(min_gain=100))

    def raises(self, words, *args, function=None, **kwargs):
        with self.assertRaisesRegex(TypeError, words):
            (function or self.optimized)(*args, **kwargs)

    def test_what_it_tells(self):
        optimized = self.optimized
        self.assertTrue(optimized.result.changed)
        self.assertIn(optimized.headline, repr(optimized))
        self.assertEqual(optimized.headline, optimized.result.headline)
        self.assertEqual((optimized.__name__, optimized.__doc__), ("function", function.__doc__))
        self.assertEqual(opcodes(optimized.partitioned_text), [("f32", "all-gather")])
        self.assertEqual(opcodes(optimized.optimized_text), [("f16", "all-gather")])
        self.assertEqual(opcodes(optimized.original.as_text()), [("f32", "all-gather")])
        final = optimized.lower(X, W, scale=2.0).compile().as_text()
        self.assertEqual(opcodes(final), [("f16", "all-gather")])
        self.assertTrue(final.startswith("HloModule jit_function,"))

    def test_unchanged(self):
        """Where nothing is gained the original runs, with everything that it can do."""
        self.assertFalse(self.unchanged.result.changed)
        self.assertEqual(self.unchanged.optimized_text, self.unchanged.partitioned_text)
        self.assertTrue(equal(self.unchanged(X, W, scale=2.0), self.expected))
        self.assertTrue(self.unchanged.compare(X, W, scale=2.0))
        self.assertEqual(opcodes(self.unchanged.lower(X, W, scale=2.0).compile().as_text()), [("f32", "all-gather")])
        gradient = jax.grad(lambda w: self.unchanged(X, w, scale=2.0)["y"].sum().astype(jnp.float32))(W)
        self.assertEqual(gradient.shape, W.shape)
        self.raises("static arguments", X, W, scale=3.0, function=self.unchanged)

    def test_other_arguments(self):
        self.raises(r"args\[0\] was float32\[16, 64\] when the program was made, and is float32\[8, 64\]",
                    np.ones((8, 64), np.float32), W, scale=2.0)
        self.raises(r"args\[1\] was float32\[64, 32\].* is int32\[64, 32\]", X, W.astype(jnp.int32), scale=2.0)
        self.raises(r"args\[1\] had the sharding .*'x',.* has .*None, 'x'", X, jax.device_put(W, on(ALL, None, "x")),
                    scale=2.0)
        self.raises("static arguments {'scale': 2.0} and is called with {}", X, W)
        self.raises("arguments like", X, scale=2.0)
        self.raises("arguments like", X, {"w": W}, scale=2.0)
        with self.assertRaises(TypeError):
            self.optimized.lower(X, np.ones(3, np.float32), scale=2.0)

    def test_arguments_that_are_put_in_place(self):
        for x in (np.asarray(X), jnp.asarray(np.asarray(X))):  # neither is committed
            results = self.optimized(x, W, scale=2.0)
            self.assertTrue(equal(results, self.expected))
            self.assertEqual(results["y"].sharding, self.expected["y"].sharding)

    def test_shapes_in_place_of_arrays(self):
        shapes = [jax.ShapeDtypeStruct(value.shape, value.dtype, sharding=value.sharding) for value in (X, W)]
        optimized = flipsat.jax.optimize(JITTED, *shapes, scale=2.0)
        self.assertEqual(opcodes(optimized.optimized_text), [("f16", "all-gather")])
        self.assertTrue(equal(optimized(X, W, scale=2.0), self.expected))
        self.assertEqual(opcodes(optimized.lower(*shapes, scale=2.0).compile().as_text()), [("f16", "all-gather")])

    def test_inside_of_jit_and_scan(self):
        outer = jax.jit(lambda x, w: self.optimized(2 * x, w, scale=2.0)["y"] + 1)
        self.assertTrue(equal(outer(X, W), JITTED(2 * X, W, scale=2.0)["y"] + 1))
        self.assertIn(("f16", "all-gather"), opcodes(outer.lower(X, W).compile().as_text()))
        half = jax.jit(lambda x, w: self.optimized(x[:8], w, scale=2.0))
        self.raises(r"args\[0\] was", X, W, function=half)

        def body(x, _):
            return self.optimized(x, W, scale=2.0)["x"] * 2, None
        self.assertTrue(equal(lax.scan(body, X, None, length=3)[0], 8 * X))

    def test_no_derivatives(self):
        def loss(w):
            return self.optimized(X, w, scale=2.0)["y"].astype(jnp.float32).sum()
        for differentiated in (jax.grad(loss), jax.jit(jax.grad(loss))):
            self.raises("function has no derivative: differentiate first", W, function=differentiated)
        self.raises("no derivative", loss, (W,), (W,), function=jax.jvp)
        with self.assertRaisesRegex(NotImplementedError, "[Bb]atching"):
            jax.vmap(lambda x: self.optimized(x, W, scale=2.0))(jnp.stack([X, X]))

    def test_explicit_axes(self):
        jitted, (w, x), _ = PROGRAMS["explicit"]
        optimized = flipsat.jax.optimize(jitted, w, x)
        outer = jax.jit(lambda w, x: optimized(2 * w, x))
        self.assertTrue(optimized.result.changed)
        self.assertTrue(equal(outer(w, x), jitted(2 * w, x)))
        self.assertEqual(jax.typeof(outer(w, x)), jax.typeof(jitted(w, x)))

    def test_donation(self):
        jitted, (parameters, x), _ = PROGRAMS["fsdp_step"]
        optimized = flipsat.jax.optimize(jitted, parameters, x)
        for run in (jitted, optimized):
            given = case.copies(parameters)
            run(given, x)
            self.assertTrue(all(leaf.is_deleted() for leaf in jax.tree.leaves(given)))
            self.assertFalse(x.is_deleted())
        self.assertIn("input_output_alias={ {0}", optimized.lower(parameters, x).compile().as_text())
        optimized.compare(parameters, x)
        self.assertFalse(any(leaf.is_deleted() for leaf in jax.tree.leaves(parameters)))

    def test_options(self):
        with self.assertRaises(flipsat.UsageError):
            flipsat.jax.optimize(JITTED, X, W, options=flipsat.Options(machine="abacus"))
        only = flipsat.jax.optimize(JITTED, X, W, options=flipsat.Options(disable=["gather-convert"]))
        self.assertEqual(opcodes(only.optimized_text), [("f32", "all-gather")])

    def test_what_is_no_jitted_function(self):
        class Model:
            @functools.partial(jax.jit, static_argnums=0)
            def apply(self, x):
                return x * 2 + x.sum()
        self.raises("is a method", Model().apply, X, function=flipsat.jax.optimize)
        self.assertTrue(flipsat.jax.optimize(Model.apply, model := Model(), X).compare(model, X))
        self.raises("not what jax.jit returns", function, X, W, function=flipsat.jax.optimize)
        self.raises("not what jax.jit returns", JITTED.lower(X, W), X, W, function=flipsat.jax.optimize)
        self.raises("call it outside", X, W, function=jax.jit(lambda x, w: flipsat.jax.optimize(JITTED, x, w)(x, w)))

    def test_static_arguments_from_the_end(self):
        jitted = jax.jit(lambda x, *powers: x ** powers[-1] + x.sum(), static_argnums=-1)
        optimized = flipsat.jax.optimize(jitted, X, 5, 3)
        self.assertTrue(equal(optimized(X, 5, 3), jitted(X, 5, 3)))
        self.assertTrue(optimized.compare(X, 6, 3))
        self.raises("static arguments", X, 5, 2, function=optimized)

    def test_nothing_is_left_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            tempfile.tempdir = folder
            try:
                flipsat.jax.optimize(JITTED, X, W, scale=5.0)
                with self.assertRaises(flipsat.jax.CannotCarry):
                    flipsat.jax.optimize(jax.jit(lambda x: x), np.ones(3))
            finally:
                tempfile.tempdir = None
            self.assertEqual(os.listdir(folder), [])

    def test_persistent_compilation_cache(self):
        """What comes from there leaves no dump; and what we compile for a dump does not go there."""
        with tempfile.TemporaryDirectory() as folder:
            settings = {"jax_compilation_cache_dir": folder, "jax_persistent_cache_min_compile_time_secs": 0,
                        "jax_persistent_cache_min_entry_size_bytes": -1}
            before = {name: getattr(jax.config, name) for name in settings}
            for name, value in settings.items():
                jax.config.update(name, value)
            try:
                compilation_cache.reset_cache()
                # Of the options that we compile with, the only one that tells entries apart.
                fresh = jax.jit(lambda x, w: function(x, w, scale=7.0),
                                compiler_options={"xla_dump_large_constants": True})
                fresh(X, W)["y"].block_until_ready()
                entries = {path.name for path in pathlib.Path(folder).glob("*-cache")}
                self.assertTrue(entries)
                for _ in range(2):
                    jax.clear_caches()
                    optimized = flipsat.jax.optimize(fresh, X, W, options=flipsat.Options(min_gain=100))
                    self.assertEqual(opcodes(optimized.partitioned_text), [("f32", "all-gather")])
                self.assertEqual({path.name for path in pathlib.Path(folder).glob("*-cache")}, entries)
            finally:
                for name, value in before.items():
                    jax.config.update(name, value)
                compilation_cache.reset_cache()


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of donated arguments that no result can take
    unittest.main()
