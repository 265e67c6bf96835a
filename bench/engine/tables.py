"""The measurements as Markdown."""
import engines
from cases import CUT, CUT_START_NODES, EXPLANATIONS, RERUN, SPEED

PHASES = ("parse", "compile", "load", "search", "apply", "rebuild", "run")


def milliseconds(seconds):
    if seconds is None:
        return "-"
    value = 1000 * seconds
    return f"{value:,.0f}" if value >= 1000 else f"{value:.1f}" if value >= 10 else f"{value:.3f}"


def mebibytes(value):
    return "-" if value is None else f"{value:,.1f}"


def ratio(value, ours):
    return "-" if value is None or not ours else f"{value / ours:.2f}"


def _table(headings, rows, left=1):
    line = "|" + "|".join(":--" if i < left else "--:" for i in range(len(headings))) + "|"
    lines = ["| " + " | ".join(headings) + " |", line]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def _workloads(results, section):
    """In the order measured, each once."""
    names = (case.workload for case, _ in results.series if case.section == section)
    return list(dict.fromkeys(names))


def speed(results):
    """Per workload: each engine, and how many times ours the better of the others takes."""
    parts = []
    for title, key, form in [("Run, ms", "run_s", milliseconds),
                             ("Load and run, ms", "total_s", milliseconds),
                             ("Peak resident memory, MiB", "rss_mib", mebibytes)]:
        rows = []
        for workload in _workloads(results, SPEED):
            ours = results.median(SPEED, workload, engines.OURS, key)
            best, who = results.best(SPEED, workload, key, results.others())
            columns = [form(results.median(SPEED, workload, name, key)) for name in results.names]
            rows.append([workload, *columns, ratio(best, ours), who])
        headings = ["workload", *results.names, "best other / flipsat", "best other"]
        parts.append(f"### {title}\n\n{_table(headings, rows)}")
    return "\n\n".join(parts)


def phases(results):
    """Every figure of every engine, with the spread of its runs."""
    rows = []
    for workload in _workloads(results, SPEED):
        for name in results.names:
            series = results.of(SPEED, workload, name)
            if not series.runs:
                rows.append([workload, name, series.error] + [""] * 11)
                continue
            first = series.runs[0]
            runs = sorted(series.values("run_s"))
            times = [milliseconds(series.median(f"{phase}_s")) for phase in PHASES]
            rows.append([workload, name, f"{first['nodes']:,}", f"{first['classes']:,}",
                         first["iterations"], *times, milliseconds(runs[0]), milliseconds(runs[-1]),
                         f"{series.median('rss_mib') * 2**20 / first['nodes']:.0f}"])
    headings = ["workload", "engine", "e-nodes", "e-classes", "iterations", *PHASES, "run min",
                "run max", "bytes an e-node"]
    return _table(headings, rows, left=2)


def explanations(results):
    """What explanations cost: with them, and how many times the plain run of the same engine."""
    names = [name for name in results.names if name in (engines.OURS, *engines.EGG)]
    rows = []
    for workload in _workloads(results, EXPLANATIONS):
        row = [workload]
        for key, form in [("run_s", milliseconds), ("rss_mib", mebibytes)]:
            for name in names:
                value = results.median(EXPLANATIONS, workload, name, key)
                plain = results.median(SPEED, workload, name, key)
                row.append(f"{form(value)} ({ratio(value, plain)} x)" if value else "-")
        rows.append(row)
    headings = ["workload", *[f"run, ms: {name}" for name in names],
                *[f"memory, MiB: {name}" for name in names]]
    text = _table(headings, rows)
    return text + _missing(results, EXPLANATIONS)


def special(results):
    """Finding nothing on a saturated e-graph, and a small e-graph."""
    rows = []
    cut = f"{{}} cut to {CUT_START_NODES} start nodes"
    for section, label, key in [(RERUN, "rerun over saturated {}", "rerun_s"),
                                (CUT, f"{cut}: run", "run_s"),
                                (CUT, f"{cut}: load", "load_s"),
                                (CUT, f"{cut}: rule compilation", "compile_s")]:
        for workload in _workloads(results, section):
            medians = [results.median(section, workload, name, key) for name in results.names]
            rows.append([label.format(workload), *map(milliseconds, medians)])
    text = _table(["ms", *results.names], rows)
    return text + _missing(results, RERUN) + _missing(results, CUT)


def _missing(results, section):
    """The first reason why ours has no figures, as it has where a feature is not there yet."""
    for workload in _workloads(results, section):
        error = results.of(section, workload, engines.OURS).error
        if error and engines.OURS in results.names:
            return f"\n\nNot measured: {workload}: {error}"
    return ""
