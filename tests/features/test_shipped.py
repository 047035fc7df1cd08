# SPDX-License-Identifier: GPL-2.0-or-later
"""The features that come with Granule, on the source they are for."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.features.conftest import edit

from granule import cache
from granule.errors import ShortfallError
from granule.features import Library, checkpatch
from granule.kernel import editing, parse, prefixes, provide, shipped
from granule.kernel.origin import origin_of
from granule.kernel.spec import Linux
from granule.progress import SilentProgress

FEATURES = shipped().features.names


def test_every_feature_is_well_formed() -> None:
    assert {feature.name for feature in shipped().features.load_all()} == set(FEATURES)


@pytest.mark.machine
@pytest.mark.parametrize("names", [*FEATURES, "all"])
def test_a_feature_is_in_the_tree_it_is_rendered_on(names: str, tmp_path: Path) -> None:
    """The first test copies the source, which takes seconds; nothing is built."""
    catalog, silent = shipped(), SilentProgress()
    spec = parse(f"linux-6.12+{names}", catalog)
    assert isinstance(spec, Linux)
    origin = origin_of(spec, catalog, cache.root(), silent)
    tree = origin.prepare(tmp_path, cache.root(), silent)
    for feature in catalog.features.choose(spec.features, spec.version):
        for patch in feature.patches:
            for path in patch.mail.overlays:
                assert (tree / path).read_bytes() == (patch.sources / path).read_bytes()
    changed = [path for path in tree.rglob("*") if path.is_file() and path.stat().st_nlink == 1]
    assert changed
    assert origin.record.features


@pytest.mark.machine
@pytest.mark.parametrize("name", FEATURES)
def test_a_feature_is_written_back_as_it_is(name: str, tmp_path: Path) -> None:
    silent = SilentProgress()
    before = _files(shipped().features.folder / name)
    editing.checkout(name, tmp_path / "tree", cache.root(), silent)
    editing.refresh(name, tmp_path / "tree", cache.root(), silent)
    assert _files(shipped().features.folder / name) == before


def _files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.machine
def test_the_kernels_checker_complains_of_a_bad_patch(toys: Library) -> None:
    catalog = replace(shipped(), features=toys)
    edit(toys.folder / "tags/src/mm/coder.c", "return 1;", "return 1 ;")
    verdicts = list(editing.check_patches(cache.root(), SilentProgress(), catalog=catalog))
    found = {verdict.patch: verdict.complaints for verdict in verdicts}
    assert "mm/coder.c:4: WARNING:SPACING" in found["0002-mm-Add-a-coder-drop-gr-ere-entries.patch"]
    with pytest.raises(ShortfallError, match=r"checkpatch\.pl complains of") as caught:
        checkpatch.require(verdicts)
    assert "mm/coder.c:4" in caught.value.details


@pytest.mark.machine
@pytest.mark.torture
@pytest.mark.parametrize("fragment", ["mte-user", "kasan-hw"])
@pytest.mark.parametrize("name", FEATURES)
def test_every_prefix_of_a_series_builds(name: str, fragment: str) -> None:
    catalog = shipped()
    spec = parse(f"linux-6.12+{name}:{fragment}", catalog)
    for each in prefixes(spec, catalog):
        assert provide(each, cache.root(), SilentProgress()).image.exists(), str(each)


def test_a_wheel_has_all_that_is_not_python(tmp_path: Path) -> None:
    top = Path(__file__).parents[2]
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=top, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    installed = tmp_path / "installed"
    subprocess.run([sys.executable, "-m", "zipfile", "-e", str(wheel), str(installed)], check=True)
    code = (
        "from granule.kernel import shipped, parse;"
        "from granule import shipped as data;"
        "print(data.folder());"
        "print(parse('linux-6.12+all', shipped()));"
        "print((data.folder() / 'guest/userland.toml').exists())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(installed)},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines() == [
        str(installed / "granule/data"),
        f"linux-6.12+{','.join(_in_order())}",
        "True",
    ]


def _in_order() -> list[str]:
    every = shipped().features.load_all()
    return [feature.name for feature in every if not feature.about.draft]
