# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's tag coder on the host, under sanitizers, and the corpus through it."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from granule.tags import TagPage, build_coder, library, read_pages, size_report

HOST = Path(__file__).parent / "host"
CORPUS = Path(__file__).parents[1] / "corpus"
PAGES = sorted((CORPUS / "pages").glob("*.txt.xz"))
DESIGN = ("python", "sqlite3", "memcached")
SANITIZERS = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
FUZZ_SECONDS = 60

Build = Callable[..., Path]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Compiles a program of tests/host with the coder, in which a text may be another."""

    def compiled(program: str, file: str = "", old: str = "", new: str = "") -> Path:
        folder = tmp_path / "src"
        shutil.copytree(library.sources()[0].parent, folder)
        if file:
            text = (folder / file).read_text()
            assert text.count(old) == 1
            (folder / file).write_text(text.replace(old, new))
        parts = (folder / source.name for source in library.sources())
        sources = map(str, (HOST / f"{program}.c", *parts))
        header = ("-include", str(HOST / "mte_tag_coder_internal.h"))
        include = ("-I", str(folder), "-I", str(HOST))
        command = ["gcc", "-std=gnu11", "-Wall", "-Wextra", *SANITIZERS, *header, *include]
        subprocess.run([*command, *sources, "-o", str(tmp_path / program)], check=True)
        return tmp_path / program

    return compiled


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_all_that_is_stored_comes_back_and_takes_no_more_than_with_ea0(build: Build) -> None:
    done = run(str(build("round-trip")), "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[0]) > 300_000


@pytest.mark.machine
def test_a_million_pages_come_back_and_take_no_more_than_with_ea0(build: Build) -> None:
    done = run(str(build("round-trip")), "1600")
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[0]) > 1_000_000


@pytest.mark.parametrize(
    ("file", "old", "new", "complaint"),
    [
        ("mte_tag_unpack.c", "0 : take_golomb(source, 2) + 1;", "0 : take_golomb(source, 2);", ""),
        ("mte_tag_unpack.c", "word ^= last * LOW_BITS;", "", "other tags came back"),
        ("mte_tag_pack.c", "0, bytes - done);", "0, bytes - done + 64);", "overflow"),
        ("mte_tag_code.h", "return ilog2(count) - 3;", "return ilog2(count) - 1;", "larger"),
    ],
)
def test_a_coder_with_a_mistake_does_not_pass(
    build: Build, file: str, old: str, new: str, complaint: str
) -> None:
    done = run(str(build("round-trip", file, old, new)), "1")
    assert done.returncode != 0
    assert complaint in done.stdout + done.stderr


def test_whatever_is_decoded_is_refused_or_right(build: Build) -> None:
    done = run(str(build("fuzz")), "2", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert refused(done.stdout)


@pytest.mark.machine
def test_whatever_is_decoded_for_a_minute_is_refused_or_right(build: Build) -> None:
    done = run(str(build("fuzz")), str(FUZZ_SECONDS), "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert refused(done.stdout)


def refused(output: str) -> bool:
    """Some were, some were not."""
    found = re.fullmatch(r"(\d+) tried, (\d+) refused\n", output)
    return found is not None and 0 < int(found[2]) < int(found[1])


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("if (count >= page->count - page->at)", "if (count > 1U << 20)", "Sanitizer"),
        (
            "min_t(size_t, source->at / 8, source->size - 8)",
            "source->at / 8",
            "AddressSanitizer",
        ),
        (
            "if (error)\n\t\tmemset(tags, 0, bytes);\n\telse",
            "if (!error)",
            "tags are left of what was refused",
        ),
    ],
)
def test_fuzzing_finds_a_decoder_that_trusts_its_input(
    build: Build, old: str, new: str, complaint: str
) -> None:
    done = run(str(build("fuzz", "mte_tag_unpack.c", old, new)), "20", "1")
    assert done.returncode != 0
    assert complaint in done.stdout + done.stderr


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name.removesuffix(".txt.xz"))
def test_the_corpus_comes_back_and_takes_no_more_than_with_ea0(path: Path) -> None:
    coder, pages = build_coder(), read_pages(path)
    for page in pages:
        stored = coder.store(page.packed)
        assert coder.restore(stored.content, len(page.packed)) == page.packed
    report = size_report(pages, coder)
    assert all(each.bytes <= each.ea0_bytes for each in report.pages)
    assert report.ratio is not None
    assert report.ratio >= 1.7


def test_the_corpus_has_enough_pages_that_are_hard() -> None:
    record = [path for path in PAGES if not path.name.startswith(DESIGN)]
    assert len({path.name.partition("-")[0] for path in record}) >= 6
    pages = [page for path in PAGES for page in read_pages(path)]
    hard = sum(page.runs > 6 for page in pages)
    assert hard >= 2000
    assert hard >= 0.15 * len(pages)


def test_the_sizes_of_buffers_end_with_the_tags_as_they_are() -> None:
    coder = build_coder()
    assert coder.classes(128) == (16, 24, 32, 40, 48, 64, 96, 128)
    assert coder.classes(512)[-1] == 512
    assert coder.classes(2048)[-1] == 2048


def test_few_runs_that_are_like_no_heap_take_no_more_than_with_ea0() -> None:
    """Of eleven runs; as chunks they would take more than 16 bytes."""
    runs = (
        ("0", 19),
        ("5", 2),
        ("3", 28),
        ("0", 22),
        ("5", 2),
        ("0", 76),
        ("7", 11),
        ("d", 4),
        ("0", 62),
        ("d", 8),
        ("c", 22),
    )
    page = TagPage(1, "".join(tag * length for tag, length in runs))
    stored = build_coder().store(page.packed)
    assert page.runs == 11
    assert (stored.form, stored.bytes) == ("runs", 16)


@pytest.mark.parametrize("value", [1 << 63, 1 << 62, 8, 0b001 << 3])
def test_a_value_that_cannot_be_right_is_refused(value: int) -> None:
    assert build_coder().restore(value, 128) is None


@pytest.mark.parametrize("size", [8, 17, 56, 129, 512])
def test_a_buffer_of_no_class_is_refused(size: int) -> None:
    assert build_coder().restore(bytes(size), 128) is None


def test_a_code_in_too_large_a_buffer_is_refused() -> None:
    coder = build_coder()
    stored = coder.store(bytes.fromhex("1f2e3d4c5b6a798890f1" + "00" * 118))
    assert isinstance(stored.content, bytes)
    assert len(stored.content) == 16
    assert coder.restore(stored.content + bytes(8), 128) is None
