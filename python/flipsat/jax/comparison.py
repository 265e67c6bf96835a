"""How far the results of two programs are apart, on every device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from flipsat.programs.flipsat_xla.compare import Distance, distance


@dataclass(frozen=True)
class Comparison:
    """True where all results are equal, bit for bit but for the bits of NaN, on every device."""

    distances: Mapping[str, Distance]
    """Of each result, by its place: `[0]['loss']`."""

    def __bool__(self) -> bool:
        return all(each.equal for each in self.distances.values())

    def __str__(self) -> str:
        if self:
            return f"{len(self.distances)} results are equal bit for bit on all devices"
        return "\n".join(f"{name or 'the result'}: {each.differing} elements differ, by up to {each.largest:.3g}"
                         for name, each in self.distances.items() if not each.equal)


def compare(before: Any, after: Any) -> Comparison:
    """Of two trees of arrays with equal structure and shardings; raises ValueError where they have not."""
    leaves, tree = jax.tree.flatten_with_path(before)
    if jax.tree.structure(after) != tree:
        raise ValueError(f"results like {tree} became {jax.tree.structure(after)}")
    return Comparison({jax.tree_util.keystr(path): _apart(one, other)
                       for (path, one), other in zip(leaves, jax.tree.leaves(after))})


def _apart(one: jax.Array, other: jax.Array) -> Distance:
    if not other.sharding.is_equivalent_to(one.sharding, one.ndim):
        raise ValueError(f"the sharding {one.sharding} became {other.sharding}")
    total = Distance()
    for left, right in zip(_blocks(one), _blocks(other)):
        total = total.join(distance(left, right))
    return total


def _blocks(array: jax.Array) -> list[np.ndarray]:
    """What each device holds, in the order of devices."""
    if jax.dtypes.issubdtype(array.dtype, jax.dtypes.prng_key):
        array = jax.random.key_data(array)
    shards = sorted(array.addressable_shards, key=lambda shard: shard.device.id)
    return [np.asarray(shard.data) for shard in shards]
