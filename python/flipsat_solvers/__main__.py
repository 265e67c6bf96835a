"""Asks one solver one question.

    python3 flipsat_solvers cp-sat < TASK > ANSWER
    python3 flipsat_solvers cp-sat --version

docs/solvers.md describes both texts. Exit status: 0 answered, 2 the solver's package is missing, 4 anything
else, with the reason as the last line of standard error.
"""

import importlib
import pathlib
import sys

if not __package__:  # run as a folder
    sys.path[0] = str(pathlib.Path(__file__).resolve().parent.parent)

ANSWERED, NO_PACKAGE, FAILED = 0, 2, 4
SOLVERS = {"cp-sat": "flipsat_solvers.cp_sat", "highs": "flipsat_solvers.highs"}


def main(arguments):
    from flipsat_solvers import task
    from flipsat_solvers.search import search

    if not arguments or arguments[0] not in SOLVERS:
        print(f"no such solver; there are {', '.join(SOLVERS)}", file=sys.stderr)
        return FAILED
    try:
        solver = importlib.import_module(SOLVERS[arguments[0]])
    except ImportError as missing:
        print(missing, file=sys.stderr)
        return NO_PACKAGE
    if arguments[1:] == ["--version"]:
        print(solver.VERSION)
        return ANSWERED
    sys.stdout.write(task.answer_text(search(task.read(sys.stdin.read().splitlines()), solver)))
    return ANSWERED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
