# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of the store.

Raise :data:`VERSION` whenever a table or the meaning of a column changes: a store
of another version is refused, and what it held can be measured again. A new table
alone changes nothing for the others; a store that lacks it gets it when it is opened.
"""

from datetime import datetime

from sqlalchemy import JSON, ForeignKey, Index
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship
from sqlalchemy.types import String

VERSION = 1
APPLICATION = 0x4752414E
"""Tells a store from any other SQLite file ("GRAN")."""


class Base(DeclarativeBase):
    """What all tables have in common."""

    type_annotation_map = {tuple[str, ...]: JSON, dict[str, str]: JSON, dict[str, int]: JSON}  # noqa: RUF012 SQLAlchemy's name and form


class KernelRow(Base):
    """See :class:`granule.store.records.KernelRecord`."""

    __tablename__ = "kernels"

    identity: Mapped[str] = mapped_column(primary_key=True)
    spec: Mapped[str]
    release: Mapped[str]
    source: Mapped[str]
    source_version: Mapped[str]
    source_digest: Mapped[str]
    fragments: Mapped[tuple[str, ...]]
    compiler: Mapped[str]


class RunRow(Base):
    """See :class:`granule.store.records.RunRecord`; ``key`` digests its conditions."""

    __tablename__ = "runs"

    key: Mapped[str] = mapped_column(primary_key=True)
    kernel_identity: Mapped[str] = mapped_column(ForeignKey("kernels.identity"))
    userland: Mapped[str]
    request: Mapped[str]
    plugin: Mapped[str]
    plugin_version: Mapped[str]
    emulator: Mapped[str]
    cpus: Mapped[int]
    memory: Mapped[int]
    kernel_arguments: Mapped[str]
    profile: Mapped[bool]
    seed: Mapped[int]
    command: Mapped[tuple[str, ...]]
    environment: Mapped[dict[str, str]]
    time: Mapped[datetime]
    wall_seconds_timed: Mapped[float]
    host: Mapped[str]
    stdout: Mapped[str]
    diagnostics: Mapped[dict[str, int]]

    kernel: Mapped[KernelRow] = relationship()
    regions: Mapped[list["RegionRow"]] = relationship(order_by="RegionRow.id")
    complaint: Mapped["ComplaintRow | None"] = relationship()


class ComplaintRow(Base):
    """What the kernel complained of in a run: the first line of each report, and the log."""

    __tablename__ = "complaints"

    run_key: Mapped[str] = mapped_column(ForeignKey("runs.key"), primary_key=True)
    reports: Mapped[tuple[str, ...]]
    log: Mapped[str]


class RegionRow(Base):
    """A region of a run."""

    __tablename__ = "regions"
    __table_args__ = (Index("regions_of_run", "run_key", "name", unique=True),)

    id: Mapped[int] = mapped_column(primary_key=True)
    run_key: Mapped[str] = mapped_column(ForeignKey("runs.key"))
    name: Mapped[str]
    opened: Mapped[int]
    closed: Mapped[int]

    counts: Mapped[list["CountRow"]] = relationship()
    iterations: Mapped[list["IterationRow"]] = relationship()
    functions: Mapped[list["FunctionRow"]] = relationship()


class CountRow(Base):
    """A leaf event of a region at EL0 and EL1: raw, never clamped."""

    __tablename__ = "counts"

    region_id: Mapped[int] = mapped_column(ForeignKey("regions.id"), primary_key=True)
    event: Mapped[str] = mapped_column(String, primary_key=True)
    u: Mapped[int]
    k: Mapped[int]


class IterationRow(Base):
    """How many ``times`` an iteration took so many instructions at EL0 and EL1."""

    __tablename__ = "iterations"

    region_id: Mapped[int] = mapped_column(ForeignKey("regions.id"), primary_key=True)
    u: Mapped[int] = mapped_column(primary_key=True)
    k: Mapped[int] = mapped_column(primary_key=True)
    times: Mapped[int]


class FunctionRow(Base):
    """An event of a kernel function, from the profile of a run."""

    __tablename__ = "functions"

    region_id: Mapped[int] = mapped_column(ForeignKey("regions.id"), primary_key=True)
    function: Mapped[str] = mapped_column(primary_key=True)
    event: Mapped[str] = mapped_column(primary_key=True)
    count: Mapped[int]


class TrialRow(Base):
    """See :class:`granule.store.records.TrialRecord`."""

    __tablename__ = "trials"

    key: Mapped[str] = mapped_column(primary_key=True)
    trial: Mapped[str]
    name: Mapped[str]
    baseline_identity: Mapped[str] = mapped_column(ForeignKey("kernels.identity"))
    candidate_identity: Mapped[str] = mapped_column(ForeignKey("kernels.identity"))
    failures: Mapped[tuple[str, ...]]
    log: Mapped[str]
    time: Mapped[datetime]
    wall_seconds_timed: Mapped[float]
    host: Mapped[str]

    baseline: Mapped[KernelRow] = relationship(foreign_keys=[baseline_identity])
    candidate: Mapped[KernelRow] = relationship(foreign_keys=[candidate_identity])
