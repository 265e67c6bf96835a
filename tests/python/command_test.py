#!/usr/bin/env python3
"""`python -m flipsat` is the same command as the program."""

import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import unittest

import case
import flipsat

MODULE = [sys.executable, "-m", "flipsat"]
SCRIPT = [str(case.VENV / "bin" / "flipsat")]


class CommandTest(case.PackageTest):
    def assert_same(self, *words, stdin=b""):
        """Status and both streams, however it is started."""
        expected = self.run_words(case.BINARY, *words, stdin=stdin)
        for start in (MODULE, SCRIPT):
            done = self.run_words(*start, *words, stdin=stdin)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (expected.returncode, expected.stdout, expected.stderr), words)
        return expected.returncode

    def test_version(self):
        self.assertEqual(self.assert_same("--version"), 0)
        self.assertEqual(self.binary("--version"), f"flipsat {flipsat.__version__}\n")

    def test_help(self):
        self.assertEqual(self.assert_same("--help"), 0)
        self.assertEqual(self.assert_same("optimize", "--help"), 0)

    def test_each_exit_status(self):
        gains, nothing = self.write("gains.hlo", case.GAINS), self.write("nothing.hlo", case.NOTHING)
        opaque = self.write("opaque.hlo", case.GAINS.replace("convert(full)", 'custom-call(full), custom_call_target="x"'))
        other = self.write("other.hlo", case.GAINS.replace("convert(full)", 'custom-call(full), custom_call_target="y"'))
        self.assertEqual(self.assert_same("verify", gains, gains), 0)
        self.assertEqual(self.assert_same("verify", gains, nothing), 1)
        self.assertEqual(self.assert_same("optimize", gains, "--numerics", "exakt"), 2)
        self.assertEqual(self.assert_same("optimise", gains), 2)
        self.assertEqual(self.assert_same("optimize", self.write("broken.hlo", case.BROKEN)), 3)
        self.assertEqual(self.assert_same("verify", opaque, other), 5)

    def test_standard_streams(self):
        self.assertEqual(self.assert_same("optimize", "-", "-o", "-", stdin=case.GAINS.encode()), 0)

    def test_a_name_that_is_not_utf_8(self):
        path = os.fsencode(self.folder) + b"/caf\xe9.hlo"
        pathlib.Path(os.fsdecode(path)).write_text(case.GAINS)
        self.assertEqual(self.assert_same("optimize", path, "--quiet", "-o", b"th\xe9.hlo"), 0)
        self.assertTrue((self.folder / os.fsdecode(b"th\xe9.hlo")).exists())

    def test_modules_and_reports_of_the_examples(self):
        for example in case.EXAMPLES:
            self.run_words(case.BINARY, "optimize", example, "-o", "a.hlo", "--report", "a.json")
            self.run_words(*MODULE, "optimize", example, "-o", "b.hlo", "--report", "b.json")
            self.assertEqual((self.folder / "a.hlo").read_bytes(), (self.folder / "b.hlo").read_bytes())
            reports = [json.loads((self.folder / name).read_text()) for name in ("a.json", "b.json")]
            for report in reports:
                del report["elapsed_ms"]
            self.assertEqual(*reports)

    def test_interrupted(self):
        """Dies of the signal while C++ waits for standard input, as a program does."""
        with subprocess.Popen([*MODULE, "optimize", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=self.folder) as process:
            # It has begun when it has read what we wrote: a pipe holds 64 KiB.
            process.stdin.write(b" " * (1 << 17))
            process.stdin.flush()
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=60), -signal.SIGINT)
            self.assertEqual(process.stderr.read(), b"")

    def program_started(self, variable, *words):
        """The Python program that the command starts, through an interpreter of ours."""
        python = self.write("python", f'#!/bin/sh\nprintf "%s\\n" "$@" > "{self.folder}/words"\nexit 2\n')
        python.chmod(python.stat().st_mode | stat.S_IXUSR)
        self.run_words(*MODULE, *words, environment=os.environ | {variable: str(python)})
        return [word for word in (self.folder / "words").read_text().splitlines() if word.startswith("/")][0]

    def test_programs_of_the_package(self):
        gains = self.write("gains.hlo", case.GAINS)
        home = pathlib.Path(flipsat.__file__).parent / "programs"
        self.assertEqual(self.program_started("FLIPSAT_PYTHON", "verify", gains, gains, "--with", "xla"),
                         str(home / "flipsat_xla"))
        self.assertEqual(self.program_started("FLIPSAT_SOLVER_PYTHON", "optimize", gains, "--solver", "highs"),
                         str(home / "flipsat_solvers"))
        for name in ("flipsat_xla", "flipsat_solvers"):
            names = sorted(path.name for path in (case.ROOT / "python" / name).glob("*.py"))
            self.assertEqual(sorted(path.name for path in (home / name).glob("*.py")), names)

    def test_programs_run_in_this_python(self):
        gains = self.write("gains.hlo", case.GAINS)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("FLIPSAT_")}
        done = self.run_words(*MODULE, "optimize", gains, "--solver", "highs", environment=environment)
        self.assertIn(f"{sys.executable} has no highspy", done.stderr.decode())
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
