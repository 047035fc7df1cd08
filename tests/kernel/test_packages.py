# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernels and sources out of Debian packages, made by the test itself."""

import subprocess
import tarfile
from pathlib import Path

import pytest
from tests.kernel.conftest import Recorder

from granule.debian import Package
from granule.errors import MachineError
from granule.kernel import distribution, source
from granule.kernel.catalog import PackagedKernel
from granule.kernel.source import SourceRecord
from granule.kernel.store import Store
from granule.progress import SilentProgress

RELEASE = "6.12.1+deb12-arm64"
IMAGE = bytes(56) + b"ARM\x64Linux version " + RELEASE.encode() + b" (debian)"


def make_deb(folder: Path, name: str) -> Path:
    control = folder / "DEBIAN" / "control"
    control.parent.mkdir()
    control.write_text(
        f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: Tester <t@example.org>\n"
        "Description: made by a test\n"
    )
    deb = folder.parent / f"{name}.deb"
    subprocess.run(["dpkg-deb", "--build", str(folder), str(deb)], check=True, capture_output=True)
    return deb


@pytest.fixture
def image_package(tmp_path: Path) -> Path:
    folder = tmp_path / "image"
    (folder / "boot").mkdir(parents=True)
    (folder / "boot" / f"vmlinuz-{RELEASE}").write_bytes(IMAGE)
    (folder / "boot" / f"config-{RELEASE}").write_text("CONFIG_ARM64_MTE=y\n")
    modules = folder / "lib" / "modules" / RELEASE / "kernel"
    modules.mkdir(parents=True)
    (modules / "virtio_blk.ko.xz").write_bytes(b"module")
    return make_deb(folder, "linux-image")


@pytest.fixture
def source_package(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    tree = tmp_path / "linux-source-6.12"
    tree.mkdir()
    (tree / "Makefile").write_text("VERSION = 6\n")
    tarball = folder / "usr" / "src" / "linux-source-6.12.tar.xz"
    tarball.parent.mkdir(parents=True)
    with tarfile.open(tarball, "w:xz") as archive:
        archive.add(tree, arcname=tree.name)
    return make_deb(folder, "linux-source-6.12")


def test_debians_kernel_is_unpacked_and_then_found(tmp_path: Path, image_package: Path) -> None:
    store = Store(tmp_path / "kernels")
    entry = distribution.unpacked(Package("linux-image", "1"), image_package, store)
    assert entry.manifest.release == RELEASE
    assert (entry.folder / "Image").read_bytes() == IMAGE
    assert (entry.folder / "modules/lib/modules" / RELEASE / "kernel/virtio_blk.ko.xz").exists()
    assert not (entry.folder / "package").exists()
    assert store.find(entry.manifest.identity) == entry


@pytest.mark.parametrize("damaged", ["*/Image", "*/manifest.json", "debian.json"])
def test_a_damaged_kernel_of_debian_is_made_again_and_said(
    tmp_path: Path, image_package: Path, monkeypatch: pytest.MonkeyPatch, damaged: str
) -> None:
    package = Package("linux-image", "1")
    monkeypatch.setattr(distribution, "first_release", lambda *_: (package, image_package))
    store, kernel = Store(tmp_path / "kernels"), PackagedKernel("Debian", "linux-image", ())

    def provide() -> tuple[bytes, list[str]]:
        progress = Recorder()
        made = distribution.provide(kernel, store, tmp_path, progress)
        return made.image.read_bytes(), progress.titles

    assert provide() == (IMAGE, ["Unpacking linux-image"])
    assert provide() == (IMAGE, [])
    (file,) = store.folder.glob(damaged)
    file.write_bytes(file.read_bytes()[:-5])
    assert provide() == (
        IMAGE,
        ["Unpacking linux-image again, as the kernel in the cache is damaged"],
    )
    assert provide() == (IMAGE, [])


def test_a_package_without_a_kernel_is_refused(tmp_path: Path, source_package: Path) -> None:
    store = Store(tmp_path / "kernels")
    with pytest.raises(MachineError, match="holds no kernel"):
        distribution.unpacked(Package("linux-image", "1"), source_package, store)
    assert list(store.folder.glob(".new-*")) == []


def test_a_source_is_unpacked_recorded_and_found(tmp_path: Path, source_package: Path) -> None:
    cache = tmp_path / "cache"
    folder = cache / "sources" / "linux-source-6.12"
    folder.mkdir(parents=True)
    tree = source.unpacked("linux-source-6.12", "6.12.1-1", source_package, folder)
    assert (tree.directory / "Makefile").read_text() == "VERSION = 6\n"
    assert tree.record == SourceRecord("linux-source-6.12", "6.12.1-1", tree.record.digest)
    assert {path.name for path in folder.iterdir()} == {"tree", "source.json"}
    # No release to ask: it must be found without.
    kernel = PackagedKernel("Linux", "linux-source-6.12", releases=())
    assert source.packaged(kernel, cache, SilentProgress()) == tree


def test_a_source_half_unpacked_is_not_trusted(tmp_path: Path, source_package: Path) -> None:
    source.unpacked("linux-source-6.12", "6.12.1-1", source_package, tmp_path)
    (tmp_path / "source.json").unlink()
    assert source.recorded(tmp_path) is None


def test_a_package_without_a_source_is_refused(tmp_path: Path, image_package: Path) -> None:
    with pytest.raises(MachineError, match="holds no kernel source"):
        source.unpacked("linux-source-6.12", "1", image_package, tmp_path)
    assert source.recorded(tmp_path) is None


def test_what_a_dead_process_left_is_cleared_away(tmp_path: Path) -> None:
    left = tmp_path / ".new-dead"
    left.mkdir()
    with Store(tmp_path).publishing() as scratch:
        assert not left.exists()
        assert scratch.exists()
    assert not scratch.exists()
