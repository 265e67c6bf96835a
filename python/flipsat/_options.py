"""Options, as the command has them (docs/command-line.md), and their words on its command line."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from typing import Any, Literal, TypeVar

from flipsat._errors import UsageError

Numerics = Literal["exact", "precise", "reassoc"]
Objective = Literal["time", "bytes", "launches"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class CostOptions:
    """What a program is priced with."""

    combiner: str | os.PathLike[str] = "neuron"
    """The compiler's combiner: neuron, xla-gpu, xla-cpu, none, or the path of a JSON file."""
    machine: str | os.PathLike[str] = "trn2"
    """What launches and bytes cost: trn2, tpu-v5e, h100, or the path of a JSON file."""
    objective: Objective = "time"
    """What to make small."""
    replicas: int | None = None
    """Where the module does not say."""
    partitions: int | None = None
    """Where the module does not say."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Options(CostOptions):
    """What `optimize` is asked for."""

    numerics: Numerics = "exact"
    """How far values may move: not at all, also in a wider type, or sums in another order too."""
    bitwise: bool = False
    """No rule that relies on HLO leaving the order of a reduction open."""
    disable: Sequence[str] = ()
    """Rules to leave out, by name (`flipsat.rules`)."""
    only: Sequence[str] = ()
    """These rules and no others; empty: all."""
    rules: str | os.PathLike[str] | None = None
    """A file of more rules, written as text."""
    assume_replicated: Sequence[str] = ()
    """Entry parameters that are equal on all devices."""
    assume_finite: bool = False
    """No float is NaN or infinite, and no zero's sign counts."""
    min_gain: float = 0
    """Change nothing for less than this many percent."""
    max_peak_growth: float | None = None
    """How far the peak of live bytes may grow, in percent; None: without a limit."""
    node_limit: int | None = None
    """Most e-nodes alive at once; None: by the size of the module."""
    effort: int = 4
    """Scales every budget of work; deterministic."""
    time_limit: float = 0
    """Safety net in seconds; when it bites, results may differ from run to run. 0: none."""
    hoist: bool = False
    """Also try gathers of what stays the same in a loop outside of it."""
    emit_combined: bool = False
    """Write collectives that are launched together as one, in the fewest launches."""
    greedy_seed: bool = True
    """Start from what the greedy order of local passes finds."""
    beat_orders: bool = False
    """Also start from what every order of those passes finds."""
    alternatives: int = 0
    """Also tell the next best programs, at most so many."""
    verify: Literal["quick", "full", "off"] = "quick"
    """How much of each changed value is proved."""
    solver: Literal["none", "cp-sat", "highs"] = "none"
    """Who is asked about choices that exact extraction leaves open."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class OrdersOptions(Options):
    """What `orders` is asked for."""

    mode: Literal["literal", "sound", "extended"] = "sound"
    """The passes as the compiler has them, where they are right, or with all other rules."""
    passes: Sequence[str] = ()
    """The passes to put in order (docs/orders.md); empty: the six."""
    sweeps: Literal["once", "fix-point"] = "once"
    """Run an order once, or again and again until it changes nothing."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class VerifyOptions:
    """What `verify` is asked for."""

    how: Literal["symbolic", "numbers", "xla"] | None = None
    """For all inputs; on one random input, bit for bit; by XLA itself. None: symbolic, then numbers on small
    modules where that does not say that they are the same."""
    level: Literal["quick", "full"] = "quick"
    """How many elements of each value the symbolic comparison takes."""
    numerics: Numerics = "exact"
    """What counts as the same, symbolically."""
    assume_replicated: Sequence[str] = ()
    """Entry parameters that are equal on all devices."""
    assume_finite: bool = False
    """No float is NaN or infinite, and no zero's sign counts."""
    time_limit: float = 120
    """Seconds that XLA has."""
    replicas: int | None = None
    """Where the modules do not say."""
    partitions: int | None = None
    """Where the modules do not say."""


# Fields whose word is not their name.
WORDS = {"how": "with", "level": "verify"}
AnyOptions = TypeVar("AnyOptions", CostOptions, Options, OrdersOptions, VerifyOptions)


def options_of(kind: type[AnyOptions], options: AnyOptions | None, given: dict[str, Any]) -> AnyOptions:
    """`options` with what was given by keyword put in."""
    if options is not None and not isinstance(options, kind):
        raise TypeError(f"expected flipsat.{kind.__name__}, not {type(options).__name__}")
    unknown = given.keys() - {field.name for field in dataclasses.fields(kind)}
    if unknown:
        raise TypeError(f"there is no option {sorted(unknown)[0]!r} (flipsat.{kind.__name__} has those there are)")
    return dataclasses.replace(options or kind(), **given)


def words_of(options: CostOptions | VerifyOptions) -> list[str]:
    """The command line that asks for the same."""
    words = []
    for field in dataclasses.fields(options):
        value = getattr(options, field.name)
        name = "--" + WORDS.get(field.name, field.name).replace("_", "-")
        if field.name == "greedy_seed":
            words += [] if value else ["--no-greedy-seed"]
        elif field.name == "alternatives" and value == 0:  # the command has no word for none
            pass
        elif isinstance(value, bool):
            words += [name] if value else []
        elif value is not None:
            words += [f"{name}={word}" for word in values_of(field.name, value)]
    return words


def values_of(name: str, value: Any) -> list[str]:
    if isinstance(value, (int, float)):
        return [repr(value)]
    if isinstance(value, (str, os.PathLike)):
        if name in ("disable", "only", "assume_replicated", "passes"):
            raise UsageError(f"{name}: expected several names, ({os.fspath(value)!r},) for one")
        return [os.fspath(value)]
    return [str(word) for word in value]
