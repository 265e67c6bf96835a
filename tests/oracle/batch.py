"""Optimises modules, runs input and output on XLA, many pairs in one process, and counts.

Environment: FLIPSAT_BINARY, FLIPSAT_ROOT (the source tree), FLIPSAT_PYTHON (one that has jaxlib; the
tests are skipped without). FLIPSAT_ORACLE=full runs more, for hours rather than minutes.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BINARY = os.environ["FLIPSAT_BINARY"]
ROOT = pathlib.Path(os.environ["FLIPSAT_ROOT"])
PYTHON = os.environ.get("FLIPSAT_PYTHON", "python3")
CORPUS = os.environ.get("FLIPSAT_CORPUS")
FULL = os.environ.get("FLIPSAT_ORACLE") == "full"
SKIPPED = 77

if os.environ.get("FLIPSAT_PYTHON_RUNS") != PYTHON:  # the tests themselves need its numpy
    if subprocess.run(["sh", "-c", '"$0" -c "import jax"', PYTHON], capture_output=True,
                      check=False).returncode != 0:
        print(f"skipped: {PYTHON} has no jax (scripts/setup-oracle installs it)")
        sys.exit(SKIPPED)
    os.environ["FLIPSAT_PYTHON_RUNS"] = PYTHON
    os.execvp(PYTHON, [PYTHON, "-B", *sys.argv])

sys.path.insert(0, str(ROOT / "python"))


def flipsat(*arguments):
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"flipsat {arguments}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Batch:
    """Pairs of modules that are run together. `kinds`: of input values, see flipsat_xla/inputs.py."""

    def __init__(self, folder, kinds, timeout=60, max_bytes=1 << 28):
        self._folder = pathlib.Path(folder)
        self._job = {"kinds": kinds, "timeout": timeout, "max_bytes": max_bytes, "pairs": []}
        self._texts = set()
        self.counts = collections.Counter()
        self.records = []

    def add_optimised(self, module, options=(), whole=True, excerpts=True):
        """Optimises a module; adds it and its result, and their excerpts. `flipsat` may refuse."""
        output = self._folder / f"{len(self._texts)}.{pathlib.Path(module).name}"
        output = output.with_name(output.name.removesuffix(".gz"))
        flipsat("optimize", module, "-o", output, "--quiet", *options)
        self.counts["optimised"] += 1
        name = f"{pathlib.Path(module).name} {' '.join(options)}".strip()
        self.add_pair(name, module, output, whole, excerpts)

    def add_pair(self, name, before, after, whole=True, excerpts=True):
        text = pathlib.Path(before).read_bytes(), pathlib.Path(after).read_bytes()
        if text[0] == text[1]:
            self.counts["unchanged"] += 1
            return
        if text in self._texts:
            self.counts["as under other options"] += 1
            return
        self._texts.add(text)
        folder = self._folder / f"pairs{len(self._texts)}"
        said = flipsat("verify", before, after, "--with", "xla", "--write-pairs", folder)
        self.counts["changed values in no excerpt"] += said.count("is in no excerpt")
        self.counts["changed values alike"] += int(said.split(" alike")[0].split()[-1])
        for pair in json.loads((folder / "pairs.json").read_text())["pairs"]:
            is_excerpt = pair.get("excerpt", False)
            if not (excerpts if is_excerpt else whole):
                continue
            pair["name"] = f"{name}: {pair['name']}"
            pair["before"] = str(folder / pair["before"])
            pair["after"] = str(folder / pair["after"])
            self._job["pairs"].append(pair)

    def run(self):
        """Runs all pairs; their records."""
        path = self._folder / "batch.json"
        path.write_text(json.dumps(self._job))
        done = subprocess.run([PYTHON, "-B", ROOT / "python" / "flipsat_xla", path],
                              capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1, 5):
            raise AssertionError(f"flipsat_xla: {done.returncode}\n{done.stdout}{done.stderr}")
        self.records = json.loads(done.stdout)["pairs"]
        for record in self.records:
            kind = "excerpts" if record["excerpt"] else "whole programs"
            if record["answer"] == "same":
                how = "bit-exact" if record["bit_exact"] else "within rounding"
                self.counts[f"{kind} {how}"] += 1
                self.counts[f"changed values {how}"] += record["results"]
            else:
                self.counts[f"{kind}: {record['answer']}"] += 1
        return self.records

    def report(self, title):
        print(f"counted: {title}: " + ", ".join(f"{count} {what}" for what, count in
                                       sorted(self.counts.items()) if count))
        for record in self.records:
            if record["answer"] == "cannot run":
                print(f"  not run: {record['name']}: {record['why'][:120]}")
        sys.stdout.flush()


def program_of(record):
    """The name of the program, without that of the part."""
    return record["name"].rsplit(": ", 1)[0]


class OracleTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check(self, batch, title, least):
        """Runs; nothing may differ, and at least so many pairs must have been compared."""
        records = batch.run()
        batch.report(title)
        # An excerpt is given values of which it does not know all: that parts of one are equal, or
        # that another one has the same. Where the whole program is the same to the bit, it is that.
        same_as_whole = {program_of(record) for record in records
                         if not record["excerpt"] and record["answer"] == "same" and record["bit_exact"]}
        different = [record for record in records if record["answer"] == "different"]
        hidden = [record for record in different
                  if record["excerpt"] and program_of(record) in same_as_whole]
        for record in hidden:
            print(f"  the whole program is bit-exact, an excerpt is not: {record['name']}")
        self.assertEqual([record for record in different if record not in hidden], [])
        self.assertLessEqual(len(hidden), len(records) // 50)
        compared = sum(record["answer"] == "same" for record in records)
        self.assertGreaterEqual(compared, least, "too few pairs were run to say anything")
        return records
