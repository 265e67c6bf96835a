"""Real programs against XLA: what changed in them, cut out; and those whole that are small enough.

FLIPSAT_ORACLE=full: every program whole, and the large dumps of other compilers.
"""

import pathlib
import unittest

from batch import CORPUS, FULL, Batch, OracleTest

# Whole programs that take seconds each; the others take a minute or more and are run in full.
QUICK = ("sm_*",)
OTHERS = ("torch_xla", "maxtext", "neuron", "xla")


@unittest.skipUnless(CORPUS, "FLIPSAT_CORPUS is not set")
class Corpus(OracleTest):
    def modules(self, folder, patterns=("*",)):
        return sorted({path for pattern in patterns
                       for path in pathlib.Path(CORPUS, folder).glob(pattern)
                       if ".hlo" in path.suffixes})

    def test_excerpts_of_jax_programs(self):
        batch = Batch(self.folder, ["integers", "normal"])
        for module in self.modules("jax/spmd"):
            batch.add_optimised(module, whole=False)
        self.check(batch, "JAX programs, excerpts", least=15)

    def test_whole_jax_programs(self):
        batch = Batch(self.folder, ["integers", "small"], timeout=600 if FULL else 60,
                      max_bytes=1 << (32 if FULL else 28))
        for module in self.modules("jax/spmd", ("*",) if FULL else QUICK):
            batch.add_optimised(module, excerpts=False)
        self.check(batch, "JAX programs, whole", least=5)

    @unittest.skipUnless(FULL, "takes long: FLIPSAT_ORACLE=full")
    def test_excerpts_of_other_programs(self):
        batch = Batch(self.folder, ["integers", "normal"], timeout=600)
        for folder in OTHERS:
            for module in self.modules(folder):
                batch.add_optimised(module, whole=False)
        self.check(batch, "other programs, excerpts", least=5)


if __name__ == "__main__":
    unittest.main()
