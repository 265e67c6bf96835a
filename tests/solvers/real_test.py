"""CP-SAT and HiGHS themselves: what they find fits what own search proves, and is the same twice.

Environment: EQSAT_BINARY, FLIPSAT_SOLVER_PYTHON, FLIPSAT_ROOT. Exits with 77 where that Python is not there.
"""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

EQSAT = os.environ["EQSAT_BINARY"]
PYTHON = os.environ["FLIPSAT_SOLVER_PYTHON"]
ROOT = pathlib.Path(os.environ["FLIPSAT_ROOT"])
SOLVERS = ["cp-sat", "highs"]
PROBLEMS = 4
RESULT = re.compile(r"^exact: cost (\d+), bound (\d+), \d+ nodes; [\d.]+ s$", re.M)
ASKED = re.compile(r"was asked for (\d+) open part")

sys.path.insert(0, str(ROOT / "bench" / "extraction"))
sys.path.insert(0, str(ROOT / "python"))


def random_problem(seed, classes):
    """egraph-serialize JSON; most classes need each other, in circles, and every class has a leaf of its own."""
    draw = random.Random(seed)
    nodes = {}
    for cls in range(classes):
        nodes[f"{cls}.leaf"] = {"op": f"leaf{cls}", "children": [], "eclass": str(cls),
                                "cost": 20 + draw.randrange(40)}
        for number in range(1 + draw.randrange(3)):
            needs = {draw.randrange(classes) for _ in range(1 + draw.randrange(3))} - {cls}
            nodes[f"{cls}.{number}"] = {
                "op": f"op{cls}.{number}", "children": [f"{need}.leaf" for need in sorted(needs)],
                "eclass": str(cls), "cost": draw.randrange(12)}
    nodes["root"] = {"op": "root", "children": [f"{cls}.leaf" for cls in range(0, classes, 3)],
                     "eclass": "root", "cost": 0}
    return json.dumps({"nodes": nodes, "root_eclasses": ["root"], "class_data": {}})


class Real(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "problem.json"

    def exact(self, *options):
        """(cost, bound, questions, the whole text without times)"""
        done = subprocess.run([EQSAT, "import", self.path, "--method", "exact", *options],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        cost, bound = map(int, RESULT.search(done.stdout).groups())
        asked = ASKED.search(done.stdout)
        return (cost, bound, int(asked[1]) if asked else 0,
                re.sub(r"[\d.]+ s$", "", done.stdout.split("\n", 2)[2], flags=re.M))

    def check(self, classes, own_work, closing):
        """Each solver with nothing but a start, against own search."""
        asked = 0
        for seed in range(PROBLEMS):
            self.path.write_text(random_problem(seed, classes))
            cost, bound, _, _ = self.exact("--work", own_work)
            costs, bounds = [cost], [bound]
            closed = set()
            for solver in SOLVERS:
                with self.subTest(seed=seed, solver=solver):
                    found = self.exact("--work", "1", "--solver", solver, "--solver-limit", "40")
                    self.assertNotIn("refused", found[3])
                    costs.append(found[0])
                    bounds.append(found[1])
                    if found[0] == found[1]:
                        closed.add(solver)
                    asked += found[2]
            self.assertLessEqual(max(bounds), min(costs))
            self.assertLessEqual(closing, closed)
        self.assertGreaterEqual(asked, PROBLEMS)

    def test_as_cheap_as_what_own_search_proves(self):
        self.check(classes=18, own_work="2000000000", closing=set(SOLVERS))

    def test_what_own_search_leaves_open(self):
        """In dense circles HiGHS is left with a gap."""
        self.check(classes=40, own_work="20000000", closing={"cp-sat"})

    def test_twice_the_same(self):
        import problems
        self.path.write_text(problems.set_cover(120, 5))
        for solver in SOLVERS:
            with self.subTest(solver=solver):
                options = ["--work", "1", "--solver", solver, "--solver-limit", "1", "--terms"]
                first = self.exact(*options)
                self.assertEqual(first[2], 1)
                self.assertLess(first[1], first[0])  # cut off by its limit
                self.assertEqual(self.exact(*options), first)

    def test_versions(self):
        for solver in SOLVERS:
            done = subprocess.run([PYTHON, "-B", ROOT / "python" / "flipsat_solvers", solver, "--version"],
                                  capture_output=True, text=True, check=True)
            self.assertRegex(done.stdout, r"^\d+\.\d+[.\w]*\n$")


if __name__ == "__main__":
    if not pathlib.Path(PYTHON).exists():
        print("skipped: scripts/setup-solvers was not run")
        sys.exit(77)
    unittest.main()
