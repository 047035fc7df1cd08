# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the corpus of tags again: runs programs in the guest and dumps their tags.

    python features/mte-swap/corpus/record.py [--dumps DIR] [--reuse] [PROGRAM-ALLOCATOR]...

Writes pages/*.txt.xz, data/*.txt.xz and moments.csv beside this file, for all
programs of corpus.toml unless some are named. A line of data/ has the tags of a page and
what is in it, both in hexadecimal. --dumps keeps what the guest wrote, with the data of
some pages, and --reuse takes it from there instead of running anything. A run takes a
minute or two; the machine is repeatable, so the same kernel and packages give the
same pages.
"""

import argparse
import csv
import lzma
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from granule import cache, provision
from granule.cli.progress import choose_progress
from granule.command import Command
from granule.errors import GuestError
from granule.progress import Progress
from granule.run import Bootable, Settings, make_job
from granule.tags import TagPage
from granule.tags.pages import parse_pages
from granule.userland import load_recipe
from granule.userland import provide as provide_userland

HERE = Path(__file__).parent
CROSS = "aarch64-linux-gnu-gcc"
EA0_CLASSES = (6, 11, 23, 46)
SAMPLE = 16
"""Pages of each program of which the data are kept."""

COLUMNS = (
    *("program", "allocator", "role", "moment", "cpu_seconds"),
    *("tagged_kib", "other_kib", "pages", "zero_pages"),
    *("runs_to_6", "runs_to_11", "runs_to_23", "runs_to_46", "runs_above"),
)


class Program(BaseModel):
    """A program of the corpus, under some allocators."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")

    role: str
    allocators: tuple[str, ...]


class Corpus(BaseModel):
    """corpus.toml."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")

    kernel: str
    memory: int
    moments: int
    kept: int
    each: int
    allocators: dict[str, tuple[str, ...]]
    programs: dict[str, Program]

    @property
    def names(self) -> tuple[str, ...]:
        """PROGRAM-ALLOCATOR of all runs."""
        return tuple(
            f"{program}-{allocator}"
            for program, about in self.programs.items()
            for allocator in about.allocators
        )


@dataclass
class Moment:
    """What a dump says of one moment: lines of tags, and anonymous memory in KiB."""

    number: int
    seconds: str
    tagged: int = 0
    other: int = 0
    lines: list[str] = field(default_factory=list)
    data: list[str] = field(default_factory=list)


def main() -> None:
    """See above."""
    corpus = Corpus.model_validate(tomllib.loads((HERE / "corpus.toml").read_text()))
    arguments = _arguments()
    names: Sequence[str] = arguments.names or corpus.names
    rows = _read_rows()
    for name in names:
        dump = _dump(corpus, name, arguments.dumps, reuse=arguments.reuse)
        moments = list(parse(dump.splitlines()))
        # A server may end before its time is up.
        kept = [moment for moment in moments if moment.number <= corpus.kept][-1]
        title = f"{name}, {_role(name, corpus)}, after {kept.seconds} s of CPU time"
        _write("pages", name, (f"# Tags of {title}.", *kept.lines))
        step = -(-len(kept.data) // SAMPLE)
        _write("data", name, (f"# Tags and data of {title}.", *kept.data[::step]))
        rows[name] = [_row(name, moment, corpus) for moment in moments]
        _write_rows([row for known in corpus.names for row in rows.get(known, [])])


def parse(lines: Sequence[str]) -> Iterator[Moment]:
    """The moments of a dump, see dump-tags.c."""
    starts = [i for i, line in enumerate(lines) if line.startswith("moment ")]
    for start, end in pairwise((*starts, len(lines))):
        yield _moment(lines[start], lines[start + 1 : end])


def _moment(title: str, lines: Sequence[str]) -> Moment:
    _, number, *_, seconds, _ = title.split()
    moment = Moment(int(number), seconds)
    for line in lines:
        match line.split():
            case ["memory", "tagged", tagged, "other", other]:
                moment.tagged, moment.other = int(tagged), int(other)
            case ["at", _]:
                moment.lines.append(f"# {line}")
            case ["data", data]:
                moment.data.append(f"{moment.lines[-1]} {data}")
            case _:
                moment.lines.append(line)
    return moment


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="PROGRAM-ALLOCATOR")
    parser.add_argument("--dumps", type=Path, metavar="DIR")
    parser.add_argument("--reuse", action="store_true")
    return parser.parse_args()


def _dump(corpus: Corpus, name: str, dumps: Path | None, *, reuse: bool) -> str:
    kept = dumps / f"{name}.txt" if dumps else None
    if kept and reuse:
        return kept.read_text()
    dump = _run(corpus, name, choose_progress())
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(dump)
    return dump


def _run(corpus: Corpus, name: str, progress: Progress) -> str:
    program, allocator = name.split("-")
    options = [part for variable in corpus.allocators[allocator] for part in ("-e", variable)]
    dumper = ["./dump-tags", "-m", str(corpus.moments), "-d", str(corpus.each), *options]
    with tempfile.TemporaryDirectory() as scratch:
        copies = (HERE / "programs" / f"{program}.sh", *_programs(Path(scratch)))
        command = Command(("/bin/sh", f"./{program}.sh", *dumper), copies)
        settings = Settings(counting=None, memory=corpus.memory)
        job = make_job(_bootable(corpus, progress), command, settings)
        outcome = provision.target().run(job, progress)
    if not outcome.status.success:
        errors = outcome.stderr.decode(errors="replace")
        raise GuestError(f"The program {name} {outcome.status.describe()}.", details=errors)
    return outcome.stdout.decode()


def _programs(folder: Path) -> tuple[Path, ...]:
    """The dumper, the library that asks for tags, and a preprocessed file for cc1."""
    built = (folder / "dump-tags", folder / "ask-for-tags.so", folder / "dump-tags.i")
    dumper = ("-std=gnu11", "-D_GNU_SOURCE", str(HERE / "dump-tags.c"))
    library = ("-shared", "-fPIC", "-nostdlib", str(HERE / "ask-for-tags.c"))
    for path, options in zip(
        built, (("-static", *dumper), library, ("-E", "-P", *dumper)), strict=True
    ):
        subprocess.run([CROSS, "-Os", *options, "-o", str(path)], check=True)
    return built


def _bootable(corpus: Corpus, progress: Progress) -> Bootable:
    programs = provision.guest(progress).programs
    recipe = load_recipe(HERE / "userland.toml")
    userland = provide_userland(recipe, cache.root(), progress)
    kernel = provision.kernel(corpus.kernel, progress)
    return provision.bootable(kernel, provision.Guest(programs, userland))


def _write(folder: str, name: str, lines: Sequence[str]) -> None:
    licence = "# SPDX-License-Identifier: GPL-2.0-or-later"
    text = "".join(f"{line}\n" for line in (licence, *lines))
    path = HERE / folder / f"{name}.txt.xz"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    sys.stdout.write(f"{folder}/{path.name}: {path.stat().st_size} bytes\n")


def _role(name: str, corpus: Corpus) -> str:
    return corpus.programs[name.partition("-")[0]].role


def _row(name: str, moment: Moment, corpus: Corpus) -> list[str]:
    pages = list(parse_pages(moment.lines, name))
    zero = sum(not page.digits.strip("0") for page in pages)
    memory = (moment.tagged, moment.other, len(pages), zero)
    figures = [str(figure) for figure in (*memory, *_classes(pages))]
    place = [*name.split("-"), _role(name, corpus), str(moment.number), moment.seconds]
    return [*place, *figures]


def _classes(pages: Sequence[TagPage]) -> tuple[int, ...]:
    """How many pages have up to 6, 11, 23, 46 and more runs."""
    runs = [page.runs for page in pages]
    below = [sum(count <= most for count in runs) for most in EA0_CLASSES]
    return tuple(
        upper - lower
        for lower, upper in zip((0, *accumulate(below, max)), (*below, len(runs)), strict=True)
    )


def _read_rows() -> dict[str, list[list[str]]]:
    """What moments.csv has, by PROGRAM-ALLOCATOR."""
    path = HERE / "moments.csv"
    rows: dict[str, list[list[str]]] = {}
    if path.exists():
        with path.open(newline="") as file:
            for row in list(csv.reader(line for line in file if line[0] != "#"))[1:]:
                rows.setdefault(f"{row[0]}-{row[1]}", []).append(row)
    return rows


def _write_rows(rows: Sequence[Sequence[str]]) -> None:
    with (HERE / "moments.csv").open("w", newline="") as file:
        file.write("# SPDX-License-Identifier: GPL-2.0-or-later\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)


if __name__ == "__main__":
    main()
