"""`flipsat optimize --vary`: what each run says, and that the output stays the base run's.

docs/cost-model.md shows runs; after a change that moves figures on purpose: vary_test.py --update
"""

import json
import re
import subprocess
import sys
import unittest

from runner import BINARY, GAINS, ROOT, ToolTest
from schema import faults

STACKED = ROOT / "examples" / "stacked_layers.hlo"
PAGE = ROOT / "docs" / "cost-model.md"
BLOCK = re.compile(r"```console\n\$ build/flipsat (?P<arguments>.*)\n(?P<skipped>\.\.\.\n)(?P<shown>(?:.*\n)*?)```")


class Vary(ToolTest):
    def report(self, module, *arguments):
        self.run_flipsat("optimize", module, "--report", "r.json", *arguments)
        return self.read_json("r.json")

    def test_the_output_is_the_base_runs(self):
        self.run_flipsat("optimize", STACKED, "-o", "base.hlo")
        done = self.run_flipsat("optimize", STACKED, "-o", "out.hlo", "--vary", "alpha=0.1x,2x")
        self.assertEqual((self.folder / "out.hlo").read_bytes(), (self.folder / "base.hlo").read_bytes())
        self.assertIn("vary alpha (launch time): another program for 0.1x\n", done.stdout)
        self.assertIn("beside the base run, alpha=0.1x\n", done.stdout)

    def test_report(self):
        report = self.report(STACKED, "--vary", "alpha=0.1x,1x,10", "--vary", "max-count=1")
        schema = json.loads((ROOT / "docs" / "report.schema.json").read_text())
        self.assertEqual(faults(report, schema), [])
        alpha, count = report["vary"]
        self.assertEqual([alpha["parameter"], alpha["unit"], alpha["base"]], ["alpha", "us", 5])
        self.assertEqual([run["value"] for run in alpha["runs"]], [0.5, 5, 10])
        self.assertEqual([run["same_program"] for run in alpha["runs"]], [False, True, True])
        self.assertEqual([bool(run["differences"]) for run in alpha["runs"]], [True, False, False])
        self.assertEqual([count["parameter"], count["base"], count["runs"][0]["value"]], ["max-count", 256, 1])

    def test_the_base_value_is_the_base_run(self):
        report = self.report(STACKED, "--vary", "alpha=1x")
        run, programs = report["vary"][0]["runs"][0], report["programs"]
        self.assertEqual(run["time_us"], {"input": programs["input"]["time_us"],
                                          "base": programs["output"]["time_us"],
                                          "output": programs["output"]["time_us"]})
        self.assertEqual(run["launches"], programs["output"]["executed"]["launches"])
        self.assertEqual(run["wire_bytes"], programs["output"]["executed"]["wire_bytes"])
        self.assertEqual(run["changes"], len(report["changes"]))

    def test_each_run_is_the_run_with_that_figure(self):
        machine = json.loads((ROOT / "examples/machines/trn2.json").read_text())
        machine["launch_us"] = 0.5
        combiner = json.loads((ROOT / "examples/combiners/neuron.json").read_text())
        for opcode in ["all_gather", "all_reduce", "reduce_scatter"]:
            combiner[opcode]["max_count"] = 2
        for given, option, document in [("alpha=0.5", "--machine", machine), ("max-count=2", "--combiner", combiner)]:
            with self.subTest(given):
                varied = self.report(STACKED, "--vary", given)["vary"][0]["runs"][0]
                path = self.write("figures.json", json.dumps(document))
                alone = self.report(STACKED, option, path)
                self.assertEqual(varied["time_us"]["output"], alone["programs"]["output"]["time_us"])
                self.assertEqual(varied["time_us"]["input"], alone["programs"]["input"]["time_us"])
                self.assertEqual(varied["changes"], len(alone["changes"]))

    def test_other_objectives_and_nothing_to_gain(self):
        for objective in ["bytes", "launches"]:
            done = self.run_flipsat("optimize", STACKED, "--objective", objective, "--vary", "alpha=0.1x")
            self.assertIn("the same program for every value", done.stdout)

    def test_streams_and_quiet(self):
        done = self.run_flipsat("optimize", "-", "-o", "-", "--vary", "alpha=2x", stdin=GAINS)
        self.assertTrue(done.stdout.startswith("HloModule gains"), done.stdout)
        self.assertIn("vary alpha", done.stderr)
        done = self.run_flipsat("optimize", "-", "--quiet", "--vary", "alpha=2x", stdin=GAINS)
        self.assertEqual(done.stdout + done.stderr, "")

    def test_without_it_the_report_has_no_such_field(self):
        self.assertNotIn("vary", self.report(self.write("m.hlo", GAINS)))


def printed(arguments):
    words = [str(ROOT / word) if word.startswith("examples/") else word for word in arguments.split()]
    done = subprocess.run([BINARY, *words], capture_output=True, text=True, check=True)
    return done.stdout[done.stdout.index("\nvary ") + 1:]


class Document(ToolTest):
    def test_shows_what_is_printed(self):
        blocks = list(BLOCK.finditer(PAGE.read_text()))
        self.assertEqual(len(blocks), 2)
        for block in blocks:
            with self.subTest(block["arguments"]):
                self.assertEqual(block["shown"], printed(block["arguments"]))


def update():
    def fresh(block):
        return f"```console\n$ build/flipsat {block['arguments']}\n...\n{printed(block['arguments'])}```"
    PAGE.write_text(BLOCK.sub(fresh, PAGE.read_text()))


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        unittest.main()
