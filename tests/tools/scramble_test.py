"""`flipsat scramble`: worse modules that compute the same."""

import gzip
import re
import unittest

from runner import BROKEN, INPUT, NO, NOTHING, ROOT, USAGE, ToolTest

LAYERS = ROOT / "examples" / "stacked_layers.hlo"


class Scramble(ToolTest):
    def test_computes_the_same_and_tells_its_steps(self):
        done = self.run_flipsat("scramble", LAYERS, "-o", "s.hlo")
        steps, rules = re.match(r"seed 1: (\d+) steps by (\d+) rules: ", done.stdout).groups()
        self.assertGreaterEqual(int(steps), 20)
        self.assertGreaterEqual(int(rules), 5)
        self.assertNotEqual((self.folder / "s.hlo").read_text(), LAYERS.read_text())
        self.assertIn("the same", self.run_flipsat("verify", LAYERS, "s.hlo").stdout)

    def test_the_same_seed_gives_the_same_bytes(self):
        for name, seed in [("a.hlo", 7), ("b.hlo", 7), ("c.hlo", 8)]:
            self.run_flipsat("scramble", LAYERS, "-o", name, "--seed", seed)
        texts = [(self.folder / name).read_bytes() for name in ["a.hlo", "b.hlo", "c.hlo"]]
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])

    def test_standard_streams(self):
        done = self.run_flipsat("scramble", "-", "-o", "-", "--steps", 2, stdin=LAYERS.read_text())
        self.assertIn("\nHloModule ", done.stdout)
        self.assertNotIn("seed 1: ", done.stdout)
        self.assertIn("seed 1: ", done.stderr)

    def test_several_seeds_into_a_folder(self):
        module = self.write("step.hlo.gz", gzip.compress(LAYERS.read_bytes()))
        done = self.run_flipsat("scramble", module, "-o", "out/deep", "--seed", 3, "--count", 2,
                                "--steps", 3)
        self.assertEqual([line.split(":")[0] for line in done.stdout.splitlines()],
                         ["seed 3", "seed 4"])
        self.assertEqual(self.files(), ["out/deep/step.3.hlo.gz", "out/deep/step.4.hlo.gz",
                                        "step.hlo.gz"])
        self.run_flipsat("scramble", LAYERS, "-o", "one.hlo", "--seed", 4, "--steps", 3)
        self.assertEqual(gzip.decompress((self.folder / "out/deep/step.4.hlo.gz").read_bytes()),
                         (self.folder / "one.hlo").read_bytes())

    def test_nothing_to_rewrite_is_said_and_nothing_written(self):
        done = self.run_flipsat("scramble", self.write("m.hlo", NOTHING), "-o", "s.hlo", status=NO)
        self.assertIn("only 0 steps could be made, nothing is written", done.stderr)
        self.assertEqual(self.files(), ["m.hlo"])

    def test_wrong_usage(self):
        self.run_flipsat("scramble", LAYERS, status=USAGE)
        for wrong in [["--steps", "0"], ["--steps", "many"], ["--seed", "-1"], ["--count", "0"],
                      ["--numerics", "loose"], ["--partitions", "0"]]:
            with self.subTest(wrong):
                self.run_flipsat("scramble", LAYERS, "-o", "s.hlo", *wrong, status=USAGE)
        self.run_flipsat("scramble", LAYERS, "-o", "-", "--count", 2, status=USAGE)
        self.run_flipsat("scramble", LAYERS, "-o", "no/such/folder/s.hlo", status=USAGE)
        self.write("file", "")
        self.run_flipsat("scramble", LAYERS, "-o", "file/below", "--count", 2, status=USAGE)
        self.assertEqual(self.files(), ["file"])

    def test_names_of_several(self):
        self.run_flipsat("convert", LAYERS, "m.pb")
        self.run_flipsat("scramble", "m.pb", "-o", "out", "--count", 2, "--steps", 2, "--seed", 3)
        self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()), ["m.3.pb", "m.4.pb"])

    def test_bad_input(self):
        done = self.run_flipsat("scramble", self.write("m.hlo", BROKEN), "-o", "s.hlo",
                                status=INPUT)
        self.assertIn("m.hlo:5:", done.stderr)
        self.assertEqual(self.files(), ["m.hlo"])


if __name__ == "__main__":
    unittest.main()
