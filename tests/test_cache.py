# SPDX-License-Identifier: GPL-2.0-or-later
from pathlib import Path

import pytest

from granule import cache


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
    (size,) = cache.sizes()
    assert size.name == "runs"
    assert 100_000 <= size.bytes < 1 << 20


def test_clearing_what_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRANULE_CACHE", str(tmp_path / "none"))
    cache.clear()
    cache.clear("runs")
    assert cache.sizes() == []
