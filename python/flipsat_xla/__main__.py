"""Runs pairs of HLO modules on XLA and prints one JSON record.

    python3 flipsat_xla PAIRS.json

PAIRS.json: {"pairs": [...], "seed": 1, "kinds": [...], "timeout": seconds, "max_bytes": bytes},
all but the pairs with defaults; a pair is what pair.Pair holds, its files named from the
folder of PAIRS.json. Exit status: 0 all pairs are the
same, 1 some differ, 5 some could not be run and none differ, 2 jaxlib is missing, 4 anything else.

XLA may hang (a collective that not all devices reach) or abort. So the pairs are run by a worker,
another process of this program: when it falls silent or dies, the pair at hand "cannot run", and a
new worker goes on with the next.
"""

import importlib.util
import json
import os
import pathlib
import queue
import subprocess
import sys
import threading

if not __package__:  # run as a folder
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

DEFAULTS = {"seed": 1, "kinds": ["integers", "normal", "wide", "small"], "timeout": 120,
            "max_bytes": 1 << 30}
START_SECONDS = 300  # for Python to load XLA: long on a machine with other work
SAME, DIFFERENT, NO_JAXLIB, FAILED, CANNOT_RUN = 0, 1, 2, 4, 5


def work(path, first):
    """The worker: one record a line."""
    from flipsat_xla.pair import Pair, judge
    from flipsat_xla.runner import VERSION

    job = {**DEFAULTS, **json.loads(pathlib.Path(path).read_text(encoding="utf-8"))}
    print(json.dumps({"jaxlib": VERSION}), flush=True)
    folder = pathlib.Path(path).parent
    for pair in job["pairs"][first:]:
        print(json.dumps(judge(Pair(**pair), folder, job)), flush=True)


class Worker:
    """A worker process and what it says, one line at a time."""

    def __init__(self, path, first, devices):
        environment = dict(os.environ)
        flags = environment.get("XLA_FLAGS", "")
        environment["XLA_FLAGS"] = f"{flags} --xla_force_host_platform_device_count={devices}".strip()
        environment["JAX_PLATFORMS"] = "cpu"
        environment.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        self._process = subprocess.Popen(
            [sys.executable, "-B", str(pathlib.Path(__file__).parent), "--worker", path, str(first)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self._lines = queue.Queue()
        self._errors = []
        self._threads = [threading.Thread(target=self._read_lines, daemon=True),
                         threading.Thread(target=self._read_errors, daemon=True)]
        for thread in self._threads:
            thread.start()

    def _read_lines(self):
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _read_errors(self):
        for line in self._process.stderr:
            self._errors.append(line.strip())

    def line(self, timeout):
        """The next line; raises queue.Empty after `timeout` seconds, EOFError where it is dead."""
        line = self._lines.get(timeout=timeout)
        if line is None:
            raise EOFError(self.last_words())
        return json.loads(line)

    def last_words(self):
        self._threads[1].join(timeout=5)
        return next((line for line in reversed(self._errors) if line), "no message")

    def end(self):
        self._process.kill()
        self._process.wait()


def supervise(path):
    job = {**DEFAULTS, **json.loads(pathlib.Path(path).read_text(encoding="utf-8"))}
    pairs = job["pairs"]
    devices = max((pair["replicas"] * pair["partitions"] for pair in pairs), default=1)
    answer = {"jaxlib": None, "pairs": []}
    records = answer["pairs"]
    while len(records) < len(pairs):
        worker = Worker(path, len(records), devices)
        try:
            answer["jaxlib"] = worker.line(START_SECONDS)["jaxlib"]
            while len(records) < len(pairs):
                try:
                    records.append(worker.line(job["timeout"]))
                except queue.Empty:
                    records.append(lost(pairs[len(records)], "XLA did not finish in "
                                        f"{job['timeout']} s"))
                    break
                except EOFError as error:  # it died in the middle of a pair
                    records.append(lost(pairs[len(records)], f"XLA died: {error}"))
                    break
        finally:
            worker.end()
    return answer


def lost(pair, why):
    return {"name": pair["name"], "excerpt": pair.get("excerpt", False), "answer": "cannot run",
            "why": why[:300], "bit_exact": False, "results": len(pair.get("results", [])), "trials": []}


def main(arguments):
    if arguments[:1] == ["--worker"]:
        work(arguments[1], int(arguments[2]))
        return SAME
    if len(arguments) != 1:
        sys.stderr.write(__doc__)
        return FAILED
    if not importlib.util.find_spec("jaxlib") or not importlib.util.find_spec("jax"):
        return NO_JAXLIB
    try:
        answer = supervise(arguments[0])
    except (queue.Empty, EOFError) as error:
        sys.stderr.write(f"XLA does not start: {error}\n")
        return FAILED
    print(json.dumps(answer, indent=1))
    answers = {record["answer"] for record in answer["pairs"]}
    return DIFFERENT if "different" in answers else CANNOT_RUN if "cannot run" in answers else SAME


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
