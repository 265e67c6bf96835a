#!/usr/bin/env python3
"""The workloads of the engine benchmark: start terms, rules and limits, as `.wl` files.

    workloads.py DIRECTORY [NAME...]

Every iteration searches all rules on a rebuilt e-graph, applies all matches and rebuilds, so the
sizes after it do not depend on the engine: SIZES is a correctness test of all engines compared.
The files are a function of this source alone, byte for byte. Their lines:

    workload NAME
    iters K                  iterations to run, fewer if nothing changes any more
    nodes N                  a node limit, never reached in K iterations
    op NAME ARITY COST       an operator; every other name is a leaf of cost `leafcost`
    leafcost COST
    rule NAME : LEFT => RIGHT
    n OP CHILD...            a start node; children are indices of earlier `n` lines
    root INDEX
"""
import pathlib
import sys
from dataclasses import dataclass, field


@dataclass
class Graph:
    """Start terms with sharing: a node that was added before keeps its index."""
    nodes: list = field(default_factory=list)
    index: dict = field(default_factory=dict)

    def add(self, op, *children):
        node = (op, *children)
        if node not in self.index:
            self.index[node] = len(self.nodes)
            self.nodes.append(node)
        return self.index[node]

    def add_term(self, text):
        tokens = iter(text.replace("(", " ( ").replace(")", " ) ").split())

        def arguments():
            while (token := next(tokens)) != ")":
                yield term(token)

        def term(token):
            if token != "(":
                return self.add(token)
            op = next(tokens)
            return self.add(op, *arguments())

        return term(next(tokens))


@dataclass
class Workload:
    name: str
    iterations: int
    node_limit: int
    operators: str  # "NAME ARITY COST, ..."
    rules: str      # one "NAME : LEFT => RIGHT" a line
    graph: Graph
    roots: list

    def text(self):
        lines = [f"workload {self.name}", f"iters {self.iterations}", f"nodes {self.node_limit}"]
        lines += [f"op {operator.strip()}" for operator in self.operators.split(",")]
        lines += ["leafcost 1"]
        lines += [f"rule {rule.strip()}" for rule in self.rules.strip().splitlines()]
        lines += ["n " + " ".join(map(str, node)) for node in self.graph.nodes]
        lines += [f"root {root}" for root in self.roots]
        return "\n".join(lines) + "\n"


class SplitMix:
    """The splitmix64 generator: the same numbers on every machine and Python."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        bits = self.state
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & mask
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & mask
        return bits ^ (bits >> 31)

    def below(self, bound):
        return self.next() % bound

    def percent(self, chance):
        return self.below(100) < chance


# ---- math: symbolic derivatives and integrals. Grows without end, so it is cut by iterations.
#
# Left out on purpose: `(* ?a 0) => 0` and `(- ?a ?a) => 0`. Without conditions they put 0*b for
# every b into the class of 0, and no engine gets through iteration 8.

MATH_OPERATORS = ("+ 2 2, - 2 2, * 2 4, / 2 8, pow 2 6, ln 1 10, sqrt 1 8, sin 1 10, cos 1 10, "
                  "d 2 100, i 2 100, neg 1 2")

MATH_RULES = """
    comm-add : (+ ?a ?b) => (+ ?b ?a)
    comm-mul : (* ?a ?b) => (* ?b ?a)
    assoc-add : (+ ?a (+ ?b ?c)) => (+ (+ ?a ?b) ?c)
    assoc-mul : (* ?a (* ?b ?c)) => (* (* ?a ?b) ?c)
    sub-canon : (- ?a ?b) => (+ ?a (* -1 ?b))
    neg-canon : (neg ?a) => (* -1 ?a)
    zero-add : (+ ?a 0) => ?a
    one-mul : (* ?a 1) => ?a
    distribute : (* ?a (+ ?b ?c)) => (+ (* ?a ?b) (* ?a ?c))
    factor : (+ (* ?a ?b) (* ?a ?c)) => (* ?a (+ ?b ?c))
    pow-mul : (* (pow ?a ?b) (pow ?a ?c)) => (pow ?a (+ ?b ?c))
    pow1 : (pow ?a 1) => ?a
    pow2 : (pow ?a 2) => (* ?a ?a)
    pow2-rev : (* ?a ?a) => (pow ?a 2)
    d-add : (d ?x (+ ?a ?b)) => (+ (d ?x ?a) (d ?x ?b))
    d-mul : (d ?x (* ?a ?b)) => (+ (* ?a (d ?x ?b)) (* ?b (d ?x ?a)))
    d-sin : (d ?x (sin ?x)) => (cos ?x)
    d-cos : (d ?x (cos ?x)) => (* -1 (sin ?x))
    d-x : (d x x) => 1
    d-y : (d y y) => 1
    d-x-y : (d x y) => 0
    d-y-x : (d y x) => 0
    d-x-n1 : (d x -1) => 0
    d-x-1 : (d x 1) => 0
    d-x-2 : (d x 2) => 0
    i-one : (i 1 ?x) => ?x
    i-cos : (i (cos ?x) ?x) => (sin ?x)
    i-sin : (i (sin ?x) ?x) => (* -1 (cos ?x))
    i-sum : (i (+ ?f ?g) ?x) => (+ (i ?f ?x) (i ?g ?x))
    i-dif : (i (- ?f ?g) ?x) => (- (i ?f ?x) (i ?g ?x))
    i-parts : (i (* ?a ?b) ?x) => (- (* ?a (i ?b ?x)) (i (* (d ?x ?a) (i ?b ?x)) ?x))
