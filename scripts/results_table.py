"""Prints docs/results.md: what flipsat makes of every module below a folder.

    python3 scripts/results_table.py FLIPSAT FOLDER [--jobs N] > docs/results.md

FLIPSAT is the program. Figures come from the reports of `flipsat batch` (docs/report.md) and, for the slices of
all-reduces, from the modules' text. Nothing here depends on clocks, so two runs print the same page.
"""
import argparse
import collections
import gzip
import json
import os
import re
import subprocess
import tempfile

# Families that are added together, in this order; those that are not named here come last, one by one.
FIRST_STEPS = [["flips", "see-through"], ["collective algebra"], ["sums"], ["data movement"]]
LOOSER = ["precise", "reassoc"]
OTHER_OBJECTIVES = ["bytes", "launches"]


def run_flipsat(*arguments):
    """Runs flipsat; a batch with modules that fail (status 1) has its report all the same."""
    done = subprocess.run(arguments, stdout=subprocess.DEVNULL, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(arguments)}: exit status {done.returncode}")


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def read_text(path):
    with open(path, "rb") as file:
        data = file.read()
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()


def only_sliced(text):
    """The dynamic-slices that are all that a module reads of an all-reduce: a list for each such all-reduce."""
    found, users = [], {}
    for line in text.splitlines():
        match = re.match(r"\s+(ROOT\s+)?%?(\S+) = (.*)", line)
        if line.startswith("}"):  # the end of a computation
            found += [[name for name, _ in reads] for reads in users.values()
                      if reads and all(cut for _, cut in reads)]
            users = {}
        if not match:
            continue
        root, name, rest = match.groups()
        match = re.search(r"\s([a-z][a-z-]*)(\(.*)", rest.split(", metadata=")[0])
        opcode, operands = match.groups() if match else ("", "")
        for read in users.keys() & set(re.findall(r"[^\s%(){},]+", operands)):
            cut = opcode == "dynamic-slice" and re.match(rf"\((\S+ )?%?{re.escape(read)}[,)]", operands)
            users[read].append((name, bool(cut)))
        if opcode == "all-reduce" and not root:
            users[name] = []
    return found


class Measured:
    """All runs over one folder, by name of the run; a run is its records by name of the module."""

    def __init__(self, flipsat, folder, work, jobs):
        self.flipsat, self.folder, self.work, self.jobs = flipsat, folder, work, jobs
        self.runs = {}
        self.made_with = None
        run_flipsat(flipsat, "rules", "--json", f"{work}/rules.json")
        self.rules = read_json(f"{work}/rules.json")["rules"]
        self.steps = []
        names = []
        for step in self.families_by_step():
            names += [rule["name"] for rule in self.rules if rule["family"] in step]
            self.steps.append(" and ".join(step))
            self.add_run(self.steps[-1], "--only", ",".join(dict.fromkeys(names)))
        self.exact = self.runs[self.steps[-1]]  # all rules
        for numerics in LOOSER:
            self.add_run(numerics, "--numerics", numerics)
        self.by_objective = {"time": self.exact}
        for objective in OTHER_OBJECTIVES:
            self.by_objective[objective] = self.records(objective, "--objective", objective)

    def families_by_step(self):
        listed = list(dict.fromkeys(rule["family"] for rule in self.rules))
        others = [family for family in listed if family not in sum(FIRST_STEPS, [])]
        return FIRST_STEPS + [[family] for family in others]

    def add_run(self, name, *options):
        self.runs[name] = self.records(name, *options)

    def records(self, name, *options):
        out = f"{self.work}/{name}"
        run_flipsat(self.flipsat, "batch", self.folder, "-o", out, "--quiet", "--threads",
                    str(self.jobs), *options)
        report = read_json(f"{out}/report.json")
        self.made_with = self.made_with or report
        return {os.path.relpath(record["input"], self.folder): record for record in report["records"]}

    def input_text(self, name):
        return read_text(os.path.join(self.folder, name))

    def exact_text(self, name):
        return read_text(os.path.join(self.work, self.steps[-1], name))

    def modules(self):
        """Names of those that no run failed on."""
        return [name for name in self.exact
                if not any("error" in run[name] for run in self.runs.values())]

    def failures(self):
        for name in self.exact:
            for run, records in self.runs.items():
                if "error" in records[name]:
                    yield name, run, records[name]["error"]
                    break

    def program(self, name, run, which="output"):
        return self.runs[run][name]["programs"][which]

    def gains(self, name):
        return any(self.runs[run][name]["origin"] != "input" for run in [self.steps[-1], *LOOSER])


