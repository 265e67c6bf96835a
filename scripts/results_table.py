"""Writes docs/results.md from a batch report: every module with what it gained, or that it did not.

    python3 scripts/results_table.py REPORT.json > docs/results.md
"""
import json
import os
import sys


def ratio(before, after):
    return f"{100 * (after - before) / before:+.1f} %" if before else "-"


def microseconds(value):
    return f"{value:,.1f}" if value < 1e6 else f"{value / 1e3:,.1f} ms"


def mebibytes(value):
    return f"{value / 2**20:,.1f}"


def rules_of(record):
    names = {rule for change in record["changes"] for rule in change["rules"]}
    return ", ".join(sorted(names))


def reason(record):
    """Why a module is as it was, in a few words."""
    for note in record["notes"]:
        if note.startswith("the module is"):
            return note.split(":")[0].split(" (")[0]
    if not record["programs"]["input"]["collectives"]:
        return "no collectives"
    return "nothing to gain"


def main(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    records = report["records"]
    root = os.path.commonpath([os.path.dirname(record["input"]) for record in records])
    done = [record for record in records if "error" not in record]
    gained = [record for record in done if record["origin"] != "input"]
    print("# Results on a corpus of real modules\n")
    print(
        "Made by `scripts/results` with default options: numerics "
        f"`{report['numerics']}`, combiner `{report['combiner']}`, machine `{report['machine']}`, "
        f"objective `{report['objective']}`. Times are modelled, in us, of the collectives and their "
        "surroundings; bytes are wire bytes per device, MiB, weighted by trip counts; launches are "
        "after the simulated combiner, weighted alike. The greedy order is the six passes in the "
        "compiler's own order. Every change was checked by the symbolic verifier.\n"
    )
    print(
        f"{len(records)} modules: {len(gained)} gain, {len(done) - len(gained)} stay byte for byte, "
        f"{len(records) - len(done)} failed.\n"
    )
    print("| module | collectives | launches | wire MiB | time before | greedy | after | gain | rules |")
    print("|---|---|---|---|---|---|---|---|---|")
    for record in gained:
        name = os.path.relpath(record["input"], root)
        before, greedy, after = (record["programs"][key] for key in ("input", "greedy", "output"))
        print(
            f"| {name} | {before['collectives']} -> {after['collectives']} "
            f"| {before['executed']['launches']} -> {after['executed']['launches']} "
            f"| {mebibytes(before['executed']['wire_bytes'])} -> {mebibytes(after['executed']['wire_bytes'])} "
            f"| {microseconds(before['time_us'])} | {microseconds(greedy['time_us'])} "
            f"| {microseconds(after['time_us'])} | {ratio(before['time_us'], after['time_us'])} "
            f"| {rules_of(record)} |"
        )
    print("\n## Modules that stay as they were\n")
    print("| module | collectives | time | why |")
    print("|---|---|---|---|")
    for record in done:
        if record["origin"] != "input":
            continue
        before = record["programs"]["input"]
        name = os.path.relpath(record["input"], root)
        print(f"| {name} | {before['collectives']} | {microseconds(before['time_us'])} | {reason(record)} |")
    for record in records:
        if "error" in record:
            print(f"| {os.path.relpath(record['input'], root)} | - | - | failed: {record['error']} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
