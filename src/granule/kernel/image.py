# SPDX-License-Identifier: GPL-2.0-or-later
"""Recognizes kernel images by what they contain."""

from __future__ import annotations

import gzip
import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from granule.errors import UsageError

_RELEASE = re.compile(rb"Linux version (\S+) \(")
_HEADER = 0x210
_SECTION = struct.Struct("<16xII16x")
"""A section of an EFI program: of its 40 bytes, the size and the start in the file."""
_ELF_MACHINES = {0x03: "x86", 0x3E: "x86", 0x28: "32-bit Arm", 0xB7: "arm64", 0xF3: "RISC-V"}


def check(path: Path) -> str:
    """The release an Image would tell `uname -r`.

    Raises UsageError unless QEMU boots `path`: a whole arm64 Image, maybe gzipped.
    """
    header = _header(path)
    if header[0x38:0x3C] != b"ARM\x64" and not _is_gzip_zboot(header):
        raise UsageError(f"{path} {_instead(header)}; give an arm64 Image.")
    content = _content(path)
    needed = _size_in_file(content)
    if len(content) < needed:
        raise UsageError(
            f"{path} is an Image cut short: its header speaks of {needed:,} bytes and it has "
            f"{len(content):,}; copy or build it again."
        )
    return _release(content, path)


def _release(content: bytes, path: Path) -> str:
    """What every Linux says of itself; it lies behind the code, so it shows a cut as well."""
    found = _RELEASE.search(content)
    if found is None:
        raise UsageError(
            f"{path} is an Image cut short or not of Linux: it does not say which version it "
            "is; copy or build it again."
        )
    return found[1].decode()


def _size_in_file(content: bytes) -> int:
    """The least bytes of an Image with an EFI stub, whose header lists its sections; else 0.

    The `image_size` of every Image is of no use here: it is that in memory, with all that
    starts as zero and is in no file.
    """
    offset = int.from_bytes(content[0x3C:0x40], "little")
    if not content.startswith(b"MZ") or content[offset : offset + 4] != b"PE\0\0":
        return 0
    sections, optional = struct.unpack_from("<H12xH", content, offset + 6)
    table = content[offset + 24 + optional :][: sections * _SECTION.size]
    whole = table[: len(table) // _SECTION.size * _SECTION.size]
    return max((size + start for size, start in _SECTION.iter_unpack(whole)), default=0)


def _header(path: Path) -> bytes:
    with path.open("rb") as file:
        start = file.read(_HEADER)
    if not start.startswith(b"\x1f\x8b"):
        return start
    with _unpacking(path), gzip.open(path) as packed:
        return packed.read(_HEADER)


@contextmanager
def _unpacking(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, EOFError, zlib.error) as reason:
        raise UsageError(f"{path} is a damaged gzip file ({reason}); give another.") from reason


def _content(path: Path) -> bytes:
    data = path.read_bytes()
    if _is_gzip_zboot(data[:_HEADER]):
        offset = int.from_bytes(data[8:12], "little")
        size = int.from_bytes(data[12:16], "little")
        data = data[offset : offset + size]
    if not data.startswith(b"\x1f\x8b"):
        return data
    with _unpacking(path):
        return gzip.decompress(data)


def _is_gzip_zboot(header: bytes) -> bool:
    """An EFI program that holds a gzipped Image; QEMU unpacks no other kind."""
    return _is_zboot(header) and header[24:29] == b"gzip\0" and header[0x38:0x3C] != b"ARM\x64"


def _is_zboot(header: bytes) -> bool:
    return header.startswith(b"MZ") and header[4:8] == b"zimg"


def _instead(header: bytes) -> str:
    """What a file is that cannot be booted."""
    if header[0x202:0x206] == b"HdrS":
        return "is a kernel for x86"
    if header.startswith(b"\x7fELF"):
        machine = _ELF_MACHINES.get(int.from_bytes(header[18:20], "little"), "another machine")
        return f"is a vmlinux for {machine} (its Image is in arch/arm64/boot)"
    if header[0x30:0x34] == b"RISC" or header[0x38:0x3C] == b"RSC\x05":
        return "is a kernel for RISC-V"
    if header[0x24:0x28] == b"\x18\x28\x6f\x01":
        return "is a kernel for 32-bit Arm"
    if _is_zboot(header):
        kind = header[24:56].split(b"\0")[0].decode(errors="replace")
        return f"is an EFI program with an Image compressed by {kind}"
    return "is no Linux kernel"
