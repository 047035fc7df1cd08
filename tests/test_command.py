# SPDX-License-Identifier: GPL-2.0-or-later
import struct
from pathlib import Path

import pytest

from granule.command import check_program, prepare
from granule.errors import UsageError

X86_64, AARCH64, ARM = 62, 183, 40
INTERPRETER = 3


def _elf(machine: int, segments: tuple[int, ...] = ()) -> bytes:
    """A 64-bit little-endian ELF header and program headers of the given types."""
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    header = struct.pack(
        "<HHIQQQIHHHHHH", 2, machine, 1, 0, 64, 0, 0, 64, 56, len(segments), 64, 0, 0
    )
    return (
        ident
        + header
        + b"".join(struct.pack("<IIQQQQQQ", s, 4, 0, 0, 0, 0, 0, 0) for s in segments)
    )


def _program(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "mybench"
    path.write_bytes(content)
    return path


def test_a_program_of_the_host_is_copied_and_run_where_it_lands(tmp_path: Path) -> None:
    program = _program(tmp_path, _elf(AARCH64))
    command = prepare([str(program), "-x"])
    assert command.argv == ("./mybench", "-x")
    assert command.copies == (program,)
    assert command.warning == ""


def test_it_is_copied_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = _program(tmp_path, _elf(AARCH64))
    monkeypatch.chdir(tmp_path)
    assert len(prepare(["./mybench"], [program]).copies) == 1


def test_a_program_of_the_guest_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _program(tmp_path, _elf(X86_64))
    monkeypatch.chdir(tmp_path)
    assert prepare(["mybench"]).copies == ()
    assert prepare(["/opt/only/in/guest"]).argv == ("/opt/only/in/guest",)
    assert prepare(["/bin/sh"]).argv == ("/bin/sh",)


def test_a_script_is_copied(tmp_path: Path) -> None:
    assert len(prepare([str(_program(tmp_path, b"#!/bin/sh\n"))]).copies) == 1


@pytest.mark.parametrize(("machine", "name"), [(X86_64, "x86-64"), (ARM, "32-bit Arm")])
def test_a_program_for_another_machine_names_the_compiler(
    tmp_path: Path, machine: int, name: str
) -> None:
    with pytest.raises(UsageError) as caught:
        prepare([str(_program(tmp_path, _elf(machine)))])
    assert f"is a program for {name};" in caught.value.message
    assert "aarch64-linux-gnu-gcc -static" in caught.value.message


def test_a_dynamic_program_is_warned_about(tmp_path: Path) -> None:
    program = _program(tmp_path, _elf(AARCH64, (INTERPRETER,)))
    assert "dynamically linked" in prepare([str(program)]).warning


def test_a_damaged_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="damaged"):
        check_program(_program(tmp_path, b"\x7fELF\x09\x09"))


def test_no_command_and_no_copy() -> None:
    with pytest.raises(UsageError, match="no command"):
        prepare([])
    with pytest.raises(UsageError, match="'nowhere'"):
        prepare(["true"], [Path("nowhere")])
