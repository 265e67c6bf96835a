"""The engine: equality saturation of terms of any kind, with terms and rules as text.

    from flipsat.egraph import EGraph
    graph = EGraph('''
        comm: (+ ?a ?b) => (+ ?b ?a)
        zero: (+ ?a 0) => ?a
    ''')
    graph.add("(+ 0 (+ 0 x))")
    graph.run()
    graph.extract("(+ 0 (+ 0 x))").term      # "x"

A rule is a line: a name, a pattern, `=>` (or `<=>` for both ways) and what is equal to it. `?a` is a variable, a
bare name a leaf, `(f a b)` a head with children; `#` and `;` start comments (docs/egraph/text.md).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, Literal

from flipsat import _core
from flipsat._errors import UsageError

__all__ = ["EGraph", "Explanation", "Extracted", "Limits", "RuleUse", "Run", "Step"]

Method = Literal["tree", "greedy-dag", "local", "exact"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Limits:
    """Where a run ends that does not saturate before. All but `seconds` are counted in work: a run that they end
    is the same run everywhere."""

    iterations: int = 100
    nodes: int = 1_000_000
    """In the e-graph."""
    matches: int | None = None
    """Found over the whole run; None: any number."""
    bytes: int = 8 << 30
    """Of the e-graph and the matches that wait."""
    seconds: float | None = None
    """A safety net; None: as long as it takes."""
    scheduler: Literal["simple", "backoff"] = "simple"
    """Every rule each time, or with rests for rules that find too much."""


@dataclasses.dataclass(frozen=True)
class RuleUse:
    """What a rule did in a run."""

    name: str
    matched: int
    applied: int
    unions: int
    """How often that made two classes one."""
    bans: int
    """How often the scheduler `backoff` let it rest."""


@dataclasses.dataclass(frozen=True)
class Run:
    """How a run ended."""

    stop: str
    """In words: `saturated`, `node limit 1000`."""
    stopped_by: str
    """`saturated`, or the limit's name in `Limits`."""
    iterations: int
    nodes: int
    """In the e-graph, at the end."""
    classes: int
    rules: tuple[RuleUse, ...] = dataclasses.field(repr=False)
    seconds: float = dataclasses.field(repr=False, compare=False)

    @property
    def saturated(self) -> bool:
        """Whether no rule has anything left to do: then terms are equal by the rules where the e-graph says so,
        and nowhere else."""
        return self.stopped_by == "saturated"


@dataclasses.dataclass(frozen=True)
class Extracted:
    """A term of low cost."""

    term: str
    """With lines `let $1 = ...` first where its shared parts, written out, would be more than 10,000 nodes."""
    cost: int
    """Of its nodes, a shared one once."""
    bound: int | None
    """With the method `exact`: nothing equal costs less."""


@dataclasses.dataclass(frozen=True)
class Step:
    """One rewrite of an explanation."""

    term: str
    """The whole term after it."""
    rule: str
    """`given` for what `EGraph.unite` stated."""
    is_reversed: bool
    """Used from right to left."""


@dataclasses.dataclass(frozen=True)
class Explanation:
    """Why two terms are equal; it was replayed and found right."""

    text: str
    steps: tuple[Step, ...] | None
    """None where it is too long to be written as a chain; the text has it in parts."""

    def __str__(self) -> str:
        return self.text


class EGraph:
    """Terms that are known to be equal, in classes.

    With `explanations` it keeps what `explain` wants, which costs time and memory. Threads may share it: each
    call is done as a whole, with the interpreter lock released.
    """

    __slots__ = ("_core",)

    def __init__(self, rules: str = "", *, explanations: bool = False) -> None:
        self._core = _core.TermGraph(explanations)
        self.add_rules(rules)

    def add_rules(self, text: str, file: str = "<rules>") -> None:
        """More rules, for the runs to come. Raises InputError with the place, by the name `file`."""
        self._core.add_rules(text, file)

    @property
    def rules(self) -> dict[str, str]:
        """By name; a rule for both ways is two, the second ending in -rev."""
        return dict(self._core.rules())

    def add(self, term: str) -> None:
        """Raises InputError with the place."""
        self._core.add(term)

    def unite(self, a: str, b: str) -> None:
        """States that two terms are equal; they are added where they are new."""
        self._core.unite(a, b)

    def run(self, limits: Limits | None = None, **given: Any) -> Run:
        """Applies all rules until nothing is new, or a limit bites: `run(iterations=10, nodes=50_000)`."""
        limits = dataclasses.replace(limits or Limits(), **given)
        for name in ("iterations", "nodes", "matches", "bytes", "seconds"):
            value = getattr(limits, name)
            if value is not None and not (0 <= value < math.inf):
                raise UsageError(f"{name}: expected a number from 0 on, got {value!r}")
        if limits.scheduler not in ("simple", "backoff"):
            raise UsageError(f"scheduler: there is no {limits.scheduler!r} (simple or backoff)")
        report = self._core.run(limits.iterations, limits.nodes, limits.matches, limits.bytes, limits.seconds,
                                limits.scheduler == "backoff")
        return Run(report.stop, report.stopped_by, report.iterations, self.node_count, self.class_count,
                   tuple(RuleUse(*row) for row in report.rules()), report.seconds)

    def equal(self, a: str, b: str) -> bool:
        """Whether two terms of the e-graph were found to be equal. Raises UsageError for one that it does not
        hold."""
        return self._core.are_equal(a, b)

    def extract(self, term: str, costs: Mapping[str, int | None] | None = None, *, default_cost: int = 1,
                method: Method = "tree", work: int = 2_000_000_000) -> Extracted:
        """A cheapest term that is equal to one of the e-graph.

        `costs` are of heads and leaves by name, `default_cost` of all others; None is never chosen. `tree` counts a
        shared node once for every use and is exact for that; `greedy-dag`, `local` and `exact` count it once, the
        last with a bound, and the last two within so much `work`. Raises UsageError where nothing may be chosen.
        """
        if method not in ("tree", "greedy-dag", "local", "exact"):
            raise UsageError(f"method: there is no {method!r} (tree, greedy-dag, local or exact)")
        for name, cost in {**(costs or {}), "default_cost": default_cost}.items():
            if cost is not None and not 0 <= cost <= MOST_COST:
                raise UsageError(f"cost of {name}: expected a whole number from 0 to {MOST_COST}, got {cost!r}")
        found = self._core.extract(term, dict(costs or {}), default_cost, method, work)
        return Extracted(found.term, found.cost, found.bound)

    def explain(self, a: str, b: str) -> Explanation:
        """Why two terms are equal, as a chain of rewrites. Raises UsageError where they are not known to be, or
        the e-graph was made without `explanations`."""
        found = self._core.explain(a, b)
        steps = found.steps
        return Explanation(found.text.rstrip(), None if steps is None else
                           tuple(Step(step.term, step.rule, step.is_reversed) for step in steps))

    def to_graphviz(self, max_nodes: int = 300) -> str:
        """A picture of the classes, for Graphviz; with so many nodes at most."""
        return self._core.graphviz(max_nodes)

    @property
    def node_count(self) -> int:
        """Nodes that are not doubles of others."""
        return self._core.node_count()

    @property
    def class_count(self) -> int:
        """Classes of equal terms."""
        return self._core.class_count()

    def __repr__(self) -> str:
        return f"<flipsat.egraph.EGraph: {self.node_count} nodes in {self.class_count} classes>"


MOST_COST = 2**40
