#!/usr/bin/env python3
"""Runs a documentation page's code blocks and compares what each prints with what the page says.

usage: check_page.py PROGRAM PAGE [--write]

PROGRAM is what make_sources.py's files were compiled to. Relative links of the page must lead
somewhere. With --write the page is given what its blocks print, to be looked through.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import pages

LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"^```.*?^```$", re.M | re.S)


def self_test():
    """A page that says what is printed passes; each kind of fault is seen."""
    text = "```cpp\na;\n```\n\n```text\n1\n```\n\n```cpp more\nb;\n```\n"
    printed = "\x1e0\n1\n\x1e1\n"
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "sample.md"
        page.write_text(text)
        blocks = pages.read_blocks(page)
        faults = {
            printed: None,
            "\x1e0\n2\n\x1e1\n": "instead of",
            "\x1e0\n1\n\x1e1\nmore": "instead of",
            "\x1e0\n1\n": "did not run",
            "?" + printed: "outside of all blocks",
        }
        for output, expected in faults.items():
            found = pages.faults_of(page, blocks, output)
            if bool(found) != bool(expected) or (expected and expected not in found[0]):
                sys.exit(f"check_page.py: self-test of {output!r}: {found}")
        if pages.source_of(page, blocks).count("void block_") != 1:
            sys.exit("check_page.py: self-test: `more` does not go on")


def write_outputs(page, blocks, printed):
    """Puts what is printed where the page has a ```text block for it."""
    lines = page.read_text().splitlines()
    outputs = pages.outputs_of(printed)
    for number, block in reversed(list(enumerate(blocks))):
        if block.output_line and number in outputs:
            begin = block.output_line - 1
            end = begin + block.expected.count("\n")
            lines[begin:end] = outputs[number].splitlines()
    page.write_text("\n".join(lines) + "\n")


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["--write"]):
        sys.exit(__doc__)
    self_test()
    page = pathlib.Path(sys.argv[2]).resolve()
    blocks = pages.read_blocks(page)
    run = subprocess.run([sys.argv[1], page.stem], capture_output=True, text=True, check=False)
    if sys.argv[3:]:
        write_outputs(page, blocks, run.stdout)
        blocks = pages.read_blocks(page)
    faults = pages.faults_of(page, blocks, run.stdout)
    if run.returncode != 0:
        faults.append(f"{page.name}: the program failed ({run.returncode})\n{run.stderr}")
    for link in LINK.findall(CODE.sub("", page.read_text())):
        if not (page.parent / link).exists():
            faults.append(f"{page.name}: leads nowhere: {link}")
    print("\n".join(faults))
    print(f"{page.name}: {len(blocks)} blocks, {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
