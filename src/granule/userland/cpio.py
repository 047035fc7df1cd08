# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes cpio archives in the "newc" format the kernel unpacks as initramfs.

The bytes depend on the entries alone: owner 0, time 0, inode numbers in order.
"""

from __future__ import annotations

import io
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_TRAILER = "TRAILER!!!"


@dataclass(frozen=True)
class Entry:
    """One member: path without a leading slash, mode with its type bits, content.

    `device` is (major, minor) of a device node.
    """

    path: str
    mode: int
    content: bytes = b""
    device: tuple[int, int] = (0, 0)


def directory(path: str) -> Entry:
    """A folder."""
    return Entry(path, stat.S_IFDIR | 0o755)


def file(path: str, content: bytes, permissions: int = 0o644) -> Entry:
    """A regular file."""
    return Entry(path, stat.S_IFREG | permissions, content)


def link(path: str, target: str) -> Entry:
    """A symbolic link."""
    return Entry(path, stat.S_IFLNK | 0o777, target.encode())


def character_device(path: str, major: int, minor: int) -> Entry:
    """A character device node, accessible by root."""
    return Entry(path, stat.S_IFCHR | 0o600, device=(major, minor))


def archive(entries: Iterable[Entry]) -> bytes:
    """The archive with the entries in the order given; parents must come first."""
    buffer = io.BytesIO()
    write(buffer, entries)
    return buffer.getvalue()


def tree(folder: Path, name: str) -> Iterator[Entry]:
    """The folder `name` with all there is in `folder`, in the order of names.

    Whoever owns the files, in the archive it is root.
    """
    yield Entry(name, folder.lstat().st_mode)
    for child in sorted(folder.iterdir()):
        inner = f"{name}/{child.name}"
        if child.is_symlink():
            yield link(inner, str(child.readlink()))
        elif child.is_dir():
            yield from tree(child, inner)
        elif child.is_file():
            yield Entry(inner, child.stat().st_mode, child.read_bytes())


def write(file: BinaryIO, entries: Iterable[Entry]) -> None:
    """Write an archive without holding it in memory; others may follow in the file."""
    for number, entry in enumerate(entries, 1):
        file.write(_member(entry, number))
    file.write(_member(Entry(_TRAILER, 0), 0))


def _member(entry: Entry, inode: int) -> bytes:
    name = entry.path.encode() + b"\0"
    links, time, check = 1, 0, 0
    fields = (
        inode, entry.mode, 0, 0, links, time, len(entry.content),
        0, 0, *entry.device, len(name), check,
    )  # fmt: skip
    header = b"070701" + "".join(f"{field:08X}" for field in fields).encode()
    return _padded(header + name) + _padded(entry.content)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
