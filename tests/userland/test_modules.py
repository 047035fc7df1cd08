# SPDX-License-Identifier: GPL-2.0-or-later
"""Modules found, unpacked and put in order."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from granule.errors import FormatError
from granule.userland import module_files
from granule.userland.modules import needs

# The strings of virtio_blk's own .modinfo, among other bytes of an ELF file.
MODINFO = b"\x7fELF\0license=GPL\0softdepends=x\0depends=%s\0intree=Y\0name=m\0vermagic=6.12\0"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    kernel = tmp_path / "kernel" / "fs"
    kernel.mkdir(parents=True)
    (kernel / "ext4.ko.xz").write_bytes(lzma.compress(MODINFO % b"jbd2,mbcache"))
    (kernel / "jbd2.ko.gz").write_bytes(gzip.compress(MODINFO % b""))
    (kernel / "mbcache.ko").write_bytes(MODINFO % b"")
    (kernel / "virtio-blk.ko").write_bytes(MODINFO % b"")
    (kernel / "broken.ko").write_bytes(b"<html>")
    return tmp_path


def test_each_comes_after_what_it_needs(folder: Path) -> None:
    assert [m.name for m in module_files(folder, ["ext4"])] == ["jbd2", "mbcache", "ext4"]


def test_contents_are_uncompressed(folder: Path) -> None:
    assert all(m.content.startswith(b"\x7fELF") for m in module_files(folder, ["ext4"]))


def test_hyphens_and_underscores_are_the_same(folder: Path) -> None:
    assert [m.name for m in module_files(folder, ["virtio_blk"])] == ["virtio_blk"]


def test_each_is_loaded_once_and_built_in_ones_never(folder: Path) -> None:
    names = [m.name for m in module_files(folder, ["jbd2", "virtio_pci", "ext4", "jbd2"])]
    assert names == ["jbd2", "mbcache", "ext4"]


def test_a_kernel_without_modules(tmp_path: Path) -> None:
    assert module_files(tmp_path) == ()


def test_what_is_no_module_is_named(folder: Path) -> None:
    with pytest.raises(FormatError, match=r"broken\.ko"):
        module_files(folder, ["broken"])


def test_only_the_key_itself_counts() -> None:
    assert needs(MODINFO % b"a-b,c", "m") == ("a_b", "c")
