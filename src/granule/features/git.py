# SPDX-License-Identifier: GPL-2.0-or-later
"""git as it is everywhere: without the user's settings, hooks, or surroundings."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from granule.errors import MachineError, MissingToolError

# Commits made here have the same ids on every machine.
_COMMITTER = {
    "GIT_COMMITTER_NAME": "Granule",
    "GIT_COMMITTER_EMAIL": "granule@localhost",
}
_ISOLATED = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
_SETTINGS = ("-c", f"core.attributesFile={os.devnull}", "-c", "core.abbrev=12", "-c", "gc.auto=0")


def run(
    folder: Path,
    *arguments: str,
    check: bool = True,
    given: bytes | None = None,
    variables: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Runs git in a folder, with ``given`` on its standard input.

    Raises MachineError with what git complains of, unless ``check`` is off.
    """
    try:
        done = subprocess.run(
            command(folder, *arguments),
            env=environment(variables),
            input=given,
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise MissingToolError("git is missing: run 'apt-get install git'.") from None
    if check and done.returncode:
        complaint = done.stderr.decode(errors="replace").strip()
        raise MachineError(f"git {arguments[0]} failed in {folder}: {complaint}")
    return done


def command(folder: Path, *arguments: str) -> list[str]:
    """The command line of git in a folder."""
    return ["git", "-C", str(folder), *_SETTINGS, *arguments]


def ask(folder: Path, *arguments: str) -> str:
    """What git prints, without the last line's end."""
    return run(folder, *arguments).stdout.decode("utf-8", "surrogateescape").rstrip("\n")


def environment(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Without what git sets for hooks, which would point at another repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, **_ISOLATED, **_COMMITTER, **(variables or {})}


def create(folder: Path, *options: str) -> None:
    """Makes a repository without hooks."""
    folder.mkdir(parents=True, exist_ok=True)
    run(folder, "init", "--quiet", "--template=", "--initial-branch=main", *options)


def describe(folder: Path, commits: str) -> list[str]:
    """What each of a range of commits says and does, from the first on, without its id."""
    form = "--format=%x01%an%n%ae%n%ad%n%B"
    every = ("--reverse", "--topo-order", "--date=raw", "--raw", "--no-abbrev", "--no-renames")
    return ask(folder, "log", form, *every, commits).split("\x01")[1:]


AM = (
    "am", "--quiet", "--3way", "--keep-non-patch", "--keep-cr", "--no-scissors",
    "--committer-date-is-author-date", "--whitespace=nowarn",
)  # fmt: skip
"""Applies patches as ``format-patch`` wrote them, word for word."""
