# SPDX-License-Identifier: GPL-2.0-or-later
"""Results others published: tables of figures with their sources."""

import csv
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter

from granule import shipped
from granule.errors import UsageError

Shape = Literal["events", "changes", "table"]


class _Description(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")

    title: str
    source: str
    label: Literal["counted", "timed"]
    shape: Shape


class Table(_Description):
    """A published table. ``rows`` are the cells word for word, under ``columns``."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def cell(self, row: tuple[str, ...], column: str) -> str:
        """A cell by the name of its column; empty if the table has no such column."""
        return row[self.columns.index(column)] if column in self.columns else ""


def load(name: str) -> Table:
    """The table of that name; raises UsageError naming those there are."""
    known = _descriptions()
    if name not in known:
        raise UsageError(f"There are no published results '{name}'; there are: {', '.join(known)}.")
    with (_folder() / "data" / f"{name}.csv").open(newline="") as file:
        columns, *rows = csv.reader(file)
    return Table(
        **known[name].model_dump(),
        name=name,
        columns=tuple(columns),
        rows=tuple(map(tuple, rows)),
    )


def _folder() -> Path:
    return shipped.folder() / "published"


@cache
def _descriptions() -> Mapping[str, _Description]:
    text = (_folder() / "tables.toml").read_text()
    return TypeAdapter(dict[str, _Description]).validate_python(tomllib.loads(text))
