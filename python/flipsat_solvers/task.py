"""What a solver is asked, and its answer, as text. docs/solvers.md describes both.

A choice is a set of nodes, one for each class in use, from which all roots can be built; its cost is the
sum of theirs.
"""

import dataclasses

HEADER = "flipsat-extraction 1"


@dataclasses.dataclass
class Node:
    owner: int  # a class
    cost: int
    needs: list[int]  # classes, never the owner


@dataclasses.dataclass
class Task:
    nodes: list[Node]
    roots: list[int]
    start: set[int]  # nodes of a choice that is known
    bound: int  # no choice costs less
    limit: float  # what the solver may spend, about seconds that it counts without a clock

    def __post_init__(self):
        self.of_class = [[] for _ in range(1 + max(node.owner for node in self.nodes))]
        for number, node in enumerate(self.nodes):
            self.of_class[node.owner].append(number)

    def cost(self, choice):
        return sum(self.nodes[number].cost for number in choice)

    def used(self, node_of):
        """Classes that the roots need, where node_of says which node each class has."""
        used, found = set(self.roots), list(self.roots)
        while found:
            for need in self.nodes[node_of[found.pop()]].needs:
                if need not in used:
                    used.add(need)
                    found.append(need)
        return used


@dataclasses.dataclass
class Answer:
    choice: set[int]
    cost: int
    bound: int
    spent: float


def read(lines):
    words = [line.split() for line in lines]
    if not words or " ".join(words[0]) != HEADER or words[-1] != ["end"]:
        raise ValueError(f"a task begins with '{HEADER}' and ends with 'end'")
    fields = {}
    nodes = []
    for name, *values in words[1:-1]:
        if name == "node":
            owner, cost, *needs = map(int, values)
            nodes.append(Node(owner, cost, needs))
        else:
            fields[name] = values
    return Task(nodes, [int(root) for root in fields["roots"]], {int(node) for node in fields["start"]},
                int(fields["bound"][0]), float(fields["limit"][0]))


def answer_text(answer):
    return (f"flipsat-answer 1\ncost {answer.cost}\nbound {answer.bound}\nspent {answer.spent:.6f}\n"
            f"nodes {' '.join(map(str, sorted(answer.choice)))}\nend\n")
