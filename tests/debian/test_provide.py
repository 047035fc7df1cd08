# SPDX-License-Identifier: GPL-2.0-or-later
"""A userland made from a tiny archive; it is here for the archive's fixture."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Protocol

import pytest

from granule.debian import Mirror
from granule.errors import UsageError
from granule.progress import SilentProgress
from granule.userland import Recipe, Userland, provide

pytestmark = [
    pytest.mark.skipif(
        shutil.which("debugfs", path="/usr/sbin:/sbin") is None, reason="needs e2fsprogs"
    ),
    pytest.mark.skipif(shutil.which("cpio") is None, reason="needs cpio"),
]


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


def recipe(*packages: str, slack_mib: int = 8) -> Recipe:
    links = (("/usr/bin/awk", "mawk"),)
    files = (("/etc/passwd", "root:x:0:0:root:/root:/bin/bash\n"),)
    leave_out = ("/usr/share/doc",)
    return Recipe("bookworm", "arm64", packages, leave_out, slack_mib, links, files)


@pytest.fixture
def make(archive: Archive, tmp_path: Path) -> Make:
    archive.add("oldstyle", "1", files={"bin/old": "in /usr/bin", "usr/share/doc/old": "surplus"})
    archive.publish()

    def made(wanted: Recipe) -> Userland:
        return provide(wanted, tmp_path / "cache", SilentProgress(), archive.mirror)

    return made


def in_image(image: Path, request: str) -> str:
    debugfs = ["/usr/sbin/debugfs", "-R", request, str(image)]
    return subprocess.run(debugfs, capture_output=True, text=True, check=True).stdout


def in_archive(archive: Path) -> set[str]:
    listing = ["cpio", "--list", "--quiet"]
    done = subprocess.run(listing, input=archive.read_bytes(), capture_output=True, check=True)
    return set(done.stdout.decode().splitlines())


def test_the_image_holds_packages_and_additions(make: Make) -> None:
    userland = make(recipe("tool", "oldstyle"))
    assert userland.packages == (("library", "1:2.0"), ("oldstyle", "1"), ("tool", "1.0"))
    assert in_image(userland.image, "cat /usr/share/tool") == "1.0"
    assert in_image(userland.image, "cat /usr/bin/old") == "in /usr/bin"
    assert in_image(userland.image, "cat /etc/passwd").startswith("root:x:0:0")
    assert '"mawk"' in in_image(userland.image, "stat /usr/bin/awk")
    assert '"usr/bin"' in in_image(userland.image, "stat /bin")
    assert "surplus" not in in_image(userland.image, "cat /usr/share/doc/old")


def test_the_archive_holds_the_same_below_userland(make: Make) -> None:
    names = in_archive(make(recipe("tool", "oldstyle")).archive)
    assert {"userland/usr/bin/old", "userland/etc/passwd", "userland/bin"} <= names
    assert "userland/usr/share/doc" not in names


def test_equal_recipes_give_equal_archives(make: Make) -> None:
    first = make(recipe("tool"))
    content = first.archive.read_bytes()
    first.archive.unlink()
    assert make(recipe("tool")).archive.read_bytes() == content


def test_files_belong_to_root(make: Make) -> None:
    image = make(recipe("tool")).image
    assert "User:     0   Group:     0" in in_image(image, "stat /usr/share/tool")


def test_nothing_in_it_writes_by_itself(make: Make) -> None:
    features = in_image(make(recipe("tool")).image, "features")
    assert "has_journal" not in features
    assert "metadata_csum" not in features


def test_it_is_built_once_and_then_needs_no_network(make: Make, archive: Archive) -> None:
    first = make(recipe("tool"))
    built = first.image.stat().st_mtime_ns
    archive.vanish()
    assert make(recipe("tool")) == first
    assert first.image.stat().st_mtime_ns == built


def test_another_recipe_is_another_userland(make: Make) -> None:
    assert make(recipe("tool")).identity != make(recipe("tool", slack_mib=9)).identity


def test_a_removed_image_is_built_again(make: Make) -> None:
    first = make(recipe("tool"))
    first.image.unlink()
    assert make(recipe("tool")).image.exists()


def test_an_abandoned_build_is_cleaned_up(make: Make, tmp_path: Path) -> None:
    abandoned = tmp_path / "cache" / "userland" / "build-killed"
    (abandoned / "tree").mkdir(parents=True)
    make(recipe("tool"))
    assert not abandoned.exists()


def test_a_version_that_is_gone_is_replaced(make: Make, archive: Archive) -> None:
    make(recipe("library"))
    archive.withdraw("tool", "1.0")
    archive.add("tool", "1.1", files={"usr/share/tool": "1.1"})
    archive.publish()
    assert ("tool", "1.1") in make(recipe("tool")).packages


def test_an_unknown_package_is_named(make: Make) -> None:
    with pytest.raises(UsageError, match="nonesuch"):
        make(recipe("nonesuch"))
