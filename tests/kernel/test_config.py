# SPDX-License-Identifier: GPL-2.0-or-later
"""Configurations as values, and the explanation of symbols not granted."""

import shutil
from pathlib import Path

import pytest

from granule.kernel import config, configure, kconfig
from granule.kernel.catalog import load
from granule.kernel.config import Config, Refusal, parse

FAKE = Path(__file__).parent / "fake"
CATALOG = load(FAKE / "kernel")

KCONFIG = """\
menu "Memory"
	depends on MMU

config SWAP
	bool "Swap"
	help
		config LOOKS_LIKE_A_SYMBOL
		depends on NOTHING

if SWAP

menuconfig ZSWAP
	bool "Compressed swap"
	depends on ZPOOL || \\
		ZSMALLOC

endif

choice
	prompt "Pages"

config PAGES_4K
	bool "4 KiB"

endchoice
endmenu

config TAGS
	def_bool y
	depends on !SOFT && 64BIT
"""


def test_a_config_is_read_and_written() -> None:
    text = 'CONFIG_MTE=y\nCONFIG_NAME="a b"\nCONFIG_HZ=250\n# CONFIG_KASAN is not set\n'
    read = parse(f"# a comment\n\n{text}")
    assert dict(read.values) == {"MTE": "y", "NAME": '"a b"', "HZ": "250", "KASAN": "n"}
    assert read.text() == text
    assert read["UNHEARD_OF"] == "n"


def test_later_fragments_win() -> None:
    merged = parse("CONFIG_KASAN=y\nCONFIG_MTE=y\n").merged(parse("# CONFIG_KASAN is not set\n"))
    assert dict(merged.values) == {"KASAN": "n", "MTE": "y"}


def test_refusals_are_the_symbols_not_as_asked() -> None:
    wanted = parse("CONFIG_A=y\nCONFIG_B=m\n# CONFIG_C is not set\n# CONFIG_D is not set\n")
    got = parse("CONFIG_A=y\nCONFIG_B=y\nCONFIG_C=y\n")
    assert config.refusals(wanted, got) == (Refusal("B", "m", "y"), Refusal("C", "n", "y"))


def test_conditions_come_from_the_blocks_around_a_symbol() -> None:
    found = {d.name: d.conditions for d in kconfig.definitions(KCONFIG)}
    assert found == {
        "SWAP": ("MMU",),
        "ZSWAP": ("MMU", "SWAP", "ZPOOL ||  \t\tZSMALLOC"),
        "PAGES_4K": ("MMU",),
        "TAGS": ("!SOFT && 64BIT",),
    }


@pytest.mark.parametrize(
    ("name", "values", "unmet"),
    [
        ("ZSWAP", {"MMU": "y", "SWAP": "y", "ZSMALLOC": "y"}, 0),
        ("ZSWAP", {"MMU": "y", "SWAP": "y"}, 1),
        ("ZSWAP", {}, 3),
        ("TAGS", {"64BIT": "y"}, 0),
        ("TAGS", {"64BIT": "y", "SOFT": "y"}, 1),
        ("TAGS", {}, 1),
    ],
)
def test_an_unmet_condition_is_found(name: str, values: dict[str, str], unmet: int) -> None:
    (definition,) = (d for d in kconfig.definitions(KCONFIG) if d.name == name)
    assert len(kconfig.unmet(definition, Config(values))) == unmet


def test_the_reason_of_a_refusal_names_the_condition() -> None:
    refused = [Refusal(name, "y", "n") for name in ("KASAN_HW_TAGS", "MMU", "GONE")]
    reasons = configure.explain(refused, Config({"ARM64_MTE": "y"}), FAKE / "tree")
    assert reasons == [
        "it depends on 'KASAN'",
        "another symbol makes it n",
        "this kernel has no such symbol",
    ]


def test_fragments_merge_in_the_order_of_the_catalog() -> None:
    request = configure.request(CATALOG, ["loadable", "kasan-hw"], "6.12.1", strict=True)
    assert [path.stem for path in request.files] == ["base", "guest", "kasan-hw", "loadable"]
    assert request.required == request.wanted


def test_a_tree_of_ones_own_need_not_grant_the_base() -> None:
    request = configure.request(CATALOG, [], "6.99.0", strict=False)
    assert "OLD_KERNELS_LACK_THIS" in request.wanted.values
    assert "OLD_KERNELS_LACK_THIS" not in request.required.values
    assert "ARM64_MTE" in request.required.values


@pytest.mark.parametrize(
    ("version", "special"),
    [("6.12.117-1", False), ("7.2.0", False), ("7.3.4-1~bpo", True), ("7.10.0", True)],
)
def test_a_version_brings_its_own_fragment(version: str, *, special: bool) -> None:
    shipped = load(Path(__file__).parents[2] / "kernel")
    request = configure.request(shipped, [], version, strict=True)
    assert ("linux-7.3" in [path.stem for path in request.files]) == special


def test_what_is_asked_for_stays_when_a_fragment_is_edited(tmp_path: Path) -> None:
    folder = tmp_path / "kernel"
    shutil.copytree(FAKE / "kernel", folder)
    request = configure.request(load(folder), [], "6.12.1", strict=True)
    before = request.wanted
    with (folder / "fragments" / "base.config").open("a") as file:
        file.write("CONFIG_ADDED_DURING_THE_BUILD=y\n")
    assert "ADDED_DURING_THE_BUILD" not in request.wanted.values
    assert request.wanted == before
