# SPDX-License-Identifier: GPL-2.0-or-later
"""Toy features for the fake kernel tree."""

import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from granule.features import Base, Library

TOYS = Path(__file__).parent / "toys"
TREE = Path(__file__).parents[1] / "kernel" / "fake" / "tree"


@pytest.fixture
def toys(tmp_path: Path) -> Library:
    """Toy features that a test may spoil: tags, more-tags (after it), fewer-tags, threads."""
    return Library(Path(shutil.copytree(TOYS, tmp_path / "features")))


WriteFeature = Callable[[str, Mapping[str, tuple[str, str]]], None]


@pytest.fixture
def write_feature(toys: Library, tmp_path: Path) -> WriteFeature:
    """Adds a feature of one patch: for each file a text and what becomes of it."""

    def write(name: str, edits: Mapping[str, tuple[str, str]]) -> None:
        tree = Path(shutil.copytree(TREE, tmp_path / name))
        commit(tree, "begin")
        for path, (old, new) in edits.items():
            edit(tree / path, old, new)
        commit(tree, f"{name}: change it")
        folder = toys.folder / name
        (folder / "patches").mkdir(parents=True)
        form = ("format-patch", "-1", "-N", "--zero-commit", "--no-signature", "--quiet")
        git(tree, *form, "-o", str(folder / "patches"))
        (patch,) = (folder / "patches").iterdir()
        (folder / "series").write_text(f"{patch.name}\n")
        (folder / "feature.toml").write_text(
            f'title = "{name}"\nbase = "6.12"\n[upstream]\nstatus = "none"\n'
        )

    return write


def commit(tree: Path, message: str) -> None:
    """Commits all there is in a folder."""
    git(tree, "init", "--quiet")
    git(tree, "add", "--all")
    author = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org")
    git(tree, *author, "commit", "--quiet", "-m", message)


def git(tree: Path, *arguments: str) -> str:
    """What git prints."""
    command = ["git", "-C", str(tree), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def base() -> Base:
    """What they apply to."""
    return Base("linux-6.12", TREE)


def edit(path: Path, old: str, new: str) -> None:
    """Replaces text that must be there."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
