# SPDX-License-Identifier: GPL-2.0-or-later
"""The document the counting plugin writes, version 1.

Numbers are raw integers and are never clamped. A place may hold a negative
number only if the plugin is wrong, and is then shown as such.
"""

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from granule.errors import FormatError

COMMAND = "command"
"""The region from the command's execve to its end."""

MACHINE = "machine"
"""The region from reset to power-off."""


class _Model(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="forbid", frozen=True)


class ByLevel(_Model):
    """Counts of one event at EL0 (``u``) and at EL1 (``k``)."""

    u: int = 0
    k: int = 0

    @property
    def total(self) -> int:
        """Both levels together."""
        return self.u + self.k

    def __add__(self, other: Self) -> "ByLevel":
        return ByLevel(u=self.u + other.u, k=self.k + other.k)


class Place(_Model):
    """Events of a short run of instructions that starts at ``pc``."""

    el: Literal["u", "k"]
    pc: int = Field(ge=0, lt=1 << 64)
    events: Mapping[str, int]


class Stack(_Model):
    """How often a chain of code addresses, innermost first, was seen.

    ``event`` is what was being done there, where the plugin says so.
    """

    event: str | None = None
    count: int
    frames: tuple[int, ...]


class Region(_Model):
    """What happened while a named region of interest was open."""

    name: str
    opened: int = Field(ge=0)
    closed: int = Field(ge=0)
    events: Mapping[str, ByLevel]
    places: tuple[Place, ...] = ()
    iterations: tuple[ByLevel, ...] = ()
    stacks: tuple[Stack, ...] = ()


class Counts(_Model):
    """One run as the plugin saw it."""

    format: Literal["granule-counts"]
    version: Literal[1]
    plugin: str
    qemu_api: int
    vcpus: int = Field(ge=1)
    regions: tuple[Region, ...]
    diagnostics: Mapping[str, int]

    @classmethod
    def parse(cls, text: bytes | str) -> "Counts":
        """Reads the plugin's JSON; raises FormatError for anything but version 1 of it."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            raise FormatError(_explain(error)) from error

    def region(self, name: str) -> Region:
        """The region of that name; raises FormatError naming those there are."""
        for region in self.regions:
            if region.name == name:
                return region
        names = ", ".join(region.name for region in self.regions) or "none"
        raise FormatError(f"The run has no region '{name}'; its regions are: {names}.")

    def measured(self) -> tuple[Region, ...]:
        """The regions the program marked itself, else the whole command."""
        marked = [r for r in self.regions if r.name not in (COMMAND, MACHINE) and r.opened]
        return tuple(marked) if marked else (self.region(COMMAND),)


def _explain(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"]) or "the document"
    if where in ("format", "version"):
        return (
            f"The counts are of another {where} ({first.get('input')!r}); the counting plugin and "
            "this program do not belong together, build the plugin again: make setup."
        )
    return f"The counts cannot be read: {where}: {first['msg']}."
