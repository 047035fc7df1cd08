# SPDX-License-Identifier: GPL-2.0-or-later
"""The command to run in the guest, seen from the host.

``./mybench`` exists here and not there, so it is copied; that it can run there
is checked before anything boots.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from granule.errors import UsageError

# What lies here on the host lies here in the guest too, and that one is meant.
_SYSTEM = ("/bin/", "/sbin/", "/lib/", "/usr/bin/", "/usr/sbin/", "/usr/lib/")

_COMPILER = "aarch64-linux-gnu-gcc -static"


@dataclass(frozen=True, slots=True)
class Command:
    """What runs in the guest, and the host's files it needs there.

    ``warning`` is a sentence about something that may go wrong, or empty.
    """

    argv: tuple[str, ...]
    copies: tuple[Path, ...] = ()
    warning: str = ""


def prepare(argv: Sequence[str], copies: Sequence[Path] = ()) -> Command:
    """Adds the program to the copies if it is a file of the host, named with a slash.

    Raises UsageError for an empty command, a copy that does not exist and a
    program that is not for arm64.
    """
    if not argv or not argv[0]:
        raise UsageError("There is no command: write it after '--', as in '-- ./mybench'.")
    for copy in copies:
        if not copy.exists():
            raise UsageError(f"There is no file '{copy}' to copy into the guest.")
    program = Path(argv[0])
    if not _is_of_host(argv[0]):
        return Command(tuple(argv), tuple(copies))
    warning = check_program(program)
    moved = (f"./{program.name}", *argv[1:])
    return Command(moved, _with(program, copies), warning)


def missing_program(name: str) -> UsageError:
    """The error for a program the guest does not have."""
    if "/" in name and not name.startswith(_SYSTEM):
        return UsageError(
            f"The guest has no program '{name}', and this machine no such file to copy: check "
            "the path, or name what lies elsewhere with '--copy FILE' and run it as './FILE'."
        )
    return UsageError(
        f"The guest has no program '{name}': copy one with '--copy FILE' (and run it as "
        f"'./FILE'), or add its Debian package to the recipe, guest/userland.toml."
    )


def _is_of_host(name: str) -> bool:
    return "/" in name and not name.startswith(_SYSTEM) and Path(name).is_file()


def check_program(path: Path) -> str:
    """A warning about a program, or ""; raises UsageError if arm64 Linux cannot run it."""
    with path.open("rb") as file:
        if file.read(4) != b"\x7fELF":
            return ""
        try:
            elf = ELFFile(file)
            machine = elf.header["e_machine"]
            dynamic = any(segment["p_type"] == "PT_INTERP" for segment in elf.iter_segments())
        except ELFError as error:
            raise UsageError(f"{path} is a damaged program: {error}.") from error
    if machine != "EM_AARCH64":
        raise UsageError(_foreign(path, str(machine)))
    return _dynamic(path) if dynamic else ""


def _with(program: Path, copies: Sequence[Path]) -> tuple[Path, ...]:
    here = program.resolve()
    return (program, *(copy for copy in copies if copy.resolve() != here))


def _foreign(path: Path, machine: str) -> str:
    name = {"EM_X86_64": "x86-64", "EM_386": "32-bit x86", "EM_ARM": "32-bit Arm"}.get(
        machine, machine.removeprefix("EM_")
    )
    return (
        f"{path} is a program for {name}; build it for arm64 ({_COMPILER} …), or write "
        f"'{path.name}' without a path to run the guest's own."
    )


def _dynamic(path: Path) -> str:
    return (
        f"{path} is dynamically linked: it runs only if the guest has its libraries "
        f"({_COMPILER} … needs none)."
    )
