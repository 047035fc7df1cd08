# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of tags: what is read, and what a mistake is answered with."""

import lzma
from pathlib import Path

import pytest

from granule.errors import UsageError
from granule.tags import TagPage, parse_pages, read_pages
from granule.tags.ea0 import stored_bytes

ZERO = "0" * 256


def test_a_page_is_a_line_of_digits_the_first_granule_first() -> None:
    lines = ["# a comment", "", "1F" + "0" * 254 + "  # the rest of a line"]
    (page,) = parse_pages(lines, "pages.txt")
    assert page.line == 3
    assert page.kib == 4
    assert page.packed == b"\xf1" + bytes(127)
    assert page.runs == 3


@pytest.mark.parametrize(("digits", "kib"), [(256, 4), (1024, 16), (4096, 64)])
def test_the_number_of_digits_says_how_large_the_page_is(digits: int, kib: int) -> None:
    (page,) = parse_pages(["a" * digits], "pages.txt")
    assert page.kib == kib


def test_a_wrong_digit_is_named_with_its_line_and_column() -> None:
    with pytest.raises(UsageError, match=r"pages.txt, line 2: 'g' at column 3 is no hexa"):
        list(parse_pages([ZERO, "00g" + "0" * 253], "pages.txt"))


def test_a_wrong_number_of_digits_is_told_with_those_that_are_right() -> None:
    with pytest.raises(UsageError, match=r"line 1: 255 digits .* 256 \(4 KiB\)"):
        list(parse_pages([ZERO[1:]], "pages.txt"))


def test_a_file_may_be_compressed(tmp_path: Path) -> None:
    path = tmp_path / "pages.txt.xz"
    path.write_bytes(lzma.compress(f"{ZERO}\n".encode()))
    assert read_pages(path) == (TagPage(1, ZERO),)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("pages.txt.xz", b"0000", "is no file of tags"),
        ("pages.txt", b"\xff\xfe", "is no file of tags"),
    ],
)
def test_what_is_no_text_is_refused(
    tmp_path: Path, name: str, content: bytes, complaint: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=complaint):
        read_pages(tmp_path / name)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"Cannot read .*pages.txt: No such file"):
        read_pages(tmp_path / "pages.txt")


@pytest.mark.parametrize(
    ("digits", "runs", "size"),
    [
        (256, 1, 0),
        (256, 6, 0),
        (256, 7, 16),
        (256, 11, 16),
        (256, 12, 32),
        (256, 23, 32),
        (256, 24, 64),
        (256, 46, 64),
        (256, 47, 128),
        (1024, 5, 0),
        (1024, 6, 512),
        (4096, 4, 0),
        (4096, 5, 2048),
    ],
)
def test_ea0_goes_by_the_number_of_runs(digits: int, runs: int, size: int) -> None:
    page = TagPage(1, ("12" * digits)[: runs - 1] + "3" * (digits - runs + 1))
    assert page.runs == runs
    assert stored_bytes(page) == size
