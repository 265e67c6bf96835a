"""`flipsat optimize`: what it writes where, and that it writes nothing where it must not."""

import gzip
import html
import json
import os
import subprocess
import unittest

from runner import BINARY, BROKEN, EXAMPLES, GAINS, INPUT, NESTED, NOTHING, ROOT, USAGE, ToolTest
from schema import faults


LOOP = """HloModule loop, num_partitions=4

condition {
  q = (s32[], f32[256,64], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(q), index=0
  n = s32[] constant(5)
  ROOT more = pred[] compare(i, n), direction=LT
}

body {
  p = (s32[], f32[256,64], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  sum = f32[256,64] get-tuple-element(p), index=1
  w = f32[64,64] get-tuple-element(p), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  g = f32[256,64] all-gather(w), dimensions={0}, channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  u = f32[256,64] add(sum, g)
  ROOT o = (s32[], f32[256,64], f32[64,64]) tuple(j, u, w)
}

ENTRY main {
  a = f32[256,64] parameter(0)
  b = f32[64,64] parameter(1)
  zero = s32[] constant(0)
  s = (s32[], f32[256,64], f32[64,64]) tuple(zero, a, b)
  l = (s32[], f32[256,64], f32[64,64]) while(s), condition=condition, body=body
  ROOT r = f32[256,64] get-tuple-element(l), index=1
}
"""


CHAINS = """HloModule chains, num_partitions=4

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}

ENTRY main {
  x = f32[32] parameter(0)
  y = f32[32] parameter(1)
  a1 = f32[32] all-reduce(x), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  a2 = f32[32] tanh(a1)
  a3 = f32[32] all-reduce(a2), channel_id=2, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  b1 = f32[32] all-reduce(y), channel_id=3, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  b2 = f32[32] tanh(b1)
  b3 = f32[32] all-reduce(b2), channel_id=4, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  ROOT t = (f32[32], f32[32]) tuple(a3, b3)
}
"""


TWO_GATHERS = """HloModule two, num_partitions=4

ENTRY main {
  x = f32[64,96] parameter(0)
  y = f32[64,80] parameter(1)
  a = f32[256,96] all-gather(x), dimensions={0}, channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  b = f32[256,80] all-gather(y), dimensions={0}, channel_id=2, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  a16 = bf16[256,96] convert(a)
  b16 = bf16[256,80] convert(b)
  ROOT t = (bf16[256,96], bf16[256,80]) tuple(a16, b16)
}
"""


