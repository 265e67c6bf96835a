"""What there is: the collectives of a module, and the rules."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any

from flipsat import _core
from flipsat._module import Module, held
from flipsat._options import CostOptions, options_of, words_of


@dataclasses.dataclass(frozen=True)
class Stats:
    """The answer of `stats`."""

    text: str
    """What `flipsat stats` shows."""
    report: dict[str, Any] = dataclasses.field(repr=False)
    """A record of `flipsat stats --json` (docs/report.md)."""

    def __str__(self) -> str:
        return self.text


@dataclasses.dataclass(frozen=True)
class Rule:
    """A rewrite rule."""

    name: str
    """What `Options.disable` and `Options.only` take."""
    family: str
    equation: str
    condition: str
    numerics: str
    """Which class it belongs to."""
    order_open: bool
    """Whether it relies on HLO leaving the order of a reduction open."""
    both_directions: bool
    needs_finite: bool
    """Whether it is there with `Options.assume_finite` alone."""


def stats(module: Module, options: CostOptions | None = None, **given: Any) -> Stats:
    """What collectives a module has, by key and by loop, and which no rule can look into.

    Options are those of `flipsat.CostOptions`, together or by keyword. Raises InputError and UsageError.
    """
    report, text = _core.stats(held(module), words_of(options_of(CostOptions, options, given)))
    return Stats(text, json.loads(report))


def rules(file: str | os.PathLike[str] | None = None) -> list[Rule]:
    """Every rule; also those of a file of rules as text. Raises InputError for what is wrong in that."""
    report = json.loads(_core.rules("" if file is None else os.fspath(file)))
    return [Rule(**record) for record in report["rules"]]
