# SPDX-License-Identifier: GPL-2.0-or-later
"""Which QEMU this is, and whether it will do."""

import re
import subprocess
from dataclasses import dataclass

from granule.errors import MissingToolError
from granule.targets.command import EMULATOR

OLDEST = (10, 0)
"""The first version whose plugin API reads system registers in every callback we need."""

_INSTALL = (
    "on Debian 13 'apt install qemu-system-arm', on Debian 12 "
    "'apt install -t bookworm-backports qemu-system-arm', or 'make setup' for everything"
)
_VERSION = re.compile(r"QEMU emulator version (?P<major>\d+)\.(?P<minor>\d+)\S*")


@dataclass(frozen=True, slots=True)
class EmulatorVersion:
    """``text`` is what QEMU calls itself, with the distribution's package version."""

    major: int
    minor: int
    text: str


def find_emulator() -> EmulatorVersion:
    """The QEMU on PATH; raises MissingToolError if there is none or it is too old."""
    try:
        done = subprocess.run(
            [EMULATOR, "--version"], capture_output=True, text=True, check=True, timeout=30
        )
    except FileNotFoundError:
        raise MissingToolError(f"{EMULATOR} is missing: {_INSTALL}.") from None
    except subprocess.SubprocessError as error:
        raise MissingToolError(f"{EMULATOR} does not even tell its version: {error}.") from error
    return check_version(done.stdout)


def check_version(text: str) -> EmulatorVersion:
    """Reads the output of ``--version``; raises MissingToolError if it is too old."""
    match = _VERSION.search(text)
    if not match:
        first = text.strip().partition("\n")[0]
        raise MissingToolError(f"{EMULATOR} calls itself '{first}', which names no version.")
    version = EmulatorVersion(int(match["major"]), int(match["minor"]), text.partition("\n")[0])
    if (version.major, version.minor) < OLDEST:
        raise MissingToolError(
            f"QEMU {version.major}.{version.minor} is too old, its plugins cannot read registers; "
            f"at least {OLDEST[0]}.{OLDEST[1]} is needed: {_INSTALL}."
        )
    return version
