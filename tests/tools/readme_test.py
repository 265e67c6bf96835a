"""The before-and-after of README.md is what the program prints.

README.md shows the first lines of a run; `...` stands for the rest. After a change that moves figures on
purpose: readme_test.py --update
"""

import re
import subprocess
import sys
import unittest

from runner import BINARY, ROOT, ToolTest

README = ROOT / "README.md"
BLOCK = re.compile(r"```console\n\$ build/flipsat (?P<arguments>.*)\n(?P<shown>(?:.*\n)*?)\.\.\.\n```")


def printed(arguments):
    words = [str(ROOT / word) if word.startswith("examples/") else word for word in arguments.split()]
    done = subprocess.run([BINARY, *words], capture_output=True, text=True, check=True)
    return done.stdout.replace(f"{ROOT}/", "")


class Readme(ToolTest):
    def test_shows_what_is_printed(self):
        text = README.read_text()
        blocks = list(BLOCK.finditer(text))
        self.assertEqual(len(blocks), 1)
        shown = blocks[0]["shown"]
        output = printed(blocks[0]["arguments"])
        self.assertEqual(shown, output[:len(shown)])


def update():
    text = README.read_text()
    block = BLOCK.search(text)
    lines = printed(block["arguments"]).splitlines(keepends=True)
    # Up to the second change of each kind there is nothing new to see.
    last = next(i for i, line in enumerate(lines) if line == "changes\n") + 5
    README.write_text(text[:block.start("shown")] + "".join(lines[:last]) + text[block.end("shown"):])


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        unittest.main()
