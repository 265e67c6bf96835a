"""Whether two modules compute the same."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from flipsat import _core
from flipsat._module import Module, held
from flipsat._options import VerifyOptions, options_of, words_of
from flipsat._program import use_this_python
from flipsat._report import NotChecked


@dataclasses.dataclass(frozen=True)
class Difference:
    """An element that differs."""

    at: str
    computation: str
    device: int
    index: tuple[int, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@dataclasses.dataclass(frozen=True)
class Verification:
    """The answer of `verify`."""

    same: bool | None
    """None: it could not be checked."""
    same_signature: bool
    """Whether parameters and results have the same shapes."""
    numerics: str
    """What counted as the same."""
    differences: tuple[Difference, ...]
    """What the symbolic comparison found."""
    not_checked: tuple[NotChecked, ...]
    """What it could not judge."""
    text: str = dataclasses.field(repr=False)
    """What `flipsat verify` shows."""
    report: dict[str, Any] = dataclasses.field(repr=False)
    """What `flipsat verify --json` writes (docs/report.md)."""


SAME = {"same": True, "different": False, "not checked": None}


def verify(a: Module, b: Module, options: VerifyOptions | None = None, **given: Any) -> Verification:
    """Compares two modules at their true shapes, on every device.

    Options are those of `flipsat.VerifyOptions`, together or by keyword: `verify(a, b, numerics="reassoc")`.
    The interpreter lock is released while it works. Raises InputError for a module that is wrong and UsageError
    for options that are.
    """
    asked = options_of(VerifyOptions, options, given)
    if asked.how == "xla":
        use_this_python()
    core = _core.verify(held(a), held(b), words_of(asked))
    report = json.loads(core.report())
    symbolic = report["symbolic"] or {"differences": [], "not_checked": []}
    return Verification(
        same=SAME[report["answer"]], same_signature=report["same_signature"], numerics=report["numerics"],
        differences=tuple(Difference(**found | {"index": tuple(found["index"])}) for found in symbolic["differences"]),
        not_checked=tuple(NotChecked(**value) for value in symbolic["not_checked"]), text=core.text(), report=report)
