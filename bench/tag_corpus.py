# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tags of the corpus of mte-swap take, with our coder and with EA0 (counted).

    python bench/tag_corpus.py

Per program; by the number of runs, beside the number of bits that sequences with so
many runs need at least; and, modelled, what the published histograms of a device would
have been. Exits with 1 if a program of record gains less than it should.
"""

import lzma
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from granule import published, shipped
from granule.tags import Coder, SizeReport, TagPage, build_coder, read_pages, size_report
from granule.tags.size import PageSize

DESIGN = ("python", "sqlite3", "memcached")
LEAST_RATIO = 1.7
SLAB_BYTES = 4096
EA0_CLASSES = (0, 16, 32, 64, 128)


@dataclass(frozen=True, slots=True)
class Program:
    """The pages of one program under one allocator, through both coders."""

    name: str
    report: SizeReport

    @property
    def role(self) -> str:
        """Whether the coder was designed by it."""
        return "design" if self.name.startswith(DESIGN) else "record"

    @property
    def hard(self) -> int:
        """Pages EA0 does not store inline."""
        return sum(page.ea0_bytes > 0 for page in self.report.pages)

    @property
    def ea0_slab(self) -> float:
        """EA0's bytes with what its slabs cannot use."""
        return sum(with_slab_waste(page.ea0_bytes) for page in self.report.pages)

    @property
    def our_slab(self) -> float:
        """Ours."""
        return sum(with_slab_waste(page.bytes) for page in self.report.pages)

    @property
    def ratio(self) -> float:
        """How many times fewer."""
        return self.ea0_slab / self.our_slab


def main() -> int:
    """Prints the tables."""
    coder = build_coder()
    programs = [program(path, coder) for path in pages_files()]
    console = Console(width=140)
    console.print(program_table(programs))
    console.print(class_table(programs))
    console.print(runs_table(programs))
    console.print(device_table(programs))
    for kib in (16, 64):
        console.print(large_page_table(kib, coder))
    record = [each for each in programs if each.role == "record"]
    return 0 if all(each.ratio >= LEAST_RATIO for each in record) else 1


def pages_files() -> list[Path]:
    """The files of the corpus."""
    folder = shipped.folder() / "features" / "mte-swap" / "corpus" / "pages"
    return sorted(folder.glob("*.txt.xz"))


def program(path: Path, coder: Coder) -> Program:
    """One file."""
    return Program(path.name.removesuffix(".txt.xz"), size_report(read_pages(path), coder))


