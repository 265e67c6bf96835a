"""Replica groups of HLO text in their three spellings: lists, iota, mesh axes.

This reading is independent of flipsat's own: the oracle must not share its mistakes.
"""

import re

import numpy as np

_MESH = re.compile(
    r"replica_groups=mesh\[(?P<axes>[^\]]*)\]"
    r"(?:, device_ids=\(\[(?P<dims>[\d,]*)\](?:T\((?P<transpose>[\d,]*)\))?\))?"
    r" \{(?P<used>[^}]*)\}")
_IOTA = re.compile(
    r"replica_groups=\[(?P<shape>[\d,]*)\]<=\[(?P<dims>[\d,]*)\](?:T\((?P<transpose>[\d,]*)\))?")


def _integers(text):
    return [int(number) for number in text.split(",") if number] if text else []


def _iota(dims, transpose):
    """Device ids in row-major order over dims, seen in the order of the transposed dims."""
    return np.arange(np.prod(dims, dtype=int)).reshape(dims).transpose(
        transpose or range(len(dims))).reshape(-1)


def _mesh_groups(match):
    if ":" in match["used"]:
        raise ValueError("replica groups over a part of a mesh axis: " + match[0])
    axes = [(name, int(size)) for name, size in re.findall(r"'?([\w.\-]+)'?=(\d+)", match["axes"])]
    names = [name for name, _ in axes]
    used = re.findall(r"'([\w.\-]+)'", match["used"])
    sizes = [size for _, size in axes]
    devices = (_iota(_integers(match["dims"]), _integers(match["transpose"]))
               if match["dims"] else np.arange(np.prod(sizes, dtype=int)))
    order = [names.index(name) for name in names if name not in used]
    order += [names.index(name) for name in used]
    size = int(np.prod([dict(axes)[name] for name in used], dtype=int))
    return devices.reshape(sizes).transpose(order).reshape(-1, size)


def _iota_groups(match):
    return _iota(_integers(match["dims"]), _integers(match["transpose"])).reshape(
        _integers(match["shape"]))


def _as_lists(groups):
    lists = ",".join("{" + ",".join(map(str, group)) + "}" for group in groups.tolist())
    return "replica_groups={" + lists + "}"


def with_lists(text):
    """The text with every group spelled as lists.

    On the way through StableHLO jaxlib 0.10.2 attaches mesh-axis groups to the wrong mesh where a
    module has several meshes: the groups change without a word.
    """
    text = _MESH.sub(lambda match: _as_lists(_mesh_groups(match)), text)
    return _IOTA.sub(lambda match: _as_lists(_iota_groups(match)), text)
