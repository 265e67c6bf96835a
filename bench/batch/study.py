#!/usr/bin/env python3
"""Many modules in one batch: killed and resumed, its memory, and two processes beside one.

usage: study.py WORK [--corpus FOLDER] [--modules N] [--kills K] [--memory SIZE] [--rounds R]

Makes N modules in WORK/modules, where they are not there already: every module of the corpus, scrambles
of ten of them, and random programs. Then, with `flipsat batch`:

- an undisturbed run;
- a run that is ended by SIGKILL at K moments, drawn anew each time, and begun again: its outputs and
  its report must be those of the undisturbed one to the byte (but for times), and its log must tell of
  no module twice;
- a run under --memory, sampled: what all of its processes hold must stay below;
- one process and two, in turn, R rounds of each on a fresh folder: medians.

Prints what it finds as Markdown; fails where something is not as it must be.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RANDOM_PROGRAMS = ROOT / "build/tests/random_programs"
FLIPSAT = ROOT / "build/flipsat"  # a copy of it, once main() has begun: it may be built anew meanwhile

# Those of docs/recovery.md: enough rules have something to say on them.
SCRAMBLED = """
jax/spmd/fsdp_gather_then_cast_scan jax/spmd/fsdp_prefill_scan jax/spmd/fsdp_scan
jax/spmd/fsdp_unroll4_noremat_noclip jax/spmd/moe_ep_fsdp_unroll2 jax/spmd/tp_fsdp_2d_scan
jax/spmd/zero1_gather_f32_unroll2 jax/spmd/zero1_unroll2 xla/hlo_llama31_405b_bf16_16x8
xla/hlo_llama3_8b_cp_bf16_1x4
""".split()


def module_files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def make_modules(folder, corpus, count):
    """The corpus, 20 scrambles of each of ten of its modules, and random programs for the rest."""
    if len(module_files(folder)) >= count:
        return
    folder.mkdir(parents=True, exist_ok=True)
    scrambles_each = min(20, count // 100)
    if corpus:
        shutil.copytree(corpus, folder / "corpus", dirs_exist_ok=True,
                        ignore=lambda _, names: [name for name in names if name.endswith(".md")])
        running = []
        for name in SCRAMBLED:
            if len(running) == os.cpu_count():
                running.pop(0).wait()
            running.append(subprocess.Popen(
                [FLIPSAT, "scramble", corpus / f"{name}.hlo.gz", "-o", folder / "scrambles",
                 "--count", str(scrambles_each)], stdout=subprocess.DEVNULL))
        for process in running:
            process.wait()
    left = count - len(module_files(folder))
    subprocess.run([RANDOM_PROGRAMS, "--seed", "1", "--count", str(left), "-o", folder / "random"],
                   check=True, stdout=subprocess.DEVNULL)


def command(modules, out, *options):
    return [FLIPSAT, "batch", modules, "-o", out, "--quiet", *map(str, options)]


def run(modules, out, *options):
    """Seconds that a whole batch takes. A module that fails is no matter here."""
    began = time.monotonic()
    done = subprocess.run(command(modules, out, *options), stderr=subprocess.DEVNULL)
    if done.returncode not in (0, 1):
        sys.exit(f"study: flipsat batch ended with status {done.returncode}")
    return time.monotonic() - began


def outputs(out):
    return {str(path.relative_to(out)): path.read_bytes() for path in module_files(out)
            if ".flipsat" not in path.parts and path.name != "report.json"}


def report(out):
    records = json.loads((out / "report.json").read_text())
    for record in records["records"]:
        record.pop("elapsed_ms", None)
    return records


def log(out):
    return [json.loads(line) for line in (out / ".flipsat/log.jsonl").read_text().splitlines()]


def killed_run(modules, out, seconds, kills, rng):
    """Begins a batch until it ends; the first `kills` times it is killed before. How often it was."""
    killed = 0
    while True:
        process = subprocess.Popen(command(modules, out), stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=rng.uniform(0.02, 0.18) * seconds if killed < kills else None)
            return killed
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1


def family(process):
    """The process and its children."""
    try:
        children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return [process]
    return [process, *map(int, children)]


def resident(process):
    try:
        fields = pathlib.Path(f"/proc/{process}/statm").read_text().split()
    except OSError:
        return 0
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


def peak_of_run(modules, out, memory):
    """The most that all processes of a batch held at a moment, pages that they share counted for
    each."""
    process = subprocess.Popen(command(modules, out, "--memory", memory), stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, sum(resident(one) for one in family(process.pid)))
        time.sleep(0.005)
    return peak


def size_in_bytes(text):
    return int(float(text[:-1]) * 1024 ** (" KMG".index(text[-1])))


def check(is_right, what):
    if not is_right:
        sys.exit(f"study: {what}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--corpus", type=pathlib.Path, default=os.environ.get("FLIPSAT_CORPUS"))
    parser.add_argument("--modules", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--memory", default="1G")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    work, rng = arguments.work, random.Random(arguments.seed)
    work.mkdir(parents=True, exist_ok=True)
    global FLIPSAT
    FLIPSAT = pathlib.Path(shutil.copy2(FLIPSAT, work / "flipsat")).resolve()
    modules = work / "modules"
    make_modules(modules, arguments.corpus, arguments.modules)
    for name in ("whole", "killed", "bounded", "timed"):
        shutil.rmtree(work / name, ignore_errors=True)

    seconds = run(modules, work / "whole")
    expected, count = outputs(work / "whole"), len(report(work / "whole")["records"])
    failed = sum("error" in record for record in report(work / "whole")["records"])
    print(f"- {count:,} modules, {failed} of which cannot be read; a run takes {seconds:.0f} s")

    killed = killed_run(modules, work / "killed", seconds, arguments.kills, rng)
    check(killed == arguments.kills, f"it was done after {killed} kills")
    check(outputs(work / "killed") == expected, "a resumed batch wrote other bytes")
    check([{**record, "input": ""} for record in report(work / "killed")["records"]] ==
          [{**record, "input": ""} for record in report(work / "whole")["records"]],
          "a resumed batch reports something else")
    done = collections.Counter(line["key"] for line in log(work / "killed")
                               if line["event"] == "optimized")
    check(max(done.values()) == 1, "something finished was done again")
    # Of an answer that was kept when the kill came, but not told of, the next run says "known".
    known = {line["key"] for line in log(work / "killed") if line["event"] == "known"}
    runs = sum(line["event"] == "begin" for line in log(work / "killed"))
    print(f"- killed {killed} times and resumed ({runs} runs that got as far as work): the same bytes,"
          f" {len(known.union(done)):,} pieces of work done, none twice")

    peak = peak_of_run(modules, work / "bounded", arguments.memory)
    retried = sum(line["event"] == "retried" for line in log(work / "bounded"))
    check(peak <= size_in_bytes(arguments.memory), f"{peak / 2**20:.0f} MiB under --memory")
    check(outputs(work / "bounded") == expected, "another result under --memory")
    print(f"- `--memory {arguments.memory}`: {peak / 2**20:.0f} MiB at most, {retried} pieces tried "
          "again alone, the same bytes")

    times = {1: [], 2: []}
    for _ in range(arguments.rounds):
        for processes, taken in times.items():
            shutil.rmtree(work / "timed", ignore_errors=True)
            taken.append(run(modules, work / "timed", "--threads", processes))
            check(outputs(work / "timed") == expected, f"another result of {processes} processes")
    one, two = (statistics.median(taken) for taken in times.values())
    again = run(modules, work / "timed", "--threads", 2)
    print(f"- one process {one:.1f} s, two {two:.1f} s: {one / two:.2f} times as fast "
          f"(medians of {arguments.rounds}, in turn); all known from before: {again:.1f} s")


if __name__ == "__main__":
    main()