class Optimize(ToolTest):
    def test_improves_and_writes(self):
        done = self.run_flipsat("optimize", self.write("m.hlo", GAINS), "-o", "out.hlo")
        text = (self.folder / "out.hlo").read_text()
        self.assertIn("bf16[256,256] all-gather(", text)
        self.assertIn("gather-convert", done.stdout)
        self.assertTrue(done.stdout.startswith("time -"), done.stdout)

    def test_nothing_to_gain_gives_the_input_byte_for_byte(self):
        done = self.run_flipsat("optimize", self.write("m.hlo", NOTHING), "-o", "out.hlo")
        self.assertTrue(done.stdout.startswith("nothing to gain, proved\n"), done.stdout)
        self.assertEqual((self.folder / "out.hlo").read_bytes(), NOTHING.encode())

    def test_without_output_only_the_table(self):
        self.run_flipsat("optimize", self.write("m.hlo", GAINS))
        self.assertEqual(self.files(), ["m.hlo"])

    def test_streams(self):
        done = self.run_flipsat("optimize", "-", "-o", "-", stdin=GAINS)
        self.assertTrue(done.stdout.startswith("HloModule gains"), done.stdout)
        self.assertTrue(done.stderr.startswith("time -"), done.stderr)

    def test_report_to_standard_output(self):
        done = self.run_flipsat("optimize", self.write("m.hlo", GAINS), "--report", "-")
        self.assertEqual(json.loads(done.stdout)["schema"], 1)
        self.assertTrue(done.stderr.startswith("time -"), done.stderr)

    def test_quiet(self):
        done = self.run_flipsat("optimize", self.write("m.hlo", GAINS), "-o", "o.hlo", "--quiet")
        self.assertEqual(done.stdout + done.stderr, "")

    def test_verbose_shows_rules_and_e_graph(self):
        done = self.run_flipsat("optimize", self.write("m.hlo", GAINS), "--verbose")
        self.assertIn("e-graph: ", done.stdout)
        self.assertRegex(done.stdout, r"gather-convert +\d+ +\d+")

    def test_verbose_logs_the_greedy_passes_on_standard_error(self):
        module = self.write("m.hlo", GAINS)
        log = self.run_flipsat("optimize", module, "--verbose").stderr
        self.assertEqual(log, "".join(f"aws_neuron_flip_all_gather_convert: {line}\n" for line in [
            "found %half in main", "created %convert.1 %all-gather.1 for %half in main"]))
        self.assertEqual(self.run_flipsat("optimize", module).stderr, "")

    def test_hoist(self):
        module = self.write("m.hlo", LOOP)
        done = self.run_flipsat("optimize", module, "-o", "o.hlo")
        self.assertEqual((self.folder / "o.hlo").read_bytes(), LOOP.encode())
        done = self.run_flipsat("optimize", module, "-o", "o.hlo", "--hoist", "--report", "r.json")
        self.assertIn("hoist", done.stdout)
        report = self.read_json("r.json")
        schema = json.loads((ROOT / "docs/report.schema.json").read_text())
        self.assertEqual(faults(report, schema), [])
        self.assertEqual([change["rules"] for change in report["changes"]], [["hoist"]])
        self.run_flipsat("verify", module, "o.hlo")

    def test_diff(self):
        done = self.run_flipsat("optimize", self.write("m.hlo", GAINS), "--diff", "--quiet")
        self.assertIn("--- ", done.stdout)
        self.assertIn("\n-  full = f32[256,256] all-gather(", done.stdout)
        self.assertRegex(done.stdout, r"\n\+ .*bf16\[256,256\]\S* all-gather\(")

    def test_compressed_in_and_out(self):
        self.run_flipsat("optimize", self.write("m.hlo.gz", gzip.compress(GAINS.encode())), "-o",
                         "out.hlo.gz")
        self.run_flipsat("optimize", self.write("m.hlo", GAINS), "-o", "out.hlo")
        self.assertEqual(gzip.decompress((self.folder / "out.hlo.gz").read_bytes()),
                         (self.folder / "out.hlo").read_bytes())

    def test_switched_off_rules_change_nothing(self):
        module = self.write("m.hlo", GAINS)
        for option in [["--disable", "gather-convert"], ["--only", "gather-reshape"]]:
            self.run_flipsat("optimize", module, "-o", "out.hlo", *option)
            self.assertEqual((self.folder / "out.hlo").read_text(), GAINS)

    def test_a_gain_below_the_least_is_left(self):
        self.run_flipsat("optimize", self.write("m.hlo", GAINS), "-o", "out.hlo", "--min-gain", "99")
        self.assertEqual((self.folder / "out.hlo").read_text(), GAINS)

    def test_verify_off_is_said(self):
        done = self.run_flipsat("optimize", self.write("m.hlo", GAINS), "--verify", "off",
                                "--report", "r.json")
        self.assertIn("not verified", done.stdout.splitlines()[0])
        self.assertEqual(self.read_json("r.json")["verified"]["how"], "off")

    def test_link_to_output_stays_a_link(self):
        self.write("target.hlo", "old")
        os.symlink("target.hlo", self.folder / "link.hlo")
        self.run_flipsat("optimize", self.write("m.hlo", GAINS), "-o", "link.hlo")
        self.assertTrue((self.folder / "link.hlo").is_symlink())
        self.assertIn("all-gather", (self.folder / "target.hlo").read_text())

    def test_device_as_output_stays_a_device(self):
        self.run_flipsat("optimize", self.write("m.hlo", GAINS), "-o", "/dev/null")
        self.assertFalse(os.path.isfile("/dev/null"))


