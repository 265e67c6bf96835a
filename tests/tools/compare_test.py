"""`flipsat compare`: six programs a module, and a baseline that it must not outgrow."""

import csv
import json
import unittest

from orders_test import MOSAIC, NO_CHANNEL, PAIR
from runner import BROKEN, GAINS, INPUT, NESTED, NO, USAGE, ToolTest

PROGRAMS = ["input", "greedy_literal", "greedy_sound", "best_order", "worst_order", "output"]

# One gather more than GAINS has.
GROWN = GAINS.replace("  ROOT half = bf16[256,256] convert(full)", """\
  other = s8[64,256] parameter(1)
  more = s8[256,256] all-gather(other), channel_id=2, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true
  half = bf16[256,256] convert(full)
  ROOT t = (bf16[256,256], s8[256,256]) tuple(half, more)""")


class Compare(ToolTest):
    def records(self, *arguments):
        self.run_flipsat("compare", *arguments, "--json", "c.json")
        return self.read_json("c.json")["records"]

    def test_one_record_an_input(self):
        one, other = self.records(self.write("a.hlo", NESTED), self.write("b.hlo", GAINS))
        for record in [one, other]:
            self.assertEqual(list(record["programs"]), PROGRAMS)
        times = {name: program["time_us"] for name, program in one["programs"].items()}
        self.assertEqual(times["greedy_sound"], times["worst_order"])
        self.assertLess(times["best_order"], times["worst_order"])
        self.assertEqual(times["output"], times["best_order"])
        self.run_flipsat("optimize", "a.hlo", "--report", "r.json")
        self.assertEqual(one["bound"], self.read_json("r.json")["bound"])
        self.assertEqual((one["order_count"], one["distinct_programs"], one["best_orders"]), (720, 2, 360))

    def test_literal_passes_that_go_wrong(self):
        wrong, stops = self.records(self.write("a.hlo", MOSAIC), self.write("b.hlo", NO_CHANNEL))
        self.assertEqual((wrong["literal_correct"], stops["literal_correct"]), ("no", "no"))
        self.assertIsNotNone(wrong["programs"]["greedy_literal"])
        self.assertIsNone(stops["programs"]["greedy_literal"])
        text = self.run_flipsat("compare", "a.hlo", "b.hlo").stdout
        self.assertIn("wrong ", text)
        self.assertIn("stopped", text)

    def test_table_for_programs(self):
        self.run_flipsat("compare", self.write("a.hlo", NESTED), "--csv", "c.csv")
        with open(self.folder / "c.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["program"] for row in rows], PROGRAMS)
        self.assertEqual(len({row["bound"] for row in rows}), 1)

    def baseline(self, text):
        self.run_flipsat("compare", self.write("m.hlo", text), "--json", "base.json")

    def test_no_growth(self):
        self.baseline(GAINS)
        done = self.run_flipsat("compare", "m.hlo", "--baseline", "base.json")
        self.assertIn("no growth in 1 module", done.stdout)

    def test_growth_fails_and_is_still_written(self):
        self.baseline(GAINS)
        self.write("m.hlo", GROWN)
        done = self.run_flipsat("compare", "m.hlo", "--baseline", "base.json", "--json", "now.json",
                                status=NO)
        self.assertIn("grown: m.hlo: launches of the module: 1 -> 2", done.stdout)
        self.assertIn("wire_bytes of the module", done.stdout)
        self.assertEqual(self.read_json("now.json")["records"][0]["programs"]["input"]["launches"], 2)
        quiet = self.run_flipsat("compare", "m.hlo", "--baseline", "base.json", "--quiet", status=NO)
        self.assertEqual(quiet.stdout, "")
        self.assertIn("grown: ", quiet.stderr)

    def test_bytes_alone(self):
        self.baseline(GAINS)
        self.write("m.hlo", GAINS.replace("256", "512").replace("[64,", "[128,"))
        done = self.run_flipsat("compare", "m.hlo", "--baseline", "base.json", status=NO)
        self.assertNotIn("launches", done.stdout.split("grown", 1)[1])

    def test_shrinking_is_no_growth(self):
        self.baseline(GROWN)
        self.write("m.hlo", GAINS)
        self.run_flipsat("compare", "m.hlo", "--baseline", "base.json")

    def test_modules_are_found_by_name(self):
        self.baseline(GAINS)
        self.write("elsewhere/m.hlo", GROWN)
        self.run_flipsat("compare", "elsewhere", "--baseline", "base.json", status=NO)
        self.write("elsewhere/m.hlo", GAINS)
        self.write("elsewhere/n.hlo", PAIR)
        done = self.run_flipsat("compare", "elsewhere", "--baseline", "base.json")
        self.assertIn("not in the baseline: elsewhere/n.hlo", done.stdout)
        done = self.run_flipsat("compare", "elsewhere/n.hlo", "--baseline", "base.json", status=NO)
        self.assertIn("only in the baseline: ", done.stdout)
        self.assertIn("no module of the baseline is among these", done.stdout)

    def test_modules_of_dumps_are_found_whatever_their_number(self):
        def dump(folder, number, text, end="txt"):
            stage = "0001.spmd-partitioning.after_spmd-partitioning.before_dce"
            return self.write(f"{folder}/module_{number:04}.jit_step.{stage}.{end}", text)

        dump("one", 3, GAINS)
        dump("one", 5, PAIR)
        self.run_flipsat("compare", "one", "--json", "base.json")
        dump("two", 4, GAINS)
        dump("two", 11, PAIR)
        self.run_flipsat("compare", "two", "--baseline", "base.json")
        dump("two", 4, GROWN)
        done = self.run_flipsat("compare", "two", "--baseline", "base.json", status=NO)
        self.assertIn("module_0004.jit_step", done.stdout)

    def test_what_is_no_baseline(self):
        self.baseline(GAINS)
        whole = self.read_json("base.json")
        del whole["records"][0]["programs"]["output"]["launches"]
        for text in ["", "{\n [}", "[]", "{}", '{"records": [{}]}', json.dumps(whole)]:
            with self.subTest(text):
                self.write("bad.json", text)
                done = self.run_flipsat("compare", "m.hlo", "--baseline", "bad.json", status=INPUT)
                self.assertIn("bad.json:", done.stderr)
        self.run_flipsat("compare", "m.hlo", "--baseline", "nowhere.json", status=INPUT)

    def test_a_baseline_of_another_question(self):
        self.baseline(GAINS)
        done = self.run_flipsat("compare", "m.hlo", "--baseline", "base.json", "--combiner", "none",
                                "--json", "now.json", status=USAGE)
        self.assertIn("--combiner", done.stderr)
        self.assertNotIn("now.json", self.files())

    def test_bad_input(self):
        self.run_flipsat("compare", self.write("m.hlo", BROKEN), "--json", "c.json", status=INPUT)
        self.assertEqual(self.files(), ["m.hlo"])
        self.write("m/n.hlo", GAINS)
        self.write("m/o.hlo", BROKEN)
        self.run_flipsat("compare", "m", "--json", "c.json", status=NO)
        self.assertIn("error", self.read_json("c.json")["records"][1])


if __name__ == "__main__":
    unittest.main()
