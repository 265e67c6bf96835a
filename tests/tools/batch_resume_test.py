"""`flipsat batch`: what an earlier run has done is not done again, however that run ended."""

import collections
import json
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

from runner import BROKEN, BINARY, GAINS, NO, NOTHING, USAGE, ToolTest

MODULES = 60


class Resumed(ToolTest):
    def setUp(self):
        super().setUp()
        for index in range(MODULES):
            self.write(f"in/{index % 7}/m{index}.hlo", GAINS.replace("gains", f"gains_{index}"))
        self.write("in/nothing.hlo", NOTHING)
        self.write("in/twin.hlo", NOTHING)
        self.write("in/broken.hlo", BROKEN)

    def outputs(self, out):
        return {name.removeprefix(out): (self.folder / name).read_bytes() for name in self.files()
                if name.startswith(out + "/") and name.endswith(".hlo")}

    def records(self, out):
        records = self.read_json(f"{out}/report.json")["records"]
        for record in records:
            record.pop("elapsed_ms", None)
        return records

    def events(self, out):
        lines = (self.folder / out / ".flipsat/log.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def worked_on(self, out):
        return collections.Counter(line["key"] for line in self.events(out)
                                   if line["event"] == "optimized")

    def batch(self, out, *options, status=NO):
        return self.run_flipsat("batch", "in", "-o", out, *options, status=status)

    def test_an_interrupt_says_how_to_go_on(self):
        for index in range(200):
            self.write(f"many/m{index}.hlo", GAINS.replace("gains", f"gains_{index}"))
        process = subprocess.Popen([BINARY, "batch", "many", "-o", "out", "--threads", "1"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        log = self.folder / "out/.flipsat/log.jsonl"
        while process.poll() is None and not (log.exists() and '"optimized"' in log.read_text()):
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertEqual(stdout, "")
        self.assertEqual(stderr, "\nflipsat: stopped; the same command goes on from here\n")
        self.run_flipsat("batch", "many", "-o", "out")
        self.assertEqual(set(self.worked_on("out").values()), {1})

    def test_killed_at_any_moment(self):
        self.batch("whole")
        rng = random.Random(1)
        for out in ["one", "two"]:
            for _ in range(6):
                process = subprocess.Popen([BINARY, "batch", "in", "-o", out, "--threads", "2"],
                                           cwd=self.folder, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                try:
                    process.wait(timeout=rng.uniform(0, 0.25))
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                    process.wait()
            self.batch(out)
            self.assertEqual(self.outputs(out), self.outputs("whole"))
            self.assertEqual(self.records(out), self.records("whole"))
            self.assertEqual(set(self.worked_on(out).values()), {1})
            self.assertEqual([name for name in self.files() if "/.flipsat-" in name], [])

    def test_a_second_run_does_nothing(self):
        first = self.batch("out")
        before = self.worked_on("out")
        stamp = os.stat(self.folder / "out/0/m0.hlo").st_mtime_ns
        second = self.batch("out")
        self.assertIn(f"{MODULES + 3} known from before", second.stdout)
        self.assertEqual(second.stdout.split("\n", 1)[1], first.stdout.split("\n", 1)[1])
        self.assertEqual(self.worked_on("out"), before)
        self.assertEqual(os.stat(self.folder / "out/0/m0.hlo").st_mtime_ns, stamp)

    def test_equal_contents_are_one_piece_of_work(self):
        self.batch("out")
        same = [line for line in self.events("out") if line["event"] == "same"]
        self.assertEqual([(line["module"], line["same_as"]) for line in same],
                         [("twin.hlo", "nothing.hlo")])
        self.assertEqual(self.outputs("out")["/twin.hlo"], NOTHING.encode())

    def test_what_is_gone_or_changed_is_written_again_without_work(self):
        self.batch("out")
        whole, worked = self.outputs("out"), self.worked_on("out")
        (self.folder / "out/1/m1.hlo").unlink()
        self.write("out/2/m2.hlo", "something else")
        self.batch("out")
        self.assertEqual(self.outputs("out"), whole)
        self.assertEqual(self.worked_on("out"), worked)

    def test_other_options_are_other_work(self):
        self.batch("out")
        self.batch("out", "--disable", "gather-convert", "--no-greedy-seed")
        self.assertEqual(len(self.worked_on("out")), 2 * (MODULES + 1))

    def test_a_rules_file_counts_by_its_content(self):
        self.write("r.rules", "# none\n")
        self.write("m.json", json.dumps({"name": "mine", "base": "trn2"}))
        shutil.rmtree(self.folder / "in")
        self.write("in/m.hlo", GAINS)
        self.batch("out", "--rules", "r.rules", status=0)
        self.batch("out", "--rules", "r.rules", status=0)
        self.assertEqual(len(self.worked_on("out")), 1)
        self.write("r.rules", "# none, in other words\n")
        self.batch("out", "--rules", "r.rules", status=0)
        self.assertEqual(len(self.worked_on("out")), 2)

    def test_the_log_of_a_run_begins_with_it(self):
        self.batch("out", "--threads", "100")
        self.batch("out")
        events = [event["event"] for event in self.events("out")]
        second = len(events) - events[::-1].index("begin") - 1
        self.assertEqual([events[0], events.count("begin")], ["begin", 2])
        self.assertEqual(set(events[:second]), {"begin", "optimized", "same", "failed"})
        self.assertEqual(set(events[second:]), {"begin", "known"})
        self.assertEqual(self.events("out")[0]["processes"], self.events("out")[0]["to_do"])

    def test_damaged_answers_are_found_anew(self):
        self.batch("out")
        whole = self.outputs("out")
        for name in self.files():
            if name.startswith("out/.flipsat/cache/"):
                path = self.folder / name
                path.write_bytes(path.read_bytes()[:-3] + b"abc")
        self.batch("out")
        self.assertEqual(self.outputs("out"), whole)
        self.assertEqual(set(self.worked_on("out").values()), {2})

    def test_a_cache_is_shared(self):
        self.batch("one", "--cache", "kept")
        self.batch("two", "--cache", "kept")
        self.assertEqual(self.outputs("one"), self.outputs("two"))
        self.assertEqual(self.records("one"), self.records("two"))
        self.assertEqual(self.worked_on("two"), {})
        self.assertNotIn("one/.flipsat/cache", " ".join(self.files()))

    def test_a_failure_is_known_too(self):
        self.batch("out")
        second = self.batch("out", "--quiet")
        self.assertIn("in/broken.hlo:5:", second.stderr)
        self.assertEqual([line["module"] for line in self.events("out")
                          if line["event"] == "failed"], ["broken.hlo"])

    def test_two_at_once_in_one_folder(self):
        self.batch("out")
        lock = self.folder / "out/.flipsat/lock"
        holder = subprocess.Popen(["flock", lock, "sleep", "30"])
        try:
            while subprocess.run(["flock", "-n", lock, "true"]).returncode == 0:
                pass
            self.assertIn("another batch is at work in out", self.batch("out", status=USAGE).stderr)
        finally:
            holder.kill()
            holder.wait()
            subprocess.run(["pkill", "-P", str(holder.pid)])

    def test_a_place_that_cannot_be_written_fails_that_module_alone(self):
        self.write("out/3", "a file where a folder should be\n")
        done = self.batch("out")
        self.assertIn("10 failed", done.stdout)
        self.assertIn("in/3/m3.hlo: cannot make out/3: ", done.stdout)
        (self.folder / "out/3").unlink()
        self.assertIn("1 failed", self.batch("out").stdout)
        self.assertEqual(set(self.worked_on("out").values()), {1})

    def test_the_log_is_json_after_a_line_that_was_cut_off(self):
        self.batch("out")
        with open(self.folder / "out/.flipsat/log.jsonl", "a") as log:
            log.write('{"time": "2026')
        self.batch("out")
        lines = (self.folder / "out/.flipsat/log.jsonl").read_text().splitlines()
        bad = [line for line in lines if not line.endswith("}")]
        self.assertEqual(bad, ['{"time": "2026'])


if __name__ == "__main__":
    unittest.main()