def microseconds(value):
    return f"{value:,.1f}" if value < 1e6 else f"{value / 1e3:,.0f} ms"


def mebibytes(value):
    return f"{value / 2**20:,.1f}" if value < 2**30 * 10 else f"{value / 2**20:,.0f}"


def change(before, after, form):
    before, after = form(before), form(after)
    return before if before == after else f"{before} -> {after}"


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def header(*cells, numbers=0):
    """Of a table whose last `numbers` columns are figures."""
    row(*cells)
    words = len(cells) - numbers
    print("|" + "---|" * words + "--:|" * numbers)


def count(items, one, many=None):
    return f"{len(items)} {one if len(items) == 1 else many or one + 's'}"


def print_intro(measured):
    modules = measured.modules()
    exact = [name for name in modules if measured.exact[name]["origin"] != "input"]
    slower = [name for name in modules for run in measured.runs
              if measured.program(name, run)["time_us"] > measured.program(name, run, "input")["time_us"]]
    only_looser = [name for name in modules if measured.gains(name) and name not in exact]
    failed = list(measured.failures())
    print("# Results on a corpus of real modules\n")
    print(f"{count(list(measured.exact), 'module')}: {count(exact, 'gains', 'gain')} with exact numerics, "
          f"{len(only_looser)} more with looser numerics, {len(modules) - len(exact) - len(only_looser)} stay "
          f"byte for byte, {len(failed)} failed. Every output was proved by the verifier; "
          f"{len(set(slower)) or 'none'} of them would be slower than its input.\n")
    report = measured.made_with
    print(f"Made by `scripts/results`: combiner `{report['combiner']}`, machine `{report['machine']}`, objective "
          f"`{report['objective']}`. Times are modelled ([cost-model.md](cost-model.md)), of the collectives and "
          "their surroundings, not of a step. `greedy` is the six sound passes in the compiler's own order "
          "([seed-passes.md](seed-passes.md)). Rules and their families: [rules.md](rules.md); classes of numerics: "
          "[numerics.md](numerics.md).\n")


def print_main_table(measured):
    steps = measured.steps
    print("## What each family adds\n")
    print("Modelled time, in percent of the input's. `greedy` stands by itself. Each column after it adds a family of "
          "rules to those before it, at `exact`; the last two have all rules and looser numerics. A cell is empty "
          "where it would read as the one before. Launches (after the combiner) and wire bytes (MiB a "
          "device) are the `exact` ones, weighted by trip counts.\n")
    header("module", "before, us", "greedy", *(f"+ {step}" if step != steps[0] else step for step in steps),
           *LOOSER, "exact, us", "launches", "wire MiB", numbers=len(steps) + len(LOOSER) + 5)
    helped = collections.Counter()
    for name in filter(measured.gains, measured.modules()):
        before = measured.program(name, steps[0], "input")
        start = before["time_us"]
        cells, last, shown = [], start, ""
        greedy = measured.program(name, steps[0], "greedy")["time_us"]
        for run in ["greedy", *steps, *LOOSER]:
            time = greedy if run == "greedy" else measured.program(name, run)["time_us"]
            helped[run] += time < last
            text = f"{100 * (time - start) / start:+.2f}" if time != start else ""
            cells.append(text if text != shown else "")
            last, shown = (start, "") if run == "greedy" else (time, text)
        after = measured.program(name, steps[-1])
        row(f"`{name}`", microseconds(start), *cells, microseconds(after["time_us"]),
            change(before["executed"]["launches"], after["executed"]["launches"], "{:,}".format),
            change(before["executed"]["wire_bytes"], after["executed"]["wire_bytes"], mebibytes))
    row("modules that a column helps", "", *(helped[run] for run in ["greedy", *steps, *LOOSER]), "", "", "")
    print()


