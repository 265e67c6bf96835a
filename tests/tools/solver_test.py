"""`--solver` with programs in the place of Python that answer, lie, die, or are not there."""

import os
import pathlib
import unittest

from runner import GAINS, USAGE, ToolTest

# It takes any solver's name; {answer} is what it does with a task.
FAKE = """#!/bin/sh
case "$*" in *--version) echo 7.5; exit 0;; esac
cat > /dev/null
{answer}
"""

# A module of the corpus of which exact extraction leaves parts open.
OPEN = "jax/spmd/tp_seqpar_unroll4.hlo.gz"

# Lies of all kinds are told to eqsat.
LIES = [("echo rubbish", "what it wrote is no answer")]


class Solver(ToolTest):
    def python(self, text):
        path = self.write("python", text)
        path.chmod(0o755)
        os.environ["FLIPSAT_SOLVER_PYTHON"] = str(path)
        self.addCleanup(os.environ.pop, "FLIPSAT_SOLVER_PYTHON", None)

    def refused(self, *options):
        return self.run_flipsat("optimize", self.write("m.hlo", GAINS), *options, status=USAGE).stderr

    def test_a_solver_that_there_is_not(self):
        self.assertIn("there is no solver 'oracle' (none, cp-sat or highs)",
                      self.refused("--solver", "oracle"))

    def test_no_python(self):
        os.environ["FLIPSAT_SOLVER_PYTHON"] = "/no/such/python"
        self.addCleanup(os.environ.pop, "FLIPSAT_SOLVER_PYTHON", None)
        for solver, package in [("cp-sat", "ortools"), ("highs", "highspy")]:
            error = self.refused("--solver", solver)
            self.assertIn("there is no /no/such/python", error)
            self.assertIn("scripts/setup-solvers", error)
            self.assertIn(f"pip install {package}", error)

    def test_a_python_without_the_package(self):
        self.python("#!/bin/sh\nexit 2\n")
        error = self.refused("--solver", "cp-sat")
        self.assertIn("has no ortools", error)
        self.assertIn("scripts/setup-solvers", error)

    def test_a_package_that_does_not_load(self):
        self.python("#!/bin/sh\necho undefined symbol >&2\nexit 4\n")
        self.assertIn("cannot load highspy: undefined symbol", self.refused("--solver", "highs"))

    def test_it_is_named_in_the_report_where_it_was_asked_for(self):
        module = self.write("m.hlo", GAINS)
        self.run_flipsat("optimize", module, "--report", "without.json")
        self.assertNotIn("solver", self.read_json("without.json"))
        self.python(FAKE.format(answer="exit 4"))
        self.run_flipsat("optimize", module, "--solver", "highs", "--report", "with.json")
        solver = self.read_json("with.json")["solver"]
        self.assertEqual((solver["name"], solver["version"]), ("highs", "7.5"))
        self.assertEqual(list(solver), ["name", "version", "asked", "cheaper", "proved", "refused"])

    def test_lies_are_refused_and_the_run_goes_on(self):
        corpus = os.environ.get("FLIPSAT_CORPUS")
        if not corpus:
            self.skipTest("FLIPSAT_CORPUS names no folder of modules")
        module = pathlib.Path(corpus) / OPEN
        self.run_flipsat("optimize", module, "--report", "alone.json", "-o", "alone.hlo")
        alone = self.read_json("alone.json")
        for answer, why in LIES:
            with self.subTest(why):
                self.python(FAKE.format(answer=answer))
                self.run_flipsat("optimize", module, "--solver", "cp-sat", "--report", "r.json",
                                 "-o", "out.hlo")
                report = self.read_json("r.json")
                solver = report.pop("solver")
                self.assertGreater(solver["asked"], 0)
                self.assertEqual(solver["refused"], solver["asked"])
                self.assertTrue(any(why in note for note in report["notes"]), report["notes"])
                for field in ["programs", "bound", "gap", "changes"]:
                    self.assertEqual(report[field], alone[field])
                self.assertEqual((self.folder / "out.hlo").read_bytes(),
                                 (self.folder / "alone.hlo").read_bytes())


if __name__ == "__main__":
    unittest.main()
