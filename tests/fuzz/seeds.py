"""Writes the files that fuzz targets start from.

usage: seeds.py FLIPSAT EQSAT OUT

OUT/TARGET gets them: the examples and what the commands make of them, the files beside this one in
seeds/, and small modules of FLIPSAT_CORPUS where it is set.
"""

import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
LARGEST = 64 << 10  # bytes: mutations of larger files rarely hit what matters


def modules():
    yield from sorted((ROOT / "examples").glob("*.hlo"))
    yield from sorted((HERE / "seeds").glob("*.hlo"))
    if "FLIPSAT_CORPUS" in os.environ:
        for path in sorted(pathlib.Path(os.environ["FLIPSAT_CORPUS"]).rglob("*.hlo")):
            if path.stat().st_size <= LARGEST:
                yield path


def main():
    flipsat, eqsat, out = sys.argv[1:]
    out = pathlib.Path(out)

    def file(target, name):
        (out / target).mkdir(parents=True, exist_ok=True)
        return out / target / name

    def run(*command):
        subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)

    for module in modules():
        shutil.copy(module, file("hlo_text", module.name))
        run(flipsat, "convert", module, file("hlo_proto", module.stem + ".pb"))
        for end in ("gz", "zst"):
            run(flipsat, "convert", module, file("compressed", f"{module.name}.{end}"))
    for workload in sorted((HERE / "seeds").glob("*.wl")):
        shutil.copy(workload, file("workload_text", workload.name))
        run(eqsat, "export", workload, "--json", file("egraph_json", workload.stem + ".json"))
        for kind in ("binary", "json"):
            snapshot = file("snapshot", f"{workload.stem}.{kind}")
            run(eqsat, "snapshot", workload, "--format", kind, "-o", snapshot)
    for rules in sorted((HERE / "seeds").glob("*.rules")):
        shutil.copy(rules, file("rules_text", rules.name))
    shutil.copy(HERE / "seeds" / "answer.txt", file("solver_answer", "answer.txt"))
    for folder in ("machines", "combiners"):
        for path in sorted((ROOT / "examples" / folder).glob("*.json")):
            shutil.copy(path, file("cost_files", f"{folder}-{path.name}"))


if __name__ == "__main__":
    main()
