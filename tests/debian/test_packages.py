# SPDX-License-Identifier: GPL-2.0-or-later
"""The cache of package files."""

from __future__ import annotations

from pathlib import Path

import pytest

from granule.debian.packages import Package, PackageCache, unpack
from granule.errors import MachineError

TOOL = Package("tool", "1:2.0")


@pytest.fixture
def cache(tmp_path: Path) -> PackageCache:
    return PackageCache(tmp_path / "packages", "arm64")


def keep(cache: PackageCache, name: str) -> Path:
    downloaded = cache.directory.parent / name
    downloaded.write_bytes(b"content")
    return cache.keep(downloaded)


@pytest.mark.parametrize("architecture", ["arm64", "all"])
def test_what_was_kept_is_found(cache: PackageCache, architecture: str) -> None:
    assert cache.find(TOOL) is None
    kept = keep(cache, f"tool_1%3a2.0_{architecture}.deb")
    assert cache.find(TOOL) == kept


def test_another_architecture_is_another_file(cache: PackageCache) -> None:
    keep(cache, "tool_1%3a2.0_amd64.deb")
    assert cache.find(TOOL) is None


def test_a_damaged_file_is_not_found_and_removed(cache: PackageCache) -> None:
    kept = keep(cache, "tool_1%3a2.0_arm64.deb")
    kept.write_bytes(b"contenT")
    assert cache.find(TOOL) is None
    assert not kept.exists()


def test_a_file_without_its_checksum_is_not_trusted(cache: PackageCache) -> None:
    kept = keep(cache, "tool_1%3a2.0_arm64.deb")
    kept.with_name(f"{kept.name}.sha256").unlink()
    assert cache.find(TOOL) is None


def test_unpacking_what_is_no_package_fails_with_its_name(tmp_path: Path) -> None:
    broken = tmp_path / "broken.deb"
    broken.write_bytes(b"not a package")
    with pytest.raises(MachineError, match=r"broken\.deb"):
        unpack(broken, tmp_path / "tree")
