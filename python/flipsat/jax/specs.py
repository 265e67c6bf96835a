"""Shardings of any kind as PartitionSpecs on one mesh, read from where each device's block lies."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec, Sharding

from flipsat.jax.errors import CannotCarry

Shape = tuple[int, ...]


def mesh_and_specs(shardings: Sequence[Sharding], shapes: Sequence[Shape],
                   devices: tuple[jax.Device, ...]) -> tuple[Mesh, list[PartitionSpec]]:
    """A mesh over `devices` in their order, and for each sharding its spec on that mesh.

    The meshes that the shardings name are tried first, then those that split the devices into axes of prime
    size. Raises CannotCarry where none will do.
    """
    for mesh in _meshes(shardings, devices):
        specs = [spec_on(mesh, sharding, shape) for sharding, shape in zip(shardings, shapes)]
        found = [spec for spec in specs if spec is not None]
        if len(found) == len(specs):
            return mesh, found
    raise CannotCarry("sharding", "; ".join(sorted({str(sharding) for sharding in shardings})))


def _meshes(shardings: Sequence[Sharding], devices: tuple[jax.Device, ...]) -> Iterator[Mesh]:
    named = (sharding.mesh for sharding in shardings if isinstance(sharding, NamedSharding))
    for mesh in dict.fromkeys(named):
        if isinstance(mesh, Mesh) and tuple(mesh.devices.flat) == devices:
            yield mesh
    for sizes in sorted(set(itertools.permutations(_prime_factors(len(devices))))):
        yield Mesh(np.array(devices).reshape(sizes), [f"axis_{at}" for at in range(len(sizes))])


def _prime_factors(number: int) -> list[int]:
    for prime in range(2, number):
        if number % prime == 0:
            return [prime, *_prime_factors(number // prime)]
    return [number]


def spec_on(mesh: Mesh, sharding: Sharding, shape: Shape) -> PartitionSpec | None:
    """None where no spec on this mesh lays `shape` out as `sharding` does."""
    if isinstance(sharding, NamedSharding) and sharding.mesh == mesh:
        return sharding.spec
    indices = sharding.devices_indices_map(shape)
    local = sharding.shard_shape(shape)
    dims = [_axes(mesh, [(indices[device][dim].start or 0) // max(local[dim], 1)
                         for device in mesh.devices.flat]) for dim in range(len(shape))]
    spec = PartitionSpec(*dims)
    return spec if NamedSharding(mesh, spec).is_equivalent_to(sharding, len(shape)) else None


def _axes(mesh: Mesh, blocks: list[int]) -> tuple[str, ...] | None:
    """The axes along which the number of a device's block changes, the one with the largest steps first."""
    grid = np.array(blocks).reshape(mesh.devices.shape)
    steps = {name: int(np.take(grid, 1, axis=at).flat[0] - grid.flat[0])
             for at, (name, size) in enumerate(zip(mesh.axis_names, grid.shape)) if size > 1}
    changing = (name for name in steps if steps[name])
    return tuple(sorted(changing, key=lambda name: steps[name], reverse=True)) or None
