# SPDX-License-Identifier: GPL-2.0-or-later
"""The file all measurements are in. A run is in it whole or not at all."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, Select, create_engine, event, inspect, select
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DatabaseError, IntegrityError, OperationalError
from sqlalchemy.orm import Session, selectinload
from sqlalchemy.pool import ConnectionPoolEntry, NullPool

from granule import cache
from granule.errors import FormatError, MachineError, UsageError
from granule.store import rows
from granule.store.records import KernelRecord, RunRecord, TrialRecord
from granule.store.schema import (
    APPLICATION,
    VERSION,
    Base,
    KernelRow,
    RegionRow,
    RunRow,
    TrialRow,
)

_WAIT = 60
"""Seconds to wait for another process that is writing."""

_AT_ONCE = 500
"""Keys in one question; SQLite allows some thousand."""


def default_path() -> Path:
    """The store of this user; it need not exist yet."""
    return cache.root() / "store" / "runs.sqlite"


class Store:
    """Runs, found by the key of their conditions."""

    def __init__(self, path: Path, engine: Engine) -> None:
        self.path = path
        self._engine = engine

    @classmethod
    def open(cls, path: Path, *, create: bool = True) -> "Store":
        """Opens a store, which is made if need be.

        Raises UsageError if there is none and ``create`` is False, FormatError
        for a file that is none or of another version, MachineError if it cannot
        be read or written.
        """
        if not create and not path.exists():
            raise UsageError(f"There is no store {path}: 'granule run --store {path}' makes one.")
        _make_folder(path)
        engine = create_engine(
            f"sqlite:///{path}", poolclass=NullPool, connect_args={"timeout": _WAIT}
        )
        event.listen(engine, "connect", _check_references)
        store = cls(path, engine)
        with store._explained(), engine.begin() as connection:
            _prepare(connection, path)
        return store

    def find(self, keys: Iterable[str]) -> dict[str, RunRecord]:
        """The runs with these keys, as far as they are there."""
        wanted, found = list(dict.fromkeys(keys)), dict[str, RunRecord]()
        with self._explained(), Session(self._engine) as session:
            for start in range(0, len(wanted), _AT_ONCE):
                for row in session.scalars(_query(wanted[start : start + _AT_ONCE])):
                    found[row.key] = rows.to_record(row)
        return found

    def missing(self, keys: Sequence[str]) -> list[str]:
        """The keys no run is there for, in their order, each once."""
        wanted, there = list(dict.fromkeys(keys)), set[str]()
        with self._explained(), Session(self._engine) as session:
            for start in range(0, len(wanted), _AT_ONCE):
                part = wanted[start : start + _AT_ONCE]
                there.update(session.scalars(select(RunRow.key).where(RunRow.key.in_(part))))
        return [key for key in wanted if key not in there]

    def add(self, run: RunRecord) -> None:
        """Keeps a run, in one transaction. One that is there already stays as it is."""
        with self._explained():
            try:
                self._insert(run)
            except IntegrityError:
                if self.missing([run.conditions.key]):
                    raise

    def find_trial(self, key: str) -> TrialRecord | None:
        """The trial with this key, if it is there."""
        with self._explained(), Session(self._engine) as session:
            row = session.get(TrialRow, key)
            return rows.to_trial(row) if row else None

    def keep_trial(self, trial: TrialRecord) -> None:
        """Keeps a trial, in one transaction, in place of an older one with its key."""
        with self._explained(), Session(self._engine) as session, session.begin():
            for kernel in (trial.baseline, trial.candidate):
                _add_kernel(session, kernel)
            session.merge(rows.trial_row(trial))

    def _insert(self, run: RunRecord) -> None:
        with Session(self._engine) as session, session.begin():
            _add_kernel(session, run.kernel)
            session.add(rows.run_row(run))

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turns what SQLite says into one sentence."""
        try:
            yield
        except OperationalError as error:
            raise MachineError(f"Cannot use the store {self.path}: {error.orig}.") from error
        except DatabaseError as error:
            raise FormatError(
                f"The store {self.path} is damaged ({error.orig}): move it away, and "
                "'granule run' measures again what it held."
            ) from error


def _add_kernel(session: Session, kernel: KernelRecord) -> None:
    """Adds a kernel that is not there yet."""
    if session.get(KernelRow, kernel.identity) is None:
        session.add(rows.kernel_row(kernel))
        session.flush()


def _query(keys: Sequence[str]) -> Select[RunRow]:
    regions = selectinload(RunRow.regions)
    return (
        select(RunRow)
        .where(RunRow.key.in_(keys))
        .options(
            selectinload(RunRow.kernel),
            selectinload(RunRow.complaint),
            regions.selectinload(RegionRow.counts),
            regions.selectinload(RegionRow.iterations),
            regions.selectinload(RegionRow.functions),
        )
    )


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MachineError(f"Cannot make {path.parent}: {error.strerror}.") from error


def _prepare(connection: Connection, path: Path) -> None:
    """Makes the tables in a new file; refuses any other that is not a store of this version."""
    application = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
    version = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
    tables = connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one()
    if not application and not tables:
        Base.metadata.create_all(connection)
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION}")
        connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}")
    elif application != APPLICATION:
        raise FormatError(f"{path} is an SQLite file, but no store of Granule's.")
    elif version != VERSION:
        raise FormatError(
            f"The store {path} is of version {version} and this program writes version "
            f"{VERSION}: move it away, and 'granule run' measures again what it held."
        )
    else:
        _add_tables(connection)


def _add_tables(connection: Connection) -> None:
    """Makes the tables that came after the store; nothing is written if none did."""
    there = inspect(connection).get_table_names()
    if missing := [table for table in Base.metadata.sorted_tables if table.name not in there]:
        Base.metadata.create_all(connection, missing)


def _check_references(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    connection.cursor().execute("PRAGMA foreign_keys = ON")
