"""What the tests of the Python package share. They run in the Python that has it: importing this starts
the test anew there, or skips it.

Environment: FLIPSAT_BINARY, FLIPSAT_ROOT (the source tree), FLIPSAT_VENV (where scripts/setup-python put
the package).
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BINARY = os.environ["FLIPSAT_BINARY"]
ROOT = pathlib.Path(os.environ["FLIPSAT_ROOT"])
CORPUS = os.environ.get("FLIPSAT_CORPUS")
EXAMPLES = sorted((ROOT / "examples").glob("*.hlo"))
VENV = pathlib.Path(os.environ["FLIPSAT_VENV"])
SKIPPED = 77

if pathlib.Path(sys.prefix) != VENV:
    python = VENV / "bin" / "python"
    if not python.exists():
        print(f"skipped: there is no {python} (scripts/setup-python makes it)")
        sys.exit(SKIPPED)
    os.execv(python, [str(python), "-B", *sys.argv])

# Line 5 uses a value that there is not; its column is 26.
BROKEN = """HloModule broken

ENTRY main {
  a = f32[4] parameter(0)
  ROOT b = f32[4] negate(missing)
}
"""

# A gather that is narrowed afterwards: there is something to gain.
GAINS = """HloModule gains, num_partitions=4

ENTRY main {
  shard = f32[64,256] parameter(0)
  full = f32[256,256] all-gather(shard), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true
  ROOT half = bf16[256,256] convert(full)
}
"""

# Nothing that any rule could improve; odd spacing and a comment must survive.
NOTHING = """HloModule   nothing, num_partitions=4

ENTRY main {
  /* kept */ shard = f32[64,256]   parameter(0)
  ROOT full = f32[256,256] all-gather( shard ), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true
}
"""


class PackageTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def run_words(self, *words, stdin=b"", environment=None):
        """Any command, in the test's folder."""
        return subprocess.run([str(word) if not isinstance(word, bytes) else word for word in words], input=stdin,
                              capture_output=True, cwd=self.folder, check=False, env=environment)

    def binary(self, *words, status=0):
        """The program that was built; its standard output."""
        done = self.run_words(BINARY, *words)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout.decode()
