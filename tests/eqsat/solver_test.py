"""`eqsat --solver`: what is refused, and what a solver that lies does to a run.

Environment: EQSAT_BINARY, FLIPSAT_ROOT.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BINARY = os.environ["EQSAT_BINARY"]
sys.path.insert(0, str(pathlib.Path(os.environ["FLIPSAT_ROOT"]) / "bench" / "extraction"))

import problems  # noqa: E402

FAKE = """#!/bin/sh
case "$*" in *--version) echo 7.5; exit 0;; esac
cat > /dev/null
{answer}
"""
HEAD = "echo flipsat-answer 1; echo cost 1; echo bound 1; echo spent 1;"
LIES = [("echo rubbish", "what it wrote is no answer"),
        (f"{HEAD} echo nodes 4000000000; echo end", "its answer is no choice of nodes"),
        (f"{HEAD} echo nodes 0; echo end", "its choice misses a class or goes round in a circle"),
        ("echo no memory >&2; exit 4", "it failed with status 4: no memory"),
        ("kill -9 $$", "it died of signal 9")]


class Solver(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.problem = pathlib.Path(folder.name) / "problem.json"
        self.problem.write_text(problems.set_cover(40, 3))
        self.python = pathlib.Path(folder.name) / "python"
        self.answer("exit 4")

    def answer(self, text):
        self.python.write_text(FAKE.format(answer=text))
        self.python.chmod(0o755)

    def eqsat(self, *arguments, python=None, status=0):
        done = subprocess.run([BINARY, "import", self.problem, *arguments], capture_output=True, text=True,
                              env={**os.environ, "FLIPSAT_SOLVER_PYTHON": str(python or self.python)}, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_what_is_refused(self):
        for words, options in [("only with --method exact", ["--method", "local", "--solver", "cp-sat"]),
                               ("there is no solver 'cbc'", ["--method", "exact", "--solver", "cbc"])]:
            self.assertIn(words, self.eqsat(*options, status=2).stderr)

    def test_one_that_is_missing(self):
        error = self.eqsat("--method", "exact", "--solver", "highs", python="/no/such/python", status=2).stderr
        self.assertIn("scripts/setup-solvers", error)

    def test_a_lie_changes_nothing(self):
        options = ["--method", "exact", "--work", "1"]
        alone = self.eqsat(*options).stdout
        costs = re.compile(r"^exact: (.*);", re.M)
        for answer, why in LIES:
            with self.subTest(why):
                self.answer(answer)
                helped = self.eqsat(*options, "--solver", "cp-sat").stdout
                self.assertIn(f"cp-sat: 1 answer refused: {why}", helped)
                self.assertEqual(costs.findall(helped), costs.findall(alone))


if __name__ == "__main__":
    unittest.main()