def print_looser(measured):
    exact = measured.steps[-1]
    print("## What looser numerics bring\n")
    print("Modules that are faster with them than with `exact`. Collectives count each instruction once; the last "
          "three columns go from `exact` to `reassoc`.\n")
    header("module", "exact, us", *(f"{numerics}, us" for numerics in LOOSER), "collectives", "launches", "wire MiB",
           numbers=len(LOOSER) + 4)
    for name in measured.modules():
        programs = [measured.program(name, run) for run in [exact, *LOOSER]]
        first, last = programs[0], programs[-1]
        if last["time_us"] == first["time_us"]:
            continue
        times = [f"{program['time_us']:,.3f}" for program in programs]
        row(f"`{name}`", times[0], *(time if time != before else "" for before, time in zip(times, times[1:])),
            change(first["collectives"], last["collectives"], "{:,}".format),
            change(first["executed"]["launches"], last["executed"]["launches"], "{:,}".format),
            change(first["executed"]["wire_bytes"], last["executed"]["wire_bytes"], mebibytes))
    print()


def print_bounds(measured):
    print("## How near the bound\n")
    print("What is proved of the `exact` outputs under each objective ([cost-model.md](cost-model.md)): a gap of 0 is "
          "the best program that the rules have. Modules that are left alone as a whole (scheduled, or not partitioned yet) have no bound.\n")
    header("objective", "modules", "gap 0", "below 1 %", "more", "no bound", numbers=5)
    gaps = {}
    for objective, records in measured.by_objective.items():
        found = {name: record["gap"] for name, record in records.items() if "error" not in record}
        known = {name: gap for name, gap in found.items() if gap is not None}
        gaps[objective] = known
        zero, small = sum(gap == 0 for gap in known.values()), sum(0 < gap < 0.01 for gap in known.values())
        row(objective, len(found), zero, small, len(known) - zero - small, len(found) - len(known))
    print()
    open_ones = [name for name in measured.exact if any(known.get(name) for known in gaps.values())]
    if open_ones:
        header("gap, percent", *gaps, numbers=len(gaps))
        for name in open_ones:
            cells = [known.get(name) for known in gaps.values()]
            row(f"`{name}`", *("" if gap is None else f"{100 * gap:.3f}" if gap else "0" for gap in cells))
        print()


def why_unchanged(record):
    for note in record["notes"]:
        if note.startswith("the module is"):
            return note.split(":")[0].split(" (")[0]
        if "left alone" in note:
            return note
    if not record["programs"]["input"]["collectives"]:
        return "no collectives"
    if not any(rule["applied"] for rule in record["rules"]):
        return "no rule applies"
    return "nothing that applies pays"


def print_unchanged(measured):
    print("## Modules on which nothing is gained\n")
    header("module", "collectives", "time, us", "why", numbers=0)
    for name in measured.modules():
        if not measured.gains(name):
            before = measured.exact[name]["programs"]["input"]
            row(f"`{name}`", before["collectives"], microseconds(before["time_us"]),
                why_unchanged(measured.exact[name]))
    for name, run, error in measured.failures():
        row(f"`{name}`", "-", "-", f"failed ({run}): {error}")
    print()


def gathers(program):
    return program["by_opcode"].get("all-gather", {"count": 0})["count"]


def print_gathers(measured):
    exact = measured.steps[-1]
    rows = []
    for name in measured.modules():
        programs = [measured.program(name, exact, which) for which in ("input", "greedy", "output")]
        if len({gathers(program) for program in programs}) > 1:
            rows.append((name, programs))
    print("## Gathers\n")
    if not rows:
        print("No module has more or fewer of them afterwards.\n")
        return
    print("Modules in which their number changes, each instruction counted once. What is gathered is in MiB, weighted "
          "by trip counts.\n")
    header("module", "before", "greedy", "exact", "gathered before", "greedy", "exact", numbers=6)
    for name, programs in rows:
        row(f"`{name}`", *map(gathers, programs),
            *(mebibytes(program["executed"]["gathered_bytes"]) for program in programs))
    print()


