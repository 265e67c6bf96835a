"""Random inputs: inputs[parameter][device], for kinds of values that show different faults."""

import numpy as np

from flipsat_xla.runner import TYPES

# integers: small ones, whose sums are exact in every float type, so that the order of a sum cannot
#   show and anything else does.
# normal: rounding everywhere. wide: 24 binary orders of magnitude, full-range integers.
# small: positive and below a tenth, so that whole training steps stay finite (no negative second
#   moments, no saturated softmax).
KINDS = ("integers", "normal", "wide", "small")

PERIOD = 99_991  # a prime: rows of an array never begin alike


def _floats(rng, dims, kind):
    if kind == "integers":
        return rng.integers(-4, 5, dims).astype(np.float64)
    values = rng.standard_normal(dims)
    if kind == "small":
        return np.abs(values) * 0.02
    if kind == "wide":
        return values * np.exp2(rng.integers(-12, 13, dims))
    return values


def _integers(rng, parameter, kind, dims):
    unsigned = parameter.type[0] == "u"
    bits = int(parameter.type[1:])
    if not parameter.dims:  # where a slice starts, which layer it is: in range, mostly
        low, high = 0, min(3, 2 ** (bits - 1))
    elif kind == "wide":
        low, high = (0, 2 ** min(bits, 62)) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    else:
        half = min(8, 2 ** (bits - 1))
        low, high = (0, half) if unsigned else (-half, half)
    return rng.integers(low, high, dims)


def _random(rng, parameter, kind, dims):
    dtype = TYPES[parameter.type]
    if parameter.type == "pred":
        return np.asarray(rng.integers(0, 2, dims), dtype)
    if parameter.type[0] in "su":
        return np.asarray(_integers(rng, parameter, kind, dims)).astype(dtype)
    values = _floats(rng, dims, kind)
    if parameter.type[0] == "c":
        values = values + 1j * _floats(rng, dims, kind)
    return np.asarray(values).astype(dtype)


def _array(rng, parameter, kind):
    """Past PERIOD elements the same ones come again: much faster, and no rewrite moves data so far."""
    count = int(np.prod(parameter.dims, dtype=np.int64))
    if count <= PERIOD:
        return _random(rng, parameter, kind, parameter.dims)
    return np.resize(_random(rng, parameter, kind, (PERIOD,)), parameter.dims)


def make(parameters, devices, kind, seed, equal, numbers, counters):
    """equal[i]: a block number for each device, for parameters that are equal within blocks; None:
    all devices have their own values. numbers["i"]: what the i-th is on each device, an integer scalar
    that is known. counters: scalar integers are counters of loops: equal on all
    devices, since a collective hangs in a loop that runs more often on one device than on another,
    and zero for the first seed.
    """
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    inputs = []
    for number, (parameter, blocks) in enumerate(zip(parameters, equal)):
        if str(number) in numbers:
            dtype = TYPES[parameter.type]
            inputs.append([np.full(parameter.dims, value).astype(dtype)
                           for value in numbers[str(number)]])
            continue
        is_counter = counters and not parameter.dims and parameter.type[0] in "su"
        blocks = [0] * devices if is_counter else blocks or range(devices)
        by_block = {}
        for block in blocks:
            if block not in by_block:
                by_block[block] = _array(rng, parameter, kind)
                if is_counter and kind == KINDS[0]:
                    by_block[block] = np.zeros_like(by_block[block])
        inputs.append([by_block[block] for block in blocks])
    return inputs


def perturbed(inputs, unit, seed):
    """Every float moved by one relative `unit`, or by its own type's if that is coarser, up or down."""
    rng = np.random.default_rng([seed, 99])
    moved = []
    for values in inputs:
        by_identity = {}
        for value in values:
            if id(value) not in by_identity:
                by_identity[id(value)] = _moved(rng, value, unit)
        moved.append([by_identity[id(value)] for value in values])
    return moved


def _moved(rng, value, unit):
    kind = value.dtype.kind
    if value.dtype == np.bool_ or kind in "iu" or "int" in value.dtype.name:
        return value
    own = {1: 2.0 ** -3, 2: 2.0 ** -8}.get(value.dtype.itemsize, 0)
    wide = value.astype(np.complex128 if kind == "c" else np.float64)
    sign = rng.integers(0, 2, value.shape) * 2 - 1
    return (wide * (1 + max(unit, own) * sign)).astype(value.dtype)
