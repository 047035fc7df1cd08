# SPDX-License-Identifier: GPL-2.0-or-later
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from granule.errors import FormatError, MachineError, UsageError
from granule.events import ByLevel
from granule.store import RunRecord, Store, TrialRecord

Remember = Callable[..., RunRecord]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "runs.sqlite"


@pytest.fixture
def store(path: Path) -> Store:
    return Store.open(path)


def test_a_run_comes_back_as_it_went_in(store: Store, remember: Remember) -> None:
    run = remember(
        {"instructions": (5, 1 << 40), "isb": (0, -3)},
        iterations={ByLevel(u=5, k=90): 999, ByLevel(u=5, k=4711): 1},
        functions={"el0_svc": {"isb": 2, "instructions": 40}, "do_idle": {"isb": -5}},
        stdout="Averaged 12 operations/sec\n",
    )
    run = replace(run, reports=("WARNING: at mm/mmap.c:5", "BUG: late"), log="runs/1/dmesg.log")
    store.add(run)
    assert store.find([run.conditions.key]) == {run.conditions.key: run}


def test_a_run_is_found_after_the_store_was_closed(path: Path, remember: Remember) -> None:
    run = remember({"isb": (0, 1)})
    Store.open(path).add(run)
    assert list(Store.open(path, create=False).find([run.conditions.key])) == [run.conditions.key]


@pytest.mark.parametrize(
    "change",
    [
        {"kernel": "other"},
        {"userland": "other"},
        {"request": "other"},
        {"plugin": "other"},
        {"emulator": "other"},
        {"cpus": 2},
        {"memory": 512},
        {"kernel_arguments": "kasan.mode=async"},
        {"profile": True},
        {"seed": 2},
    ],
)
def test_whatever_decides_the_counts_makes_another_run(
    store: Store, remember: Remember, change: dict[str, Any]
) -> None:
    run = remember({"isb": (0, 1)})
    store.add(run)
    other = replace(run.conditions, **change)
    assert store.missing([run.conditions.key, other.key, other.key]) == [other.key]
    assert store.find([other.key]) == {}


def test_two_runs_share_their_kernel(store: Store, path: Path, remember: Remember) -> None:
    for seed in (1, 2):
        store.add(remember({"isb": (0, 1)}, seed=seed))
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT count(*) FROM kernels").fetchone() == (1,)


def test_a_run_that_is_there_already_stays(store: Store, remember: Remember) -> None:
    first = remember({"isb": (0, 1)})
    store.add(first)
    store.add(remember({"isb": (0, 2)}))
    assert store.find([first.conditions.key])[first.conditions.key] == first


def test_more_keys_than_one_question_holds(store: Store, remember: Remember) -> None:
    run = remember({"isb": (0, 1)})
    store.add(run)
    keys = [f"nothing {n}" for n in range(40_000)] + [run.conditions.key]
    assert len(store.missing(keys)) == 40_000
    assert len(store.find(keys)) == 1


def test_a_full_disk_leaves_no_half_run(store: Store, remember: Remember) -> None:
    def allow_no_more_pages(connection: sqlite3.Connection, _entry: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 1}")

    run = remember({f"event.{n}": (n, n) for n in range(5000)})
    event.listen(store._engine, "connect", allow_no_more_pages)
    with pytest.raises(MachineError, match=r"runs\.sqlite: database or disk is full"):
        store.add(run)
    event.remove(store._engine, "connect", allow_no_more_pages)
    assert store.missing([run.conditions.key]) == [run.conditions.key]
    store.add(run)
    assert store.find([run.conditions.key])[run.conditions.key] == run


def test_a_store_of_another_version_is_refused(path: Path, store: Store) -> None:  # noqa: ARG001
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA user_version = 0")
    with pytest.raises(FormatError, match=r"of version 0 .* 'granule run' measures again"):
        Store.open(path)


def test_another_program_s_database_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE bookmarks (title TEXT)")
    with pytest.raises(FormatError, match="no store of Granule's"):
        Store.open(path)


def test_a_file_that_is_no_database(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database at all, but long enough to be read as one" * 100)
    with pytest.raises(FormatError, match="is damaged"):
        Store.open(path)


def test_a_store_cut_short(path: Path, store: Store, remember: Remember) -> None:
    run = remember({f"event.{n}": (n, n) for n in range(500)})
    store.add(run)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    with pytest.raises(FormatError, match="is damaged"):
        Store.open(path).find([run.conditions.key])


def test_a_store_to_read_must_be_there(path: Path) -> None:
    with pytest.raises(UsageError, match=r"There is no store .* makes one"):
        Store.open(path, create=False)
    assert not path.exists()


def test_a_store_where_no_file_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MachineError, match="Cannot make"):
        Store.open(tmp_path / "file" / "runs.sqlite")
    with pytest.raises(MachineError, match="unable to open database file"):
        Store.open(tmp_path)


def _trial(remember: Remember, **change: Any) -> TrialRecord:
    trial = TrialRecord(
        trial="4" * 64,
        name="debug",
        baseline=remember({}).kernel,
        candidate=remember({}, kernel="linux-6.12+tags").kernel,
        failures=("test a: fail", "WARNING: inconsistent lock state"),
        log="console.log",
        time=datetime(2026, 3, 1, 12, tzinfo=UTC),
        wall=93.5,
        host="x86_64, 2 CPUs",
    )
    return replace(trial, **change)


def test_a_trial_comes_back_as_it_went_in(store: Store, remember: Remember) -> None:
    trial = _trial(remember)
    store.keep_trial(trial)
    assert store.find_trial(trial.key) == trial
    assert store.find_trial(_trial(remember, trial="other").key) is None


def test_a_trial_held_again_takes_the_place_of_the_old_one(
    store: Store, remember: Remember
) -> None:
    store.keep_trial(_trial(remember))
    passed = _trial(remember, failures=())
    store.keep_trial(passed)
    assert store.find_trial(passed.key) == passed


def test_a_trial_may_compare_a_kernel_with_itself(store: Store, remember: Remember) -> None:
    same = _trial(remember, candidate=remember({}).kernel)
    store.keep_trial(same)
    assert store.find_trial(same.key) == same


def test_a_store_from_before_there_were_trials_or_complaints_keeps_its_runs(
    path: Path, remember: Remember
) -> None:
    run = remember({"isb": (0, 1)})
    Store.open(path).add(run)
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE trials")
        connection.execute("DROP TABLE complaints")
    connection.close()
    store = Store.open(path)
    store.keep_trial(_trial(remember))
    assert store.find([run.conditions.key]) == {run.conditions.key: run}
