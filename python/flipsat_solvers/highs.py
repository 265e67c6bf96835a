"""HiGHS. It has no deterministic clock, so its own looks at "should I stop?" are counted. Linear programs are
solved between them, which take about their size to the power
of 2.5.
"""

import math

import highspy
import numpy
from highspy import cb

from flipsat_solvers.search import Outcome

VERSION = highspy.Highs().version()
WORK_A_SECOND = 77_000_000_000  # of an idle machine, about
ROUNDS_OF_CUTS = math.inf  # levels make its linear program say nothing
# A start makes this version call a wrong answer optimal: what presolve took out of the costs is forgotten.
NO_START = {"1.16.0"}
# Its bounds are floats, and hold to this part of them.
TOLERANCE = 1e-6


def solve(program, start, bound, limit):
    highs = highspy.Highs()
    for option, value in {"output_flag": False, "threads": 1, "parallel": "off", "random_seed": 0,
                          "mip_rel_gap": 0.0, "mip_abs_gap": 0.999}.items():
        highs.setOptionValue(option, value)
    highs.passModel(_model(program))
    if VERSION not in NO_START:
        solution = highspy.HighsSolution()
        solution.col_value = [float(value) for value in start]
        highs.setSolution(solution)
    looks = 0
    entries = sum(len(row.terms) for row in program.rows)
    cost_of_look = entries ** 2 * math.isqrt(entries) / WORK_A_SECOND

    def look(_kind, _message, _out, control, _data):
        nonlocal looks
        looks += 1
        if looks * cost_of_look > limit:
            control.user_interrupt = True

    highs.setCallback(look, None)
    highs.startCallback(cb.HighsCallbackType.kCallbackMipInterrupt)
    highs.run()
    status = highs.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        raise RuntimeError("HiGHS says INFEASIBLE")
    info = highs.getInfo()
    spent = looks * cost_of_look
    known = info.mip_dual_bound
    if math.isfinite(known):
        bound = max(bound, math.ceil(known - TOLERANCE * max(1, abs(known))))
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return Outcome(None, bound, False, spent)
    values = highs.getSolution().col_value
    # The search asks whether the bound is at the cost; a float's word for "optimal" is not needed.
    return Outcome([round(value) for value in values], bound, False, spent)


def _model(program):
    model = highspy.HighsLp()
    model.num_col_ = program.variables
    model.num_row_ = len(program.rows)
    model.col_cost_ = numpy.array(program.costs + [0] * (program.variables - len(program.costs)), dtype=float)
    lower = numpy.zeros(program.variables)
    lower[program.in_use] = 1
    model.col_lower_ = lower
    model.col_upper_ = numpy.array(program.highest, dtype=float)
    model.integrality_ = [highspy.HighsVarType.kInteger] * program.variables
    model.row_lower_ = numpy.array([-math.inf if row.low is None else row.low for row in program.rows])
    model.row_upper_ = numpy.array([math.inf if row.high is None else row.high for row in program.rows])
    matrix = model.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.start_ = numpy.cumsum([0] + [len(row.terms) for row in program.rows])
    matrix.index_ = numpy.array([at for row in program.rows for _, at in row.terms])
    matrix.value_ = numpy.array([coefficient for row in program.rows for coefficient, _ in row.terms],
                                dtype=float)
    return model
