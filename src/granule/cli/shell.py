# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule shell``."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click

from granule import provision
from granule.cli import options
from granule.cli.output import warn
from granule.cli.progress import choose_progress
from granule.errors import UsageError
from granule.lookup import check_program
from granule.run import Settings, make_shell_job
from granule.targets import Debugger
from granule.targets.debugger import program


@click.command()
@options.kernel_option
@click.option("--gdb", is_flag=True, help="Let a debugger attach; KASLR is off.")
@click.option(
    "--gdb-wait", is_flag=True, help="The same, and start when the debugger says 'continue'."
)
@options.guest_options
def shell(kernel: str, *, gdb: bool, gdb_wait: bool) -> int:
    """Open a shell in the guest, or run a command on its console.

    Nothing is counted. Leave with 'exit'; Ctrl-A X ends the machine at once. The
    shell needs a terminal; a command does not.

    \b
    Examples:
      granule shell
      granule shell --kernel arch/arm64/boot/Image --copy ./mybench
      granule shell --kernel linux-6.12 --gdb
      granule shell -- dmesg > boot.log
    """
    request = options.Request.current()
    _check_terminal(request)
    command = request.prepared(default=("/bin/sh", "-l"))
    warn(command.warning)
    settings = _with_window_size(request.settings(counting=None))
    target, progress = provision.target(), choose_progress()
    provision.parse(kernel)
    guest = provision.guest(progress)
    check_program(command, settings.environment, guest.userland.archive)
    built = provision.kernel(kernel, progress)
    bootable = provision.bootable(built, guest)
    with _debugger(wanted=gdb or gdb_wait, halted=gdb_wait) as debugger:
        if debugger:
            _explain(debugger, built.vmlinux)
        return target.shell(make_shell_job(bootable, command, settings, debugger))


def _check_terminal(request: options.Request) -> None:
    """A serial line has no end of file, and what comes before the shell reads is lost."""
    if not request.command and not sys.stdin.isatty():
        raise UsageError(
            "The shell has no terminal to read from: give it a command, as in "
            "'-- sh -c \"uname -r; ls\"'."
        )


def _with_window_size(settings: Settings) -> Settings:
    """A serial line does not say how large the terminal at its other end is."""
    if not sys.stdout.isatty():
        return settings
    size = shutil.get_terminal_size()
    window = (("LINES", str(size.lines)), ("COLUMNS", str(size.columns)))
    return replace(settings, environment=(*window, *settings.environment))


@contextmanager
def _debugger(*, wanted: bool, halted: bool) -> Iterator[Debugger | None]:
    """A socket nobody else can reach, under a name short enough for one."""
    if not wanted:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="granule-") as folder:
        yield Debugger(Path(folder) / "gdb", halted)


def _explain(debugger: Debugger, vmlinux: Path | None) -> None:
    click.echo("In another terminal:", err=True)
    click.echo(f"  {debugger.command(vmlinux)}", err=True)
    if not shutil.which(program()):
        warn(f"{program()} is missing: run 'apt-get install {program()}'.")
    if not vmlinux:
        warn("This kernel comes without vmlinux: the debugger knows no symbols of it.")
    if debugger.halted:
        click.echo("The machine starts when the debugger says 'continue'.", err=True)
