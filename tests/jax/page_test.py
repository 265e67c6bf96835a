#!/usr/bin/env python3
"""docs/jax.md: its program runs, and its reasons are those that there are."""

import re
import unittest

import case
import flipsat.jax

PAGE = (case.ROOT / "docs" / "jax.md").read_text(encoding="utf-8")


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        programs = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)
        assert len(programs) == 1, programs
        cls.names = {}
        exec(compile(programs[0], "docs/jax.md", "exec"), cls.names)

    def rows(self, title):
        """{first cell: second cell} of the table that begins with `title`."""
        table = re.search(rf"^\| {title} \|.*\n\|---.*\n((?:\|.*\n?)*)", PAGE, re.M)[1]
        return dict(re.findall(r"^\| (.*?) \| (.*) \|$", table, re.M))

    def test_program(self):
        self.assertTrue(self.names["optimized"].result.changed)
        self.assertEqual(self.names["y"].shape, (64, 256))

    def test_members(self):
        members = [name for cell in self.rows("of the result") for name in re.findall(r"`(\w+)", cell)]
        public = {name for name in dir(self.names["optimized"]) if not name.startswith("_")}
        self.assertEqual(set(members), public)

    def test_reasons(self):
        self.assertEqual({cell.strip("`"): words for cell, words in self.rows("reason").items()},
                         flipsat.jax.REASONS)


if __name__ == "__main__":
    unittest.main()
