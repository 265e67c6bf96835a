"""Random modules against XLA.

FLIPSAT_RANDOM_WRITER names a program that writes some (`PROGRAM --seed S --count N -o DIR`), or a folder
that holds some. FLIPSAT_ORACLE_RANDOM: how many (200).
"""

import os
import pathlib
import subprocess
import unittest

from batch import Batch, OracleTest

SOURCE = os.environ.get("FLIPSAT_RANDOM_WRITER", "")
COUNT = int(os.environ.get("FLIPSAT_ORACLE_RANDOM", "200" if "FLIPSAT_LONG" in os.environ else "40"))
OPTIONS = [(), ("--objective", "bytes"), ("--objective", "launches", "--combiner", "none"),
           ("--emit-combined", "--combiner", "xla-gpu")]


@unittest.skipUnless(pathlib.Path(SOURCE or "/none").exists(), "there are no random programs")
class RandomPrograms(OracleTest):
    def modules(self):
        folder = pathlib.Path(SOURCE)
        if not folder.is_dir():
            folder = self.folder / "random"
            subprocess.run([SOURCE, "--seed", "1", "--count", str(COUNT), "-o", folder], check=True)
        return sorted(folder.glob("*.hlo"))[:COUNT]

    def test_random_programs(self):
        batch = Batch(self.folder, ["integers", "normal"], timeout=15)
        for number, module in enumerate(self.modules()):
            batch.add_optimised(module, OPTIONS[number % len(OPTIONS)])
        self.check(batch, "random programs", least=COUNT // 10)


if __name__ == "__main__":
    unittest.main()
