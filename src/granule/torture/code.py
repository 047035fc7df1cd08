# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether two kernels have the same instructions, section by section."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

from granule.errors import FormatError


def differences(baseline: Path, candidate: Path) -> list[str]:
    """A sentence for each section with instructions that is not the same in two vmlinux."""
    one, two = _digests(baseline), _digests(candidate)
    return [
        f"{name} {_difference(one.get(name), two.get(name))}"
        for name in sorted(one.keys() | two.keys())
        if one.get(name) != two.get(name)
    ]


def _difference(one: tuple[int, str] | None, two: tuple[int, str] | None) -> str:
    if one is None or two is None:
        return "is in one of the two only"
    if one[0] != two[0]:
        return f"has {one[0]:,} bytes and {two[0]:,}"
    return f"differs, in {one[0]:,} bytes"


def _digests(vmlinux: Path) -> dict[str, tuple[int, str]]:
    """Size and sha256 of each section; raises FormatError if none has instructions."""
    with vmlinux.open("rb") as file:
        try:
            found = dict(_sections(ELFFile(file)))
        except ELFError as error:
            raise FormatError(f"{vmlinux} is no vmlinux: {error}.") from error
    if ".text" not in found:
        raise FormatError(f"{vmlinux} has no .text.")
    return found


def _sections(elf: ELFFile) -> Iterator[tuple[str, tuple[int, str]]]:
    for section in elf.iter_sections():
        if section["sh_flags"] & SH_FLAGS.SHF_EXECINSTR:
            content = section.data()
            yield section.name, (len(content), hashlib.sha256(content).hexdigest())
