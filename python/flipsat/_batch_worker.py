"""What a worker of a batch runs. A module of its own, since `python -m flipsat.batch` is not importable by
the name that its functions have there."""

from __future__ import annotations

import functools
import time
from typing import NamedTuple

from flipsat import _core
from flipsat._errors import InputError, UsageError
from flipsat._program import use_this_python


class Answer(NamedTuple):
    """What goes back. Wrong is at most one of the two: the module, or the worker."""

    entry: bytes
    failure: str
    refusal: str
    milliseconds: float
    worker: str


def solve(words: tuple[str, ...], identity: str, content: bytes, shown: str) -> Answer:
    """`content`: what the file `shown` holds. `identity`: the client's, which an answer of another must not join."""
    began = time.monotonic()
    entry, failure = b"", ""
    refusal = refusal_of(words, identity)
    if not refusal:
        try:
            entry = solver_of(words).solve(content, shown)
        except MemoryError:
            raise
        except Exception as error:  # of whatever kind: not each can be sent
            failure = str(error) or type(error).__name__
    return Answer(entry, failure, refusal, (time.monotonic() - began) * 1000, address())


@functools.lru_cache(maxsize=4)
def solver_of(words: tuple[str, ...]) -> _core.BatchSolver:
    use_this_python()
    return _core.BatchSolver(list(words))


def refusal_of(words: tuple[str, ...], identity: str) -> str:
    try:
        is_same = solver_of(words).identity == identity
    except (InputError, UsageError) as error:
        return f"{error} (files that options name must be at the same path on every worker)"
    if is_same:
        return ""
    return (f"it has another flipsat ({_core.version}), or other files behind --rules, --machine or --combiner; "
            "install the client's version there, put the same files at the same paths, and start it anew")


def address() -> str:
    from distributed import get_worker

    return str(get_worker().address)
