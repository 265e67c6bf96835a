"""The shell session of docs/egraph/eqsat.md prints what the page says."""

import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

EQSAT = os.environ["EQSAT_BINARY"]
PAGE = pathlib.Path(os.environ["FLIPSAT_ROOT"]) / "docs" / "egraph" / "eqsat.md"


def session(text):
    """Pairs of a command and what it printed."""
    block = re.search(r"```console\n(.*?)```", text, re.S).group(1)
    pairs = []
    for line in block.splitlines():
        if line.startswith("$ "):
            pairs.append((line[2:], []))
        else:
            pairs[-1][1].append(line)
    return [(command, "\n".join(lines).strip()) for command, lines in pairs]


class Page(unittest.TestCase):
    def test_session(self):
        ran = 0
        with tempfile.TemporaryDirectory() as folder:
            for command, output in session(PAGE.read_text()):
                words = shlex.split(command)
                if words[0] == "cat":
                    pathlib.Path(folder, words[1]).write_text(output + "\n")
                    continue
                self.assertEqual(words[0], "eqsat")
                done = subprocess.run([EQSAT] + words[1:], cwd=folder, text=True,
                                      capture_output=True, check=True)
                self.assertEqual(done.stdout.strip(), output, command)
                ran += 1
        self.assertGreaterEqual(ran, 2)


if __name__ == "__main__":
    unittest.main()
