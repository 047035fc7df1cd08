# SPDX-License-Identifier: GPL-2.0-or-later
"""What storing the tags of a page takes, timed on this host, beside general compressors.

    python bench/tags.py

Over the pages of the corpus of mte-swap and over pages made at random; all coders in
one run of bench/tags.c. LZ4 of a page's data is what swapping a page to zram costs at
least, so our times are judged by its medians. Exits with 1 if a limit is exceeded.
"""

import lzma
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from granule import cache, shipped
from granule.kernel import catalog, source
from granule.progress import SilentProgress
from granule.tags import TagPage, library, read_pages

DATA_SET = "data (4 KiB)"
DATA_AND_TAGS_SET = "the same and its tags"
THEIR_TAGS_SET = "its tags alone"
WITH_DATA = ("lz4", "lzo", "lzo-rle", "zstd -1")
LIBRARIES = ("-llz4", "-llzo2", "-lzstd")
INLINE_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Line:
    """What one coder did with one set of pages. Times are in ns."""

    set: str
    coder: str
    pages: int
    bytes: int
    compress: float
    most_compress: float
    decompress: float
    most_decompress: float


@dataclass(frozen=True, slots=True)
class Limit:
    """A promise about a time, in ns."""

    promise: str
    most: float
    found: float

    @property
    def holds(self) -> bool:
        """Whether it is kept."""
        return self.found <= self.most


def main() -> int:
    """Builds, runs, prints."""
    with tempfile.TemporaryDirectory(prefix="granule-bench-") as scratch:
        program, sets = Path(scratch) / "tags", Path(scratch) / "sets"
        build(program, Path(scratch))
        with sets.open("wb") as file:
            file.writelines(corpus())
        done = subprocess.run([str(program), str(sets)], capture_output=True, text=True, check=True)
    lines = [parse(line) for line in done.stdout.splitlines()]
    found = list(limits(lines))
    console = Console(width=120)
    console.print(table(lines))
    console.print(with_data_table(lines))
    console.print(limit_table(found))
    return 0 if all(limit.holds for limit in found) else 1


def build(program: Path, scratch: Path) -> None:
    """Compiles bench/tags.c with the kernel's tag coder and the kernel's LZO."""
    here = Path(__file__).parent
    host = shipped.folder() / "features" / "mte-swap" / "tests" / "host"
    include = [f"-I{folder}" for folder in (host, here, *kernel_lzo(scratch))]
    sources = map(str, (here / "tags.c", here / "lzo_rle.c", *library.sources()))
    library.compile_program([*include, *sources, *LIBRARIES], program)


def kernel_lzo(scratch: Path) -> tuple[Path, Path]:
    """The folder of the kernel's LZO, and one with what it includes; bench/lzo_rle.c has the rest.

    It needs Linux's source, which is fetched if it is not in the cache.
    """
    linux = catalog.shipped().sources.linux["6.12"]
    tree = source.packaged(linux, cache.root(), SilentProgress()).directory
    headers = scratch / "include" / "linux"
    headers.mkdir(parents=True)
    for name in ("module.h", "kernel.h", "unaligned.h"):
        (headers / name).touch()
    shutil.copy(tree / "include" / "linux" / "lzo.h", headers)
    return tree / "lib" / "lzo", headers.parent


def corpus() -> Iterator[bytes]:
    """The sets of tags, then that of data, as bench/tags.c reads them."""
    folder = shipped.folder() / "features" / "mte-swap" / "corpus"
    for path in sorted((folder / "pages").glob("*.txt.xz")):
        name = path.name.removesuffix(".txt.xz")
        yield packed_set(name, 128, (page.packed for page in read_pages(path)))
    sample = list(data_pages(folder))
    yield packed_set(DATA_SET, 4096, (data for _, data in sample))
    yield packed_set(DATA_AND_TAGS_SET, 4096 + 128, (data + tags for tags, data in sample))
    yield packed_set(THEIR_TAGS_SET, 128, (tags for tags, _ in sample))


