#!/usr/bin/env python3
"""flipsat.batch: a batch over Dask, with a real scheduler and workers, some of which die."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

import case
import flipsat
import flipsat.batch

MODULES = 60
BATCH = [sys.executable, "-m", "flipsat.batch"]

# What a worker of these tests loads first: slow, of another identity, or dead of some module.
PRELOAD = '''
import os, signal, time
from flipsat import _core

real = _core.real = getattr(_core, "real", _core.BatchSolver)  # Dask loads this twice

class BatchSolver:
    def __init__(self, words):
        self.real = real(words)
        self.identity = os.environ.get("TEST_IDENTITY", self.real.identity)

    def solve(self, content, shown):
        time.sleep(float(os.environ.get("TEST_SECONDS", "0")))
        if content.startswith(b"HloModule deadly"):
            os.kill(os.getpid(), signal.SIGKILL)
        return self.real.solve(content, shown)

_core.BatchSolver = BatchSolver
'''


def wait_for(what, seconds=60):
    end = time.monotonic() + seconds
    while not (found := what()):
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.02)
    return found


class BatchTest(case.PackageTest):
    def setUp(self):
        super().setUp()
        (self.folder / "in" / "deep").mkdir(parents=True)
        for index in range(MODULES):
            text = case.GAINS.replace("gains", f"gains_{index}").replace(",256]", f",{128 + 4 * (index % 9)}]")
            self.write(f"in/{'deep/' if index % 3 else ''}m{index}.hlo", text)
        self.write("in/nothing.hlo", case.NOTHING)
        self.write("in/twin.hlo", case.NOTHING)
        self.preload = self.write("preload.py", PRELOAD)

    def start(self, *words, **environment):
        """In a group of its own, which the end of the test kills."""
        process = subprocess.Popen([str(word) for word in words], cwd=self.folder, start_new_session=True,
                                   env=os.environ | environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()

    def scheduler(self, **environment):
        path = self.folder / "scheduler.json"
        self.start(sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
                   "--no-dashboard", "--scheduler-file", path, **environment)
        wait_for(lambda: path.exists() and path.read_text().endswith("}"))
        return json.loads(path.read_text())["address"]

    def worker(self, address, *words, **environment):
        return self.start(sys.executable, "-m", "distributed.cli.dask_worker", address, "--host", "127.0.0.1",
                          "--nthreads", "1", "--no-dashboard", "--preload", self.preload, *words,
                          **environment)

    def batch(self, *words, status=0, out="out"):
        done = self.run_words(*BATCH, "in", "-o", out, *words)
        self.assertEqual(done.returncode, status, done.stderr.decode())
        return done

    def events(self, kind, out="out"):
        path = self.folder / out / ".flipsat/log.jsonl"
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        return [event for line in lines if line.endswith("\n") and (event := json.loads(line))["event"] == kind]

    def assert_as_the_command(self, status=0):
        self.binary("batch", "in", "-o", "expected", status=status)
        self.assertEqual(self.tree("out"), self.tree("expected"))

    def tree(self, name):
        root = self.folder / name
        held = {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*"))
                if path.is_file() and ".flipsat" not in path.parts}
        report = json.loads(held.pop("report.json"))
        for record in report["records"]:
            record.pop("elapsed_ms", None)
        return held, json.dumps(report)


class ClusterTest(BatchTest):
    def test_a_worker_killed_in_the_middle(self):
        address = self.scheduler()
        workers = [self.worker(address, "--no-nanny", TEST_SECONDS="0.1") for _ in range(3)]
        client = self.start(*BATCH, "--scheduler", address, "in", "-o", "out")
        wait_for(lambda: len({event["worker"] for event in self.events("optimized")}) == len(workers))
        self.end(workers[0])
        self.assertLess(len(self.events("optimized")), MODULES)
        self.assertEqual(client.wait(timeout=60), 0)
        self.assert_as_the_command()
        done = self.events("optimized")
        self.assertEqual(len(done), MODULES + 1)
        self.assertEqual(len({event["worker"] for event in done}), len(workers))
        self.assertEqual([event["module"] for event in self.events("same")], ["twin.hlo"])

    def test_a_module_that_kills_its_workers(self):
        self.write("in/deadly.hlo", case.GAINS.replace("gains", "deadly"))
        address = self.scheduler(DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0")
        self.worker(address, "--nanny")
        done = self.batch("--scheduler-file", "scheduler.json", status=1)
        self.assertIn(b"in/deadly.hlo: 1 workers died of it", done.stdout)
        failed = [record["input"] for record in flipsat_report(self.folder)["records"] if "error" in record]
        self.assertEqual(failed, ["in/deadly.hlo"])
        (self.folder / "in/deadly.hlo").unlink()
        self.batch()
        self.assert_as_the_command()

    def test_a_worker_with_another_flipsat(self):
        address = self.scheduler()
        self.worker(address, "--no-nanny", TEST_IDENTITY="other")
        done = self.batch("--scheduler", address, status=2)
        self.assertRegex(done.stderr.decode(), r"the worker tcp://127.0.0.1:\d+ is refused: it has another flipsat")
        self.assertEqual(self.events("optimized"), [])

    def test_nobody_there(self):
        done = self.batch("--scheduler", "tcp://127.0.0.1:1", status=2)
        self.assertIn(b"no Dask scheduler answers at tcp://127.0.0.1:1", done.stderr)
        self.assertIn(b"unknown address scheme", self.batch("--scheduler", "foo://x", status=2).stderr)
        self.assertIn(b"needs at least 128M", self.batch("--memory", "50M", status=2).stderr)
        self.assertIn(b"--threads", self.batch("--threads", "2", status=2).stderr)
        self.assertIn(b"no such file", self.batch("--scheduler-file", "gone", status=2).stderr)


class LocalTest(BatchTest):
    def test_killed_and_run_again(self):
        self.write("in/broken.hlo", case.BROKEN)
        client = self.start(*BATCH, "in", "-o", "out", "--workers", "1", "--effort", "4")
        wait_for(lambda: len(self.events("optimized")) > 5)
        self.end(client)
        first = {event["key"] for event in self.events("optimized")}
        self.assertLess(len(first), MODULES + 1)
        done = self.batch("--workers", "2", status=1)
        self.assertIn(b"in/broken.hlo:5:26: error: ", done.stdout)
        keys = [event["key"] for event in self.events("optimized")]
        self.assertEqual(len(set(keys)), len(keys))
        # Of one answer it may have been killed between keeping it and telling of it.
        self.assertGreaterEqual(len(keys), MODULES)
        known = {event["key"] for event in self.events("known") if event["module"] != "broken.hlo"}
        self.assertEqual(len(known.union(keys)), MODULES + 1)
        self.assert_as_the_command(status=1)

    def test_the_function(self):
        seen = []
        result = flipsat.batch.run(self.folder / "in", self.folder / "out", workers=1, memory="4G",
                                   on_progress=seen.append, numerics="reassoc")
        self.assertEqual((result.modules, result.known, result.failed), (MODULES + 2, 0, 0))
        self.assertEqual((seen[-1].done, seen[-1].modules), (MODULES + 2, MODULES + 2))
        self.assertEqual(len(result.report["records"]), MODULES + 2)
        again = flipsat.batch.run([self.folder / "in"], self.folder / "out", numerics="reassoc")
        self.assertEqual(again.known, MODULES + 2)
        with self.assertRaisesRegex(flipsat.UsageError, "memory"):
            flipsat.batch.run(self.folder / "in", self.folder / "new", memory="much")
        with self.assertRaisesRegex(flipsat.UsageError, "--module: only for folders that"):
            flipsat.batch.run(self.folder / "in", self.folder / "new", module="jit_*")

    def test_wrong_words(self):
        self.assertIn(b"--bad", self.batch("--bad", status=2).stderr)
        self.assertFalse((self.folder / "out").exists())
        self.assertEqual(self.run_words(*BATCH, "gone", "-o", "out").returncode, 3)

    def test_the_command_of_the_package(self):
        done = self.run_words(sys.executable, "-m", "flipsat", "batch", "in", "-o", "out", "--threads", "2")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assert_as_the_command()


def flipsat_report(folder):
    return json.loads((pathlib.Path(folder) / "out" / "report.json").read_text())


if __name__ == "__main__":
    unittest.main()
