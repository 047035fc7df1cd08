# SPDX-License-Identifier: GPL-2.0-or-later
import subprocess
from pathlib import Path

import pytest

from granule.errors import FormatError
from granule.torture.code import differences

SOURCE = """
__attribute__((section(".init.text"))) int begin(int value) {{ return value + {init}; }}
int run(int value) {{ return value + {text}; }}
const char words[] = "{words}";
"""


def _compiled(path: Path, *, init: int = 1, text: int = 2, words: str = "one") -> Path:
    compiler = ["aarch64-linux-gnu-gcc", "-O1", "-c", "-x", "c", "-", "-o", str(path)]
    source = SOURCE.format(init=init, text=text, words=words)
    subprocess.run(compiler, input=source.encode(), check=True)
    return path


def test_only_instructions_are_compared(tmp_path: Path) -> None:
    one, two = _compiled(tmp_path / "one"), _compiled(tmp_path / "two", words="two, longer")
    assert differences(one, two) == []


@pytest.mark.parametrize(("changed", "section"), [("init", ".init.text"), ("text", ".text")])
def test_each_section_is_named(tmp_path: Path, changed: str, section: str) -> None:
    one = _compiled(tmp_path / "one")
    two = _compiled(tmp_path / "two", **{changed: 7})  # type: ignore[arg-type]
    assert differences(one, two) == [f"{section} differs, in 8 bytes"]


def test_another_size_is_told(tmp_path: Path) -> None:
    one, two = _compiled(tmp_path / "one"), _compiled(tmp_path / "two", text=1 << 20 | 5)
    (sentence,) = differences(one, two)
    assert sentence.startswith(".text has 8 bytes and ")


def test_what_is_no_kernel_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "vmlinux"
    path.write_bytes(b"nothing")
    with pytest.raises(FormatError, match="no vmlinux"):
        differences(path, path)
