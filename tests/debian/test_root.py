# SPDX-License-Identifier: GPL-2.0-or-later
"""A private apt root against a real, tiny, signed archive."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import pytest

from granule.debian import AptRoot, Mirror, Package, StaleListsError, apt_root, unpack
from granule.errors import MachineError, UsageError

KERNEL = r"linux-image-6\.12\.\d+-arm64"


class Archive(Protocol):
    """What the fixture of conftest.py offers."""

    folder: Path

    @property
    def mirror(self) -> Mirror: ...
    def add(self, name: str, version: str) -> Path: ...
    def withdraw(self, name: str, version: str) -> None: ...
    def publish(self) -> None: ...
    def vanish(self) -> None: ...


@pytest.fixture
def root(archive: Archive, tmp_path: Path) -> AptRoot:
    return apt_root(tmp_path / "cache", "bookworm", mirror=archive.mirror)


def test_candidate_is_found_without_an_update_by_hand(root: AptRoot) -> None:
    assert root.candidate("library") == "1:2.0"


def test_newest_compares_versions_not_text(root: AptRoot) -> None:
    assert root.newest_matching(KERNEL) == Package("linux-image-6.12.30-arm64", "6.12.30-1")


def test_plan_holds_dependencies(root: AptRoot) -> None:
    assert set(root.plan(["tool"])) == {Package("library", "1:2.0"), Package("tool", "1.0")}


def test_download_and_unpack(root: AptRoot, tmp_path: Path) -> None:
    unpack(root.download("library"), tmp_path / "tree")
    assert (tmp_path / "tree/usr/share/library").read_text() == "1:2.0"


def test_everything_fetched_once_works_without_a_network(root: AptRoot, archive: Archive) -> None:
    fetched = root.download("tool")
    archive.vanish()
    assert root.download("tool") == fetched
    assert root.candidate("library") == "1:2.0"


def test_a_damaged_file_is_fetched_again(root: AptRoot) -> None:
    fetched = root.download("tool")
    intact = fetched.read_bytes()
    fetched.write_bytes(intact[:-1] + b"x")
    assert root.download("tool").read_bytes() == intact


def test_a_candidate_that_is_gone_is_looked_for_in_newer_lists(
    root: AptRoot, archive: Archive
) -> None:
    assert root.candidate("tool") == "1.0"
    archive.withdraw("tool", "1.0")
    archive.add("tool", "1.1")
    archive.publish()
    assert root.download("tool").name == "tool_1.1_arm64.deb"


def test_a_version_that_is_gone_is_an_error_of_its_own(root: AptRoot, archive: Archive) -> None:
    root.update()
    archive.withdraw("tool", "1.0")
    with pytest.raises(StaleListsError, match="no longer has"):
        root.download("tool", "1.0")


def test_another_mirror_means_other_lists(root: AptRoot, archive: Archive, tmp_path: Path) -> None:
    assert root.candidate("tool") == "1.0"
    moved = archive.folder.rename(tmp_path / "moved")
    mirror = Mirror(f"file:{moved}", None, archive.mirror.keyring)
    other = apt_root(tmp_path / "cache", "bookworm", mirror=mirror)
    assert other.download("tool").exists()


def test_an_archive_signed_by_nobody_we_trust_is_refused(archive: Archive, tmp_path: Path) -> None:
    keyring = tmp_path / "other.gpg"
    keyring.touch()
    mirror = Mirror(archive.mirror.archive, None, keyring)
    with pytest.raises(MachineError):
        apt_root(tmp_path / "cache", "bookworm", mirror=mirror).candidate("tool")


def test_a_package_that_was_tampered_with_is_refused(root: AptRoot, archive: Archive) -> None:
    root.update()
    deb = archive.folder / "pool" / "tool_1.0_arm64.deb"
    deb.write_bytes(deb.read_bytes()[:-1] + b"x")
    with pytest.raises(MachineError):
        root.download("tool")


@pytest.mark.parametrize("version", [None, "9"])
def test_unknown_packages_are_the_users_error(root: AptRoot, version: str | None) -> None:
    with pytest.raises(UsageError, match=r"no(thing| such| package)"):
        root.download("tool" if version else "nonesuch", version)


def test_nothing_matches(root: AptRoot) -> None:
    with pytest.raises(UsageError, match="matches 'zzz'"):
        root.newest_matching("zzz")
