# SPDX-License-Identifier: GPL-2.0-or-later
"""``torture.json`` of a feature: which trials its patches stood.

It is committed beside the patches, so that a fresh clone, whose store is empty, can
tell whether they were tried as they are. The store has the rest.
"""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from granule.errors import FormatError
from granule.kernel import disk

NAME = "torture.json"


class _Model(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")


class Side(_Model):
    """A kernel that was tried; ``identity`` is of its content, see the store."""

    spec: str
    release: str
    identity: str


class Record(_Model):
    """One trial. ``patches`` is the feature's identity and ``trial`` that of what was done.

    ``features`` has the identity of every feature the candidate had, this one too.
    ``failures`` is empty if the trial was passed.
    """

    patches: str
    trial: str
    verdict: Literal["pass", "fail"]
    failures: tuple[str, ...]
    date: datetime.date
    baseline: Side
    candidate: Side
    features: dict[str, str]


class _Document(_Model):
    format: Literal["granule-torture"] = "granule-torture"
    version: Literal[1] = 1
    trials: dict[str, Record]


def read(feature: Path) -> dict[str, Record]:
    """The records in a feature's folder by trial, none if there is no file.

    Raises FormatError for a file that is something else.
    """
    path = feature / NAME
    try:
        return _Document.model_validate_json(path.read_bytes()).trials
    except FileNotFoundError:
        return {}
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise FormatError(
            f"{path}: {where}: {first['msg']}; remove the file and run 'granule torture'."
        ) from error


def write(feature: Path, trial: str, record: Record) -> None:
    """Puts one record into the file of a feature, in place of an older one."""
    records = {**read(feature), trial: record}
    document = _Document(trials=dict(sorted(records.items())))
    disk.write_durably(feature / NAME, (document.model_dump_json(indent=1) + "\n").encode())
