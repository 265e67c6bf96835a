"""docs/rules.md is made from the rules themselves.

After a rule was added or reworded: rules_doc_test.py --update
"""

import json
import subprocess
import sys
import unittest

from runner import BINARY, ROOT, ToolTest

PAGE = ROOT / "docs" / "rules.md"

HEAD = """# The rules

Made by `tests/tools/rules_doc_test.py --update` from the table that `flipsat rules` prints; each rule's file
in `rules/` has its equation, why it is true, and each reason to refuse. AG is all-gather, AR all-reduce, RS
reduce-scatter, DS dynamic-slice; `=` is used in both directions unless a row says otherwise.
[numerics.md](numerics.md) explains the classes. Any rule can be left out with `--disable NAME`, and `--only`
runs some alone.
"""


def page():
    printed = subprocess.run([BINARY, "rules", "--json", "-"], capture_output=True, text=True, check=True)
    text = HEAD
    family = None
    for rule in json.loads(printed.stdout)["rules"]:
        if rule["family"] != family:
            family = rule["family"]
            text += f"\n## {family.capitalize()}\n\n| rule | equation | condition | class |\n|---|---|---|---|\n"
        notes = [rule["numerics"]]
        if rule["order_open"]:
            notes.append("order-open")
        if rule["needs_finite"]:
            notes.append("only with `--assume-finite`")
        if not rule["both_directions"]:
            notes.append("left to right")
        text += f"| `{rule['name']}` | `{rule['equation']}` | {rule['condition']} | {', '.join(notes)} |\n"
    return text


class RulesPage(ToolTest):
    def test_is_up_to_date(self):
        self.assertEqual(PAGE.read_text(), page())


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        PAGE.write_text(page())
    else:
        unittest.main()