class WritesNothing(ToolTest):
    """On statuses 1 to 4 neither output nor report appears, and what was there stays."""

    def refused(self, status, *arguments):
        before = {name: (self.folder / name).read_bytes() for name in self.files()}
        done = self.run_flipsat("optimize", *arguments, status=status)
        after = {name: (self.folder / name).read_bytes() for name in self.files()}
        self.assertEqual(before, after)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_bad_text_has_a_place(self):
        self.write("out.hlo", "precious")
        message = self.refused(INPUT, self.write("m.hlo", BROKEN), "-o", "out.hlo", "--report",
                               "r.json")
        self.assertRegex(message, r"^\S*m\.hlo:\d+:\d+: error: .+\n$")

    def test_missing_and_damaged_files(self):
        self.assertRegex(self.refused(INPUT, "gone.hlo", "-o", "out.hlo"), r"gone\.hlo:1:1: error: ")
        cut = gzip.compress(GAINS.encode())[:-12]
        self.refused(INPUT, self.write("cut.hlo.gz", cut), "-o", "out.hlo")
        self.refused(INPUT, self.write("empty.hlo", ""), "-o", "out.hlo")
        self.refused(INPUT, self.write("nul.hlo", b"HloModule \0"), "-o", "out.hlo")

    def test_bad_machine_file(self):
        module = self.write("m.hlo", GAINS)
        machine = self.write("machine.json", '{"name": 3}')
        self.assertRegex(self.refused(INPUT, module, "--machine", machine, "-o", "out.hlo"),
                         r"machine\.json:\d+:\d+: error: ")

    def test_unwritable_places(self):
        module = self.write("m.hlo", GAINS)
        (self.folder / "folder").mkdir()
        self.refused(USAGE, module, "-o", "folder")
        self.refused(USAGE, module, "-o", "no/such/place.hlo")
        self.refused(USAGE, module, "-o", "out.hlo", "--report", "no/such/report.json")
        self.refused(USAGE, module, "-o", "same", "--report", "same")

    def test_reports_of_one_place_or_kind(self):
        module = self.write("m.hlo", GAINS)
        self.write("r.json", "precious")
        (self.folder / "link.html").symlink_to(module)
        (self.folder / "deep").mkdir()
        for words in [["a.json", "b.json"], ["a.html", "b.HTML"], ["a.html", "a.html"], ["-", "b.json"], ["m.hlo"],
                      ["./m.hlo"], ["r.json", "link.html"], ["r.html", "no/such/r.json"], ["a.html.bz2"], ["deep"]]:
            with self.subTest(words):
                self.refused(USAGE, module, "-o", "out.hlo", *(word for path in words for word in ["--report", path]))
        self.refused(USAGE, module, "-o", "x.html", "--report", "r.json", "--report", "deep/../x.html")
        self.refused(INPUT, self.write("bad.hlo", BROKEN), "--report", "r.html", "--report", "r.json")
        self.assertEqual(module.read_text(), GAINS)

    def test_full_device(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        self.refused(USAGE, self.write("m.hlo", GAINS), "-o", "/dev/full", "--report", "r.json")


class StandardOutput(ToolTest):
    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
    def test_a_table_that_cannot_be_printed_is_an_error(self):
        module = self.write("m.hlo", GAINS)
        with open("/dev/full", "w", encoding="utf-8") as full:
            for command in [["optimize", module], ["stats", module], ["rules"]]:
                done = subprocess.run([BINARY, *command], stdout=full, stderr=subprocess.PIPE,
                                      text=True, check=False)
                self.assertEqual(done.returncode, USAGE)
                self.assertIn("cannot write standard output", done.stderr)


class Page(ToolTest):
    def test_beside_the_report_for_programs(self):
        module = self.write("m.hlo", GAINS)
        self.run_flipsat("optimize", module, "--report", "r.html", "-o", "o.hlo", "--report", "r.json")
        self.run_flipsat("optimize", module, "--quiet", "--report", "only.HTML.gz")
        page = (self.folder / "r.html").read_text()
        self.assertEqual(gzip.decompress((self.folder / "only.HTML.gz").read_bytes()).decode(), page)
        headline = html.escape(self.read_json("r.json")["headline"])
        self.assertIn(f'<h1 id="headline">{headline}</h1>', page)
        self.assertTrue((self.folder / "o.hlo").exists())

    def test_beside_a_report_on_standard_output(self):
        done = self.run_flipsat("optimize", self.write("m.hlo", GAINS), "--report", "r.html", "--report", "-")
        self.assertEqual(json.loads(done.stdout)["headline"], done.stderr.splitlines()[0])


class Report(ToolTest):
    def report_of(self, module, *arguments):
        self.run_flipsat("optimize", module, "--quiet", "--report", "r.json", *arguments)
        return self.read_json("r.json")

    def test_follows_the_schema(self):
        schema = json.loads((ROOT / "docs/report.schema.json").read_text())
        modules = [self.write("gains.hlo", GAINS), self.write("nothing.hlo", NOTHING), *EXAMPLES]
        for module in modules:
            with self.subTest(module):
                self.assertEqual(faults(self.report_of(module), schema), [])

    def test_keys_are_the_parts_of_opcodes_and_launches(self):
        for module in EXAMPLES:
            report = self.report_of(module)
            names = [tuple(key[name] for name in ["opcode", "type", "dim", "groups"]) for key in report["keys"]]
            self.assertEqual(names, sorted(set(names)))
            for name, program in report["programs"].items():
                sums = {}
                for key in report["keys"]:
                    if key[name]["count"] == 0:
                        self.assertEqual(key[name], {"count": 0, "launches": 0, "bytes": 0})
                        continue
                    opcode = sums.setdefault(key["opcode"], {"count": 0, "bytes": 0})
                    opcode["count"] += key[name]["count"]
                    opcode["bytes"] += key[name]["bytes"]
                self.assertEqual(sums, program["by_opcode"], (module.name, name))
                self.assertEqual(sum(key[name]["launches"] for key in report["keys"]), program["launches"])

    def test_never_worse_than_input_and_greedy(self):
        for module in EXAMPLES:
            for objective, field in [("time", lambda p: p["time_us"]),
                                     ("bytes", lambda p: p["executed"]["wire_bytes"]),
                                     ("launches", lambda p: p["executed"]["launches"])]:
                with self.subTest(module=module.name, objective=objective):
                    programs = self.report_of(module, "--objective", objective)["programs"]
                    self.assertLessEqual(field(programs["output"]), field(programs["input"]))
                    self.assertLessEqual(field(programs["output"]), field(programs["greedy"]))

    def test_says_what_was_asked(self):
        module = self.write("m.hlo", GAINS.replace(", num_partitions=4", ""))
        report = self.report_of(module, "--combiner", "xla-gpu", "--machine", "h100", "--numerics",
                                "reassoc", "--objective", "bytes", "--partitions", "4",
                                "--assume-replicated", "shard", "--assume-finite")
        self.assertEqual([report[name] for name in ["combiner", "machine", "numerics", "objective"]],
                         ["xla-gpu", "h100", "reassoc", "bytes"])
        self.assertEqual(report["assumed"]["partitions"], 4)
        self.assertEqual(report["assumed"]["replicated"], ["shard"])
        self.assertIs(report["assumed"]["finite"], True)
        self.assertEqual(report["input"], str(module))

    def test_counts_of_a_known_module(self):
        report = self.report_of(self.write("m.hlo", GAINS))
        program = report["programs"]["input"]
        self.assertEqual(program["by_opcode"], {"all-gather": {"count": 1, "bytes": 262144}})
        self.assertEqual(program["wire_bytes"], 196608)
        self.assertEqual(report["programs"]["output"]["gathered_bytes"], 131072)
        self.assertEqual(report["origin"] in ("greedy", "egraph"), True)
        self.assertEqual([change["rules"] for change in report["changes"]], [["gather-convert"]])
        self.assertEqual(report["bound"]["objective"], "time")
        self.assertAlmostEqual(report["bound"]["value"], report["programs"]["output"]["time_us"], places=4)
        self.assertEqual(report["gap"], 0)

    def test_all_orders(self):
        module = self.write("m.hlo", NESTED)
        schema = json.loads((ROOT / "docs/report.schema.json").read_text())
        self.assertNotIn("orders", self.report_of(module))
        report = self.report_of(module, "--beat-orders")
        self.assertEqual(faults(report, schema), [])
        orders = report["orders"]
        self.assertEqual((orders["order_count"], orders["programs"], orders["states"]), (720, 2, 3))
        self.assertLess(orders["best"]["time_us"], orders["worst"]["time_us"])
        self.assertLess(orders["best_order"].index("all_gather_reshape"),
                        orders["best_order"].index("all_gather_convert"))
        # Rules find it, too.
        self.assertEqual((report["origin"], orders["is_output"]), ("egraph", False))
        self.assertLessEqual(report["programs"]["output"]["time_us"], orders["best"]["time_us"])
        table = self.run_flipsat("optimize", module, "--beat-orders").stdout
        self.assertRegex(table, r"\nall 720 orders of the local passes end at 2 programs, [^ ]+ us to [^ ]+ us\n")

    def test_an_order_that_wins_is_named(self):
        module = self.write("m.hlo", NESTED)
        # A graph that may not grow holds the input only.
        without = self.report_of(module, "--node-limit", "1")
        report = self.report_of(module, "--node-limit", "1", "--beat-orders", "-o", "out.hlo")
        self.assertLess(report["programs"]["output"]["time_us"], without["programs"]["output"]["time_us"])
        self.assertEqual((report["origin"], report["orders"]["is_output"]), ("greedy", True))
        self.assertEqual(report["programs"]["output"], report["orders"]["best"])
        self.assertEqual(report["changes"][0]["rules"], ["pass order"])
        self.assertTrue(any(note.startswith("an order of the local passes finds what the rules do not: ")
                            for note in report["notes"]), report["notes"])
        self.run_flipsat("verify", module, "out.hlo", "--verify", "full")

    def test_orders_keep_to_the_limits(self):
        module = self.write("m.hlo", NESTED)
        report = self.report_of(module, "--node-limit", "1", "--beat-orders", "--min-gain", "99")
        self.assertEqual(report["origin"], "input")
        self.assertTrue(any("--min-gain" in note for note in report["notes"]), report["notes"])
        report = self.report_of(module, "--beat-orders", "--disable", "gather-reshape")
        self.assertEqual(report["orders"]["programs"], 1)

    def test_next_best_programs(self):
        module = self.write("m.hlo", TWO_GATHERS)
        schema = json.loads((ROOT / "docs/report.schema.json").read_text())
        self.assertNotIn("alternatives", self.report_of(module))
        report = self.report_of(module, "--alternatives", "5")
        self.assertEqual(faults(report, schema), [])
        # One convert after its gather, the other one, or both.
        self.assertIs(report["alternatives_exact"], True)
        others = report["alternatives"]
        self.assertEqual(sorted(other["changes"] for other in others), [0, 1, 1])
        output = report["programs"]["output"]["time_us"]
        for other in others:
            self.assertAlmostEqual(other["more"], other["time_us"] - output, places=6)
            self.assertGreater(other["more"], 0)
            self.assertEqual(len(other["differences"]), 2 - other["changes"])
            self.assertEqual(other["verified"]["elements"] > 0, other["changes"] > 0)
        self.assertEqual([other["more"] for other in others], sorted(other["more"] for other in others))
        self.assertEqual(self.report_of(module, "--alternatives", "1")["alternatives"], others[:1])
        # Beside what the e-graph chose, whatever is then combined.
        combined = self.report_of(module, "--alternatives", "5", "--emit-combined")["alternatives"]
        self.assertEqual([other["time_us"] for other in combined], [other["time_us"] for other in others])
        table = self.run_flipsat("optimize", module, "--alternatives", "5").stdout
        self.assertRegex(table, r"\nnext best programs\n  [^\n]+ more(: the input)?\n")
        self.assertIn(" more: the input\n", table)
        self.assertRegex(table, r"    left    %[ab]16 in main \(gather-convert\)\n")

    def test_next_best_programs_where_there_is_no_other(self):
        report = self.report_of(self.write("m.hlo", NOTHING), "--alternatives", "3")
        self.assertEqual((report["alternatives"], report["alternatives_exact"]), ([], True))

    def test_next_best_programs_leave_the_output_as_it_is(self):
        for module in EXAMPLES:
            with self.subTest(module.name):
                self.run_flipsat("optimize", module, "-o", "plain.hlo")
                self.run_flipsat("optimize", module, "--alternatives", "3", "-o", "with.hlo", "--report", "r.json")
                self.assertEqual((self.folder / "plain.hlo").read_bytes(), (self.folder / "with.hlo").read_bytes())
                first = self.read_json("r.json")["alternatives"]
                self.run_flipsat("optimize", module, "--alternatives", "3", "--report", "r.json")
                self.assertEqual(self.read_json("r.json")["alternatives"], first)

    def test_combined_collectives(self):
        module = self.write("m.hlo", CHAINS)
        self.assertIsNone(self.report_of(module)["combined"])
        done = self.run_flipsat("optimize", module, "--emit-combined", "-o", "out.hlo", "--report", "r.json")
        self.assertIn("pack  3 -> 2 launches with combined collectives (no packing has fewer); "
                      "2 combined collectives written\n", done.stdout)
        report = self.read_json("r.json")
        self.assertEqual(report["combined"], {"launches": [3, 2], "bound": 2, "written": 2, "members": 4,
                                              "why_not": ""})
        self.assertEqual(report["programs"]["output"]["launches"], 2)
        self.assertEqual([change["rules"] for change in report["changes"]], [["combine"]] * 2)
        self.assertEqual((self.folder / "out.hlo").read_text().count(" = (f32[32], f32[32]) all-reduce("), 2)
        self.run_flipsat("verify", module, "out.hlo", "--verify", "full")
        self.run_flipsat("optimize", "out.hlo", "--emit-combined", "-o", "again.hlo")
        self.assertEqual((self.folder / "again.hlo").read_text(), (self.folder / "out.hlo").read_text())

    def test_combined_at_the_same_cost(self):
        pair = [line for line in CHAINS.splitlines() if line[:5] not in ("  a2 ", "  a3 ", "  b2 ", "  b3 ")]
        module = self.write("m.hlo", "\n".join(pair).replace("tuple(a3, b3)", "tuple(a1, b1)"))
        done = self.run_flipsat("optimize", module, "--emit-combined", "-o", "out.hlo")
        self.assertTrue(done.stdout.startswith("combined, at the same cost; 1 change, verified"), done.stdout)
        self.assertIn("all-reduce(x, y)", (self.folder / "out.hlo").read_text())

    def test_same_bytes_every_time(self):
        for module in EXAMPLES:
            seen = set()
            for threads in ["1", "1", "2"]:
                self.run_flipsat("optimize", module, "-o", "out.hlo", "--report", "r.json",
                                 "--threads", threads, "--quiet")
                report = self.read_json("r.json")
                del report["elapsed_ms"]
                seen.add((self.folder / "out.hlo").read_text() + json.dumps(report))
            self.assertEqual(len(seen), 1, module)


if __name__ == "__main__":
    unittest.main()