def print_saturation(measured):
    print("## Saturation\n")
    rows, ended, not_entered = [], 0, set()
    for run, records in measured.runs.items():
        for name in measured.modules():
            record = records[name]
            stop = record["egraph"]["stop"]
            if not stop:
                not_entered.add(name)
            elif stop == "saturated":
                ended += 1
            else:
                rows.append((name, run, stop))
    print(f"{ended} of {ended + len(rows)} runs of a module end by themselves. "
          f"{count(not_entered, 'module')} never come to it: scheduled, or not partitioned yet.\n")
    if rows:
        header("module", "run", "stop")
        for cells in rows:
            row(f"`{cells[0]}`", *cells[1:])
        print()


def print_own_shards(measured):
    print("## All-reduces of which only a slice is kept\n")
    print("All-reduces that nothing reads but dynamic-slices. One that each device reads at its own shard can be a "
          "reduce-scatter; where it is not, the second table has what the slice and all that only it needs cost, and "
          "what the cheapest other form would.\n")
    header("module", "before", "exact", numbers=2)
    left = []
    for name in measured.modules():
        before, after = only_sliced(measured.input_text(name)), only_sliced(measured.exact_text(name))
        if before:
            row(f"`{name}`", len(before), len(after))
        left += [(name, slices[0]) for slices in after]
    print()
    if not left:
        return
    header("module", "left", "why", "us", "otherwise, us", numbers=2)
    without_rule = collections.Counter()
    for name, at in left:
        sites = [site for site in measured.exact[name]["kept"] if site["at"].lstrip("%") == at]
        if sites:
            row(f"`{name}`", f"`{at}`", sites[0]["why"], *map(microseconds, sites[0]["time_us"]))
        else:
            without_rule[name] += 1
    for name, slices in without_rule.items():
        row(f"`{name}`", slices, why_unchanged(measured.exact[name]), "", "")
    print()


def print_kept(measured):
    print("## Kept because of cost\n")
    print("Sites at which a rule's form was there and the input's was taken, at `exact`.\n")
    grouped = collections.defaultdict(list)
    for name in measured.modules():
        for site in measured.exact[name]["kept"]:
            grouped[site["rule"], site["why"]].append(name)
    header("rule", "why", "sites", "modules", numbers=2)
    for (rule, why), names in sorted(grouped.items(), key=lambda item: (-len(item[1]), item[0])):
        row(f"`{rule}`", why, f"{len(names):,}", len(set(names)))
    print()


def print_refused(measured):
    print("## Refused\n")
    print("Places over all modules at which a rule's pattern was there and its condition was not, at `exact`.\n")
    refused = collections.Counter()
    for name in measured.modules():
        for rule in measured.exact[name]["rules"]:
            for reason, places in rule["refused"].items():
                refused[rule["name"], reason] += places
    header("rule", "reason", "places", numbers=1)
    place = {rule["name"]: index for index, rule in enumerate(measured.rules)}
    for (rule, reason), places in sorted(refused.items(), key=lambda item: (place[item[0][0]], -item[1], item[0])):
        row(f"`{rule}`", reason, f"{places:,}")


def print_page(measured):
    print_intro(measured)
    print_main_table(measured)
    print_looser(measured)
    print_bounds(measured)
    print_unchanged(measured)
    print_own_shards(measured)
    print_gathers(measured)
    print_kept(measured)
    print_saturation(measured)
    print_refused(measured)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flipsat")
    parser.add_argument("folder")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        measured = Measured(os.path.abspath(options.flipsat), options.folder, work, options.jobs)
        print_page(measured)


if __name__ == "__main__":
    main()
