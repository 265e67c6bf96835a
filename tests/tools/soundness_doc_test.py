"""The table of docs/soundness.md is about the rules that there are, none of which was wrong.

After a rule was added or its space changed: scripts/soundness
"""

import json
import subprocess
import unittest

from runner import BINARY, ROOT, ToolTest

PAGE = ROOT / "docs" / "soundness.md"


def rows():
    table = PAGE.read_text().split("<!-- harness -->")[1].split("<!-- end of harness -->")[0]
    for line in table.splitlines():
        if line.startswith("| `"):
            rule, direction, *numbers = [cell.strip() for cell in line.strip("|").split("|")]
            yield rule.strip("`"), [int(number.replace(",", "")) for number in numbers]


class SoundnessPage(ToolTest):
    def test_has_every_rule(self):
        printed = subprocess.run([BINARY, "rules", "--json", "-"], capture_output=True, text=True, check=True)
        names = [rule["name"] for rule in json.loads(printed.stdout)["rules"]]
        in_table = list(dict.fromkeys(rule for rule, _ in rows()))
        self.assertEqual(in_table, names)

    def test_adds_up(self):
        for rule, (cases, fired, wrong, refused_wrong, trivial, refused_right) in rows():
            self.assertGreater(fired, 0, rule)
            self.assertEqual(wrong, 0, rule)
            self.assertLessEqual(fired + refused_wrong + trivial + refused_right, cases, rule)


if __name__ == "__main__":
    unittest.main()
