#!/usr/bin/env python3
"""The code of docs/python.md runs and prints what the page says.

Blocks marked python run one after the other in one Python, as a reader would; a block marked text right after one
is what it prints. With --update the page is given what they print, to be looked through.
"""

import contextlib
import io
import os
import re
import sys
import tempfile
import unittest

import case

PAGE = case.ROOT / "docs" / "python.md"
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n^```text\n(.*?)^```\n)?", re.M | re.S)
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


def printed_by(code, names):
    """What a block prints, without blanks at the ends of lines."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(code, PAGE.name, "exec"), names)  # pylint: disable=exec-used
    return "".join(f"{line.rstrip()}\n" for line in output.getvalue().splitlines())


def page_as_run(text):
    """The page with what its blocks print, in a folder that is gone afterwards, and how many there are."""
    names, count = {}, 0

    def run(match):
        nonlocal count
        count += 1
        printed = printed_by(match[1], names)
        shown = f"\n```text\n{printed}```\n" if printed else ""
        return f"```python\n{match[1]}```\n{shown}"

    with tempfile.TemporaryDirectory() as folder:
        os.symlink(case.ROOT / "examples", f"{folder}/examples")
        os.chdir(folder)
        shown = BLOCK.sub(run, text)
    return shown, count


class PageTest(case.PackageTest):
    def test_page(self):
        text = PAGE.read_text()
        run, count = page_as_run(text)
        self.assertEqual(text, run)
        self.assertGreater(count, 5)
        for link in LINK.findall(text):
            self.assertTrue((PAGE.parent / link).exists(), link)

    def test_sees_what_is_wrong(self):
        page = "```python\nprint(1)\nx = 2\n```\n\n```text\n1\n```\n\n```python\nprint(x)\n```\n\n```text\n2\n```\n"
        self.assertEqual(page_as_run(page), (page, 2))
        self.assertNotEqual(page_as_run(page.replace("text\n2", "text\n3")), (page.replace("text\n2", "text\n3"), 2))
        self.assertNotEqual(page_as_run(page.replace("x = 2", "x = 3"))[0], page.replace("x = 2", "x = 3"))


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        PAGE.write_text(page_as_run(PAGE.read_text())[0])
    else:
        unittest.main()
