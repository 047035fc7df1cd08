# SPDX-License-Identifier: GPL-2.0-or-later
"""The tree a kernel is built from: a copy of an unpacked source with some files changed.

The copy is made of hard links, so it takes seconds and hardly any space.  A file
is changed by putting another in its place; the unpacked source behind the link
stays as it is.  Whatever changes gets a new time, also when it goes back to what
the source has: make would take the old time for "nothing happened".
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from granule.errors import MachineError
from granule.features import Change, Rendering
from granule.kernel import disk
from granule.kernel.source import SourceTree
from granule.progress import Progress


@dataclass(frozen=True)
class _State:
    """The source a copy was made of, and which of its files may differ from it."""

    digest: str
    paths: tuple[str, ...]


_STATE = TypeAdapter(_State)


def arrange(source: SourceTree, rendering: Rendering, slot: Path, progress: Progress) -> Path:
    """The tree in `slot`, holding the source as rendered; only files that must are touched.

    If it is interrupted, the next call knows which files to look at.
    """
    copy = _Copy(source, slot)
    if copy.state is None:
        with progress.step(f"Copying {source.record.name} {source.record.version}"):
            copy.make()
    copy.change(rendering)
    return copy.tree


class _Copy:
    """A copy of a source in a slot that this process holds."""

    def __init__(self, source: SourceTree, slot: Path) -> None:
        self._source = source
        self._slot = slot
        self._record = slot / "tree.json"
        self.tree = slot / "tree"
        self.state = self._read()

    def _read(self) -> _State | None:
        """The state, if the tree is a whole copy of this source."""
        try:
            state = _STATE.validate_json(self._record.read_bytes())
        except (OSError, ValidationError):
            return None
        is_copy = state.digest == self._source.record.digest and self.tree.is_dir()
        return state if is_copy else None

    def make(self) -> None:
        """Links every file of the source; the state is written last."""
        self._record.unlink(missing_ok=True)
        disk.remove(self.tree)
        _link_tree(self._source.directory, self.tree)
        self._write(())

    def change(self, rendering: Rendering) -> None:
        """Makes the tree what was rendered."""
        wanted = {change.path: change for change in rendering.changes}
        known = self.state.paths if self.state else ()
        self._write(tuple(sorted({*known, *wanted})))
        for path in sorted({*known, *wanted}):
            self._set(path, wanted.get(path) or Change.of(self._source.directory, path))
        self._write(tuple(sorted(wanted)))

    def _write(self, paths: tuple[str, ...]) -> None:
        state = _State(self._source.record.digest, paths)
        if state != self.state:
            disk.write_durably(self._record, _STATE.dump_json(state))
            self.state = state

    def _set(self, path: str, change: Change) -> None:
        """Replaces a file that is not as it should be; never writes through a link."""
        if Change.of(self.tree, path) == change:
            return
        file = self.tree / path
        if change.is_deletion:
            file.unlink()
            self._remove_empty(file.parent)
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        scratch = self._slot / "tree.new"
        scratch.unlink(missing_ok=True)
        if change.is_link:
            scratch.symlink_to(os.fsdecode(change.content))
        else:
            scratch.write_bytes(change.content)
            scratch.chmod(change.permissions)
        scratch.replace(file)

    def _remove_empty(self, folder: Path) -> None:
        """Folders that only the removed file needed."""
        while not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent


def _link_tree(source: Path, target: Path) -> None:
    """Hard links where the disk has them, else copies."""
    done = subprocess.run(["cp", "-al", "--", source, target], capture_output=True, check=False)
    if done.returncode:
        disk.remove(target)
        done = subprocess.run(["cp", "-a", "--", source, target], capture_output=True, check=False)
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().splitlines()[-1]
        raise MachineError(f"Cannot copy the kernel source to {target}: {reason}.")
