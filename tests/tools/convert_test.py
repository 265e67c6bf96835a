"""`flipsat convert`, and every command on protos."""

import gzip
import os
import pathlib
import subprocess
import unittest

from runner import BINARY, BROKEN, EXAMPLES, GAINS, INPUT, NO, NOTHING, USAGE, ToolTest

CORPUS = os.environ.get("FLIPSAT_CORPUS")


def run_bytes(*arguments, stdin=b""):
    return subprocess.run([BINARY, *map(str, arguments)], input=stdin, capture_output=True,
                          check=True).stdout


class Convert(ToolTest):
    def convert(self, a, b, *options):
        self.run_flipsat("convert", a, b, *options)
        return (self.folder / b).read_bytes()

    def test_text_to_proto_and_back(self):
        for example in EXAMPLES:
            with self.subTest(example.name):
                proto = self.convert(example, "m.pb")
                text = self.convert("m.pb", "m.hlo")
                self.assertEqual(self.convert("m.hlo", "again.pb"), proto)
                self.assertEqual(self.convert("again.pb", "again.hlo"), text)

    def test_name_tells_kind_and_compression(self):
        self.write("m.hlo", GAINS)
        proto = self.convert("m.hlo", "m.hlo_module.pb")
        self.assertEqual(gzip.decompress(self.convert("m.hlo", "m.pb.gz")), proto)
        self.assertEqual(self.convert("m.pb.gz", "m.module"), proto)
        self.assertEqual(self.convert("m.hlo", "text.module"), GAINS.encode())
        text = self.convert("m.module", "m.txt")
        self.assertTrue(text.startswith(b"HloModule gains, "))
        self.assertEqual(self.convert("m.module", "text", "--to", "text"), text)
        self.assertEqual(self.convert("m.hlo", "proto", "--to", "proto"), proto)

    def test_standard_streams(self):
        self.write("m.hlo", GAINS)
        proto = self.convert("m.hlo", "m.pb")
        self.assertEqual(run_bytes("convert", "-", "-", stdin=proto), proto)
        self.assertEqual(run_bytes("convert", "-", "-", "--to", "proto", stdin=GAINS.encode()), proto)

    def test_bad_input(self):
        self.write("m.hlo", GAINS)
        proto = self.convert("m.hlo", "m.pb")
        self.write("cut.pb", proto[:len(proto) // 2])
        done = self.run_flipsat("convert", "cut.pb", "out.hlo", status=INPUT)
        self.assertRegex(done.stderr, r"^cut\.pb:1:\d+: error: expected a whole HLO proto")
        self.write("broken.hlo", BROKEN)
        self.run_flipsat("convert", "broken.hlo", "out.pb", status=INPUT)
        self.assertNotIn("out.hlo", self.files())
        self.assertNotIn("out.pb", self.files())

    def test_bad_usage(self):
        self.write("m.hlo", GAINS)
        self.run_flipsat("convert", "m.hlo", status=USAGE)
        self.run_flipsat("convert", "m.hlo", "out", "--to", "json", status=USAGE)


class Protos(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("gains.hlo", GAINS)
        self.write("nothing.hlo", NOTHING)
        for name in ["gains", "nothing"]:
            self.run_flipsat("convert", f"{name}.hlo", f"{name}.pb")

    def test_optimize(self):
        self.run_flipsat("optimize", "gains.hlo", "-o", "text.hlo")
        self.run_flipsat("optimize", "gains.pb", "-o", "proto.pb")
        self.run_flipsat("optimize", "gains.pb", "-o", "from_proto.hlo")
        self.run_flipsat("convert", "proto.pb", "through.hlo")
        self.run_flipsat("verify", "text.hlo", "proto.pb")
        self.assertIn("bf16[256,256]{1,0} all-gather",
                      (self.folder / "through.hlo").read_text())
        self.run_flipsat("convert", "from_proto.hlo", "b.pb")
        self.run_flipsat("verify", "b.pb", "proto.pb")

    def test_nothing_to_gain_is_the_input(self):
        self.run_flipsat("optimize", "nothing.pb", "-o", "out.pb")
        self.assertEqual((self.folder / "out.pb").read_bytes(),
                         (self.folder / "nothing.pb").read_bytes())

    def test_another_kind_than_the_input(self):
        self.run_flipsat("optimize", "gains.hlo", "-o", "out.pb")
        self.run_flipsat("verify", "gains.hlo", "out.pb")

    def test_a_name_that_says_nothing_is_the_kind_of_the_input(self):
        self.run_flipsat("optimize", "nothing.pb", "-o", "out")
        self.assertEqual((self.folder / "out").read_bytes(),
                         (self.folder / "nothing.pb").read_bytes())

    def test_stats(self):
        text = self.run_flipsat("stats", "gains.hlo").stdout
        proto = self.run_flipsat("stats", "gains.pb").stdout
        self.assertEqual(proto.replace("gains.pb", "gains.hlo"), text)

    def test_batch_finds_protos_and_keeps_their_kind(self):
        proto = (self.folder / "nothing.pb").read_bytes()
        self.write("in/a.pb", proto)
        self.write("in/b.hlo_module.pb.gz", gzip.compress(proto))
        self.write("in/c.hlo", proto)
        self.write("in/other.pb", b"\x0a\x03abc\x12\x02de")  # no module
        self.write("in/cut.hlo_module.pb", proto[:len(proto) // 2])
        self.run_flipsat("batch", "in", "-o", "out", status=NO)
        self.assertEqual(self.results(), ["a.pb", "b.hlo_module.pb.gz", "c.hlo", "report.json"])
        self.assertEqual((self.folder / "out/c.hlo").read_bytes(), proto)
        errors = [r["error"] for r in self.read_json("out/report.json")["records"] if "error" in r]
        self.assertEqual(len(errors), 1)
        self.assertRegex(errors[0], r"in/cut\.hlo_module\.pb:1:\d+: error: ")

    @unittest.skipUnless(CORPUS, "FLIPSAT_CORPUS is not set")
    def test_corpus(self):
        for path in sorted(pathlib.Path(CORPUS).rglob("*.pb.gz")):
            with self.subTest(path.name):
                self.run_flipsat("optimize", path, "-o", "out.pb", "--quiet")
                self.run_flipsat("verify", path, "out.pb")


if __name__ == "__main__":
    unittest.main()
