"""Solve, cut the circles of what comes back, solve again."""

import dataclasses

from flipsat_solvers.program import Program
from flipsat_solvers.task import Answer

# While answers may go round in circles, a round has this share of what is left, and of the whole at least
# the second.
SHARE = 1 / 4
LEAST_SHARE = 1 / 20
# What a round costs at least: making a model of so many rows takes about a second.
ROWS_A_SECOND = 40_000


@dataclasses.dataclass
class Outcome:
    """What a solver says of one program."""

    values: list | None  # of all variables
    bound: int  # in units of the program; no answer costs less
    is_optimal: bool
    spent: float


def search(task, solver):
    """The best that the solver's `solve(program, start, bound, limit)` leads to, all in units of the program."""
    program = Program(task)
    choice, bound, left = task.start, task.bound, task.limit
    may_go_round = bool(program.circles)
    rounds_of_cuts = 0
    while left > 0 and bound < task.cost(choice):
        limit = left
        if may_go_round:
            limit = min(left, max(left * SHARE, task.limit * LEAST_SHARE))
        outcome = solver.solve(program, program.values(choice), -(-bound // program.unit), limit)
        left -= max(outcome.spent, (1000 + len(program.rows)) / ROWS_A_SECOND)
        bound = max(bound, outcome.bound * program.unit)
        if outcome.values is None:
            may_go_round = False
            continue
        found, circles = program.choice(outcome.values)
        if circles:
            found = program.repaired(outcome.values)
            rounds_of_cuts += 1
            if rounds_of_cuts == solver.ROUNDS_OF_CUTS:
                program.add_levels()
            for circle in circles:
                program.cut(circle)
        if task.cost(found) < task.cost(choice):
            choice = found
        if not circles:
            may_go_round = False  # the next round has all the rest
    return Answer(choice, task.cost(choice), bound, min(task.limit - left, task.limit))
