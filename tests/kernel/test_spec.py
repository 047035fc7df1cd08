# SPDX-License-Identifier: GPL-2.0-or-later
"""The words for kernels, and what is said about wrong ones."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.features.conftest import TOYS

from granule.errors import UsageError
from granule.features import Library
from granule.kernel.catalog import load
from granule.kernel.spec import (
    Built,
    Debian,
    Linux,
    Revision,
    Spec,
    extended,
    parse,
    prefixes,
)

CATALOG = load(Path(__file__).parent / "fake" / "kernel")
WITH_FEATURES = replace(CATALOG, features=Library(TOYS))


def nothing_exists(_path: Path) -> bool:
    return False


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("debian", Debian()),
        ("linux-6.12", Linux("6.12")),
        ("linux-7.3:kasan-hw", Linux("7.3", (), ("kasan-hw",))),
        ("linux-6.12:loadable,kasan-hw", Linux("6.12", (), ("kasan-hw", "loadable"))),
        ("linux-6.12:kasan-hw,kasan-hw", Linux("6.12", (), ("kasan-hw",))),
        ("../linux@v6.12", Revision(Path("../linux"), "v6.12")),
        ("linux@HEAD~1:kasan-hw", Revision(Path("linux"), "HEAD~1", ("kasan-hw",))),
        ("linux@HEAD@{1}", Revision(Path("linux"), "HEAD@{1}")),
        ("@HEAD", Revision(Path(), "HEAD")),
    ],
)
def test_a_spec_is_understood(text: str, spec: Spec) -> None:
    assert parse(text, CATALOG, exists=nothing_exists) == spec


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("HEAD~1", Revision(Path("tree"), "HEAD~1")),
        ("topic/mte:kasan-hw", Revision(Path("tree"), "topic/mte", ("kasan-hw",))),
        ("@{upstream}", Revision(Path("tree"), "@{upstream}")),
        ("@~2", Revision(Path("tree"), "@~2")),
        ("linux-6.12", Linux("6.12")),
        ("debian", Debian()),
    ],
)
def test_in_a_tree_a_bare_word_is_a_revision(text: str, spec: Spec) -> None:
    assert parse(text, CATALOG, directory=Path("tree"), exists=nothing_exists) == spec


def test_what_exists_is_an_image_even_with_an_at_sign_in_it() -> None:
    assert parse("a@b/Image", CATALOG, exists=lambda _: True) == Built(Path("a@b/Image"))


@pytest.mark.parametrize(
    ("text", "features"),
    [
        ("linux-6.12+threads", ("threads",)),
        ("linux-6.12+threads,tags", ("tags", "threads")),
        ("linux-6.12+more-tags", ("tags", "more-tags")),
        ("linux-6.12+all", ("fewer-tags", "tags", "more-tags", "threads")),
        ("linux-6.12+tags/1:kasan-hw", ("tags/1",)),
    ],
)
def test_features_come_in_the_order_they_are_applied(text: str, features: tuple[str, ...]) -> None:
    spec = parse(text, WITH_FEATURES)
    assert isinstance(spec, Linux)
    assert spec.features == features


@pytest.mark.parametrize(
    "text",
    ["debian", "linux-6.12", "linux-6.12+tags/1,threads:kasan-hw", "tree@HEAD~1:loadable"],
)
def test_a_spec_is_written_as_it_is_read(text: str) -> None:
    assert str(parse(text, WITH_FEATURES, exists=nothing_exists)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("linux-6.12:kasan", "no fragment 'kasan'; the fragments are mte-user, kasan-hw"),
        ("linux-6.12:kasan-hw,mte-user", "'kasan-hw' and 'mte-user' exclude each other"),
        ("linux-6.12:", "A name is missing in 'linux-6.12:'"),
        ("linux-5.4", "no kernel 'linux-5.4'; the ones known are linux-6.12, linux-7.3"),
        ("linux-6.12+mte-sync", "no feature 'mte-sync'; the features are: none yet"),
        ("linux-6.12+all", "no feature for linux-6.12"),
        ("debian:kasan-hw", "takes no fragments"),
        ("tree@", "revision is missing after 'tree@'"),
        ("boot/Image", "no file or directory 'boot/Image'"),
        ("ubuntu", "'ubuntu' is no kernel: write debian, linux-6.12"),
        ("", "'' is no kernel"),
    ],
)
def test_a_wrong_spec_is_told_what_to_change(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse(text, CATALOG, exists=nothing_exists)


@pytest.mark.parametrize(
    ("text", "features", "fragments", "result"),
    [
        ("linux-6.12", ("threads",), ("kasan-hw",), "linux-6.12+threads:kasan-hw"),
        ("linux-6.12+threads", ("tags",), (), "linux-6.12+tags,threads"),
        ("tree@HEAD:loadable", (), ("kasan-hw",), "tree@HEAD:kasan-hw,loadable"),
        ("debian", (), (), "debian"),
    ],
)
def test_options_add_to_a_spec(
    text: str, features: tuple[str, ...], fragments: tuple[str, ...], result: str
) -> None:
    spec = parse(text, WITH_FEATURES, exists=nothing_exists)
    assert str(extended(spec, features, fragments, WITH_FEATURES)) == result


@pytest.mark.parametrize(
    ("text", "features", "fragments", "message"),
    [
        ("debian", ("tags",), (), "'debian' takes no features"),
        ("tree@HEAD", ("tags",), (), "'tree@HEAD' takes no features"),
        ("debian", (), ("kasan-hw",), "takes no fragments"),
        ("linux-6.12", ("togs",), (), "no feature 'togs'"),
    ],
)
def test_options_that_do_not_fit_a_spec_are_told(
    text: str, features: tuple[str, ...], fragments: tuple[str, ...], message: str
) -> None:
    spec = parse(text, WITH_FEATURES, exists=nothing_exists)
    with pytest.raises(UsageError, match=message):
        extended(spec, features, fragments, WITH_FEATURES)


@pytest.mark.parametrize("text", ["linux-6.12", "debian"])
def test_a_kernel_without_features_has_no_prefixes(text: str) -> None:
    with pytest.raises(UsageError, match=f"Kernel '{text}' has no features"):
        prefixes(parse(text, CATALOG), CATALOG)
