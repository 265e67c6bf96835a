"""Rules written as text on the command line: `rules --check`, `rules --rules`, `optimize --rules`."""

import json
import unittest

from runner import DONE, GAINS, INPUT, NO, NOTHING, ROOT, USAGE, ToolTest
from schema import faults

RIGHT = """rule my-convert
  convert[t](all-gather[d, G](x)) = all-gather[d, G](convert[t](x))
"""

# Summed in the type that it is converted to.
WRONG = """rule my-narrow
  convert[t](all-reduce[add, G](x)) => all-reduce[add, G](convert[t](x))
  where float(type(x)), float(t)
"""

NEVER = """rule my-dream
  convert[t](all-gather[d, G](x)) => all-gather[d, G](convert[t](x))
  where rank(x) == 99
"""

# As if a gather were its operand's first rows.
REFUTED = """rule my-cheat
  convert[t](all-gather[d, G](x)) => all-gather[d, G](convert[t](negate(x)))
"""

CASES = ["--cases", "100"]


class TextRules(ToolTest):
    def check(self, rules, status):
        return self.run_flipsat("rules", "--check", self.write("my.rules", rules), *CASES,
                                "--json", "check.json", status=status).stdout

    def test_a_right_rule(self):
        text = self.check(RIGHT, DONE)
        self.assertIn("my-convert  (exact): nothing wrong found", text)
        self.assertIn("left to right: 100 programs, fired on 100, wrong on 0", text)
        self.assertIn("right to left: 100 programs, fired on 100, wrong on 0", text)
        (rule,) = self.read_json("check.json")["checked"]
        self.assertEqual([rule["name"], rule["wrong"], rule["fired"]], ["my-convert", False, True])

    def test_a_wrong_rule_is_shown_with_a_small_program(self):
        text = self.check(RIGHT + WRONG, NO)
        self.assertIn("my-convert  (exact): nothing wrong found", text)
        self.assertIn("my-narrow  (exact): wrong", text)
        self.assertRegex(text, r"WRONG, on [23] devices: element \d+ on device \d: ")
        self.assertIn("refused on ", text)
        example = self.read_json("check.json")["checked"][1]["directions"][0]["counter_example"]
        self.assertIn(example["devices"], [2, 3])
        # The two are programs, and different.
        before, after = self.write("a.hlo", example["before"]), self.write("b.hlo", example["after"])
        self.run_flipsat("verify", before, before)
        self.run_flipsat("verify", before, after, status=NO)

    def test_a_rule_that_never_fires_is_not_called_right(self):
        text = self.check(NEVER, NO)
        self.assertIn("my-dream  (exact): NOT TRIED: it never fired", text)
        self.assertIn("refused on 100: not shown: rank(x) == 99", text)

    def test_the_same_check_gives_the_same_text(self):
        self.assertEqual(self.check(WRONG, NO), self.check(WRONG, NO))

    def test_a_bad_file_has_a_place(self):
        for command in [["rules", "--check"], ["rules", "--rules"],
                        ["optimize", self.write("m.hlo", GAINS), "--rules"]]:
            rules = self.write("bad.rules", RIGHT + "rule two\n  negat(x) => x\n")
            done = self.run_flipsat(*command, rules, status=INPUT)
            self.assertEqual(done.stderr, f"{rules}:4:3: error: there is no operation 'negat'\n")
            self.assertEqual(done.stdout, "")
        self.run_flipsat("rules", "--check", "absent.rules", status=INPUT)
        self.run_flipsat("rules", "--cases", "7", status=USAGE)

    def test_they_are_listed(self):
        done = self.run_flipsat("rules", "--rules", self.write("my.rules", RIGHT), "--json", "r.json")
        self.assertIn("\nwritten as text\n  my-convert  (exact)\n", done.stdout)
        self.assertEqual(self.read_json("r.json")["rules"][-1]["name"], "my-convert")

    def test_optimize_uses_them_and_counts_them(self):
        self.run_flipsat("optimize", self.write("m.hlo", GAINS), "--rules", self.write("my.rules", RIGHT),
                         "--only", "my-convert", "-o", "out.hlo", "--report", "r.json")
        self.assertIn("bf16[256,256] all-gather(", (self.folder / "out.hlo").read_text())
        report = self.read_json("r.json")
        schema = json.loads((ROOT / "docs" / "report.schema.json").read_text())
        self.assertEqual(faults(report, schema), [])
        self.assertEqual(report["changes"][0]["rules"], ["my-convert"])
        (rule,) = report["rules"]
        self.assertEqual(rule["name"], "my-convert")
        self.assertGreater(rule["applied"], 0)

    def test_refusals_are_counted_by_their_condition(self):
        self.run_flipsat("optimize", self.write("m.hlo", GAINS), "--rules", self.write("my.rules", NEVER),
                         "--report", "r.json")
        (rule,) = [rule for rule in self.read_json("r.json")["rules"] if rule["name"] == "my-dream"]
        self.assertEqual(rule["refused"], {"not shown: rank(x) == 99": 1})

    def test_what_a_wrong_rule_makes_is_not_written(self):
        done = self.run_flipsat("optimize", self.write("m.hlo", GAINS), "--rules",
                                self.write("my.rules", REFUTED), "--only", "my-cheat", "-o", "out.hlo",
                                status=NO)
        self.assertIn("nothing is written", done.stderr)
        self.assertFalse((self.folder / "out.hlo").exists())

    def test_batch_uses_them(self):
        self.write("in/a.hlo", GAINS)
        self.write("in/b.hlo", NOTHING)
        self.run_flipsat("batch", "in", "-o", "out", "--rules", self.write("my.rules", RIGHT),
                         "--only", "my-convert", "--threads", "2")
        self.assertIn("bf16[256,256] all-gather(", (self.folder / "out/a.hlo").read_text())

    def test_names_of_others_are_refused(self):
        rules = self.write("my.rules", RIGHT.replace("my-convert", "gather-convert"))
        done = self.run_flipsat("rules", "--rules", rules, status=INPUT)
        self.assertIn(":1:6: error: there is a rule 'gather-convert' already", done.stderr)


if __name__ == "__main__":
    unittest.main()
