# SPDX-License-Identifier: GPL-2.0-or-later
"""Patches become files; those that do not apply are told with feature, file and hunk."""

import shutil
from pathlib import Path

import pytest
from tests.features.conftest import TREE, WriteFeature, edit

from granule.errors import FormatError
from granule.features import Base, Library, Rendering, render

FIRST = "0001-mm-Use-a-fifth-tag-bit.patch"


def rendered(toys: Library, base: Base, *names: str) -> Rendering:
    return render(base, toys.choose(names, "6.12"))


def files(rendering: Rendering) -> dict[str, tuple[str, str]]:
    return {c.path: (oct(c.mode), c.content.decode()) for c in rendering.changes}


def test_a_series_becomes_the_files_it_makes(toys: Library, base: Base) -> None:
    result = files(rendered(toys, base, "tags"))
    assert sorted(result) == [
        "arch/arm64/Kconfig", "mm/coder.c", "mm/coder.txt", "mm/contpte.c", "mm/mteswap.c",
        "mm/oom.c",
    ]  # fmt: skip
    source = (toys.folder / "tags/src/mm/coder.c").read_text()
    assert result["mm/coder.c"] == ("0o100644", source)
    assert result["mm/coder.txt"][1] == "SPDX-License-Identifier: GPL-2.0-only"
    assert result["mm/contpte.c"] == ("0o0", "")
    assert result["mm/oom.c"] == ("0o100755", (TREE / "mm/oom.c").read_text())
    assert result["mm/mteswap.c"][1].endswith("int tag_bits = 5;\n")


def test_a_feature_is_applied_behind_the_one_it_needs(toys: Library, base: Base) -> None:
    result = files(rendered(toys, base, "more-tags", "threads"))
    assert result["mm/mteswap.c"][1].endswith("int tag_bits = 6;\n")
    assert "THREADS 2" in result["mm/header.h"][1]


def test_other_words_about_a_patch_change_no_file(toys: Library, base: Base) -> None:
    before = rendered(toys, base, "tags")
    edit(toys.folder / "tags/patches" / FIRST, "was not enough", "did not suffice")
    assert rendered(toys, base, "tags").digest == before.digest


def test_the_base_is_only_read(toys: Library, tmp_path: Path) -> None:
    tree = Path(shutil.copytree(TREE, tmp_path / "linux"))
    before = {path: path.stat() for path in tree.rglob("*")}
    rendered(toys, Base("linux-6.12", tree), "more-tags", "threads")
    after = {path: path.stat() for path in tree.rglob("*")}
    assert {p: s.st_mtime_ns for p, s in after.items()} == {
        p: s.st_mtime_ns for p, s in before.items()
    }


def test_a_hunk_that_finds_other_text_is_named_and_shown(toys: Library, base: Base) -> None:
    edit(toys.folder / "tags/patches" / FIRST, "-int tag_bits = 4;", "-int tag_bits = 9;")
    with pytest.raises(FormatError) as caught:
        rendered(toys, base, "tags")
    assert caught.value.message == (
        f"Patch {FIRST} of feature 'tags' does not apply to linux-6.12: hunk 1 of mm/mteswap.c "
        "at line 1 finds other text there."
    )
    assert "-int tag_bits = 9;\n+int tag_bits = 5;" in caught.value.details


def test_a_file_that_the_base_lacks_is_named(toys: Library, tmp_path: Path) -> None:
    tree = Path(shutil.copytree(TREE, tmp_path / "linux"))
    (tree / "mm/mteswap.c").unlink()
    with pytest.raises(FormatError, match=rf"{FIRST} .* mm/mteswap\.c: No such file"):
        rendered(toys, Base("linux-6.12", tree), "tags")


def test_a_new_file_that_the_base_has_is_named(toys: Library, tmp_path: Path) -> None:
    tree = Path(shutil.copytree(TREE, tmp_path / "linux"))
    (tree / "mm/coder.c").write_text("int other;\n")
    with pytest.raises(FormatError, match=r"0002-.* mm/coder\.c: already exists"):
        rendered(toys, Base("linux-6.12", tree), "tags")


def test_two_features_that_conflict_are_both_named(toys: Library, base: Base) -> None:
    with pytest.raises(FormatError) as caught:
        rendered(toys, base, "tags", "fewer-tags", "threads")
    assert caught.value.message == (
        f"Features 'fewer-tags' and 'tags' conflict: patch {FIRST} of 'tags' does not apply "
        "behind 'fewer-tags': hunk 1 of mm/mteswap.c at line 1 finds other text there. Leave "
        "one out, or write 'after' in the one that builds on the other."
    )


def test_where_a_hunk_fails_behind_another_feature_git_merges(
    toys: Library, base: Base, write_feature: WriteFeature
) -> None:
    """Each changes a line that is context of the other's hunk."""
    write_feature("a-swap", {"arch/arm64/Kconfig": ('"Swap"', '"Swapping"')})
    write_feature("b-mmu", {"arch/arm64/Kconfig": ("def_bool y", "def_bool n")})
    (change,) = rendered(toys, base, "a-swap", "b-mmu").changes
    assert b'bool "Swapping"' in change.content
    assert b"def_bool n" in change.content


def test_a_symbol_that_no_patch_adds_is_told(toys: Library, base: Base) -> None:
    edit(toys.folder / "tags/feature.toml", "TAG_CODER", "TAG_CODEC")
    with pytest.raises(FormatError, match=r"key 'kconfig': no patch .* adds a symbol TAG_CODEC"):
        rendered(toys, base, "tags")


def test_a_prefix_leaves_out_the_later_patches(toys: Library, base: Base) -> None:
    assert sorted(files(rendered(toys, base, "tags/1"))) == ["mm/mteswap.c", "mm/oom.c"]


def test_the_users_git_settings_do_not_matter(
    toys: Library, base: Base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rendered(toys, base, "tags").digest
    (tmp_path / "home").mkdir()
    (tmp_path / "home/.gitconfig").write_text(
        "[core]\n\tautocrlf = true\n[commit]\n\tgpgSign = true\n[apply]\n\twhitespace = error\n"
    )
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    assert rendered(toys, base, "tags").digest == before
