# SPDX-License-Identifier: GPL-2.0-or-later
from pathlib import Path

import pytest

from granule import published, shipped
from granule.errors import UsageError

NAMES = sorted(path.stem for path in (shipped.folder() / "published" / "data").glob("*.csv"))


@pytest.mark.parametrize("name", NAMES)
def test_every_table_has_a_source_and_full_rows(name: str) -> None:
    table = published.load(name)
    assert table.source
    assert table.rows
    assert {len(row) for row in table.rows} == {len(table.columns)}


def test_a_cell_is_what_was_published_word_for_word() -> None:
    table = published.load("mte-sync-fastpath")
    row = next(r for r in table.rows if table.cell(r, "benchmark") == "syscall/getpid")
    assert table.cell(row, "change_percent") == "15.98"
    assert table.cell(row, "nothing") == ""


def test_shapes_have_the_columns_they_need() -> None:
    needed = {"events": {"event", "before", "after"}, "changes": {"benchmark", "result_class"}}
    for table in map(published.load, NAMES):
        assert needed.get(table.shape, set()) <= set(table.columns)


def test_an_unknown_table_is_named_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="no published results 'futex'; there are: mte-kernel"):
        published.load("futex")


def test_the_folder_has_no_table_nobody_describes() -> None:
    assert [published.load(name).name for name in NAMES] == NAMES
    assert Path(shipped.folder() / "published" / "README.md").exists()
