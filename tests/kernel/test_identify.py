# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel is known by name before it is built."""

from pathlib import Path

import pytest
from tests.kernel.test_build import FAKE, TOOLS, KernelTree

from granule.kernel import build
from granule.kernel.catalog import load
from granule.kernel.identify import identify, manifest
from granule.kernel.spec import Debian, Linux, parse
from granule.progress import SilentProgress

CATALOG = load(FAKE / "kernel")


@pytest.fixture
def tree(tmp_path: Path) -> KernelTree:
    return KernelTree(tmp_path / "linux", FAKE / "tree")


def _identity(tree: KernelTree, cache: Path, revision: str = "HEAD") -> str | None:
    spec = parse(f"{tree.folder}@{revision}", CATALOG)
    return identify(spec, cache, catalog=CATALOG, tools=TOOLS)


def test_a_kernel_is_what_was_foretold(tree: KernelTree, tmp_path: Path) -> None:
    foretold = _identity(tree, tmp_path / "cache")
    assert not (tmp_path / "cache" / "kernels").exists()
    spec = parse(f"{tree.folder}@HEAD", CATALOG)
    built = build.provide(
        spec, tmp_path / "cache", SilentProgress(), catalog=CATALOG, jobs=2, tools=TOOLS
    )
    assert built.identity == foretold
    recorded = manifest(built, tmp_path / "cache")
    assert recorded
    assert recorded.compiler == TOOLS.version


def test_a_change_makes_it_another(tree: KernelTree, tmp_path: Path) -> None:
    before = _identity(tree, tmp_path / "cache")
    tree.write("mm/oom.c", "int changed;\n")
    assert _identity(tree, tmp_path / "cache") != before
    assert _identity(tree, tmp_path / "cache", "HEAD~1") == before


def test_what_was_never_fetched_is_unknown_and_stays_so(tmp_path: Path) -> None:
    version = CATALOG.versions[0]
    for spec in (Debian(), Linux(version)):
        assert identify(spec, tmp_path / "cache", catalog=CATALOG, tools=TOOLS) is None
    assert not (tmp_path / "cache" / "sources").exists()
