# SPDX-License-Identifier: GPL-2.0-or-later
"""A debugger's way into a machine: QEMU speaks GDB's remote protocol on a socket."""

import platform
import shlex
from dataclasses import dataclass
from pathlib import Path

KERNEL_ARGUMENTS = "nokaslr"
"""Puts the kernel at the addresses that its vmlinux says."""


@dataclass(frozen=True, slots=True)
class Debugger:
    """A Unix socket to listen on; a ``halted`` machine waits there before it starts."""

    socket: Path
    halted: bool = False

    def command(self, vmlinux: Path | None) -> str:
        """What to type to attach; without ``vmlinux`` there are no symbols."""
        symbols = [str(vmlinux)] if vmlinux else ["-ex", "set architecture aarch64"]
        return shlex.join([program(), *symbols, "-ex", f"target remote {self.socket}"])


def program() -> str:
    """The GDB that knows arm64 on this machine."""
    return "gdb" if platform.machine() == "aarch64" else "gdb-multiarch"
