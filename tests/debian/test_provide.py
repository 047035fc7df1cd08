# SPDX-License-Identifier: GPL-2.0-or-later
"""A userland made from a tiny archive; it is here for the archive's fixture."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path
from typing import BinaryIO, Protocol

import pytest

from granule.debian import Mirror
from granule.errors import MachineError, UsageError
from granule.progress import SilentProgress
from granule.userland import Recipe, Userland, cpio, provide


class Archive(Protocol):
    """What the fixture of conftest.py offers."""

    @property
    def mirror(self) -> Mirror: ...
    def add(self, name: str, version: str, *, files: dict[str, str]) -> Path: ...
    def withdraw(self, name: str, version: str) -> None: ...
    def publish(self) -> None: ...
    def vanish(self) -> None: ...


class Make(Protocol):
    """Provides a recipe's userland from the archive."""

    def __call__(self, wanted: Recipe) -> Userland: ...


def recipe(*packages: str, leave_out: tuple[str, ...] = ("/usr/share/doc",)) -> Recipe:
    links = (("/usr/bin/awk", "mawk"),)
    files = (("/etc/passwd", "root:x:0:0:root:/root:/bin/bash\n"),)
    return Recipe("bookworm", "arm64", packages, leave_out, links, files)


@pytest.fixture
def make(archive: Archive, tmp_path: Path) -> Make:
    archive.add("oldstyle", "1", files={"bin/old": "in /usr/bin", "usr/share/doc/old": "surplus"})
    archive.publish()

    def made(wanted: Recipe) -> Userland:
        return provide(wanted, tmp_path / "cache", SilentProgress(), archive.mirror)

    return made


def unpacked(archive: Path, folder: Path) -> Path:
    """The userland in an archive, as files."""
    folder.mkdir()
    command = ["cpio", "--extract", "--quiet", "--make-directories"]
    subprocess.run(command, input=archive.read_bytes(), cwd=folder, check=True)
    return folder / "userland"


def test_the_archive_holds_packages_and_additions(make: Make, tmp_path: Path) -> None:
    userland = make(recipe("tool", "oldstyle"))
    assert userland.packages == (("library", "1:2.0"), ("oldstyle", "1"), ("tool", "1.0"))
    root = unpacked(userland.archive, tmp_path / "unpacked")
    assert (root / "usr/share/tool").read_text() == "1.0"
    assert (root / "usr/bin/old").read_text() == "in /usr/bin"
    assert (root / "etc/passwd").read_text().startswith("root:x:0:0")
    assert (root / "usr/bin/awk").readlink() == Path("mawk")
    assert (root / "bin").readlink() == Path("usr/bin")
    assert not (root / "usr/share/doc").exists()


def test_equal_recipes_give_equal_archives(make: Make) -> None:
    first = make(recipe("tool"))
    content = first.archive.read_bytes()
    first.archive.unlink()
    assert make(recipe("tool")).archive.read_bytes() == content


def test_files_belong_to_root(make: Make) -> None:
    listing = ["cpio", "--list", "--verbose", "--numeric-uid-gid", "--quiet"]
    content = make(recipe("tool")).archive.read_bytes()
    done = subprocess.run(listing, input=content, capture_output=True, check=True)
    owners = {tuple(line.split()[2:4]) for line in done.stdout.decode().splitlines()}
    assert owners == {("0", "0")}


def test_it_is_built_once_and_then_needs_no_network(make: Make, archive: Archive) -> None:
    first = make(recipe("tool"))
    built = first.archive.stat().st_mtime_ns
    archive.vanish()
    assert make(recipe("tool")) == first
    assert first.archive.stat().st_mtime_ns == built


def test_another_recipe_is_another_userland(make: Make) -> None:
    assert make(recipe("tool")).identity != make(recipe("tool", leave_out=())).identity


def test_a_removed_archive_is_built_again(make: Make) -> None:
    first = make(recipe("tool"))
    first.archive.unlink()
    assert make(recipe("tool")).archive.exists()


def test_an_abandoned_build_is_cleaned_up(make: Make, tmp_path: Path) -> None:
    abandoned = tmp_path / "cache" / "userland" / "build-killed"
    (abandoned / "tree").mkdir(parents=True)
    make(recipe("tool"))
    assert not abandoned.exists()


def test_a_full_disk_leaves_no_half_userland(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(file: BinaryIO, _entries: object) -> None:
        file.write(b"070701")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(cpio, "write", fill)
        with pytest.raises(MachineError, match="Cannot build the userland: No space left"):
            make(recipe("tool"))
    assert {path.name for path in (tmp_path / "cache" / "userland").iterdir()} == {"lock"}
    assert make(recipe("tool")).archive.exists()


def test_a_version_that_is_gone_is_replaced(make: Make, archive: Archive) -> None:
    make(recipe("library"))
    archive.withdraw("tool", "1.0")
    archive.add("tool", "1.1", files={"usr/share/tool": "1.1"})
    archive.publish()
    assert ("tool", "1.1") in make(recipe("tool")).packages


def test_an_unknown_package_is_named(make: Make) -> None:
    with pytest.raises(UsageError, match="nonesuch"):
        make(recipe("nonesuch"))
