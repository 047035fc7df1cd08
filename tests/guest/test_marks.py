# SPDX-License-Identifier: GPL-2.0-or-later
"""The marks of granule.h, as the assembler and the compilers see them."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

INCLUDE = Path(__file__).parents[2] / "guest" / "include"
CROSS = "aarch64-linux-gnu-"

OPEN, CLOSE, ITERATION = 0xD288EA5F, 0xD2A8EA5F, 0xD2C8EA5F
MARKS = (OPEN, CLOSE, ITERATION)

PROGRAM = """
#include <granule.h>
void region(void (*work)(void));
void region(void (*work)(void))
{
	granule_open("work");
	work();
	granule_iteration("work");
	granule_close("work");
}
"""

needs_cross_compiler = pytest.mark.skipif(
    shutil.which(f"{CROSS}gcc") is None, reason="needs gcc-aarch64-linux-gnu"
)


def compiled(folder: Path, compiler: str, *options: str) -> Path:
    source = folder / "program.c"
    source.write_text(PROGRAM)
    output = folder / "program.o"
    command = [compiler, "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", *options]
    subprocess.run([*command, "-c", str(source), "-o", str(output)], check=True)
    return output


def disassembled(program: Path) -> list[tuple[int, str]]:
    """Encoding and text of each instruction."""
    listing = subprocess.run(
        [f"{CROSS}objdump", "-d", str(program)], capture_output=True, text=True, check=True
    ).stdout
    found = re.findall(r"^\s*[0-9a-f]+:\t([0-9a-f]{8}) \t(.*)$", listing, re.MULTILINE)
    return [(int(word, 16), text) for word, text in found]


@needs_cross_compiler
@pytest.mark.parametrize("optimisation", ["-O0", "-Os", "-O2"])
def test_marks_are_the_agreed_instructions_in_order(tmp_path: Path, optimisation: str) -> None:
    program = compiled(tmp_path, f"{CROSS}gcc", optimisation)
    words = [word for word, _ in disassembled(program)]
    assert [word for word in words if word in MARKS] == [OPEN, ITERATION, CLOSE]


@needs_cross_compiler
@pytest.mark.parametrize("optimisation", ["-O0", "-Os", "-O2"])
def test_nothing_between_x0_and_the_mark(tmp_path: Path, optimisation: str) -> None:
    """X0 is written before each mark, with no call between that might change it."""
    code = disassembled(compiled(tmp_path, f"{CROSS}gcc", optimisation))
    for index, (word, _) in enumerate(code):
        if word in MARKS:
            texts = [text for _, text in code[:index]]
            last = max(i for i, text in enumerate(texts) if re.match(r"\w+\tx0, ", text))
            assert not any(re.match(r"blr?\t", text) for text in texts[last:])


@needs_cross_compiler
def test_kernel_code_may_use_them(tmp_path: Path) -> None:
    options = ("-ffreestanding", "-nostdinc", "-mgeneral-regs-only", "-std=gnu11", "-O2")
    assert compiled(tmp_path, f"{CROSS}gcc", *options).exists()


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
@pytest.mark.skipif(platform.machine() == "aarch64", reason="this is arm64")
def test_they_vanish_on_other_architectures(tmp_path: Path) -> None:
    assert compiled(tmp_path, "cc", "-O2").exists()