def with_slab_waste(size: int) -> float:
    """The share of a slab of one page that a buffer takes."""
    return SLAB_BYTES / (SLAB_BYTES // size) if size else 0


def program_table(programs: Sequence[Program]) -> Table:
    """Pages and bytes of each program."""
    headings = ("role", "pages", "no tag but 0", "EA0 not inline", "ours not inline")
    more = ("raw bytes", "EA0", "ours", "times fewer")
    shown = figures_table("Bytes out of line, slab waste included (counted)", (*headings, *more))
    for each in programs:
        report = each.report
        ours = sum(page.bytes > 0 for page in report.pages)
        counts = (len(report.pages), report.zero_pages, each.hard, ours, report.raw_bytes)
        sums = (each.ea0_slab, each.our_slab)
        cells = (f"{figure:,.0f}" for figure in (*counts, *sums))
        shown.add_row(each.name, each.role, *cells, f"{each.ratio:.2f}")
    return shown


def class_table(programs: Sequence[Program]) -> Table:
    """How many pages are in each of our classes."""
    classes = sorted({each.bytes for one in programs for each in one.report.classes})
    names = tuple(str(size) if size else "inline" for size in classes)
    shown = figures_table("Pages by our class (counted)", names)
    for one in programs:
        pages = {each.bytes: each.pages for each in one.report.classes}
        shown.add_row(one.name, *(f"{pages.get(size, 0):,}" for size in classes))
    return shown


def runs_table(programs: Sequence[Program]) -> Table:
    """Bits of our code beside what any code of sequences with so many runs needs."""
    shown = figures_table(
        "Bits of a page's code, means (counted)", ("pages", "bound", "ours", "ours of the bound")
    )
    pages = [page for each in programs for page in each.report.pages if page.form != "zero"]
    for size in EA0_CLASSES:
        found = [page for page in pages if page.ea0_bytes == size]
        bound = mean([bound_bits(page.runs) for page in found])
        bits = mean([page.bits for page in found])
        name = f"EA0 {size} bytes" if size else "EA0 inline"
        shown.add_row(name, f"{len(found):,}", f"{bound:.1f}", f"{bits:.1f}", f"{bits / bound:.0%}")
    return shown


def bound_bits(runs: int) -> float:
    """log2 of the number of pages of 256 tags with exactly so many runs."""
    return 4 + (runs - 1) * math.log2(15) + math.log2(math.comb(255, runs - 1))


def device_table(programs: Sequence[Program]) -> Table:
    """Live bytes of the published device, had it stored each class as our programs do."""
    shown = figures_table(
        "Published device, live bytes out of line: EA0 as published; ours modelled from the"
        " programs of record, least to most",
        ("EA0", "ours least", "ours most", "times fewer"),
    )
    record = [each for each in programs if each.role == "record"]
    for moment, live in live_pages().items():
        ea0 = sum(size * pages for size, pages in live.items())
        least, most = sorted(
            sum(pages * pick(class_means(record, size)) for size, pages in live.items())
            for pick in (min, max)
        )
        ratio = f"{ea0 / most:.2f} to {ea0 / least:.2f}"
        shown.add_row(moment, f"{ea0:,}", f"{least:,.0f}", f"{most:,.0f}", ratio)
    return shown


def large_page_table(kib: int, coder: Coder) -> Table:
    """What larger pages would take: those all of whose 4 KiB are pages of the corpus."""
    headings = ("pages", "inline: EA0", "ours", "raw bytes", "EA0", "ours")
    shown = figures_table(f"Pages of {kib} KiB, joined from neighbours (counted)", headings)
    for path in pages_files():
        report = size_report(list(joined_pages(path, kib // 4)), coder)
        theirs = sum(page.ea0_bytes == 0 for page in report.pages)
        ours = sum(page.bytes == 0 for page in report.pages)
        counts = (len(report.pages), theirs, ours)
        sums = (report.raw_bytes, report.ea0_bytes, report.bytes)
        name = path.name.removesuffix(".txt.xz")
        shown.add_row(name, *(f"{figure:,}" for figure in (*counts, *sums)))
    return shown


def joined_pages(path: Path, count: int) -> Iterator[TagPage]:
    """Aligned groups of so many neighbouring pages, each as one."""
    pages = dict(placed_pages(path))
    for first in pages:
        group = [pages.get(first + at) for at in range(count)]
        digits = [each for each in group if each is not None]
        if first % count == 0 and len(digits) == count:
            yield TagPage(0, "".join(digits))


def placed_pages(path: Path) -> Iterator[tuple[int, str]]:
    """The number of each page of 4 KiB in its address space, with its tags."""
    number = 0
    for line in lzma.decompress(path.read_bytes()).decode().splitlines():
        if line.startswith("# at "):
            number = int(line.removeprefix("# at "), 16) // SLAB_BYTES
        elif line and not line.startswith("#"):
            yield number, line
            number += 1


def live_pages() -> Mapping[str, Mapping[int, int]]:
    """Allocations less deallocations by EA0's class, for each moment; its 8 is inline."""
    table = published.load("mte-swap-classes")
    found: dict[str, dict[int, int]] = {}
    for row in table.rows:
        size = int(table.cell(row, "class_bytes"))
        live = int(table.cell(row, "allocations")) - int(table.cell(row, "deallocations"))
        found.setdefault(table.cell(row, "moment"), {})[0 if size == 8 else size] = live
    return found


def class_means(programs: Sequence[Program], size: int) -> list[float]:
    """Our mean bytes of pages in a class of EA0's, for each program with at least 20."""
    found = (list(in_class(each, size)) for each in programs)
    return [mean([page.bytes for page in pages]) for pages in found if len(pages) >= 20]


def in_class(one: Program, size: int) -> Iterator[PageSize]:
    """The pages EA0 stores in so many bytes."""
    return (page for page in one.report.pages if page.ea0_bytes == size)


def mean(values: Sequence[float]) -> float:
    """Of at least one."""
    return sum(values) / len(values)


def figures_table(title: str, headings: Sequence[str]) -> Table:
    """A table whose first column is a name."""
    shown = Table(title=title)
    shown.add_column("", no_wrap=True)
    for heading in headings:
        shown.add_column(heading, justify="right")
    return shown


if __name__ == "__main__":
    sys.exit(main())
