"""`eqsat snapshot` and `eqsat load`, run as users run them.

Environment: EQSAT_BINARY.
"""

import os
import pathlib
import subprocess
import tempfile
import unittest

BINARY = os.environ["EQSAT_BINARY"]
DONE, USAGE, INPUT = 0, 2, 3

SUMS = """workload sums
op + 2 2
rule comm : (+ ?a ?b) => (+ ?b ?a)
rule zero : (+ ?a 0) => ?a
n x
n 0
n + 0 1
root 2
"""
SIZES = r"^4 nodes, 2 classes, 3 operators, 0 directed edges; read .* s\n"


class Snapshots(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "sums.wl").write_text(SUMS)

    def eqsat(self, *arguments, stdin=b"", status=DONE):
        """The finished process; fails the test where the status is another."""
        done = subprocess.run([BINARY, *arguments], input=stdin, capture_output=True,
                              cwd=self.folder, check=False)
        self.assertEqual(done.returncode, status, f"eqsat {arguments}\n{done.stderr}")
        return done

    def load(self, *arguments, **options):
        return self.eqsat("load", *arguments, **options).stdout.decode()

    def test_both_formats(self):
        for options in [], ["--format", "binary"], ["--format", "json"]:
            self.eqsat("snapshot", "sums.wl", "-o", "out", *options)
            first = (self.folder / "out").read_bytes()[:1]
            self.assertEqual(first, b"{" if "json" in options else b"\x89")
            self.assertRegex(self.load("out"), SIZES + "$")
            self.assertRegex(self.load("out", "--check"), SIZES + "every invariant holds\n$")

    def test_standard_input_and_output(self):
        snapshot = self.eqsat("snapshot", "-", "-o", "-", stdin=SUMS.encode()).stdout
        self.assertRegex(self.load("-", stdin=snapshot), SIZES)

    def test_saturation_options(self):
        self.eqsat("snapshot", "sums.wl", "-o", "out", "--iters", "0")
        self.assertIn("3 nodes, 3 classes", self.load("out"))

    def test_what_is_no_snapshot(self):
        self.eqsat("snapshot", "sums.wl", "-o", "out")
        good = (self.folder / "out").read_bytes()
        for bytes_, message in [(b"", "the file is empty"), (b"hello", "this is no snapshot"),
                                (good[:-30] + b"!" + good[-29:], "the checksum is wrong"),
                                (good[:-1], "cut off"), (good + b"x", "something follows"),
                                (b"{}", "damaged")]:
            (self.folder / "bad").write_bytes(bytes_)
            error = self.eqsat("load", "bad", status=INPUT).stderr.decode()
            self.assertTrue(error.startswith("bad: error: "), error)
            self.assertIn(message, error)

    def test_usage(self):
        self.eqsat("snapshot", "sums.wl", status=USAGE)
        self.eqsat("snapshot", "sums.wl", "-o", "out", "--format", "xml", status=USAGE)
        self.eqsat("snapshot", "sums.wl", "-o", "no/such/folder", status=USAGE)
        self.eqsat("load", "absent", status=USAGE)


if __name__ == "__main__":
    unittest.main()
