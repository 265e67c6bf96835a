"""The arguments of a call, held against those that a program was made for."""

from __future__ import annotations

from typing import Any

import jax

from flipsat.jax import internals
from flipsat.jax.capture import Captured, input_shardings

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


class Signature:
    """Takes the arguments of a jitted function apart as that function does."""

    def __init__(self, jitted: Any, captured: Captured, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._positions, self._names = internals.static_arguments(jitted)
        self._static = self._static_values(args, kwargs)
        self._tree = jax.tree.structure(self.dynamic(args, kwargs))
        self._avals = jax.tree.leaves(captured.compiled.in_avals)
        self._shardings = input_shardings(captured.compiled)

    def dynamic(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """Without those that are part of the program."""
        static = self._static_positions(args)
        return (tuple(value for at, value in enumerate(args) if at not in static),
                {name: value for name, value in kwargs.items() if name not in self._names})

    def with_dynamic(self, args: tuple[Any, ...], kwargs: dict[str, Any], dynamic: Arguments) -> Arguments:
        """With other values for all that is not part of the program."""
        static, values = self._static_positions(args), iter(dynamic[0])
        return (tuple(value if at in static else next(values) for at, value in enumerate(args)),
                kwargs | dynamic[1])

    def flat(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """In the order of the program. Raises TypeError where they are not like those it was made for."""
        static = self._static_values(args, kwargs)
        if static != self._static:
            raise TypeError(f"the program was made for the static arguments {self._static} and is called with "
                            f"{static}: optimize it for these too")
        leaves, tree = jax.tree.flatten_with_path(self.dynamic(args, kwargs))
        if tree != self._tree:
            raise TypeError(f"the program was made for arguments like {self._tree} and is called with {tree}")
        for (path, value), aval, sharding in zip(leaves, self._avals, self._shardings):
            _check(path, value, aval, sharding)
        return [value for _, value in leaves]

    def _static_positions(self, args: tuple[Any, ...]) -> set[int]:
        return {at if at >= 0 else at + len(args) for at in self._positions}

    def _static_values(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[Any, Any]:
        static = self._static_positions(args)
        return ({at: value for at, value in enumerate(args) if at in static}
                | {name: value for name, value in kwargs.items() if name in self._names})


def _check(path: Any, value: Any, aval: Any, sharding: Any) -> None:
    given = jax.typeof(value)
    if (given.shape, given.dtype) != (aval.shape, aval.dtype):
        raise TypeError(f"{_name(path)} was {aval.dtype}{list(aval.shape)} when the program was made, and is "
                        f"{given.dtype}{list(given.shape)}")
    # An array that is not committed, or not an array yet, is put where it is needed.
    placed = (isinstance(value, jax.Array) and not isinstance(value, jax.core.Tracer) and value.committed
              or isinstance(value, jax.ShapeDtypeStruct) and value.sharding is not None)
    if placed and sharding is not None and not value.sharding.is_equivalent_to(sharding, len(value.shape)):
        raise TypeError(f"{_name(path)} had the sharding {sharding} when the program was made, and has "
                        f"{value.sharding}: jax.device_put brings it there")


def _name(path: Any) -> str:
    base, *rest = path
    return ("args", "kwargs")[base.idx] + jax.tree_util.keystr(tuple(rest))
