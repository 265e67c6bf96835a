#!/usr/bin/env python3
"""Extraction problems in egraph-serialize JSON: random families, and saturated workloads.

    problems.py DIRECTORY [NAME...] [--eqsat PROGRAM]

A random family is a function of its size and a seed, the same on every machine. Workloads are those of
bench/engine, saturated and written by `eqsat export`.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "engine"))
import workloads  # noqa: E402


class Problem:
    """Nodes in order; a class is named as a child by its first node. Every node has an operator of its
    own, so that congruence merges nothing."""

    def __init__(self):
        self.nodes = {}
        self.first = {}

    def add(self, cls, cost, children=()):
        name = f"{cls}.{len(self.nodes)}"
        self.first.setdefault(cls, name)
        self.nodes[name] = (cost, list(children), cls)

    def text(self, root):
        nodes = {name: {"op": name, "children": [self.first[child] for child in children],
                        "eclass": cls, "cost": cost}
                 for name, (cost, children, cls) in self.nodes.items()}
        return json.dumps({"nodes": nodes, "root_eclasses": [root], "class_data": {}}, indent=0)


def set_cover(sets, seed):
    """Sets of cost 10 to 30, and a fifth more elements; an element is in 4 to 8 sets, and has a node
    of cost 1 for each. The root needs all elements."""
    random = workloads.SplitMix(seed)
    problem = Problem()
    for i in range(sets):
        problem.add(f"set{i}", 10 + random.below(21))
    elements = sets + sets // 5
    for i in range(elements):
        count = 4 + random.below(5)
        covering = set()
        while len(covering) < count:
            covering.add(random.below(sets))
        for chosen in sorted(covering):
            problem.add(f"element{i}", 1, [f"set{chosen}"])
    problem.add("root", 1, [f"element{i}" for i in range(elements)])
    return problem.text("root")


def random_cyclic(classes, seed):
    """Two to four nodes a class. The first needs earlier classes (the first twentieth are leaves); the
    others need any that are near by number, before or after, so that most classes need each other."""
    random = workloads.SplitMix(seed)
    problem = Problem()
    for cls in range(classes):
        for number in range(2 + random.below(3)):
            if number > 0:
                needs = [min(classes - 1, max(0, cls - 200 + random.below(260)))
                         for _ in range(1 + random.below(3))]
            elif cls > classes // 20:
                needs = [random.below(cls) for _ in range(1 + random.below(3))]
            else:
                needs = []
            needs = sorted(set(needs))
            problem.add(f"c{cls}", 1 + random.below(40),
                        [f"c{need}" for need in needs])
    return problem.text(f"c{classes - 1}")


def saturated(name, eqsat, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = workloads.write(folder, [name])[name]
        out = pathlib.Path(folder) / "out.json"
        subprocess.run([eqsat, "export", str(path), "--json", str(out), *options], check=True)
        return out.read_text()


MAKERS = {
    "flip-dense-1k": lambda eqsat: saturated("flip-dense-1000", eqsat),
    "flip-dense-10k": lambda eqsat: saturated("flip-dense-10000", eqsat),
    "flip-dense-100k": lambda eqsat: saturated("flip-dense-100000", eqsat),
    "flip-sparse-10k": lambda eqsat: saturated("flip-sparse-10000", eqsat),
    "flip-sparse-100k": lambda eqsat: saturated("flip-sparse-100000", eqsat),
    "flip-sparse-400k": lambda eqsat: saturated("flip-sparse-400000", eqsat),
    "setcover-50": lambda eqsat: set_cover(50, 11),
    "setcover-200": lambda eqsat: set_cover(200, 12),
    "setcover-1000": lambda eqsat: set_cover(1000, 13),
    "randcyc-300": lambda eqsat: random_cyclic(300, 21),
    "randcyc-2000": lambda eqsat: random_cyclic(2000, 22),
    "ac8": lambda eqsat: saturated("ac8", eqsat),
    "math-it6": lambda eqsat: saturated("math-s", eqsat, "--iters", "6"),
    "math-it7": lambda eqsat: saturated("math-s", eqsat),
    "math-it8": lambda eqsat: saturated("math-m", eqsat),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MAKERS))
    parser.add_argument("--eqsat", default="build/eqsat")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in MAKERS]
    if unknown:
        parser.error(f"no such problem: {', '.join(unknown)}; there are {', '.join(MAKERS)}")
    arguments.directory.mkdir(parents=True, exist_ok=True)
    for name in arguments.names or MAKERS:
        (arguments.directory / f"{name}.json").write_text(MAKERS[name](arguments.eqsat))


if __name__ == "__main__":
    main()
