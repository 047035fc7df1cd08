# SPDX-License-Identifier: GPL-2.0-or-later
"""The shell in the guest: on a terminal, and with a debugger."""

import os
import pty
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import pytest

from granule import provision
from granule.progress import SilentProgress

pytestmark = pytest.mark.machine

GRANULE = [sys.executable, "-m", "granule"]
INTERRUPT = b"\x03"


def test_a_shell_on_a_terminal() -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [*GRANULE, "shell"])
    with os.fdopen(terminal, "r+b", buffering=0) as session:
        _until(session.read, b"# ")
        session.write(b"sleep 1000\n")
        _until(session.read, b"1000")
        session.write(INTERRUPT)
        _until(session.read, b"# ")
        session.write(b"echo pages=$(getconf PAGESIZE) $LINES; exit\n")
        assert b"pages=4096" in _until(session.read, b"Power down")
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_a_debugger_reads_the_kernel_where_its_symbols_are() -> None:
    banner = _address("linux_banner")
    with _shell("--kernel", "linux-6.12", "--gdb-wait", "--", "sh", "-c", "echo up; read x") as (
        process,
        stub,
    ):
        assert stub.ask("?").startswith("T05")
        stub.send("c")
        assert process.stdout is not None
        _until(process.stdout.read, b"up")
        stub.interrupt()
        assert bytes.fromhex(stub.ask(f"m{banner:x},e")) == b"Linux version "
        stub.ask("D")
        assert process.stdin is not None
        process.stdin.write(b"\n")
        assert process.wait() == 0


@dataclass
class Stub:
    """GDB's remote protocol, as far as asking one thing at a time."""

    connection: socket.socket

    def send(self, text: str) -> None:
        checksum = sum(text.encode()) % 256
        self.connection.sendall(f"${text}#{checksum:02x}".encode())

    def ask(self, text: str) -> str:
        self.send(text)
        return self.answer()

    def answer(self) -> str:
        received = _until(self.connection.recv, b"#")
        self.connection.recv(2)
        self.connection.sendall(b"+")
        return received.rpartition(b"$")[2].rstrip(b"#").decode()

    def interrupt(self) -> None:
        self.connection.sendall(INTERRUPT)
        self.answer()


@contextmanager
def _shell(*arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], Stub]]:
    """A guest on a pipe, and its debugger's end of the socket it says it listens on."""
    with (
        subprocess.Popen(
            [*GRANULE, "shell", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        ) as process,
        socket.socket(socket.AF_UNIX) as connection,
    ):
        assert process.stderr is not None
        said = _until(process.stderr.read, b"'continue'.\n").decode()
        found = re.search(r"target remote ([^']+)'", said)
        assert found, said
        _connect(connection, found[1], process)
        yield process, Stub(connection)


def _connect(connection: socket.socket, path: str, process: subprocess.Popen[bytes]) -> None:
    """Connects as soon as the machine listens; fails if it ends instead."""
    while process.poll() is None:
        try:
            return connection.connect(path)
        except (FileNotFoundError, ConnectionRefusedError):
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.05)
    pytest.fail("the machine ended before it listened")


def _until(read: Callable[[int], bytes | None], end: bytes) -> bytes:
    """What is read up to and with `end`."""
    received = b""
    while end not in received:
        byte = read(1)
        if not byte:
            pytest.fail(f"there is no {end!r} in {received!r}")
        received += byte
    return received


def _address(symbol: str) -> int:
    """Where System.map says it is."""
    kernel = provision.kernel("linux-6.12", SilentProgress())
    assert kernel.system_map is not None
    (found,) = re.findall(rf"^(\w+) \w {symbol}$", kernel.system_map.read_text(), re.MULTILINE)
    return int(found, 16)
