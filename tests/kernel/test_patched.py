# SPDX-License-Identifier: GPL-2.0-or-later
"""Features in builds: a copy of the source changes, the source never does."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.features.conftest import TOYS, edit
from tests.kernel.conftest import Recorder

from granule.errors import FormatError
from granule.features import Change, Library, Rendering
from granule.kernel import build
from granule.kernel.catalog import load
from granule.kernel.kernel import BuiltKernel
from granule.kernel.origin import Origin, origin_of
from granule.kernel.source import SourceRecord, SourceTree
from granule.kernel.spec import Linux, parse, prefixes
from granule.kernel.store import Store
from granule.kernel.toolchain import Toolchain
from granule.kernel.tree import arrange
from granule.progress import SilentProgress

FAKE = Path(__file__).parent / "fake"
TOOLS = Toolchain(prefix="", version="gcc of the test", ccache=False)
SYMBOL = 'config OLD_KERNELS_LACK_THIS\n\tbool "Something new"\n\n'
RECORD = '{"name": "linux-source-6.12", "version": "6.12.117-1", "digest": "5eed"}'


class Lab:
    """The fake kernel as Debian's source package, toy features, and a cache."""

    def __init__(self, folder: Path) -> None:
        self.cache = folder / "cache"
        self.source = self.cache / "sources" / "linux-source-6.12" / "tree"
        shutil.copytree(FAKE / "tree", self.source)
        # Of a known source every symbol that a fragment asks for is demanded.
        edit(self.source / "arch/arm64/Kconfig", "config MMU", f"{SYMBOL}config MMU")
        (self.source.parent / "source.json").write_text(RECORD)
        self.features = Path(shutil.copytree(TOYS, folder / "features"))
        self.catalog = replace(load(FAKE / "kernel"), features=Library(self.features))
        self.progress = Recorder()

    def build(self, spec: str = "linux-6.12") -> BuiltKernel:
        self.progress = Recorder()
        parsed = parse(spec, self.catalog)
        return build.provide(
            parsed, self.cache, self.progress, catalog=self.catalog, jobs=2, tools=TOOLS
        )

    @property
    def compiled(self) -> list[str]:
        return sorted(note for note in self.progress.notes if note.endswith(".o"))

    def snapshot(self) -> dict[str, tuple[bytes, int, int]]:
        """Content, mode and time of every file of the unpacked source."""
        files = [path for path in self.source.rglob("*") if path.is_file()]
        return {
            str(path): (path.read_bytes(), path.stat().st_mode, path.stat().st_mtime_ns)
            for path in files
        }


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def test_a_feature_and_its_base_share_a_build_directory(lab: Lab) -> None:
    base = lab.build()
    assert lab.compiled == ["mm/contpte.o", "mm/mteswap.o", "mm/oom.o"]
    feature = lab.build("linux-6.12+tags")
    assert lab.compiled == ["mm/coder.o", "mm/mteswap.o", "mm/oom.o"]
    assert feature.identity != base.identity
    assert feature.image.read_bytes() != base.image.read_bytes()
    assert len(list((lab.cache / "work").glob("*.lock"))) == 1


def test_back_at_the_base_everything_is_as_before(lab: Lab) -> None:
    """An old time would let make keep the feature's objects."""
    before = lab.build().image.read_bytes()
    lab.build("linux-6.12+tags")
    shutil.rmtree(lab.cache / "kernels")
    base = lab.build()
    assert lab.compiled == ["mm/contpte.o", "mm/mteswap.o", "mm/oom.o"]
    assert base.image.read_bytes() == before


def test_a_header_of_a_feature_rebuilds_those_who_read_it_alone(lab: Lab) -> None:
    lab.build("linux-6.12+tags")
    lab.build("linux-6.12+tags,threads")
    assert lab.compiled == ["mm/coder.o", "mm/mteswap.o", "mm/oom.o"]  # all read header.h
    lab.build("linux-6.12+more-tags,threads")
    assert lab.compiled == ["mm/mteswap.o"]


def test_the_unpacked_source_never_changes(lab: Lab) -> None:
    before = lab.snapshot()
    for spec in ("+tags", "", "+threads", "+more-tags"):
        lab.build(f"linux-6.12{spec}")
    assert lab.snapshot() == before


def test_a_commit_message_rebuilds_nothing(lab: Lab) -> None:
    first = lab.build("linux-6.12+tags")
    edit(
        lab.features / "tags/patches/0001-mm-Use-a-fifth-tag-bit.patch",
        "was not enough",
        "did not suffice",
    )
    second = lab.build("linux-6.12+tags")
    assert second.identity == first.identity
    assert lab.compiled == []
    assert second.source.features[0].digest != first.source.features[0].digest


def test_a_kernel_says_which_features_it_has(lab: Lab) -> None:
    kernel = lab.build("linux-6.12+more-tags")
    applied = lab.catalog.features.choose(["more-tags"], "6.12")
    wanted = [(feature.name, feature.digest) for feature in applied]
    assert [(each.name, each.digest) for each in kernel.source.features] == wanted
    entry = Store(lab.cache / "kernels").find(kernel.identity)
    assert entry is not None
    assert entry.manifest.source == kernel.source


def test_the_symbols_of_a_feature_are_on(lab: Lab) -> None:
    base, feature = lab.build(), lab.build("linux-6.12+tags")
    assert base.config is not None
    assert feature.config is not None
    assert "CONFIG_TAG_CODER" not in base.config.read_text()
    assert "CONFIG_TAG_CODER=y" in feature.config.read_text()


