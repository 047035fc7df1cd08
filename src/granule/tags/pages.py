# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of tags: a page a line, a hexadecimal digit for each granule of 16 bytes.

Empty lines and what follows a ``#`` are left out. A page of 4 KiB has 256 digits, one
of 16 KiB 1,024 and one of 64 KiB 4,096.
"""

import lzma
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from granule.errors import UsageError

PAGE_KIB = {256: 4, 1024: 16, 4096: 64}
"""The digits of a line with the size of the page they are the tags of."""

_DIGITS = re.compile(r"[0-9a-f]*")


@dataclass(frozen=True, slots=True)
class TagPage:
    """The tags of one page, and the line they were on, from 1.

    ``digits`` are in lower case, the first granule first.
    """

    line: int
    digits: str

    @property
    def packed(self) -> bytes:
        """As the kernel hands them over: two tags a byte, the first in the lower half."""
        return bytes.fromhex(self.digits[::-1])[::-1]

    @property
    def runs(self) -> int:
        """Stretches of equal tags."""
        return sum(1 for _ in groupby(self.digits))

    @property
    def kib(self) -> int:
        """The size of the page in KiB."""
        return PAGE_KIB[len(self.digits)]


def read_pages(path: Path) -> tuple[TagPage, ...]:
    """The pages of a file, which may be compressed with xz.

    Raises UsageError naming the line that is wrong.
    """
    try:
        content = path.read_bytes()
        text = (lzma.decompress(content) if path.suffix == ".xz" else content).decode("ascii")
    except OSError as error:
        raise UsageError(f"Cannot read {path}: {error.strerror}.") from error
    except (lzma.LZMAError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is no file of tags: {error}.") from error
    return tuple(parse_pages(text.splitlines(), str(path)))


def parse_pages(lines: Iterable[str], name: str) -> Iterator[TagPage]:
    """The pages of a text; ``name`` says in errors where it is from."""
    for number, line in enumerate(lines, start=1):
        digits = line.partition("#")[0].strip().lower()
        if digits:
            _check(digits, f"{name}, line {number}")
            yield TagPage(number, digits)


def _check(digits: str, where: str) -> None:
    good = _DIGITS.match(digits)
    end = good.end() if good else 0
    if end < len(digits):
        raise UsageError(
            f"{where}: '{digits[end]}' at column {end + 1} is no hexadecimal digit; "
            "write one for each granule."
        )
    if len(digits) not in PAGE_KIB:
        raise UsageError(
            f"{where}: {len(digits)} digits are the tags of no page; "
            "write 256 (4 KiB), 1024 (16 KiB) or 4096 (64 KiB)."
        )
