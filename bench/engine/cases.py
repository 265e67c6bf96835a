"""What is measured: cases, and the series of runs that each engine makes of them."""
import statistics
from dataclasses import dataclass, field

import engines
import workloads

SPEED = "speed"                # the plain run
EXPLANATIONS = "explanations"  # the same with explanations on
RERUN = "rerun"                # one more run over the saturated e-graph: nothing is new
CUT = "cut"                    # a workload's first start nodes only: the cost of small graphs
SECTIONS = (SPEED, EXPLANATIONS, RERUN, CUT)

DEFAULT = ("math-m", "math-l", "ac10", "flip-dense-10000", "flip-dense-100000",
           "flip-sparse-100000", "flip-sparse-400000")
QUICK = ("math-m", "ac9", "flip-dense-10000", "flip-sparse-10000")

CUT_START_NODES = 200
_CUT_RUNS = 25  # each takes no time, and noise is all the larger


@dataclass(frozen=True)
class Case:
    section: str
    workload: str
    flags: tuple = ()
    least_runs: int = 1

    @property
    def sizes(self):
        """The known (e-nodes, e-classes), if they are known."""
        return None if self.section == CUT else workloads.SIZES[self.workload]


def cases(sections, names, quick):
    made = []
    if SPEED in sections:
        made += [Case(SPEED, name) for name in names]
    if EXPLANATIONS in sections:
        made += [Case(EXPLANATIONS, name, ("--explanations",)) for name in names]
    if RERUN in sections:
        name = "flip-sparse-10000" if quick else "flip-sparse-400000"
        made.append(Case(RERUN, name, ("--rerun",)))
    if CUT in sections:
        made.append(Case(CUT, "flip-sparse-1000", ("--start", str(CUT_START_NODES)), _CUT_RUNS))
    return made


@dataclass
class Series:
    """The runs that one engine made of one case, or why it made none."""
    runs: list = field(default_factory=list)
    error: str = ""

    def values(self, key):
        return [run[key] for run in self.runs if run.get(key) is not None]

    def median(self, key):
        """None where there is no such figure."""
        values = [] if self.error else self.values(key)
        return statistics.median(values) if values else None


class Results:
    def __init__(self, names):
        self.names = names  # of engines, in the order of columns
        self.series = {}    # by (case, engine)

    def of(self, section, workload, engine):
        for (case, name), series in self.series.items():
            if (case.section, case.workload, name) == (section, workload, engine):
                return series
        return Series(error="not measured")

    def median(self, section, workload, engine, key):
        return self.of(section, workload, engine).median(key)

    def best(self, section, workload, key, names):
        """The least median among engines, with the engine's name; (None, "") if none has one."""
        medians = [(self.median(section, workload, name, key), name) for name in names]
        return min((pair for pair in medians if pair[0] is not None), default=(None, ""))

    def others(self):
        """What ours is compared with: egglog loaded by facts is egglog with a slower start."""
        return [name for name in self.names if name not in (engines.OURS, engines.EGGLOG_FACTS)]

    def faults(self):
        """What no benchmark may have: a failing plain run, or sizes that are not the right ones."""
        found = []
        for (case, name), series in self.series.items():
            where = f"{case.workload} ({case.section}), {name}"
            if series.error and (case.section == SPEED or name != engines.OURS):
                found.append(f"{where}: {series.error}")
            sizes = sorted({(run["nodes"], run["classes"]) for run in series.runs})
            expected = case.sizes or self._agreed_sizes(case)
            found += [f"{where}: {nodes} e-nodes and {classes} e-classes instead of "
                      f"{expected[0]} and {expected[1]}"
                      for nodes, classes in sizes if (nodes, classes) != expected]
        return found

    def _agreed_sizes(self, case):
        """Where sizes are not known, those of the first of the other engines."""
        for name in (*self.others(), engines.OURS):
            series = self.of(case.section, case.workload, name)
            if series.runs:
                return series.runs[0]["nodes"], series.runs[0]["classes"]
        return None
