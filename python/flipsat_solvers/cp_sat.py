"""CP-SAT, of Google's OR-tools. Its deterministic time is about a second of an idle machine."""

import ortools
from ortools.sat.python import cp_model

from flipsat_solvers.search import Outcome

VERSION = ortools.__version__
ROUNDS_OF_CUTS = 12  # levels close what cuts do not


def solve(program, start, bound, limit):
    model = cp_model.CpModel()
    variables = [model.new_int_var(0, highest, "") for highest in program.highest]
    for root in program.in_use:
        model.add(variables[root] == 1)
    for row in program.rows:
        total = cp_model.LinearExpr.weighted_sum([variables[at] for _, at in row.terms],
                                                 [coefficient for coefficient, _ in row.terms])
        if row.low == row.high:
            model.add(total == row.low)
        elif row.low is None:
            model.add(total <= row.high)
        else:
            model.add(total >= row.low)
    cost = cp_model.LinearExpr.weighted_sum(variables[:len(program.costs)], program.costs)
    model.add(cost >= bound)
    model.minimize(cost)
    for variable, value in zip(variables, start):
        model.add_hint(variable, value)
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.num_workers = 1  # so that the same question has the same answer
    parameters.interleave_search = True  # all strategies in turn
    parameters.linearization_level = 2
    parameters.random_seed = 0
    parameters.max_deterministic_time = limit
    status = solver.solve(model)
    if status == cp_model.UNKNOWN:
        return Outcome(None, bound, False, limit)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise RuntimeError(f"CP-SAT says {solver.status_name(status)}")
    return Outcome([solver.value(variable) for variable in variables],
                   max(bound, round(solver.best_objective_bound)), status == cp_model.OPTIMAL,
                   solver.response_proto.deterministic_time)
