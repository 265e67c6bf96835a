"""How far apart two arrays are."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Distance:
    equal: bool = True   # bit for bit, but for the bits of NaN
    largest: float = 0.0  # absolute; infinite where one side alone is NaN or infinite
    differing: int = 0   # elements

    def join(self, other):
        return Distance(self.equal and other.equal, max(self.largest, other.largest),
                        self.differing + other.differing)


def _wide(array):
    """As a type that numpy can subtract in: integers without loss where they fit 64 bits."""
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    return array.astype(np.float64)


def _bits(array):
    """One row of machine words an element."""
    size = array.dtype.itemsize
    word = np.dtype(f"u{min(size, 8)}")
    return np.ascontiguousarray(array).reshape(-1).view(word).reshape(array.size, -1)


def distance(one, other):
    if one.shape != other.shape or one.dtype != other.dtype:
        return Distance(False, float("inf"), max(one.size, other.size))
    if not one.size:
        return Distance()
    differs = (_bits(one) != _bits(other)).any(axis=1)
    if not differs.any():
        return Distance()
    a, b = _wide(one.reshape(-1)[differs]), _wide(other.reshape(-1)[differs])
    not_nan = ~(np.isnan(a) & np.isnan(b))
    if not not_nan.any():
        return Distance()
    with np.errstate(all="ignore"):
        gap = np.abs(a - b)[not_nan]
    largest = float(gap.max()) if np.isfinite(gap).all() else float("inf")
    return Distance(False, largest, len(gap))


def distances(one, other):
    """By result, over all devices."""
    joined = []
    for left, right in zip(one, other):
        total = Distance()
        for a, b in zip(left, right):
            total = total.join(distance(a, b))
        joined.append(total)
    return joined


def finite_share(results):
    """Which part of all elements is finite: equal NaNs prove little."""
    finite = count = 0
    for values in results:
        for value in values:
            count += value.size
            is_number = value.dtype.kind in "biu" or "int" in value.dtype.name
            finite += value.size if is_number else int(np.isfinite(value).sum())
    return finite / count if count else 1.0
