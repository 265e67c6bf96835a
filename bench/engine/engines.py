"""The engines compared: how each is built, and how one run of it is made and checked.

Every engine is a program `COMMAND FILE.wl [--explanations] [--rerun] [--start N]` that prints one
line of JSON with nodes, classes, iterations, load_s, search_s, apply_s, rebuild_s, run_s, rss_mib,
and, where it has them, parse_s, compile_s, rerun_s.
"""
import json
import pathlib
import shutil
import subprocess
import sys
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

OURS = "flipsat"
EGG = ("egg", "egg-mimalloc")  # the same program with two allocators, each better at something
EGGLOG = "egglog"
EGGLOG_FACTS = "egglog-facts"  # loads as egglog's language does, which is far slower
NAMES = (OURS, *EGG, EGGLOG, EGGLOG_FACTS)


class BenchError(Exception):
    """What a user can act on: a tool that is missing, a program that fails, a wrong size."""


@dataclass
class Engine:
    name: str
    command: list
    explains: bool

    def run(self, workload, flags, timeout):
        """One run in a process of its own."""
        command = [*self.command, str(workload), *flags]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            raise BenchError(f"{self.name} is not done after {timeout} s") from None
        if done.returncode != 0:
            reason = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[0]
            raise BenchError(f"{self.name} fails with {done.returncode}: {reason}")
        try:
            figures = json.loads(done.stdout)
            figures["total_s"] = figures["load_s"] + figures["run_s"]
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise BenchError(f"{self.name} prints no line of figures: {error!r}") from None
        return figures


def _call(command, what):
    if shutil.which(command[0]) is None:
        raise BenchError(f"{command[0]} is needed to build {what} (see bench/engine/README.md)")
    print("bench:", " ".join(map(str, command)), flush=True, file=sys.stderr)
    if subprocess.run(command, stdout=sys.stderr).returncode != 0:
        raise BenchError(f"{what} does not build")


def _build_ours(folder, jobs):
    tree = folder / "cmake"
    _call(["cmake", "-S", ROOT, "-B", tree, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
           "-DFLIPSAT_TESTS=OFF"], OURS)
    _call(["cmake", "--build", tree, "--target", "eqsat", "-j", str(jobs)], OURS)
    return tree / "eqsat"


def _build_others(folder, jobs, packages):
    tree = folder / "cargo"
    selected = [word for package in packages for word in ("--package", package)]
    _call(["cargo", "build", "--release", "--locked", "--manifest-path", HERE / "Cargo.toml",
           "--target-dir", tree, "--jobs", str(jobs), *selected], " and ".join(packages))
    return tree / "release"


def build(folder, names, jobs, eqsat=None):
    """Builds the named engines; `eqsat` is a program to take instead of a build of ours."""
    engines = {}
    if OURS in names:
        program = pathlib.Path(eqsat).resolve() if eqsat else _build_ours(folder, jobs)
        engines[OURS] = Engine(OURS, [str(program), "run", "--json"], explains=True)
    others = {
        "egg": ("bench-egg", ["bench-egg"]),
        "egg-mimalloc": ("bench-egg", ["bench-egg-mimalloc"]),
        EGGLOG: ("bench-egglog", ["bench-egglog"]),
        EGGLOG_FACTS: ("bench-egglog", ["bench-egglog", "--facts"]),
    }
    wanted = {name: other for name, other in others.items() if name in names}
    if wanted:
        packages = dict.fromkeys(package for package, _ in wanted.values())
        programs = _build_others(folder, jobs, packages)
        for name, (_, (program, *flags)) in wanted.items():
            command = [str(programs / program), *flags]
            engines[name] = Engine(name, command, explains=name in EGG)
    return engines
