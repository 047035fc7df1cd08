# SPDX-License-Identifier: GPL-2.0-or-later
"""feature.toml and series: what they say, and what is said of mistakes."""

from pathlib import Path

import pytest
from tests.features.conftest import edit

from granule.errors import FormatError, UsageError
from granule.features import Library

PATCH = "0002-mm-Add-a-coder-drop-gr-ere-entries.patch"


def test_a_feature_is_read_whole(toys: Library) -> None:
    feature = toys.load("more-tags")
    assert feature.about.title == "Even more tag bits"
    assert feature.about.after == ("tags",)
    assert feature.about.upstream.commits == ("0123456789ab",)
    assert feature.about.upstream.peer == "linux-7.3"
    assert [patch.name for patch in feature.patches] == ["0001-mm-Use-a-sixth-tag-bit.patch"]


def test_a_feature_that_has_only_begun_has_no_patches(toys: Library) -> None:
    (toys.folder / "threads/series").unlink()
    (toys.folder / "threads/patches/0001-mm-Run-two-threads.patch").unlink()
    assert toys.load("threads").patches == ()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"none"', '"maybe"', r"tags/feature\.toml: key 'upstream\.status': Input should be"),
        ("title", "titel", r"tags/feature\.toml: key 'title': Field required \(and 1 more"),
        ("TAG_CODER", "CONFIG_TAG", r"key 'kconfig\.0': .* is no symbol"),
        ("title =", "title", r"tags/feature\.toml is no TOML: .*line 2"),
        ("[upstream]", '[[claim]]\nname = "x"\n[upstream]', r"key 'claim\.0\.statement'"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_file_and_key(
    toys: Library, old: str, new: str, message: str
) -> None:
    edit(toys.folder / "tags/feature.toml", old, new)
    with pytest.raises(FormatError, match=message):
        toys.load("tags")


def _spoil(folder: Path, how: str) -> None:
    match how:
        case "no patch":
            (folder / "patches" / PATCH).unlink()
        case "not in series":
            edit(folder / "series", f"{PATCH}\n", "")
        case "twice":
            edit(folder / "series", PATCH, f"{PATCH}\n{PATCH}")
        case "no file":
            (folder / "src/mm/coder.c").unlink()
        case "no owner":
            (folder / "src/mm/other.c").write_text("")
        case "two owners":
            edit(
                folder / "patches/0001-mm-Use-a-fifth-tag-bit.patch",
                "---\n mm/",
                "---\nOverlay: mm/coder.c\n mm/",
            )
        case "no mail":
            (folder / "patches" / PATCH).write_text("diff --git a/mm/oom.c b/mm/oom.c\n")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("no patch", f"series names {PATCH}, but there is no patches/{PATCH}"),
        ("not in series", f"series does not name patches/{PATCH}"),
        ("twice", f"series names {PATCH} twice"),
        ("no file", r"0002-.*: 'Overlay: mm/coder\.c' names no file of src/"),
        ("no owner", r"No patch of tags owns .*src/mm/other\.c"),
        ("two owners", r"0002-.*'Overlay: mm/coder\.c' is owned by 0001-.*\.patch already"),
        ("no mail", "is no patch of git format-patch: it has no '---' line"),
    ],
)
def test_files_that_do_not_belong_together_are_told(toys: Library, how: str, message: str) -> None:
    _spoil(toys.folder / "tags", how)
    with pytest.raises(FormatError, match=message):
        toys.load("tags")


def test_the_digest_is_of_what_is_applied(toys: Library) -> None:
    before = toys.load("tags").digest
    edit(toys.folder / "tags/feature.toml", "a coder", "two coders")
    edit(toys.folder / "tags/series", "# SPDX", "# A word\n# SPDX")
    assert toys.load("tags").digest == before
    edit(toys.folder / "tags/src/mm/coder.c", "return 1", "return 2")
    assert toys.load("tags").digest != before


def test_a_prefix_is_another_thing_than_the_whole(toys: Library) -> None:
    feature = toys.load("tags")
    assert feature.limited(1).label == "tags/1"
    assert len(feature.limited(1).patches) == 1
    assert feature.limited(1).digest != feature.digest
    with pytest.raises(UsageError, match="has 2 patches: 'tags/3' is none of its prefixes"):
        feature.limited(3)
