"""docs/cpp.md shows the example that the test `consumer` builds, to the letter."""

import unittest

from runner import ROOT


class CppPage(unittest.TestCase):
    def test_shows_the_example(self):
        page = (ROOT / "docs/cpp.md").read_text()
        for name, language in [("optimize_module.cc", "cpp"), ("CMakeLists.txt", "cmake")]:
            with self.subTest(name):
                code = (ROOT / "examples/cpp" / name).read_text()
                self.assertIn(f"```{language}\n{code}```\n", page)


if __name__ == "__main__":
    unittest.main()
