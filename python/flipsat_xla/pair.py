"""One pair of modules: compiled, run on the same inputs, judged.

Bit-exact on every input is the best answer. A pair that is not may still be the same but for the
order of its sums: then the results differ by no more than rounding moves them, and how far that is
the first module shows itself, run again on inputs that are moved by one rounding unit. On integer
inputs of an excerpt every sum is exact: there is no such excuse.

A difference is believed only if XLA computes each of the two modules alike with its optimizing
passes and without: XLA:CPU has faults of its own.
"""

from dataclasses import dataclass, field

import numpy as np

from flipsat_xla import compare, inputs, runner
from flipsat_xla.prepare import CannotRun, unit_of_sums

# Rounding noise is estimated on a few runs; the worst of another order is some times that.
NOISE_RUNS = 2
NOISE_FACTOR = 16


@dataclass
class Pair:
    name: str
    before: str  # files of HLO text
    after: str
    replicas: int
    partitions: int
    equal: list = field(default_factory=list)  # by parameter: see inputs.make
    numbers: dict = field(default_factory=dict)
    excerpt: bool = False
    results: list = field(default_factory=list)  # names of the results, for messages

    @property
    def devices(self):
        return self.replicas * self.partitions


def _bytes_of(parameters, devices):
    return devices * sum(int(np.prod(p.dims, dtype=np.int64)) * np.dtype(runner.TYPES[p.type]).itemsize
                         for p in parameters)


class _Job:
    def __init__(self, pair, folder, job):
        self._pair = pair
        self._modules = [runner.Module((folder / path).read_text(encoding="utf-8"))
                         for path in (pair.before, pair.after)]
        before, after = self._modules
        self._parameters = before.parameters
        shapes = [[(p.type, p.dims) for p in module.parameters] for module in self._modules]
        if shapes[0] != shapes[1]:
            raise CannotRun("the parameters differ")
        size = _bytes_of(self._parameters, pair.devices)
        if size > job["max_bytes"]:
            raise CannotRun(f"its parameters are {size >> 20} MiB")
        self._unit = unit_of_sums(before.text, after.text)
        self._seed = job["seed"]
        self._executables = {}

    def _run(self, which, values, without_passes=tuple(runner.PLAIN)):
        key = which, without_passes
        if key not in self._executables:
            self._executables[key] = self._modules[which].compile(
                self._pair.replicas, self._pair.partitions, without_passes,
                quick=self._pair.excerpt)
        return self._executables[key].run(values)

    def _inputs(self, kind):
        equal = self._pair.equal or [None] * len(self._parameters)
        if len(equal) != len(self._parameters):
            raise CannotRun("it is not known which inputs are equal on which devices")
        return inputs.make(self._parameters, self._pair.devices, kind, self._seed, equal,
                           self._pair.numbers, counters=not self._pair.excerpt)

    def _noise(self, values, results):
        """By result: how far one rounding unit of the inputs moves it."""
        noise = np.zeros(len(results))
        for seed in range(NOISE_RUNS):
            moved = self._run(0, inputs.perturbed(values, self._unit, self._seed + seed))
            noise = np.maximum(noise, [d.largest for d in compare.distances(results, moved)])
        return noise

    def trial(self, kind):
        """A record of one run of both on inputs of a kind."""
        values = self._inputs(kind)
        before, after = self._run(0, values), self._run(1, values)
        if len(before) != len(after):
            raise CannotRun("the number of results differs")
        apart = compare.distances(before, after)
        record = {"values": kind, "bit_exact": all(d.equal for d in apart),
                  "finite": round(compare.finite_share(before), 4), "differences": []}
        if record["bit_exact"]:
            return record
        exact = self._pair.excerpt and kind == "integers"
        noise = np.zeros(len(before)) if exact else self._noise(values, before)
        for number, d in enumerate(apart):
            if d.equal:
                continue
            bound = NOISE_FACTOR * noise[number]
            record["differences"].append({
                "result": self._pair.results[number] if self._pair.results else str(number),
                "elements": d.differing, "max_abs": d.largest, "noise": float(noise[number]),
                "within_noise": bool(d.largest <= bound and np.isfinite(d.largest))})
        return record

    def fault_of_xla(self, kind):
        """Which module XLA computes in two ways, depending on its passes; None for neither."""
        values = self._inputs(kind)
        for which, name in enumerate(("the first", "the second")):
            plain = self._run(which, values)
            optimized = self._run(which, values, tuple(runner.OPTIMIZING))
            apart = compare.distances(plain, optimized)
            noise = NOISE_FACTOR * self._noise(values, plain)
            if any(not d.equal and not d.largest <= n for d, n in zip(apart, noise)):
                return name
        return None


def judge(pair, folder, job):
    """The record of a pair. job: seed, kinds, max_bytes."""
    record = {"name": pair.name, "excerpt": pair.excerpt, "answer": "cannot run", "why": "",
              "bit_exact": False, "results": len(pair.results), "trials": []}
    try:
        running = _Job(pair, folder, job)
        record["trials"] = [running.trial(kind) for kind in job["kinds"]]
        record["bit_exact"] = all(trial["bit_exact"] for trial in record["trials"])
        wrong = [trial["values"] for trial in record["trials"]
                 if not all(d["within_noise"] for d in trial["differences"])]
        fault = running.fault_of_xla(wrong[0]) if wrong else None
        if fault:
            record["why"] = f"XLA computes {fault} module differently with its optimizing passes"
        else:
            record["answer"] = "different" if wrong else "same"
    except CannotRun as error:
        record["why"] = str(error)
    except Exception as error:  # whatever XLA throws: its own types, by message alone
        record["why"] = " ".join(str(error).split())[:300]
    return record
