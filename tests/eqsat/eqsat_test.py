"""The `eqsat` command, run as users run it.

Environment: EQSAT_BINARY; FLIPSAT_WORKLOADS (a folder of .wl files), or FLIPSAT_CORPUS beside them.
"""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

BINARY = os.environ["EQSAT_BINARY"]
DONE, USAGE, INPUT = 0, 2, 3

# (x + 0) * (x + 0): saturates with {x, x+0, 0+x}, {0, 0+0...} and so on.
DEMO = """workload demo
op + 2 2
op * 2 4
leafcost 1
rule comm : (+ ?a ?b) => (+ ?b ?a)
rule zero : (+ ?a 0) => ?a
n x
n 0
n + 0 1
n * 2 2
root 3
root 2
"""

RULES = """# sums
comm: (+ ?a ?b) => (+ ?b ?a)
zero: (+ ?a 0) => ?a
"""

# x = x * 1, and a class that only has itself to be made of.
CIRCLES = """{"nodes": {
  "a": {"op": "*", "children": ["b", "one"], "eclass": "X", "cost": 0.5},
  "b": {"op": "x", "children": [], "eclass": "X", "cost": 2},
  "one": {"op": "1", "children": [], "eclass": "1"},
  "loop": {"op": "f", "children": ["loop"], "eclass": "L"}
}, "root_eclasses": ["X"]}
"""

# e-nodes and e-classes, on which other engines agree.
KNOWN = {
    "math-s": (12_597, 4_351), "math-m": (94_451, 35_038),
    "math-l": (722_799, 330_243),
    "ac7": (1_939, 127), "ac8": (6_058, 255), "ac9": (18_669, 511), "ac10": (57_012, 1_023),
    "flip-dense-1000": (2_142, 1_541), "flip-dense-10000": (21_521, 15_434),
    "flip-dense-100000": (214_817, 154_343),
    "flip-sparse-1000": (1_223, 1_108), "flip-sparse-10000": (12_401, 11_144),
    "flip-sparse-100000": (122_240, 110_540), "flip-sparse-400000": (487_923, 441_615),
}


def workload_folder():
    if "FLIPSAT_WORKLOADS" in os.environ:
        return pathlib.Path(os.environ["FLIPSAT_WORKLOADS"])
    if "FLIPSAT_CORPUS" in os.environ:
        return pathlib.Path(os.environ["FLIPSAT_CORPUS"]) / ".." / "bench" / "workloads"
    return None


