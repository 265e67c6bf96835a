#!/usr/bin/env python3
"""Runs an example and compares what it prints with the comment at its top.

usage: check_example.py PROGRAM SOURCE

The comment ends with a line `// Prints:` and the lines expected, each after three blanks.
"""

import difflib
import pathlib
import subprocess
import sys


def expected_of(source):
    lines = source.splitlines()
    if "// Prints:" not in lines:
        sys.exit("there is no line `// Prints:`")
    begin = lines.index("// Prints:") + 1
    end = begin
    while end < len(lines) and lines[end].startswith("//"):
        end += 1
    return [line[5:] for line in lines[begin:end]]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    expected = expected_of(pathlib.Path(sys.argv[2]).read_text())
    run = subprocess.run([sys.argv[1]], capture_output=True, text=True, check=False)
    printed = run.stdout.splitlines()
    for line in difflib.unified_diff(expected, printed, "comment", "printed", lineterm=""):
        print(line)
    print(run.stderr, end="")
    sys.exit(0 if run.returncode == 0 and printed == expected and expected else 1)


if __name__ == "__main__":
    main()
