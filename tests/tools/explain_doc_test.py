"""What docs/explain.md shows is what the program prints, between the places marked `...`."""

import re
import subprocess
import unittest

from runner import BINARY, ROOT

BLOCK = re.compile(r"```console\n\$ build/flipsat (.*)\n((?:.*\n)*?)```")


class ExplainPage(unittest.TestCase):
    def test_shows_what_is_printed(self):
        blocks = BLOCK.findall((ROOT / "docs" / "explain.md").read_text())
        self.assertEqual(len(blocks), 4)
        for arguments, shown in blocks:
            words = [str(ROOT / word) if word.startswith("examples/") else word
                     for word in arguments.split()]
            done = subprocess.run([BINARY, *words], capture_output=True, text=True, check=True)
            rest = done.stdout.replace(f"{ROOT}/", "")
            for piece in re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE):
                self.assertIn(piece, rest)
                rest = rest[rest.index(piece) + len(piece):]


if __name__ == "__main__":
    unittest.main()
