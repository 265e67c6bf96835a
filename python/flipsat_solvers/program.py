"""Extraction as an integer program.

A variable for each node (is it chosen?) and each class (is it in use?), all 0 or 1:

    a root is in use
    a class in use has one node chosen
    of the nodes of a class that need another class, none is chosen unless that is in use

What solves this may go round in circles. The classes of a circle hold each other up; so each of them, if in
use, takes a chosen node of one of them that needs none of them: the loop formula of answer set programming.
Such rows are added where an answer has a circle. Where that does not end soon, classes that can stand in one
get levels instead: a class is above what its chosen node needs.
"""

import dataclasses
import heapq
import math

from flipsat_solvers.circles import circles


@dataclasses.dataclass
class Row:
    """The sum of coefficients times variables is between low and high (None: anything)."""

    terms: list[tuple[int, int]]  # coefficient, variable
    low: int | None
    high: int | None


class Program:
    def __init__(self, task):
        self.task = task
        # A solver's own numbers are small where they can be.
        self.unit = math.gcd(*(node.cost for node in task.nodes)) or 1
        self.costs = [node.cost // self.unit for node in task.nodes]
        self.highest = [1] * (len(task.nodes) + len(task.of_class))  # by variable; the lowest is 0
        self.level = {}  # by class: its variable
        self.in_use = [self.use(root) for root in task.roots]
        self.rows = []
        for cls, nodes in enumerate(task.of_class):
            self.rows.append(Row([(1, node) for node in nodes] + [(-1, self.use(cls))], 0, 0))
        self.towards = {}  # by class and a class that it may need: the nodes
        for number, node in enumerate(task.nodes):
            for need in node.needs:
                self.towards.setdefault((node.owner, need), []).append(number)
        for (_, need), nodes in self.towards.items():
            self.rows.append(Row([(1, node) for node in nodes] + [(-1, self.use(need))], None, 0))
        self.circles = circles(range(len(task.of_class)), lambda cls: [
            need for node in task.of_class[cls] for need in task.nodes[node].needs])
        self._cut_pairs()

    @property
    def variables(self):
        return len(self.highest)

    def use(self, cls):
        return len(self.task.nodes) + cls

    def values(self, choice):
        values = [0] * self.variables
        for node in choice:
            values[node] = values[self.use(self.task.nodes[node].owner)] = 1
        for cls, level in self._heights(choice).items():
            values[self.level[cls]] = level
        return values

    def choice(self, values):
        """The nodes that the roots need, and the circles among their classes."""
        nodes = self.task.nodes
        node_of = {node.owner: number for number, node in enumerate(nodes) if values[number] > 0.5}
        used = self.task.used(node_of)
        return ({node_of[cls] for cls in used},
                circles(sorted(used), lambda cls: nodes[node_of[cls]].needs))

    def cut(self, circle):
        outside = [(1, node) for cls in sorted(circle) for node in self.task.of_class[cls]
                   if circle.isdisjoint(self.task.nodes[node].needs)]
        for cls in sorted(circle):
            self.rows.append(Row(outside + [(-1, self.use(cls))], 0, None))

    def add_levels(self):
        for circle in self.circles:
            for cls in sorted(circle):
                self.level[cls] = self.variables
                self.highest.append(len(circle) - 1)
        for (cls, need), nodes in self.towards.items():
            if not any(cls in circle and need in circle for circle in self.circles):
                continue
            size = self.highest[self.level[cls]] + 1
            self.rows.append(Row([(1, self.level[cls]), (-1, self.level[need])]
                                 + [(-size, node) for node in nodes], 1 - size, None))

    def _heights(self, choice):
        """Levels of a choice, by class that has one: by the longest way down through such classes."""
        node_of = {self.task.nodes[node].owner: node for node in choice}
        heights = {}
        for cls in node_of:
            stack = [cls]
            while stack:
                at = stack[-1]
                needs = self.task.nodes[node_of[at]].needs
                open_ = [need for need in needs if need not in heights]
                if open_:
                    stack.extend(open_)
                    continue
                stack.pop()
                heights[at] = max((heights[need] + (need in self.level) for need in needs), default=0)
        return {cls: height for cls, height in heights.items() if cls in self.level}

    def repaired(self, values):
        """A choice without circles that has as much of an answer as it can: that of the cheapest trees, where
        chosen nodes cost nothing."""
        nodes = self.task.nodes
        users = {}
        missing = []
        for number, node in enumerate(nodes):
            missing.append(len(node.needs))
            for need in node.needs:
                users.setdefault(need, []).append(number)
        price = [0 if values[number] > 0.5 else node.cost for number, node in enumerate(nodes)]
        queue = [(price[number], number) for number in range(len(nodes)) if not missing[number]]
        heapq.heapify(queue)
        node_of = {}
        while queue:
            cost, number = heapq.heappop(queue)
            owner = nodes[number].owner
            if owner in node_of:
                continue
            node_of[owner] = number
            for user in users.get(owner, ()):
                missing[user] -= 1
                price[user] += cost
                if not missing[user]:
                    heapq.heappush(queue, (price[user], user))
        return {node_of[cls] for cls in self.task.used(node_of)}

    def _cut_pairs(self):
        """Circles of two classes, at once: there are few, and most first answers would have some."""
        for (cls, need), nodes in self.towards.items():
            if cls < need and (need, cls) in self.towards:
                back = self.towards[need, cls]
                self.rows.append(Row([(1, node) for node in nodes + back], None, 1))
