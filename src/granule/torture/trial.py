# SPDX-License-Identifier: GPL-2.0-or-later
"""The trials there are: ``torture/trials.toml``.

::

    [[trial]]
    name = "debug"
    statement = "With lockdep the kernel's tests say what they said."
    fragments = ["debug"]
    append = "kmemleak=on"        # to the kernel's command line
    kernel_tests = true

What a trial does is exactly one of ``kernel_tests``, ``command`` and
``identical_code``.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic import model_validator as validator

from granule import shipped
from granule.errors import FormatError, UsageError
from granule.targets.job import ExceptionLevel

_KINDS = ("kernel_tests", "command", "identical_code")

Word = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class Trial(BaseModel):
    """One trial. ``memory`` is in MiB, ``timeout`` in seconds, for each boot.

    ``files`` are copied beside the ``command``, named from the folder of the trials, and so
    are ``programs``, those of guest/workloads by their names.
    ``runs`` is for tests that chance decides: what most of the runs say counts.
    ``exception_level`` is the one the kernel is entered at. ``says`` are words that the
    candidate's log must have: that what is tried was really there.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")

    name: Word
    statement: Text
    fragments: tuple[Word, ...] = ()
    append: str = ""
    cpus: Annotated[int, Field(ge=1)] = 1
    memory: Annotated[int, Field(ge=256)] = 2048
    timeout: Annotated[float, Field(gt=0)] = 1800
    runs: Annotated[int, Field(ge=1)] = 1
    exception_level: ExceptionLevel = 1
    says: tuple[Text, ...] = ()
    kernel_tests: bool = False
    command: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    programs: tuple[Word, ...] = ()
    identical_code: bool = False
    folder: Annotated[Path, Field(exclude=True)] = Path()

    @validator(mode="after")
    def _does_one_thing(self) -> Self:
        stated = [kind for kind in _KINDS if getattr(self, kind)]
        if len(stated) != 1:
            found = " and ".join(stated) or "none"
            raise ValueError(f"a trial does exactly one of {', '.join(_KINDS)}, not {found}")
        for beside in ("files", "programs"):
            if getattr(self, beside) and not self.command:
                raise ValueError(f"'{beside}' belong to 'command'")
        if self.says and self.identical_code:
            raise ValueError("'identical_code' boots nothing that 'says' something")
        return self

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files to copy."""
        return tuple(self.folder / name for name in self.files)

    @property
    def sources(self) -> tuple[Path, ...]:
        """What the programs are compiled from: a file each, and the headers they share."""
        folder = shipped.folder() / "guest" / "workloads"
        headers = sorted(folder.glob("*.h")) if self.programs else ()
        return (*(folder / f"{name}.c" for name in self.programs), *headers)

    @property
    def digest(self) -> str:
        """The sha256 of what is done; it stays when only words about it change."""
        done = self.model_dump(mode="json", exclude={"name", "statement"}, exclude_defaults=True)
        paths = (*self.paths, *self.sources)
        files = [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]
        return hashlib.sha256(json.dumps([done, files], sort_keys=True).encode()).hexdigest()

    def spec(self, kernel: str) -> str:
        """The SPEC of a kernel as this trial has it configured."""
        return f"{kernel}:{','.join(self.fragments)}" if self.fragments else kernel


def folder() -> Path:
    """Where the trials that come with Granule lie."""
    return shipped.folder() / "torture"


def load(path: Path | None = None) -> dict[str, Trial]:
    """The trials by name, in the order of the file; raises FormatError."""
    path = path or folder() / "trials.toml"
    try:
        tables = tomllib.loads(path.read_text()).get("trial", [])
        trials = [Trial.model_validate({**table, "folder": path.parent}) for table in tables]
    except OSError as error:
        raise FormatError(f"Cannot read the trials {path}: {error.strerror}.") from error
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{path} is no TOML: {error}.") from error
    except ValidationError as error:
        raise FormatError(f"{path}: {_complaint(error)}.") from error
    _check(path, trials)
    return {trial.name: trial for trial in trials}


def pick(trials: Mapping[str, Trial], names: Sequence[str], feature: str) -> tuple[Trial, ...]:
    """The trials a feature names; raises UsageError for one that does not exist."""
    for name in names:
        if name not in trials:
            raise UsageError(
                f"Feature '{feature}' names a trial '{name}' there is not; the trials are: "
                f"{', '.join(trials)}."
            )
    return tuple(trials[name] for name in names)


def _check(path: Path, trials: Sequence[Trial]) -> None:
    names = [trial.name for trial in trials]
    for trial in trials:
        if names.count(trial.name) > 1:
            raise FormatError(f"{path} has two trials '{trial.name}'.")
        for file in (*trial.paths, *trial.sources):
            if not file.is_file():
                raise FormatError(f"{path}, trial '{trial.name}': there is no file {file}.")


def _complaint(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    return f"trial '{_name(first['input'])}': {where + ': ' if where else ''}{message}"


def _name(table: object) -> str:
    return str(table.get("name", "?")) if isinstance(table, dict) else str(table)