def data_pages(folder: Path) -> Iterator[tuple[bytes, bytes]]:
    """The sample of pages that came with their data: tags, data."""
    for path in sorted((folder / "data").glob("*.txt.xz")):
        for line in lzma.decompress(path.read_bytes()).decode().splitlines():
            if not line.startswith("#"):
                digits, data = line.split()
                yield TagPage(0, digits).packed, bytes.fromhex(data)


def packed_set(name: str, size: int, pages: Iterable[bytes]) -> bytes:
    """A name, how many and how large, all pages."""
    content = b"".join(pages)
    return struct.pack("=32sII", name.encode(), len(content) // size, size) + content


def parse(line: str) -> Line:
    """A line of bench/tags.c."""
    name, coder, pages, size, *times = line.split("\t")
    compress, most_compress, decompress, most_decompress = map(float, times)
    return Line(
        name, coder, int(pages), int(size), compress, most_compress, decompress, most_decompress
    )


def limits(lines: list[Line]) -> Iterator[Limit]:
    """What is promised, with the figures of this run."""
    (data,) = (line for line in lines if (line.set, line.coder) == (DATA_SET, "lz4"))
    ours = [line for line in lines if line.coder.startswith("ours")]
    inline = [line for line in ours if line.coder == "ours inline"]
    yield Limit(
        "store an inline page, median of the slowest set, at most a tenth of LZ4 on data",
        data.compress * INLINE_SHARE,
        max(line.compress for line in inline),
    )
    yield Limit(
        "restore an inline page, median of the slowest set, at most a tenth of LZ4 on data",
        data.decompress * INLINE_SHARE,
        max(line.decompress for line in inline),
    )
    yield Limit(
        "store any page at most as long as LZ4 takes for data (median)",
        data.compress,
        max(line.most_compress for line in ours),
    )
    yield Limit(
        "restore any page at most as long as LZ4 takes for data (median)",
        data.decompress,
        max(line.most_decompress for line in ours),
    )


def table(lines: list[Line]) -> Table:
    """All figures."""
    shown = Table(title="Storing tags: bytes (counted) and ns (timed on this host)")
    shown.add_column("pages of")
    shown.add_column("coder")
    for heading in ("pages", "bytes", "store", "most", "restore", "most"):
        shown.add_column(heading, justify="right")
    for line in lines:
        times = (line.compress, line.most_compress, line.decompress, line.most_decompress)
        figures = (f"{figure:,.0f}" for figure in (line.pages, line.bytes, *times))
        shown.add_row(line.set, line.coder, *figures)
    return shown


def with_data_table(lines: list[Line]) -> Table:
    """Tags compressed together with their page, the design raised in review."""
    bytes_of = {(line.set, line.coder): line.bytes for line in lines}
    ours = sum(line.bytes for line in lines if line.set == THEIR_TAGS_SET and "ours" in line.coder)
    shown = Table(title="Bytes of tags stored with their page's data (counted)")
    shown.add_column("coder")
    for heading in ("data", "data and tags", "tags take", "apart, with ours"):
        shown.add_column(heading, justify="right")
    for coder in WITH_DATA:
        data, both = bytes_of[DATA_SET, coder], bytes_of[DATA_AND_TAGS_SET, coder]
        shown.add_row(coder, *(f"{figure:,}" for figure in (data, both, both - data, ours)))
    return shown


def limit_table(limits: list[Limit]) -> Table:
    """What is promised."""
    shown = Table(title="Limits (ns, timed on this host)")
    shown.add_column("promise")
    for heading in ("at most", "found"):
        shown.add_column(heading, justify="right")
    for limit in limits:
        colour = "green" if limit.holds else "red"
        shown.add_row(limit.promise, f"{limit.most:,.0f}", f"[{colour}]{limit.found:,.0f}[/]")
    return shown


if __name__ == "__main__":
    sys.exit(main())
