#!/usr/bin/env python3
"""The examples hold what they promise, and fail where flipsat does nothing."""

import re
import subprocess
import sys
import unittest

import case

# Runs an example with a flipsat that never finds enough to gain.
_IDLE = """
import runpy, sys
import flipsat
optimize = flipsat.optimize
flipsat.optimize = lambda module, options=None: optimize(module, min_gain=100)
runpy.run_path(sys.argv[1], run_name="__main__")
"""


class ExamplesTest(unittest.TestCase):
    def run_example(self, name, status, *before):
        done = subprocess.run([sys.executable, "-B", *before, str(case.ROOT / "examples" / name)],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def test_fsdp(self):
        said = self.run_example("jax_fsdp.py", 0)
        losses = re.findall(r"^losses of \w+: +(\S+) (\S+)$", said, re.M)
        self.assertEqual(len(losses), 2, said)
        self.assertEqual(losses[0], losses[1])
        before, after = map(int, re.search(r"^wire bytes.*: (\d+) (\d+)$", said, re.M).groups())
        self.assertLess(after, before)
        jax, flipsat = re.findall(r"^after XLA's later passes, .*?(?=^after|\Z)", said, re.M | re.S)
        self.assertNotIn("reduce-scatter", jax)
        self.assertIn("reduce-scatter", flipsat)
        readme = " ".join((case.ROOT / "README.md").read_text(encoding="utf-8").split())
        self.assertIn(f" {100 * (before - after) / before:.0f} % fewer bytes go over the wire", readme)
        print(f"\ncounted: examples/jax_fsdp.py: {before} wire bytes of a step before, {after} after")

    def test_cast_after_gather(self):
        said = self.run_example("jax_cast_after_gather.py", 0)
        self.assertIn("equal losses, narrow gathers", said)

    def test_without_flipsat(self):
        self.assertIn("FAILED", self.run_example("jax_cast_after_gather.py", 1, "-c", _IDLE))


if __name__ == "__main__":
    unittest.main()
