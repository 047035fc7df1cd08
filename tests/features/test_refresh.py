# SPDX-License-Identifier: GPL-2.0-or-later
"""Check out, change commits, write back."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.features.conftest import TREE, edit, git

from granule.errors import FormatError, UsageError
from granule.features import Base, Feature, Library, render
from granule.features.checkout import checkout
from granule.features.history import History, history
from granule.features.refresh import refresh
from granule.progress import SilentProgress

AUTHOR = ("-c", "user.name=Another", "-c", "user.email=another@example.org")


class Desk:
    """Toy features, the fake source in git, and a tree to work in."""

    def __init__(self, toys: Library, folder: Path) -> None:
        self.toys = toys
        self.base = Base("linux-6.12", Path(shutil.copytree(TREE, folder / "linux")))
        self.repository = folder / "history.git"
        self.tree = folder / "work"

    @property
    def history(self) -> History:
        return history(self.base, self.repository, SilentProgress())

    def checkout(self, name: str) -> None:
        feature = self.toys.load(name)
        below = self.toys.below(feature)
        checkout(feature, below, self.history, self.tree, SilentProgress())

    def refresh(self, name: str) -> Feature:
        feature = self.toys.load(name)
        return refresh(feature, self.toys.below(feature), self.base, self.history, self.tree)

    def commit(self, message: str, *options: str) -> None:
        git(self.tree, "add", "--all")
        git(self.tree, *AUTHOR, "commit", "--quiet", "-m", message, *options)

    def files(self, name: str) -> dict[str, tuple[bytes, int]]:
        """Content and mode of every file of a feature."""
        folder = self.toys.folder / name
        files = [path for path in folder.rglob("*") if path.is_file()]
        return {
            str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode)
            for path in files
        }


@pytest.fixture
def desk(toys: Library, tmp_path: Path) -> Desk:
    return Desk(toys, tmp_path)


def test_a_checkout_has_a_commit_for_each_patch(desk: Desk) -> None:
    desk.checkout("more-tags")
    form = "--format=%an|%ae|%ad|%s"
    said = git(desk.tree, "log", "--date=iso", form, "refs/granule/base").splitlines()
    assert [line.split("|") for line in said[:2]] == [
        [
            "Tésteur",
            "tester@example.org",
            "2026-04-05 10:20:30 -0330",
            "[mm] Add a coder, drop größere entries",
        ],
        [
            "Tésteur",
            "tester@example.org",
            "2026-03-05 10:20:30 +0100",
            "mm: Use a fifth tag bit",
        ],
    ]
    assert git(desk.tree, "log", "--format=%s", "refs/granule/base..") == "mm: Use a sixth tag bit"
    assert git(desk.tree, "status", "--porcelain") == ""
    assert git(desk.tree, "branch", "--show-current") == "more-tags"


def test_a_checkout_is_what_is_built(desk: Desk) -> None:
    desk.checkout("more-tags")
    features = desk.toys.choose(["more-tags"], "6.12")
    for change in render(desk.base, features).changes:
        path = desk.tree / change.path
        assert path.exists() != change.is_deletion
        if not change.is_deletion:
            assert path.read_bytes() == change.content


def test_the_commits_are_the_same_everywhere(desk: Desk, tmp_path: Path) -> None:
    desk.checkout("tags")
    first = git(desk.tree, "rev-parse", "HEAD")
    shutil.rmtree(desk.tree)
    desk.repository = tmp_path / "another.git"
    for path in desk.base.directory.rglob("*"):
        path.touch()
    desk.checkout("tags")
    assert git(desk.tree, "rev-parse", "HEAD") == first


def test_a_checkout_outlives_the_cache(desk: Desk) -> None:
    desk.checkout("tags")
    shutil.rmtree(desk.repository)
    git(desk.tree, "fsck", "--full")


@pytest.mark.parametrize("name", ["tags", "more-tags", "threads"])
def test_what_is_checked_out_is_written_back_byte_by_byte(desk: Desk, name: str) -> None:
    """Authors, dates, letters beyond ASCII, new, deleted and executable files."""
    before = desk.files(name)
    desk.checkout(name)
    desk.refresh(name)
    assert desk.files(name) == before


def test_a_series_keeps_its_comments_and_the_length_of_its_ids(desk: Desk) -> None:
    folder = desk.toys.folder / "threads"
    (patch,) = (folder / "patches").iterdir()
    (folder / "series").write_text(f"# Head\n\n# Why two\n{patch.name}\n# Tail\n")
    index = next(line for line in patch.read_text().splitlines() if line.startswith("index"))
    old, new = index.split()[1].split("..")
    edit(patch, index, f"index {old[:9]}..{new[:9]} 100644")
    before = desk.files("threads")
    desk.checkout("threads")
    desk.refresh("threads")
    assert desk.files("threads") == before


def test_a_new_commit_becomes_a_patch_with_its_file_in_src(desk: Desk) -> None:
    desk.checkout("tags")
    (desk.tree / "mm/codec.c").write_text("int codec;\n")
    (desk.tree / "mm/run").write_text("#!/bin/sh\n")
    (desk.tree / "mm/run").chmod(0o755)
    edit(desk.tree / "mm/oom.c", "THREADS", "2 * THREADS")
    desk.commit("mm: Add a codec")
    feature = desk.refresh("tags")
    added = feature.patches[2]
    assert added.name == "0003-mm-Add-a-codec.patch"
    assert added.mail.overlays == ("mm/codec.c", "mm/run")
    assert "From: Another <another@example.org>" in added.mail.message
    assert "Signed-off-by" not in added.mail.text()
    assert (feature.folder / "src/mm/codec.c").read_text() == "int codec;\n"
    assert (feature.folder / "src/mm/run").stat().st_mode & 0o777 == 0o755
    assert feature.folder.joinpath("series").read_text().endswith(f"{added.name}\n")
    paths = [change.path for change in render(desk.base, [feature]).changes]
    assert {"mm/codec.c", "mm/run"} <= set(paths)


def test_a_new_file_that_a_later_patch_changes_stays_in_its_patch(desk: Desk) -> None:
    desk.checkout("tags")
    edit(desk.tree / "mm/coder.c", "return 1", "return 2")
    desk.commit("mm: Code better")
    feature = desk.refresh("tags")
    assert [patch.mail.overlays for patch in feature.patches] == [(), ("mm/coder.txt",), ()]
    assert not (feature.folder / "src/mm/coder.c").exists()


def test_a_dropped_commit_takes_its_files_along(desk: Desk) -> None:
    desk.checkout("tags")
    git(desk.tree, "reset", "--hard", "HEAD~1")
    feature = desk.refresh("tags")
    assert [patch.name for patch in feature.patches] == ["0001-mm-Use-a-fifth-tag-bit.patch"]
    assert not (feature.folder / "src").exists() or not any((feature.folder / "src").iterdir())
    assert len(list((feature.folder / "patches").iterdir())) == 1


def test_a_feature_begins_with_a_checkout_of_its_base(desk: Desk) -> None:
    folder = desk.toys.folder / "fresh"
    folder.mkdir()
    shutil.copy(desk.toys.folder / "threads/feature.toml", folder)
    desk.checkout("fresh")
    edit(desk.tree / "mm/oom.c", "THREADS", "7")
    desk.commit("mm: Begin")
    assert [patch.name for patch in desk.refresh("fresh").patches] == ["0001-mm-Begin.patch"]
    assert "SPDX-License-Identifier" in (folder / "series").read_text()


def change_a_file(desk: Desk) -> None:
    edit(desk.tree / "mm/oom.c", "THREADS", "3")


def leave_a_file(desk: Desk) -> None:
    (desk.tree / "mm/new.c").write_text("")


def merge(desk: Desk) -> None:
    git(desk.tree, "checkout", "--quiet", "-b", "side", "HEAD~1")
    leave_a_file(desk)
    desk.commit("side")
    git(desk.tree, "checkout", "--quiet", "tags")
    git(desk.tree, *AUTHOR, "merge", "--quiet", "--no-edit", "side")


def commit_nothing(desk: Desk) -> None:
    desk.commit("nothing", "--allow-empty")


def make_another_base(desk: Desk) -> None:
    git(desk.tree, "reset", "--hard", "refs/granule/base")
    git(desk.tree, *AUTHOR, "commit", "--amend", "--quiet", "--no-edit", "--reset-author")
    git(desk.tree, "update-ref", "refs/granule/base", "HEAD")


def fetch_another_source(desk: Desk) -> None:
    edit(desk.base.directory / "mm/oom.c", "THREADS", "THREADS + 1")
    shutil.rmtree(desk.repository)


def take_another_tree(desk: Desk) -> None:
    git(desk.tree, "config", "granule.feature", "threads")


def begin_a_rebase(desk: Desk) -> None:
    (desk.tree / ".git/rebase-merge").mkdir()


def remove_the_tree(desk: Desk) -> None:
    shutil.rmtree(desk.tree)


def write_a_message_that_mail_cuts(desk: Desk) -> None:
    change_a_file(desk)
    desk.commit("mm: Say more\n\nThis is\n---\na line.")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (change_a_file, r"not committed, such as mm/oom\.c"),
        (leave_a_file, r"not committed, such as mm/new\.c"),
        (merge, r"is a merge: a series has none"),
        (commit_nothing, r"changes nothing: drop it"),
        (make_another_base, r"was not checked out from today's base of 'tags'"),
        (fetch_another_source, r"was not checked out from today's base of 'tags'"),
        (take_another_tree, r"was checked out for 'threads'"),
        (begin_a_rebase, r"A rebase, merge or cherry-pick is under way"),
        (remove_the_tree, r"no tree of any feature: make one with 'granule checkout tags DIR'"),
        (write_a_message_that_mail_cuts, r"cannot be written as a patch that says the same"),
    ],
)
def test_what_cannot_be_written_back_changes_nothing(
    desk: Desk, spoil: Callable[[Desk], None], message: str
) -> None:
    desk.checkout("tags")
    before = desk.files("tags")
    spoil(desk)
    with pytest.raises((UsageError, FormatError), match=message):
        desk.refresh("tags")
    assert desk.files("tags") == before


def test_a_feature_below_that_changed_meanwhile_is_noticed(desk: Desk) -> None:
    desk.checkout("more-tags")
    edit(desk.toys.folder / "tags/src/mm/coder.c", "return 1", "return 3")
    with pytest.raises(UsageError, match="not checked out from today's base of 'more-tags'"):
        desk.refresh("more-tags")


def test_a_directory_in_use_is_refused_and_kept(desk: Desk) -> None:
    desk.tree.mkdir()
    (desk.tree / "notes").write_text("mine")
    with pytest.raises(UsageError, match="is not empty"):
        desk.checkout("tags")
    assert (desk.tree / "notes").read_text() == "mine"


def test_a_checkout_that_fails_leaves_nothing(desk: Desk) -> None:
    edit(desk.base.directory / "mm/mteswap.c", "4", "8")
    with pytest.raises(FormatError, match="cannot apply the patches of 'tags'") as caught:
        desk.checkout("tags")
    assert "mm/mteswap.c" in caught.value.details
    assert not desk.tree.exists()


def test_a_history_that_was_broken_off_is_made_again(desk: Desk) -> None:
    desk.repository.with_suffix(".new").mkdir()
    desk.checkout("tags")
    assert not desk.repository.with_suffix(".new").exists()
