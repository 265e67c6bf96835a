#!/usr/bin/env python3
"""What is in the package that was installed."""

import importlib.metadata
import inspect
import pathlib
import subprocess
import sys
import unittest

import case
import flipsat
import flipsat.egraph

HOME = pathlib.Path(flipsat.__file__).parent


class ContentTest(case.PackageTest):
    def test_is_the_installed_one(self):
        self.assertTrue(HOME.is_relative_to(case.VENV), HOME)
        sources = case.ROOT / "python" / "flipsat"
        for path in sorted(sources.rglob("*.py")):
            installed = HOME / path.relative_to(sources)
            self.assertEqual(installed.read_text(), path.read_text(),
                             f"{path.name}: scripts/setup-python installs what is new")

    def test_version(self):
        self.assertEqual(importlib.metadata.version("flipsat"), flipsat.__version__)

    def test_kinds_of_files(self):
        self.assertEqual({path.suffix for path in HOME.rglob("*") if path.is_file()} - {".pyc"},
                         {".py", ".pyi", ".so", ".typed"})
        self.assertEqual(importlib.metadata.metadata("flipsat")["License-Expression"], "Apache-2.0")

    def test_every_public_name_has_words(self):
        for module in (flipsat, flipsat.egraph):
            self.assertTrue(module.__doc__)
            for name in module.__all__:
                value = getattr(module, name)
                if not callable(value):
                    continue
                self.assertTrue(inspect.getdoc(value), name)
                if not inspect.isclass(value):
                    continue
                for member, inside in vars(value).items():
                    is_ours = inspect.isfunction(inside) or isinstance(inside, (property, classmethod))
                    if is_ours and not member.startswith("_") and member != "of":
                        self.assertTrue(inspect.getdoc(inside), f"{name}.{member}")

    def test_types(self):
        """The package and its stubs, and a program that uses them, under the strictest rules of mypy."""
        program = self.write("program.py", '''
import flipsat
from flipsat.egraph import EGraph

def first(text: str) -> str | None:
    result = flipsat.optimize(flipsat.Module.parse(text), flipsat.Options(numerics="reassoc"))
    time: float = result.output.executed.wire_bytes + result.output.time_us
    same: bool | None = flipsat.verify(result.module, result.module).same
    return result.changes[0].source if time and same else EGraph().extract("x").term
''')
        wrong = self.write("wrong.py", 'import flipsat\nflipsat.Options(numerics="exakt")\n')
        mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(self.folder / "cache")]
        modules = ["flipsat", *(f"flipsat.{path.stem}" for path in HOME.glob("*.py") if path.stem != "__init__")]
        done = subprocess.run([*mypy, *(word for name in modules for word in ("-m", name))], capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = subprocess.run([*mypy, str(program), str(wrong)], capture_output=True, text=True, check=False,
                              cwd=self.folder)
        self.assertEqual(done.stdout.count("error:"), 1, done.stdout)
        self.assertIn("wrong.py:2: error:", done.stdout)


if __name__ == "__main__":
    unittest.main()
