"""The report of `optimize` (docs/report.md) as typed values."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

Record = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Totals:
    """Sums over a program's collectives, each as often as it is executed."""

    collectives: int
    launches: int
    gathered_bytes: int
    reduced_bytes: int
    wire_bytes: int


@dataclasses.dataclass(frozen=True)
class OpcodeTotals:
    """Sums over the collectives of one opcode, each once."""

    count: int
    bytes: int


@dataclasses.dataclass(frozen=True)
class Program:
    """What a program costs. Plain figures count each instruction once."""

    collectives: int
    launches: int
    by_opcode: Mapping[str, OpcodeTotals]
    gathered_bytes: int
    reduced_bytes: int
    wire_bytes: int
    executed: Totals
    time_us: float
    peak_bytes: int

    @classmethod
    def of(cls, record: Record) -> Program:
        by_opcode = {opcode: OpcodeTotals(**totals) for opcode, totals in record["by_opcode"].items()}
        return cls(**{field.name: record[field.name] for field in dataclasses.fields(cls)}
                   | {"by_opcode": by_opcode, "executed": Totals(**record["executed"])})


@dataclasses.dataclass(frozen=True)
class Bound:
    """No program under the rules has less of the objective."""

    objective: str
    value: float
    """In microseconds, bytes or launches."""


@dataclasses.dataclass(frozen=True)
class Change:
    """A value whose definition is no longer the input's."""

    at: str
    computation: str
    rules: tuple[str, ...]
    replaced: tuple[str, ...]
    """Instructions of the input."""
    by: tuple[str, ...]
    """Instructions of the output."""
    wire_bytes: tuple[int, int]
    """Before and after."""
    time_us: tuple[float, float]
    source: str
    """The line of the user's program, from metadata; may be empty."""

    @classmethod
    def of(cls, record: Record) -> Change:
        return cls(record["at"], record["computation"], tuple(record["rules"]), tuple(record["from"]),
                   tuple(record["to"]), _pair(record["bytes"]), _pair(record["time_us"]), record["source"])


@dataclasses.dataclass(frozen=True)
class Kept:
    """A place where a rule could have changed something and the input's form was kept."""

    at: str
    rule: str
    why: str
    time_us: tuple[float, float]

    @classmethod
    def of(cls, record: Record) -> Kept:
        return cls(record["at"], record["rule"], record["why"], _pair(record["time_us"]))


@dataclasses.dataclass(frozen=True)
class RuleUse:
    """What became of one rule."""

    name: str
    matches: int
    applied: int
    refused: Mapping[str, int]
    """At how many places, by reason."""
    time_us: float
    """What it gained."""


@dataclasses.dataclass(frozen=True)
class NotChecked:
    """A value that the verifier could not judge."""

    at: str
    why: str


@dataclasses.dataclass(frozen=True)
class Verified:
    """What was proved of the changes."""

    how: str
    values: int
    elements: int
    not_checked: tuple[NotChecked, ...]
    """Changes behind these were dropped."""

    @classmethod
    def of(cls, record: Record) -> Verified:
        not_checked = tuple(NotChecked(**value) for value in record["not_checked"])
        return cls(record["how"], record["values"], record["elements"], not_checked)


@dataclasses.dataclass(frozen=True)
class Headroom:
    """What a looser class of numerics would come to."""

    time_us: float
    launches: int
    wire_bytes: int
    executed: Totals

    @classmethod
    def of(cls, record: Record) -> Headroom:
        return cls(record["time_us"], record["launches"], record["wire_bytes"], Totals(**record["executed"]))


def _pair(values: Any) -> tuple[Any, Any]:
    before, after = values
    return before, after
