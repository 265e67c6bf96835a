"""docs/writing-a-rule.md: its rules give what it prints, its C++ is compiled, its tables are whole.

After a change that moves figures on purpose: writing_a_rule_test.py --update
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from runner import BINARY, ROOT, ToolTest

PAGE = ROOT / "docs" / "writing-a-rule.md"
CASES = "200"
TRIED = re.compile(r"```rules\n(?P<rules>.*?)```\n(?P<between>.*?)```text\n(?P<shown>.*?)```\n", re.S)


def printed(rules):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "my.rules"
        path.write_text(rules)
        done = subprocess.run([BINARY, "rules", "--check", path, "--cases", CASES], capture_output=True,
                              text=True, check=False)
    return done.stdout if done.returncode in (0, 1) else done.stderr


class WritingARule(ToolTest):
    def test_rules_give_what_is_shown(self):
        blocks = list(TRIED.finditer(PAGE.read_text()))
        self.assertGreater(len(blocks), 3)
        for block in blocks:
            self.assertMultiLineEqual(block["shown"], printed(block["rules"]))

    def test_code_is_compiled(self):
        compiled = (ROOT / "tests" / "rules" / "written_rule_test.cc").read_text()
        blocks = re.findall(r"```cpp\n(.*?)```\n", PAGE.read_text(), re.S)
        self.assertEqual(len(blocks), 2)
        for block in blocks:
            self.assertIn(block, compiled)

    def test_every_word_of_the_language_is_explained(self):
        text = PAGE.read_text()
        functions = (ROOT / "rules" / "text" / "functions.cc").read_text()
        names = re.findall(r'^ +\{"([a-z][a-z-]*)",', functions, re.M)
        operators = (ROOT / "rules" / "text" / "operators.cc").read_text()
        names += re.findall(r'\brow(?:_with_starts)?\("([a-z-]+)"', operators)
        self.assertGreater(len(names), 50)
        for name in names:
            # Lists are written as `[0, 2]`, and `in` stands between what it compares.
            shown = {"list": "[0, 2]", "in": "e in [", "not in": "e not in "}.get(name, name)
            self.assertTrue(f"`{shown}" in text, name)

    def test_links_lead_somewhere(self):
        prose = re.sub(r"```.*?```|`[^`\n]*`", "", PAGE.read_text(), flags=re.S)
        for link in re.findall(r"\]\(([^)#:\s]+)\)", prose):
            self.assertTrue((PAGE.parent / link).exists(), link)


def update():
    text = PAGE.read_text()
    for block in reversed(list(TRIED.finditer(text))):
        text = text[:block.start("shown")] + printed(block["rules"]) + text[block.end("shown"):]
    PAGE.write_text(text)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        unittest.main()
