# SPDX-License-Identifier: GPL-2.0-or-later
from pathlib import Path

import pytest

from granule.features import Library
from granule.torture.identity import identity


def _today(library: Library, name: str) -> str:
    return identity(library.load(name), library)


def _patch(library: Library, name: str) -> Path:
    return next((library.folder / name / "patches").iterdir())


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_other_words_about_a_patch_change_nothing(library: Library) -> None:
    before = _today(library, "threads")
    patch = _patch(library, "threads")
    _replace(patch, "Subject: [PATCH] ", "Subject: [PATCH] Really, ")
    _replace(patch, "\nindex ", "\nindex 0")
    assert _today(library, "threads") == before


def test_another_line_changes_it(library: Library) -> None:
    before = _today(library, "threads")
    patch = _patch(library, "threads")
    added = next(
        line
        for line in patch.read_text().splitlines()
        if line.startswith("+") and not line.startswith("+++")
    )
    _replace(patch, f"\n{added}\n", f"\n{added} /* two */\n")
    assert _today(library, "threads") != before


@pytest.mark.parametrize("name", ["tags", "more-tags"])
def test_a_new_file_changes_it_for_those_on_top_too(library: Library, name: str) -> None:
    before = _today(library, name)
    file = next(path for path in (library.folder / "tags" / "src").rglob("*") if path.is_file())
    file.write_text(file.read_text() + "\n")
    assert _today(library, name) != before
    assert _today(library, "threads") == _today(Library(library.folder), "threads")
