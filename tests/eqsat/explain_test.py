"""`eqsat explain`: what it prints and how it refuses."""

import os
import pathlib
import subprocess
import tempfile
import unittest

EQSAT = os.environ["EQSAT_BINARY"]
RULES = """comm: (+ ?a ?b) => (+ ?b ?a)
zero: (+ ?a 0) => ?a
"""


def explain(*terms, rules=RULES):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "some.rules")
        path.write_text(rules)
        return subprocess.run([EQSAT, "explain", "--rules", str(path), *terms], text=True,
                              capture_output=True)


class Explain(unittest.TestCase):
    def test_two_terms(self):
        done = explain("(+ (+ x 0) y)", "(+ y x)")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "(+ (+ x 0) y)")
        self.assertIn("by zero", done.stdout)
        self.assertIn("comm", done.stdout)
        self.assertTrue(lines[-1].startswith("= (+ y x)"))

    def test_one_term_is_compared_with_the_cheapest(self):
        done = explain("(+ 0 x)")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.splitlines()[-1].startswith("= x"))

    def test_a_term_equal_to_itself(self):
        self.assertEqual(explain("x", "x").stdout, "x\n")

    def test_terms_that_are_not_equal(self):
        done = explain("x", "y")
        self.assertEqual(done.returncode, 2)
        self.assertIn("not found to be equal (saturated)", done.stderr)

    def test_a_bad_term_has_a_place(self):
        done = explain("(+ x", "y")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"<term 1>:1:\d+: error: ")


if __name__ == "__main__":
    unittest.main()