class Eqsat(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.demo = self.write("demo.wl", DEMO)
        self.rules = self.write("sums.rules", RULES)

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def eqsat(self, *arguments, stdin="", status=DONE):
        """The finished process; fails the test where the status is another."""
        done = subprocess.run([BINARY, *map(str, arguments)], input=stdin, capture_output=True,
                              text=True, cwd=self.folder, check=False)
        self.assertEqual(done.returncode, status,
                         f"eqsat {arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def run_json(self, *arguments):
        return json.loads(self.eqsat("run", *arguments, "--json").stdout)


class Run(Eqsat):
    def test_a_line(self):
        line = self.eqsat("run", self.demo).stdout
        self.assertRegex(line, r"^demo: \d+ nodes, 3 classes, \d+ iterations, saturated; .*MiB\n$")

    def test_a_table_of_rules(self):
        lines = self.eqsat("run", self.demo, "--stats").stdout.splitlines()
        self.assertEqual(len(lines), 4)
        self.assertEqual([line.split()[0] for line in lines[1:]], ["rule", "comm", "zero"])

    def test_json(self):
        record = self.run_json(self.demo)
        self.assertEqual(record["engine"], "flipsat")
        self.assertEqual(record["workload"], "demo")
        self.assertEqual(record["classes"], 3)
        self.assertEqual(record["stop"], "saturated")
        for field in ["parse_s", "load_s", "compile_s", "search_s", "apply_s", "rebuild_s", "run_s", "rss_mib",
                      "rss_before_mib"]:
            self.assertGreaterEqual(record[field], 0, field)
        self.assertGreaterEqual(record["rss_mib"], record["rss_before_mib"])
        self.assertEqual([rule["name"] for rule in record["rules"]], ["comm", "zero"])
        self.assertGreater(record["rules"][1]["unions"], 0)

    def test_a_run_over_what_is_saturated(self):
        self.assertNotIn("rerun_s", self.run_json(self.demo))
        self.assertGreaterEqual(self.run_json(self.demo, "--rerun")["rerun_s"], 0)
        self.assertIn(", rerun ", self.eqsat("run", self.demo, "--rerun").stdout)
        cut = self.run_json(self.demo, "--iters", "1")
        again = self.run_json(self.demo, "--iters", "1", "--rerun")
        self.assertEqual(again["nodes"], cut["nodes"])

    def test_every_way_of_searching_ends_the_same(self):
        plain = self.run_json(self.demo)
        for option in [["--search", "full"], ["--scheduler", "backoff"], ["--repeat", "3"]]:
            record = self.run_json(self.demo, *option)
            for field in ["nodes", "classes", "stop"]:
                self.assertEqual(record[field], plain[field], option)

    def test_limits(self):
        grow = self.write("grow.rules", "grow: (+ ?a ?b) => (+ (+ ?a ?b) (s ?a))\n")
        for option, value, stop in [("--iters", 3, "iteration limit 3"),
                                    ("--nodes", 50, "node limit 50"),
                                    ("--matches", 20, "match limit 20"),
                                    ("--bytes", 5000, "byte limit 5000"),
                                    ("--seconds", 0, "time limit 0")]:
            record = self.run_json(self.demo, "--rules", grow, option, value)
            self.assertEqual(record["stop"], stop)

    def test_the_files_own_limits(self):
        limited = self.write("limited.wl", DEMO.replace("op +", "iters 1\nop +"))
        self.assertEqual(self.run_json(limited)["stop"], "iteration limit 1")
        self.assertEqual(self.run_json(limited, "--iters", 50)["stop"], "saturated")

    def test_start_and_more_rules(self):
        self.assertEqual(self.run_json(self.demo, "--start", 2)["nodes"], 2)
        more = self.write("more.rules", "same: (* ?a ?a) => (square ?a)\n")
        record = self.run_json(self.demo, "--rules", more)
        self.assertEqual(record["rules"][-1]["name"], "same")
        self.assertEqual(record["rules"][-1]["unions"], 1)

    def test_from_standard_input(self):
        self.assertIn("demo: ", self.eqsat("run", "-", stdin=DEMO).stdout)

    def test_known_sizes(self):
        folder = workload_folder()
        for name, (nodes, classes) in KNOWN.items():
            path = folder / f"{name}.wl" if folder else None
            if path is None or not path.exists():
                print(f"skipped: no workload {name} (FLIPSAT_WORKLOADS, FLIPSAT_CORPUS)")
                continue
            with self.subTest(name):
                record = self.run_json(path)
                self.assertEqual((record["nodes"], record["classes"]), (nodes, classes))


class Terms(Eqsat):
    def test_simplify(self):
        done = self.eqsat("simplify", "--rules", self.rules, "(+ 0 (+ x 0))")
        self.assertEqual(done.stdout, "x\n")

    def test_simplify_by_the_costs_of_a_workload(self):
        doubles = self.write("d.wl", "op + 2 1\nop dbl 1 9\nrule d : (dbl ?a) => (+ ?a ?a)\n")
        done = self.eqsat("simplify", "--workload", doubles, "-", stdin="(dbl\n x) ; twice\n")
        self.assertEqual(done.stdout, "(+ x x)\n")
        self.assertEqual(self.eqsat("simplify", "(dbl x)").stdout, "(dbl x)\n")

    def test_simplify_says_what_it_did(self):
        done = self.eqsat("simplify", "--rules", self.rules, "--stats", "(+ 0 x)")
        self.assertRegex(done.stdout, r"^; cost 1; \d+ nodes, 2 classes, \d+ iterations, saturated"
                                      r"\nx\n$")

    def test_extract(self):
        done = self.eqsat("extract", self.demo, "--method", "greedy-dag")
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"^; greedy-dag: cost 5, 2 roots, 2 nodes chosen of \d+, ")
        self.assertEqual(lines[1:], ["; root 0: cost 5", "(* x x)", "; root 1: cost 1", "x"])
        tree = self.eqsat("extract", self.demo, "--costs").stdout.splitlines()
        self.assertEqual(tree[1:], ["; root 0: cost 5", "; root 1: cost 1"])


class Exchange(Eqsat):
    def test_extract_with_a_bound(self):
        first = self.eqsat("extract", self.demo, "--costs", "--method", "exact").stdout.splitlines()[0]
        found = re.match(r"; exact: cost (\d+), bound (\d+), ", first)
        self.assertEqual(found[1], found[2])

    def test_export_and_import(self):
        self.eqsat("export", self.demo, "--dot", "g.dot", "--json", "g.json")
        self.assertTrue((self.folder / "g.dot").read_text().startswith("digraph egraph {\n"))
        nodes = self.run_json(self.demo)["nodes"]
        self.assertEqual(len(json.loads((self.folder / "g.json").read_text())["nodes"]), nodes)
        lines = self.eqsat("import", "g.json").stdout.splitlines()
        self.assertTrue(lines[0].startswith(f"{nodes} nodes, 3 classes, 2 roots; "))
        self.assertTrue(lines[1].startswith(
            f"e-graph: {nodes} nodes, 3 classes, 0 nodes in no finite term; "))
        self.assertTrue(lines[2].startswith("tree: cost 5, 2 nodes; "))
        self.assertTrue(lines[3].startswith("greedy-dag: cost 5, 2 nodes; "))

    def test_import_of_circles(self):
        lines = self.eqsat("import", self.write("c.json", CIRCLES), "--terms").stdout.splitlines()
        self.assertTrue(lines[0].startswith("4 nodes, 3 classes, 1 roots; "))
        self.assertTrue(lines[1].startswith(
            "e-graph: 3 nodes, 2 classes, 1 nodes in no finite term; "))
        self.assertTrue(lines[2].startswith("tree: cost 2, 1 nodes; "))
        self.assertEqual(lines[3], "x")

    def test_import_of_a_root_that_is_not_finite(self):
        path = self.write("c.json", CIRCLES.replace('["X"]', '["L"]'))
        self.assertIn("c.json: error: a root has no finite term to extract",
                      self.eqsat("import", path, status=INPUT).stderr)

    def test_export_to_standard_output(self):
        self.assertIn("left out: ", self.eqsat("export", self.demo, "--dot", "-", "--max-nodes",
                                               "1").stdout)


class Wrong(Eqsat):
    def test_usage(self):
        for arguments in [[], ["frobnicate"], ["run"], ["run", self.demo, "--scheduler", "x"],
                          ["run", self.demo, "--iters", "-1"], ["run", self.demo, "--repeat", "0"],
                          ["run", self.demo, "--start", "-1"], ["run", self.demo, "--nodes", "1e3"],
                          ["run", self.demo, "--nodes", "99999999999999999999999"],
                          ["run", "none-such.wl"], ["export", self.demo], ["simplify"],
                          ["run", self.folder],
                          ["export", self.demo, "--dot", "no/such/folder"]]:
            with self.subTest(arguments):
                done = self.eqsat(*arguments, status=USAGE)
                self.assertEqual(done.stdout, "")
                self.assertIn("eqsat: error: ", done.stderr)

    def test_input(self):
        bad_rules = self.write("bad.rules", "a: (f ?x) => ?y\n")
        second = self.write("second.rules", "zero: x => y\n")
        for arguments, error in [
                (["run", self.write("a.wl", "n x\nn + 0\n")],
                 "a.wl:2:3: error: there is no operator '+'"),
                (["run", self.write("b.wl", b"\0\xff\n")], "b.wl:1:1: error: "),
                (["run", self.demo, "--rules", bad_rules], "bad.rules:1:14: error: '?y' "),
                (["run", self.demo, "--rules", second],
                 "second.rules:1:1: error: a second rule named 'zero'"),
                (["simplify", "(+ x"], "<term>:1:1: error: "),
                (["import", self.write("c.json", "{\"nodes\": {},\n}")], "c.json:2:1: error: "),
                (["import", self.write("d.json", "{}")],
                 "d.json: error: there is no member \"nodes\"")]:
            with self.subTest(error):
                done = self.eqsat(*arguments, status=INPUT)
                self.assertEqual(done.stdout, "")
                self.assertIn(error, done.stderr)

    def test_help(self):
        text = self.eqsat("--help").stdout
        for command in ["run", "simplify", "extract", "export", "import"]:
            self.assertIn(command, text)
            self.assertIn("Usage", self.eqsat(command, "--help").stdout)


if __name__ == "__main__":
    unittest.main()
