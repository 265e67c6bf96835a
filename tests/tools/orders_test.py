"""`flipsat orders`: every order in exactly one result, in JSON, tables and on a page."""

import csv
import itertools
import json
import re
import shutil
import unittest

from runner import BROKEN, GAINS, INPUT, NESTED, NO, NOTHING, ROOT, USAGE, ToolTest

SIX = ["all_gather_dynamic_slice", "all_gather_convert", "all_gather_reshape", "all_gathers_binary",
       "reduce_convert_add", "reduce_scatter_transpose"]

# Two gathers that a combiner joins once both are of one type.
PAIR = """HloModule pair, num_partitions=4

ENTRY main {
  x = f32[64,96] parameter(0)
  y = f32[64,80] parameter(1)
  a = f32[256,96] all-gather(x), dimensions={0}, channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  b = f32[256,80] all-gather(y), dimensions={0}, channel_id=2, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  c = bf16[256,96] convert(a)
  ROOT t = (bf16[256,96], f32[256,80]) tuple(c, b)
}
"""

# The literal pass slices before the gather, at a place that differs from device to device.
MOSAIC = """HloModule mosaic, num_partitions=2

ENTRY main {
  x = f32[1,2,2] parameter(0)
  zero = u32[] constant(0)
  p = u32[] partition-id()
  g = f32[2,2,2] all-gather(x), channel_id=1, replica_groups={{0,1}}, dimensions={0}, use_global_device_ids=true
  ROOT s = f32[2,1,1] dynamic-slice(g, zero, p, p), dynamic_slice_sizes={2,1,1}
}
"""

# The literal pass makes a module that is not well formed.
NO_CHANNEL = """HloModule stops, replica_count=2, num_partitions=2

ENTRY main {
  x = f32[1] parameter(0)
  y = f32[1] parameter(1)
  a = f32[2] all-gather(x), replica_groups={{0,1}}, dimensions={0}
  b = f32[2] all-gather(y), replica_groups={{0,1}}, dimensions={0}
  ROOT s = f32[2] add(a, b)
}
"""


