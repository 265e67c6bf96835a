#!/usr/bin/env python3
"""`compare` sees that another program runs: each of these is a slip that an optimizer could make."""

import re
import unittest

import case
import flipsat
import flipsat.jax
import jax
import jax.numpy as jnp
from case import ALL, on
from jax import lax


@jax.jit
def function(x, w):
    full = lax.with_sharding_constraint(w, on(ALL))
    product = lax.with_sharding_constraint(x @ full, on(ALL, "x"))
    return product, jnp.sum(x), jnp.max(x, 0), x.sum(1).astype(jnp.bfloat16)


ARGUMENTS = case.array((16, 32), on(ALL, "x")), case.array((32, 8), on(ALL, "x"), seed=1)


class WrongTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.optimized = flipsat.jax.optimize(function, *ARGUMENTS)
        cls.text = cls.optimized.partitioned_text

    def differing(self, pattern, replacement):
        """The places of the results that differ after a change of the text; all others are equal."""
        text, count = re.subn(pattern, replacement, self.text, count=1, flags=re.M)
        self.assertEqual(count, 1, self.text)
        comparison = self.optimized.with_text(text).compare(*ARGUMENTS)
        different = [name for name, distance in comparison.distances.items() if not distance.equal]
        self.assertEqual(bool(comparison), not different)
        self.assertEqual(len(comparison.distances), 4)
        for name in different:
            self.assertIn(f"{name}: ", str(comparison))
        return different

    def test_nothing(self):
        self.assertEqual(self.differing(r"\A", ""), [])

    def test_the_other_half_is_gathered(self):
        self.assertEqual(self.differing(
            r"^(  %all-gather\S* = f32\[32,8\].*replica_groups=)mesh\[.*?\] \{.*?\}", r"\1{{4,5,6,7,0,1,2,3}}"),
            ["[0]"])

    def test_half_of_the_devices_are_summed(self):
        self.assertEqual(self.differing(
            r"^(  %all-reduce\S* = f32\[\] .*replica_groups=)mesh\[.*?\] \{.*?\}", r"\1{{0,1,2,3},{4,5,6,7}}"),
            ["[1]"])

    def test_a_minimum_for_a_maximum(self):
        self.assertEqual(self.differing(r"^(  ROOT %\S+ = f32\[\] )maximum", r"\1minimum"), ["[2]"])

    def test_a_rounding(self):
        self.assertEqual(self.differing(
            r"^  (%\S+)( = f32\[2,8\]\S* )dot\((.*)$",
            r"  \1.wide\2dot(\3\n  \1.narrow = bf16[2,8]{1,0} convert(\1.wide)\n  \1\2convert(\1.narrow)"), ["[0]"])

    def test_on_one_device(self):
        """Where a result is replicated, the copy that is shown first may be right."""
        self.assertEqual(self.differing(
            r"^  (%all-reduce\S*)( = f32\[\] )(all-reduce\(.*)$",
            r"  \1.sum\2\3\n  \1.id = u32[] partition-id()\n  \1.seven = u32[] constant(7)\n"
            r"  \1.last = pred[] compare(\1.id, \1.seven), direction=EQ\n  \1.minus\2negate(\1.sum)\n"
            r"  \1\2select(\1.last, \1.minus, \1.sum)"), ["[1]"])

    def test_other_arguments(self):
        with self.assertRaisesRegex(ValueError, "shapes"):
            self.optimized.with_text(self.text.replace("[2,32]", "[2,16]"))

    def test_not_a_module(self):
        with self.assertRaisesRegex(flipsat.jax.CannotCarry, "stablehlo"):
            self.optimized.with_text(self.text.replace(" dot(", " pot("))


if __name__ == "__main__":
    unittest.main()
