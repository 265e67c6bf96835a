"""XLA reads the protos that flipsat writes, and they are the program of the text."""

import os
import pathlib
import re
import tempfile
import unittest

from batch import CORPUS, FULL, ROOT, flipsat

from jax._src.lib import xla_client

hlo = xla_client.hlo
NEGATIVE_ZERO = re.compile(r"(?<=[ {(,])-0(?=[ ,})])")  # as text, XLA reads it as an integer's
EXAMPLES = sorted((ROOT / "examples").glob("*.hlo"))


def from_text(path):
    return hlo.hlo_module_from_text(path.read_text())


def printed(module):
    """Its text without what a bare module's proto does not hold."""
    options = hlo.HloPrintOptions.short_parsable()
    text = module.to_string(options)
    text = re.sub(r", allow_spmd_sharding_propagation_to_\w+=\{[^}]*\}", "", text)
    text = NEGATIVE_ZERO.sub("0", text)
    return re.sub(r", (replica_count|num_partitions)=\d+", "", text)


class Protos(unittest.TestCase):
    def check(self, paths):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            count = 0
            for path in paths:
                with self.subTest(path.name):
                    flipsat("convert", path, folder / "m.hlo")
                    flipsat("convert", path, folder / "m.pb")
                    if "{...}" in (folder / "m.hlo").read_text():
                        continue  # XLA wants values
                    try:
                        text = from_text(folder / "m.hlo")
                    except Exception as error:  # what XLA refuses as text, it may as a proto
                        print(f"{path.name}: XLA does not read the text: {str(error)[:80]!r}")
                        continue
                    bytes_ = (folder / "m.pb").read_bytes()
                    proto = hlo.HloModule.from_serialized_hlo_module_proto(bytes_)
                    self.assertEqual(printed(proto), printed(text))
                    # What XLA writes, flipsat reads.
                    (folder / "xla.pb").write_bytes(text.as_serialized_hlo_module_proto())
                    if not NEGATIVE_ZERO.search((folder / "m.hlo").read_text()):
                        flipsat("verify", folder / "m.hlo", folder / "xla.pb")
                    flipsat("convert", folder / "xla.pb", folder / "xla.hlo")
                    self.assertEqual(printed(from_text(folder / "xla.hlo")), printed(proto))
                    count += 1
            print(f"{count} modules as protos")
            return count

    def test_examples(self):
        self.assertGreater(self.check(EXAMPLES), 0)

    @unittest.skipUnless(CORPUS, "FLIPSAT_CORPUS is not set")
    def test_corpus(self):
        paths = sorted(p for p in pathlib.Path(CORPUS).rglob("*")
                       if p.name.endswith((".hlo", ".hlo.gz")))
        self.check(paths if FULL or os.environ.get("FLIPSAT_LONG") else paths[::4])

    @unittest.skipUnless(CORPUS, "FLIPSAT_CORPUS is not set")
    def test_optimised_protos_of_the_corpus(self):
        """A patched message loads, and is the program of the patched text."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for path in sorted(pathlib.Path(CORPUS).rglob("*.pb.gz")):
                with self.subTest(path.name):
                    flipsat("optimize", path, "-o", folder / "out.pb", "--quiet")
                    flipsat("optimize", path, "-o", folder / "out.hlo", "--quiet")
                    module = hlo.HloModule.from_serialized_hlo_module_proto(
                        (folder / "out.pb").read_bytes())
                    flipsat("convert", folder / "out.hlo", folder / "text.pb")
                    text = hlo.HloModule.from_serialized_hlo_module_proto(
                        (folder / "text.pb").read_bytes())
                    self.assertEqual(printed(module), printed(text))

    def check_outputs(self, paths):
        """What `optimize` writes of what XLA reads, it reads: as text and proto the same module,
        and flipsat gets the same back from what XLA prints."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            count = 0
            for path in paths:
                with self.subTest(path.name):
                    flipsat("convert", path, folder / "in.hlo")
                    if "{...}" in (folder / "in.hlo").read_text():
                        continue
                    try:
                        from_text(folder / "in.hlo")
                    except Exception:
                        continue
                    for kind in ("hlo", "pb"):
                        flipsat("optimize", path, "-o", folder / f"out.{kind}", "--quiet")
                    text = from_text(folder / "out.hlo")
                    proto = hlo.HloModule.from_serialized_hlo_module_proto(
                        (folder / "out.pb").read_bytes())
                    self.assertEqual(printed(proto), printed(text))
                    (folder / "back.hlo").write_text(printed(text))
                    flipsat("convert", folder / "back.hlo", folder / "again.pb")
                    again = hlo.HloModule.from_serialized_hlo_module_proto(
                        (folder / "again.pb").read_bytes())
                    self.assertEqual(printed(again), printed(from_text(folder / "back.hlo")))
                    count += 1
            print(f"{count} optimised modules as text and proto")
            return count

    def test_outputs_for_examples(self):
        self.assertEqual(self.check_outputs(EXAMPLES), len(EXAMPLES))

    @unittest.skipUnless(CORPUS, "FLIPSAT_CORPUS is not set")
    def test_outputs_for_the_corpus(self):
        paths = sorted(p for p in pathlib.Path(CORPUS).rglob("*")
                       if p.name.endswith((".hlo", ".hlo.gz")))
        self.check_outputs(paths if FULL or os.environ.get("FLIPSAT_LONG") else paths[1::4])


if __name__ == "__main__":
    unittest.main()
