"""What orders of local passes come to, beside the optimizer (docs/orders.md)."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable
from typing import Any

from flipsat import _core
from flipsat._module import Module, held
from flipsat._options import Options, OrdersOptions, options_of, words_of

FIGURES = ("collectives", "launches", "gathered_bytes", "reduced_bytes", "wire_bytes", "time_us", "peak_bytes")


class Orders:
    """The answer of `orders`. Its lists are of plain dicts, which `pandas.DataFrame` reads."""

    def __init__(self, report: str, text: str, page: str) -> None:
        self._report: dict[str, Any] = json.loads(report)
        self.text: str = text
        """What `flipsat orders` shows."""
        self.page: str = page
        """What `flipsat orders --html` writes."""

    @property
    def report(self) -> dict[str, Any]:
        """What `flipsat orders --json` writes: of one module, or `records` and `learning` of several."""
        return copy.deepcopy(self._report)

    @property
    def _records(self) -> list[dict[str, Any]]:
        records: list[dict[str, Any]] = self._report.get("records", [self._report])
        return records

    @property
    def programs(self) -> list[dict[str, Any]]:
        """A row for each distinct program of each module, the cheapest first: how many orders end there, its
        figures, whether it is right, how far it is above the optimizer's program and the bound."""
        rows = []
        for record in self._records:
            for place, result in enumerate(record["results"]):
                rows.append({"input": record["input"], "program": place, "orders": result["count"],
                             **figures(result["program"]), "correct": result["correct"],
                             "above_output": result.get("above_output"), "above_bound": result.get("above_bound"),
                             "first_order": " ".join(result["orders"][0])})
        return rows

    @property
    def orders(self) -> list[dict[str, Any]]:
        """A row for each order on each module: at which of its `programs` it ends, and what that costs."""
        rows = []
        for record in self._records:
            for place, result in enumerate(record["results"]):
                cost = figures(result["program"])
                rows += [{"input": record["input"], "order": " ".join(order), "program": place, **cost,
                          "correct": result["correct"]} for order in result["orders"]]
        return rows

    @property
    def regrets(self) -> list[dict[str, Any]]:
        """A row for each order over several modules, the best first; empty for one module."""
        learning = self._report.get("learning") or {"orders": []}
        return [{**row, "order": " ".join(row["order"])} for row in learning["orders"]]

    @property
    def swaps(self) -> list[dict[str, Any]]:
        """A row for each pair of passes: how often the program changes where they change places."""
        learning = self._report.get("learning") or {"swaps": []}
        swaps = self._report.get("swaps", learning["swaps"])
        return [{"first": row["passes"][0], "second": row["passes"][1],
                 **{name: value for name, value in row.items() if name != "passes"}} for row in swaps]

    def _repr_html_(self) -> str:
        return self.page

    def __str__(self) -> str:
        return self.text


def orders(modules: Module | Iterable[Module], options: OrdersOptions | None = None, **given: Any) -> Orders:
    """Every order of some passes on a module, or on several: what each comes to, and which is the best for all.

    Options are those of `flipsat.OrdersOptions`, together or by keyword: `orders(module, mode="literal")`.
    The interpreter lock is released while it works. Raises InputError for a module that is wrong and UsageError
    for options that are.
    """
    asked = options_of(OrdersOptions, options, given)
    is_one = isinstance(modules, Module)
    cores = [held(module) for module in ([modules] if isinstance(modules, Module) else modules)]
    return Orders(*_core.orders(cores, is_one, words_of(asked)))


def compare(modules: Module | Iterable[Module], options: Options | None = None, **given: Any) -> list[dict[str, Any]]:
    """The input, the greedy order as the compiler has it and as it is right, the best and the worst order, and the
    optimizer's program, of each module: a row each, as plain dicts, which `pandas.DataFrame` reads.

    Options are those of `flipsat.Options`. Raises as `orders` does.
    """
    asked = options_of(Options, options, given)
    cores = [held(module) for module in ([modules] if isinstance(modules, Module) else modules)]
    rows = []
    for record in json.loads(_core.compare(cores, words_of(asked)))["records"]:
        bound = record["bound"]
        rows += [{"input": record["input"], "program": name, **figures(program),
                  "bound": None if bound is None else bound["value"]}
                 for name, program in record["programs"].items()]
    return rows


def figures(program: dict[str, Any] | None) -> dict[str, Any]:
    """Of a program, by name, launches and bytes also with loops multiplied out; None where there is no program."""
    row = {name: None if program is None else program[name] for name in FIGURES}
    for name in ("launches", "wire_bytes"):
        row["executed_" + name] = None if program is None else program["executed"][name]
    return row