class Orders(ToolTest):
    def report(self, text, *arguments, status=0):
        self.run_flipsat("orders", self.write("m.hlo", text), "--json", "o.json", *arguments,
                         status=status)
        return self.read_json("o.json")

    def check_counts(self, report, orders):
        """Each of the orders stands in one result, and in no other."""
        self.assertEqual(report["order_count"], len(orders))
        listed = [tuple(order) for result in report["results"] for order in result["orders"]]
        self.assertEqual(sorted(listed), sorted(orders))
        for result in report["results"]:
            self.assertEqual(result["count"], len(result["orders"]))

    def test_all_orders_of_the_six(self):
        report = self.report(NESTED)
        self.check_counts(report, list(itertools.permutations(SIX)))
        self.assertEqual((report["mode"], report["passes"]), ("sound", SIX))
        better, worse = report["results"]
        self.assertEqual((better["count"], worse["count"]), (360, 360))
        for order in better["orders"]:
            self.assertLess(order.index("all_gather_reshape"), order.index("all_gather_convert"))
        self.assertLess(better["program"]["time_us"], worse["program"]["time_us"])
        self.assertEqual((better["correct"], worse["correct"]), ("yes", "yes"))
        self.assertEqual(report["output"], better["program"])
        self.assertEqual(better["above_output"], 0)
        self.assertLess(better["above_bound"], 1e-5)  # what rounding to picoseconds leaves
        more = worse["program"]["time_us"] / better["program"]["time_us"] - 1
        self.assertAlmostEqual(worse["above_output"], more, 5)

    def test_programs_are_those_of_optimize(self):
        report = self.report(NESTED)
        self.run_flipsat("optimize", "m.hlo", "--beat-orders", "--report", "r.json")
        whole = self.read_json("r.json")
        self.assertEqual(report["input_program"], whole["programs"]["input"])
        self.assertEqual(report["output"], whole["programs"]["output"])
        self.assertEqual(report["bound"], whole["bound"])
        listed = [result for result in report["results"] if SIX in result["orders"]]
        self.assertEqual(listed[0]["program"], whole["programs"]["greedy"])

    def test_lattice(self):
        report = self.report(NESTED)
        states, edges = report["lattice"]["states"], report["lattice"]["edges"]
        self.assertEqual([state["depth"] for state in states], [0, 1, 2])
        self.assertEqual(sum(state["ending_orders"] for state in states), 720)
        # The convert of the reshape has nothing to pass before the reshape has gone.
        self.assertEqual([(edge["from"], edge["to"], edge["passes"], edge["orders"]) for edge in edges],
                         [(0, 1, ["all_gather_reshape"], 720), (1, 2, ["all_gather_convert"], 360)])

    def test_swaps(self):
        swaps = {tuple(swap["passes"]): swap for swap in self.report(NESTED)["swaps"]}
        self.assertEqual(len(swaps), 15)
        changing = {pair for pair, swap in swaps.items() if swap["changed"]}
        self.assertEqual(changing, {("all_gather_convert", "all_gather_reshape")})
        swap = swaps["all_gather_convert", "all_gather_reshape"]
        self.assertEqual((swap["neighbours"], swap["changed"]), (120, 120))
        self.assertEqual((swap["first_is_better"], swap["second_is_better"]), (0, 120))

    def test_subsets_and_repeats(self):
        names = ["all_gather_convert", "all_gather_reshape", "all_gather_convert"]
        report = self.report(NESTED, "--passes", ",".join(names))
        self.check_counts(report, sorted(set(itertools.permutations(names))))
        self.assertEqual([result["count"] for result in report["results"]], [2, 1])
        long_name = "aws_neuron_flip_all_gather_convert"
        self.check_counts(self.report(NESTED, "--passes", long_name), [("all_gather_convert",)])

    def test_to_a_fix_point(self):
        chain = NESTED.replace("  ROOT h = bf16[24576] convert(r)",
                               "  c = bf16[24576] convert(r)\n  ROOT h = bf16[128,192] reshape(c)")
        star = self.report(chain, "--passes", "all_gather_reshape*,all_gather_convert")
        once = self.report(chain, "--passes", "all_gather_reshape,all_gather_convert")
        self.assertEqual(star["results"], json.loads(
            json.dumps(once["results"]).replace("all_gather_reshape", "all_gather_reshape*")))
        settled = self.report(chain, "--sweeps", "fix-point")
        self.assertEqual(len(settled["results"]), 1)
        self.assertLess(settled["results"][0]["program"]["time_us"],
                        once["results"][0]["program"]["time_us"])
        self.assertEqual(self.report(chain, "--passes", "*"), settled)

    def test_a_pass_to_its_fix_point_runs_more_than_once(self):
        two = NESTED.replace("  ROOT h = bf16[24576] convert(r)", "  ROOT h = f32[128,192] reshape(r)")
        once = self.report(two, "--passes", "all_gather_reshape")
        star = self.report(two, "--passes", "all_gather_reshape*")
        self.assertNotEqual(once["results"][0]["program"], star["results"][0]["program"])

    def test_combiners_stand_in_the_order(self):
        report = self.report(PAIR, "--passes", "all_gather_convert,combine")
        first = {result["orders"][0][0]: result["program"] for result in report["results"]}
        # Combined in f32, the gather of two can no longer be narrowed.
        self.assertEqual(first["combine"]["collectives"], 1)
        self.assertEqual(first["combine"]["launches"], 1)
        self.assertEqual(first["all_gather_convert"]["collectives"], 2)
        self.assertGreater(first["combine"]["wire_bytes"], first["all_gather_convert"]["wire_bytes"])
        self.assertEqual({result["correct"] for result in report["results"]}, {"yes"})
        one = self.report(PAIR, "--passes", "all_gather_combiner")["results"][0]["program"]
        self.assertEqual(one, first["combine"])
        other = self.report(PAIR, "--passes", "all_reduce_combiner")
        self.assertEqual(other["results"][0]["program"], other["input_program"])

    def test_literal_passes_may_be_wrong(self):
        report = self.report(MOSAIC, "--mode", "literal")
        self.assertEqual([result["correct"] for result in report["results"]], ["no"])
        self.assertIn("differs on device", report["results"][0]["why"])
        report = self.report(MOSAIC)
        self.assertEqual(report["results"][0]["program"], report["input_program"])

    def test_literal_passes_may_stop_the_compiler(self):
        report = self.report(NO_CHANNEL, "--mode", "literal")
        self.assertEqual(report["order_count"], 720)
        (result,) = report["results"]
        self.assertEqual((result["program"], result["correct"], result["count"]), (None, "no", 720))
        self.assertIn("not well formed", result["why"])

    def test_extended_goes_on_with_all_other_rules(self):
        own_shard = ROOT / "examples" / "fsdp_layer.hlo"
        sound = self.report(own_shard.read_text())
        extended = self.report(own_shard.read_text(), "--mode", "extended")
        self.check_counts(extended, list(itertools.permutations(SIX)))
        self.assertEqual(extended["closing"], ["other_families"])
        self.assertLess(extended["results"][0]["program"]["time_us"],
                        sound["results"][0]["program"]["time_us"])
        self.assertEqual({result["correct"] for result in extended["results"]}, {"yes"})
        one = self.report(own_shard.read_text(), "--mode", "extended", "--passes", "reduce_own_shard")
        kinds = one["results"][0]["program"]["by_opcode"]
        self.assertIn("reduce-scatter", kinds)

    def test_rules_that_are_switched_off_are_no_passes(self):
        off = self.report(NESTED, "--disable", "gather-reshape")
        self.assertEqual(off["order_count"], 720)
        self.assertEqual(off["results"][0]["program"], off["input_program"])

    def test_several_modules(self):
        folder = self.folder / "several"
        for name, text in [("a.hlo", NESTED), ("b.hlo", NOTHING), ("c.hlo", GAINS)]:
            self.write(f"several/{name}", text)
        self.run_flipsat("orders", folder, "--json", "o.json", "--threads", 2)
        report = self.read_json("o.json")
        self.assertEqual([record["input"] for record in report["records"]],
                         [f"{folder}/{name}.hlo" for name in "abc"])
        self.assertTrue(all(record["order_count"] == 720 for record in report["records"]))
        learning = report["learning"]
        self.assertEqual((learning["modules"], learning["matters_on"]), (3, 1))
        self.assertEqual(learning["mean_regret"], 0)
        self.assertLess(learning["best_order"].index("all_gather_reshape"),
                        learning["best_order"].index("all_gather_convert"))
        worst = max(result["program"]["time_us"] for result in report["records"][0]["results"])
        best = min(result["program"]["time_us"] for result in report["records"][0]["results"])
        self.assertAlmostEqual(learning["first_order_regret"], (worst / best - 1) / 3, 5)
        self.assertEqual(len(learning["orders"]), 720)
        # Without the first module nothing tells the orders apart, and the listed one is bad on it.
        left_out = learning["leave_one_out"]["records"]
        self.assertEqual(left_out[0]["order"], SIX)
        self.assertAlmostEqual(left_out[0]["regret"], worst / best - 1, 5)
        self.assertEqual([record["regret"] for record in left_out[1:]], [0, 0])

    def test_threads_change_nothing(self):
        shutil.copytree(ROOT / "examples", self.folder / "m",
                        ignore=lambda _, names: [name for name in names if not name.endswith(".hlo")])
        for threads in [1, 2]:
            self.run_flipsat("orders", "m", "--json", f"{threads}.json", "--csv", f"t{threads}",
                             "--html", f"{threads}.html", "--threads", threads)
        for one, two in [("1.json", "2.json"), ("1.html", "2.html"),
                         ("t1/orders.csv", "t2/orders.csv")]:
            self.assertEqual((self.folder / one).read_bytes(), (self.folder / two).read_bytes())

    def test_a_module_that_fails_stops_no_other(self):
        self.write("m/a.hlo", BROKEN)
        self.write("m/b.hlo", NESTED)
        done = self.run_flipsat("orders", "m", "--json", "o.json", status=NO)
        self.assertIn("a.hlo:5:", done.stdout)
        broken, good = self.read_json("o.json")["records"]
        self.assertIn("error", broken)
        self.assertEqual(good["order_count"], 720)

    def test_bad_input(self):
        done = self.run_flipsat("orders", self.write("m.hlo", BROKEN), "--json", "o.json", status=INPUT)
        self.assertIn("m.hlo:5:", done.stderr)
        self.assertEqual(self.files(), ["m.hlo"])

    def test_tables(self):
        self.run_flipsat("orders", self.write("m.hlo", NESTED), "--csv", "tables")
        def rows(name):
            with open(self.folder / "tables" / name, newline="", encoding="utf-8") as file:
                return list(csv.DictReader(file))
        programs = rows("programs.csv")
        self.assertEqual([row["orders"] for row in programs], ["360", "360"])
        self.assertEqual([row["correct"] for row in programs], ["yes", "yes"])
        orders = rows("orders.csv")
        self.assertEqual(len(orders), 720)
        self.assertEqual({float(row["mean_regret"]) for row in orders[:360]}, {0.0})
        self.assertTrue(all(float(row["mean_regret"]) > 0 for row in orders[360:]))
        self.assertEqual(sum(int(row["changed"]) for row in rows("swaps.csv")), 120)

    def test_the_page_stands_on_its_own(self):
        self.write("m/<b>&.hlo", NESTED)
        self.write("m/same.hlo", NOTHING)
        self.run_flipsat("orders", "m", "--html", "o.html", "--quiet")
        page = (self.folder / "o.html").read_text()
        self.assertIn("&lt;b&gt;&amp;.hlo", page)
        self.assertNotIn("<b>&.hlo", page)
        for outside in ["http:", "https:", "src=", "@import", "<script", "<link"]:
            self.assertNotIn(outside, page)
        for part in ["orders by cost", "lattice of programs", "regret of orders on modules",
                     "swaps that change the program"]:
            self.assertIn(f'aria-label="{part}"', page)
        self.assertEqual(page.count("<svg"), page.count("</svg>"))
        self.assertEqual(len(re.findall("<details", page)), 1)
        self.assertEqual(page.count('id="'), 1)  # no two are the same

    def test_the_table_people_see(self):
        text = self.run_flipsat("orders", self.write("m.hlo", NESTED)).stdout
        self.assertTrue(text.startswith("720 orders end at 2 programs, "), text)
        self.assertIn("120 of 120", text)
        self.assertEqual(self.run_flipsat("orders", "m.hlo", "--quiet").stdout, "")
        done = self.run_flipsat("orders", "m.hlo", "--json", "-")
        self.assertEqual(json.loads(done.stdout)["order_count"], 720)
        self.assertIn("720 orders", done.stderr)

    def test_the_documented_table(self):
        page = (ROOT / "docs" / "orders.md").read_text()
        command, shown = re.search(r"```console\n\$ build/flipsat (.*)\n((?:.*\n)*?)```", page).groups()
        words = [ROOT / word if word.startswith("examples/") else word for word in command.split()]
        printed = self.run_flipsat(*words).stdout.replace(f"{ROOT}/", "")
        self.assertEqual(printed[:len(shown)], shown)

    def test_wrong_usage(self):
        module = self.write("m.hlo", NESTED)
        done = self.run_flipsat("orders", module, "--passes", "all_gather_convrt", status=USAGE)
        self.assertIn("did you mean 'all_gather_convert'?", done.stderr)
        done = self.run_flipsat("orders", module, "--passes", "reduce_own_shard", status=USAGE)
        self.assertIn("--mode extended", done.stderr)
        done = self.run_flipsat("orders", module, "--passes", ",".join(["combine"] * 10), status=USAGE)
        self.assertIn("too many", done.stderr)
        for wrong in [["--mode", "loose"], ["--sweeps", "twice"], ["--passes", ""],
                      ["--json", "no/such/folder/o.json"], ["--threads", "0"]]:
            with self.subTest(wrong):
                self.run_flipsat("orders", module, *wrong, status=USAGE)
        self.run_flipsat("orders", status=USAGE)
        (self.folder / "empty").mkdir()
        self.run_flipsat("orders", "empty", status=USAGE)
        self.run_flipsat("orders", "nowhere", status=INPUT)
        self.assertEqual(self.files(), ["m.hlo"])


if __name__ == "__main__":
    unittest.main()
