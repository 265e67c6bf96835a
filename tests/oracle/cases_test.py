"""Small modules, optimised in several ways, against XLA: the corpus's cases and the examples."""

import pathlib
import unittest

from batch import CORPUS, ROOT, Batch, OracleTest

KINDS = ["integers", "normal", "wide"]
OPTIONS = [(), ("--objective", "bytes"), ("--objective", "launches"), ("--numerics", "precise"),
           ("--emit-combined",), ("--emit-combined", "--combiner", "xla-gpu")]
EXAMPLES = sorted((ROOT / "examples").glob("*.hlo"))


class Cases(OracleTest):
    @unittest.skipUnless(CORPUS, "FLIPSAT_CORPUS is not set")
    def test_cases(self):
        batch = Batch(self.folder, KINDS)
        for module in sorted(pathlib.Path(CORPUS, "cases").glob("*.hlo")):
            for options in OPTIONS:
                batch.add_optimised(module, options)
        self.check(batch, "cases", least=10)

    @unittest.skipUnless(CORPUS, "FLIPSAT_CORPUS is not set")
    def test_cases_bitwise(self):
        """Without the rules that lean on the order of sums being open, every bit is the same."""
        batch = Batch(self.folder, KINDS)
        for module in sorted(pathlib.Path(CORPUS, "cases").glob("*.hlo")):
            batch.add_optimised(module, ("--bitwise",))
        records = self.check(batch, "cases, bitwise", least=5)
        inexact = [r for r in records if r["answer"] == "same" and not r["bit_exact"]]
        self.assertEqual(inexact, [])

    def test_examples(self):
        batch = Batch(self.folder, KINDS)
        for module in EXAMPLES:
            for options in OPTIONS:
                batch.add_optimised(module, options)
        self.check(batch, "examples", least=4)


if __name__ == "__main__":
    unittest.main()
