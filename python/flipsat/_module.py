"""HLO modules."""

from __future__ import annotations

import os
from typing import Any

from flipsat import _core


class Module:
    """An HLO module, which never changes: threads may share it.

    It is made by `parse`, `from_proto` or `read`, and by `flipsat.optimize`.
    """

    __slots__ = ("_held",)

    _held: _core.Module

    def __init__(self) -> None:
        raise TypeError("a flipsat.Module is made by parse, from_proto or read")

    @classmethod
    def _of(cls, held: _core.Module) -> Module:
        module = object.__new__(cls)
        module._held = held
        return module

    @classmethod
    def parse(cls, text: str, name: str = "") -> Module:
        """Reads HLO text. `name` stands for the file in messages. Raises InputError with the place."""
        return cls._of(_core.Module.parse(text, name))

    @classmethod
    def from_proto(cls, data: bytes, name: str = "") -> Module:
        """Reads an HloModuleProto, or what holds one (HloProto, HloModuleProtoWithConfig, HloSnapshot),
        serialized, compressed by gzip or zstd or not. Raises InputError."""
        return cls._of(_core.Module.from_proto(bytes(data), name))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Module:
        """Reads a file; whether it is text or a proto, and compressed, is told by its content.
        Raises InputError, also where it cannot be opened."""
        return cls._of(_core.Module.read(_file(path)))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes a file, whole or not at all. `.pb` is a proto, `.hlo` and `.txt` are text, any other name is
        what the module was read from; `.gz` and `.zst` compress. Raises UsageError where it cannot be written."""
        self._held.write(_file(path))

    def to_text(self) -> str:
        """HLO text. What was read as text and not changed comes back to the letter; bytes that are not UTF-8
        are lone surrogates (the error handler `surrogateescape` makes bytes of them again)."""
        return self._held.to_text()

    def to_proto(self) -> bytes:
        """A serialized proto: of the kind that the module was read from, else an HloModuleProto.
        Raises InputError for what protos cannot say."""
        return self._held.to_proto()

    @property
    def name(self) -> str:
        """What the module calls itself."""
        return self._held.name

    @property
    def file(self) -> str:
        """The file that it was read from, or what it was called when it was parsed."""
        return self._held.file

    @property
    def num_partitions(self) -> int | None:
        """As the module says it; None where it does not."""
        return self._held.num_partitions

    @property
    def replica_count(self) -> int | None:
        """As the module says it; None where it does not."""
        return self._held.replica_count

    def __reduce__(self) -> tuple[Any, ...]:
        # For pickle, and so for other processes.
        if self._held.is_proto:
            return Module.from_proto, (self.to_proto(), self.file)
        return Module.parse, (self.to_text(), self.file)

    def __repr__(self) -> str:
        kind = "proto" if self._held.is_proto else "text"
        return (f"<flipsat.Module {self.name!r}: {self._held.instruction_count} instructions in "
                f"{self._held.computation_count} computations, {kind}>")


def _file(path: str | os.PathLike[str]) -> str:
    name = os.fspath(path)
    if "\0" in name:
        raise ValueError("a path holds no NUL")
    return "./-" if name == "-" else name  # a file like any other, not standard input or output


def held(module: Module) -> _core.Module:
    """What the extension works on."""
    if not isinstance(module, Module):
        raise TypeError(f"expected a flipsat.Module, not {type(module).__name__} (Module.read and parse make one)")
    return module._held
