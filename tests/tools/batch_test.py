"""`flipsat batch`: many modules, where one that fails stops nothing."""

import gzip
import json
import pathlib
import shutil
import unittest

from runner import BINARY, BROKEN, GAINS, INPUT, NO, NOTHING, ROOT, USAGE, ToolTest
from schema import faults


# A sanitizer's own memory is past any limit.
SANITIZED = b"__asan_" in pathlib.Path(BINARY).read_bytes()


class Batch(ToolTest):
    def inputs(self):
        self.write("in/gains.hlo", GAINS)
        self.write("in/deep/er/nothing.txt", NOTHING)
        self.write("in/packed.hlo.gz", gzip.compress(GAINS.encode()))
        self.write("in/notes.txt", "HloModules are kept here.\n")
        self.write("in/data.bin", bytes(range(256)))

    def records(self):
        return {record["input"]: record for record in self.read_json("out/report.json")["records"]}

    def test_keeps_relative_names(self):
        self.inputs()
        self.run_flipsat("batch", "in", "-o", "out")
        self.assertEqual(self.results(),
                         ["deep/er/nothing.txt", "gains.hlo", "packed.hlo.gz", "report.json"])
        self.assertEqual((self.folder / "out/deep/er/nothing.txt").read_text(), NOTHING)
        self.assertEqual(gzip.decompress((self.folder / "out/packed.hlo.gz").read_bytes()),
                         (self.folder / "out/gains.hlo").read_bytes())

    def test_one_bad_file_stops_nothing(self):
        self.inputs()
        self.write("in/broken.hlo", BROKEN)
        done = self.run_flipsat("batch", "in", "-o", "out", status=NO)
        self.assertIn("1 failed", done.stdout)
        self.assertIn("broken.hlo:5:", done.stdout)
        self.assertNotIn("out/broken.hlo", self.files())
        self.assertIn("out/gains.hlo", self.files())
        records = self.records()
        self.assertRegex(records["in/broken.hlo"]["error"], r"in/broken\.hlo:5:\d+: error: ")
        self.assertNotIn("programs", records["in/broken.hlo"])
        self.assertEqual(len(records), 4)

    def test_records_follow_the_schema_of_optimize(self):
        self.inputs()
        self.run_flipsat("batch", "in", "-o", "out")
        schema = json.loads((ROOT / "docs/report.schema.json").read_text())
        for record in self.records().values():
            self.assertEqual(faults(record, schema), [])
            self.assertNotIn("error", record)

    def test_same_bytes_with_any_number_of_threads(self):
        self.inputs()
        for index in range(6):
            self.write(f"in/more{index}.hlo", GAINS if index % 2 else NOTHING)
        self.write("in/broken.hlo", BROKEN)
        seen = []
        for threads in ["1", "2", "5"]:
            done = self.run_flipsat("batch", "in", "-o", "out", "--threads", threads, status=NO)
            report = self.read_json("out/report.json")
            for record in report["records"]:
                record.pop("elapsed_ms", None)
            outputs = {name: (self.folder / name).read_bytes() for name in self.files()
                       if name.startswith("out/") and name.endswith((".hlo", ".gz", ".txt"))}
            shutil.rmtree(self.folder / "out")
            seen.append((done.stdout, json.dumps(report), outputs))
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(seen[0], seen[2])

    def test_threads_do_not_write_over_each_other(self):
        names = [f"module_{index}" for index in range(60)]
        for name in names:
            self.write(f"in/{name}.hlo", GAINS.replace("HloModule gains", f"HloModule {name}"))
        self.run_flipsat("batch", "in", "-o", "out", "--threads", "8")
        for name in names:
            with self.subTest(name):
                self.assertIn(f"HloModule {name},", (self.folder / f"out/{name}.hlo").read_text())
        self.assertEqual(len(self.results()), 61)

    def test_output_folder_inside_the_input_is_no_input(self):
        self.write("in/m.hlo", GAINS)
        for _ in range(2):
            self.run_flipsat("batch", "in", "-o", "in/out")
        self.assertEqual(len(self.read_json("in/out/report.json")["records"]), 1)

    def test_a_page_of_all(self):
        self.inputs()
        self.write("in/broken.hlo", BROKEN)
        self.write("in/<script>alert(1)<&>.hlo", GAINS)
        self.run_flipsat("batch", "in", "-o", "out", "--report", "all.html", "--report",
                         "all.json", status=NO)
        page = (self.folder / "all.html").read_text()
        self.assertTrue(page.lower().startswith("<!doctype html>"))
        self.assertNotIn("<script>alert", page)
        self.assertIn(r"\u003cscript\u003ealert(1)\u003c\u0026\u003e.hlo", page)
        self.assertEqual((self.folder / "all.json").read_bytes(),
                         (self.folder / "out/report.json").read_bytes())
        known = self.run_flipsat("batch", "in", "-o", "out", "--report", "again.html", status=NO)
        self.assertIn("known from before", known.stdout)
        self.assertEqual((self.folder / "again.html").read_text(), page)

    def test_a_report_in_the_way_of_another(self):
        self.inputs()
        self.run_flipsat("batch", "in", "-o", "out", "--report", "out/report.json", status=USAGE)
        self.run_flipsat("batch", "in", "-o", "out", "--report", "a.html", "--report", "b.html",
                         status=USAGE)
        self.assertNotIn("out/report.json", self.files())

    def test_a_report_on_standard_output(self):
        self.inputs()
        done = self.run_flipsat("batch", "in", "-o", "out", "--report", "-")
        self.assertEqual(len(json.loads(done.stdout)["records"]), 3)
        self.assertIn("3 modules", done.stderr)

    def test_memory(self):
        self.inputs()
        self.run_flipsat("batch", "in", "-o", "free")
        done = self.run_flipsat("batch", "in", "-o", "out", "--memory", "1M", status=USAGE)
        self.assertIn("--memory: a batch needs at least ", done.stderr)
        self.assertNotIn("out/report.json", self.files())
        if not SANITIZED:
            self.run_flipsat("batch", "in", "-o", "out", "--memory", "400M")
            self.assertEqual((self.folder / "out/gains.hlo").read_bytes(),
                             (self.folder / "free/gains.hlo").read_bytes())

    def test_two_inputs_of_one_name(self):
        self.write("a/m.hlo", GAINS)
        self.write("b/m.hlo", GAINS)
        done = self.run_flipsat("batch", "a", "b", "-o", "out", status=USAGE)
        self.assertIn("a/m.hlo and b/m.hlo would both be written to m.hlo", done.stderr)
        self.assertNotIn("out/report.json", self.files())

    def test_what_a_batch_keeps_for_itself_is_no_input(self):
        self.write("in/m.hlo", GAINS)
        self.write("in/.flipsat/log.jsonl", GAINS)
        self.write("in/deep/.flipsat/cache/m.hlo", GAINS)
        self.run_flipsat("batch", "in", "-o", "out")
        self.assertEqual(self.results(), ["m.hlo", "report.json"])

    def test_a_name_that_a_terminal_would_obey(self):
        self.write("in/a\x1b[31m\n.hlo", GAINS)
        self.write("in/b\x1b[31m.hlo", BROKEN)
        done = self.run_flipsat("batch", "in", "-o", "out", status=NO)
        self.assertNotIn("\x1b", done.stdout)
        self.assertIn("\na?[31m?.hlo ", done.stdout)
        self.assertIn("in/b?[31m.hlo:", done.stdout)
        self.assertIn("a\x1b[31m\n.hlo", self.results())

    def test_a_report_in_the_place_of_something_else(self):
        self.write("in/m.hlo", GAINS)
        self.run_flipsat("batch", "in", "-o", "out")
        before = {name: (self.folder / name).read_bytes() for name in self.files()}
        for report in ["out/m.hlo", "out/./m.hlo", "out/.flipsat/log.jsonl", "out/.flipsat/lock"]:
            done = self.run_flipsat("batch", "in", "-o", "out", "--report", report, status=USAGE)
            self.assertIn(f"--report {report} ", done.stderr)
        self.assertEqual({name: (self.folder / name).read_bytes() for name in self.files()}, before)

    def test_an_output_that_leads_to_an_input(self):
        self.write("in/m.hlo", GAINS)
        (self.folder / "out").mkdir()
        (self.folder / "out/m.hlo").symlink_to("../in/m.hlo")
        done = self.run_flipsat("batch", "in", "-o", "out", status=USAGE)
        self.assertIn("out/m.hlo is an input", done.stderr)
        self.assertEqual((self.folder / "in/m.hlo").read_text(), GAINS)

    def test_links_that_lead_nowhere_are_failures(self):
        self.write("in/m.hlo", GAINS)
        for name, target in [("gone.hlo", "/nowhere"), ("loop.hlo", "loop.hlo"), ("notes", "/nowhere")]:
            (self.folder / "in" / name).symlink_to(target)
        done = self.run_flipsat("batch", "in", "-o", "out", status=NO)
        self.assertTrue(done.stdout.startswith("3 modules, 1 improved, 2 failed\n"), done.stdout)
        self.assertIn("in/gone.hlo:", done.stdout)
        self.assertIn("in/loop.hlo:", done.stdout)

    def test_a_file_where_another_wants_a_folder(self):
        self.write("one/a.hlo", GAINS)
        self.write("two/a.hlo/b.hlo", GAINS)
        for folders in [["one", "two"], ["two", "one"]]:
            done = self.run_flipsat("batch", *folders, "-o", "out", status=USAGE)
            self.assertIn("one/a.hlo would be the file a.hlo, and for two/a.hlo/b.hlo it has to be a folder",
                          done.stderr)

    def test_standard_output_is_no_folder(self):
        self.write("in/m.hlo", GAINS)
        self.run_flipsat("batch", "in", "-o", "-", status=USAGE)
        self.assertEqual(self.files(), ["in/m.hlo"])

    def test_in_place(self):
        self.write("in/deep/m.hlo", GAINS)
        for folders in ["in", "in/deep", "./in/"]:
            refused = self.run_flipsat("batch", folders, "-o", "in", status=USAGE)
            self.assertIn(f"{folders} lies in in, and what lies in the output folder is no input",
                          refused.stderr)
        self.assertEqual((self.folder / "in/deep/m.hlo").read_text(), GAINS)

    def test_nothing_there(self):
        self.run_flipsat("batch", "gone", "-o", "out", status=INPUT)
        self.write("in/readme.md", "no module")
        self.assertIn("no module below in",
                      self.run_flipsat("batch", "in", "-o", "out", status=USAGE).stderr)


if __name__ == "__main__":
    unittest.main()
