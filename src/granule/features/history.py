# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel source as one commit, kept in a bare repository to be cloned from.

The commit is the same on every machine.  Nearly a hundred thousand files go into
one pack by `git fast-import`; a clone of it on the same disk is a hard link.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from filelock import FileLock

from granule.errors import MachineError
from granule.features import git
from granule.features.render import Change
from granule.features.trial import Base
from granule.progress import Progress, Step

BRANCH = "base"

# A date of no meaning, which must stay: the commit's id depends on it.
_COMMITTER = "Granule <granule@localhost> 1767225600 +0000"

_REPORTED_EVERY = 500


@dataclass(frozen=True)
class History:
    """A bare repository and the commit in it that is the unpatched source."""

    repository: Path
    commit: str


def history(base: Base, repository: Path, progress: Progress) -> History:
    """The repository of a source, made once."""
    repository.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(repository.with_suffix(".lock")):
        if not repository.exists():
            _make(base, repository, progress)
        return History(repository, git.ask(repository, "rev-parse", f"refs/heads/{BRANCH}"))


def _make(base: Base, repository: Path, progress: Progress) -> None:
    """It gets its name when all is in it, so one that was broken off is not trusted."""
    scratch = repository.with_suffix(".new")
    shutil.rmtree(scratch, ignore_errors=True)
    git.create(scratch, "--bare")
    with progress.step(f"Adding {base.name} to git") as step:
        _import(base, scratch, step)
    scratch.rename(repository)


def _import(base: Base, repository: Path, step: Step) -> None:
    paths = sorted(_files(base.directory))
    command = git.command(
        repository, "-c", "pack.compression=1", "fast-import", "--quiet", "--done", "--depth=0"
    )
    process = subprocess.Popen(
        command, env=git.environment(), stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with process:
        assert process.stdin is not None
        assert process.stderr is not None
        try:
            _feed(process.stdin, base, paths, step)
            process.stdin.close()
        except BrokenPipeError:
            pass  # git ended early; what it said tells why
        said = process.stderr.read().decode(errors="replace")
    if process.returncode:
        raise MachineError(f"git fast-import failed: {(said.splitlines() or ['no reason'])[0]}")


def _files(folder: Path) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        links = (name for name in folders if Path(place, name).is_symlink())
        for name in (*names, *links):
            yield os.path.relpath(Path(place, name), folder)


def _feed(stream: IO[bytes], base: Base, paths: list[str], step: Step) -> None:
    message = f"{base.name}, as it is\n".encode()
    stream.write(f"commit refs/heads/{BRANCH}\ncommitter {_COMMITTER}\n".encode())
    stream.write(b"data %d\n%s" % (len(message), message))
    for number, path in enumerate(paths):
        change = Change.of(base.directory, path)
        stream.write(b"M %o inline %s\n" % (change.mode, _quoted(path)))
        stream.write(b"data %d\n" % len(change.content))
        stream.write(change.content)
        stream.write(b"\n")
        if number % _REPORTED_EVERY == 0:
            step.advance(number, len(paths))
    stream.write(b"done\n")


def _quoted(path: str) -> bytes:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return b'"%s"' % os.fsencode(escaped)
