"""The project's targets for its engine, and whether measurements meet them."""
from dataclasses import dataclass
from typing import Optional

import engines
from cases import CUT, DEFAULT, EXPLANATIONS, RERUN, SPEED

TIMES_FASTER = 5.0        # than the better of egg and egglog, load and run together
EGGLOG_RUN_SHARE = 1.0    # of egglog's run on large flip workloads, load aside
EGGLOG_RUN_AIM = 0.5      # what is aimed at there
EGG_MEMORY_SHARE = 1 / 3  # of egg's peak memory
RERUN_SECONDS = 1e-3
CUT_SECONDS = 100e-6
EXPLAINED_TIME = 1.5      # times the plain run
EXPLAINED_MEMORY = 2.0

LARGE_FLIP = ("flip-dense-100000", "flip-sparse-100000", "flip-sparse-400000")
IN_MEMORY = ("math-m", "math-l", "ac10", *LARGE_FLIP)


@dataclass
class Verdict:
    target: str
    value: Optional[float]  # None: not measured, which misses
    bound: float
    at_least: bool = False
    note: str = ""

    @property
    def met(self):
        if self.value is None:
            return False
        return self.value >= self.bound if self.at_least else self.value <= self.bound

    def line(self):
        value = "not measured" if self.value is None else f"{self.value:.3g}"
        sign = ">=" if self.at_least else "<="
        note = f" ({self.note})" if self.note else ""
        return f"{'met   ' if self.met else 'MISSED'} {self.target}: {value}, target {sign} " \
               f"{self.bound:.3g}{note}"


def _quotient(value, by):
    return None if value is None or not by else value / by


def verdicts(results):
    """One for each target whose workload or section was asked for."""
    asked = {(case.section, case.workload) for case, _ in results.series}

    def ours(section, workload, key):
        return results.median(section, workload, engines.OURS, key)

    found = []
    for workload in (name for name in DEFAULT if (SPEED, name) in asked):
        best, who = results.best(SPEED, workload, "total_s", results.others())
        found.append(Verdict(f"{workload}: times faster, load and run",
                             _quotient(best, ours(SPEED, workload, "total_s")), TIMES_FASTER,
                             at_least=True, note=f"than {who}" if who else ""))
    for workload in (name for name in LARGE_FLIP if (SPEED, name) in asked):
        egglog = results.median(SPEED, workload, engines.EGGLOG, "run_s")
        share = _quotient(ours(SPEED, workload, "run_s"), egglog)
        found.append(Verdict(f"{workload}: run as a share of egglog's", share, EGGLOG_RUN_SHARE,
                             note=f"aim {EGGLOG_RUN_AIM}"))
    for workload in (name for name in IN_MEMORY if (SPEED, name) in asked):
        egg, who = results.best(SPEED, workload, "rss_mib",
                                [name for name in results.names if name in engines.EGG])
        share = _quotient(ours(SPEED, workload, "rss_mib"), egg)
        found.append(Verdict(f"{workload}: peak memory as a share of egg's", share,
                             EGG_MEMORY_SHARE, note=who))
    for workload in (name for name in DEFAULT if (EXPLANATIONS, name) in asked):
        for what, key, bound in [("time", "run_s", EXPLAINED_TIME),
                                 ("memory", "rss_mib", EXPLAINED_MEMORY)]:
            factor = _quotient(ours(EXPLANATIONS, workload, key), ours(SPEED, workload, key))
            found.append(Verdict(f"{workload}: {what} with explanations, times without", factor,
                                 bound))
    for section, workload, key, bound, what in [
            (RERUN, "flip-sparse-400000", "rerun_s", RERUN_SECONDS, "rerun with nothing new, s"),
            (CUT, "flip-sparse-1000", "run_s", CUT_SECONDS, "cut to 200 start nodes, run, s")]:
        if (section, workload) in asked:
            found.append(Verdict(f"{workload}: {what}", ours(section, workload, key), bound))
    return found
