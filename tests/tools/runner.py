"""Runs the built `flipsat` for the tests in this folder.

Environment: FLIPSAT_BINARY, FLIPSAT_ROOT (the source tree). Each test works in a folder of its own.
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BINARY = os.environ["FLIPSAT_BINARY"]
ROOT = pathlib.Path(os.environ["FLIPSAT_ROOT"])
EXAMPLES = sorted((ROOT / "examples").glob("*.hlo"))

DONE, NO, USAGE, INPUT, INTERNAL, NOT_CHECKED = range(6)

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

# One sweep moves both past the gather only if the reshape comes first.
NESTED = """HloModule nested, num_partitions=4

ENTRY main {
  x = f32[64,96] parameter(0)
  g = f32[256,96] all-gather(x), dimensions={0}, channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  r = f32[24576] reshape(g)
  ROOT h = bf16[24576] convert(r)
}
"""

# The second line of the body uses a value that there is not.
BROKEN = """HloModule broken

ENTRY main {
  a = f32[4] parameter(0)
  ROOT b = f32[4] negate(missing)
}
"""


class ToolTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def run_flipsat(self, *arguments, stdin="", status=DONE):
        """The finished process; fails the test where the status is another."""
        done = subprocess.run([BINARY, *map(str, arguments)], input=stdin, capture_output=True,
                              text=True, cwd=self.folder, check=False)
        self.assertEqual(done.returncode, status,
                         f"flipsat {arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def read_json(self, name):
        return json.loads((self.folder / name).read_text())

    def files(self):
        """Names of all files below the test's folder, hidden ones too."""
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*")
                      if path.is_file())

    def results(self, out="out"):
        """What a batch leaves for people: names below the folder, without what it keeps for itself."""
        return [name.removeprefix(f"{out}/") for name in self.files()
                if name.startswith(f"{out}/") and not name.startswith(f"{out}/.flipsat/")]
