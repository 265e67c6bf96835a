#!/usr/bin/env python3
"""The same batch in processes of `flipsat batch` and on workers of Dask, in turn.

usage: dask.py FOLDER [--count N] [--rounds R]

Takes the first N modules below FOLDER (default 400), R rounds of each (default 3), every one into a fresh
folder. Times run from the log's first `begin` to its last line, so that starting a cluster is not counted
(it is told apart). Prints a Markdown table of medians, and fails where outputs differ. Needs the package
in build/python-venv (scripts/setup-python).
"""

import argparse
import datetime
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLIPSAT = [str(ROOT / "build/flipsat"), "batch"]
DASK = [str(ROOT / "build/python-venv/bin/python"), "-m", "flipsat.batch"]
WAYS = {(name, processes): [*command, option, str(processes)]
        for name, command, option in (("flipsat batch", FLIPSAT, "--threads"),
                                      ("flipsat.batch", DASK, "--workers"))
        for processes in (1, 2)}


def run(command, modules, out):
    """Seconds of work, and of the whole command."""
    shutil.rmtree(out, ignore_errors=True)
    began = time.monotonic()
    subprocess.run([*command, modules, "-o", out, "--quiet"], check=True)
    whole = time.monotonic() - began
    lines = [json.loads(line) for line in (out / ".flipsat/log.jsonl").read_text().splitlines()]
    first, last = (datetime.datetime.fromisoformat(lines[at]["time"][:-1]) for at in (0, -1))
    return (last - first).total_seconds(), whole


def outputs(out):
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*"))
            if path.is_file() and ".flipsat" not in path.parts and path.name != "report.json"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp())
    modules = work / "modules"
    modules.mkdir()
    for path in sorted(arguments.folder.rglob("*.hlo"))[:arguments.count]:
        shutil.copy2(path, modules)
    count = len(list(modules.iterdir()))

    times = {way: [] for way in WAYS}
    expected = None
    for _ in range(arguments.rounds):
        for way, command in WAYS.items():
            times[way].append(run(command, modules, work / "out"))
            found = outputs(work / "out")
            expected = expected or found
            if found != expected:
                sys.exit(f"dask: {way[0]} with {way[1]} wrote other bytes")
    shutil.rmtree(work)

    medians = {way: [statistics.median(of) for of in zip(*taken)] for way, taken in times.items()}
    print(f"{count} modules, medians of {arguments.rounds}\n")
    print("| | processes | seconds of work | with start and end | more a module |")
    print("|---|---|---|---|---|")
    for (name, processes), (seconds, whole) in medians.items():
        more = (seconds - medians["flipsat batch", processes][0]) * processes / count
        print(f"| `{name}` | {processes} | {seconds:.1f} | {whole:.1f} | {1000 * more:.1f} ms |")


if __name__ == "__main__":
    main()