def test_an_unchanged_request_applies_nothing_again(lab: Lab) -> None:
    lab.build("linux-6.12+tags")
    assert any("Applying tags" in title for title in lab.progress.titles)
    lab.build("linux-6.12+tags")
    assert lab.progress.titles == []


def test_a_damaged_rendering_is_made_again(lab: Lab) -> None:
    first = lab.build("linux-6.12+tags")
    (kept,) = (lab.cache / "features").glob("*.json")
    edit(kept, '"path":"mm/coder.c"', '"path":"mm/codec.c"')
    assert lab.build("linux-6.12+tags").identity == first.identity


def test_features_that_do_not_apply_leave_the_tree_alone(lab: Lab) -> None:
    first = lab.build("linux-6.12+tags")
    with pytest.raises(FormatError, match="conflict"):
        lab.build("linux-6.12+tags,fewer-tags")
    assert lab.build("linux-6.12+tags") == first


def test_every_prefix_of_a_series_is_a_kernel(lab: Lab) -> None:
    specs = prefixes(parse("linux-6.12+more-tags,threads", lab.catalog), lab.catalog)
    assert list(map(str, specs)) == [
        "linux-6.12+tags/1",
        "linux-6.12+tags/2",
        "linux-6.12+tags,more-tags/1",
        "linux-6.12+tags,more-tags,threads/1",
    ]
    identities = {lab.build(str(spec)).identity for spec in specs}
    assert len(identities) == 4
    # The whole series is the last prefix of it.
    assert lab.build("linux-6.12+more-tags,threads").identity in identities


@pytest.fixture
def source(lab: Lab) -> SourceTree:
    return SourceTree(lab.source, SourceRecord("linux-source-6.12", "6.12.117-1", "5eed"))


def _changed(path: str, text: str) -> Rendering:
    return Rendering(changes=(Change(path=path, mode=0o100644, content=text.encode()),))


def test_files_that_are_right_are_not_touched(source: SourceTree, tmp_path: Path) -> None:
    rendering = _changed("mm/oom.c", "int threads;\n")
    tree = arrange(source, rendering, tmp_path, SilentProgress())
    before = {path: path.stat().st_mtime_ns for path in tree.rglob("*.c")}
    arrange(source, rendering, tmp_path, SilentProgress())
    assert {path: path.stat().st_mtime_ns for path in tree.rglob("*.c")} == before
    assert (tree / "mm/oom.c").stat().st_ino != (source.directory / "mm/oom.c").stat().st_ino
    assert (tree / "mm/contpte.c").samefile(source.directory / "mm/contpte.c")


def test_a_file_that_goes_back_is_new_to_make(source: SourceTree, tmp_path: Path) -> None:
    os.utime(source.directory / "mm/oom.c", (1_000_000_000, 1_000_000_000))
    tree = arrange(source, _changed("mm/oom.c", ""), tmp_path, SilentProgress())
    changed = (tree / "mm/oom.c").stat().st_mtime_ns
    arrange(source, Rendering(), tmp_path, SilentProgress())
    assert (tree / "mm/oom.c").read_bytes() == (source.directory / "mm/oom.c").read_bytes()
    assert (tree / "mm/oom.c").stat().st_mtime_ns >= changed


def test_new_folders_go_with_their_files(source: SourceTree, tmp_path: Path) -> None:
    tree = arrange(source, _changed("mm/tag/coder.c", ""), tmp_path, SilentProgress())
    assert (tree / "mm/tag/coder.c").exists()
    arrange(source, Rendering(), tmp_path, SilentProgress())
    assert not (tree / "mm/tag").exists()
    assert (tree / "mm").is_dir()


def test_a_rendering_that_was_broken_off_is_mended(
    source: SourceTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = (*_changed("mm/contpte.c", "x").changes, *_changed("mm/oom.c", "y").changes)
    real = Path.replace

    def full_disk(path: Path, target: Path) -> Path:
        if target.name == "oom.c":
            raise OSError("the disk is full")
        return real(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full_disk)
        with pytest.raises(OSError, match="full"):
            arrange(source, Rendering(changes=changes), tmp_path, SilentProgress())
    tree = arrange(source, Rendering(), tmp_path, SilentProgress())
    for path in ("mm/contpte.c", "mm/oom.c"):
        assert (tree / path).read_bytes() == (source.directory / path).read_bytes()


def test_a_copy_that_was_broken_off_is_made_again(source: SourceTree, tmp_path: Path) -> None:
    tree = arrange(source, Rendering(), tmp_path, SilentProgress())
    (tmp_path / "tree.json").unlink()
    (tree / "mm/oom.c").unlink()
    assert (arrange(source, Rendering(), tmp_path, SilentProgress()) / "mm/oom.c").exists()


def test_only_what_programs_see_makes_other_selftests(lab: Lab) -> None:
    """They are not built again for a change inside the kernel."""

    def origin(spec: str) -> Origin:
        parsed = parse(spec, lab.catalog)
        assert isinstance(parsed, Linux)
        return origin_of(parsed, lab.catalog, lab.cache, SilentProgress())

    base, inside = origin("linux-6.12"), origin("linux-6.12+tags")
    assert inside.content != base.content
    assert inside.interface == base.interface
    folder = lab.features / "threads"
    header = "include/uapi/tag.h"
    edit(next(folder.glob("patches/*")), "---\n mm/", f"---\nOverlay: {header}\n mm/")
    (folder / "src" / header).parent.mkdir(parents=True)
    (folder / "src" / header).write_text("#define TAG 1\n")
    assert origin("linux-6.12+threads").interface != base.interface
