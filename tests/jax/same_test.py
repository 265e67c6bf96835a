#!/usr/bin/env python3
"""Programs that went to flipsat and back compute the same, bit for bit, in arrays of the same kind."""

import collections
import unittest

import case
import flipsat
import flipsat.jax
import jax
from programs import GAINS, PROGRAMS

COUNTS = collections.Counter()


def is_weak(array):
    return getattr(array, "weak_type", False)  # keys have none


class SameTest(unittest.TestCase):
    def check(self, name):
        jitted, args, kwargs = PROGRAMS[name]
        # Without rules that rest on the order of a sum, so that bits may be compared.
        optimized = flipsat.jax.optimize(jitted, *args, options=flipsat.Options(bitwise=True), **kwargs)
        self.assertTrue(optimized.partitioned_text.startswith("HloModule jit_"))
        COUNTS["programs"] += 1
        # What flipsat did not change would run as it was: so it is carried without changes as well.
        there_and_back = optimized.with_text(optimized.partitioned_text)
        expected = jitted(*case.copies(args), **case.copies(kwargs))
        for title, function in (("optimized", optimized), ("unchanged", there_and_back)):
            self.assertTrue(comparison := function.compare(*args, **kwargs), f"{name}, {title}: {comparison}")
            results = function(*case.copies(args), **case.copies(kwargs))
            self.assertEqual(jax.tree.structure(results), jax.tree.structure(expected))
            for result, other in zip(jax.tree.leaves(results), jax.tree.leaves(expected)):
                self.assertEqual(result.sharding, other.sharding)
                self.assertEqual((str(jax.typeof(result)), is_weak(result), result.committed),
                                 (str(jax.typeof(other)), is_weak(other), other.committed))
                COUNTS["results"] += 1
        if name in GAINS:
            default = flipsat.jax.optimize(jitted, *args, **kwargs)
            self.assertTrue(default.result.changed, name)
            self.assertNotEqual(default.optimized_text, default.partitioned_text)
            COUNTS["changed where sums may come in another order"] += 1
            COUNTS["of these bit-exact"] += bool(default.compare(*args, **kwargs))

    @classmethod
    def tearDownClass(cls):
        print("\ncounted: flipsat.jax: " + ", ".join(f"{count} {what}" for what, count in COUNTS.items()))


for program in PROGRAMS:
    setattr(SameTest, f"test_{program}", lambda self, name=program: self.check(name))

if __name__ == "__main__":
    unittest.main()
