"""`flipsat verify`: same, different, or not to be told."""

import os
import sys
import unittest
import unittest.mock

from runner import BROKEN, DONE, EXAMPLES, GAINS, INPUT, NO, NOT_CHECKED, USAGE, ToolTest

FLIPPED = """HloModule flipped, num_partitions=4

ENTRY main {
  shard = f32[64,256] parameter(0)
  half = bf16[64,256] convert(shard)
  ROOT full = bf16[256,256] all-gather(half), channel_id=7, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true
}
"""
# The members of the group in another order: another arrangement of the shards.
REORDERED = FLIPPED.replace("{{0,1,2,3}}", "{{1,0,2,3}}")

MYSTERY = """HloModule mystery

ENTRY main {
  x = f32[8] parameter(0)
  ROOT y = f32[8] custom-call(x), custom_call_target="TARGET"
}
"""


class Verify(ToolTest):
    def verify(self, before, after, status, *arguments):
        return self.run_flipsat("verify", self.write("a.hlo", before), self.write("b.hlo", after),
                                *arguments, status=status)

    def test_same(self):
        for how in [[], ["--with", "symbolic"], ["--with", "numbers"], ["--verify", "full"]]:
            with self.subTest(how):
                self.assertIn("the same", self.verify(GAINS, FLIPPED, DONE, *how).stdout)

    def test_different(self):
        for how in [[], ["--with", "symbolic"], ["--with", "numbers"]]:
            with self.subTest(how):
                self.assertIn("differ", self.verify(GAINS, REORDERED, NO, *how).stdout)

    def test_a_difference_is_measured_on_numbers(self):
        self.assertRegex(self.verify(GAINS, REORDERED, NO).stdout,
                         r"on numbers: \d+ of 262144 elements differ")

    def test_not_to_be_told(self):
        other = MYSTERY.replace("TARGET", "OTHER")
        for how in [[], ["--with", "symbolic"], ["--with", "numbers"]]:
            with self.subTest(how):
                self.assertIn("not checked", self.verify(MYSTERY, other, NOT_CHECKED, *how).stdout)

    def test_equal_custom_calls_are_equal(self):
        self.verify(MYSTERY, MYSTERY, DONE)

    def test_other_shapes_differ_but_other_layouts_do_not(self):
        self.verify(GAINS, GAINS.replace("f32[64,256] parameter", "f32[64,256]{0,1} parameter"),
                    DONE)
        for how in [[], ["--with", "symbolic"], ["--with", "numbers"]]:
            self.verify(GAINS, MYSTERY, NO, *how)

    def test_report(self):
        self.verify(GAINS, REORDERED, NO, "--json", "v.json")
        report = self.read_json("v.json")
        self.assertEqual(report["answer"], "different")
        self.assertEqual(report["symbolic"]["differences"][0]["at"], "%full")
        self.assertGreater(report["numbers"]["differing"], 0)
        self.verify(GAINS, FLIPPED, DONE, "--json", "v.json")
        report = self.read_json("v.json")
        self.assertEqual(report["answer"], "same")
        self.assertEqual(report["symbolic"]["not_checked"], [])
        self.assertIsNone(report["numbers"])

    def test_without_jax_xla_cannot_tell_and_says_what_to_install(self):
        with unittest.mock.patch.dict(os.environ, {"FLIPSAT_PYTHON": "no-such-python"}):
            done = self.verify(GAINS, FLIPPED, NOT_CHECKED, "--with", "xla", "--json", "v.json")
        self.assertIn("no-such-python", done.stdout)
        self.assertFalse(self.read_json("v.json")["xla"]["ran"])
        # An interpreter that sees no packages but its own.
        bare = self.write("bare", f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
        bare.chmod(0o755)
        with unittest.mock.patch.dict(os.environ, {"FLIPSAT_PYTHON": str(bare)}):
            done = self.verify(GAINS, FLIPPED, NOT_CHECKED, "--with", "xla")
        self.assertIn("pip install jax", done.stdout)

    def test_what_xla_would_be_given(self):
        self.verify(GAINS, FLIPPED, DONE, "--with", "xla", "--write-pairs", "pairs")
        pairs = self.read_json("pairs/pairs.json")["pairs"]
        self.assertEqual([pair.get("excerpt", False) for pair in pairs], [False, True])
        self.assertEqual((self.folder / "pairs/whole.before.hlo").read_text(), GAINS)
        self.run_flipsat("verify", "pairs/excerpt0.before.hlo", "pairs/excerpt0.after.hlo")
        self.verify(GAINS, FLIPPED, USAGE, "--write-pairs", "pairs")

    def test_bad_input(self):
        self.verify(GAINS, BROKEN, INPUT)
        self.run_flipsat("verify", "gone.hlo", "gone.hlo", status=INPUT)

    def test_examples_against_their_optimized_selves(self):
        for module in EXAMPLES:
            with self.subTest(module.name):
                self.run_flipsat("optimize", module, "-o", "out.hlo", "--quiet")
                self.run_flipsat("verify", module, "out.hlo")


if __name__ == "__main__":
    unittest.main()
