"""Folders that XLA's --xla_dump_to filled, as inputs of each command."""

import gzip
import unittest

from runner import GAINS, NOTHING, USAGE, ToolTest

SPMD = "0001.spmd-partitioner.after_spmd-partitioning.before_dce"
STEP = f"module_0010.jit_step.{SPMD}.txt"
EVAL = f"module_0012.jit_eval.{SPMD}.hlo.pb.gz"


class DumpFolder(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("gains.hlo", GAINS)
        self.run_flipsat("convert", "gains.hlo", "gains.pb")
        proto = (self.folder / "gains.pb").read_bytes()

        self.write("dump/" + STEP, GAINS)
        for stage in ["before_optimizations", "cpu_after_optimizations",
                      "0000.spmd-partitioner.after_shardy-xla.before_spmd-partitioning"]:
            self.write(f"dump/module_0010.jit_step.{stage}.txt", NOTHING)
        self.write("dump/" + EVAL, gzip.compress(proto))
        self.write("dump/module_0012.jit_eval.before_optimizations.hlo.pb.gz", gzip.compress(proto))
        # A program of one device is never partitioned.
        self.write("dump/module_0002.jit_convert.before_optimizations.txt", NOTHING)
        # What holds no module, or none that is wanted, although it looks like one.
        self.write("dump/module_0010.jit_step.cpu_after_optimizations-buffer-assignment.txt", "x")
        self.write("dump/module_0012.jit_eval.snapshot.-17.pb", proto)
        self.write("dump/module_0012.jit_eval.debug_options", "")
        self.write("dump/module_0012.jit_eval/module.mlir", "")

    def refused(self, *arguments):
        done = self.run_flipsat(*arguments, status=USAGE)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_batch_takes_one_file_a_module(self):
        done = self.run_flipsat("batch", "dump", "-o", "out")
        self.assertEqual(self.results(), [STEP, EVAL, "report.json"])
        self.assertIn("2 modules, 2 improved", done.stdout)
        self.assertIn("skipped, not there right after SPMD partitioning: module_0002.jit_convert\n",
                      done.stdout)
        self.run_flipsat("verify", "gains.hlo", "out/" + STEP)
        self.assertEqual(len(self.read_json("out/report.json")["records"]), 2)

    def test_dumps_below_a_folder_and_other_files_beside_them(self):
        self.write("in/host0/" + STEP, GAINS)
        self.write("in/host0/module_0010.jit_step.before_optimizations.txt", NOTHING)
        self.write("in/host0/mine.hlo", NOTHING)
        self.write("in/host1/" + STEP, GAINS)
        self.write("in/module_0001.mine.hlo", NOTHING)  # no stage: its folder is no dump
        self.run_flipsat("batch", "in", "-o", "out")
        self.assertEqual(self.results(), ["host0/mine.hlo", "host0/" + STEP, "host1/" + STEP,
                                          "module_0001.mine.hlo", "report.json"])

    def test_a_file_named_by_itself_is_that_file(self):
        name = "module_0010.jit_step.before_optimizations.txt"
        self.run_flipsat("batch", f"dump/{name}", "-o", "out")
        self.assertEqual(self.results(), [name, "report.json"])

    def test_stage(self):
        self.run_flipsat("batch", "dump", "-o", "out", "--stage", "before_optimizations")
        self.assertEqual(self.results(), [
            "module_0002.jit_convert.before_optimizations.txt",
            "module_0010.jit_step.before_optimizations.txt",
            "module_0012.jit_eval.before_optimizations.hlo.pb.gz", "report.json"])
        done = self.run_flipsat("stats", "dump", "--stage", "shardy-xla")
        self.assertIn("after_shardy-xla", done.stdout)
        self.assertIn("skipped, not there at stage 'shardy-xla': module_0002.jit_convert, "
                      "module_0012.jit_eval", done.stdout)

    def test_a_stage_that_there_is_not(self):
        message = self.refused("stats", "dump", "--stage", "fusion")
        self.assertIn("no module below dump at stage 'fusion'; stages there: before_optimizations, "
                      "after_shardy-xla, after_spmd-partitioning, cpu_after_optimizations", message)
        self.write("plain/module_0001.f.before_optimizations.txt", NOTHING)
        self.write("plain/module_0001.f.cpu_after_optimizations.txt", NOTHING)
        message = self.refused("batch", "plain", "-o", "out")
        self.assertIn("right after SPMD partitioning; stages there: before_optimizations, "
                      "cpu_after_optimizations", message)
        self.assertIn("--xla_dump_hlo_pass_re=spmd-partitioning", message)
        self.assertEqual(self.results(), [])

    def test_module(self):
        for glob in ["jit_step", "*step", "module_0010", "module_0010.jit_*"]:
            with self.subTest(glob):
                done = self.run_flipsat("stats", "dump", "--module", glob)
                self.assertTrue(done.stdout.startswith(f"dump/{STEP}: "))
                self.assertNotIn("jit_eval", done.stdout)
                self.assertNotIn("skipped", done.stdout)
        self.assertIn("fits --module 'step'", self.refused("stats", "dump", "--module", "step"))

    def test_optimize_takes_the_only_module(self):
        message = self.refused("optimize", "dump", "-o", "out.hlo")
        self.assertIn(f"2 modules, and one file is wanted: {STEP}, {EVAL}", message)
        self.assertIn("--module", message)
        self.assertNotIn("out.hlo", self.files())
        done = self.run_flipsat("optimize", "dump", "--module", "jit_step", "-o", "out.hlo")
        self.assertIn(f"dump/{STEP}: ", done.stdout)
        self.run_flipsat("verify", "dump", "out.hlo", "--module", "jit_eval")

    def test_convert_takes_the_only_module(self):
        self.run_flipsat("convert", "dump", "out.hlo", "--module", "jit_step")
        self.assertEqual((self.folder / "out.hlo").read_text(), GAINS)

    def test_orders_and_compare_take_one_file_a_module(self):
        for command in ["orders", "compare"]:
            self.run_flipsat(command, "dump", "--json", f"{command}.json")
            self.assertEqual([record["input"] for record in self.read_json(f"{command}.json")["records"]],
                             [f"dump/{STEP}", f"dump/{EVAL}"])
            self.run_flipsat(command, "dump", "--module", "none", status=USAGE)

    def test_other_folders(self):
        self.write("in/m.hlo", GAINS)
        for command in [["optimize", "in"], ["convert", "in", "out.pb"], ["verify", "in", "in/m.hlo"]]:
            self.assertIn("'flipsat batch' takes them all", self.refused(*command))
        self.assertIn("m.hlo: ", self.run_flipsat("stats", "in").stdout)
        for option in ["--stage", "--module"]:
            for command in [["stats", "in"], ["optimize", "in/m.hlo"], ["batch", "in", "-o", "out"]]:
                self.assertIn("only for folders that --xla_dump_to filled",
                              self.refused(*command, option, "x"))


if __name__ == "__main__":
    unittest.main()
