"""Exact solvers as processes: `python3 flipsat_solvers NAME < TASK > ANSWER`."""
