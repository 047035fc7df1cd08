# SPDX-License-Identifier: GPL-2.0-or-later
"""On an excerpt of /proc/kallsyms of Debian's 6.12.117 arm64 kernel."""

from pathlib import Path

import pytest

from granule.errors import FormatError
from granule.events import Place, Stack
from granule.symbols import UNKNOWN, USER, SymbolTable, by_function, fold

DATA = Path(__file__).parents[1] / "data"

GETPID = 0xFFFFA200AF4C9898
EL0_SVC = 0xFFFFA200B0327C98
EXT4 = 0xFFFFA20081A60080


@pytest.fixture(scope="module")
def symbols() -> SymbolTable:
    return SymbolTable.parse((DATA / "kallsyms-6.12-debian.txt").read_text())


@pytest.mark.parametrize(
    ("address", "function"),
    [
        (GETPID, "__arm64_sys_getpid"),
        (GETPID + 0x3F, "__arm64_sys_getpid"),
        (GETPID + 0x40, "__arm64_sys_gettid"),
        (GETPID - 1, "__arm64_sys_setfsgid"),
        (EXT4, "ext4_has_free_clusters [ext4]"),
        (0x1000, UNKNOWN),
    ],
)
def test_an_address_belongs_to_the_symbol_before_it(
    symbols: SymbolTable, address: int, function: str
) -> None:
    assert symbols.function(address) == function


def test_a_function_is_preferred_to_the_markers_at_its_address() -> None:
    text = "1000 T _stext\n1000 t __pi_memcpy\n1000 T memcpy\n1000 W memcpy_weak\n"
    text = "".join(f"0000{line}\n" for line in text.splitlines())
    assert SymbolTable.parse(text).function(0x1004) == "memcpy"


def test_data_ends_the_function_before_it() -> None:
    table = SymbolTable.parse("0000000000001000 T last\n0000000000001010 D _etext\n")
    assert table.function(0x100F) == "last"
    assert table.function(0x1010) == UNKNOWN
    assert table.functions == {"last"}


def test_mapping_symbols_name_nothing(symbols: SymbolTable) -> None:
    assert not any(name.startswith("$") for name in symbols.functions)


def test_hidden_addresses_are_refused() -> None:
    with pytest.raises(FormatError, match="no addresses"):
        SymbolTable.parse("0000000000000000 T _text\n0000000000000000 T _stext\n")


@pytest.mark.parametrize("text", ["", "\n", "what is this\n"])
def test_what_is_no_symbol_list(text: str) -> None:
    with pytest.raises(FormatError):
        SymbolTable.parse(text)


def test_places_of_one_function_add_up(symbols: SymbolTable) -> None:
    places = [
        Place(el="k", pc=GETPID, events={"instructions": 5, "isb": 1}),
        Place(el="k", pc=GETPID + 8, events={"instructions": 2}),
        Place(el="k", pc=EL0_SVC, events={"instructions": 3}),
        Place(el="u", pc=0x400000, events={"instructions": 11}),
    ]
    assert by_function(places, symbols) == {
        "__arm64_sys_getpid": {"instructions": 7, "isb": 1},
        "el0_svc": {"instructions": 3},
        USER: {"instructions": 11},
    }


def test_folded_stacks_begin_at_the_root(symbols: SymbolTable) -> None:
    stacks = [
        Stack(event="tlbi", count=3, frames=(GETPID + 4, EL0_SVC + 4)),
        Stack(event="tlbi", count=2, frames=(GETPID + 12, EL0_SVC + 4)),
        Stack(count=9, frames=(EL0_SVC,)),
        Stack(count=4, frames=(0x400000,)),
    ]
    assert fold(stacks, symbols) == "[user] 4\nel0_svc 9\nel0_svc;__arm64_sys_getpid 5\n"
