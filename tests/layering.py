#!/usr/bin/env python3
"""Which folder may include which, and how long a file may be.

usage: layering.py ROOT

The table is the one of docs/architecture.md. Refused are an include against it, an include of our own
file that is not spelled from the root, a source folder that the table does not know, and a source file
of more than MAX_LINES lines. Prints the median and the 90th percentile of file lengths.
"""

import pathlib
import re
import sys
import tempfile

LANGUAGE = {"language", "egraph", "hlo"}
OPTIMIZER = {"optimizer", "rules", "extract", "passes", "verify", "solvers", "frontends"} | LANGUAGE

MAY_INCLUDE = {
    "egraph": set(),
    "solvers": {"egraph"},
    "eqsat": {"egraph", "solvers"},
    "hlo": set(),
    "frontends": {"hlo"},
    "language": LANGUAGE,
    "rules": LANGUAGE,
    "extract": LANGUAGE,
    "passes": {"hlo"},
    "verify": {"hlo"},
    "optimizer": OPTIMIZER,
    "laboratory": OPTIMIZER | {"laboratory"},
    "tools": OPTIMIZER | {"laboratory"},
    "python": OPTIMIZER | {"laboratory", "tools"},
}
# Tests may look at everything; what they must not do is be looked at.
TEST_FOLDERS = {"tests", "bench", "examples"}

SOURCE_ENDINGS = {".h", ".cc", ".inc"}
MAX_LINES = 800
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')


def source_files(root):
    """Sources below the root's visible folders, without build folders."""
    for folder in sorted(p for p in root.iterdir() if p.is_dir()):
        if folder.name.startswith((".", "build")):
            continue
        for path in sorted(folder.rglob("*")):
            if path.suffix in SOURCE_ENDINGS and path.is_file():
                yield folder.name, path


def include_fault(folder, included, root, here):
    """What is wrong with one include of a file in `folder`, or None."""
    target = included.split("/")[0] if "/" in included else None
    if target is None:
        if (here.parent / included).exists():
            return f'"{included}" is not spelled from the root'
        return None
    if target not in MAY_INCLUDE and target not in TEST_FOLDERS:
        return None  # somebody else's
    if folder in TEST_FOLDERS:
        return None
    if target == folder or target in MAY_INCLUDE[folder]:
        written = included.removesuffix(".pb.h") + ".proto" if included.endswith(".pb.h") else included
        if not (root / written).exists():  # protoc makes headers of schemas
            return f'"{included}" is not there'
        return None
    return f"{folder}/ may not include {target}/"


def faults_of(root):
    faults = []
    for folder, path in source_files(root):
        where = path.relative_to(root)
        if folder not in MAY_INCLUDE and folder not in TEST_FOLDERS:
            faults.append(f"{where}: {folder}/ is not in the table of folders")
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            fault = include_fault(folder, match.group(2), root, path)
            if fault:
                faults.append(f"{where}:{number}: {fault}")
        if number_of_lines(path) > MAX_LINES:
            faults.append(f"{where}: {number_of_lines(path)} lines; {MAX_LINES} are the most")
    return faults


def number_of_lines(path):
    return len(path.read_text().splitlines())


def self_test():
    """Each kind of fault is seen in a tree that has it, and a sound tree has none."""
    samples = {
        "hlo/shape.h": "#pragma once\n#include <vector>\n",
        "language/import.cc": '#include "hlo/shape.h"\n',
        "tests/hlo/shape_test.cc": '#include "hlo/shape.h"\n',
    }
    violations = {
        "hlo/a.cc": ('#include "language/import.h"\n', "may not include language/"),
        "egraph/a.h": ('#  include "hlo/shape.h"\n', "may not include hlo/"),
        "rules/a.cc": ('#include <extract/cost.h>\n', "may not include extract/"),
        "tools/a.cc": ('#include "tests/catch.h"\n', "may not include tests/"),
        "hlo/b.cc": ('#include "shape.h"\n', "not spelled from the root"),
        "hlo/c.cc": ('#include "hlo/gone.h"\n', "is not there"),
        "utils/a.cc": ("\n", "not in the table"),
        "hlo/d.cc": ("\n" * (MAX_LINES + 1), "are the most"),
    }
    for name, (text, expected) in [(None, ("", None))] + list(violations.items()):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            files = dict(samples, **({name: text} if name else {}))
            for path, content in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(content)
            faults = faults_of(root)
            seen = not faults if name is None else len(faults) == 1 and expected in faults[0]
            if not seen:
                sys.exit(f"layering.py: self-test of {name}: {faults}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1]).resolve()
    self_test()
    faults = faults_of(root)
    for fault in faults:
        print(fault)
    lengths = sorted(number_of_lines(path) for _, path in source_files(root))
    if not lengths:
        sys.exit("layering.py: no sources found")
    print(f"{len(lengths)} files: median {lengths[len(lengths) // 2]} lines, "
          f"90th percentile {lengths[len(lengths) * 9 // 10]}, longest {lengths[-1]}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
