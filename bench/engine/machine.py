"""How quiet the machine is while it measures. Times taken on a busy machine are printed with a
warning, since neither medians nor interleaving mend them.
"""
import os
import pathlib
import platform
import time

_SPIN_STEPS = 400_000
_SPIN_SPREAD = 1.10  # nine of ten loops of the same work should be this close to the fastest
_OTHERS_SHARE = 0.05  # of one CPU, used by other processes
_CPU_FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")


def _cpu_seconds():
    """Seconds since boot of all CPUs by what they did, or {} where Linux does not tell."""
    try:
        first = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()
    except (OSError, IndexError):
        return {}
    ticks = os.sysconf("SC_CLK_TCK")
    return {field: int(value) / ticks for field, value in zip(_CPU_FIELDS, first[1:])}


def _own_seconds():
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _model():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def load():
    return os.getloadavg()[0]


class Watch:
    """Watches from its making to `report`; `spin` is called between measurements. `load_before` is
    from before anything of ours ran, builds included."""

    def __init__(self, load_before):
        self.load_before = load_before
        self.spins = []
        self.cpu = _cpu_seconds()
        self.own = _own_seconds()
        self.begin = time.perf_counter()

    def spin(self):
        begin = time.perf_counter()
        total = 0
        for step in range(_SPIN_STEPS):
            total += step & 7
        self.spins.append(time.perf_counter() - begin)

    def report(self):
        elapsed = time.perf_counter() - self.begin
        now = _cpu_seconds()
        spent = {field: now[field] - self.cpu[field] for field in self.cpu}
        busy = sum(spent.get(field, 0) for field in ("user", "nice", "system", "irq", "softirq"))
        own = _own_seconds() - self.own
        spins = sorted(self.spins) or [1.0]
        figures = {
            "cpu": _model(),
            "cpus": os.cpu_count(),
            "load_before": self.load_before,
            "seconds": elapsed,
            "spin_fastest_s": spins[0],
            "spin_median": spins[len(spins) // 2] / spins[0],
            "spin_tenth_slowest": spins[int(len(spins) * 0.9)] / spins[0],
            "spin_slowest": spins[-1] / spins[0],
            "steal": spent.get("steal", 0) / elapsed,
            # Counters that stand still belong to a sandbox that does not count.
            "others": max(0.0, busy - own) / elapsed if busy > 0 else None,
        }
        figures["busy"] = _why_busy(figures)
        return figures


def _why_busy(figures):
    reasons = []
    if figures["load_before"] > 0.5:
        reasons.append(f"the load was {figures['load_before']:.2f} before the first run")
    if figures["spin_tenth_slowest"] > _SPIN_SPREAD:
        reasons.append("one in ten loops of the same work took "
                       f"{figures['spin_tenth_slowest']:.2f} times the fastest or more")
    if figures["steal"] > 0.02:
        reasons.append(f"{100 * figures['steal']:.0f} % of a CPU was stolen by the host")
    if figures["others"] is not None and figures["others"] > _OTHERS_SHARE:
        reasons.append(f"other processes took {100 * figures['others']:.0f} % of a CPU")
    return reasons


def describe(figures):
    others = "not known" if figures["others"] is None else f"{100 * figures['others']:.1f} %"
    lines = [f"Machine: {figures['cpu']}, {figures['cpus']} CPUs. While measuring "
             f"({figures['seconds']:.0f} s): load before {figures['load_before']:.2f}, steal "
             f"{100 * figures['steal']:.1f} %, other processes {others} of a CPU; a loop of fixed "
             f"work took {1000 * figures['spin_fastest_s']:.1f} ms at best, "
             f"{figures['spin_median']:.2f} times that in the median, "
             f"{figures['spin_slowest']:.2f} times at worst."]
    if figures["busy"]:
        lines.insert(0, f"**THE MACHINE IS BUSY**: {'; '.join(figures['busy'])}. "
                        "Take the times below with care.\n")
    return "\n".join(lines)
