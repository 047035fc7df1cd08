# SPDX-License-Identifier: GPL-2.0-or-later
import io
import itertools
from pathlib import Path

import pytest

from granule import cache
from granule.cli.progress import PlainProgress
from granule.errors import UsageError
from granule.progress import SilentProgress


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"GRANULE_CACHE": "/a", "XDG_CACHE_HOME": "/b"}, Path("/a")),
        ({"XDG_CACHE_HOME": "/b"}, Path("/b/granule")),
        ({"GRANULE_CACHE": "", "XDG_CACHE_HOME": ""}, Path.home() / ".cache/granule"),
        ({"GRANULE_CACHE": "~/c"}, Path.home() / "c"),
    ],
)
def test_where_the_cache_is(environment: dict[str, str], expected: Path) -> None:
    assert cache.root(environment) == expected


def test_a_relative_cache_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cache.root({"GRANULE_CACHE": "here"}) == tmp_path / "here"


def test_sizes_are_what_the_disk_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRANULE_CACHE", str(tmp_path))
    section = cache.section("runs")
    with (section / "sparse").open("wb") as file:
        file.truncate(1 << 30)
    (section / "real").write_bytes(b"x" * 100_000)
    (size,) = cache.sizes(SilentProgress())
    assert size.name == "runs"
    assert 100_000 <= size.bytes < 1 << 20


def test_a_file_with_two_names_takes_its_place_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRANULE_CACHE", str(tmp_path))
    source = cache.section("sources") / "tree" / "mm" / "page.c"
    source.parent.mkdir(parents=True)
    source.write_bytes(b"x" * 100_000)
    (cache.section("work") / "page.c").hardlink_to(source)
    (cache.section("work") / "loop").symlink_to("..")
    sizes = cache.sizes(SilentProgress())
    assert 100_000 <= sum(size.bytes for size in sizes) < 200_000


def test_measuring_tells_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRANULE_CACHE", str(tmp_path))
    for name in ("kernels", "work"):
        (cache.section(name) / "folder").mkdir()
        (cache.section(name) / "folder" / "file").touch()
    stream = io.StringIO()
    seconds = itertools.count(step=10)
    cache.sizes(PlainProgress(stream, lambda: float(next(seconds))))
    assert "Measure the cache: work: 1 files" in stream.getvalue()
    assert "Measure the cache: 50%" in stream.getvalue()


def test_an_empty_cache_is_clear_already(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRANULE_CACHE", str(tmp_path / "none"))
    cache.clear()
    assert cache.sizes(SilentProgress()) == []


@pytest.mark.parametrize("name", ["kernel", "..", ".", "../precious", "kernels/one", "PRECIOUS"])
def test_only_a_section_of_the_cache_can_be_cleared(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRANULE_CACHE", str(tmp_path / "cache"))
    precious = tmp_path / "precious"
    precious.mkdir()
    (cache.section("kernels") / "one").mkdir()
    with pytest.raises(UsageError, match=r"no section .*; it has kernels"):
        cache.clear(str(precious) if name == "PRECIOUS" else name)
    assert precious.is_dir()
    assert (cache.root() / "kernels" / "one").is_dir()


def test_a_cache_on_another_disk_loses_what_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cache itself, and each section of it, may be a link."""
    monkeypatch.setenv("GRANULE_CACHE", str(tmp_path / "link"))
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    (tmp_path / "elsewhere").mkdir()
    (cache.section("runs") / "log").touch()
    (cache.root() / "sources").symlink_to(tmp_path / "elsewhere")
    cache.clear()
    assert list((tmp_path / "disk").iterdir()) == []
    assert (tmp_path / "elsewhere").is_dir()
