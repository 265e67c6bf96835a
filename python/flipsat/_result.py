"""What the optimizer answers."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Mapping
from typing import Any

from flipsat import _core, _html
from flipsat._module import Module
from flipsat._options import Options
from flipsat._report import Bound, Change, Headroom, Kept, Program, RuleUse, Verified


class Result:
    """The optimized module, what it costs beside the input and the greedy order, what changed and why that is
    right. In a notebook it shows itself as a table."""

    def __init__(self, module: Module, options: Options, core: _core.Outcome) -> None:
        self._core = core
        self._report: dict[str, Any] = json.loads(core.report())
        self.module: Module = module
        """The optimized module; the input itself where nothing changed."""
        self.options: Options = options
        """What was asked for."""
        self.changed: bool = core.changed
        """Whether the module is another one than the input."""
        self.headline: str = core.headline
        """What is gained, in one sentence."""
        self.gap: float | None = self._report["gap"]
        """How far the output may be from the best, as a part of its cost; None where there is no bound."""
        self.origin: str = self._report["origin"]
        """Where the output was found: input, greedy or egraph."""
        self.deterministic: bool = self._report["deterministic"]
        """False where the time limit ended the work."""
        self.notes: tuple[str, ...] = tuple(self._report["notes"])
        """Plain sentences for the user."""

    @property
    def report(self) -> dict[str, Any]:
        """The report as `flipsat optimize --report` writes it (docs/report.md)."""
        return copy.deepcopy(self._report)

    def table(self, verbose: bool = False) -> str:
        """What `flipsat optimize` shows, with `--verbose` or without."""
        return self._core.table(verbose)

    def to_html(self) -> str:
        """The page that `flipsat optimize --report FILE.html` writes: it needs no other file and no network."""
        return self._core.page()

    @functools.cached_property
    def input(self) -> Program:
        """What the input costs."""
        return Program.of(self._report["programs"]["input"])

    @functools.cached_property
    def greedy(self) -> Program:
        """What the greedy order of local passes comes to."""
        return Program.of(self._report["programs"]["greedy"])

    @functools.cached_property
    def output(self) -> Program:
        """What the optimized module costs."""
        return Program.of(self._report["programs"]["output"])

    @functools.cached_property
    def bound(self) -> Bound | None:
        """What no program under the rules can cost less than; None where nothing is proved."""
        record = self._report["bound"]
        return record and Bound(**record)

    @functools.cached_property
    def changes(self) -> tuple[Change, ...]:
        """Values whose definition is another one."""
        return tuple(Change.of(record) for record in self._report["changes"])

    @functools.cached_property
    def kept(self) -> tuple[Kept, ...]:
        """Where a rule could have changed something that was kept."""
        return tuple(Kept.of(record) for record in self._report["kept"])

    @functools.cached_property
    def rules(self) -> tuple[RuleUse, ...]:
        """What became of each rule."""
        return tuple(RuleUse(**record) for record in self._report["rules"])

    @functools.cached_property
    def verified(self) -> Verified:
        """What was proved of the changes."""
        return Verified.of(self._report["verified"])

    @functools.cached_property
    def headroom(self) -> Mapping[str, Headroom]:
        """What looser classes of numerics would come to, where that is less."""
        return {name: Headroom.of(record) for name, record in self._report["headroom"].items()}

    def __repr__(self) -> str:
        return f"<flipsat.Result: {self.headline}>"

    def _repr_html_(self) -> str:
        return _html.of_result(self)