"""

MATH_TERMS = [
    "(i (ln x) x)",
    "(i (+ x (cos x)) x)",
    "(i (* (cos x) x) x)",
    "(d x (+ 1 (* 2 x)))",
    "(d x (- (pow x 2) (* 7 x)))",
    "(+ (* y (+ x y)) (- (+ x 2) (+ x x)))",
    "(/ 1 (- (/ (+ 1 (sqrt z)) 2) (/ (- 1 (sqrt z)) 2)))",
    "(i (* (sin x) (+ x y)) x)",  # the one that grows fastest
]


def math(name, iterations, terms=MATH_TERMS):
    graph = Graph()
    roots = [graph.add_term(term) for term in terms]
    return Workload(name, iterations, 20_000_000, MATH_OPERATORS, MATH_RULES, graph, roots)


# ---- ac: all ways to write a sum of n terms. Saturates with 2^n - 1 classes.

AC_RULES = """
    comm : (+ ?a ?b) => (+ ?b ?a)
    assoc : (+ (+ ?a ?b) ?c) => (+ ?a (+ ?b ?c))
    assoc-rev : (+ ?a (+ ?b ?c)) => (+ (+ ?a ?b) ?c)
"""


def associative_commutative(terms):
    graph = Graph()
    total = graph.add("v0")
    for i in range(1, terms):
        total = graph.add("+", total, graph.add(f"v{i}"))
    return Workload(f"ac{terms}", 40, 5_000_000, "+ 2 1", AC_RULES, graph, [total])


def ac_sizes(terms):
    """A class is a non-empty set of leaves, and its nodes are its ordered splits in two."""
    return 3**terms - 2**(terms + 1) + 1 + terms, 2**terms - 1


# ---- flip: rewrites around collectives, as in the programs that flipsat is for. Large and quiet:
# few nodes can be rewritten, and the graph hardly grows. No rule mentions MM and EW.

FLIP_OPERATORS = "AG 1 100, CVT 1 4, RSH 1 1, ADD 2 6, TR 1 5, RS 1 60, AR 1 170, MM 2 50, EW 1 3"

FLIP_RULES = "\n".join(f"{name} : {left} => {right}\n{name}-rev : {right} => {left}"
                       for name, left, right in [
    ("cvt-ag", "(CVT (AG ?x))", "(AG (CVT ?x))"),
    ("rsh-ag", "(RSH (AG ?x))", "(AG (RSH ?x))"),
    ("add-ag", "(ADD (AG ?x) (AG ?y))", "(AG (ADD ?x ?y))"),
    ("add-ar", "(ADD (AR ?x) (AR ?y))", "(AR (ADD ?x ?y))"),
    ("tr-rs", "(TR (RS ?x))", "(RS (TR ?x))"),
    ("ag-rs", "(AG (RS ?x))", "(AR ?x)"),
])


class FlipProgram:
    """A growing program with fresh parameters p1, p2, ..."""

    def __init__(self, seed):
        self.graph = Graph()
        self.random = SplitMix(seed)
        self.parameters = 0

    def parameter(self):
        self.parameters += 1
        return self.graph.add(f"p{self.parameters}")

    def chain(self, value, *ops):
        for op in ops:
            value = self.graph.add(op, value)
        return value

    def workload(self, name, root):
        return Workload(name, 64, 20_000_000, FLIP_OPERATORS, FLIP_RULES, self.graph, [root])


def flip_dense(size):
    """One long chain of redexes, with barriers so that no gather walks through all of it."""
    program = FlipProgram(1000 + size)
    add, chain, random = program.graph.add, program.chain, program.random

    def gathered_parameter(value):
        moved = chain(program.parameter(), "AG")
        for _ in range(1 + random.below(3)):
            moved = add("CVT" if random.percent(50) else "RSH", moved)
        return add("ADD", value, moved)

    def reduce_scatter(value):
        return chain(value, "RS", "TR", "AG")

    def pair_of_all_reduces(value):
        left = chain(value, "AR")
        right = chain(recent[random.below(len(recent))], "CVT", "AR")
        return chain(add("ADD", left, right), "TR")

    def sum_of_gathers(value):
        left = chain(program.parameter(), "RS", "AG")
        right = chain(program.parameter(), "AG")
        barrier = chain(value, "TR")
        return add("ADD", barrier, chain(add("ADD", left, right), "CVT"))

    def local_chain(value):
        return chain(value, "RSH", "CVT", "TR")

    def round_trip(value):
        return chain(value, "TR", "AG", "CVT", "RS")

    motifs = [gathered_parameter, reduce_scatter, pair_of_all_reduces, sum_of_gathers, local_chain,
              round_trip]
    value = program.parameter()
    recent = [value]
    while len(program.graph.nodes) < size:
        value = motifs[random.below(len(motifs))](value)
        recent = (recent + [value])[-16:]
    return program.workload(f"flip-dense-{size}", value)


def flip_sparse(size):
    """Layers like those of a real program: mostly opaque, about one node in twelve a redex."""
    program = FlipProgram(2000 + size)
    add, chain, random = program.graph.add, program.chain, program.random

    def weight():
        plain = program.parameter()
        return chain(plain, "AG", "CVT", "RSH") if random.percent(30) else plain

    def elementwise(value, count):
        return chain(value, *["EW"] * count)

    value = residual = program.parameter()
    while len(program.graph.nodes) < size:
        value = elementwise(add("MM", value, weight()), 2 + random.below(5))
        if random.percent(15):
            value = chain(value, "RS", "TR", "AG")
        branch = elementwise(add("MM", value, program.parameter()), 1 + random.below(3))
        if random.percent(12):
            branch = add("ADD", chain(branch, "AR"), chain(value, "EW", "AR"))
        value = add("ADD", branch, residual)
        if random.percent(50):
            residual = value
    return program.workload(f"flip-sparse-{size}", value)


MAKERS = {
    "math-s": lambda: math("math-s", 7),
    "math-m": lambda: math("math-m", 8),
    "math-l": lambda: math("math-l", 9, MATH_TERMS[:-1]),
    "math-xl": lambda: math("math-xl", 9),
    **{f"ac{n}": lambda n=n: associative_commutative(n) for n in range(7, 12)},
    **{f"flip-dense-{n}": lambda n=n: flip_dense(n) for n in (1000, 10_000, 100_000)},
    **{f"flip-sparse-{n}": lambda n=n: flip_sparse(n) for n in (1000, 10_000, 100_000, 400_000)},
}

# (e-nodes, e-classes) at the end.
SIZES = {
    "math-s": (12_597, 4_351),
    "math-m": (94_451, 35_038),
    "math-l": (722_799, 330_243),
    "math-xl": (2_885_063, 1_321_856),
    **{f"ac{n}": ac_sizes(n) for n in range(7, 12)},
    "flip-dense-1000": (2_142, 1_541),
    "flip-dense-10000": (21_521, 15_434),
    "flip-dense-100000": (214_817, 154_343),
    "flip-sparse-1000": (1_223, 1_108),
    "flip-sparse-10000": (12_401, 11_144),
    "flip-sparse-100000": (122_240, 110_540),
    "flip-sparse-400000": (487_923, 441_615),
}


def write(directory, names):
    """Writes NAME.wl for each name; returns the paths."""
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    paths = {}
    for name in names:
        paths[name] = directory / f"{name}.wl"
        paths[name].write_text(MAKERS[name]().text())
    return paths


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    unknown = [name for name in sys.argv[2:] if name not in MAKERS]
    if unknown:
        sys.exit(f"workloads.py: no such workload: {', '.join(unknown)}; "
                 f"there are {', '.join(MAKERS)}")
    write(sys.argv[1], sys.argv[2:] or MAKERS)
