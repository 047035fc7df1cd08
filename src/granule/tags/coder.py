# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's tag coder, called from Python: the same C files, compiled for the host."""

import ctypes
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from granule.errors import MachineError

Form = Literal["zero", "runs", "chunks", "raw"]

_FORMS: tuple[Form, ...] = ("zero", "runs", "chunks", "raw")


class _Code(ctypes.Structure):
    """struct mte_tags_code."""

    value: int
    bits: int
    bytes: int
    form: int
    index: int
    _fields_: ClassVar = [
        ("value", ctypes.c_uint64),
        ("bits", ctypes.c_uint32),
        ("bytes", ctypes.c_uint16),
        ("form", ctypes.c_uint8),
        ("index", ctypes.c_uint8),
    ]


@dataclass(frozen=True, slots=True)
class Stored:
    """What becomes of the tags of a page.

    ``bits`` is the length of their code. ``content`` is the 63-bit value of an XArray
    slot, or the buffer that is kept.
    """

    form: Form
    bits: int
    content: int | bytes

    @property
    def bytes(self) -> int:
        """The size of the buffer, 0 if there is none."""
        return 0 if isinstance(self.content, int) else len(self.content)


class Coder:
    """Stores tags and brings them back. Tags are packed, see :class:`TagPage`."""

    def __init__(self, library: Path) -> None:
        try:
            self._library = ctypes.CDLL(str(library))
        except OSError as error:
            raise MachineError(f"The tag coder cannot be loaded: {error}.") from error
        self._library.mte_tags_class.restype = ctypes.c_size_t

    def store(self, tags: bytes) -> Stored:
        """What the kernel would keep of the tags of a page."""
        code, buffer = _Code(), ctypes.create_string_buffer(len(tags))
        size = ctypes.c_size_t(len(tags))
        self._library.mte_tags_pack(tags, size, buffer, ctypes.byref(code))
        content = buffer.raw[: code.bytes] if code.bytes else code.value
        return Stored(_FORMS[code.form], code.bits, content)

    def restore(self, content: int | bytes, size: int) -> bytes | None:
        """The tags, of ``size`` bytes; None if no tags can have become the content."""
        tags = ctypes.create_string_buffer(size)
        if isinstance(content, int):
            value = ctypes.c_uint64(content)
            error = self._library.mte_tags_unpack_value(value, tags, ctypes.c_size_t(size))
        else:
            length = ctypes.c_size_t(len(content))
            error = self._library.mte_tags_unpack(content, length, tags, ctypes.c_size_t(size))
        return None if error else tags.raw

    def classes(self, size: int) -> tuple[int, ...]:
        """The sizes of buffers there are for tags of ``size`` bytes; the last is ``size``."""
        found: list[int] = []
        while length := int(self._library.mte_tags_class(len(found), ctypes.c_size_t(size))):
            found.append(length)
        return tuple(found)
