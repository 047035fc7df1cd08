# SPDX-License-Identifier: GPL-2.0-or-later
"""Revisions of a user's git tree: resolved and checked out without touching it.

The checkout has a repository of its own in the cache, which borrows the user's
objects; no branch, index, worktree list or file of the user's is written.  Going
from one revision to another rewrites only the files that differ, so make builds
only what they change.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from granule.errors import MachineError, MissingToolError, UsageError
from granule.kernel import disk
from granule.kernel.source import SourceRecord
from granule.kernel.spec import Revision
from granule.progress import Progress

_CHECKOUT_SIZE = 2 << 30

# Every arm64 kernel since 2012 has it.
_LANDMARK = "arch/arm64/Kconfig"


@dataclass(frozen=True)
class Commit:
    """A revision found: its commit, the content it names, and where objects are."""

    commit: str
    tree: str
    title: str
    makefile: str
    objects: Path
    home: Path

    @property
    def record(self) -> SourceRecord:
        """Where the kernel is from."""
        return SourceRecord(self.home.name, self.title, self.commit)


def resolve(spec: Revision) -> Commit:
    """Finds a revision; UsageError if the directory or the revision is none."""
    directory = spec.tree.expanduser()
    if not directory.is_dir():
        raise UsageError(f"There is no directory '{spec.tree}': give a kernel tree in git.")
    home = Path(_ask_home(directory))
    commit = _commit(directory, spec)
    if _try(directory, "cat-file", "-e", f"{commit}:{_LANDMARK}") is None:
        raise UsageError(f"{spec.tree}@{spec.revision} is no kernel tree: it has no {_LANDMARK}.")
    tree = _git(directory, "rev-parse", f"{commit}^{{tree}}")
    objects = _git(directory, "rev-parse", "--path-format=absolute", "--git-path", "objects")
    title = _git(directory, "show", "--no-patch", "--format=%h %s", commit)
    makefile = _git(directory, "show", f"{commit}:Makefile")
    return Commit(commit, tree, title, makefile, Path(objects), home)


def _ask_home(directory: Path) -> str:
    home = _try(directory, "rev-parse", "--show-toplevel")
    if home is None:
        raise UsageError(
            f"'{directory}' is not in a git tree that git would read: give a kernel tree in "
            "git, or the path of an arm64 Image."
        )
    return home


def _commit(directory: Path, spec: Revision) -> str:
    found = _try(
        directory, "rev-parse", "--verify", "--quiet", "--end-of-options",
        f"{spec.revision}^{{commit}}",
    )  # fmt: skip
    if found is None:
        raise UsageError(
            f"The git tree '{spec.tree}' has no revision '{spec.revision}': "
            "name a commit, branch or tag of it."
        )
    return found


def checkout(commit: Commit, slot: Path, cache: Path, progress: Progress) -> Path:
    """The files of a commit in `slot`; those that are right already stay untouched."""
    tree = slot / "tree"
    repository = slot / "git"
    if not tree.exists():
        disk.need(cache, _CHECKOUT_SIZE, "check out a kernel")
    if not (repository / "HEAD").exists():
        _git(cache, "init", "--quiet", "--bare", str(repository))
    _borrow(repository, commit.objects)
    tree.mkdir(exist_ok=True)
    # What a killed git left behind; the slot's lock says that no other runs.
    (repository / "index.lock").unlink(missing_ok=True)
    with progress.step(f"Checking out {commit.title}"):
        _write_files(repository, tree, commit.tree)
    return tree


def _write_files(repository: Path, tree: Path, content: str) -> None:
    arguments = [f"--git-dir={repository}", f"--work-tree={tree}"]
    unfinished = repository / "unfinished"
    was_broken_off = unfinished.exists()
    unfinished.touch()
    _git(tree, *arguments, "read-tree", "--reset", "-u", content)
    if was_broken_off:  # it may have left files that no index knows
        _git(tree, *arguments, "clean", "-ffdxq")
    unfinished.unlink()


def _borrow(repository: Path, objects: Path) -> None:
    alternates = repository / "objects" / "info" / "alternates"
    alternates.parent.mkdir(exist_ok=True)
    alternates.write_text(f"{objects}\n")


def _git(directory: Path, *arguments: str) -> str:
    done = _run(directory, *arguments)
    if done.returncode:
        raise MachineError(f"git {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout.strip()


def _try(directory: Path, *arguments: str) -> str | None:
    done = _run(directory, *arguments)
    return None if done.returncode else done.stdout.strip()


def _run(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["git", "-C", str(directory), *arguments],
            env=_environment(),
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except FileNotFoundError:
        raise MissingToolError(
            "git is missing: run 'apt-get install git' to build revisions of a tree."
        ) from None


def _environment() -> dict[str, str]:
    """Without what git sets for its hooks, which would point at another tree."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
