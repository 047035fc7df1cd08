# SPDX-License-Identifier: GPL-2.0-or-later
"""exact.c does what it says: its blocks, as assembled, against its own table."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from granule.userland import GuestPrograms

HERE = Path(__file__).parent
SOURCE = (HERE.parents[1] / "guest" / "workloads" / "exact.c").read_text()
OPEN, CLOSE = "d288ea5f", "d2a8ea5f"
REPEATS = 64


def bodies() -> dict[str, int]:
    """Function name to the number of instructions in its body."""
    found = re.findall(r'^RUN\w*\((run_\w+), "(.*)"\)$', SOURCE, re.MULTILINE)
    return {name: body.count("\\n") + 1 for name, body in found}


def table() -> list[tuple[str, str, int]]:
    """Region, function and instructions for each repetition."""
    rows = re.findall(r'^\t\{ "([\w-]+)", (run_\w+), \w+, (\d+),', SOURCE, re.MULTILINE)
    return [(name, function, int(count)) for name, function, count in rows]


def recorded() -> dict[str, dict[str, int]]:
    """What the program printed on an emulated machine."""
    lines = (HERE / "exact.jsonl").read_text().splitlines()
    return {line["region"]: line["u"] for line in map(json.loads, lines)}


def test_every_row_has_the_instructions_of_its_body() -> None:
    for name, function, count in table():
        assert bodies()[function] == count, name


def test_every_body_is_measured() -> None:
    assert {function for _, function, _ in table()} == set(bodies())


def test_names_are_unique() -> None:
    names = [name for name, _, _ in table()]
    assert len(names) == len(set(names))


def test_the_program_prints_its_table() -> None:
    expected = {name: count * REPEATS + 1 for name, _, count in table()}
    assert {name: events["instructions"] for name, events in recorded().items()} == expected


def test_checked_accesses_are_accesses() -> None:
    for name, events in recorded().items():
        for kind in ("rd", "wr"):
            checked = events.get(f"mem_access_checked_{kind}.ttbr0", 0)
            assert checked <= events.get(f"mem_access_{kind}", 0), name


def test_blocks_are_as_long_as_written(programs: GuestPrograms) -> None:
    objdump = ["aarch64-linux-gnu-objdump", "-d", str(programs.workloads["exact"])]
    listing = subprocess.run(objdump, capture_output=True, text=True, check=True).stdout
    words = re.findall(r"^\s*[0-9a-f]+:\t([0-9a-f]{8}) ", listing, re.MULTILINE)
    lengths = sorted(_block_lengths(words))
    assert lengths == sorted(count * REPEATS + 1 for count in bodies().values())


def _block_lengths(words: list[str]) -> list[int]:
    """Instructions after each open mark up to and with its close mark."""
    opened = [index for index, word in enumerate(words) if word == OPEN]
    return [words.index(CLOSE, index) - index for index in opened]
