"""Solve, cut the circles of what comes back, solve again."""

import dataclasses

from flipsat_solvers.circles import circles
from flipsat_solvers.program import Program
from flipsat_solvers.task import Answer

# While answers may go round in circles, a round has this share of what is left, and of the whole at least
# the second.
SHARE = 1 / 4
LEAST_SHARE = 1 / 20
ROUND_COSTS = 1 / 100  # of the whole, at least: rounds are not without end


@dataclasses.dataclass
class Outcome:
    """What a solver says of one program."""

    values: list | None  # of all variables
    bound: int  # in units of the program; no answer costs less
    is_optimal: bool
    spent: float


def search(task, solve):
    """The best that `solve(program, start, bound, limit)` leads to, all in units of the program."""
    program = Program(task)
    choice, bound, left = task.start, task.bound, task.limit
    may_go_round = bool(circles(range(len(task.of_class)), lambda cls: [
        need for node in task.of_class[cls] for need in task.nodes[node].needs]))
    while left > 0 and bound < task.cost(choice):
        limit = left
        if may_go_round:
            limit = min(left, max(left * SHARE, task.limit * LEAST_SHARE))
        outcome = solve(program, program.values(choice), -(-bound // program.unit), limit)
        left -= max(outcome.spent, task.limit * ROUND_COSTS)
        bound = max(bound, outcome.bound * program.unit)
        if outcome.values is None:
            may_go_round = False
            continue
        found, rounds = program.choice(outcome.values)
        for circle in rounds:
            program.cut(circle)
        if rounds:
            continue
        if task.cost(found) < task.cost(choice):
            choice = found
        if outcome.is_optimal:
            bound = max(bound, task.cost(found))
        may_go_round = False  # the next round has all the rest
    return Answer(choice, task.cost(choice), bound, min(task.limit - left, task.limit))
