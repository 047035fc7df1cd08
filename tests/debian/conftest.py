# SPDX-License-Identifier: GPL-2.0-or-later
"""A Debian archive of a few tiny packages on the local disk, signed with a key of its own."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from granule.debian import Mirror

_SUITES = ("bookworm", "bookworm-updates", "bookworm-backports")


@dataclass
class Archive:
    """Packages are published when `publish` is called."""

    folder: Path
    scratch: Path
    packages: dict[tuple[str, str], Path] = field(default_factory=dict)

    @property
    def mirror(self) -> Mirror:
        return Mirror(f"file:{self.folder}", None, self.scratch / "keyring.gpg")

    def make_key(self) -> None:
        home = self.scratch / "gnupg"
        home.mkdir(mode=0o700)
        quick = ["--passphrase", "", "--quick-generate-key", "test@example.org", "ed25519", "sign"]
        self._gpg(*quick, "never")
        (self.scratch / "keyring.gpg").write_bytes(self._gpg("--export"))

    def add(
        self, name: str, version: str, depends: str = "", files: dict[str, str] | None = None
    ) -> Path:
        """Build a package; `files` are paths in it with their text."""
        tree = self.scratch / f"{name}-{version}"
        (tree / "DEBIAN").mkdir(parents=True)
        control = {
            "Package": name, "Version": version, "Architecture": "arm64", "Depends": depends,
            "Maintainer": "Nobody <nobody@example.org>", "Description": "test",
        }  # fmt: skip
        text = "".join(f"{key}: {value}\n" for key, value in control.items() if value)
        (tree / "DEBIAN" / "control").write_text(text)
        for path, content in (files or {f"usr/share/{name}": version}).items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(content)
        return self._store(tree, name, version)

    def _store(self, tree: Path, name: str, version: str) -> Path:
        pool = self.folder / "pool"
        pool.mkdir(parents=True, exist_ok=True)
        deb = pool / f"{name}_{version}_arm64.deb"
        build = ["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(tree), str(deb)]
        subprocess.run(build, check=True, capture_output=True)
        self.packages[name, version] = deb
        return deb

    def withdraw(self, name: str, version: str) -> None:
        self.packages.pop((name, version)).unlink()

    def publish(self) -> None:
        """Write and sign the indices of all suites; only the release has packages."""
        for suite in _SUITES:
            self._publish(suite, self._index() if suite == "bookworm" else "")

    def vanish(self) -> None:
        """As a machine without a network sees it."""
        shutil.rmtree(self.folder)

    def _index(self) -> str:
        return "\n".join(self._entry(deb) for deb in self.packages.values())

    def _entry(self, deb: Path) -> str:
        control = subprocess.run(
            ["dpkg-deb", "--field", str(deb)], check=True, capture_output=True, text=True
        ).stdout
        data = deb.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        return f"{control}Filename: pool/{deb.name}\nSize: {len(data)}\nSHA256: {digest}\n"

    def _publish(self, suite: str, index: str) -> None:
        folder = self.folder / "dists" / suite
        shutil.rmtree(folder, ignore_errors=True)
        path = "main/binary-arm64/Packages"
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text(index)
        data = index.encode()
        release = (
            f"Origin: Test\nSuite: {suite}\nCodename: {suite}\nArchitectures: arm64\n"
            "Components: main\nDate: Mon, 01 Jan 2024 00:00:00 UTC\n"
            f"SHA256:\n {hashlib.sha256(data).hexdigest()} {len(data)} {path}\n"
        )
        plain = self.scratch / "Release"
        plain.write_text(release)
        (folder / "InRelease").write_bytes(self._gpg("--clearsign", "--output", "-", str(plain)))

    def _gpg(self, *arguments: str) -> bytes:
        command = ["gpg", "--homedir", str(self.scratch / "gnupg"), "--batch", "--yes", *arguments]
        return subprocess.run(command, check=True, capture_output=True).stdout


@pytest.fixture(scope="session")
def key_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A signing key; made once, as it takes longest."""
    folder = tmp_path_factory.mktemp("key")
    Archive(folder, folder).make_key()
    yield folder
    # The agent that keeps the key would outlive its folder.
    subprocess.run(["gpgconf", "--homedir", str(folder / "gnupg"), "--kill", "all"], check=True)


@pytest.fixture
def archive(tmp_path: Path, key_folder: Path) -> Archive:
    """An archive with `tool`, which needs `library`, and two kernels; published."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    for part in ("gnupg", "keyring.gpg"):
        (scratch / part).symlink_to(key_folder / part)
    made = Archive(tmp_path / "archive", scratch)
    made.add("library", "1:2.0")
    made.add("tool", "1.0", depends="library")
    for version in ("6.12.9", "6.12.30"):
        made.add(f"linux-image-{version}-arm64", f"{version}-1")
    made.add("linux-image-6.12.30-arm64-dbg", "6.12.30-1")
    made.publish()
    return made
