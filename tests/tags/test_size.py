# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule tags size``, as its users see it."""

import json
from pathlib import Path

import pytest

from granule.cli.program import run

GLIBC = "30705555550c09999990e0dddddddddddddddd0"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A page of zeroes, one of a small heap with free memory behind, one of no structure."""
    random = "".join(f"{(i * i * 7 + i // 3) % 16:x}" for i in range(256))
    path = tmp_path / "pages.txt"
    path.write_text(f"# three pages\n{'0' * 256}\n{GLIBC:0<256}\n{random}\n")
    return path


def test_each_page_has_its_class_and_the_totals_are_below(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tags", "size", str(file)]) == 0
    out = capsys.readouterr().out
    assert "2       4     1    zero     0  inline       inline" in out
    assert "3       4    14  chunks    58  inline           32" in out
    assert "3 pages, 1 with no tag but 0." in out
    assert "384 as they are, 160 with EA0, 128 with ours" in out


def test_totals_alone_have_no_row_for_a_page(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tags", "size", "--totals", str(file)]) == 0
    out = capsys.readouterr().out
    assert "chunks" not in out
    assert out.startswith("class ")


def test_json_has_every_page_and_the_sums(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tags", "size", "--json", str(file)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["format"] == "granule-tags-size"
    assert [page["line"] for page in document["pages"]] == [2, 3, 4]
    assert [page["form"] for page in document["pages"]] == ["zero", "chunks", "raw"]
    assert document["bytes"] == sum(page["bytes"] for page in document["pages"])
    assert document["classes"] == [
        {"bytes": 0, "pages": 2, "ea0_pages": 1},
        {"bytes": 32, "pages": 0, "ea0_pages": 1},
        {"bytes": 128, "pages": 1, "ea0_pages": 1},
    ]


def test_an_empty_file_has_no_pages_and_no_ratio(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").touch()
    assert run(["tags", "size", str(tmp_path / "empty")]) == 0
    assert "0 pages" in capsys.readouterr().out


def test_a_wrong_line_ends_with_2_and_says_which(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pages").write_text("\n12x\n")
    assert run(["tags", "size", str(tmp_path / "pages")]) == 2
    assert "line 2: 'x' at column 3" in capsys.readouterr().err
